// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms against a brute-force oracle: the sorted list of what was recorded. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/hist.h"
#include "core/rng.h"

#define SAMPLES 20000
#define LIMIT (UINT64_C(1) << HIST_VALUE_BITS)

static void geometry_is_fios(void **state)
{
	assert_int_equal(hist_buckets(HIST_OP_BITS), 1856);
	assert_int_equal(hist_buckets(HIST_FILE_BITS), 256);
	/* plat_val_to_idx() of fio's stat.c, for 64 buckets a group. */
	for (uint64_t value = 0; value < LIMIT; value += 1 + value / 77) {
		unsigned int msb = value ? 63u - (unsigned int)__builtin_clzll(value) : 0;
		uint64_t index = value;

		if (msb > 6)
			index = ((uint64_t)(msb - 6 + 1) << 6) + (63 & (value >> (msb - 6)));
		assert_int_equal(hist_index(HIST_OP_BITS, value), index < 1855 ? index : 1855);
	}
}

static void buckets_partition_the_values(void **state)
{
	for (uint32_t bits = 1; bits <= HIST_MAX_BITS; bits++) {
		uint32_t last = hist_buckets(bits) - 1;

		assert_int_equal(hist_lower(bits, 0), 0);
		for (uint32_t i = 0; i < last; i++) {
			uint64_t lower = hist_lower(bits, i), next = hist_lower(bits, i + 1);

			assert_true(next > lower);
			assert_int_equal(hist_index(bits, lower), i);
			assert_int_equal(hist_index(bits, next - 1), i);
			assert_int_equal(hist_index(bits, hist_middle(bits, i)), i);
		}
		assert_int_equal(hist_index(bits, hist_lower(bits, last)), last);
		assert_int_equal(hist_index(bits, LIMIT), last);
		assert_int_equal(hist_index(bits, UINT64_MAX), last);
	}
}

static void middles_are_close(void **state)
{
	for (uint32_t bits = 1; bits <= HIST_MAX_BITS; bits++) {
		double bound = 1.0 / (double)(2u << bits);

		for (uint64_t value = 1; value < LIMIT; value += 1 + value / 50) {
			double middle = (double)hist_middle(bits, hist_index(bits, value));

			assert_true(fabs(middle - (double)value) <= bound * (double)value);
		}
	}
}

