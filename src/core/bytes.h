/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Byte strings for formats: a growing buffer to write to and a bounded cursor to read from.
 *
 * Integers are LEB128 varints (7 bits a byte, least significant first, at most 10 bytes); signed
 * ones are zigzag coded first. Writers and readers carry a sticky error, so that a record is put
 * or taken field by field and checked once.
 */
#ifndef CORE_BYTES_H
#define CORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t *data;
	size_t len;
	size_t room;
	bool failed; /* memory ran out: what was put is incomplete */
};

void bytes_done(struct bytes *out);
/* Makes sure that n more bytes fit. Returns false and sets failed when memory is short. */
bool bytes_reserve(struct bytes *out, size_t n);
void bytes_put(struct bytes *out, const void *data, size_t len);
void bytes_put_varint(struct bytes *out, uint64_t value);
void bytes_put_signed(struct bytes *out, int64_t value);
/* A length as varint, then the bytes. */
void bytes_put_blob(struct bytes *out, const void *data, size_t len);
void bytes_put_string(struct bytes *out, const char *string);

struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool failed; /* read past the end, or a malformed number: all later reads give 0 */
};

struct cursor cursor_of(const void *data, size_t len);
size_t cursor_left(const struct cursor *in);
uint64_t cursor_varint(struct cursor *in);
int64_t cursor_signed(struct cursor *in);
/* A blob as put by bytes_put_blob(): points into the input, valid as long as it is. */
const uint8_t *cursor_blob(struct cursor *in, size_t *ret_len);
/* A blob as a fresh, NUL-terminated string (free() it); NULL when failed or memory is short. */
char *cursor_string(struct cursor *in);
/* A cursor over the next n bytes, which are passed over here. */
struct cursor cursor_sub(struct cursor *in, uint64_t n);

#endif
