// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks into events. */
#include "config.h"

#include "trace/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

void decoder_done(struct decoder *decoder)
{
	free(decoder->file);
	free(decoder->expected);
	free(decoder->thread);
	free(decoder->slot);
	*decoder = (struct decoder){0};
}

/* --- definitions ---------------------------------------------------------------------------- */

static int file_room(struct decoder *decoder)
{
	uint32_t room = decoder->files_room ? decoder->files_room * 2 : 1024;
	struct trace_file *file;
	uint64_t *expected;

	if (decoder->files < decoder->files_room)
		return 0;
	if (decoder->files >= BLOCK_FILES_MAX)
		return -EPROTO;
	file = realloc(decoder->file, room * sizeof(*file));
	if (!file)
		return -ENOMEM;
	decoder->file = file;
	expected = realloc(decoder->expected, room * sizeof(*expected));
	if (!expected)
		return -ENOMEM;
	decoder->expected = expected;
	decoder->files_room = room;
	return 0;
}

static int take_file(struct decoder *decoder, struct cursor in)
{
	uint64_t last = decoder->files ? decoder->file[decoder->files - 1].id : 0;
	struct trace_file *file;
	int err = file_room(decoder);

	if (err)
		return err;
	file = &decoder->file[decoder->files];
	file->id = last + unzigzag(cursor_varint(&in));
	file->dev = cursor_varint(&in);
	file->ino = cursor_varint(&in);
	file->generation = cursor_varint(&in);
	file->size = cursor_varint(&in);
	file->mode = (uint32_t)cursor_varint(&in);
	file->nlink = (uint32_t)cursor_varint(&in);
	file->flags = (uint32_t)cursor_varint(&in);
	file->path = (struct trace_bytes){in.at, cursor_left(&in)};
	if (in.failed)
		return -EPROTO;
	decoder->expected[decoder->files++] = 0;
	return 0;
}

static int take_thread(struct decoder *decoder, struct cursor in)
{
	struct thread_key *key;
	const uint8_t *comm;
	size_t len;

	if (decoder->threads == decoder->threads_room) {
		uint32_t room = decoder->threads_room ? decoder->threads_room * 2 : 256;

		if (decoder->threads >= BLOCK_THREADS_MAX)
			return -EPROTO;
		key = realloc(decoder->thread, room * sizeof(*key));
		if (!key)
			return -ENOMEM;
		decoder->thread = key;
		decoder->threads_room = room;
	}
	key = &decoder->thread[decoder->threads];
	*key = (struct thread_key){0};
	key->tid = (uint32_t)cursor_varint(&in);
	key->process = (uint32_t)cursor_varint(&in);
	key->uid = (uint32_t)cursor_varint(&in);
	key->gid = (uint32_t)cursor_varint(&in);
	comm = cursor_blob(&in, &len);
	if (in.failed)
		return -EPROTO;
	memcpy(key->comm, comm, len < TRACE_COMM ? len : TRACE_COMM);
	decoder->threads++;
	return 0;
}

static uint32_t *slot_of(const struct decoder *decoder, uint64_t id)
{
	uint32_t mask = decoder->slots - 1, i = (uint32_t)hash_number(id) & mask;

	while (decoder->slot[i] && decoder->file[decoder->slot[i] - 1].id != id)
		i = (i + 1) & mask;
	return &decoder->slot[i];
}

/* Files by id; of several definitions of one the first, until an operation uses a later one. */
static int make_slots(struct decoder *decoder)
{
	uint32_t slots = decoder->slots ? decoder->slots : 1024;

	while (slots / 2 <= decoder->files)
		slots *= 2;
	if (slots != decoder->slots) {
		uint32_t *slot = realloc(decoder->slot, slots * sizeof(*slot));

		if (!slot)
			return -ENOMEM;
		decoder->slot = slot;
		decoder->slots = slots;
	}
	memset(decoder->slot, 0, slots * sizeof(*decoder->slot));
	for (uint32_t i = 0; i < decoder->files; i++) {
		uint32_t *slot = slot_of(decoder, decoder->file[i].id);

		if (!*slot)
			*slot = i + 1;
	}
	return 0;
}

