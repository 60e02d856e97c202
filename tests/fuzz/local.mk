# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzz targets: tests/fuzz/fuzz_NAME.c with its corpus in tests/fuzz/corpus/NAME/.
# With --enable-fuzzers they are libFuzzer programs; else they replay the corpus in make check.

fuzz_targets =

if FUZZERS
fuzz_engine = -fsanitize=fuzzer
noinst_PROGRAMS += $(fuzz_targets)
else
check_LIBRARIES = tests/fuzz/libreplay.a
tests_fuzz_libreplay_a_SOURCES = tests/fuzz/replay.c
fuzz_engine = tests/fuzz/libreplay.a
check_PROGRAMS += $(fuzz_targets)
TESTS += $(fuzz_targets)
endif
