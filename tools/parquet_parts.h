/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two halves of the Parquet writer share: rows and pages, and the footer. */
#ifndef TOOLS_PARQUET_PARTS_H
#define TOOLS_PARQUET_PARTS_H

#include <stdbool.h>

#include "core/bytes.h"
#include "tools/parquet.h"
#include "tools/stringset.h"
#include "tools/thrift.h"

#define PARQUET_MAGIC "PAR1"

/* Numbers of parquet.thrift. */
enum { TYPE_INT32 = 1, TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { CONVERTED_UTF8 = 0, CONVERTED_TIMESTAMP_MICROS = 10 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_RLE_DICTIONARY = 8 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { CODEC_ZSTD = 6 };
enum { REQUIRED = 0 };

struct column {
	union {
		int64_t *wide;
		int32_t *narrow;
		uint32_t *number; /* of the string */
	} value;
	struct stringset strings;
};

struct parquet {
	struct outbuf *out;
	const struct parquet_column *columns;
	size_t count;
	struct column *column;
	struct compress *compress;
	uint32_t rows; /* in memory */
	uint32_t room;
	uint64_t rows_written;
	uint64_t offset; /* bytes of the file so far */
	bool failed;
	struct bytes plain; /* of a page */
	struct bytes packed;
	struct bytes header;
	struct bytes groups; /* row groups of the footer, encoded */
	uint64_t group_count;
};

/* Where a column's pages are. */
struct chunk {
	uint64_t dictionary_offset; /* 0 = none */
	uint64_t data_offset;
	uint64_t plain_bytes; /* headers included */
	uint64_t packed_bytes;
};

void parquet_put_le32(struct bytes *out, uint32_t value);

/* Appends a column's chunk, with its statistics, to the list in the row group. */
void parquet_put_chunk(struct parquet *parquet, struct thrift *thrift, size_t number,
		       const struct chunk *chunk);
/* Puts the footer into `header`. */
void parquet_put_footer(struct parquet *parquet, const char *const *properties, size_t pairs);

#endif
