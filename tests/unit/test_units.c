// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers with units: exact where they fit, refused where they do not. */
#include "config.h"

#include "test.h"

#include <errno.h>

#include "core/units.h"

struct good {
	const char *text;
	uint64_t value;
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void times_are_exact(void **state)
{
	static const struct good cases[] = {
		{"0", 0},
		{"7", 7000000},
		{"1ns", 1},
		{"20ms", 20000000},
		{"20 ms", 20000000},
		{"1.5s", 1500000000},
		{".5us", 500},
		{"1.000000001s", 1000000001},
		{"2m", UINT64_C(120000000000)},
		{"2min", UINT64_C(120000000000)},
		{"1h", UINT64_C(3600000000000)},
		{"1d", UINT64_C(86400000000000)},
		{"18446744073709551615ns", UINT64_MAX},
		{"18446744073.709551615s", UINT64_MAX},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t ns = 0;

		assert_int_equal(units_parse_time(cases[i].text, 1000000, &ns), 0);
		assert_int_equal(ns, cases[i].value);
	}
}

static void only_zero_may_be_bare_without_a_unit_to_take(void **state)
{
	static const char *const zeros[] = {"0", "0.0", ".0", "00"};
	static const char *const bare[] = {"1", "20", "0.5", "18446744073709551615"};
	uint64_t ns = 42;

	for (size_t i = 0; i < COUNT(bare); i++)
		assert_int_equal(units_parse_time(bare[i], 0, &ns), -EINVAL);
	assert_int_equal(ns, 42);
	for (size_t i = 0; i < COUNT(zeros); i++) {
		ns = 42;
		assert_int_equal(units_parse_time(zeros[i], 0, &ns), 0);
		assert_int_equal(ns, 0);
	}
	assert_int_equal(units_parse_time("20ms", 0, &ns), 0);
	assert_int_equal(ns, 20000000);
	assert_int_equal(units_parse_time("1.5", 1000000000, &ns), 0);
	assert_int_equal(ns, 1500000000);
}

static void sizes_are_exact(void **state)
{
	static const struct good cases[] = {
		{"0", 0},
		{"4096", 4096},
		{"4096B", 4096},
		{"4K", 4096},
		{"4k", 4096},
		{"4KiB", 4096},
		{"4kB", 4000},
		{"1.5M", 1572864},
		{"1MB", 1000000},
		{"2GiB", UINT64_C(2147483648)},
		{"1TB", UINT64_C(1000000000000)},
		{"16777215T", UINT64_C(16777215) << 40},
		{"18446744073709551615", UINT64_MAX},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t bytes = 0;

		assert_int_equal(units_parse_size(cases[i].text, &bytes), 0);
		assert_int_equal(bytes, cases[i].value);
	}
}

static void overflow_is_refused(void **state)
{
	static const char *const times[] = {"18446744073709551616ns", "18446744073.709551616s",
					    "18446744074s", "213504d",
					    "99999999999999999999999999999999"};
	static const char *const sizes[] = {"18446744073709551616", "16777216T",
					    "16777215.9999999999999T1"};
	uint64_t value = 42;

	for (size_t i = 0; i < COUNT(times); i++)
		assert_int_equal(units_parse_time(times[i], 1, &value), -ERANGE);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(units_parse_size(sizes[i], &value), -ERANGE);
	assert_int_equal(units_parse_size(sizes[2], &value), -EINVAL);
	assert_int_equal(value, 42);
}

static void nonsense_is_refused(void **state)
{
	static const char *const texts[] = {"",    " ",   "ms",   ".",    "-1",   "-1s",  "+1s",
					    "1x",  "1sx", "1 s ", "1e3s", "0x10", "1,5s", "1..5s",
					    "nan", "inf", "1MS",  " 1s",  "1s1s"};
	uint64_t value = 42;

	for (size_t i = 0; i < COUNT(texts); i++) {
		assert_int_equal(units_parse_time(texts[i], 1, &value), -EINVAL);
		assert_int_equal(units_parse_size(texts[i], &value), -EINVAL);
		assert_int_equal(units_parse_uint(texts[i], 0, UINT64_MAX, &value), -EINVAL);
	}
	assert_int_equal(value, 42);
}

static void plain_numbers_keep_to_their_range(void **state)
{
	uint64_t value = 42;

	assert_int_equal(units_parse_uint("0", 1, 10, &value), -ERANGE);
	assert_int_equal(units_parse_uint("11", 1, 10, &value), -ERANGE);
	assert_int_equal(units_parse_uint("18446744073709551616", 0, UINT64_MAX, &value), -ERANGE);
	assert_int_equal(units_parse_uint("5.", 1, 10, &value), -EINVAL);
	assert_int_equal(units_parse_uint("5.0", 1, 10, &value), -EINVAL);
	assert_int_equal(value, 42);
	assert_int_equal(units_parse_uint("10", 1, 10, &value), 0);
	assert_int_equal(value, 10);
	assert_int_equal(units_parse_uint("18446744073709551615", 0, UINT64_MAX, &value), 0);
	assert_true(value == UINT64_MAX);
}

static void shares_are_parts_in_a_million(void **state)
{
	static const struct good cases[] = {{"0", 0},         {"1", 1000000},   {"0.3", 300000},
					    {"30%", 300000},  {"30 %", 300000}, {"0.0001%", 1},
					    {"100%", 1000000}};
	static const struct {
		const char *text;
		int err;
	} bad[] = {{"1.1", -ERANGE}, {"101%", -ERANGE}, {"30%%", -EINVAL},
		   {"", -EINVAL},    {"-1%", -EINVAL},  {"99999999999999999%", -ERANGE}};
	uint32_t ppm;

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(units_parse_share(cases[i].text, &ppm), 0);
		assert_int_equal(ppm, cases[i].value);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(units_parse_share(bad[i].text, &ppm), bad[i].err);
}

static void formatted_have_three_digits(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} times[] = {{0, "0 ns"},          {812, "812 ns"},        {1000, "1.00 us"},
		     {24100, "24.1 us"},   {999499, "999 us"},     {999500, "1.00 ms"},
		     {3500000, "3.50 ms"}, {12000000000, "12.0 s"}};
	static const struct {
		uint64_t bytes;
		const char *text;
	} sizes[] = {{0, "0 B"},
		     {512, "512 B"},
		     {1023, "1023 B"},
		     {1024, "1.00 KiB"},
		     {4096, "4.00 KiB"},
		     {1048575, "1.00 MiB"},
		     {UINT64_C(1288490189), "1.20 GiB"},
		     {UINT64_MAX, "16.0 EiB"}};
	char text[UNITS_TEXT];

