// SPDX-License-Identifier: GPL-2.0-or-later
/* A histogram that starts as a list of its few values. */
#include "config.h"

#include "core/small_hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(((HIST_VALUE_BITS - HIST_FILE_BITS + 1) << HIST_FILE_BITS) <= 256,
	       "bucket numbers fit a byte");

void small_hist_done(struct small_hist *hist)
{
	free(hist->full);
	memset(hist, 0, sizeof(*hist));
}

/* The slot of a bucket, or a free one; NULL when it has to grow. */
static uint16_t *slot_of(struct small_hist *hist, uint8_t bucket)
{
	for (int i = 0; i < SMALL_HIST_SLOTS; i++) {
		if (!hist->count[i])
			hist->bucket[i] = bucket;
		if (hist->bucket[i] == bucket)
			return hist->count[i] < UINT16_MAX ? &hist->count[i] : NULL;
	}
	return NULL;
}

static int grow(struct small_hist *hist)
{
	struct hist *full = hist_new(HIST_FILE_BITS);

	if (!full)
		return -ENOMEM;
	small_hist_merge(full, hist);
	hist->full = full;
	return 0;
}

int small_hist_record(struct small_hist *hist, uint64_t value)
{
	uint16_t *slot;

	if (!hist->full) {
		slot = slot_of(hist, (uint8_t)hist_index(HIST_FILE_BITS, value));
		if (!slot && grow(hist))
			return -ENOMEM;
		if (slot) {
			bool first = !small_hist_count(hist);

			++*slot;
			hist->sum += value;
			hist->min = first || value < hist->min ? value : hist->min;
			hist->max = first || value > hist->max ? value : hist->max;
			return 0;
		}
	}
	hist_record(hist->full, value);
	return 0;
}

uint64_t small_hist_count(const struct small_hist *hist)
{
	uint64_t count = 0;

	if (hist->full)
		return hist->full->count;
	for (int i = 0; i < SMALL_HIST_SLOTS; i++)
		count += hist->count[i];
	return count;
}

void small_hist_merge(struct hist *into, const struct small_hist *from)
{
	if (from->full) {
		hist_merge(into, from->full);
		return;
	}
	if (!small_hist_count(from))
		return;
	for (int i = 0; i < SMALL_HIST_SLOTS; i++) {
		if (from->count[i])
			hist_add(into, from->bucket[i], from->count[i]);
	}
	into->sum += from->sum;
	into->min = from->min < into->min ? from->min : into->min;
	into->max = from->max > into->max ? from->max : into->max;
}
