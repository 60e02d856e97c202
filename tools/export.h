/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces in the formats of other tools: one file a format, all with this shape.
 *
 * The command reads the trace and gives each operation to the format, which writes as it goes:
 * what it keeps is bounded, or grows with the number of files, processes and threads, never with
 * the number of operations. What a format can't hold is counted with export_note() and said once.
 */
#ifndef TOOLS_EXPORT_H
#define TOOLS_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/op.h"
#include "tools/outbuf.h"
#include "trace/event.h"

/* X(identifier, name, blanks behind it, binary, one line about it) in the order of the help. */
#define EXPORT_TABLE(X)                                                                        \
	X(fio_iolog, "fio-iolog", "", false, "fio's I/O log, version 3: fio --read_iolog")     \
	X(fio_json, "fio-json", " ", false, "as fio --output-format=json+, for its scripts")   \
	X(hlog, "hlog", "     ", false, "HdrHistogram log: histograms by interval, operation") \
	X(hgrm, "hgrm", "     ", false, "HdrHistogram percentiles, for its plotters")          \
	X(heatmap, "heatmap", "  ", false, "\"TIME LATENCY\" in us, for trace2heatmap.pl")     \
	X(chrome, "chrome", "   ", false, "trace events in JSON, for chrome://tracing")        \
	X(perfetto, "perfetto", " ", true, "protobuf for ui.perfetto.dev, of any length")      \
	X(parquet, "parquet", "  ", true, "a row an operation: DuckDB, Spark, ClickHouse")

struct export_options {
	const char *input;    /* the trace, as the user named it */
	uint64_t durations;   /* mask of 1 << enum duration; 0 = as the format likes */
	uint64_t interval_ns; /* of hlog */
	uint64_t max_events;  /* of chrome */
	bool stages;          /* service and hold as slices of their own: chrome, perfetto */
};

struct export_note {
	const char *text; /* static */
	uint64_t count;
};

#define EXPORT_NOTES 64
#define EXPORT_PROPERTIES 64

struct export
{
	struct outbuf *out;
	const struct export_options *options;
	void *state;          /* the format's own */
	uint64_t origin_ns;   /* wall clock: the trace's first mark or arrival; 0 = not known yet */
	uint64_t end_ns;      /* the latest reply so far */
	uint64_t ops;         /* given to the format */
	uint32_t trace;       /* number of the trace that is read: ids of files are unique in one */
	const char *stop;     /* set by a format that wants no more: why */
	struct bytes scratch; /* for names */
	struct export_note notes[EXPORT_NOTES];
	size_t note_count;
	uint64_t left_out[OP_KINDS]; /* operations that the format has no word for */
	struct {
		char *name;
		char *value;
	} properties[EXPORT_PROPERTIES];
	size_t property_count;
};

/* Each returns 0 or -errno; errors of the output are the command's to look for. */
struct export_format {
	int (*begin)(struct export *export);
	int (*op)(struct export *export, const struct trace_event *event);
	int (*mark)(struct export *export, const struct trace_event *event); /* may be NULL */
	int (*end)(struct export *export);
	void (*done)(struct export *export); /* frees the state, also after a failure */
};

#define X(id, name, blanks, binary, help) extern const struct export_format export_##id;
EXPORT_TABLE(X)
#undef X

/* The format with a name, or NULL; *ret_binary says whether it is none for a terminal. */
const struct export_format *export_find(const char *name, bool *ret_binary);

void export_done(struct export *export);
/* Gives one event to the format. Returns 0 or -errno. */
int export_event(struct export *export, const struct export_format *format,
		 const struct trace_event *event);

/* Counts something that did not come through as it was; text is a static string. */
void export_note(struct export *export, const char *text, uint64_t count);

/* The last value of a property of the trace, or NULL. */
const char *export_property(const struct export *export, const char *name);
/* What was traced, for titles: the mount point, else the name of the file. */
const char *export_title(const struct export *export);

/* --- for the formats ------------------------------------------------------------------------ */

/* When the reply was sent; what has none (forget, imported ones) ends with its last stamp. */
uint64_t export_op_end(const struct op *op);
/* Did somebody wait for it? Not for a forget, nor where no end is known; those are noted. */
bool export_was_awaited(struct export *export, const struct op *op);
/* The first duration of the options' mask. */
enum duration export_duration(const struct export *export, enum duration otherwise);
/* Punching a hole, which other tools call a trim or discard. */
bool export_is_trim(const struct trace_op *op);

/* Bytes of any length. */
void export_put(struct outbuf *out, const void *data, size_t len);
/* Microseconds with three decimals: 1000.250 */
void export_us(struct outbuf *out, uint64_t ns);

/*
 * A name as valid UTF-8 that the bytes can be had back from, as weir prints names everywhere: a
 * backslash as two; controls, marks that turn text, and what is no UTF-8 as \xNN. In *scratch,
 * until the next call; short only when memory is.
 */
struct trace_bytes export_text(struct bytes *scratch, struct trace_bytes name);
/* The path of the event's file: "?" when there is none. */
struct trace_bytes export_path(struct export *export, const struct trace_event *event);
/* The name of the thread, without its padding. */
struct trace_bytes export_comm(const struct trace_op *op);

#endif
