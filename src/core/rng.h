/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small seeded random generator (splitmix64, public domain algorithm by S. Vigna). */
#ifndef CORE_RNG_H
#define CORE_RNG_H

#include <stdint.h>

#include "core/wide.h"

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Uniform in [0, n); n > 0. The bias is below n / 2^64. */
static inline uint64_t rng_below(struct rng *rng, uint64_t n)
{
	return (uint64_t)(((uint128)rng_next(rng) * n) >> 64);
}

#endif
