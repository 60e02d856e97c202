# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of the tool and of option parsing (bats): no mount, no root. One line each, sorted.

cli_tests =
cli_tests += tests/cli/completion.bats
cli_tests += tests/cli/doctor.bats
cli_tests += tests/cli/dump.bats
cli_tests += tests/cli/export.bats
cli_tests += tests/cli/export_views.bats
cli_tests += tests/cli/import.bats
cli_tests += tests/cli/import_files.bats
cli_tests += tests/cli/latency.bats
cli_tests += tests/cli/live.bats
cli_tests += tests/cli/merge.bats
cli_tests += tests/cli/salvage.bats
cli_tests += tests/cli/stat.bats
cli_tests += tests/cli/trace_format.bats
cli_tests += tests/cli/trace_stat.bats
cli_tests += tests/cli/usage.bats

# Makes snapshots with known numbers and plays a daemon's socket.
check_PROGRAMS += tests/cli/fixture
tests_cli_fixture_SOURCES = tests/cli/fixture.c
tests_cli_fixture_LDADD = $(libweir_LIBS)

# Prints traces for comparison.
check_PROGRAMS += tests/cli/traceops
tests_cli_traceops_SOURCES = tests/cli/traceops.c
tests_cli_traceops_LDADD = $(libweir_LIBS)

if HAVE_BATS
TESTS += $(cli_tests)
endif
EXTRA_DIST += $(cli_tests)
EXTRA_DIST += tests/cli/blktrace.pl tests/cli/export tests/cli/export.bash tests/cli/import.bash tests/cli/tool.bash
EXTRA_DIST += tests/data/trace
