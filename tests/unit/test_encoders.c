// SPDX-License-Identifier: GPL-2.0-or-later
/* What exports are made of, to the byte: Thrift, Protocol Buffers, Parquet's runs, base64. */
#include "config.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/export.h"
#include "tools/hdr.h"
#include "tools/iolog_files.h"
#include "tools/parquet.h"
#include "tools/proto.h"
#include "tools/stringset.h"
#include "tools/thrift.h"

#define LITERAL(text) ((const uint8_t *)(text)), sizeof(text) - 1

static void assert_bytes(struct bytes *out, const uint8_t *wanted, size_t len)
{
	assert_false(out->failed);
	assert_int_equal(out->len, len);
	assert_memory_equal(out->data, wanted, len);
	bytes_done(out);
}

static struct trace_bytes bytes_of(const char *text)
{
	return (struct trace_bytes){(const uint8_t *)text, strlen(text)};
}

/* --- Thrift --------------------------------------------------------------------------------- */

static void thrift_puts_fields(void **state)
{
	struct bytes out = {0};
	struct thrift thrift;

	thrift_init(&thrift, &out);
	thrift_struct(&thrift, 0);
	thrift_i32(&thrift, 1, -1);
	thrift_i64(&thrift, 3, 150);
	thrift_bool(&thrift, 4, true);
	thrift_bool(&thrift, 5, false);
	thrift_i8(&thrift, 6, -2);
	thrift_string(&thrift, 7, "ab");
	thrift_struct(&thrift, 8);
	thrift_i32(&thrift, 2, 1); /* numbers begin anew inside */
	thrift_end(&thrift);
	thrift_i32(&thrift, 30, 0); /* too far for one byte */
	thrift_i32(&thrift, 31, 64);
	thrift_end(&thrift);
	assert_bytes(&out, LITERAL("\x15\x01"
				   "\x26\xac\x02"
				   "\x11"
				   "\x12"
				   "\x13\xfe"
				   "\x18\x02"
				   "ab"
				   "\x1c\x25\x02\x00"
				   "\x05\x3c\x00"
				   "\x15\x80\x01"
				   "\x00"));
}

static void thrift_puts_lists(void **state)
{
	struct bytes out = {0};
	struct thrift thrift;

	thrift_init(&thrift, &out);
	thrift_struct(&thrift, 0);
	thrift_list(&thrift, 2, THRIFT_I32, 2);
	thrift_element_i32(&thrift, 0);
	thrift_element_i32(&thrift, 8);
	thrift_list(&thrift, 3, THRIFT_BINARY, 1);
	thrift_element_string(&thrift, "x");
	thrift_list(&thrift, 4, THRIFT_STRUCT, 15);
	thrift_list(&thrift, 5, THRIFT_STRUCT, 300);
	thrift_end(&thrift);
	assert_bytes(&out, LITERAL("\x29\x25\x00\x10"
				   "\x19\x18\x01x"
				   "\x19\xfc\x0f"
				   "\x19\xfc\xac\x02"
				   "\x00"));
}

/* --- Protocol Buffers ----------------------------------------------------------------------- */

