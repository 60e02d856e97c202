# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests share. One line each, sorted.

lib_scripts =
lib_scripts += tests/lib/strace-counts.sh
lib_scripts += tests/lib/workload.sh

EXTRA_DIST += $(lib_scripts) tests/lib/lsan.supp tests/lib/tsan.supp
