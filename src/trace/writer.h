/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a trace: gathers operations into blocks, compresses each into a zstd frame of its own and
 * gives the frames to a sink. One thread at a time.
 */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include "trace/event.h"

#define TRACE_ID 16

/* One frame, as the sink gets it. */
struct trace_frame {
	const void *data;
	size_t len;
	size_t content;  /* bytes when decompressed */
	uint32_t number; /* of the block */
	uint32_t ops;
	uint64_t first_ns; /* least arrive_ns and greatest stamp of its operations; 0 = none */
	uint64_t last_ns;
	uint64_t wall_offset_ns;
};

/* Takes a frame whole or not at all: 0 or -errno. */
typedef int (*trace_sink)(void *arg, const struct trace_frame *frame);

struct trace_writer_options {
	uint8_t id[TRACE_ID];    /* of the trace: the same in all parts */
	uint64_t wall_offset_ns; /* wall clock minus CLOCK_MONOTONIC (or the clock of the stamps) */
	int level;               /* of zstd; 0 = 1 */
	size_t block_bytes;      /* a block is closed at this content; 0 = 1 MiB */
	/* Of one that goes on behind blocks of another writer: the next number, and what was
	 * before. */
	uint32_t number;
	const struct trace_counts *counts; /* copied; NULL = none */
};

struct trace_writer;

/* Returns 0 or -ENOMEM. */
int trace_writer_new(const struct trace_writer_options *options, trace_sink sink, void *sink_arg,
		     struct trace_writer **ret_writer);
/* Frees it; what was not flushed is gone (and counted by nobody). */
void trace_writer_free(struct trace_writer *writer);

/* A new random id. */
void trace_new_id(uint8_t ret_id[TRACE_ID]);

/*
 * Each of these adds to the block and closes it when it is full. They return 0, -ENOMEM, or what
 * the sink returned: then the block's operations are gone, and counted as dropped.
 */

/* Defines a file, or defines it anew. It is remembered until trace_writer_age() forgets it. */
int trace_write_file(struct trace_writer *writer, const struct trace_file *file);
/* Operations refer to files that were defined; others get a definition with the path "?". */
int trace_write_op(struct trace_writer *writer, const struct trace_op *op);
int trace_write_handle(struct trace_writer *writer, const struct trace_handle *handle);
int trace_write_property(struct trace_writer *writer, const char *name, const char *value);
int trace_write_mark(struct trace_writer *writer, uint64_t mono_ns, const char *name,
		     const char *text);
/* A snapshot as snapshot_encode() makes it. */
int trace_write_summary(struct trace_writer *writer, const void *data, size_t len);
/* The clock was set, or drifted: stamps from now on have this offset. Closes the block. */
int trace_write_clock(struct trace_writer *writer, uint64_t wall_offset_ns);

/* Counts operations that never came here. */
void trace_writer_dropped(struct trace_writer *writer, unsigned int kind, uint64_t n);
void trace_writer_filtered(struct trace_writer *writer, unsigned int kind, uint64_t n);
/* Operations of blocks that the sink had taken are gone after all: they count as dropped now. */
void trace_writer_lost(struct trace_writer *writer, unsigned int kind, uint64_t n);
const struct trace_counts *trace_writer_counts(const struct trace_writer *writer);

/* Forgets files neither defined nor used since the call before the last. */
void trace_writer_age(struct trace_writer *writer);

/* Closes the block, if there is anything in it. */
int trace_writer_flush(struct trace_writer *writer);
/* Closes the block with the counts and the mark that this is the end. */
int trace_writer_end(struct trace_writer *writer);

#endif
