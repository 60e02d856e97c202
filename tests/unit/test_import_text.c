// SPDX-License-Identifier: GPL-2.0-or-later
/* Pieces of lines, their numbers, and inputs of any chunking. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/import_feed.h"

static void numbers_are_whole_slices(void **state)
{
	uint64_t value = 7;

	assert_int_equal(slice_uint(slice_of("18446744073709551615"), &value), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(slice_uint(slice_of("18446744073709551616"), &value), -ERANGE);
	assert_true(value == UINT64_MAX);
	assert_int_equal(slice_uint(slice_of(""), &value), -EINVAL);
	assert_int_equal(slice_uint(slice_of("12 "), &value), -EINVAL);
	assert_int_equal(slice_uint(slice_of("-1"), &value), -EINVAL);
	assert_int_equal(slice_hex(slice_of("1cf0D105"), &value), 0);
	assert_true(value == 0x1cf0d105);
	assert_int_equal(slice_hex(slice_of("12g"), &value), -EINVAL);
	assert_int_equal(slice_c_number(slice_of("0644"), &value), 0);
	assert_true(value == 0644);
	assert_int_equal(slice_c_number(slice_of("0x10"), &value), 0);
	assert_true(value == 16);
	assert_int_equal(slice_c_number(slice_of("-1"), &value), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(slice_c_number(slice_of("0"), &value), 0);
	assert_true(value == 0);
	assert_int_equal(slice_c_number(slice_of("089"), &value), -EINVAL);
}

static void fractions_are_exact(void **state)
{
	static const struct {
		const char *text;
		uint64_t unit;
		uint64_t value;
		int err;
	} cases[] = {
		{"1456095145.133076000", 1000000000, UINT64_C(1456095145133076000), 0},
		{"0.1", 1000000000, 100000000, 0},
		{".5", 1000, 500, 0},
		{"5.", 1000, 5000, 0},
		{"0.9999999999", 1000000000, 999999999, 0},
		{"1.000000000000000000000000001", 1, 1, 0},
		{"18446744073.709551615", 1000000000, UINT64_MAX, 0},
		{"18446744073.709551616", 1000000000, 0, -ERANGE},
		{"1e3", 1000, 0, -EINVAL},
		{".", 1000, 0, -EINVAL},
		{"1.2.3", 1000, 0, -EINVAL},
		{"", 1000, 0, -EINVAL},
		{"1.-5", 1000, 0, -EINVAL},
	};
	uint64_t value;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(slice_scaled(slice_of(cases[i].text), cases[i].unit, &value),
				 cases[i].err);
		if (!cases[i].err)
			assert_true(value == cases[i].value);
	}
}

static void fields_keep_empty_ones(void **state)
{
	struct slice rest = slice_of("a, \"b\" ,,d"), field;

	assert_true(slice_field(&rest, ',', &field) && slice_is(field, "a"));
	assert_true(slice_field(&rest, ',', &field) && slice_is(field, "b"));
	assert_true(slice_field(&rest, ',', &field) && field.len == 0);
	assert_true(slice_field(&rest, ',', &field) && slice_is(field, "d"));
	assert_false(slice_field(&rest, ',', &field));
	rest = slice_of("  x\t y  ");
	assert_true(slice_field(&rest, ' ', &field) && slice_is(field, "x"));
	assert_true(slice_field(&rest, ' ', &field) && slice_is(field, "y"));
	assert_false(slice_field(&rest, ' ', &field));
}

/* --- inputs -------------------------------------------------------------------------------- */

struct memory {
	const char *at;
	size_t left;
	size_t chunk;
};

static ssize_t read_memory(void *arg, void *data, size_t room)
{
	struct memory *memory = arg;
	size_t n = memory->chunk < room ? memory->chunk : room;

	if (n > memory->left)
		n = memory->left;
	memcpy(data, memory->at, n);
	memory->at += n;
	memory->left -= n;
	return (ssize_t)n;
}

