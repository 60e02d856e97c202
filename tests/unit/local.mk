# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests (cmocka). A test is tests/unit/NAME.c; one line each, sorted.

unit_tests =
unit_tests += tests/unit/test_bytes
unit_tests += tests/unit/test_delay
unit_tests += tests/unit/test_hist
unit_tests += tests/unit/test_op
unit_tests += tests/unit/test_small
unit_tests += tests/unit/test_small_hist
unit_tests += tests/unit/test_snapshot
unit_tests += tests/unit/test_summary
unit_tests += tests/unit/test_units

# Those that need the daemon's objects; each has a line of its own for its libraries.
daemon_unit_tests =
daemon_unit_libs = $(daemon_LIBS) $(CMOCKA_LIBS)
EXTRA_DIST += tests/unit/test.h

# Those that need the tool's objects.
tool_unit_tests =
tool_unit_tests += tests/unit/test_delta
tool_unit_tests += tests/unit/test_mounts
tool_unit_tests += tests/unit/test_utf8
tool_unit_libs = $(tool_LIBS) $(CMOCKA_LIBS)
tests_unit_test_delta_LDADD = $(tool_unit_libs)
tests_unit_test_mounts_LDADD = $(tool_unit_libs)
tests_unit_test_utf8_LDADD = $(tool_unit_libs)

LDADD = $(libweir_LIBS) $(CMOCKA_LIBS)

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests) $(daemon_unit_tests) $(tool_unit_tests)
TESTS += $(unit_tests) $(daemon_unit_tests) $(tool_unit_tests)
endif
