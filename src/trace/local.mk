# SPDX-License-Identifier: GPL-2.0-or-later
# One line a module, sorted.

trace_sources =
trace_sources += src/trace/event.h
trace_sources += src/trace/part.h
trace_sources += src/trace/reader.h
trace_sources += src/trace/snapshot.c src/trace/snapshot.h
trace_sources += src/trace/writer.h