const struct trace_file *decoder_file(const struct decoder *decoder, uint64_t id)
{
	uint32_t place = decoder->slots && decoder->files ? *slot_of(decoder, id) : 0;

	return place ? &decoder->file[place - 1] : NULL;
}

/* --- a block -------------------------------------------------------------------------------- */

static int take_columns(struct decoder *decoder, struct cursor in)
{
	uint64_t ops = cursor_varint(&in);

	memset(decoder->column, 0, sizeof(decoder->column));
	while (!in.failed && cursor_left(&in)) {
		uint64_t number = cursor_varint(&in);
		size_t len;
		const uint8_t *data = cursor_blob(&in, &len);

		if (!in.failed && number < COLUMNS)
			decoder->column[number] = (struct decode_column){data, data + len, 0};
	}
	if (in.failed || ops > BLOCK_OPS_MAX)
		return -EPROTO;
	decoder->ops = (uint32_t)ops;
	return 0;
}

/* One record as a cursor over its payload. */
static struct cursor next_record(struct cursor *in, uint64_t *ret_kind)
{
	*ret_kind = cursor_varint(in);
	return cursor_sub(in, cursor_varint(in));
}

/* All definitions first: records before the operations, wherever they lie. */
static int take_definitions(struct decoder *decoder, struct cursor in)
{
	int err = 0;

	while (!err && cursor_left(&in)) {
		uint64_t kind;
		struct cursor payload = next_record(&in, &kind);

		if (in.failed)
			return -EPROTO;
		if (kind == BLOCK_FILE)
			err = take_file(decoder, payload);
		else if (kind == BLOCK_THREAD)
			err = take_thread(decoder, payload);
	}
	return err ? err : make_slots(decoder);
}

int decoder_begin(struct decoder *decoder, const uint8_t *content, size_t len)
{
	size_t header, body;

	decoder->files = 0;
	decoder->threads = 0;
	decoder->ops = 0;
	decoder->seq = 0;
	decoder->place = 0;
	decoder->records = cursor_of(NULL, 0);
	if (len < BLOCK_HEADER || memcmp(content, BLOCK_MAGIC, 4) != 0)
		return -EPROTO;
	if (content[BLOCK_AT_MAJOR] > TRACE_MAJOR)
		return -EPROTONOSUPPORT;
	header = get_le(content + BLOCK_AT_HEADER, 2);
	body = get_le(content + BLOCK_AT_BODY, 4);
	if (header < BLOCK_HEADER || header > len || body > len - header)
		return -EPROTO;
	decoder->number = (uint32_t)get_le(content + BLOCK_AT_NUMBER, 4);
	memcpy(decoder->id, content + BLOCK_AT_ID, TRACE_ID);
	decoder->base_ns = get_le(content + BLOCK_AT_BASE, 8);
	decoder->wall_offset_ns = get_le(content + BLOCK_AT_WALL, 8);
	decoder->arrive_ns = decoder->base_ns;
	decoder->records = cursor_of(content + header, body);
	return take_definitions(decoder, decoder->records);
}

/* --- operations ------------------------------------------------------------------------------ */

/* A column that is missing is all zero; one that ends early makes the block bad. */
static uint64_t take(struct decoder *decoder, unsigned int number, bool *failed)
{
	struct decode_column *column = &decoder->column[number];
	const uint8_t *at = column->at;
	uint64_t value = 0;

	if (!at)
		return 0;
	for (unsigned int shift = 0; shift < 70 && at < column->end; shift += 7) {
		uint8_t byte = *at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			column->at = at;
			return value;
		}
	}
	*failed = true;
	return 0;
}

/* The lowest 8 bits, and the rest in the column of upper bits. */
static uint64_t take_time(struct decoder *decoder, unsigned int number, bool *failed)
{
	struct decode_column *column = &decoder->column[number];
	uint64_t upper = take(decoder, COLUMN_UPPER + number, failed);

	if (!column->at)
		return upper << 8;
	if (column->at == column->end) {
		*failed = true;
		return 0;
	}
	return upper << 8 | *column->at++;
}

static uint64_t stamp(uint64_t coded, uint64_t from_ns)
{
	return coded ? from_ns + unzigzag(coded - 1) : 0;
}

