// SPDX-License-Identifier: GPL-2.0-or-later
/* A binary heap of stamps, its least first. */
#include "config.h"

#include "tools/inflight.h"

#include <errno.h>
#include <stdlib.h>

#define NO_SLOT UINT64_MAX

int inflight_init(struct inflight *inflight, size_t waiting)
{
	*inflight = (struct inflight){.slot = NO_SLOT, .said = -1, .waiting = waiting};
	inflight->heap = malloc((waiting + 2) * sizeof(inflight->heap[0]));
	return inflight->heap ? 0 : -ENOMEM;
}

void inflight_done(struct inflight *inflight)
{
	free(inflight->heap);
	inflight->heap = NULL;
}

static void push(struct inflight *inflight, uint64_t key)
{
	size_t at = inflight->count++, parent;

	for (; at; at = parent) {
		parent = (at - 1) / 2;
		if (inflight->heap[parent] <= key)
			break;
		inflight->heap[at] = inflight->heap[parent];
	}
	inflight->heap[at] = key;
}

static uint64_t pop(struct inflight *inflight)
{
	uint64_t least = inflight->heap[0], key = inflight->heap[--inflight->count];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < inflight->count; at = child) {
		if (child + 1 < inflight->count &&
		    inflight->heap[child + 1] < inflight->heap[child])
			child++;
		if (inflight->heap[child] >= key)
			break;
		inflight->heap[at] = inflight->heap[child];
	}
	inflight->heap[at] = key;
	return least;
}

void inflight_add(struct inflight *inflight, uint64_t start_ns, uint64_t end_ns)
{
	/* What took no time at all is seen for a nanosecond. */
	if (end_ns <= start_ns)
		end_ns = start_ns + 1;
	push(inflight, start_ns * 2 + 1);
	push(inflight, end_ns * 2);
}

bool inflight_next(struct inflight *inflight, bool all, uint64_t *ret_ns, bool *ret_arrival,
		   uint64_t *ret_depth)
{
	uint64_t key;

	if (!inflight->count || (!all && inflight->count <= inflight->waiting))
		return false;
	key = pop(inflight);
	inflight->depth += key & 1 ? 1 : -1;
	*ret_ns = key / 2;
	*ret_arrival = key & 1;
	/* An end may come out before an arrival that was too late for the heap. */
	*ret_depth = inflight->depth > 0 ? (uint64_t)inflight->depth : 0;
	return true;
}

static void queue_sample(struct inflight *inflight, uint64_t slot, int64_t depth)
{
	inflight->queued[inflight->queue_count].slot = slot;
	inflight->queued[inflight->queue_count++].depth = depth > 0 ? depth : 0;
}

/* A change of depth: samples are due when it belongs to a later slot than the open one. */
static void take_change(struct inflight *inflight, uint64_t slot, int64_t before)
{
	int64_t higher = inflight->depth > before ? inflight->depth : before;

	if (inflight->slot != NO_SLOT && slot <= inflight->slot) {
		if (higher > inflight->slot_depth)
			inflight->slot_depth = higher;
		return;
	}
	if (inflight->slot != NO_SLOT) {
		queue_sample(inflight, inflight->slot, inflight->slot_depth);
		if (slot > inflight->slot + 1)
			queue_sample(inflight, inflight->slot + 1, before);
	}
	inflight->slot = slot;
	inflight->slot_depth = higher;
}

/* The end: the open slot, and nothing is under way after it. */
static void take_end(struct inflight *inflight)
{
	queue_sample(inflight, inflight->slot, inflight->slot_depth);
	queue_sample(inflight, inflight->slot + 1, inflight->depth);
	inflight->slot = NO_SLOT;
}

bool inflight_sample(struct inflight *inflight, bool all, uint64_t slot_ns, uint64_t *ret_ns,
		     uint64_t *ret_depth)
{
	uint64_t ns, depth;
	bool arrival;

	for (;;) {
		while (inflight->queue_at < inflight->queue_count) {
			size_t at = inflight->queue_at++;

			if (inflight->queued[at].depth == inflight->said)
				continue;
			inflight->said = inflight->queued[at].depth;
			*ret_ns = inflight->queued[at].slot * slot_ns;
			*ret_depth = (uint64_t)inflight->said;
			return true;
		}
		inflight->queue_at = inflight->queue_count = 0;
		if (inflight_next(inflight, all, &ns, &arrival, &depth))
			take_change(inflight, ns / slot_ns, inflight->depth - (arrival ? 1 : -1));
		else if (all && inflight->slot != NO_SLOT)
			take_end(inflight);
		else
			return false;
	}
}
