/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces of a line: taking it apart and reading its numbers, bounded and exact.
 *
 * A slice borrows bytes that need no terminator and may hold anything. Numbers are whole slices:
 * a byte behind the number makes it none. Nothing is rounded through floating point.
 */
#ifndef TOOLS_IMPORT_TEXT_H
#define TOOLS_IMPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
	const char *at;
	size_t len;
};

struct slice slice_of(const char *text);
/* The part from byte `from` (at most the length) on. */
struct slice slice_from(struct slice slice, size_t from);
struct slice slice_trim(struct slice slice);
bool slice_is(struct slice slice, const char *word);
bool slice_begins(struct slice slice, const char *word);
bool slice_ends(struct slice slice, const char *word);
/* Takes the word off the beginning if it is there. */
bool slice_skip(struct slice *rest, const char *word);
/* Where the word or byte is first (last), or the slice's length. */
size_t slice_find(struct slice slice, const char *word);
size_t slice_find_last(struct slice slice, char byte);

/* The next word between blanks (len 0: no more). */
struct slice slice_word(struct slice *rest);
/*
 * The next field before the separator, without blanks around it and without quotes; separator ' '
 * takes words. Returns false when there are no more.
 */
bool slice_field(struct slice *rest, char separator, struct slice *ret_field);

/* Return 0, -EINVAL (not such a number) or -ERANGE. */
int slice_uint(struct slice slice, uint64_t *ret_value);
int slice_hex(struct slice slice, uint64_t *ret_value);
int slice_octal(struct slice slice, uint64_t *ret_value);
/* Decimal, 0xHEX or 0OCTAL, as C writes it; negative ones as two's complement. */
int slice_c_number(struct slice slice, uint64_t *ret_value);
/* A decimal number with or without fraction times the unit; what is below 1 is cut. */
int slice_scaled(struct slice slice, uint64_t unit, uint64_t *ret_value);

#endif