	for (size_t i = 0; i < COUNT(times); i++)
		assert_string_equal(units_format_time(text, times[i].ns), times[i].text);
	for (size_t i = 0; i < COUNT(sizes); i++)
		assert_string_equal(units_format_size(text, sizes[i].bytes), sizes[i].text);
	assert_string_equal(units_format_count(text, 0), "0");
	assert_string_equal(units_format_count(text, 950), "950");
	assert_string_equal(units_format_count(text, 12400), "12.4 k");
	assert_string_equal(units_format_count(text, 3.1e6), "3.10 M");
}

static void every_formatted_number_fits(void **state)
{
	char text[UNITS_TEXT];

	units_format_time(text, UINT64_MAX);
	units_format_size(text, UINT64_MAX);
	units_format_count(text, 1.8e19);
	assert_string_equal(text, "18.0 E");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("times are exact to the nanosecond", times_are_exact),
		TEST("where no unit is implied only 0 may be bare",
		     only_zero_may_be_bare_without_a_unit_to_take),
		TEST("sizes are exact to the byte", sizes_are_exact),
		TEST("a value that does not fit is refused, not wrapped", overflow_is_refused),
		TEST("what is no number with a unit is refused", nonsense_is_refused),
		TEST("plain numbers keep to their range", plain_numbers_keep_to_their_range),
		TEST("shares are parts in a million", shares_are_parts_in_a_million),
		TEST("numbers are printed with three digits and a unit",
		     formatted_have_three_digits),
		TEST("the largest numbers fit the text", every_formatted_number_fits),
	};

	return RUN(tests);
}
