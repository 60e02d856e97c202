# SPDX-License-Identifier: GPL-2.0-or-later
# What the sources must look like. One line each, sorted.

style_tests =
style_tests += tests/style/cppcheck.sh
style_tests += tests/style/docs.sh
style_tests += tests/style/format.sh
style_tests += tests/style/fragments.sh
style_tests += tests/style/includes.sh
style_tests += tests/style/mandoc.sh
style_tests += tests/style/options.sh
style_tests += tests/style/shellcheck.sh
style_tests += tests/style/sizes.sh
style_tests += tests/style/tidy.sh

EXTRA_DIST += tests/style/lib.sh $(style_tests)

style_cppflags = -I$(abs_top_srcdir)/src -I$(abs_top_srcdir) -I$(abs_top_builddir) \
	$(FUSE3_CFLAGS) $(URCU_CFLAGS) $(ZSTD_CFLAGS) $(INIH_CFLAGS) $(ZLIB_CFLAGS) \
	$(NCURSES_CFLAGS) $(CMOCKA_CFLAGS)

check-style: all
	+$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(style_tests)' TEST_SUITE_LOG=style-suite.log
