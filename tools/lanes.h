/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lanes on which slices of time don't overlap: viewers of traces draw one row a lane.
 *
 * Slices come in the order in which they end, or nearly. Each goes to the lane that was busy last
 * of those that are free when it begins; when none is, a new one opens.
 */
#ifndef TOOLS_LANES_H
#define TOOLS_LANES_H

#include <stddef.h>
#include <stdint.h>

struct lane {
	uint64_t end_ns;
	uint32_t number; /* from 1, in the order of opening */
};

struct lanes {
	struct lane *lane; /* by end */
	uint32_t count;
	uint32_t room;
};

void lanes_done(struct lanes *lanes);
/* Takes a lane from start to end. Returns its number, or 0 when memory is short. */
uint32_t lanes_take(struct lanes *lanes, uint64_t start_ns, uint64_t end_ns);

#endif
