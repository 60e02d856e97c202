// SPDX-License-Identifier: GPL-2.0-or-later
/* Lock ranges: split and merged as an array of bytes would be. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "core/rng.h"
#include "weirfs/lock_ranges.h"

#define BYTES 48 /* the last stands for all that come after it */

static struct flock lock_of(short type, off_t start, off_t len)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};
}

/* What another owner sees of each byte, against the oracle's. */
static void check(const struct lock_range *ranges, const short oracle[BYTES])
{
	for (off_t i = 0; i < BYTES; i++) {
		struct flock read_one = lock_of(F_RDLCK, i, i == BYTES - 1 ? 0 : 1);
		struct flock write_one = lock_of(F_WRLCK, i, i == BYTES - 1 ? 0 : 1);

		assert_int_equal(lock_ranges_conflict(ranges, &read_one), oracle[i] == F_WRLCK);
		assert_int_equal(lock_ranges_conflict(ranges, &write_one), oracle[i] != F_UNLCK);
	}
}

static void set(struct lock_range **ranges, short oracle[BYTES], short type, off_t start, off_t len)
{
	struct flock lock = lock_of(type, start, len);

	assert_int_equal(lock_ranges_set(ranges, &lock), 0);
	for (off_t i = start; i < (len ? start + len : BYTES) && i < BYTES; i++)
		oracle[i] = type;
	check(*ranges, oracle);
}

static void clear(short oracle[BYTES])
{
	for (int i = 0; i < BYTES; i++)
		oracle[i] = F_UNLCK;
}

static void unlocking_the_middle_leaves_two(void **state)
{
	struct lock_range *ranges = NULL;
	short oracle[BYTES];

	clear(oracle);
	set(&ranges, oracle, F_WRLCK, 10, 20);
	set(&ranges, oracle, F_UNLCK, 15, 5);
	set(&ranges, oracle, F_RDLCK, 12, 16);
	set(&ranges, oracle, F_UNLCK, 0, 0);
	assert_null(ranges);
}

static void zero_length_reaches_the_end_of_time(void **state)
{
	struct flock far = lock_of(F_RDLCK, INT64_MAX, 1), all = lock_of(F_UNLCK, 0, 0);
	struct lock_range *ranges = NULL;
	short oracle[BYTES];

	clear(oracle);
	set(&ranges, oracle, F_WRLCK, 5, 0);
	assert_true(lock_ranges_conflict(ranges, &far));
	set(&ranges, oracle, F_UNLCK, 7, 2);
	assert_true(lock_ranges_conflict(ranges, &far));
	set(&ranges, oracle, F_UNLCK, 20, 0);
	assert_false(lock_ranges_conflict(ranges, &far));
	assert_int_equal(lock_ranges_set(&ranges, &far), 0);
	far.l_type = F_WRLCK;
	assert_true(lock_ranges_conflict(ranges, &far));
	assert_int_equal(lock_ranges_set(&ranges, &all), 0);
	assert_null(ranges);
}

static void random_locks_are_as_an_array_of_bytes(void **state)
{
	static const short types[] = {F_RDLCK, F_WRLCK, F_UNLCK};

	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct rng rng = {.state = seed};
		struct lock_range *ranges = NULL;
		short oracle[BYTES];

		clear(oracle);
		for (int i = 0; i < 300; i++) {
			off_t start = (off_t)rng_below(&rng, BYTES - 1);
			off_t len = (off_t)rng_below(&rng, (uint64_t)(BYTES - 1 - start));

			/* Length 0 is to the end, which is rare elsewhere. */
			if (!len && rng_below(&rng, 4))
				len = 1;
			set(&ranges, oracle, types[rng_below(&rng, 3)], start, len);
		}
		lock_ranges_free(ranges);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("unlocking the middle leaves two ranges", unlocking_the_middle_leaves_two),
		TEST("a length of zero reaches to the end of any file",
		     zero_length_reaches_the_end_of_time),
		TEST("random locks are as an array of bytes has them",
		     random_locks_are_as_an_array_of_bytes),
	};

	return RUN(tests);
}
