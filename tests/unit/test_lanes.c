// SPDX-License-Identifier: GPL-2.0-or-later
/* Lanes never hold two things at a time; the number of operations in flight is what it was. */
#include "config.h"

#include "test.h"

#include <stdlib.h>

#include "core/rng.h"
#include "tools/inflight.h"
#include "tools/lanes.h"

#define SLICES 2000

struct span {
	uint64_t start_ns;
	uint64_t end_ns;
	uint32_t lane;
};

static int by_end(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static void make_spans(struct span spans[SLICES], uint64_t seed)
{
	struct rng rng = {.state = seed};

	for (size_t i = 0; i < SLICES; i++) {
		spans[i].start_ns = rng_below(&rng, 100000);
		spans[i].end_ns = spans[i].start_ns + rng_below(&rng, i % 50 ? 300 : 20000);
	}
	qsort(spans, SLICES, sizeof(spans[0]), by_end);
}

static uint64_t depth_at(const struct span spans[SLICES], uint64_t ns)
{
	uint64_t depth = 0;

	for (size_t i = 0; i < SLICES; i++)
		depth += spans[i].start_ns <= ns && ns < spans[i].end_ns;
	return depth;
}

static void lanes_do_not_overlap(void **state)
{
	struct span *spans = calloc(SLICES, sizeof(*spans));
	struct lanes lanes = {0};
	uint64_t most = 0;

	assert_non_null(spans);
	make_spans(spans, 1);
	for (size_t i = 0; i < SLICES; i++) {
		uint64_t depth = depth_at(spans, spans[i].start_ns);

		most = depth > most ? depth : most;
		spans[i].lane = lanes_take(&lanes, spans[i].start_ns, spans[i].end_ns);
		assert_in_range(spans[i].lane, 1, lanes.count);
	}
	for (size_t i = 0; i < SLICES; i++) {
		for (size_t j = 0; j < i; j++) {
			if (spans[i].lane == spans[j].lane)
				assert_true(spans[j].end_ns <= spans[i].start_ns ||
					    spans[i].end_ns <= spans[j].start_ns);
		}
	}
	/* No more lanes than needed, or nearly: long slices come after short ones. */
	assert_in_range(lanes.count, most, 2 * most + 2);
	lanes_done(&lanes);
	free(spans);
}

static void free_lanes_are_used_again(void **state)
{
	struct lanes lanes = {0};

	assert_int_equal(lanes_take(&lanes, 0, 10), 1);
	assert_int_equal(lanes_take(&lanes, 10, 20), 1);
	assert_int_equal(lanes_take(&lanes, 15, 25), 2);
	assert_int_equal(lanes_take(&lanes, 22, 30), 1);
	/* The one that was busy last. */
	assert_int_equal(lanes_take(&lanes, 40, 41), 1);
	assert_int_equal(lanes_take(&lanes, 30, 42), 2);
	/* What ends before others that were placed. */
	assert_int_equal(lanes_take(&lanes, 0, 1), 3);
	assert_int_equal(lanes_take(&lanes, 1, 1), 3);
	lanes_done(&lanes);
}

static void depths_are_what_they_were(void **state)
{
	struct span *spans = calloc(SLICES, sizeof(*spans));
	uint64_t ns, depth, last_ns = 0, arrivals = 0;
	struct inflight inflight;
	bool arrival;

	assert_non_null(spans);
	make_spans(spans, 2);
	assert_int_equal(inflight_init(&inflight, (size_t)2 * SLICES), 0);
	for (size_t i = 0; i < SLICES; i++) {
		/* None without a length: those count for a nanosecond. */
		spans[i].end_ns += spans[i].end_ns == spans[i].start_ns;
		inflight_add(&inflight, spans[i].start_ns, spans[i].end_ns);
		assert_false(inflight_next(&inflight, false, &ns, &arrival, &depth));
	}
	while (inflight_next(&inflight, true, &ns, &arrival, &depth)) {
		assert_true(ns >= last_ns);
		last_ns = ns;
		arrivals += arrival;
		/* All of one moment must have been taken to compare. */
		if (inflight.count && inflight.heap[0] / 2 == ns)
			continue;
		assert_int_equal(depth, depth_at(spans, ns));
	}
	assert_int_equal(arrivals, SLICES);
	assert_int_equal(inflight.depth, 0);
	inflight_done(&inflight);
	free(spans);
}

static void samples_are_the_highest_of_their_slot(void **state)
{
	static const uint64_t wanted[][2] = {{0, 2}, {10, 1}, {40, 0}, {100, 1}, {110, 0}};
	struct inflight inflight;
	uint64_t ns, depth;
	size_t count = 0;

	assert_int_equal(inflight_init(&inflight, 100), 0);
	inflight_add(&inflight, 1, 3);
	inflight_add(&inflight, 2, 4);
	inflight_add(&inflight, 5, 31);
	inflight_add(&inflight, 105, 106);
	assert_false(inflight_sample(&inflight, false, 10, &ns, &depth));
	while (inflight_sample(&inflight, true, 10, &ns, &depth)) {
		assert_in_range(count, 0, 4);
		assert_int_equal(ns, wanted[count][0]);
		assert_int_equal(depth, wanted[count][1]);
		count++;
	}
	assert_int_equal(count, 5);
	inflight_done(&inflight);
}

static void few_may_wait(void **state)
{
	struct inflight inflight;
	uint64_t ns, depth;
	bool arrival;

	assert_int_equal(inflight_init(&inflight, 2), 0);
	inflight_add(&inflight, 1, 5);
	assert_false(inflight_next(&inflight, false, &ns, &arrival, &depth));
	inflight_add(&inflight, 3, 7);
	assert_true(inflight_next(&inflight, false, &ns, &arrival, &depth));
	assert_true(ns == 1 && arrival && depth == 1);
	assert_true(inflight_next(&inflight, false, &ns, &arrival, &depth));
	assert_true(ns == 3 && arrival && depth == 2);
	assert_false(inflight_next(&inflight, false, &ns, &arrival, &depth));
	inflight_done(&inflight);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST("slices on a lane don't overlap", lanes_do_not_overlap),
		TEST("free lanes are used again, the latest first", free_lanes_are_used_again),
		TEST("depths are what they were, in the order of time", depths_are_what_they_were),
		TEST("a sample is the highest depth of its slot",
		     samples_are_the_highest_of_their_slot),
		TEST("no more stamps wait than may", few_may_wait),
	};

	return RUN(tests);
}
