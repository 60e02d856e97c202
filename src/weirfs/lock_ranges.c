// SPDX-License-Identifier: GPL-2.0-or-later
/* Byte ranges of one lock owner: a list in no order, without overlaps. */
#include "config.h"

#include "weirfs/lock_ranges.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

struct lock_range {
	struct lock_range *next;
	uint64_t first;
	uint64_t last; /* inclusive; INT64_MAX = to the end of the file, however long */
	short type;
};

static void bounds(const struct flock *lock, uint64_t *ret_first, uint64_t *ret_last)
{
	*ret_first = (uint64_t)lock->l_start;
	*ret_last = lock->l_len ? (uint64_t)lock->l_start + (uint64_t)lock->l_len - 1 : INT64_MAX;
}

static bool overlaps(const struct lock_range *range, uint64_t first, uint64_t last)
{
	return range->first <= last && first <= range->last;
}

static int add(struct lock_range **ranges, uint64_t first, uint64_t last, short type)
{
	struct lock_range *range = malloc(sizeof(*range));

	if (!range)
		return -ENOLCK;
	*range = (struct lock_range){*ranges, first, last, type};
	*ranges = range;
	return 0;
}

/* Takes [first, last] out of a range; what is left behind it becomes a range of its own. */
static int cut(struct lock_range **ranges, struct lock_range **slot, uint64_t first, uint64_t last)
{
	struct lock_range *range = *slot;
	uint64_t end = range->last;

	if (range->first >= first && end <= last) {
		*slot = range->next;
		free(range);
		return 0;
	}
	if (range->first >= first) {
		range->first = last + 1;
		return 0;
	}
	range->last = first - 1;
	return end > last ? add(ranges, last + 1, end, range->type) : 0;
}

int lock_ranges_set(struct lock_range **ranges, const struct flock *lock)
{
	struct lock_range **slot = ranges;
	uint64_t first, last;
	int err = 0;

	bounds(lock, &first, &last);
	while (*slot && !err) {
		struct lock_range *range = *slot;

		if (!overlaps(range, first, last)) {
			slot = &range->next;
			continue;
		}
		err = cut(ranges, slot, first, last);
		/* A split adds at the head, and the slot may have been the head. */
		slot = ranges;
	}
	if (!err && lock->l_type != F_UNLCK)
		err = add(ranges, first, last, lock->l_type);
	return err;
}

bool lock_ranges_conflict(const struct lock_range *ranges, const struct flock *want)
{
	uint64_t first, last;

	bounds(want, &first, &last);
	for (; ranges; ranges = ranges->next) {
		if (overlaps(ranges, first, last) &&
		    (ranges->type == F_WRLCK || want->l_type == F_WRLCK))
			return true;
	}
	return false;
}

void lock_ranges_free(struct lock_range *ranges)
{
	while (ranges) {
		struct lock_range *next = ranges->next;

		free(ranges);
		ranges = next;
	}
}
