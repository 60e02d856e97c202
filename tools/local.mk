# SPDX-License-Identifier: GPL-2.0-or-later
# The tool. All but weir.c is a library, so that unit tests can link it.
# One line a module, sorted.

tool_sources =

if BUILD_TOOL
noinst_LIBRARIES += libtool.a
libtool_a_SOURCES = $(tool_sources)
libtool_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
libtool_a_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS) $(NCURSES_CFLAGS)
tool_LIBS = libtool.a $(libweir_LIBS) $(ZLIB_LIBS) $(NCURSES_LIBS)

bin_PROGRAMS += weir
weir_SOURCES = tools/weir.c
weir_CPPFLAGS = $(libtool_a_CPPFLAGS)
weir_CFLAGS = $(libtool_a_CFLAGS)
weir_LDADD = $(tool_LIBS)
endif
