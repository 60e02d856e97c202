// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks: gathering, closing, compressing, handing on. */
#include "config.h"

#include "trace/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/bytes.h"
#include "trace/compress.h"
#include "trace/dict.h"
#include "trace/encode.h"
#include "trace/threads.h"

#define BLOCK_BYTES_DEFAULT (1u << 20)
#define BLOCK_FILES 65536u /* definitions in a block, about */

struct trace_writer {
	struct trace_writer_options options;
	trace_sink sink;
	void *sink_arg;
	struct compress *compress;
	struct encoder encoder;
	struct threads threads;
	struct dict dict;
	struct bytes records; /* definitions, properties, marks of this block */
	struct bytes tail;    /* records that come after the operations */
	struct bytes content;
	struct bytes frame;
	uint32_t number; /* of the block */
	uint32_t files;  /* defined in this block */
	uint64_t last_file;
	uint64_t written; /* operations in earlier blocks */
	uint64_t block_ops[OP_KINDS];
	struct trace_counts counts;
	uint64_t counts_said; /* sum of the counts when they were last written */
};

void trace_new_id(uint8_t ret_id[TRACE_ID])
{
	if (getrandom(ret_id, TRACE_ID, 0) != TRACE_ID)
		memset(ret_id, 0, TRACE_ID);
}

int trace_writer_new(const struct trace_writer_options *options, trace_sink sink, void *sink_arg,
		     struct trace_writer **ret_writer)
{
	struct trace_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return -ENOMEM;
	writer->options = *options;
	if (!options->level)
		writer->options.level = 1;
	if (!options->block_bytes)
		writer->options.block_bytes = BLOCK_BYTES_DEFAULT;
	writer->sink = sink;
	writer->sink_arg = sink_arg;
	writer->number = options->number;
	if (options->counts)
		writer->counts = *options->counts;
	writer->options.counts = NULL;
	for (unsigned int kind = 0; kind < OP_KINDS; kind++)
		writer->written += writer->counts.written[kind];
	encoder_init(&writer->encoder);
	if (compress_new(writer->options.level, true, &writer->compress)) {
		trace_writer_free(writer);
		return -ENOMEM;
	}
	*ret_writer = writer;
	return 0;
}

void trace_writer_free(struct trace_writer *writer)
{
	if (!writer)
		return;
	compress_free(writer->compress);
	encoder_done(&writer->encoder);
	threads_done(&writer->threads);
	dict_done(&writer->dict);
	bytes_done(&writer->records);
	bytes_done(&writer->tail);
	bytes_done(&writer->content);
	bytes_done(&writer->frame);
	free(writer);
}

const struct trace_counts *trace_writer_counts(const struct trace_writer *writer)
{
	return &writer->counts;
}

void trace_writer_dropped(struct trace_writer *writer, unsigned int kind, uint64_t n)
{
	writer->counts.dropped[kind] += n;
}

void trace_writer_filtered(struct trace_writer *writer, unsigned int kind, uint64_t n)
{
	writer->counts.filtered[kind] += n;
}

void trace_writer_lost(struct trace_writer *writer, unsigned int kind, uint64_t n)
{
	writer->counts.written[kind] -= n;
	writer->counts.dropped[kind] += n;
}

void trace_writer_age(struct trace_writer *writer)
{
	dict_age(&writer->dict);
}

/* --- closing a block ------------------------------------------------------------------------ */

static void put_counts(struct trace_writer *writer, struct bytes *out)
{
	const struct trace_counts *counts = &writer->counts;
	uint8_t room[OP_KINDS * 40];
	struct bytes payload = {.data = room, .room = sizeof(room)};

	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		uint64_t written = counts->written[kind] + writer->block_ops[kind];

		if (!(written | counts->dropped[kind] | counts->filtered[kind]))
			continue;
		bytes_put_varint(&payload, kind);
		bytes_put_varint(&payload, written);
		bytes_put_varint(&payload, counts->dropped[kind]);
		bytes_put_varint(&payload, counts->filtered[kind]);
	}
	bytes_put_varint(out, BLOCK_COUNTS);
	bytes_put_blob(out, payload.data, payload.len);
}

