# SPDX-License-Identifier: GPL-2.0-or-later
# One line a module, sorted.

trace_sources =
trace_sources += src/trace/compress.c src/trace/compress.h
trace_sources += src/trace/decode.c src/trace/decode.h
trace_sources += src/trace/dict.c src/trace/dict.h
trace_sources += src/trace/encode.c src/trace/encode.h
trace_sources += src/trace/event.c src/trace/event.h
trace_sources += src/trace/format.h
trace_sources += src/trace/frames.c src/trace/frames.h
trace_sources += src/trace/part.c src/trace/part.h
trace_sources += src/trace/reader.c src/trace/reader.h
trace_sources += src/trace/snapshot.c src/trace/snapshot.h
trace_sources += src/trace/threads.c src/trace/threads.h
trace_sources += src/trace/writer.c src/trace/writer.h
