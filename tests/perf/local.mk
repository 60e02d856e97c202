# SPDX-License-Identifier: GPL-2.0-or-later
# Benchmarks: run by hand, as tests/perf/run, which builds its program itself. One line each, sorted.

EXTRA_DIST += tests/perf/bench.c
EXTRA_DIST += tests/perf/bench.h
EXTRA_DIST += tests/perf/loads.c
EXTRA_DIST += tests/perf/run

# Of the daemon's own code: make tests/perf/record.
EXTRA_PROGRAMS = tests/perf/record
tests_perf_record_SOURCES = tests/perf/record.c tests/lib/tool.h
tests_perf_record_CFLAGS = $(AM_CFLAGS) $(FUSE3_CFLAGS) $(URCU_CFLAGS)
tests_perf_record_LDADD = $(daemon_LIBS)