static void proto_puts_fields(void **state)
{
	struct bytes out = {0};
	size_t outer, inner;

	proto_uint(&out, 1, 150);
	proto_string(&out, 2, "testing");
	outer = proto_begin(&out, 60);
	inner = proto_begin(&out, 3);
	proto_uint(&out, 1, UINT64_MAX);
	proto_end(&out, inner);
	proto_end(&out, outer);
	assert_bytes(&out, LITERAL("\x08\x96\x01"
				   "\x12\x07testing"
				   "\xe2\x03\x0d"
				   "\x1a\x0b"
				   "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
}

static void proto_lengths_grow(void **state)
{
	static const struct {
		size_t len;
		const char *tag;
		size_t tag_len;
	} cases[] = {
		{0, "\x0a\x00", 2},
		{127, "\x0a\x7f", 2},
		{128, "\x0a\x80\x01", 3},
		{16383, "\x0a\xff\x7f", 3},
		{16384, "\x0a\x80\x80\x01", 4},
	};
	static uint8_t content[16384];

	memset(content, 'x', sizeof(content));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes out = {0};
		size_t mark = proto_begin(&out, 1);

		bytes_put(&out, content, cases[i].len);
		proto_end(&out, mark);
		assert_int_equal(out.len, cases[i].tag_len + cases[i].len);
		assert_memory_equal(out.data, cases[i].tag, cases[i].tag_len);
		assert_memory_equal(out.data + cases[i].tag_len, content, cases[i].len);
		bytes_done(&out);
	}
}

static void proto_refuses_what_is_too_long(void **state)
{
	struct bytes out = {0};
	size_t mark = proto_begin(&out, 1);

	assert_true(bytes_reserve(&out, (size_t)1 << 21));
	memset(out.data + out.len, 0, (size_t)1 << 21);
	out.len += (size_t)1 << 21;
	proto_end(&out, mark);
	assert_true(out.failed);
	bytes_done(&out);
}

/* --- Parquet -------------------------------------------------------------------------------- */

static void runs_are_short(void **state)
{
	static const uint32_t same[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
	struct bytes out = {0};

	parquet_hybrid(&out, same, 10, 3);
	assert_bytes(&out, LITERAL("\x14\x05"));
	parquet_hybrid(&out, same, 10, 9);
	assert_bytes(&out, LITERAL("\x14\x05\x00"));
}

static void others_are_packed(void **state)
{
	/* The example of Parquet's documentation: 0 to 7 in three bits. */
	static const uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 1};
	static const uint32_t wide[] = {0x12345, 0xfffff};
	struct bytes out = {0};

	parquet_hybrid(&out, numbers, 8, 3);
	assert_bytes(&out, LITERAL("\x03\x88\xc6\xfa"));
	/* The last group of eight is filled up. */
	parquet_hybrid(&out, numbers, 9, 3);
	assert_bytes(&out, LITERAL("\x05\x88\xc6\xfa\x01\x00\x00"));
	parquet_hybrid(&out, wide, 2, 20);
	assert_bytes(&out, LITERAL("\x03\x45\x23\xf1\xff\xff\x00\x00\x00\x00\x00"
				   "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"));
}

/* --- HdrHistogram --------------------------------------------------------------------------- */

static void base64_as_in_its_rfc(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes out = {0};

		hdr_base64((const uint8_t *)cases[i][0], strlen(cases[i][0]), &out);
		assert_int_equal(out.len, strlen(cases[i][1]));
		if (out.len)
			assert_memory_equal(out.data, cases[i][1], out.len);
		bytes_done(&out);
	}
	{
		struct bytes out = {0};

		hdr_base64(LITERAL("\xff\xef\xbe"), &out);
		assert_bytes(&out, LITERAL("/+++"));
	}
}

static void histograms_encode(void **state)
{
	struct hdr *hdr = hdr_new();
	struct bytes out = {0};

	assert_non_null(hdr);
	for (unsigned int i = 0; i < 64; i++)
		hdr_record(hdr, 1);
	hdr_record(hdr, 3);
	hdr_record(hdr, 4);
	hdr_record(hdr, 10);
	hdr_encode(hdr, &out);
	/* cookie, 8 bytes of counts, offset, digits, lowest, highest, ratio; zigzag: one zero is 0,
	 * 64 is 0x80 0x01, five zeros are -5.
	 */
	assert_bytes(&out, LITERAL("\x1c\x84\x93\x13"
				   "\x00\x00\x00\x08"
				   "\x00\x00\x00\x00"
				   "\x00\x00\x00\x03"
				   "\x00\x00\x00\x00\x00\x00\x00\x01"
				   "\x00\x00\x03\x46\x30\xb8\xa0\x00"
				   "\x3f\xf0\x00\x00\x00\x00\x00\x00"
				   "\x00\x80\x01\x00\x02\x02\x09\x02"));
	assert_int_equal(hdr_encode_text(hdr, &out), 0);
	assert_true(out.len > 8);
	assert_memory_equal(out.data, "HISTFAAA", 8);
	bytes_done(&out);
	free(hdr);
}

static void histograms_know_their_values(void **state)
{
	static const struct {
		uint64_t value;
		uint32_t index;
		uint64_t lowest;
		uint64_t highest;
	} cases[] = {
		{0, 0, 0, 0},
		{1, 1, 1, 1},
		{2047, 2047, 2047, 2047},
		{2048, 2048, 2048, 2049},
		{2049, 2048, 2048, 2049},
		{4095, 3071, 4094, 4095},
		{4096, 3072, 4096, 4099},
		{1000000, 11169, 999936, 1000447},
	};
	uint32_t last = hdr_index(HDR_HIGHEST);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(hdr_index(cases[i].value), cases[i].index);
		assert_int_equal(hdr_lowest(cases[i].index), cases[i].lowest);
		assert_int_equal(hdr_highest(cases[i].index), cases[i].highest);
	}
	assert_true(last < HDR_COUNTS);
	for (uint32_t i = 0; i < last; i++)
		assert_true(hdr_highest(i) + 1 == hdr_lowest(i + 1));
}