static void put_header(const struct trace_writer *writer, uint8_t header[BLOCK_HEADER], size_t body)
{
	memset(header, 0, BLOCK_HEADER);
	memcpy(header, BLOCK_MAGIC, 4);
	header[BLOCK_AT_MAJOR] = TRACE_MAJOR;
	header[BLOCK_AT_MINOR] = TRACE_MINOR;
	put_le(header + BLOCK_AT_HEADER, 2, BLOCK_HEADER);
	put_le(header + BLOCK_AT_BODY, 4, body);
	put_le(header + BLOCK_AT_NUMBER, 4, writer->number);
	memcpy(header + BLOCK_AT_ID, writer->options.id, TRACE_ID);
	put_le(header + BLOCK_AT_BASE, 8, writer->encoder.base_ns);
	put_le(header + BLOCK_AT_WALL, 8, writer->options.wall_offset_ns);
	put_le(header + BLOCK_AT_OPS, 4, writer->encoder.ops);
	put_le(header + BLOCK_AT_EARLIER, 8, writer->written);
}

/* The whole block into writer->content. Returns 0 or -ENOMEM. */
static int gather(struct trace_writer *writer)
{
	struct bytes *content = &writer->content;
	uint8_t header[BLOCK_HEADER] = {0};

	content->len = 0;
	bytes_put(content, header, sizeof(header));
	bytes_put(content, writer->records.data, writer->records.len);
	bytes_put(content, writer->threads.records.data, writer->threads.records.len);
	if (writer->encoder.ops)
		encoder_finish(&writer->encoder, content);
	put_counts(writer, content);
	bytes_put(content, writer->tail.data, writer->tail.len);
	if (content->failed || writer->records.failed || writer->tail.failed)
		return -ENOMEM;
	put_header(writer, content->data, content->len - BLOCK_HEADER);
	return content->len <= BLOCK_CONTENT_MAX ? 0 : -EFBIG;
}

static int hand_on(struct trace_writer *writer)
{
	struct trace_frame frame = {
		.content = writer->content.len,
		.number = writer->number,
		.ops = writer->encoder.ops,
		.first_ns = writer->encoder.first_ns,
		.last_ns = writer->encoder.last_ns,
		.wall_offset_ns = writer->options.wall_offset_ns,
	};
	/* Long columns are compressed apart: that saves a tenth. */
	unsigned int cuts = writer->encoder.ops ? writer->encoder.cuts : 0;
	int err = compress_put(writer->compress, writer->content.data, writer->content.len,
			       writer->encoder.cut, cuts, &writer->frame);

	if (err)
		return err;
	frame.data = writer->frame.data;
	frame.len = writer->frame.len;
	return writer->sink(writer->sink_arg, &frame);
}

static void forget_failure(struct bytes *bytes)
{
	bytes->len = 0;
	bytes->failed = false;
}

/* Empties everything for the next block; memory is kept. */
static void reset(struct trace_writer *writer)
{
	encoder_reset(&writer->encoder);
	threads_reset(&writer->threads);
	forget_failure(&writer->records);
	forget_failure(&writer->tail);
	forget_failure(&writer->content);
	forget_failure(&writer->frame);
	memset(writer->block_ops, 0, sizeof(writer->block_ops));
	writer->number++;
	writer->files = 0;
	writer->last_file = 0;
}

/*
 * Closes the block. When nobody takes it, its operations count as dropped, and its number stays
 * unused: a reader sees that there is a gap.
 */
static int close_block(struct trace_writer *writer)
{
	int err = gather(writer);

	if (!err)
		err = hand_on(writer);
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		if (err)
			writer->counts.dropped[kind] += writer->block_ops[kind];
		else
			writer->counts.written[kind] += writer->block_ops[kind];
	}
	if (!err)
		writer->written += writer->encoder.ops;
	reset(writer);
	return err;
}

