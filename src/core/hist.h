/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log-linear histograms of fixed geometry.
 *
 * A geometry is its number of sub-bucket bits: 2^bits buckets an octave, values up to 2^34 ns
 * (17.2 s); what is larger goes to the last bucket (max_ns stays exact). With 6 bits this is the
 * geometry fio uses (29 groups of 64, 1856 buckets, error <= 1/128), so that a histogram exports
 * to fio's JSON+ without loss. With 3 bits (256 buckets, error <= 1/16) it is kept per file.
 */
#ifndef CORE_HIST_H
#define CORE_HIST_H

#include <stdbool.h>
#include <stdint.h>

#define HIST_OP_BITS 6u
#define HIST_FILE_BITS 3u
#define HIST_MAX_BITS 6u
#define HIST_VALUE_BITS 34u

struct hist {
	uint32_t bits;    /* sub-bucket bits: the geometry */
	uint32_t buckets; /* hist_buckets(bits) */
	uint64_t count;
	uint64_t sum;
	uint64_t min; /* UINT64_MAX while empty */
	uint64_t max;
	uint64_t bucket[];
};

static inline uint32_t hist_buckets(uint32_t bits)
{
	return (HIST_VALUE_BITS - bits + 1) << bits;
}

/* Bucket of a value in the geometry. */
static inline uint32_t hist_index(uint32_t bits, uint64_t value)
{
	uint32_t msb, shift, index, last = hist_buckets(bits) - 1;

	if (value < (UINT64_C(2) << bits))
		return (uint32_t)value;
	msb = 63u - (uint32_t)__builtin_clzll(value);
	shift = msb - bits;
	if (shift > HIST_VALUE_BITS)
		return last;
	index = ((shift + 1) << bits) + ((uint32_t)(value >> shift) & ((1u << bits) - 1));
	return index < last ? index : last;
}

/* Smallest value that falls into the bucket; the bucket ends where the next begins. */
uint64_t hist_lower(uint32_t bits, uint32_t index);
/* Representative value of the bucket: its middle, as fio prints it. */
uint64_t hist_middle(uint32_t bits, uint32_t index);

/* An empty histogram on the heap (free() it), or NULL when memory is short. bits 1..HIST_MAX_BITS.
 */
struct hist *hist_new(uint32_t bits);
/* Bytes of a histogram of that geometry, for those who place it themselves with hist_init(). */
uint64_t hist_bytes(uint32_t bits);
void hist_init(struct hist *hist, uint32_t bits);
void hist_reset(struct hist *hist);

/*
 * Adds one value. One thread records at a time; others may read meanwhile (they may see the value
 * half added: in the count and not yet in the sum).
 */
void hist_record(struct hist *hist, uint64_t value);

/* Adds n values of one bucket without touching sum, min and max: for decoders. */
void hist_add(struct hist *hist, uint32_t index, uint64_t n);

/* Adds one histogram to another. Returns 0, or -EINVAL when their geometries differ. */
int hist_merge(struct hist *into, const struct hist *from);

/*
 * The value at the percentile (0..100): the middle of the bucket that holds the sample of rank
 * ceil(percent / 100 * count), kept inside [min, max]. 0 when empty.
 */
uint64_t hist_percentile(const struct hist *hist, double percent);
double hist_mean(const struct hist *hist);

#endif
