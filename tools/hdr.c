// SPDX-License-Identifier: GPL-2.0-or-later
/* HdrHistogram's geometry, its V2 encoding and its percentile iteration. */
#include "config.h"

#include "tools/hdr.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/cleanup.h"

#define COOKIE_V2 0x1c849313u /* counts as varints (the low nibble 3: one byte a word) */
#define COOKIE_V2_DEFLATED 0x1c849314u
#define TICKS_PER_HALF 5.0
#define HALF (1u << HDR_HALF_BITS)

struct hdr *hdr_new(void)
{
	struct hdr *hdr = calloc(1, sizeof(*hdr));

	if (hdr)
		hdr_reset(hdr);
	return hdr;
}

void hdr_reset(struct hdr *hdr)
{
	if (hdr->high > hdr->low)
		memset(&hdr->counts[hdr->low], 0, (hdr->high - hdr->low) * sizeof(hdr->counts[0]));
	hdr->count = 0;
	hdr->min = UINT64_MAX;
	hdr->max = 0;
	hdr->low = HDR_COUNTS;
	hdr->high = 0;
}

uint32_t hdr_index(uint64_t value)
{
	/* The power of two that the value lies below, at least that of a whole bucket. */
	uint32_t bits = 64u - (uint32_t)__builtin_clzll(value | (2 * HALF - 1));
	uint32_t bucket = bits - (HDR_HALF_BITS + 1);

	return ((bucket + 1) << HDR_HALF_BITS) + (uint32_t)(value >> bucket) - HALF;
}

static uint32_t bucket_of(uint32_t index)
{
	return index < 2 * HALF ? 0 : (index >> HDR_HALF_BITS) - 1;
}

uint64_t hdr_lowest(uint32_t index)
{
	uint32_t bucket = bucket_of(index);

	return (uint64_t)(index - (bucket << HDR_HALF_BITS)) << bucket;
}

uint64_t hdr_highest(uint32_t index)
{
	return hdr_lowest(index) + (UINT64_C(1) << bucket_of(index)) - 1;
}

void hdr_record(struct hdr *hdr, uint64_t value)
{
	uint32_t index;

	if (value > HDR_HIGHEST)
		value = HDR_HIGHEST;
	index = hdr_index(value);
	hdr->counts[index]++;
	hdr->count++;
	if (value < hdr->min)
		hdr->min = value;
	if (value > hdr->max)
		hdr->max = value;
	if (index < hdr->low)
		hdr->low = index;
	if (index >= hdr->high)
		hdr->high = index + 1;
}

/* What HdrHistogram takes for the values of an index: the middle of their range. */
static double middle(uint32_t index)
{
	return (double)(hdr_lowest(index) + ((UINT64_C(1) << bucket_of(index)) >> 1));
}

double hdr_mean(const struct hdr *hdr)
{
	double sum = 0;

	for (uint32_t i = hdr->low; i < hdr->high; i++)
		sum += middle(i) * (double)hdr->counts[i];
	return hdr->count ? sum / (double)hdr->count : 0;
}

double hdr_stddev(const struct hdr *hdr)
{
	double mean = hdr_mean(hdr), sum = 0;

	for (uint32_t i = hdr->low; i < hdr->high; i++)
		sum += (middle(i) - mean) * (middle(i) - mean) * (double)hdr->counts[i];
	return hdr->count ? sqrt(sum / (double)hdr->count) : 0;
}

/* --- encoding ------------------------------------------------------------------------------- */

static void put_be32(struct bytes *out, uint32_t value)
{
	uint8_t data[4];

	for (unsigned int i = 0; i < 4; i++)
		data[i] = (uint8_t)(value >> (24 - 8 * i));
	bytes_put(out, data, sizeof(data));
}

static void put_be64(struct bytes *out, uint64_t value)
{
	put_be32(out, (uint32_t)(value >> 32));
	put_be32(out, (uint32_t)value);
}

