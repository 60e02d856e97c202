// SPDX-License-Identifier: GPL-2.0-or-later
/* Operations into columns. */
#include "config.h"

#include "trace/encode.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define COLUMN_BYTES ((size_t)ENCODE_OPS * 10)

void encoder_init(struct encoder *encoder)
{
	*encoder = (struct encoder){0};
}

static void column_done(struct encode_column *column)
{
	free(column->data);
}

void encoder_done(struct encoder *encoder)
{
	for (int i = 0; i < COLUMN_TEXT; i++)
		column_done(&encoder->column[i]);
	for (int i = 0; i < TRACE_TEXTS; i++) {
		column_done(&encoder->length[i]);
		bytes_done(&encoder->text[i]);
	}
	bytes_done(&encoder->payload);
}

static void column_reset(struct encode_column *column)
{
	column->len = 0;
	column->last = 0;
	column->any = 0;
}

void encoder_reset(struct encoder *encoder)
{
	for (int i = 0; i < COLUMN_TEXT; i++)
		column_reset(&encoder->column[i]);
	for (int i = 0; i < TRACE_TEXTS; i++) {
		column_reset(&encoder->length[i]);
		encoder->text[i].len = 0;
		encoder->text[i].failed = false;
	}
	encoder->ops = 0;
	encoder->arrive_ns = 0;
	encoder->seq = 0;
	encoder->first_ns = 0;
	encoder->last_ns = 0;
	encoder->text_bytes = 0;
}

size_t encoder_bytes(const struct encoder *encoder)
{
	size_t bytes = encoder->text_bytes;

	for (int i = 0; i < COLUMN_TEXT; i++)
		bytes += encoder->column[i].len;
	return bytes;
}

/* A column's memory is taken when it is first used, and kept. */
static bool column_ready(struct encode_column *column)
{
	if (!column->data)
		column->data = malloc(COLUMN_BYTES);
	return column->data != NULL;
}

static inline void put(struct encode_column *column, uint64_t value)
{
	uint8_t *at = column->data + column->len;

	column->any |= value;
	while (value >= 0x80) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	column->len = (size_t)(at - column->data);
}

/*
 * Times are noise below and alike above: their lowest 8 bits lie in the column, as bytes, the rest
 * in the one of upper bits.
 */
static inline void put_time(struct encode_column *column, enum column number, uint64_t value)
{
	struct encode_column *lower = &column[number];

	lower->any |= value & 0xff;
	lower->data[lower->len++] = (uint8_t)value;
	put(&column[COLUMN_UPPER + number], value >> 8);
}

/* A stamp: 0 when it did not happen, else 1 + its distance from another. */
static uint64_t stamp(uint64_t at_ns, uint64_t from_ns)
{
	return at_ns ? zigzag(at_ns - from_ns) + 1 : 0;
}

static inline void put_base(struct encoder *encoder, const struct op *op,
			    const struct encode_refs *refs)
{
	struct encode_column *column = encoder->column;
	uint64_t answered = op->backed_ns ? op->backed_ns : op->arrive_ns;
	uint64_t issued = op->issued_ns ? op->issued_ns : op->arrive_ns;

	put(&column[COLUMN_KIND], op->kind);
	put(&column[COLUMN_THREAD], refs->thread);
	put(&column[COLUMN_FILE], zigzag(refs->file - column[COLUMN_FILE].last));
	column[COLUMN_FILE].last = refs->file;
	put(&column[COLUMN_SEQ], zigzag(op->seq - encoder->seq - 1));
	encoder->seq = op->seq;
	put_time(column, COLUMN_ARRIVE, zigzag(op->arrive_ns - encoder->arrive_ns));
	encoder->arrive_ns = op->arrive_ns;
	put_time(column, COLUMN_ISSUED, stamp(op->issued_ns, op->arrive_ns));
	put_time(column, COLUMN_BACKED, stamp(op->backed_ns, issued));
	put(&column[COLUMN_DUE], stamp(op->due_ns, op->arrive_ns));
	put_time(column, COLUMN_DONE, stamp(op->done_ns, answered));
	put(&column[COLUMN_OFFSET], zigzag(op->offset - refs->expected));
	put(&column[COLUMN_SIZE], op->size);
	put(&column[COLUMN_RESULT], zigzag(op->size - op->result));
	put(&column[COLUMN_ERROR], op->error);
	put(&column[COLUMN_FLAGS], op->flags);
}

