// SPDX-License-Identifier: GPL-2.0-or-later
/* Parquet's footer: the schema, and where each column's pages are and what range they have. */
#include "config.h"

#include "tools/parquet_parts.h"

#define STATISTICS_MAX 64u /* bytes of a string in the statistics */

static void put_le64(struct bytes *out, uint64_t value)
{
	parquet_put_le32(out, (uint32_t)value);
	parquet_put_le32(out, (uint32_t)(value >> 32));
}

/* The least and greatest of integers, as their bytes. */
static void integer_range(const struct parquet *parquet, size_t number, struct bytes *ret_min,
			  struct bytes *ret_max)
{
	const struct column *column = &parquet->column[number];
	bool narrow = parquet->columns[number].type == PARQUET_INT32;
	int64_t min = INT64_MAX, max = INT64_MIN;

	for (uint32_t row = 0; row < parquet->rows; row++) {
		int64_t value = narrow ? column->value.narrow[row] : column->value.wide[row];

		min = value < min ? value : min;
		max = value > max ? value : max;
	}
	if (narrow) {
		parquet_put_le32(ret_min, (uint32_t)min);
		parquet_put_le32(ret_max, (uint32_t)max);
	} else {
		put_le64(ret_min, (uint64_t)min);
		put_le64(ret_max, (uint64_t)max);
	}
}

static int compare(struct trace_bytes a, struct trace_bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.data, b.data, len) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* The same of strings; too long ones give none. */
static bool string_range(const struct stringset *strings, struct bytes *ret_min,
			 struct bytes *ret_max)
{
	struct trace_bytes min = {0}, max = {0}, text;

	for (uint32_t i = 0; i < strings->count; i++) {
		text.data = stringset_get(strings, i, &text.len);
		if (!i || compare(text, min) < 0)
			min = text;
		if (!i || compare(text, max) > 0)
			max = text;
	}
	if (min.len > STATISTICS_MAX || max.len > STATISTICS_MAX)
		return false;
	bytes_put(ret_min, min.data, min.len);
	bytes_put(ret_max, max.data, max.len);
	return true;
}

static void put_statistics(struct parquet *parquet, struct thrift *thrift, size_t number)
{
	struct bytes min = {0}, max = {0};
	bool known = true;

	if (parquet->columns[number].type == PARQUET_STRING)
		known = string_range(&parquet->column[number].strings, &min, &max);
	else
		integer_range(parquet, number, &min, &max);
	thrift_struct(thrift, 12);
	thrift_i64(thrift, 3, 0);
	if (known) {
		thrift_binary(thrift, 5, max.data, max.len);
		thrift_binary(thrift, 6, min.data, min.len);
	}
	thrift_end(thrift);
	bytes_done(&min);
	bytes_done(&max);
}

static int32_t physical_type(enum parquet_type type)
{
	switch (type) {
	case PARQUET_INT32:
		return TYPE_INT32;
	case PARQUET_STRING:
		return TYPE_BYTE_ARRAY;
	default:
		return TYPE_INT64;
	}
}

void parquet_put_chunk(struct parquet *parquet, struct thrift *thrift, size_t number,
		       const struct chunk *chunk)
{
	bool strings = chunk->dictionary_offset != 0;
	uint64_t first = strings ? chunk->dictionary_offset : chunk->data_offset;

	thrift_struct(thrift, 0);
	thrift_i64(thrift, 2, (int64_t)first);
	thrift_struct(thrift, 3);
	thrift_i32(thrift, 1, physical_type(parquet->columns[number].type));
	thrift_list(thrift, 2, THRIFT_I32, strings ? 3 : 2);
	thrift_element_i32(thrift, ENCODING_PLAIN);
	thrift_element_i32(thrift, ENCODING_RLE);
	if (strings)
		thrift_element_i32(thrift, ENCODING_RLE_DICTIONARY);
	thrift_list(thrift, 3, THRIFT_BINARY, 1);
	thrift_element_string(thrift, parquet->columns[number].name);
	thrift_i32(thrift, 4, CODEC_ZSTD);
	thrift_i64(thrift, 5, parquet->rows);
	thrift_i64(thrift, 6, (int64_t)chunk->plain_bytes);
	thrift_i64(thrift, 7, (int64_t)chunk->packed_bytes);
	thrift_i64(thrift, 9, (int64_t)chunk->data_offset);
	if (strings)
		thrift_i64(thrift, 11, (int64_t)chunk->dictionary_offset);
	put_statistics(parquet, thrift, number);
	thrift_end(thrift);
	thrift_end(thrift);
}

static void put_schema_element(struct thrift *thrift, const struct parquet_column *column)
{
	thrift_struct(thrift, 0);
	thrift_i32(thrift, 1, physical_type(column->type));
	thrift_i32(thrift, 3, REQUIRED);
	thrift_string(thrift, 4, column->name);
	if (column->type == PARQUET_STRING) {
		thrift_i32(thrift, 6, CONVERTED_UTF8);
		thrift_struct(thrift, 10);
		thrift_struct(thrift, 1);
		thrift_end(thrift);
		thrift_end(thrift);
	} else if (column->type == PARQUET_TIMESTAMP) {
		thrift_i32(thrift, 6, CONVERTED_TIMESTAMP_MICROS);
		thrift_struct(thrift, 10);
		thrift_struct(thrift, 8);
		thrift_bool(thrift, 1, true);
		thrift_struct(thrift, 2);
		thrift_struct(thrift, 2);
		thrift_end(thrift);
		thrift_end(thrift);
		thrift_end(thrift);
		thrift_end(thrift);
	}
	thrift_end(thrift);
}

/* For each column: its statistics are ordered as its type says. */
static void put_orders(struct thrift *thrift, size_t count)
{
	thrift_list(thrift, 7, THRIFT_STRUCT, count);
	for (size_t i = 0; i < count; i++) {
		thrift_struct(thrift, 0);
		thrift_struct(thrift, 1);
		thrift_end(thrift);
		thrift_end(thrift);
	}
}

void parquet_put_footer(struct parquet *parquet, const char *const *properties, size_t pairs)
{
	struct bytes *out = &parquet->header;
	struct thrift thrift;

	thrift_init(&thrift, out);
	thrift_struct(&thrift, 0);
	thrift_i32(&thrift, 1, 1);
	thrift_list(&thrift, 2, THRIFT_STRUCT, parquet->count + 1);
	thrift_struct(&thrift, 0);
	thrift_string(&thrift, 4, "schema");
	thrift_i32(&thrift, 5, (int32_t)parquet->count);
	thrift_end(&thrift);
	for (size_t i = 0; i < parquet->count; i++)
		put_schema_element(&thrift, &parquet->columns[i]);
	thrift_i64(&thrift, 3, (int64_t)parquet->rows_written);
	thrift_list(&thrift, 4, THRIFT_STRUCT, parquet->group_count);
	bytes_put(out, parquet->groups.data, parquet->groups.len);
	if (pairs)
		thrift_list(&thrift, 5, THRIFT_STRUCT, pairs);
	for (size_t i = 0; i < pairs; i++) {
		thrift_struct(&thrift, 0);
		thrift_string(&thrift, 1, properties[2 * i]);
		thrift_string(&thrift, 2, properties[2 * i + 1]);
		thrift_end(&thrift);
	}
	thrift_string(&thrift, 6, "weir version " PACKAGE_VERSION);
	put_orders(&thrift, parquet->count);
	thrift_end(&thrift);
}
