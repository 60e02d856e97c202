/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thrift's compact protocol, as much as Parquet's headers need: structs are put field by field,
 * in the order of their numbers, and ended.
 */
#ifndef TOOLS_THRIFT_H
#define TOOLS_THRIFT_H

#include <stdbool.h>

#include "core/bytes.h"

#define THRIFT_DEPTH 8

enum thrift_type {
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_I8 = 3,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};

struct thrift {
	struct bytes *out;
	int last[THRIFT_DEPTH]; /* number of the field before, by struct */
	unsigned int depth;
};

void thrift_init(struct thrift *thrift, struct bytes *out);

void thrift_bool(struct thrift *thrift, int field, bool value);
void thrift_i8(struct thrift *thrift, int field, int8_t value);
void thrift_i32(struct thrift *thrift, int field, int32_t value);
void thrift_i64(struct thrift *thrift, int field, int64_t value);
void thrift_binary(struct thrift *thrift, int field, const void *data, size_t len);
void thrift_string(struct thrift *thrift, int field, const char *text);

/* A struct as a field; the one at the top has no field, nor have those in lists: field 0. */
void thrift_struct(struct thrift *thrift, int field);
void thrift_end(struct thrift *thrift);

/* A list of so many; its elements follow: structs, or thrift_element_*(). */
void thrift_list(struct thrift *thrift, int field, enum thrift_type type, size_t count);
void thrift_element_i32(struct thrift *thrift, int32_t value);
void thrift_element_string(struct thrift *thrift, const char *text);

#endif