/* A varint of at most nine bytes: the ninth has all eight bits. */
static void put_zigzag(struct bytes *out, int64_t number)
{
	uint64_t value = ((uint64_t)number << 1) ^ (number < 0 ? UINT64_MAX : 0);
	uint8_t data[9];
	size_t len = 0;

	while (value >= 0x80 && len < 8) {
		data[len++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	data[len++] = (uint8_t)value;
	bytes_put(out, data, len);
}

static void put_counts(const struct hdr *hdr, struct bytes *out)
{
	int64_t zeros = hdr->high ? hdr->low : 0;

	for (uint32_t i = hdr->low; i < hdr->high; i++) {
		if (!hdr->counts[i]) {
			zeros++;
			continue;
		}
		if (zeros == 1)
			put_zigzag(out, 0);
		else if (zeros)
			put_zigzag(out, -zeros);
		zeros = 0;
		put_zigzag(out, (int64_t)hdr->counts[i]);
	}
}

void hdr_encode(const struct hdr *hdr, struct bytes *out)
{
	struct bytes counts = {0};
	double ratio = 1.0;
	uint64_t ratio_bits;

	memcpy(&ratio_bits, &ratio, sizeof(ratio_bits));
	put_counts(hdr, &counts);
	put_be32(out, COOKIE_V2);
	put_be32(out, (uint32_t)counts.len);
	put_be32(out, 0); /* normalizing index offset */
	put_be32(out, HDR_DIGITS);
	put_be64(out, 1); /* lowest value that is told from others */
	put_be64(out, HDR_HIGHEST);
	put_be64(out, ratio_bits);
	bytes_put(out, counts.data, counts.len);
	out->failed |= counts.failed;
	bytes_done(&counts);
}

void hdr_base64(const uint8_t *data, size_t len, struct bytes *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		uint32_t word = (uint32_t)data[i] << 16;
		char text[4];

		if (i + 1 < len)
			word |= (uint32_t)data[i + 1] << 8;
		if (i + 2 < len)
			word |= data[i + 2];
		text[0] = digits[word >> 18];
		text[1] = digits[word >> 12 & 63];
		text[2] = i + 1 < len ? digits[word >> 6 & 63] : '=';
		text[3] = i + 2 < len ? digits[word & 63] : '=';
		bytes_put(out, text, sizeof(text));
	}
}

/* The deflated form, not yet as text. */
static int deflated(const struct bytes *plain, struct bytes *out)
{
	uLong bound = compressBound(plain->len);
	uLongf len = bound;

	if (!bytes_reserve(out, 8 + bound))
		return -ENOMEM;
	if (compress2(out->data + 8, &len, plain->data, plain->len, Z_DEFAULT_COMPRESSION) != Z_OK)
		return -ENOMEM;
	put_be32(out, COOKIE_V2_DEFLATED);
	put_be32(out, (uint32_t)len);
	out->len += len;
	return 0;
}

int hdr_encode_text(const struct hdr *hdr, struct bytes *out)
{
	struct bytes plain = {0}, packed = {0};
	int err;

	hdr_encode(hdr, &plain);
	err = plain.failed ? -ENOMEM : deflated(&plain, &packed);
	if (!err)
		hdr_base64(packed.data, packed.len, out);
	bytes_done(&plain);
	bytes_done(&packed);
	return err || out->failed ? -ENOMEM : 0;
}

/* --- percentiles ---------------------------------------------------------------------------- */

void hdr_rows_init(struct hdr_rows *rows, const struct hdr *hdr)
{
	*rows = (struct hdr_rows){.hdr = hdr, .index = hdr->low, .place = HDR_ROWS_ENDED};
	if (!hdr->count)
		return;
	rows->count = hdr->counts[hdr->low];
	rows->place = HDR_ROWS_INSIDE;
}

/* The step halves each time that the way to 100 % has halved. */
static double step_after(double percentile)
{
	double halvings = floor(log2(100.0 / (100.0 - percentile))) + 1;

	return 100.0 / (exp2(halvings) * TICKS_PER_HALF);
}

int hdr_rows_next(struct hdr_rows *rows, struct hdr_row *ret_row)
{
	const struct hdr *hdr = rows->hdr;

	if (rows->place == HDR_ROWS_ENDED)
		return 0;
	if (rows->place == HDR_ROWS_LAST) {
		*ret_row = (struct hdr_row){hdr_highest(rows->index), 1, rows->count};
		rows->place = HDR_ROWS_ENDED;
		return 1;
	}
	while (rows->count < hdr->count &&
	       100.0 * (double)rows->count / (double)hdr->count < rows->next)
		rows->count += hdr->counts[++rows->index];
	*ret_row = (struct hdr_row){hdr_highest(rows->index), rows->next / 100.0, rows->count};
	rows->next += step_after(rows->next);
	if (rows->count == hdr->count)
		rows->place = HDR_ROWS_LAST;
	return 1;
}
