/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a fold that are about files: their table, and where each was read or written last.
 */
#ifndef TOOLS_FOLD_FILES_H
#define TOOLS_FOLD_FILES_H

#include "core/file_counts.h"
#include "trace/event.h"

/* A bounded table by file id; rows of least time go to "(other)" when it is full. */
struct fold_files {
	struct fold_row **row;
	uint32_t *slot; /* index + 1 of a row by hash of its id; 0 = free */
	uint32_t slots; /* a power of two */
	uint32_t room;
	uint32_t used;
	uint32_t hand;
	struct file_summary other;
};

/* Return 0 or -ENOMEM. */
int fold_files_init(struct fold_files *files, uint32_t room);
int fold_files_record(struct fold_files *files, const struct trace_event *event,
		      const uint64_t duration_ns[DURATIONS], bool sequential);
/* Adds the `most` rows of largest time to a summary, then "(other)". */
int fold_files_sum(const struct fold_files *files, size_t most, struct summary *summary);
void fold_files_done(struct fold_files *files);
void fold_files_reset(struct fold_files *files);

/* Where the next sequential read or write of each open file would begin. */
struct fold_places {
	struct fold_place *place;
	size_t slots; /* a power of two */
	size_t used;
};

int fold_places_init(struct fold_places *places);
/* Notes the operation; returns whether it began where the one before of its handle ended. */
bool fold_places_note(struct fold_places *places, const struct trace_op *op);
void fold_places_done(struct fold_places *places);

#endif
