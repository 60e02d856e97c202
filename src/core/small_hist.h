/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of HIST_FILE_BITS that costs as much as the values it has seen differ: a few slots in
 * place, then a list on the heap, then a full one. Most files see a handful of operations, and
 * there are many files.
 */
#ifndef CORE_SMALL_HIST_H
#define CORE_SMALL_HIST_H

#include "core/hist.h"

#define SMALL_HIST_SLOTS 6 /* in place */
#define SMALL_HIST_LIST 48 /* further ones, on the heap */

struct small_hist_slot {
	uint8_t bucket;
	uint8_t count[3]; /* little-endian; 0 = the slot is free */
};

struct small_hist {
	uint64_t sum;
	uint64_t min; /* meaningless while empty */
	uint64_t max;
	struct hist *full;            /* once it has grown that far */
	struct small_hist_slot *list; /* SMALL_HIST_LIST slots, or NULL */
	struct small_hist_slot slot[SMALL_HIST_SLOTS];
};

/* All-zero bytes are an empty one. */
void small_hist_done(struct small_hist *hist);
/* Returns 0, or -ENOMEM when it had to grow and could not: the value is then not counted. */
int small_hist_record(struct small_hist *hist, uint64_t value);
uint64_t small_hist_count(const struct small_hist *hist);
/* Adds it to a full one of the same geometry. */
void small_hist_merge(struct hist *into, const struct small_hist *from);

#endif
