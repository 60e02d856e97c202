// SPDX-License-Identifier: GPL-2.0-or-later
/* Hashes give the values that their authors published. */
#include "config.h"

#include "test.h"

#include <string.h>

#include "core/hash.h"

static void xxh64_gives_the_published_values(void **state)
{
	(void)state;
	assert_int_equal(hash_xxh64("", 0, 0), UINT64_C(0xef46db3751d8e999));
	assert_int_equal(hash_xxh64("a", 1, 0), UINT64_C(0xd24ec4f1a98c6e5b));
	assert_int_equal(hash_xxh64("abc", 3, 0), UINT64_C(0x44bc2cf5ad770999));
	assert_int_equal(hash_xxh64("Nobody inspects the spammish repetition", 39, 0),
			 UINT64_C(0xfbcea83c8a378bf1));
}

static void siphash_gives_the_published_values(void **state)
{
	/* Key and message are the bytes 0, 1, 2 ..: of the appendix of the paper. */
	static const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
	uint8_t message[15];

	(void)state;
	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)i;
	assert_int_equal(hash_sip(message, 15, key), UINT64_C(0xa129ca6149be45e5));
	assert_int_equal(hash_sip(message, 0, key), UINT64_C(0x726fdb47dd0e0e31));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("xxh64 gives the published values", xxh64_gives_the_published_values),
		TEST("siphash gives the published values", siphash_gives_the_published_values),
	};

	return RUN(tests);
}
