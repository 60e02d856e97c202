// SPDX-License-Identifier: GPL-2.0-or-later
/* Row groups in memory, pages, and the footer that says where they are. */
#include "config.h"

#include "tools/parquet.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/export.h"
#include "tools/parquet_parts.h"
#include "trace/compress.h"

#define ZSTD_LEVEL 1

static size_t value_bytes(enum parquet_type type)
{
	return type == PARQUET_INT32 || type == PARQUET_STRING ? 4 : 8;
}

static void put(struct parquet *parquet, const void *data, size_t len)
{
	export_put(parquet->out, data, len);
	parquet->offset += len;
}

int parquet_new(struct outbuf *out, const struct parquet_column *columns, size_t count,
		struct parquet **ret_parquet)
{
	struct parquet *parquet = calloc(1, sizeof(*parquet));

	if (!parquet)
		return -ENOMEM;
	parquet->out = out;
	parquet->columns = columns;
	parquet->count = count;
	parquet->column = calloc(count, sizeof(parquet->column[0]));
	if (!parquet->column || compress_new(ZSTD_LEVEL, false, &parquet->compress)) {
		parquet_free(parquet);
		return -ENOMEM;
	}
	put(parquet, PARQUET_MAGIC, 4);
	*ret_parquet = parquet;
	return 0;
}

void parquet_free(struct parquet *parquet)
{
	if (!parquet)
		return;
	for (size_t i = 0; parquet->column && i < parquet->count; i++) {
		free(parquet->column[i].value.wide);
		stringset_done(&parquet->column[i].strings);
	}
	free(parquet->column);
	compress_free(parquet->compress);
	bytes_done(&parquet->plain);
	bytes_done(&parquet->packed);
	bytes_done(&parquet->header);
	bytes_done(&parquet->groups);
	free(parquet);
}

/* --- rows ----------------------------------------------------------------------------------- */

/* Room for one more row in all columns. */
static void make_room(struct parquet *parquet)
{
	uint32_t room = parquet->room ? parquet->room * 2 : 1024;

	if (parquet->rows < parquet->room || parquet->failed)
		return;
	for (size_t i = 0; i < parquet->count; i++) {
		struct column *column = &parquet->column[i];
		void *grown =
			realloc(column->value.wide, room * value_bytes(parquet->columns[i].type));

		if (!grown) {
			parquet->failed = true;
			return;
		}
		column->value.wide = grown;
	}
	parquet->room = room;
}

void parquet_int(struct parquet *parquet, size_t column, int64_t value)
{
	if (column == 0)
		make_room(parquet);
	if (parquet->failed)
		return;
	if (parquet->columns[column].type == PARQUET_INT32)
		parquet->column[column].value.narrow[parquet->rows] = (int32_t)value;
	else
		parquet->column[column].value.wide[parquet->rows] = value;
}

/* Rows are often like the one before: then the string needn't be looked up. */
static bool is_last(const struct column *column, uint32_t row, struct trace_bytes value)
{
	const uint8_t *text;
	size_t len;

	if (!row)
		return false;
	text = stringset_get(&column->strings, column->value.number[row - 1], &len);
	return len == value.len && (!len || !memcmp(text, value.data, len));
}

void parquet_string(struct parquet *parquet, size_t column, struct trace_bytes value)
{
	struct column *strings = &parquet->column[column];
	uint32_t row = parquet->rows;

	if (column == 0)
		make_room(parquet);
	if (parquet->failed)
		return;
	if (is_last(strings, row, value))
		strings->value.number[row] = strings->value.number[row - 1];
	else if (stringset_put(&strings->strings, value.data, value.len,
			       &strings->value.number[row]) < 0)
		parquet->failed = true;
}

/* --- pages ---------------------------------------------------------------------------------- */

static void put_bits(struct bytes *out, const uint32_t *numbers, size_t count, unsigned int width)
{
	uint64_t word = 0;
	unsigned int bits = 0;

	for (size_t i = 0; i < (count + 7) / 8 * 8; i++) {
		word |= (uint64_t)(i < count ? numbers[i] : 0) << bits;
		for (bits += width; bits >= 8; bits -= 8, word >>= 8) {
			if (out->len < out->room)
				out->data[out->len++] = (uint8_t)word;
		}
	}
}

void parquet_hybrid(struct bytes *out, const uint32_t *numbers, size_t count, unsigned int width)
{
	size_t groups = (count + 7) / 8, same = 0;

	while (same < count && numbers[same] == numbers[0])
		same++;
	if (count && same == count) {
		bytes_put_varint(out, (uint64_t)count << 1);
		for (unsigned int i = 0; i < (width + 7) / 8; i++) {
			uint8_t byte = (uint8_t)(numbers[0] >> 8 * i);

			bytes_put(out, &byte, 1);
		}
		return;
	}
	bytes_put_varint(out, (uint64_t)groups << 1 | 1);
	if (bytes_reserve(out, groups * width))
		put_bits(out, numbers, count, width);
}

/* Compresses the content of a page and writes it behind its header. */
static int put_page(struct parquet *parquet, int type, int encoding, const void *data, size_t len,
		    uint32_t values, struct chunk *chunk)
{
	struct thrift thrift;

	parquet->packed.len = parquet->header.len = 0;
	if (len > INT32_MAX ||
	    compress_put(parquet->compress, data, len, NULL, 0, &parquet->packed))
		return -ENOMEM;
	thrift_init(&thrift, &parquet->header);
	thrift_struct(&thrift, 0);
	thrift_i32(&thrift, 1, type);
	thrift_i32(&thrift, 2, (int32_t)len);
	thrift_i32(&thrift, 3, (int32_t)parquet->packed.len);
	thrift_struct(&thrift, type == PAGE_DATA ? 5 : 7);
	thrift_i32(&thrift, 1, (int32_t)values);
	thrift_i32(&thrift, 2, encoding);
	if (type == PAGE_DATA) {
		thrift_i32(&thrift, 3, ENCODING_RLE);
		thrift_i32(&thrift, 4, ENCODING_RLE);
	}
	thrift_end(&thrift);
	thrift_end(&thrift);
	if (parquet->header.failed)
		return -ENOMEM;
	put(parquet, parquet->header.data, parquet->header.len);
	put(parquet, parquet->packed.data, parquet->packed.len);
	chunk->plain_bytes += parquet->header.len + len;
	chunk->packed_bytes += parquet->header.len + parquet->packed.len;
	return 0;
}

