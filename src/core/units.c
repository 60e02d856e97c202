// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers with units: exact decimal parsing, three-digit printing. */
#include "config.h"

#include "core/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/wide.h"

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit time_units[] = {
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000000},
	{"s", 1000000000},
	{"m", UINT64_C(60) * 1000000000},
	{"min", UINT64_C(60) * 1000000000},
	{"h", UINT64_C(3600) * 1000000000},
	{"d", UINT64_C(86400) * 1000000000},
	{NULL, 0},
};

static const struct unit size_units[] = {
	{"", 1},
	{"B", 1},
	{"K", UINT64_C(1) << 10},
	{"k", UINT64_C(1) << 10},
	{"KiB", UINT64_C(1) << 10},
	{"M", UINT64_C(1) << 20},
	{"MiB", UINT64_C(1) << 20},
	{"G", UINT64_C(1) << 30},
	{"GiB", UINT64_C(1) << 30},
	{"T", UINT64_C(1) << 40},
	{"TiB", UINT64_C(1) << 40},
	{"kB", 1000},
	{"KB", 1000},
	{"MB", 1000000},
	{"GB", 1000000000},
	{"TB", UINT64_C(1000000000000)},
	{NULL, 0},
};

/* A decimal number split into whole and fraction, so that no floating point rounds it. */
struct decimal {
	uint64_t whole;
	uint64_t fraction; /* numerator over scale */
	uint64_t scale;
};

static int parse_decimal(const char **text, struct decimal *ret_number)
{
	struct decimal number = {.scale = 1};
	const char *at = *text;
	bool digits = false;

	for (; isdigit((unsigned char)*at); at++, digits = true) {
		if (__builtin_mul_overflow(number.whole, 10, &number.whole) ||
		    __builtin_add_overflow(number.whole, (uint64_t)(*at - '0'), &number.whole))
			return -ERANGE;
	}
	if (*at == '.') {
		for (at++; isdigit((unsigned char)*at); at++, digits = true) {
			/* Nine digits reach the nanosecond of a second; more can't change it. */
			if (number.scale >= 1000000000)
				continue;
			number.fraction = number.fraction * 10 + (uint64_t)(*at - '0');
			number.scale *= 10;
		}
	}
	if (!digits)
		return -EINVAL;
	*text = at;
	*ret_number = number;
	return 0;
}

static int scale_decimal(const struct decimal *number, uint64_t factor, uint64_t *ret_value)
{
	uint64_t value;
	uint128 part = (uint128)number->fraction * factor / number->scale;

	if (__builtin_mul_overflow(number->whole, factor, &value) ||
	    __builtin_add_overflow(value, (uint64_t)part, &value))
		return -ERANGE;
	*ret_value = value;
	return 0;
}

static int parse_unit(const char *text, const struct unit *units, uint64_t *ret_factor)
{
	while (*text == ' ')
		text++;
	for (; units->name; units++) {
		if (!strcmp(units->name, text)) {
			*ret_factor = units->factor;
			return 0;
		}
	}
	return -EINVAL;
}

int units_parse_time(const char *text, uint64_t bare_unit_ns, uint64_t *ret_ns)
{
	struct decimal number;
	uint64_t factor = bare_unit_ns;
	int err = parse_decimal(&text, &number);

	if (!err && *text)
		err = parse_unit(text, time_units, &factor);
	if (!err && !factor && (number.whole || number.fraction))
		err = -EINVAL;
	return err ? err : scale_decimal(&number, factor, ret_ns);
}

int units_parse_size(const char *text, uint64_t *ret_bytes)
{
	struct decimal number;
	uint64_t factor = 1;
	int err = parse_decimal(&text, &number);

	if (!err)
		err = parse_unit(text, size_units, &factor);
	return err ? err : scale_decimal(&number, factor, ret_bytes);
}

int units_parse_uint(const char *text, uint64_t min, uint64_t max, uint64_t *ret_value)
{
	struct decimal number;
	int err = parse_decimal(&text, &number);

	if (err)
		return err;
	if (*text || number.scale != 1 || text[-1] == '.')
		return -EINVAL;
	if (number.whole < min || number.whole > max)
		return -ERANGE;
	*ret_value = number.whole;
	return 0;
}

int units_parse_share(const char *text, uint32_t *ret_ppm)
{
	struct decimal number;
	uint64_t ppm, factor = 1000000;
	int err = parse_decimal(&text, &number);

	if (err)
		return err;
	while (*text == ' ')
		text++;
	if (!strcmp(text, "%"))
		factor = 10000;
	else if (*text)
		return -EINVAL;
	err = scale_decimal(&number, factor, &ppm);
	if (err || ppm > 1000000)
		return -ERANGE;
	*ret_ppm = (uint32_t)ppm;
	return 0;
}

/* Prints with three significant digits: 9.99, 99.9, 999. */
static char *format_scaled(char text[UNITS_TEXT], double value, const char *unit)
{
	int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	snprintf(text, UNITS_TEXT, "%.*f%s%s", digits, value, *unit ? " " : "", unit);
	return text;
}

char *units_format_time(char text[UNITS_TEXT], uint64_t ns)
{
	double value = (double)ns;

	if (ns < 1000) {
		snprintf(text, UNITS_TEXT, "%u ns", (unsigned int)ns);
		return text;
	}
	if (value < 999.5e3)
		return format_scaled(text, value / 1e3, "us");
	if (value < 999.5e6)
		return format_scaled(text, value / 1e6, "ms");
	return format_scaled(text, value / 1e9, "s");
}

char *units_format_size(char text[UNITS_TEXT], uint64_t bytes)
{
	static const char *const names[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)bytes / 1024;
	unsigned int i = 0;

	if (bytes < 1024) {
		snprintf(text, UNITS_TEXT, "%u B", (unsigned int)bytes);
		return text;
	}
	for (; value >= 1023.5 && i < 5; i++)
		value /= 1024;
	return format_scaled(text, value, names[i]);
}

char *units_format_count(char text[UNITS_TEXT], double count)
{
	static const char *const names[] = {"k", "M", "G", "T", "P", "E"};
	unsigned int i = 0;

	if (count < 999.5) {
		snprintf(text, UNITS_TEXT, "%.*f", count < 9.995 && count > 0 ? 1 : 0, count);
		return text;
	}
	for (count /= 1000; count >= 999.5 && i < 5; i++)
		count /= 1000;
	return format_scaled(text, count, names[i]);
}
