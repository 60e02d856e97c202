# SPDX-License-Identifier: GPL-2.0-or-later
# Benchmarks: run by hand, as tests/perf/run, which builds its program itself. One line each, sorted.

EXTRA_DIST += tests/perf/bench.c
EXTRA_DIST += tests/perf/bench.h
EXTRA_DIST += tests/perf/loads.c
EXTRA_DIST += tests/perf/run
