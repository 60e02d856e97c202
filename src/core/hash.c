// SPDX-License-Identifier: GPL-2.0-or-later
/* XXH64 and SipHash-2-4. */
#include "config.h"

#include "core/hash.h"

#include <string.h>

static uint64_t rotl(uint64_t x, unsigned int by)
{
	return (x << by) | (x >> (64 - by));
}

static uint64_t load64(const uint8_t *at)
{
	uint64_t x = 0;

	for (int i = 7; i >= 0; i--)
		x = x << 8 | at[i];
	return x;
}

static uint64_t load32(const uint8_t *at)
{
	return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 |
	       (uint64_t)at[3] << 24;
}

/* --- XXH64 --------------------------------------------------------------------------------- */

#define XXH_1 UINT64_C(0x9e3779b185ebca87)
#define XXH_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define XXH_3 UINT64_C(0x165667b19e3779f9)
#define XXH_4 UINT64_C(0x85ebca77c2b2ae63)
#define XXH_5 UINT64_C(0x27d4eb2f165667c5)

static uint64_t xxh_round(uint64_t lane, uint64_t input)
{
	return rotl(lane + input * XXH_2, 31) * XXH_1;
}

static uint64_t xxh_merge(uint64_t hash, uint64_t lane)
{
	return (hash ^ xxh_round(0, lane)) * XXH_1 + XXH_4;
}

/* Stripes of 32 bytes, in four lanes. Returns where the rest begins. */
static const uint8_t *xxh_stripes(const uint8_t *at, const uint8_t *end, uint64_t seed,
				  uint64_t *ret_hash)
{
	uint64_t lane[4] = {seed + XXH_1 + XXH_2, seed + XXH_2, seed, seed - XXH_1};
	uint64_t hash;

	while (end - at >= 32) {
		for (int i = 0; i < 4; i++, at += 8)
			lane[i] = xxh_round(lane[i], load64(at));
	}
	hash = rotl(lane[0], 1) + rotl(lane[1], 7) + rotl(lane[2], 12) + rotl(lane[3], 18);
	for (int i = 0; i < 4; i++)
		hash = xxh_merge(hash, lane[i]);
	*ret_hash = hash;
	return at;
}

uint64_t hash_xxh64(const void *data, size_t len, uint64_t seed)
{
	const uint8_t *at = data, *end = len ? at + len : at;
	uint64_t hash = seed + XXH_5;

	if (len >= 32)
		at = xxh_stripes(at, end, seed, &hash);
	hash += len;
	for (; end - at >= 8; at += 8)
		hash = rotl(hash ^ xxh_round(0, load64(at)), 27) * XXH_1 + XXH_4;
	if (end - at >= 4) {
		hash = rotl(hash ^ load32(at) * XXH_1, 23) * XXH_2 + XXH_3;
		at += 4;
	}
	for (; at < end; at++)
		hash = rotl(hash ^ *at * XXH_5, 11) * XXH_1;
	hash = (hash ^ hash >> 33) * XXH_2;
	hash = (hash ^ hash >> 29) * XXH_3;
	return hash ^ hash >> 32;
}

/* --- SipHash-2-4 --------------------------------------------------------------------------- */

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[0] = rotl(v[0], 32);
	v[2] += v[3];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[2] = rotl(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	sip_round(v);
	v[0] ^= word;
}

uint64_t hash_sip(const void *data, size_t len, const uint64_t key[2])
{
	uint64_t v[4] = {
		key[0] ^ UINT64_C(0x736f6d6570736575),
		key[1] ^ UINT64_C(0x646f72616e646f6d),
		key[0] ^ UINT64_C(0x6c7967656e657261),
		key[1] ^ UINT64_C(0x7465646279746573),
	};
	const uint8_t *at = data;
	size_t left = len;
	uint64_t last = (uint64_t)len << 56;

	for (; left >= 8; left -= 8, at += 8)
		sip_word(v, load64(at));
	for (size_t i = 0; i < left; i++)
		last |= (uint64_t)at[i] << (8 * i);
	sip_word(v, last);
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
