// SPDX-License-Identifier: GPL-2.0-or-later
/* Log-linear histograms: recording is a handful of plain stores. */
#include "config.h"

#include "core/hist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t hist_lower(uint32_t bits, uint32_t index)
{
	uint32_t shift;

	if (index < (2u << bits))
		return index;
	shift = (index >> bits) - 1;
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): index >> bits >= 2 */
	return (UINT64_C(1) << (shift + bits)) + ((uint64_t)(index & ((1u << bits) - 1)) << shift);
}

uint64_t hist_middle(uint32_t bits, uint32_t index)
{
	uint32_t shift = index < (2u << bits) ? 0 : (index >> bits) - 1;

	return hist_lower(bits, index) + ((UINT64_C(1) << shift) >> 1);
}

uint64_t hist_bytes(uint32_t bits)
{
	return sizeof(struct hist) + hist_buckets(bits) * sizeof(uint64_t);
}

void hist_init(struct hist *hist, uint32_t bits)
{
	hist->bits = bits;
	hist->buckets = hist_buckets(bits);
	hist_reset(hist);
}

struct hist *hist_new(uint32_t bits)
{
	struct hist *hist;

	if (bits < 1 || bits > HIST_MAX_BITS)
		return NULL;
	hist = malloc(hist_bytes(bits));
	if (hist)
		hist_init(hist, bits);
	return hist;
}

void hist_reset(struct hist *hist)
{
	hist->count = 0;
	hist->sum = 0;
	hist->min = UINT64_MAX;
	hist->max = 0;
	memset(hist->bucket, 0, hist->buckets * sizeof(hist->bucket[0]));
}

/* A counter that one thread writes and others read: no locked instruction is needed. */
static inline void bump(uint64_t *slot, uint64_t by)
{
	__atomic_store_n(slot, *slot + by, __ATOMIC_RELAXED);
}

static inline void keep_extremes(struct hist *hist, uint64_t min, uint64_t max)
{
	if (min < hist->min)
		__atomic_store_n(&hist->min, min, __ATOMIC_RELAXED);
	if (max > hist->max)
		__atomic_store_n(&hist->max, max, __ATOMIC_RELAXED);
}

void hist_record(struct hist *hist, uint64_t value)
{
	bump(&hist->bucket[hist_index(hist->bits, value)], 1);
	bump(&hist->count, 1);
	bump(&hist->sum, value);
	keep_extremes(hist, value, value);
}

void hist_add(struct hist *hist, uint32_t index, uint64_t n)
{
	hist->bucket[index] += n;
	hist->count += n;
}

int hist_merge(struct hist *into, const struct hist *from)
{
	if (into->bits != from->bits)
		return -EINVAL;
	for (uint32_t i = 0; i < into->buckets; i++) {
		uint64_t n = __atomic_load_n(&from->bucket[i], __ATOMIC_RELAXED);

		/* The count is what the buckets hold, so that a merge of a live one adds up. */
		into->bucket[i] += n;
		into->count += n;
	}
	into->sum += __atomic_load_n(&from->sum, __ATOMIC_RELAXED);
	keep_extremes(into, __atomic_load_n(&from->min, __ATOMIC_RELAXED),
		      __atomic_load_n(&from->max, __ATOMIC_RELAXED));
	return 0;
}

uint64_t hist_percentile(const struct hist *hist, double percent)
{
	uint64_t rank, seen = 0, value = hist->max;

	if (!hist->count)
		return 0;
	rank = (uint64_t)ceil(percent / 100.0 * (double)hist->count);
	if (rank < 1)
		rank = 1;
	for (uint32_t i = 0; i < hist->buckets; i++) {
		seen += hist->bucket[i];
		if (seen >= rank) {
			/* The last bucket is open: only the maximum is known of it. */
			if (i < hist->buckets - 1)
				value = hist_middle(hist->bits, i);
			break;
		}
	}
	if (value < hist->min)
		return hist->min;
	return value < hist->max ? value : hist->max;
}

double hist_mean(const struct hist *hist)
{
	return hist->count ? (double)hist->sum / (double)hist->count : 0.0;
}