static int put_arguments(struct encoder *encoder, const struct trace_op *op)
{
	uint64_t numbers = op->have & (TRACE_HAVE(TRACE_NUMBERS) - 1);
	uint64_t texts = op->have >> TRACE_TEXT_BIT;

	for (; numbers; numbers &= numbers - 1) {
		unsigned int bit = (unsigned int)__builtin_ctzll(numbers);
		struct encode_column *column = &encoder->column[COLUMN_NUMBER + bit];

		if (!column_ready(column))
			return -ENOMEM;
		put(column, zigzag(op->value[bit] - column->last));
		column->last = op->value[bit];
	}
	for (unsigned int i = 0; i < TRACE_TEXTS; i++) {
		if (!(texts & 1u << i))
			continue;
		if (!column_ready(&encoder->length[i]))
			return -ENOMEM;
		put(&encoder->length[i], op->text[i].len);
		bytes_put(&encoder->text[i], op->text[i].data, op->text[i].len);
		if (encoder->text[i].failed)
			return -ENOMEM;
		encoder->text_bytes += op->text[i].len;
	}
	return 0;
}

/* Makes ready for the first operation of a block. */
static int begin(struct encoder *encoder, uint64_t arrive_ns)
{
	for (int i = COLUMN_KIND; i < COLUMN_BASES; i++) {
		if (!column_ready(&encoder->column[i]))
			return -ENOMEM;
	}
	encoder->base_ns = arrive_ns;
	encoder->arrive_ns = arrive_ns;
	encoder->first_ns = arrive_ns;
	return 0;
}

int encoder_op(struct encoder *encoder, const struct trace_op *op, const struct encode_refs *refs)
{
	const struct op *stamps = &op->op;

	assert(encoder->ops < ENCODE_OPS);
	if (!encoder->ops && begin(encoder, stamps->arrive_ns))
		return -ENOMEM;
	if (stamps->arrive_ns < encoder->first_ns)
		encoder->first_ns = stamps->arrive_ns;
	if (stamps->arrive_ns > encoder->last_ns)
		encoder->last_ns = stamps->arrive_ns;
	put_base(encoder, stamps, refs);
	put(&encoder->column[COLUMN_HAVE], op->have);
	encoder->ops++;
	return put_arguments(encoder, op);
}

static void put_column(struct encoder *encoder, unsigned int number, const void *data, size_t len)
{
	bytes_put_varint(&encoder->payload, number);
	bytes_put_blob(&encoder->payload, data, len);
	/* Short ones are not worth a table of their own. */
	if (len >= ENCODE_CUT)
		encoder->cut[encoder->cuts++] = encoder->payload.len;
}

void encoder_finish(struct encoder *encoder, struct bytes *out)
{
	struct bytes *payload = &encoder->payload;

	payload->len = 0;
	encoder->cuts = 0;
	bytes_put_varint(payload, encoder->ops);
	for (unsigned int i = 0; i < COLUMN_TEXT; i++) {
		/* One that is all zero is left out. */
		if (encoder->column[i].any)
			put_column(encoder, i, encoder->column[i].data, encoder->column[i].len);
	}
	for (unsigned int i = 0; i < TRACE_TEXTS; i++) {
		if (!encoder->length[i].any)
			continue;
		put_column(encoder, COLUMN_TEXT_LENGTH + i, encoder->length[i].data,
			   encoder->length[i].len);
		put_column(encoder, COLUMN_TEXT + i, encoder->text[i].data, encoder->text[i].len);
	}
	bytes_put_varint(out, BLOCK_OPS);
	bytes_put_blob(out, payload->data, payload->len);
	for (unsigned int i = 0; i < encoder->cuts; i++)
		encoder->cut[i] += out->len - payload->len;
	out->failed |= payload->failed;
	payload->failed = false;
}