static uint64_t lost(const struct trace_writer *writer)
{
	uint64_t sum = 0;

	for (unsigned int kind = 0; kind < OP_KINDS; kind++)
		sum += writer->counts.dropped[kind] + writer->counts.filtered[kind];
	return sum;
}

int trace_writer_flush(struct trace_writer *writer)
{
	uint64_t said = lost(writer);
	int err;

	if (!writer->encoder.ops && !writer->records.len && !writer->tail.len &&
	    said == writer->counts_said)
		return 0;
	err = close_block(writer);
	if (!err)
		writer->counts_said = said;
	return err;
}

int trace_writer_end(struct trace_writer *writer)
{
	bytes_put_varint(&writer->tail, BLOCK_END);
	bytes_put_blob(&writer->tail, NULL, 0);
	return close_block(writer);
}

static bool is_full(const struct trace_writer *writer)
{
	size_t bytes = writer->records.len + writer->tail.len + writer->encoder.text_bytes;

	/* The columns are summed now and then only. */
	if (writer->encoder.ops % 32 == 0)
		bytes += encoder_bytes(&writer->encoder) - writer->encoder.text_bytes;
	return bytes >= writer->options.block_bytes || writer->encoder.ops >= ENCODE_OPS ||
	       writer->files >= BLOCK_FILES;
}

static int close_when_full(struct trace_writer *writer)
{
	if (writer->records.failed || writer->tail.failed)
		return -ENOMEM;
	return is_full(writer) ? close_block(writer) : 0;
}

/* --- records -------------------------------------------------------------------------------- */

static void put_file(struct trace_writer *writer, struct dict_file *known)
{
	const struct trace_file *file = &known->file;
	uint8_t numbers[8 * 10];
	struct bytes head = {.data = numbers, .room = sizeof(numbers)};

	bytes_put_varint(&head, zigzag(file->id - writer->last_file));
	bytes_put_varint(&head, file->dev);
	bytes_put_varint(&head, file->ino);
	bytes_put_varint(&head, file->generation);
	bytes_put_varint(&head, file->size);
	bytes_put_varint(&head, file->mode);
	bytes_put_varint(&head, file->nlink);
	bytes_put_varint(&head, file->flags);
	bytes_put_varint(&writer->records, BLOCK_FILE);
	bytes_put_varint(&writer->records, head.len + file->path.len);
	bytes_put(&writer->records, head.data, head.len);
	bytes_put(&writer->records, file->path.data, file->path.len);
	writer->last_file = file->id;
	known->block = writer->number + 1;
	known->place = ++writer->files;
	known->expected = 0;
}

int trace_write_file(struct trace_writer *writer, const struct trace_file *file)
{
	struct trace_file cut = *file;
	struct dict_file *known;

	if (cut.path.len > TRACE_PATH_MAX)
		cut.path.len = TRACE_PATH_MAX;
	known = dict_define(&writer->dict, &cut);
	if (!known)
		return -ENOMEM;
	/* It goes to the file at once: a file without operations is worth knowing, too. */
	put_file(writer, known);
	return close_when_full(writer);
}

/* The definition of an id in this block. */
static struct dict_file *defined(struct trace_writer *writer, uint64_t id)
{
	static const uint8_t unknown[] = {'?'};
	struct dict_file *known = dict_find(&writer->dict, id);

	if (!known)
		known = dict_define(&writer->dict,
				    &(struct trace_file){.id = id, .path = {unknown, 1}});
	if (known && known->block != writer->number + 1)
		put_file(writer, known);
	return known;
}

/* Puts places in the block for the ids of files. */
static int place_arguments(struct trace_writer *writer, struct trace_op *op)
{
	static const enum trace_number files[] = {TRACE_PARENT, TRACE_NEW_PARENT, TRACE_TO_FILE};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const struct dict_file *known;

		if (!(op->have & TRACE_HAVE(files[i])) || !op->value[files[i]])
			continue;
		known = defined(writer, op->value[files[i]]);
		if (!known)
			return -ENOMEM;
		op->value[files[i]] = known->place;
	}
	return 0;
}

