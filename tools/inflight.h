/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many operations were under way at a time, from operations in the order of their ends:
 * arrivals and ends wait in a bounded heap until they can be taken in the order of time.
 */
#ifndef TOOLS_INFLIGHT_H
#define TOOLS_INFLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inflight {
	uint64_t *heap; /* twice the time, one more for arrivals: ends come first */
	size_t count;
	size_t waiting;
	int64_t depth;
	/* Of inflight_sample(): the open slot and its highest depth, what was said last, what is to
	 * be. */
	uint64_t slot;
	int64_t slot_depth;
	int64_t said;
	struct {
		uint64_t slot;
		int64_t depth;
	} queued[2];
	size_t queue_count;
	size_t queue_at;
};

/* So many stamps wait for earlier ones (8 bytes each). Returns 0 or -ENOMEM. */
int inflight_init(struct inflight *inflight, size_t waiting);
void inflight_done(struct inflight *inflight);

/* One operation. To be followed by inflight_next() until it returns false. */
void inflight_add(struct inflight *inflight, uint64_t start_ns, uint64_t end_ns);

/*
 * The next change in the order of time: the depth from then on, and whether it is an arrival.
 * Until `all`, only what needn't wait for others. Returns false when there is none.
 */
bool inflight_next(struct inflight *inflight, bool all, uint64_t *ret_ns, bool *ret_arrival,
		   uint64_t *ret_depth);

/*
 * The same in slots of a fixed length: where each begins and the greatest depth in it, if that is
 * another than in the one before.
 */
bool inflight_sample(struct inflight *inflight, bool all, uint64_t slot_ns, uint64_t *ret_ns,
		     uint64_t *ret_depth);

#endif
