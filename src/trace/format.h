/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of a trace, as weir-trace(5) describes them: what writer and reader agree on. */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include <stdint.h>

#include "trace/event.h"

#define TRACE_MAJOR 1
#define TRACE_MINOR 0

/* The header of a block: offsets of its fields, little-endian. */
#define BLOCK_MAGIC "WTRB"
#define BLOCK_AT_MAJOR 4
#define BLOCK_AT_MINOR 5
#define BLOCK_AT_HEADER 6  /* u16: length of the header, where the body begins */
#define BLOCK_AT_BODY 8    /* u32: length of the body */
#define BLOCK_AT_NUMBER 12 /* u32 */
#define BLOCK_AT_ID 16
#define BLOCK_AT_BASE 32    /* u64: what the first arrival is counted from */
#define BLOCK_AT_WALL 40    /* u64: offset of the wall clock */
#define BLOCK_AT_OPS 48     /* u32 */
#define BLOCK_AT_EARLIER 56 /* u64: operations in earlier blocks */
#define BLOCK_HEADER 64

/* Records of the body; never renumbered, unknown ones are skipped. */
enum block_record {
	BLOCK_END = 0,
	BLOCK_PROPERTY = 1,
	BLOCK_FILE = 2,
	BLOCK_THREAD = 3,
	BLOCK_HANDLE = 4,
	BLOCK_OPS = 5,
	BLOCK_MARK = 6,
	BLOCK_COUNTS = 7,
	BLOCK_SUMMARY = 8,
};

/* Columns of the operations. Arguments follow: a number's is 32 + its bit, a text's is 64 + its. */
enum column {
	COLUMN_KIND = 1,
	COLUMN_THREAD = 2,
	COLUMN_FILE = 3,
	COLUMN_SEQ = 4,
	COLUMN_ARRIVE = 5,
	COLUMN_ISSUED = 6,
	COLUMN_BACKED = 7,
	COLUMN_DUE = 8,
	COLUMN_DONE = 9,
	COLUMN_OFFSET = 10,
	COLUMN_SIZE = 11,
	COLUMN_RESULT = 12,
	COLUMN_ERROR = 13,
	COLUMN_FLAGS = 14,
	COLUMN_HAVE = 15,
	/* Of arrive, issued, backed and done: their upper bits; the column itself has the lowest 8.
	 */
	COLUMN_UPPER = 16,
	COLUMN_BASES = 32,
	COLUMN_NUMBER = 32,
	COLUMN_TEXT = 64,
	COLUMN_TEXT_LENGTH = 96, /* lengths of the texts of column 64 + the same bit */
	COLUMNS = 128,
};

/* What no reader needs to take: blocks beyond are damage. */
#define BLOCK_CONTENT_MAX (64u << 20)
#define BLOCK_OPS_MAX (1u << 20)
#define BLOCK_FILES_MAX (1u << 20)
#define BLOCK_THREADS_MAX (1u << 20)

#define ZSTD_FRAME_MAGIC 0xFD2FB528u
#define SKIPPABLE_MAGIC 0x184D2A50u /* and the 15 after it */
#define INDEX_FRAME_MAGIC 0x184D2A57u
#define SEEK_TABLE_MAGIC 0x184D2A5Eu
#define SEEK_FOOTER_MAGIC 0x8F92EAB1u
#define INDEX_MAGIC "WTRI"
#define INDEX_ENTRY 40
/* After the entries: u32 their number, u32 version, the magic. */
#define INDEX_TRAILER 12
#define INDEX_VERSION 1

static inline void put_le(uint8_t *at, unsigned int bytes, uint64_t value)
{
	for (unsigned int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t get_le(const uint8_t *at, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = bytes; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

/* Signed differences as unsigned numbers: 0, -1, 1, -2 .. are 0, 1, 2, 3 .. */
static inline uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

#endif
