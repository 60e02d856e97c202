// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace as a stream of events. */
#include "config.h"

#include "trace/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/decode.h"
#include "trace/frames.h"

struct trace_reader {
	struct frames frames;
	struct decoder decoder;
	struct diag *diag;
	struct trace_position position;
	uint64_t from_ns; /* of the wall clock */
	uint64_t to_ns;
	uint64_t missing;
	uint32_t next_number;
	uint8_t id[TRACE_ID];
	bool began; /* a block was seen */
	bool in_block;
	bool ended;
	bool windowed;
};

void trace_reader_free(struct trace_reader *reader)
{
	if (!reader)
		return;
	frames_done(&reader->frames);
	decoder_done(&reader->decoder);
	free(reader);
}

/* Blocks of one trace are numbered; those of another begin anew. */
static void check_number(struct trace_reader *reader)
{
	const struct decoder *decoder = &reader->decoder;

	if (reader->began && !memcmp(reader->id, decoder->id, TRACE_ID) &&
	    decoder->number > reader->next_number && !reader->frames.wanted)
		reader->missing += decoder->number - reader->next_number;
	memcpy(reader->id, decoder->id, TRACE_ID);
	reader->next_number = decoder->number + 1;
	reader->began = true;
}

static int refuse_version(struct trace_reader *reader, const uint8_t *content)
{
	return diag_set(reader->diag, -EPROTONOSUPPORT,
			"a trace of version %u: this program reads up to %d; get a newer one",
			content[BLOCK_AT_MAJOR], TRACE_MAJOR);
}

/* Begins the next block that can be decoded. Returns 1, 0 at the end, or -errno. */
static int next_block(struct trace_reader *reader)
{
	const uint8_t *content;
	size_t len;
	int err;

	for (;;) {
		err = frames_next(&reader->frames, &content, &len);
		if (err <= 0)
			return err < 0 ? diag_set(reader->diag, err, "reading: %s", strerror(-err))
				       : 0;
		err = decoder_begin(&reader->decoder, content, len);
		if (err == -EPROTONOSUPPORT)
			return refuse_version(reader, content);
		if (err == -ENOMEM)
			return diag_set(reader->diag, err, "no memory for a block");
		if (!err)
			break;
		frames_reject(&reader->frames);
	}
	check_number(reader);
	reader->position.blocks++;
	reader->position.content += len;
	reader->ended = false;
	reader->in_block = true;
	return 1;
}

int trace_reader_new(int fd, struct diag *diag, struct trace_reader **ret_reader)
{
	struct trace_reader *reader = calloc(1, sizeof(*reader));
	int err = reader ? frames_init(&reader->frames, fd) : -ENOMEM;

	if (err) {
		trace_reader_free(reader);
		return diag_set(diag, err, "no memory to read with");
	}
	reader->diag = diag;
	reader->to_ns = UINT64_MAX;
	err = next_block(reader);
	if (err == 1) {
		*ret_reader = reader;
		return 0;
	}
	if (!err)
		err = diag_set(diag, -EPROTO,
			       reader->frames.damage.bytes
				       ? "no whole block of a trace in it: not a trace, or cut off "
					 "before anything was flushed"
				       : "empty: no trace");
	trace_reader_free(reader);
	return err;
}

void trace_reader_window(struct trace_reader *reader, uint64_t from_ns, uint64_t to_ns)
{
	reader->from_ns = from_ns;
	reader->to_ns = to_ns;
	reader->windowed = true;
	frames_window(&reader->frames, from_ns, to_ns);
}

void trace_reader_follow(struct trace_reader *reader)
{
	reader->frames.follow = true;
}

static bool wanted(const struct trace_reader *reader, const struct trace_event *event)
{
	uint64_t wall_ns;

	if (event->kind != TRACE_EV_OP || !reader->windowed)
		return true;
	wall_ns = event->op->op.arrive_ns + event->wall_offset_ns;
	return wall_ns >= reader->from_ns && wall_ns < reader->to_ns;
}

int trace_read(struct trace_reader *reader, const struct trace_event **ret_event)
{
	for (;;) {
		int err = reader->in_block ? decoder_next(&reader->decoder) : 0;

		if (err == 1) {
			const struct trace_event *event = &reader->decoder.event;

			reader->ended = event->kind == TRACE_EV_END;
			reader->position.ops += event->kind == TRACE_EV_OP;
			if (!wanted(reader, event))
				continue;
			*ret_event = event;
			return 1;
		}
		reader->in_block = false;
		if (err == -ENOMEM)
			return diag_set(reader->diag, err, "no memory for a block");
		if (err < 0)
			frames_reject(&reader->frames);
		err = next_block(reader);
		if (err <= 0)
			return err;
	}
}

const struct trace_file *trace_reader_file(const struct trace_reader *reader, uint64_t id)
{
	return decoder_file(&reader->decoder, id);
}

size_t trace_reader_files(const struct trace_reader *reader, const struct trace_file **ret_files)
{
	*ret_files = reader->decoder.file;
	return reader->decoder.files;
}

const uint8_t *trace_reader_id(const struct trace_reader *reader)
{
	return reader->id;
}

void trace_reader_damage(const struct trace_reader *reader, struct trace_damage *ret_damage)
{
	*ret_damage = reader->frames.damage;
	ret_damage->blocks_missing = reader->missing;
	ret_damage->unknown_ops = reader->decoder.unknown;
	ret_damage->ended = reader->ended;
	if (!reader->ended)
		ret_damage->torn = true;
}

void trace_reader_position(const struct trace_reader *reader, struct trace_position *ret_position)
{
	*ret_position = reader->position;
	ret_position->offset = reader->frames.offset;
	ret_position->size = reader->frames.size;
}
