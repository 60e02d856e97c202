// SPDX-License-Identifier: GPL-2.0-or-later
/* Names as bytes: what is UTF-8, and what may reach a terminal. */
#include "config.h"

#include "test.h"

#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "tools/utf8.h"

static void the_letter_of_the_standard_holds(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		uint32_t point;
	} cases[] = {
		{"A", 1, 'A'},
		{"\x7f", 1, 0x7f},
		{"\xc2\x80", 2, 0x80},
		{"\xdf\xbf", 2, 0x7ff},
		{"\xe0\xa0\x80", 3, 0x800},
		{"\xed\x9f\xbf", 3, 0xd7ff},
		{"\xee\x80\x80", 3, 0xe000},
		{"\xef\xbf\xbf", 3, 0xffff},
		{"\xf0\x90\x80\x80", 4, 0x10000},
		{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
		/* Not UTF-8: stray, overlong, surrogate, too large, cut short. */
		{"\x80", 0, 0},
		{"\xbf", 0, 0},
		{"\xc0\x80", 0, 0},
		{"\xc1\xbf", 0, 0},
		{"\xe0\x9f\xbf", 0, 0},
		{"\xed\xa0\x80", 0, 0},
		{"\xf0\x8f\xbf\xbf", 0, 0},
		{"\xf4\x90\x80\x80", 0, 0},
		{"\xf5\x80\x80\x80", 0, 0},
		{"\xff", 0, 0},
		{"\xc3", 0, 0},
		{"\xe2\x82", 0, 0},
		{"\xf0\x9f\x98", 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t point = 0;

		assert_int_equal(utf8_next(cases[i].bytes, &point), cases[i].len);
		if (cases[i].len)
			assert_int_equal(point, cases[i].point);
		assert_int_equal(utf8_valid(cases[i].bytes), cases[i].len > 0);
	}
}

static void check_escape(const char *bytes, const char *wanted)
{
	char *got = utf8_escape(bytes);

	assert_string_equal(got, wanted);
	free(got);
}

static void what_could_drive_a_terminal_is_escaped(void **state)
{
	check_escape("plain name", "plain name");
	check_escape("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	check_escape("a\nb\tc", "a\\x0ab\\x09c");
	check_escape("\033[31m\x7f", "\\x1b[31m\\x7f");
	check_escape("back\\slash", "back\\\\slash");
	check_escape("\xff\xfe", "\\xff\\xfe");
	check_escape("\xc2\x9b", "\\xc2\\x9b");          /* CSI, as a C1 control */
	check_escape("\xe2\x80\xae", "\\xe2\\x80\\xae"); /* right-to-left override */
	check_escape("\xef\xbb\xbf", "\\xef\\xbb\\xbf"); /* byte order mark */
	check_escape("", "");
}

/* Takes the escapes back out. */
static void unescape(const char *text, char *out)
{
	for (; *text; text++) {
		if (text[0] == '\\' && text[1] == 'x') {
			const char digits[] = {text[2], text[3], '\0'};

			*out++ = (char)strtoul(digits, NULL, 16);
			text += 3;
		} else {
			text += text[0] == '\\';
			*out++ = *text;
		}
	}
	*out = '\0';
}

static void any_bytes_come_back_from_their_escapes(void **state)
{
	struct rng rng = {3};

	for (unsigned int round = 0; round < 5000; round++) {
		char bytes[33], back[33];
		size_t len = rng_below(&rng, 32);
		char *safe;

		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)(1 + rng_below(&rng, 255));
		bytes[len] = '\0';
		safe = utf8_escape(bytes);
		assert_true(utf8_valid(safe));
		for (const char *at = safe; *at; at++)
			assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
		unescape(safe, back);
		assert_string_equal(back, bytes);
		free(safe);
	}
}

static void columns_are_those_of_a_terminal(void **state)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return;
	assert_int_equal(utf8_columns("abc"), 3);
	assert_int_equal(utf8_columns("gr\xc3\xbc\xc3\x9f"), 4);
	assert_int_equal(utf8_columns("\xe6\xbc\xa2\xe5\xad\x97"), 4); /* two wide characters */
	assert_int_equal(utf8_columns("e\xcc\x81"), 1);                /* one combines */
	assert_int_equal(utf8_fitting("\xe6\xbc\xa2\xe5\xad\x97", 3), 3);
	assert_int_equal(utf8_fitting("abc", 2), 2);
	assert_int_equal(utf8_fitting("abc", 9), 3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("valid and invalid forms are told apart", the_letter_of_the_standard_holds),
		TEST("what could drive a terminal is escaped",
		     what_could_drive_a_terminal_is_escaped),
		TEST("any bytes come back from their escapes",
		     any_bytes_come_back_from_their_escapes),
		TEST("columns are those of a terminal", columns_are_those_of_a_terminal),
	};

	return RUN(tests);
}
