# SPDX-License-Identifier: GPL-2.0-or-later
# What is installed and not code. Sorted.

bashcompdir = $(datadir)/bash-completion/completions
dist_bashcomp_DATA = data/completions/weir data/completions/weirfs

systemdunitdir = $(prefix)/lib/systemd/system
dist_systemdunit_DATA =

profiledir = $(pkgdatadir)/profiles
dist_profile_DATA =
