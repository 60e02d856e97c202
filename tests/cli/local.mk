# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of the tool and of option parsing (bats): no mount, no root. One line each, sorted.

cli_tests =

if HAVE_BATS
TESTS += $(cli_tests)
endif
EXTRA_DIST += $(cli_tests)