static int ascending(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Values spread over all magnitudes, as latencies are, a few beyond the geometry. */
static uint64_t sample(struct rng *rng)
{
	return rng_next(rng) >> (28 + rng_below(rng, 36));
}

static void check_percentile(const struct hist *hist, const uint64_t *sorted, size_t n,
			     double percent)
{
	size_t rank = (size_t)ceil(percent / 100.0 * (double)n);
	uint64_t value = hist_percentile(hist, percent);
	uint64_t truth = sorted[rank > 0 ? rank - 1 : 0];

	assert_int_equal(hist_index(hist->bits, value), hist_index(hist->bits, truth));
	if (truth < LIMIT)
		assert_true(fabs((double)value - (double)truth) <=
			    (double)truth / (double)(2u << hist->bits));
}

static void percentiles_match_a_sort(void **state)
{
	static const double percents[] = {0, 0.1, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};
	uint64_t *values = malloc(SAMPLES * sizeof(*values));

	for (uint32_t bits = HIST_FILE_BITS; bits <= HIST_OP_BITS; bits++) {
		for (size_t n = 1; n <= SAMPLES; n = n * 3 + 1) {
			struct rng rng = {.state = n};
			struct hist *hist = hist_new(bits);

			for (size_t i = 0; i < n; i++) {
				values[i] = sample(&rng);
				hist_record(hist, values[i]);
			}
			qsort(values, n, sizeof(*values), ascending);
			for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
				check_percentile(hist, values, n, percents[i]);
			assert_true(hist_percentile(hist, 100) == values[n - 1] ||
				    values[n - 1] < LIMIT);
			free(hist);
		}
	}
	free(values);
}

static void sums_are_exact(void **state)
{
	struct rng rng = {.state = 7};
	struct hist *hist = hist_new(HIST_OP_BITS);
	uint64_t sum = 0, min = UINT64_MAX, max = 0;

	for (int i = 0; i < SAMPLES; i++) {
		uint64_t value = sample(&rng);

		hist_record(hist, value);
		sum += value;
		min = value < min ? value : min;
		max = value > max ? value : max;
	}
	assert_int_equal(hist->count, SAMPLES);
	assert_int_equal(hist->sum, sum);
	assert_int_equal(hist->min, min);
	assert_int_equal(hist->max, max);
	assert_true(fabs(hist_mean(hist) - (double)sum / SAMPLES) < 1);
	free(hist);
}

static void percentiles_stay_within_extremes(void **state)
{
	struct hist *hist = hist_new(HIST_FILE_BITS);

	hist_record(hist, 1000003);
	for (int percent = 0; percent <= 100; percent++)
		assert_int_equal(hist_percentile(hist, percent), 1000003);
	free(hist);
}

static void empty_ones_give_nothing(void **state)
{
	struct hist *hist = hist_new(HIST_OP_BITS);

	assert_int_equal(hist_percentile(hist, 50), 0);
	assert_true(fabs(hist_mean(hist)) < 1e-9);
	assert_true(hist->min == UINT64_MAX);
	free(hist);
}

static void merging_equals_recording_in_one(void **state)
{
	struct rng rng = {.state = 3};
	struct hist *parts[4], *whole = hist_new(HIST_OP_BITS), *merged = hist_new(HIST_OP_BITS);

	for (int i = 0; i < 4; i++)
		parts[i] = hist_new(HIST_OP_BITS);
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t value = sample(&rng);

		hist_record(parts[rng_below(&rng, 4)], value);
		hist_record(whole, value);
	}
	for (int i = 0; i < 4; i++) {
		assert_int_equal(hist_merge(merged, parts[i]), 0);
		free(parts[i]);
	}
	assert_memory_equal(merged, whole, hist_bytes(HIST_OP_BITS));
	free(whole);
	free(merged);
}

static void unlike_geometries_do_not_merge(void **state)
{
	struct hist *fine = hist_new(HIST_OP_BITS), *coarse = hist_new(HIST_FILE_BITS);

	hist_record(coarse, 5);
	assert_int_equal(hist_merge(fine, coarse), -EINVAL);
	assert_int_equal(fine->count, 0);
	free(fine);
	free(coarse);
}

static void reset_empties(void **state)
{
	struct hist *hist = hist_new(HIST_FILE_BITS), *fresh = hist_new(HIST_FILE_BITS);

	hist_record(hist, 12345);
	hist_reset(hist);
	assert_memory_equal(hist, fresh, hist_bytes(HIST_FILE_BITS));
	free(hist);
	free(fresh);
}

static void bad_geometries_are_refused(void **state)
{
	assert_null(hist_new(0));
	assert_null(hist_new(HIST_MAX_BITS + 1));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("the geometry for operations is that of fio", geometry_is_fios),
		TEST("the buckets of every geometry partition the values",
		     buckets_partition_the_values),
		TEST("a bucket's middle is within 1/2^(bits+1) of every value in it",
		     middles_are_close),
		TEST("percentiles match a brute-force sort", percentiles_match_a_sort),
		TEST("count, sum, minimum and maximum are exact", sums_are_exact),
		TEST("a percentile never leaves minimum and maximum",
		     percentiles_stay_within_extremes),
		TEST("an empty histogram gives zeros", empty_ones_give_nothing),
		TEST("merged parts equal one histogram of everything",
		     merging_equals_recording_in_one),
		TEST("histograms of unlike geometries do not merge",
		     unlike_geometries_do_not_merge),
		TEST("a reset histogram is as new", reset_empties),
		TEST("geometries out of range are refused", bad_geometries_are_refused),
	};

	return RUN(tests);
}
