// SPDX-License-Identifier: GPL-2.0-or-later
/* Byte strings for formats: varints, blobs, growing output, bounded input. */
#include "config.h"

#include "core/bytes.h"

#include <stdlib.h>
#include <string.h>

#define VARINT_MAX 10

void bytes_done(struct bytes *out)
{
	free(out->data);
	*out = (struct bytes){0};
}

bool bytes_reserve(struct bytes *out, size_t n)
{
	size_t room = out->room ? out->room : 256;
	uint8_t *data;

	if (out->failed)
		return false;
	if (n <= out->room - out->len)
		return true;
	while (room - out->len < n && room < SIZE_MAX / 2)
		room *= 2;
	data = room - out->len >= n ? realloc(out->data, room) : NULL;
	if (!data) {
		out->failed = true;
		return false;
	}
	out->data = data;
	out->room = room;
	return true;
}

void bytes_put(struct bytes *out, const void *data, size_t len)
{
	if (!len || !bytes_reserve(out, len))
		return;
	memcpy(out->data + out->len, data, len);
	out->len += len;
}

void bytes_put_varint(struct bytes *out, uint64_t value)
{
	if (!bytes_reserve(out, VARINT_MAX))
		return;
	while (value >= 0x80) {
		out->data[out->len++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	out->data[out->len++] = (uint8_t)value;
}

void bytes_put_signed(struct bytes *out, int64_t value)
{
	bytes_put_varint(out, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

void bytes_put_blob(struct bytes *out, const void *data, size_t len)
{
	bytes_put_varint(out, len);
	bytes_put(out, data, len);
}

void bytes_put_string(struct bytes *out, const char *string)
{
	bytes_put_blob(out, string, strlen(string));
}

struct cursor cursor_of(const void *data, size_t len)
{
	const uint8_t *at = data;

	return (struct cursor){.at = at, .end = len ? at + len : at};
}

size_t cursor_left(const struct cursor *in)
{
	return in->failed ? 0 : (size_t)(in->end - in->at);
}

static uint64_t fail(struct cursor *in)
{
	in->failed = true;
	in->at = in->end;
	return 0;
}

uint64_t cursor_varint(struct cursor *in)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 7 * VARINT_MAX; shift += 7) {
		uint8_t byte;

		if (!cursor_left(in))
			return fail(in);
		byte = *in->at++;
		if (shift == 63 && byte > 1)
			return fail(in);
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	return fail(in);
}

int64_t cursor_signed(struct cursor *in)
{
	uint64_t value = cursor_varint(in);

	return (int64_t)((value >> 1) ^ (0 - (value & 1)));
}

const uint8_t *cursor_blob(struct cursor *in, size_t *ret_len)
{
	uint64_t len = cursor_varint(in);
	const uint8_t *data = in->at;

	*ret_len = 0;
	if (in->failed || len > cursor_left(in)) {
		fail(in);
		return NULL;
	}
	in->at += len;
	*ret_len = (size_t)len;
	return data;
}

char *cursor_string(struct cursor *in)
{
	size_t len;
	const uint8_t *data = cursor_blob(in, &len);
	char *string;

	if (!data)
		return NULL;
	string = malloc(len + 1);
	if (!string)
		return NULL;
	memcpy(string, data, len);
	string[len] = '\0';
	return string;
}

struct cursor cursor_sub(struct cursor *in, uint64_t n)
{
	struct cursor sub = {.at = in->at, .end = in->at};

	if (n > cursor_left(in)) {
		fail(in);
		sub.failed = true;
		return sub;
	}
	in->at += n;
	sub.end = in->at;
	return sub;
}
