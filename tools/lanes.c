// SPDX-License-Identifier: GPL-2.0-or-later
/* Best fit over lanes that are sorted by their end. */
#include "config.h"

#include "tools/lanes.h"

#include <stdlib.h>
#include <string.h>

#define LANES_MAX (UINT32_C(1) << 24)

void lanes_done(struct lanes *lanes)
{
	free(lanes->lane);
	*lanes = (struct lanes){0};
}

/* How many lanes end at or before the moment. */
static uint32_t free_at(const struct lanes *lanes, uint64_t ns)
{
	uint32_t low = 0, high = lanes->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (lanes->lane[middle].end_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int open_lane(struct lanes *lanes)
{
	if (lanes->count == lanes->room) {
		uint32_t room = lanes->room ? lanes->room * 2 : 4;
		void *grown = room > LANES_MAX
				      ? NULL
				      : realloc(lanes->lane, room * sizeof(lanes->lane[0]));

		if (!grown)
			return -1;
		lanes->lane = grown;
		lanes->room = room;
	}
	memmove(lanes->lane + 1, lanes->lane, lanes->count * sizeof(lanes->lane[0]));
	lanes->count++;
	lanes->lane[0] = (struct lane){0, lanes->count};
	return 0;
}

uint32_t lanes_take(struct lanes *lanes, uint64_t start_ns, uint64_t end_ns)
{
	uint32_t from = free_at(lanes, start_ns), to;
	struct lane lane;

	if (!from) {
		if (open_lane(lanes))
			return 0;
		from = 1;
	}
	lane = lanes->lane[from - 1];
	lane.end_ns = end_ns;
	to = free_at(lanes, end_ns);
	if (to < from)
		to = from;
	memmove(&lanes->lane[from - 1], &lanes->lane[from], (to - from) * sizeof(lanes->lane[0]));
	lanes->lane[to - 1] = lane;
	return lane.number;
}
