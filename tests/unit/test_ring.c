// SPDX-License-Identifier: GPL-2.0-or-later
/* Rings of records: order, wrapping, fullness, and two threads at once. */
#include "config.h"

#include "test.h"

#include <pthread.h>
#include <string.h>

#include "core/rng.h"
#include "weirfs/ring.h"

#define MANY 400000u

static void put(struct ring *ring, uint32_t kind, uint64_t number, size_t bytes)
{
	uint64_t *data = ring_reserve(ring, bytes);

	assert_non_null(data);
	memset(data, (int)(number & 0xff), bytes);
	*data = number;
	ring_commit(ring, kind);
}

static uint64_t get(struct ring *ring, uint32_t kind)
{
	const struct ring_record *record = ring_peek(ring, ring_limit(ring));
	uint64_t number;

	assert_non_null(record);
	assert_int_equal(record->kind, kind);
	memcpy(&number, record->data, sizeof(number));
	ring_pass(ring, record);
	return number;
}

static void records_come_out_as_they_went_in(void **state)
{
	struct ring ring;

	assert_int_equal(ring_init(&ring, 5000), 0);
	assert_int_equal(ring.bytes, 8192);
	assert_true(ring_empty(&ring));
	assert_null(ring_peek(&ring, ring_limit(&ring)));
	for (uint64_t i = 1; i < 1000; i++) {
		put(&ring, 1 + i % 3, i, 8 + i % 900);
		put(&ring, 7, i * 2, 8);
		assert_false(ring_empty(&ring));
		assert_int_equal(get(&ring, 1 + i % 3), i);
		assert_int_equal(get(&ring, 7), i * 2);
		assert_true(ring_empty(&ring));
	}
	ring_done(&ring);
}

static void a_limit_holds_back_what_came_later(void **state)
{
	struct ring ring;
	uint64_t limit;

	assert_int_equal(ring_init(&ring, 4096), 0);
	put(&ring, 1, 1, 8);
	limit = ring_limit(&ring);
	put(&ring, 1, 2, 8);
	assert_non_null(ring_peek(&ring, limit));
	assert_int_equal(get(&ring, 1), 1);
	assert_null(ring_peek(&ring, limit));
	assert_int_equal(get(&ring, 1), 2);
	ring_done(&ring);
}

static void a_full_ring_takes_nothing_until_there_is_room(void **state)
{
	struct ring ring;
	unsigned int count = 0;

	assert_int_equal(ring_init(&ring, 4096), 0);
	while (ring_reserve(&ring, 100)) {
		put(&ring, 1, count, 100);
		count++;
	}
	assert_int_equal(count, 4096 / 112);
	assert_int_equal(get(&ring, 1), 0);
	put(&ring, 1, count, 100);
	assert_null(ring_reserve(&ring, 100));
	for (unsigned int i = 1; i <= count; i++)
		assert_int_equal(get(&ring, 1), i);
	assert_true(ring_empty(&ring));
	ring_done(&ring);
}

static void what_can_never_fit_is_refused(void **state)
{
	struct ring ring;

	assert_int_equal(ring_init(&ring, 4096), 0);
	assert_true(ring_holds(&ring, 2040));
	assert_false(ring_holds(&ring, 2041));
	assert_false(ring_holds(&ring, SIZE_MAX - 4));
	assert_null(ring_reserve(&ring, 2041));
	/* What fits does so wherever the last one ended. */
	for (size_t i = 0; i < 300; i++) {
		put(&ring, 1, i, 8 + 8 * (i % 7));
		get(&ring, 1);
		put(&ring, 2, i, 2040);
		get(&ring, 2);
	}
	ring_done(&ring);
}

static void it_calls_once_each_time_it_is_half_full(void **state)
{
	struct ring ring;
	int calls = 0;

	assert_int_equal(ring_init(&ring, 4096), 0);
	for (int round = 1; round <= 3; round++) {
		for (uint64_t i = 0; i < 30; i++) {
			put(&ring, 1, i, 100);
			calls += ring_calls(&ring);
		}
		assert_int_equal(calls, round);
		for (uint64_t i = 0; i < 30; i++)
			assert_int_equal(get(&ring, 1), i);
	}
	ring_done(&ring);
}

static void *write_many(void *arg)
{
	struct ring *ring = arg;
	struct rng rng = {.state = 1};

	for (uint64_t i = 1; i <= MANY;) {
		size_t bytes = 8 + rng_below(&rng, 300);
		uint64_t *data = ring_reserve(ring, bytes);

		if (!data)
			continue;
		memset(data, (int)(i & 0xff), bytes);
		*data = i++;
		ring_commit(ring, 1);
	}
	return NULL;
}

static void two_threads_lose_nothing(void **state)
{
	struct ring ring;
	pthread_t thread;
	uint64_t next = 1;

	assert_int_equal(ring_init(&ring, 16384), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_many, &ring), 0);
	while (next <= MANY) {
		uint64_t limit = ring_limit(&ring);
		const struct ring_record *record;

		while ((record = ring_peek(&ring, limit))) {
			uint64_t number;

			memcpy(&number, record->data, sizeof(number));
			assert_int_equal(number, next);
			for (size_t i = 8; i + sizeof(*record) + 8 < record->bytes; i++)
				assert_int_equal(record->data[i], next & 0xff);
			ring_pass(&ring, record);
			next++;
		}
	}
	pthread_join(thread, NULL);
	assert_true(ring_empty(&ring));
	ring_done(&ring);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("records come out as they went in", records_come_out_as_they_went_in),
		TEST("a limit holds back what came later", a_limit_holds_back_what_came_later),
		TEST("a full ring takes nothing until there is room",
		     a_full_ring_takes_nothing_until_there_is_room),
		TEST("what can never fit is refused", what_can_never_fit_is_refused),
		TEST("it calls once each time it is half full",
		     it_calls_once_each_time_it_is_half_full),
		TEST("two threads lose nothing", two_threads_lose_nothing),
	};

	return RUN(tests);
}