void parquet_put_le32(struct bytes *out, uint32_t value)
{
	uint8_t data[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
			   (uint8_t)(value >> 24)};

	bytes_put(out, data, sizeof(data));
}

/* PLAIN is little-endian. */
static void to_plain(struct column *column, enum parquet_type type, uint32_t rows)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (uint32_t row = 0; row < rows; row++) {
		if (type == PARQUET_INT32)
			column->value.number[row] = __builtin_bswap32(column->value.number[row]);
		else
			column->value.wide[row] =
				(int64_t)__builtin_bswap64((uint64_t)column->value.wide[row]);
	}
#else
	(void)column;
	(void)type;
	(void)rows;
#endif
}

static int put_integers(struct parquet *parquet, size_t number, struct chunk *chunk)
{
	struct column *column = &parquet->column[number];
	enum parquet_type type = parquet->columns[number].type;
	int err;

	chunk->data_offset = parquet->offset;
	to_plain(column, type, parquet->rows);
	err = put_page(parquet, PAGE_DATA, ENCODING_PLAIN, column->value.wide,
		       parquet->rows * value_bytes(type), parquet->rows, chunk);
	to_plain(column, type, parquet->rows); /* and back, for the statistics */
	return err;
}

static int put_strings(struct parquet *parquet, size_t number, struct chunk *chunk)
{
	const struct column *column = &parquet->column[number];
	size_t count = column->strings.count, len;
	uint8_t width = 1;
	int err;

	parquet->plain.len = 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *text = stringset_get(&column->strings, i, &len);

		parquet_put_le32(&parquet->plain, (uint32_t)len);
		bytes_put(&parquet->plain, text, len);
	}
	chunk->dictionary_offset = parquet->offset;
	if (parquet->plain.failed)
		return -ENOMEM;
	err = put_page(parquet, PAGE_DICTIONARY, ENCODING_PLAIN, parquet->plain.data,
		       parquet->plain.len, (uint32_t)count, chunk);
	if (err)
		return err;
	while ((count - 1) >> width)
		width++;
	parquet->plain.len = 0;
	bytes_put(&parquet->plain, &width, 1);
	parquet_hybrid(&parquet->plain, column->value.number, parquet->rows, width);
	chunk->data_offset = parquet->offset;
	if (parquet->plain.failed)
		return -ENOMEM;
	return put_page(parquet, PAGE_DATA, ENCODING_RLE_DICTIONARY, parquet->plain.data,
			parquet->plain.len, parquet->rows, chunk);
}

/* --- row groups ----------------------------------------------------------------------------- */

/* Writes the rows in memory as a row group. */
static int write_group(struct parquet *parquet)
{
	uint64_t plain_bytes = 0, packed_bytes = 0, first = parquet->offset;
	struct thrift thrift;

	if (!parquet->rows)
		return 0;
	thrift_init(&thrift, &parquet->groups);
	thrift_struct(&thrift, 0);
	thrift_list(&thrift, 1, THRIFT_STRUCT, parquet->count);
	for (size_t i = 0; i < parquet->count; i++) {
		bool strings = parquet->columns[i].type == PARQUET_STRING;
		struct chunk chunk = {0};
		int err = strings ? put_strings(parquet, i, &chunk)
				  : put_integers(parquet, i, &chunk);

		if (err)
			return err;
		parquet_put_chunk(parquet, &thrift, i, &chunk);
		plain_bytes += chunk.plain_bytes;
		packed_bytes += chunk.packed_bytes;
		stringset_clear(&parquet->column[i].strings);
	}
	thrift_i64(&thrift, 2, (int64_t)plain_bytes);
	thrift_i64(&thrift, 3, parquet->rows);
	thrift_i64(&thrift, 5, (int64_t)first);
	thrift_i64(&thrift, 6, (int64_t)packed_bytes);
	thrift_end(&thrift);
	parquet->group_count++;
	parquet->rows_written += parquet->rows;
	parquet->rows = 0;
	return parquet->groups.failed ? -ENOMEM : 0;
}

int parquet_row(struct parquet *parquet)
{
	size_t text = 0;

	if (parquet->failed)
		return -ENOMEM;
	parquet->rows++;
	for (size_t i = 0; i < parquet->count; i++)
		text += parquet->column[i].strings.text_len;
	if (parquet->rows < PARQUET_ROWS && text < PARQUET_TEXT_BYTES)
		return 0;
	return write_group(parquet);
}

int parquet_end(struct parquet *parquet, const char *const *properties, size_t pairs)
{
	int err = parquet->failed ? -ENOMEM : write_group(parquet);
	size_t len;

	if (err)
		return err;
	parquet->header.len = 0;
	parquet_put_footer(parquet, properties, pairs);
	len = parquet->header.len;
	parquet_put_le32(&parquet->header, (uint32_t)len);
	bytes_put(&parquet->header, PARQUET_MAGIC, 4);
	if (parquet->header.failed || parquet->groups.failed || len > UINT32_MAX)
		return -ENOMEM;
	put(parquet, parquet->header.data, parquet->header.len);
	return 0;
}
