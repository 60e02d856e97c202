/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is counted for one file while its operations end: the row of the daemon's table of files,
 * and of the table that a trace is folded into.
 */
#ifndef CORE_FILE_COUNTS_H
#define CORE_FILE_COUNTS_H

#include "core/small_hist.h"
#include "core/summary.h"

struct class_counts {
	uint64_t ops;
	uint64_t errors;
	uint64_t bytes;
	struct small_hist dur[DURATIONS];
};

struct file_counts {
	uint64_t time_ns;  /* total, over all classes */
	uint64_t first_ns; /* arrival of the first operation, 0 = there was none */
	uint64_t last_ns;  /* end of the last */
	uint64_t sequential;
	uint64_t opens;
	uint32_t size[SUMMARY_SIZE_BUCKETS];
	struct class_counts *class[OP_CLASSES];
};

/* Empties it and frees what it holds; all-zero bytes are an empty one. */
void file_counts_clear(struct file_counts *counts);

/*
 * Counts a finished operation. sequential: it began where the one before ended. time_ns may be
 * looked at meanwhile (relaxed). Returns 0, or -ENOMEM: then it is counted in part.
 */
int file_counts_record(struct file_counts *counts, const struct op *op,
		       const uint64_t duration_ns[DURATIONS], bool sequential);

/* Adds it to a row of a summary, as one file more. Returns 0 or -ENOMEM. */
int file_counts_sum(struct file_summary *into, const struct file_counts *from);

#endif
