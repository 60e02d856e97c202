/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file table: a row of histograms and counts for each file that was used, by class.
 *
 * A row belongs to an inode (all names of it) and outlives its descriptors, its last name and the
 * kernel's interest. There are at most `room` rows; when a new file comes, the one of least time
 * among a few is folded into the row "(other)", so that the sums stay exact.
 */
#ifndef WEIRFS_FILES_H
#define WEIRFS_FILES_H

#include <pthread.h>
#include <stdint.h>

#include "core/op.h"
#include "core/summary.h"
#include "weirfs/tree.h"

struct files {
	struct tree *tree;
	pthread_mutex_t lock; /* rows, used, other; taken before a row's lock */
	struct file_stats **row;
	uint32_t room;
	uint32_t used;
	uint32_t hand;
	uint64_t epoch;   /* counts resets: rows of an older one are empty */
	uint64_t evicted; /* rows folded since the last reset */
	uint64_t lost;    /* values that no memory was left for */
	struct file_summary other;
};

/* Returns 0 or -ENOMEM. */
int files_init(struct files *files, struct tree *tree, uint32_t room);
void files_done(struct files *files);

/*
 * Counts a finished operation on the inode. sequential: it began where the one before ended.
 * The caller holds a reference on the inode.
 */
void files_record(struct files *files, struct inode *inode, const struct op *op,
		  const uint64_t duration_ns[DURATIONS], bool sequential);
/* How many rows there are, and how many had to go since the last reset. */
void files_count(struct files *files, uint32_t *ret_used, uint64_t *ret_evicted);
void files_reset(struct files *files);
/*
 * Adds rows to a summary: the `most` rows of largest total time, then "(other)" with the rest that
 * is not listed and what was folded. Returns 0 or -ENOMEM.
 */
int files_sum(struct files *files, struct summary *summary, uint64_t most);

#endif
