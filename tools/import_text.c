// SPDX-License-Identifier: GPL-2.0-or-later
/* Slices of lines and the numbers in them. */
#include "config.h"

#include "tools/import_text.h"

#include <errno.h>
#include <string.h>

#include "core/wide.h"

struct slice slice_of(const char *text)
{
	return (struct slice){text, strlen(text)};
}

struct slice slice_from(struct slice slice, size_t from)
{
	if (from > slice.len)
		from = slice.len;
	/* What is empty may be nowhere. */
	return from ? (struct slice){slice.at + from, slice.len - from} : slice;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

struct slice slice_trim(struct slice slice)
{
	while (slice.len && is_blank(*slice.at))
		slice = slice_from(slice, 1);
	while (slice.len && is_blank(slice.at[slice.len - 1]))
		slice.len--;
	return slice;
}

bool slice_is(struct slice slice, const char *word)
{
	size_t len = strlen(word);

	/* An empty slice may be nowhere. */
	return slice.len == len && (!len || !memcmp(slice.at, word, len));
}

bool slice_begins(struct slice slice, const char *word)
{
	size_t len = strlen(word);

	return slice.len >= len && !memcmp(slice.at, word, len);
}

bool slice_ends(struct slice slice, const char *word)
{
	size_t len = strlen(word);

	return slice.len >= len && !memcmp(slice.at + slice.len - len, word, len);
}

bool slice_skip(struct slice *rest, const char *word)
{
	if (!slice_begins(*rest, word))
		return false;
	*rest = slice_from(*rest, strlen(word));
	return true;
}

size_t slice_find(struct slice slice, const char *word)
{
	const char *found = slice.len ? memmem(slice.at, slice.len, word, strlen(word)) : NULL;

	return found ? (size_t)(found - slice.at) : slice.len;
}

size_t slice_find_last(struct slice slice, char byte)
{
	const char *found = slice.len ? memrchr(slice.at, byte, slice.len) : NULL;

	return found ? (size_t)(found - slice.at) : slice.len;
}

struct slice slice_word(struct slice *rest)
{
	struct slice word;
	size_t len = 0;

	*rest = slice_trim(*rest);
	while (len < rest->len && !is_blank(rest->at[len]))
		len++;
	word = (struct slice){rest->at, len};
	*rest = slice_from(*rest, len);
	return word;
}

bool slice_field(struct slice *rest, char separator, struct slice *ret_field)
{
	struct slice field;
	const char *found;

	if (separator == ' ') {
		*ret_field = slice_word(rest);
		return ret_field->len > 0;
	}
	if (!rest->at)
		return false;
	found = rest->len ? memchr(rest->at, separator, rest->len) : NULL;
	field = *rest;
	if (found) {
		field.len = (size_t)(found - rest->at);
		*rest = slice_from(*rest, field.len + 1);
	} else {
		*rest = (struct slice){NULL, 0};
	}
	field = slice_trim(field);
	if (field.len >= 2 && field.at[0] == '"' && field.at[field.len - 1] == '"')
		field = (struct slice){field.at + 1, field.len - 2};
	*ret_field = field;
	return true;
}

static int digit_of(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	if (byte >= 'A' && byte <= 'F')
		return byte - 'A' + 10;
	return 16;
}

static int parse_base(struct slice slice, unsigned int base, uint64_t *ret_value)
{
	uint64_t value = 0;
	int err = 0;

	if (!slice.len)
		return -EINVAL;
	for (size_t i = 0; i < slice.len; i++) {
		unsigned int digit = (unsigned int)digit_of(slice.at[i]);

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			err = -ERANGE;
	}
	if (!err)
		*ret_value = value;
	return err;
}

int slice_uint(struct slice slice, uint64_t *ret_value)
{
	return parse_base(slice, 10, ret_value);
}

int slice_hex(struct slice slice, uint64_t *ret_value)
{
	return parse_base(slice, 16, ret_value);
}

int slice_octal(struct slice slice, uint64_t *ret_value)
{
	return parse_base(slice, 8, ret_value);
}

int slice_c_number(struct slice slice, uint64_t *ret_value)
{
	bool negative = slice_skip(&slice, "-");
	uint64_t value;
	int err;

	if (slice_skip(&slice, "0x"))
		err = slice_hex(slice, &value);
	else if (slice.len > 1 && slice.at[0] == '0')
		err = slice_octal(slice, &value);
	else
		err = slice_uint(slice, &value);
	if (!err && negative && value > (uint64_t)INT64_MAX)
		err = -ERANGE;
	if (!err)
		*ret_value = negative ? 0 - value : value;
	return err;
}

/* Eighteen digits of a fraction fit 64 bits; those behind can't change a nanosecond. */
#define FRACTION_DIGITS 18

int slice_scaled(struct slice slice, uint64_t unit, uint64_t *ret_value)
{
	size_t dot = slice_find(slice, ".");
	struct slice fraction = slice_from(slice, dot + 1);
	uint64_t whole = 0, part = 0, scale = 1, value;
	int err = 0;

	if (dot || fraction.len == 0)
		err = slice_uint((struct slice){slice.at, dot}, &whole);
	for (size_t i = 0; i < fraction.len; i++) {
		if (digit_of(fraction.at[i]) > 9)
			return -EINVAL;
		if (i >= FRACTION_DIGITS)
			continue;
		part = part * 10 + (uint64_t)digit_of(fraction.at[i]);
		scale *= 10;
	}
	if (err)
		return err;
	part = (uint64_t)((uint128)part * unit / scale);
	if (__builtin_mul_overflow(whole, unit, &value) ||
	    __builtin_add_overflow(value, part, &value))
		return -ERANGE;
	*ret_value = value;
	return 0;
}
