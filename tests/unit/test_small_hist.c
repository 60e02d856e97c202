// SPDX-License-Identifier: GPL-2.0-or-later
/* Small histograms: whatever is recorded, they merge into what a full one would hold. */
#include "config.h"

#include "test.h"

#include <stdlib.h>

#include "core/rng.h"
#include "core/small_hist.h"

/* Records the same values in both kinds and holds one against the other. */
static void check_equal(const uint64_t *values, size_t n)
{
	struct small_hist small = {0};
	struct hist *full = hist_new(HIST_FILE_BITS), *merged = hist_new(HIST_FILE_BITS);

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(small_hist_record(&small, values[i]), 0);
		hist_record(full, values[i]);
		assert_int_equal(small_hist_count(&small), i + 1);
	}
	small_hist_merge(merged, &small);
	assert_memory_equal(merged, full, hist_bytes(HIST_FILE_BITS));
	small_hist_done(&small);
	free(full);
	free(merged);
}

static void few_values_equal_a_full_one(void **state)
{
	static const uint64_t values[] = {1000, 1001, 70000, 0, UINT64_C(1) << 40, 5, 1000};

	for (size_t n = 0; n <= sizeof(values) / sizeof(values[0]); n++)
		check_equal(values, n);
}

static void distinct_values_make_it_grow(void **state)
{
	uint64_t values[SMALL_HIST_SLOTS + 1];

	for (size_t i = 0; i <= SMALL_HIST_SLOTS; i++)
		values[i] = UINT64_C(1) << i * 2;
	check_equal(values, SMALL_HIST_SLOTS);
	check_equal(values, SMALL_HIST_SLOTS + 1);
}

static void a_full_slot_makes_it_grow(void **state)
{
	const size_t n = UINT16_MAX + 3;
	struct small_hist small = {0};
	struct hist *merged = hist_new(HIST_FILE_BITS);

	for (size_t i = 0; i < n; i++)
		assert_int_equal(small_hist_record(&small, 4096), 0);
	small_hist_merge(merged, &small);
	assert_int_equal(merged->count, n);
	assert_int_equal(merged->sum, n * 4096);
	assert_int_equal(merged->bucket[hist_index(HIST_FILE_BITS, 4096)], n);
	small_hist_done(&small);
	free(merged);
}

static void random_values_equal_a_full_one(void **state)
{
	struct rng rng = {.state = 11};
	uint64_t values[300];

	for (int round = 0; round < 50; round++) {
		size_t n = (size_t)rng_below(&rng, 300);

		for (size_t i = 0; i < n; i++)
			values[i] = rng_next(&rng) >> (24 + rng_below(&rng, 40));
		check_equal(values, n);
	}
}

static void done_is_empty_again(void **state)
{
	struct small_hist small = {0};
	struct hist *merged = hist_new(HIST_FILE_BITS);

	assert_int_equal(small_hist_record(&small, 7), 0);
	small_hist_done(&small);
	assert_int_equal(small_hist_count(&small), 0);
	small_hist_merge(merged, &small);
	assert_int_equal(merged->count, 0);
	assert_true(merged->min == UINT64_MAX);
	free(merged);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("a few values make what a full histogram holds", few_values_equal_a_full_one),
		TEST("one distinct value too many makes it grow, losing none",
		     distinct_values_make_it_grow),
		TEST("a slot's counter that is full makes it grow, losing none",
		     a_full_slot_makes_it_grow),
		TEST("random values make what a full histogram holds",
		     random_values_equal_a_full_one),
		TEST("one that is done is empty again", done_is_empty_again),
	};

	return RUN(tests);
}
