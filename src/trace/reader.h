/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads traces: frame by frame from a file or pipe, in bounded memory, trusting nothing.
 *
 * What is damaged is passed over and counted; everything that is whole is given. Several traces
 * one after the other (cat a b) read as one.
 */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "core/diag.h"
#include "trace/event.h"
#include "trace/writer.h"

struct trace_reader;

/* What was passed over, and what was seen; grows while reading. */
struct trace_damage {
	uint64_t bytes;          /* of the file that belong to no whole block */
	uint64_t places;         /* where that was: runs of bytes */
	uint64_t first_offset;   /* of the first such place */
	uint64_t unknown_ops;    /* of kinds that only a newer writer knows */
	uint64_t blocks_missing; /* by the numbers of the blocks */
	bool torn;  /* the file ends in the middle of a frame, or without the end record */
	bool ended; /* the end record was seen last */
};

struct trace_position {
	uint64_t offset;  /* bytes of the file read */
	uint64_t size;    /* of the file, 0 = unknown */
	uint64_t blocks;  /* decoded */
	uint64_t content; /* bytes, decompressed */
	uint64_t ops;
};

/*
 * Begins to read; the descriptor stays the caller's. diag (kept for the errors of trace_read())
 * names the input. Returns 0, -EPROTO (not a trace: diag says so), -EPROTONOSUPPORT (a newer major
 * version), -ENOMEM or -errno of reading.
 */
int trace_reader_new(int fd, struct diag *diag, struct trace_reader **ret_reader);
void trace_reader_free(struct trace_reader *reader);

/*
 * Only operations that arrived in [from_ns, to_ns) of the wall clock are given; blocks outside
 * are skipped unread where the file has its index. Before the first trace_read().
 */
void trace_reader_window(struct trace_reader *reader, uint64_t from_ns, uint64_t to_ns);

/* The next event. Returns 1, 0 at the end, or -errno (of reading; -ENOMEM). */
int trace_read(struct trace_reader *reader, const struct trace_event **ret_event);
/* Reading goes on behind the end of the file, for one that still grows: 0 is no end then. */
void trace_reader_follow(struct trace_reader *reader);

/* The definition of a file id in the block of the last event, or NULL. */
const struct trace_file *trace_reader_file(const struct trace_reader *reader, uint64_t id);
/* All definitions of that block, those of an id that is defined anew too. Returns how many. */
size_t trace_reader_files(const struct trace_reader *reader, const struct trace_file **ret_files);
const uint8_t *trace_reader_id(const struct trace_reader *reader);
void trace_reader_damage(const struct trace_reader *reader, struct trace_damage *ret_damage);
void trace_reader_position(const struct trace_reader *reader, struct trace_position *ret_position);

#endif
