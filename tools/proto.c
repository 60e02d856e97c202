// SPDX-License-Identifier: GPL-2.0-or-later
/* Tags, varints, lengths. */
#include "config.h"

#include "tools/proto.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_LENGTH = 2 };

#define LENGTH_BYTES 3u /* at most: messages are below 2 MiB */

void proto_uint(struct bytes *out, unsigned int field, uint64_t value)
{
	bytes_put_varint(out, field << 3 | WIRE_VARINT);
	bytes_put_varint(out, value);
}

void proto_bytes(struct bytes *out, unsigned int field, const void *data, size_t len)
{
	bytes_put_varint(out, field << 3 | WIRE_LENGTH);
	bytes_put_blob(out, data, len);
}

void proto_string(struct bytes *out, unsigned int field, const char *text)
{
	proto_bytes(out, field, text, strlen(text));
}

size_t proto_begin(struct bytes *out, unsigned int field)
{
	bytes_put_varint(out, field << 3 | WIRE_LENGTH);
	return out->len;
}

void proto_end(struct bytes *out, size_t mark)
{
	size_t len = out->len - mark, digits = len < 0x80 ? 1 : len < 0x4000 ? 2 : LENGTH_BYTES;
	uint8_t *at;

	if (len >= (size_t)1 << 21)
		out->failed = true;
	if (!bytes_reserve(out, digits))
		return;
	at = out->data + mark;
	memmove(at + digits, at, len);
	out->len += digits;
	for (size_t i = 0; i < digits; i++, len >>= 7)
		at[i] = (uint8_t)((len & 0x7f) | (i + 1 < digits ? 0x80 : 0));
}
