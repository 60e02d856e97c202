/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing anew what was read: one trace out of the events of one or several, with ids that can't
 * collide, paths kept apart and one clock.
 */
#ifndef TOOLS_REWRITE_H
#define TOOLS_REWRITE_H

#include "core/bytes.h"
#include "tools/input.h"
#include "trace/part.h"

/* One trace that is read. */
struct stream {
	struct input *input;
	const char *label; /* goes before every path; "" = nothing */
	uint64_t index;    /* among the streams */
	int64_t offset_ns; /* added to its wall clock */
	uint64_t blocks;   /* input_blocks() when its files were defined last */
	uint64_t read[OP_KINDS];
	const struct trace_event *event; /* the next one; NULL at the end */
};

struct rewrite {
	struct trace_writer *writer;
	struct part part;
	int fd;
	char *path;         /* of a file that was made, or NULL */
	uint64_t streams;   /* how many there are: one alone keeps its ids and its clock */
	uint64_t base_ns;   /* several: what stamps are counted from, on the wall clock */
	uint64_t ops;       /* written */
	uint64_t clamped;   /* stamps that were before the base */
	uint64_t summaries; /* left out: they are of one mount */
	struct bytes room;  /* for a path */
	struct bytes name;  /* for texts */
	struct bytes value;
};

/*
 * Makes the file (it must not exist; "-" is the standard output) for a trace with that id.
 * base_ns: see above; of one stream, the offset of its wall clock. Returns 0 or -errno with diag.
 */
int rewrite_open(struct rewrite *rewrite, const char *path, const uint8_t id[TRACE_ID],
		 uint64_t streams, uint64_t base_ns, struct diag *diag);

/* Writes the stream's event. Returns 0 or -errno. */
int rewrite_event(struct rewrite *rewrite, struct stream *stream);

/* Makes the writer forget files that are long unused. */
int rewrite_age(struct rewrite *rewrite, struct stream *const *streams, size_t count);

/*
 * Adds what the stream's recorder lost and left out, and what is known to be missing. Returns how
 * many operations that is.
 */
uint64_t rewrite_losses(struct rewrite *rewrite, const struct stream *stream);

/* A mark at the time of the last event. */
int rewrite_mark(struct rewrite *rewrite, uint64_t mono_ns, const char *name, const char *text);

/* Ends the trace, in order or not: what was made of it is then removed. 0 or -errno. */
int rewrite_close(struct rewrite *rewrite, int err);

#endif
