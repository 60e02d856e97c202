# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzz targets: tests/fuzz/fuzz_NAME.c with its corpus in tests/fuzz/corpus/NAME/.
# With --enable-fuzzers they are libFuzzer programs; else they replay the corpus in make check.
# One line each, sorted.

fuzz_targets =
fuzz_targets += tests/fuzz/fuzz_bytes
fuzz_targets += tests/fuzz/fuzz_control
fuzz_targets += tests/fuzz/fuzz_delay
fuzz_targets += tests/fuzz/fuzz_import
fuzz_targets += tests/fuzz/fuzz_options
fuzz_targets += tests/fuzz/fuzz_snapshot
fuzz_targets += tests/fuzz/fuzz_trace
fuzz_targets += tests/fuzz/fuzz_units

# The same list again: each links the engine, and what it is about.
tests_fuzz_fuzz_bytes_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_control_LDADD = $(fuzz_daemon_libs)
tests_fuzz_fuzz_delay_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_import_LDADD = $(fuzz_tool_libs)
tests_fuzz_fuzz_options_LDADD = $(fuzz_daemon_libs)
tests_fuzz_fuzz_snapshot_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_trace_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_units_LDADD = $(fuzz_libs)

EXTRA_DIST += tests/fuzz/corpus

if FUZZERS
fuzz_libs = $(FUZZ_ENGINE) $(libweir_LIBS)
fuzz_daemon_libs = $(FUZZ_ENGINE) $(daemon_LIBS)
fuzz_tool_libs = $(FUZZ_ENGINE) $(tool_LIBS)
noinst_PROGRAMS += $(fuzz_targets)
else
fuzz_libs = tests/fuzz/libreplay.a $(libweir_LIBS)
fuzz_daemon_libs = tests/fuzz/libreplay.a $(daemon_LIBS)
fuzz_tool_libs = tests/fuzz/libreplay.a $(tool_LIBS)
check_LIBRARIES = tests/fuzz/libreplay.a
tests_fuzz_libreplay_a_SOURCES = tests/fuzz/replay.c
check_PROGRAMS += $(fuzz_targets)
TESTS += $(fuzz_targets)
endif

FUZZ_SECONDS = 20

# Fuzzes each target for a while. New inputs go below the build directory, the corpus is only read;
# an input that fails is left beside the program.
check-fuzz: $(fuzz_targets)
	@test -n '$(FUZZ_ENGINE)' || { echo 'check-fuzz needs configure --enable-fuzzers CC=clang' >&2; exit 1; }
	set -e; for target in $(fuzz_targets); do \
		name=$${target##*/fuzz_}; \
		mkdir -p "tests/fuzz/found/$$name"; \
		$$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
			-artifact_prefix="$$target-" "tests/fuzz/found/$$name" \
			"$(srcdir)/tests/fuzz/corpus/$$name"; \
	done
