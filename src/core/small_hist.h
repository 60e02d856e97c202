/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of HIST_FILE_BITS that costs 56 bytes while it holds few distinct values, and grows
 * into a full one when it has to: most files see a handful of operations.
 */
#ifndef CORE_SMALL_HIST_H
#define CORE_SMALL_HIST_H

#include "core/hist.h"

#define SMALL_HIST_SLOTS 8

struct small_hist {
	uint64_t sum;
	uint64_t min; /* meaningless while empty */
	uint64_t max;
	struct hist *full; /* once it has grown */
	uint16_t count[SMALL_HIST_SLOTS];
	uint8_t bucket[SMALL_HIST_SLOTS]; /* slots with a count of 0 are free */
};

/* All-zero bytes are an empty one. */
void small_hist_done(struct small_hist *hist);
/* Returns 0, or -ENOMEM when it had to grow and could not: the value is then not counted. */
int small_hist_record(struct small_hist *hist, uint64_t value);
uint64_t small_hist_count(const struct small_hist *hist);
/* Adds it to a full one of the same geometry. */
void small_hist_merge(struct hist *into, const struct small_hist *from);

#endif