static void take_stamps(struct decoder *decoder, struct op *op, bool *failed)
{
	uint64_t issued, answered;

	op->seq = decoder->seq + 1 + unzigzag(take(decoder, COLUMN_SEQ, failed));
	decoder->seq = op->seq;
	op->arrive_ns = decoder->arrive_ns + unzigzag(take_time(decoder, COLUMN_ARRIVE, failed));
	decoder->arrive_ns = op->arrive_ns;
	op->issued_ns = stamp(take_time(decoder, COLUMN_ISSUED, failed), op->arrive_ns);
	issued = op->issued_ns ? op->issued_ns : op->arrive_ns;
	op->backed_ns = stamp(take_time(decoder, COLUMN_BACKED, failed), issued);
	answered = op->backed_ns ? op->backed_ns : op->arrive_ns;
	op->due_ns = stamp(take(decoder, COLUMN_DUE, failed), op->arrive_ns);
	op->done_ns = stamp(take_time(decoder, COLUMN_DONE, failed), answered);
}

static bool take_refs(struct decoder *decoder, struct trace_op *op, bool *failed)
{
	uint64_t thread = take(decoder, COLUMN_THREAD, failed);
	uint64_t file = decoder->place + unzigzag(take(decoder, COLUMN_FILE, failed));
	const struct thread_key *key;

	if (thread > decoder->threads || file > decoder->files)
		return false;
	decoder->place = (uint32_t)file;
	op->op.file = file ? decoder->file[file - 1].id : 0;
	if (file)
		*slot_of(decoder, op->op.file) = (uint32_t)file;
	if (!thread)
		return true;
	key = &decoder->thread[thread - 1];
	op->op.pid = key->tid;
	op->op.uid = key->uid;
	op->op.gid = key->gid;
	op->process = key->process;
	memcpy(op->comm, key->comm, TRACE_COMM);
	return true;
}

static bool take_text(struct decoder *decoder, struct trace_op *op, unsigned int text, bool *failed)
{
	struct decode_column *column = &decoder->column[COLUMN_TEXT + text];
	uint64_t len = take(decoder, COLUMN_TEXT_LENGTH + text, failed);

	if (len > (size_t)(column->end - column->at))
		return false;
	op->text[text] = (struct trace_bytes){column->at, (size_t)len};
	if (column->at)
		column->at += len;
	return true;
}

static bool is_file_number(unsigned int number)
{
	return number == TRACE_PARENT || number == TRACE_NEW_PARENT || number == TRACE_TO_FILE;
}

static bool take_arguments(struct decoder *decoder, struct trace_op *op, bool *failed)
{
	uint64_t have = take(decoder, COLUMN_HAVE, failed), numbers, texts;

	op->have = have & ((TRACE_HAVE(TRACE_NUMBERS) - 1) |
			   ((TRACE_HAVE(TRACE_TEXTS) - 1) << TRACE_TEXT_BIT));
	numbers = op->have & (TRACE_HAVE(TRACE_TEXT_BIT) - 1);
	texts = op->have >> TRACE_TEXT_BIT;
	for (; numbers; numbers &= numbers - 1) {
		unsigned int bit = (unsigned int)__builtin_ctzll(numbers);
		struct decode_column *column = &decoder->column[COLUMN_NUMBER + bit];
		uint64_t value =
			column->last + unzigzag(take(decoder, COLUMN_NUMBER + bit, failed));

		column->last = value;
		if (is_file_number(bit) && value) {
			if (value > decoder->files)
				return false;
			value = decoder->file[value - 1].id;
		}
		op->value[bit] = value;
	}
	for (; texts; texts &= texts - 1) {
		if (!take_text(decoder, op, (unsigned int)__builtin_ctzll(texts), failed))
			return false;
	}
	return true;
}

