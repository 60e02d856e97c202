/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Byte strings that are perhaps UTF-8: decoding, display width, and printing them safely. */
#ifndef TOOLS_UTF8_H
#define TOOLS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Length of the character at text, 1 to 4, and its code point; 0 when the bytes there are no
 * valid UTF-8 (overlong forms, surrogates and what is cut short by the NUL included).
 */
size_t utf8_next(const char *text, uint32_t *ret_point);

/* The same within so many bytes (at least one), which may hold NULs: each is a character. */
size_t utf8_decode(const uint8_t *at, size_t room, uint32_t *ret_point);

/* Can the character drive a terminal, or turn the direction of text? */
bool utf8_unsafe(uint32_t point);

/* Is the whole string valid UTF-8? */
bool utf8_valid(const char *text);

/* Columns that a string of valid UTF-8 takes on a terminal. */
size_t utf8_columns(const char *text);

/* Bytes of the longest beginning that takes at most so many columns. */
size_t utf8_fitting(const char *text, size_t columns);

/*
 * The string as one line that can't drive a terminal: control characters, marks that turn the
 * direction of text, and bytes that are no UTF-8 as \xNN, a backslash as two. On the heap (free()
 * it); NULL when memory is short.
 */
char *utf8_escape(const char *text);

#endif
