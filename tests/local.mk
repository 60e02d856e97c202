# SPDX-License-Identifier: GPL-2.0-or-later
# All tests speak TAP to automake's driver.
#
#   make check               units, the tool, corpus replay: anybody, anywhere
#   make check-mount         live mounts: root, /dev/fuse, loop devices
#   make check-mount-quick   those that tell whether a build works at all
#   make check-mount-sanitized  those in which sanitizers can find something
#   make check-style         what the sources must look like

TEST_EXTENSIONS = .bats .sh
tap_driver = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(tap_driver)
# Scripts print a plan, so that a death half way is seen without their exit code, which would count
# a failed test twice. Programs are held to theirs: sanitizers speak through it at the very end.
BATS_LOG_DRIVER = $(tap_driver)
AM_BATS_LOG_DRIVER_FLAGS = --ignore-exit
BATS_LOG_COMPILER = bats
AM_BATS_LOG_FLAGS = --formatter tap
SH_LOG_DRIVER = $(tap_driver)
AM_SH_LOG_DRIVER_FLAGS = --ignore-exit
SH_LOG_COMPILER = bash

# Daemons have no terminal: with sanitizers, what they find goes to files. None may be there at the end.
# Daemons of other users write them too.
sanitizer_reports = $(abs_top_builddir)/sanitizer
if SANITIZERS
sanitizer_environment = \
	mkdir -p '$(sanitizer_reports)' && chmod 1777 '$(sanitizer_reports)'; \
	ASAN_OPTIONS='log_path="$(sanitizer_reports)/address":detect_stack_use_after_return=1'; export ASAN_OPTIONS; \
	LSAN_OPTIONS='suppressions="$(abs_top_srcdir)/tests/lib/lsan.supp":print_suppressions=0'; export LSAN_OPTIONS; \
	UBSAN_OPTIONS='log_path="$(sanitizer_reports)/undefined":print_stacktrace=1'; export UBSAN_OPTIONS; \
	TSAN_OPTIONS='log_path="$(sanitizer_reports)/thread":suppressions="$(abs_top_srcdir)/tests/lib/tsan.supp":second_deadlock_stack=1'; \
	export TSAN_OPTIONS;
endif

AM_TESTS_ENVIRONMENT = $(sanitizer_environment) \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	abs_top_srcdir='$(abs_top_srcdir)'; export abs_top_srcdir; \
	abs_top_builddir='$(abs_top_builddir)'; export abs_top_builddir; \
	STYLE_CPPFLAGS='$(style_cppflags)'; export STYLE_CPPFLAGS; \
	PATH='$(abs_top_builddir)':"$$PATH"; export PATH;

# What tests have fetched or left in the build directory.
clean-local:
	rm -rf tests/npm sanitizer

.PHONY: check-fuzz check-mount check-mount-quick check-mount-sanitized check-style

include tests/lib/local.mk
include tests/unit/local.mk
include tests/fuzz/local.mk
include tests/cli/local.mk
include tests/mount/local.mk
include tests/perf/local.mk
include tests/style/local.mk