/* Returns 1, 0 when it was of no kind that we know, or -EPROTO. */
static int take_op(struct decoder *decoder)
{
	struct trace_op *op = &decoder->op;
	bool failed = false;
	uint64_t kind = take(decoder, COLUMN_KIND, &failed);
	uint64_t expected;

	op->op = (struct op){.kind = (uint8_t)kind};
	op->process = 0;
	memset(op->comm, 0, TRACE_COMM);
	if (!take_refs(decoder, op, &failed))
		return -EPROTO;
	take_stamps(decoder, &op->op, &failed);
	expected = decoder->place ? decoder->expected[decoder->place - 1] : 0;
	op->op.offset = expected + unzigzag(take(decoder, COLUMN_OFFSET, &failed));
	op->op.size = take(decoder, COLUMN_SIZE, &failed);
	op->op.result = op->op.size - unzigzag(take(decoder, COLUMN_RESULT, &failed));
	op->op.error = (uint16_t)take(decoder, COLUMN_ERROR, &failed);
	op->op.flags = (uint8_t)take(decoder, COLUMN_FLAGS, &failed);
	if (!take_arguments(decoder, op, &failed) || failed)
		return -EPROTO;
	if (decoder->place && (kind == OP_READ || kind == OP_WRITE))
		decoder->expected[decoder->place - 1] = op->op.offset + op->op.result;
	decoder->ops--;
	/* A kind that only a newer writer knows has no name here. */
	if (kind >= OP_KINDS) {
		decoder->unknown++;
		return 0;
	}
	decoder->event.kind = TRACE_EV_OP;
	decoder->event.op = op;
	decoder->event.file = decoder->place ? &decoder->file[decoder->place - 1] : NULL;
	return 1;
}

/* --- events ---------------------------------------------------------------------------------- */

static struct trace_bytes take_bytes(struct cursor *in)
{
	struct trace_bytes bytes;

	bytes.data = cursor_blob(in, &bytes.len);
	return bytes;
}

static void take_counts(struct decoder *decoder, struct cursor *in)
{
	struct trace_counts *counts = &decoder->counts;

	memset(counts, 0, sizeof(*counts));
	while (!in->failed && cursor_left(in)) {
		uint64_t kind = cursor_varint(in), written = cursor_varint(in);
		uint64_t dropped = cursor_varint(in), filtered = cursor_varint(in);

		if (kind >= OP_KINDS)
			continue;
		counts->written[kind] = written;
		counts->dropped[kind] = dropped;
		counts->filtered[kind] = filtered;
	}
	decoder->event.counts = counts;
}

/* Fills the event of a record. Returns false when it is none for the outside. */
static bool take_record(struct decoder *decoder, uint64_t kind, struct cursor *in)
{
	struct trace_event *event = &decoder->event;

	switch (kind) {
	case BLOCK_PROPERTY:
	case BLOCK_MARK:
		event->kind = kind == BLOCK_MARK ? TRACE_EV_MARK : TRACE_EV_PROPERTY;
		event->mono_ns = kind == BLOCK_MARK ? cursor_varint(in) : 0;
		event->name = take_bytes(in);
		event->value = take_bytes(in);
		return true;
	case BLOCK_HANDLE:
		event->kind = TRACE_EV_HANDLE;
		event->handle.id = cursor_varint(in);
		event->handle.file = cursor_varint(in);
		event->handle.flags = cursor_varint(in);
		event->file = decoder_file(decoder, event->handle.file);
		return true;
	case BLOCK_COUNTS:
		event->kind = TRACE_EV_COUNTS;
		take_counts(decoder, in);
		return true;
	case BLOCK_SUMMARY:
		event->kind = TRACE_EV_SUMMARY;
		event->value = (struct trace_bytes){in->at, cursor_left(in)};
		return true;
	case BLOCK_END:
		event->kind = TRACE_EV_END;
		return true;
	default:
		return false;
	}
}

int decoder_next(struct decoder *decoder)
{
	while (decoder->ops || cursor_left(&decoder->records)) {
		uint64_t kind;
		struct cursor payload;

		if (decoder->ops) {
			int err = take_op(decoder);

			if (err)
				return err;
			continue;
		}
		payload = next_record(&decoder->records, &kind);
		if (decoder->records.failed)
			return -EPROTO;
		decoder->event = (struct trace_event){.wall_offset_ns = decoder->wall_offset_ns};
		if (kind == BLOCK_OPS) {
			int err = take_columns(decoder, payload);

			if (err)
				return err;
		} else if (take_record(decoder, kind, &payload)) {
			return payload.failed ? -EPROTO : 1;
		}
	}
	return 0;
}