static void lines_are_the_same_in_any_chunks(void **state)
{
	static const char text[] = "one\n\nthree\0x\nlast";
	static const size_t lens[] = {3, 0, 7, 4};

	for (size_t chunk = 1; chunk < sizeof(text); chunk++) {
		struct memory memory = {text, sizeof(text) - 1, chunk};
		struct feed feed;
		struct slice line;
		enum feed_how how;

		assert_int_equal(feed_init(&feed, read_memory, &memory), 0);
		for (size_t i = 0; i < 4; i++) {
			assert_int_equal(feed_line(&feed, &line, &how), 1);
			assert_int_equal(line.len, lens[i]);
			assert_int_equal(how, i == 3 ? FEED_UNENDED : FEED_WHOLE);
			assert_int_equal(feed.line, i + 1);
		}
		assert_int_equal(feed_line(&feed, &line, &how), 0);
		assert_int_equal(feed.bytes, sizeof(text) - 1);
		feed_done(&feed);
	}
}

/* Lines about as long as may be, with a short one behind each. */
static void too_long_lines_are_passed_over_whole(void **state)
{
	static const size_t lens[] = {FEED_LINE_MAX - 1, FEED_LINE_MAX,
				      FEED_LINE_MAX + 1, 2 * FEED_LINE_MAX - 1,
				      2 * FEED_LINE_MAX, 2 * FEED_LINE_MAX + 1,
				      5 * FEED_LINE_MAX, 5 * FEED_LINE_MAX + 77};
	static const size_t chunks[] = {1000, 65536, 65537, SIZE_MAX};

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]) * 4; i++) {
		size_t len = lens[i / 4];
		char *text = malloc(len + 7);
		struct memory memory = {text, len + 7, chunks[i % 4]};
		struct feed feed;
		struct slice line;
		enum feed_how how;

		memset(text, 'x', len);
		memcpy(text + len, "\nshort\n", 7);
		assert_int_equal(feed_init(&feed, read_memory, &memory), 0);
		assert_int_equal(feed_line(&feed, &line, &how), 1);
		assert_int_equal(how, len > FEED_LINE_MAX ? FEED_LONG : FEED_WHOLE);
		assert_int_equal(line.len, len > FEED_LINE_MAX ? FEED_LINE_MAX : len);
		assert_int_equal(feed_line(&feed, &line, &how), 1);
		assert_true(slice_is(line, "short"));
		assert_int_equal(feed.bytes, len + 7);
		assert_int_equal(feed_line(&feed, &line, &how), 0);
		feed_done(&feed);
		free(text);
	}
}

static void records_end_whole_or_torn(void **state)
{
	struct memory memory = {"abcdefg", 7, 2};
	const void *data;
	struct slice peek;
	struct feed feed;

	assert_int_equal(feed_init(&feed, read_memory, &memory), 0);
	assert_int_equal(feed_peek(&feed, 2, &peek), 0);
	assert_true(slice_is(peek, "ab"));
	assert_int_equal(feed_bytes(&feed, 3, &data), 1);
	assert_memory_equal(data, "abc", 3);
	assert_int_equal(feed_bytes(&feed, 3, &data), 1);
	assert_int_equal(feed_bytes(&feed, 3, &data), -EPROTO);
	assert_int_equal(feed_bytes(&feed, 1, &data), 1);
	assert_int_equal(feed_bytes(&feed, 1, &data), 0);
	feed_done(&feed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("a number is the whole of its slice", numbers_are_whole_slices),
		TEST("fractions are exact and never rounded", fractions_are_exact),
		TEST("fields that are empty are fields", fields_keep_empty_ones),
		TEST("lines are the same in whatever chunks they come",
		     lines_are_the_same_in_any_chunks),
		TEST("a line that is too long is passed over whole",
		     too_long_lines_are_passed_over_whole),
		TEST("records are given whole, a part of one is torn", records_end_whole_or_torn),
	};

	return RUN(tests);
}
