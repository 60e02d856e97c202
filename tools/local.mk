# SPDX-License-Identifier: GPL-2.0-or-later
# The tool. All but weir.c is a library, so that unit tests can link it.
# One line a module, sorted.

tool_sources =
tool_sources += tools/args.c tools/args.h
tool_sources += tools/bars.c tools/bars.h
tool_sources += tools/cmd.h
tool_sources += tools/cmd_ctl.c
tool_sources += tools/cmd_doctor.c
tool_sources += tools/cmd_dump.c
tool_sources += tools/cmd_latency.c
tool_sources += tools/cmd_list.c
tool_sources += tools/cmd_stat.c
tool_sources += tools/cmd_top.c
tool_sources += tools/ctl.c tools/ctl.h
tool_sources += tools/delta.c tools/delta.h
tool_sources += tools/doctor.h
tool_sources += tools/doctor_directory.c
tool_sources += tools/doctor_machine.c
tool_sources += tools/dump.c tools/dump.h
tool_sources += tools/dump_csv.c
tool_sources += tools/dump_json.c
tool_sources += tools/dump_stat.c
tool_sources += tools/dump_text.c
tool_sources += tools/features.h
tool_sources += tools/filter.c tools/filter.h
tool_sources += tools/fold.c tools/fold.h
tool_sources += tools/fold_files.c tools/fold_files.h
tool_sources += tools/fold_places.c
tool_sources += tools/input.c tools/input.h
tool_sources += tools/jsonw.c tools/jsonw.h
tool_sources += tools/mounts.c tools/mounts.h
tool_sources += tools/outbuf.c tools/outbuf.h
tool_sources += tools/parts.c tools/parts.h
tool_sources += tools/screen.c tools/screen.h
tool_sources += tools/select.c tools/select.h
tool_sources += tools/show.c tools/show.h
tool_sources += tools/source.c tools/source.h
tool_sources += tools/stat.h
tool_sources += tools/stat_json.c tools/stat_json.h
tool_sources += tools/stat_text.c
tool_sources += tools/stat_trace.c tools/stat_trace.h
tool_sources += tools/table.c tools/table.h
tool_sources += tools/term.c tools/term.h
tool_sources += tools/top.h
tool_sources += tools/top_json.c
tool_sources += tools/top_sample.c
tool_sources += tools/top_screen.c
tool_sources += tools/top_text.c
tool_sources += tools/trace_sum.c tools/trace_sum.h
tool_sources += tools/utf8.c tools/utf8.h
tool_sources += tools/view.c tools/view.h
tool_sources += tools/when.c tools/when.h

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