static void percentile_rows_end_with_the_last(void **state)
{
	struct hdr *hdr = hdr_new();
	struct hdr_rows rows;
	struct hdr_row row;
	unsigned int count = 0;

	assert_non_null(hdr);
	hdr_rows_init(&rows, hdr);
	assert_int_equal(hdr_rows_next(&rows, &row), 0);
	hdr_record(hdr, 7);
	hdr_rows_init(&rows, hdr);
	assert_int_equal(hdr_rows_next(&rows, &row), 1);
	assert_true(row.percentile == 0 && row.value == 7 && row.count == 1);
	assert_int_equal(hdr_rows_next(&rows, &row), 1);
	assert_true(row.percentile == 1 && row.value == 7 && row.count == 1);
	assert_int_equal(hdr_rows_next(&rows, &row), 0);
	for (uint64_t i = 1; i < 100; i++)
		hdr_record(hdr, i);
	for (hdr_rows_init(&rows, hdr); hdr_rows_next(&rows, &row);)
		count++;
	assert_true(count > 20);
	assert_true(row.percentile == 1 && row.value == 99 && row.count == 100);
	free(hdr);
}

/* --- names ---------------------------------------------------------------------------------- */

static void assert_text(const char *name, const char *wanted)
{
	struct bytes scratch = {0};
	struct trace_bytes text = export_text(&scratch, bytes_of(name));

	assert_int_equal(text.len, strlen(wanted));
	if (text.len)
		assert_memory_equal(text.data, wanted, text.len);
	bytes_done(&scratch);
}

static void names_are_text_that_can_be_taken_back(void **state)
{
	struct bytes scratch = {0};
	struct trace_bytes text;

	assert_text("", "");
	assert_text("/a b/c", "/a b/c");
	assert_text("caf\xc3\xa9", "caf\xc3\xa9");
	assert_text("a\\xff", "a\\\\xff");
	assert_text("\xff\xfe", "\\xff\\xfe");
	assert_text("cut \xe2\x82", "cut \\xe2\\x82");
	assert_text("tab\tnl\n\x7f", "tab\\x09nl\\x0a\\x7f");
	text = export_text(&scratch, (struct trace_bytes){LITERAL("nul\0!")});
	assert_int_equal(text.len, 8);
	assert_memory_equal(text.data, "nul\\x00!", 8);
	bytes_done(&scratch);
}

static void assert_iolog_name(const char *path, const char *wanted, size_t escaped)
{
	struct bytes out = {0};

	assert_int_equal(iolog_name(&out, bytes_of(path)), escaped);
	assert_int_equal(out.len, strlen(wanted));
	if (out.len)
		assert_memory_equal(out.data, wanted, out.len);
	bytes_done(&out);
}

static void names_of_a_log_stay_below(void **state)
{
	assert_iolog_name("/a/b", "a/b", 0);
	assert_iolog_name("//a///b/", "a/b", 0);
	assert_iolog_name("/", "", 0);
	assert_iolog_name("/a b\n100%", "a%20b%0a100%25", 3);
	assert_iolog_name("/../../etc/x", "%2e%2e/%2e%2e/etc/x", 4);
	assert_iolog_name("/./...", "%2e/...", 1);
	assert_iolog_name("/\xff", "\xff", 0);
}

static void strings_are_numbered_once(void **state)
{
	struct stringset set = {0};
	char text[16];
	const uint8_t *have;
	uint32_t number;
	size_t len;

	for (unsigned int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			snprintf(text, sizeof(text), "%x", i);
			assert_int_equal(stringset_put(&set, text, strlen(text), &number), !round);
			assert_int_equal(number, i);
		}
	}
	assert_int_equal(stringset_put(&set, "", 0, &number), 1);
	assert_int_equal(number, 5000);
	have = stringset_get(&set, 0x123, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(have, "123", 3);
	stringset_clear(&set);
	assert_int_equal(stringset_put(&set, "123", 3, &number), 1);
	assert_int_equal(number, 0);
	stringset_done(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST("Thrift's fields are as its compact protocol says", thrift_puts_fields),
		TEST("lists have a short and a long head", thrift_puts_lists),
		TEST("Protocol Buffers' fields and messages inside messages", proto_puts_fields),
		TEST("the length of a message takes as many bytes as it needs", proto_lengths_grow),
		TEST("a message that is too long is an error", proto_refuses_what_is_too_long),
		TEST("equal numbers are one run", runs_are_short),
		TEST("other numbers are packed bit by bit", others_are_packed),
		TEST("base64 with its padding", base64_as_in_its_rfc),
		TEST("a histogram's V2 encoding", histograms_encode),
		TEST("each index of a histogram begins where the one before ends",
		     histograms_know_their_values),
		TEST("percentile rows end with 100 %", percentile_rows_end_with_the_last),
		TEST("names are valid text and can be taken back",
		     names_are_text_that_can_be_taken_back),
		TEST("names in fio's log have no blanks and stay below", names_of_a_log_stay_below),
		TEST("strings get a number when they are new", strings_are_numbered_once),
	};

	return RUN(tests);
}
