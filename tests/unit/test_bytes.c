// SPDX-License-Identifier: GPL-2.0-or-later
/* Byte strings: what is put is taken again, and no input makes a cursor read past its end. */
#include "config.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/rng.h"

static const uint64_t edges[] = {0,
				 1,
				 0x7f,
				 0x80,
				 0x3fff,
				 0x4000,
				 UINT32_MAX,
				 UINT64_C(1) << 32,
				 INT64_MAX,
				 (uint64_t)INT64_MAX + 1,
				 UINT64_MAX - 1,
				 UINT64_MAX};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

static void varints_come_back(void **state)
{
	struct bytes out = {0};
	struct cursor in;
	struct rng rng = {.state = 1};
	uint64_t random[1000];

	for (size_t i = 0; i < EDGES; i++)
		bytes_put_varint(&out, edges[i]);
	for (size_t i = 0; i < 1000; i++) {
		random[i] = rng_next(&rng) >> rng_below(&rng, 64);
		bytes_put_varint(&out, random[i]);
	}
	assert_false(out.failed);
	in = cursor_of(out.data, out.len);
	for (size_t i = 0; i < EDGES; i++)
		assert_true(cursor_varint(&in) == edges[i]);
	for (size_t i = 0; i < 1000; i++)
		assert_true(cursor_varint(&in) == random[i]);
	assert_int_equal(cursor_left(&in), 0);
	assert_false(in.failed);
	bytes_done(&out);
}

static void varints_have_their_length(void **state)
{
	static const struct {
		uint64_t value;
		size_t len;
	} cases[] = {{0, 1}, {127, 1}, {128, 2}, {16383, 2}, {16384, 3}, {UINT64_MAX, 10}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes out = {0};

		bytes_put_varint(&out, cases[i].value);
		assert_int_equal(out.len, cases[i].len);
		bytes_done(&out);
	}
}

static void signed_come_back(void **state)
{
	static const int64_t values[] = {0, -1, 1, -64, 63, 64, INT32_MIN, INT64_MIN, INT64_MAX};
	struct bytes out = {0};
	struct cursor in;

	bytes_put_signed(&out, -1);
	assert_int_equal(out.len, 1);
	assert_int_equal(out.data[0], 1);
	out.len = 0;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		bytes_put_signed(&out, values[i]);
	in = cursor_of(out.data, out.len);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(cursor_signed(&in) == values[i]);
	assert_false(in.failed);
	bytes_done(&out);
}

static void blobs_come_back(void **state)
{
	static const char blob[] = {0, 1, 2, '\n', 0};
	struct bytes out = {0};
	struct cursor in;
	size_t len;
	const uint8_t *data;
	char *string;

	bytes_put_blob(&out, blob, sizeof(blob));
	bytes_put_string(&out, "name \xff");
	bytes_put_string(&out, "");
	in = cursor_of(out.data, out.len);
	data = cursor_blob(&in, &len);
	assert_int_equal(len, sizeof(blob));
	assert_memory_equal(data, blob, len);
	string = cursor_string(&in);
	assert_string_equal(string, "name \xff");
	free(string);
	string = cursor_string(&in);
	assert_string_equal(string, "");
	free(string);
	assert_int_equal(cursor_left(&in), 0);
	bytes_done(&out);
}

static void truncation_is_seen(void **state)
{
	struct bytes out = {0};

	bytes_put_varint(&out, UINT64_MAX);
	bytes_put_string(&out, "abcdef");
	for (size_t len = 0; len < out.len; len++) {
		/* An exact copy, so that a sanitizer sees any read past the end. */
		uint8_t *copy = malloc(len ? len : 1);
		struct cursor in = cursor_of(memcpy(copy, out.data, len), len);
		char *string;

		cursor_varint(&in);
		string = cursor_string(&in);
		assert_true(in.failed);
		assert_null(string);
		free(copy);
	}
	bytes_done(&out);
}

static void failure_sticks(void **state)
{
	static const uint8_t data[] = {0x05, 'a'};
	struct cursor in = cursor_of(data, sizeof(data));
	size_t len = 7;

	assert_null(cursor_blob(&in, &len));
	assert_int_equal(len, 0);
	assert_true(in.failed);
	assert_true(cursor_varint(&in) == 0);
	assert_true(cursor_signed(&in) == 0);
	assert_null(cursor_string(&in));
	assert_int_equal(cursor_left(&in), 0);
}

static void malformed_varints_fail(void **state)
{
	static const uint8_t too_long[11] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					     0x80, 0x80, 0x80, 0x80, 0x01};
	static const uint8_t too_large[10] = {0xff, 0xff, 0xff, 0xff, 0xff,
					      0xff, 0xff, 0xff, 0xff, 0x02};
	struct cursor in = cursor_of(too_long, sizeof(too_long));

	assert_true(cursor_varint(&in) == 0);
	assert_true(in.failed);
	in = cursor_of(too_large, sizeof(too_large));
	assert_true(cursor_varint(&in) == 0);
	assert_true(in.failed);
}

static void length_near_the_limit_fails(void **state)
{
	struct bytes out = {0};
	struct cursor in, sub;
	size_t len;

	bytes_put_varint(&out, UINT64_MAX);
	bytes_put_varint(&out, 0);
	in = cursor_of(out.data, out.len);
	assert_null(cursor_blob(&in, &len));
	in = cursor_of(out.data, out.len);
	sub = cursor_sub(&in, UINT64_MAX);
	assert_true(in.failed);
	assert_true(sub.failed);
	bytes_done(&out);
}

static void sub_cursors_are_bounded(void **state)
{
	static const uint8_t data[] = {1, 2, 3, 4};
	struct cursor in = cursor_of(data, sizeof(data));
	struct cursor sub = cursor_sub(&in, 2);

	assert_true(cursor_varint(&sub) == 1);
	assert_true(cursor_varint(&sub) == 2);
	assert_true(cursor_varint(&sub) == 0);
	assert_true(sub.failed);
	assert_false(in.failed);
	assert_true(cursor_varint(&in) == 3);
}

static void impossible_room_fails_and_sticks(void **state)
{
	struct bytes out = {0};

	bytes_put_varint(&out, 5);
	assert_false(bytes_reserve(&out, SIZE_MAX - 1));
	assert_true(out.failed);
	bytes_put_varint(&out, 6);
	assert_int_equal(out.len, 1);
	bytes_done(&out);
	assert_null(out.data);
	assert_false(out.failed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("varints come back as they were put", varints_come_back),
		TEST("a varint takes 7 bits a byte", varints_have_their_length),
		TEST("signed numbers come back and small ones are short", signed_come_back),
		TEST("blobs and strings come back, with any bytes in them", blobs_come_back),
		TEST("input cut at any byte is seen as such", truncation_is_seen),
		TEST("after a failed read all reads give nothing", failure_sticks),
		TEST("varints of too many bytes or bits fail", malformed_varints_fail),
		TEST("a length beyond the input fails, up to the largest",
		     length_near_the_limit_fails),
		TEST("a cursor over a part stops at the part's end", sub_cursors_are_bounded),
		TEST("room that cannot be had fails, and stays failed",
		     impossible_room_fails_and_sticks),
	};

	return RUN(tests);
}
