/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes: XXH64 for data and tables, SipHash-2-4 where nobody may guess what was hashed. */
#ifndef CORE_HASH_H
#define CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH64 of Y. Collet, as xxHash's specification defines it. */
uint64_t hash_xxh64(const void *data, size_t len, uint64_t seed);

/* SipHash-2-4 of J.-P. Aumasson and D. J. Bernstein. */
uint64_t hash_sip(const void *data, size_t len, const uint64_t key[2]);

/* A number spread over 64 bits, for tables that are indexed by it. */
static inline uint64_t hash_number(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	return x;
}

#endif
