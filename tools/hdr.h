/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HdrHistogram: three significant digits, values up to an hour, in the forms that its libraries
 * read: the V2 encoding of its logs (deflated, base64) and the text of its percentile plots.
 * The layout is that of https://github.com/HdrHistogram (public domain, CC0).
 */
#ifndef TOOLS_HDR_H
#define TOOLS_HDR_H

#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"

#define HDR_DIGITS 3
#define HDR_HALF_BITS 10u                   /* half a bucket: 2^10 values */
#define HDR_HIGHEST UINT64_C(3600000000000) /* ns: what is longer counts as an hour */
#define HDR_COUNTS (33u << HDR_HALF_BITS)   /* indexes up to that of HDR_HIGHEST */

struct hdr {
	uint64_t count;
	uint64_t min;
	uint64_t max;
	uint32_t low; /* indexes that were used: [low, high) */
	uint32_t high;
	uint64_t counts[HDR_COUNTS];
};

/* An empty one on the heap (free() it), or NULL. */
struct hdr *hdr_new(void);
void hdr_reset(struct hdr *hdr);
void hdr_record(struct hdr *hdr, uint64_t value);

/* Index of a value; the least and the greatest value of an index. */
uint32_t hdr_index(uint64_t value);
uint64_t hdr_lowest(uint32_t index);
uint64_t hdr_highest(uint32_t index);

double hdr_mean(const struct hdr *hdr);
double hdr_stddev(const struct hdr *hdr);

/* Appends the V2 encoding, not compressed. */
void hdr_encode(const struct hdr *hdr, struct bytes *out);
/* Appends it deflated and in base64: begins with HISTFAAA. Returns 0 or -ENOMEM. */
int hdr_encode_text(const struct hdr *hdr, struct bytes *out);
/* Appends base64 with padding. */
void hdr_base64(const uint8_t *data, size_t len, struct bytes *out);

/* One row of a percentile plot. */
struct hdr_row {
	uint64_t value;
	double percentile; /* 0..1 */
	uint64_t count;    /* of values up to this one */
};

struct hdr_rows {
	const struct hdr *hdr;
	uint32_t index;
	uint64_t count; /* up to and with index */
	double next;    /* percentile, 0..100 */
	enum { HDR_ROWS_INSIDE, HDR_ROWS_LAST, HDR_ROWS_ENDED } place;
};

/* The rows of a plot, five for each halving of what is left to 100 %. */
void hdr_rows_init(struct hdr_rows *rows, const struct hdr *hdr);
/* Returns 1 with a row (the last one has percentile 1), or 0 at the end. */
int hdr_rows_next(struct hdr_rows *rows, struct hdr_row *ret_row);

#endif
