// SPDX-License-Identifier: GPL-2.0-or-later
/* A histogram that grows with what it holds: slots, a list of slots, a full one. */
#include "config.h"

#include "core/small_hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_MAX ((1u << 24) - 1)

_Static_assert(((HIST_VALUE_BITS - HIST_FILE_BITS + 1) << HIST_FILE_BITS) <= 256,
	       "bucket numbers fit a byte");

void small_hist_done(struct small_hist *hist)
{
	free(hist->full);
	free(hist->list);
	memset(hist, 0, sizeof(*hist));
}

static uint32_t get(const struct small_hist_slot *slot)
{
	return slot->count[0] | (uint32_t)slot->count[1] << 8 | (uint32_t)slot->count[2] << 16;
}

static void put(struct small_hist_slot *slot, uint32_t count)
{
	slot->count[0] = (uint8_t)count;
	slot->count[1] = (uint8_t)(count >> 8);
	slot->count[2] = (uint8_t)(count >> 16);
}

/* Slot i, first those in place, then the list's; NULL after the last. */
static struct small_hist_slot *slot_at(const struct small_hist *hist, int i)
{
	if (i < SMALL_HIST_SLOTS)
		return (struct small_hist_slot *)(uintptr_t)&hist->slot[i];
	i -= SMALL_HIST_SLOTS;
	return hist->list && i < SMALL_HIST_LIST ? &hist->list[i] : NULL;
}

/* Counts one in the bucket's slot or a free one. Returns false when there is none. */
static bool count_in_slot(struct small_hist *hist, uint8_t bucket)
{
	struct small_hist_slot *slot;

	for (int i = 0; (slot = slot_at(hist, i)); i++) {
		uint32_t count = get(slot);

		if (!count)
			slot->bucket = bucket;
		if (slot->bucket != bucket)
			continue;
		if (count == SLOT_MAX)
			return false;
		put(slot, count + 1);
		return true;
	}
	return false;
}

/* The next size: a list, then a full one. */
static int grow(struct small_hist *hist)
{
	struct hist *full;

	if (!hist->list) {
		hist->list = calloc(SMALL_HIST_LIST, sizeof(*hist->list));
		return hist->list ? 0 : -ENOMEM;
	}
	full = hist_new(HIST_FILE_BITS);
	if (!full)
		return -ENOMEM;
	small_hist_merge(full, hist);
	hist->full = full;
	free(hist->list);
	hist->list = NULL;
	return 0;
}

static void keep_sums(struct small_hist *hist, uint64_t value, bool first)
{
	hist->sum += value;
	hist->min = first || value < hist->min ? value : hist->min;
	hist->max = first || value > hist->max ? value : hist->max;
}

int small_hist_record(struct small_hist *hist, uint64_t value)
{
	uint8_t bucket = (uint8_t)hist_index(HIST_FILE_BITS, value);
	bool first = !hist->full && !get(&hist->slot[0]);

	while (!hist->full) {
		if (count_in_slot(hist, bucket)) {
			keep_sums(hist, value, first);
			return 0;
		}
		if (grow(hist))
			return -ENOMEM;
	}
	hist_record(hist->full, value);
	return 0;
}

uint64_t small_hist_count(const struct small_hist *hist)
{
	const struct small_hist_slot *slot;
	uint64_t count = 0;

	if (hist->full)
		return hist->full->count;
	for (int i = 0; (slot = slot_at(hist, i)); i++)
		count += get(slot);
	return count;
}

void small_hist_merge(struct hist *into, const struct small_hist *from)
{
	const struct small_hist_slot *slot;

	if (from->full) {
		hist_merge(into, from->full);
		return;
	}
	if (!small_hist_count(from))
		return;
	for (int i = 0; (slot = slot_at(from, i)); i++) {
		if (get(slot))
			hist_add(into, slot->bucket, get(slot));
	}
	into->sum += from->sum;
	into->min = from->min < into->min ? from->min : into->min;
	into->max = from->max > into->max ? from->max : into->max;
}
