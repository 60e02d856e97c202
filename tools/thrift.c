// SPDX-License-Identifier: GPL-2.0-or-later
/* Field headers, zigzag varints, lengths. */
#include "config.h"

#include "tools/thrift.h"

#include <assert.h>
#include <string.h>

#define SHORT_LIST 15u

void thrift_init(struct thrift *thrift, struct bytes *out)
{
	memset(thrift, 0, sizeof(*thrift));
	thrift->out = out;
}

static void put_byte(struct thrift *thrift, unsigned int byte)
{
	uint8_t data = (uint8_t)byte;

	bytes_put(thrift->out, &data, 1);
}

/* One byte while the numbers are near each other. */
static void put_field(struct thrift *thrift, int field, enum thrift_type type)
{
	int *last = &thrift->last[thrift->depth], step = field - *last;

	if (step >= 1 && step <= 15) {
		put_byte(thrift, (unsigned int)step << 4 | type);
	} else {
		put_byte(thrift, type);
		bytes_put_signed(thrift->out, field);
	}
	*last = field;
}

void thrift_bool(struct thrift *thrift, int field, bool value)
{
	put_field(thrift, field, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_i8(struct thrift *thrift, int field, int8_t value)
{
	put_field(thrift, field, THRIFT_I8);
	put_byte(thrift, (uint8_t)value);
}

void thrift_i32(struct thrift *thrift, int field, int32_t value)
{
	put_field(thrift, field, THRIFT_I32);
	bytes_put_signed(thrift->out, value);
}

void thrift_i64(struct thrift *thrift, int field, int64_t value)
{
	put_field(thrift, field, THRIFT_I64);
	bytes_put_signed(thrift->out, value);
}

void thrift_binary(struct thrift *thrift, int field, const void *data, size_t len)
{
	put_field(thrift, field, THRIFT_BINARY);
	bytes_put_blob(thrift->out, data, len);
}

void thrift_string(struct thrift *thrift, int field, const char *text)
{
	thrift_binary(thrift, field, text, strlen(text));
}

void thrift_struct(struct thrift *thrift, int field)
{
	if (field)
		put_field(thrift, field, THRIFT_STRUCT);
	assert(thrift->depth + 1 < THRIFT_DEPTH);
	thrift->last[++thrift->depth] = 0;
}

void thrift_end(struct thrift *thrift)
{
	assert(thrift->depth > 0);
	put_byte(thrift, 0);
	thrift->depth--;
}

void thrift_list(struct thrift *thrift, int field, enum thrift_type type, size_t count)
{
	put_field(thrift, field, THRIFT_LIST);
	if (count < SHORT_LIST) {
		put_byte(thrift, (unsigned int)count << 4 | type);
		return;
	}
	put_byte(thrift, 0xf0u | type);
	bytes_put_varint(thrift->out, count);
}

void thrift_element_i32(struct thrift *thrift, int32_t value)
{
	bytes_put_signed(thrift->out, value);
}

void thrift_element_string(struct thrift *thrift, const char *text)
{
	bytes_put_blob(thrift->out, text, strlen(text));
}