#define FILE_ARGUMENTS \
	(TRACE_HAVE(TRACE_PARENT) | TRACE_HAVE(TRACE_NEW_PARENT) | TRACE_HAVE(TRACE_TO_FILE))

static int add_op(struct trace_writer *writer, const struct trace_op *op)
{
	struct encode_refs refs = {0};
	struct dict_file *file = NULL;
	struct trace_op placed;
	int err;

	if (op->have & FILE_ARGUMENTS) {
		placed = *op;
		err = place_arguments(writer, &placed);
		if (err)
			return err;
		op = &placed;
	}
	if (op->op.file) {
		file = defined(writer, op->op.file);
		if (!file)
			return -ENOMEM;
		refs.file = file->place;
		refs.expected = file->expected;
	}
	refs.thread = threads_place(&writer->threads, op);
	err = refs.thread ? encoder_op(&writer->encoder, op, &refs) : -ENOMEM;
	if (err)
		return err;
	if (file && (op->op.kind == OP_READ || op->op.kind == OP_WRITE))
		file->expected = op->op.offset + op->op.result;
	writer->block_ops[op->op.kind]++;
	return 0;
}

int trace_write_op(struct trace_writer *writer, const struct trace_op *op)
{
	int err = op->op.kind < OP_KINDS ? add_op(writer, op) : -EINVAL;

	if (err) {
		if (op->op.kind < OP_KINDS)
			writer->counts.dropped[op->op.kind]++;
		return err;
	}
	return close_when_full(writer);
}

int trace_write_handle(struct trace_writer *writer, const struct trace_handle *handle)
{
	uint8_t numbers[3 * 10];
	struct bytes payload = {.data = numbers, .room = sizeof(numbers)};

	bytes_put_varint(&payload, handle->id);
	bytes_put_varint(&payload, handle->file);
	bytes_put_varint(&payload, handle->flags);
	if (!defined(writer, handle->file))
		return -ENOMEM;
	bytes_put_varint(&writer->records, BLOCK_HANDLE);
	bytes_put_blob(&writer->records, payload.data, payload.len);
	return close_when_full(writer);
}

static void put_pair(struct bytes *out, enum block_record record, const struct bytes *head,
		     const char *name, const char *value)
{
	struct bytes payload = {0};

	if (head)
		bytes_put(&payload, head->data, head->len);
	bytes_put_string(&payload, name);
	bytes_put_string(&payload, value);
	bytes_put_varint(out, record);
	bytes_put_blob(out, payload.data, payload.len);
	out->failed |= payload.failed;
	bytes_done(&payload);
}

int trace_write_property(struct trace_writer *writer, const char *name, const char *value)
{
	put_pair(&writer->records, BLOCK_PROPERTY, NULL, name, value);
	return close_when_full(writer);
}

int trace_write_mark(struct trace_writer *writer, uint64_t mono_ns, const char *name,
		     const char *text)
{
	uint8_t number[10];
	struct bytes head = {.data = number, .room = sizeof(number)};

	bytes_put_varint(&head, mono_ns);
	put_pair(&writer->records, BLOCK_MARK, &head, name, text);
	return close_when_full(writer);
}

int trace_write_summary(struct trace_writer *writer, const void *data, size_t len)
{
	bytes_put_varint(&writer->tail, BLOCK_SUMMARY);
	bytes_put_blob(&writer->tail, data, len);
	return close_when_full(writer);
}

int trace_write_clock(struct trace_writer *writer, uint64_t wall_offset_ns)
{
	int err;

	if (writer->options.wall_offset_ns == wall_offset_ns)
		return 0;
	err = trace_writer_flush(writer);
	writer->options.wall_offset_ns = wall_offset_ns;
	return err;
}
