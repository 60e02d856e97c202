/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes Parquet files: required columns of integers, times and strings, zstd pages, statistics.
 *
 * Rows gather in memory until a row group is full (2^20 rows, or less when strings are long);
 * then it is written column by column. Strings go through a dictionary of the row group, integers
 * are plain. The format is that of https://parquet.apache.org/docs/file-format/.
 */
#ifndef TOOLS_PARQUET_H
#define TOOLS_PARQUET_H

#include "core/bytes.h"
#include "tools/outbuf.h"

#define PARQUET_ROWS (UINT32_C(1) << 20)               /* of a row group */
#define PARQUET_TEXT_BYTES ((size_t)128 * 1024 * 1024) /* of strings in a row group */

enum parquet_type {
	PARQUET_INT32,
	PARQUET_INT64,
	PARQUET_TIMESTAMP, /* microseconds since 1970, UTC */
	PARQUET_STRING,    /* UTF-8 */
};

struct parquet_column {
	const char *name;
	enum parquet_type type;
};

struct parquet;

/* Writes the beginning. The output and the columns are borrowed. Returns 0 or -ENOMEM. */
int parquet_new(struct outbuf *out, const struct parquet_column *columns, size_t count,
		struct parquet **ret_parquet);
void parquet_free(struct parquet *parquet);

/* The values of a row, each column once, then the row. parquet_row() returns 0 or -ENOMEM. */
void parquet_int(struct parquet *parquet, size_t column, int64_t value);
void parquet_string(struct parquet *parquet, size_t column, struct trace_bytes value);
int parquet_row(struct parquet *parquet);

/* The last row group and the footer. Properties come in pairs, name and value. */
int parquet_end(struct parquet *parquet, const char *const *properties, size_t pairs);

/*
 * Appends numbers below 2^width as Parquet's hybrid of runs: one run when all are the same, else
 * all of them bit-packed.
 */
void parquet_hybrid(struct bytes *out, const uint32_t *numbers, size_t count, unsigned int width);

#endif
