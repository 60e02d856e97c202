/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace file (or pipe) being written: a sink of frames that keeps their index, and writes it and
 * the zstd seek table at the end.
 */
#ifndef TRACE_PART_H
#define TRACE_PART_H

#include "trace/writer.h"

struct part_entry;

struct part {
	int fd;         /* the caller's */
	uint64_t bytes; /* written */
	bool can_cut;   /* a regular file: a frame that did not fit is cut off again */
	struct part_entry *entries;
	size_t count;
	size_t room;
};

/* Begins at the descriptor's present position, which must be the file's end. */
void part_init(struct part *part, int fd);
/* Frees the index; the descriptor stays open. */
void part_done(struct part *part);

/* A trace_sink, arg is the part. Returns 0 or -errno; nothing of a frame that failed remains. */
int part_sink(void *arg, const struct trace_frame *frame);

/* Writes index and seek table. Returns 0 or -errno. */
int part_finish(struct part *part);

#endif
