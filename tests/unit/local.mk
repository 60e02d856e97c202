# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests (cmocka). A test is tests/unit/NAME.c; one line each, sorted.

unit_tests =
unit_tests += tests/unit/test_bytes
unit_tests += tests/unit/test_delay
unit_tests += tests/unit/test_hash
unit_tests += tests/unit/test_hist
unit_tests += tests/unit/test_op
unit_tests += tests/unit/test_small
unit_tests += tests/unit/test_small_hist
unit_tests += tests/unit/test_snapshot
unit_tests += tests/unit/test_summary
unit_tests += tests/unit/test_trace
unit_tests += tests/unit/test_units

# Those that need the daemon's objects; each has a line of its own for its libraries.
daemon_unit_tests =
daemon_unit_tests += tests/unit/test_delayq
daemon_unit_tests += tests/unit/test_delayq_wait
daemon_unit_tests += tests/unit/test_fdcache
daemon_unit_tests += tests/unit/test_files
daemon_unit_tests += tests/unit/test_lock_ranges
daemon_unit_tests += tests/unit/test_mountinfo
daemon_unit_tests += tests/unit/test_names
daemon_unit_tests += tests/unit/test_names_model
daemon_unit_tests += tests/unit/test_options
daemon_unit_tests += tests/unit/test_record
daemon_unit_tests += tests/unit/test_ring
daemon_unit_tests += tests/unit/test_stats
daemon_unit_tests += tests/unit/test_trace_filter
daemon_unit_tests += tests/unit/test_tree
daemon_unit_libs = $(daemon_LIBS) $(CMOCKA_LIBS)
tests_unit_test_delayq_LDADD = $(daemon_unit_libs)
tests_unit_test_delayq_wait_LDADD = $(daemon_unit_libs)
tests_unit_test_fdcache_LDADD = $(daemon_unit_libs)
tests_unit_test_files_LDADD = $(daemon_unit_libs)
tests_unit_test_lock_ranges_LDADD = $(daemon_unit_libs)
tests_unit_test_mountinfo_LDADD = $(daemon_unit_libs)
tests_unit_test_names_LDADD = $(daemon_unit_libs)
tests_unit_test_names_model_LDADD = $(daemon_unit_libs)
tests_unit_test_options_LDADD = $(daemon_unit_libs)
tests_unit_test_record_LDADD = $(daemon_unit_libs)
tests_unit_test_ring_LDADD = $(daemon_unit_libs)
tests_unit_test_stats_LDADD = $(daemon_unit_libs)
tests_unit_test_trace_filter_LDADD = $(daemon_unit_libs)
tests_unit_test_tree_LDADD = $(daemon_unit_libs)
# With libfuse's types; two with a stand-in for it.
tests_unit_test_record_CFLAGS = $(AM_CFLAGS) $(FUSE3_CFLAGS)
tests_unit_test_delayq_CFLAGS = $(AM_CFLAGS) $(FUSE3_CFLAGS)
tests_unit_test_delayq_SOURCES = tests/unit/test_delayq.c tests/unit/fake_fuse.c tests/unit/fake_fuse.h
tests_unit_test_delayq_wait_CFLAGS = $(tests_unit_test_delayq_CFLAGS)
tests_unit_test_delayq_wait_SOURCES = tests/unit/test_delayq_wait.c tests/unit/fake_fuse.c tests/unit/fake_fuse.h
EXTRA_DIST += tests/unit/fake.h tests/unit/test.h

# Those that need the tool's objects.
tool_unit_tests =
tool_unit_tests += tests/unit/test_delta
tool_unit_tests += tests/unit/test_encoders
tool_unit_tests += tests/unit/test_import_block
tool_unit_tests += tests/unit/test_import_names
tool_unit_tests += tests/unit/test_import_strace
tool_unit_tests += tests/unit/test_import_text
tool_unit_tests += tests/unit/test_lanes
tool_unit_tests += tests/unit/test_mounts
tool_unit_tests += tests/unit/test_utf8
tool_unit_libs = $(tool_LIBS) $(CMOCKA_LIBS)
tests_unit_test_delta_LDADD = $(tool_unit_libs)
tests_unit_test_encoders_LDADD = $(tool_unit_libs)
tests_unit_test_import_block_LDADD = $(tool_unit_libs)
tests_unit_test_import_names_LDADD = $(tool_unit_libs)
tests_unit_test_import_strace_LDADD = $(tool_unit_libs)
tests_unit_test_import_text_LDADD = $(tool_unit_libs)
tests_unit_test_lanes_LDADD = $(tool_unit_libs)
tests_unit_test_mounts_LDADD = $(tool_unit_libs)
tests_unit_test_utf8_LDADD = $(tool_unit_libs)

LDADD = $(libweir_LIBS) $(CMOCKA_LIBS)

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests) $(daemon_unit_tests) $(tool_unit_tests)
TESTS += $(unit_tests) $(daemon_unit_tests) $(tool_unit_tests)
endif
