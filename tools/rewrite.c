// SPDX-License-Identifier: GPL-2.0-or-later
/* Events into a writer: other ids, other paths, another clock. */
#include "config.h"

#include "tools/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEVEL 3 /* of zstd: nobody waits for it */

int rewrite_open(struct rewrite *rewrite, const char *path, const uint8_t id[TRACE_ID],
		 uint64_t streams, uint64_t base_ns, struct diag *diag)
{
	struct trace_writer_options options = {.wall_offset_ns = base_ns, .level = LEVEL};
	int err;

	*rewrite = (struct rewrite){.fd = STDOUT_FILENO, .streams = streams, .base_ns = base_ns};
	memcpy(options.id, id, TRACE_ID);
	diag->file = path;
	if (!strcmp(path, "-") && isatty(STDOUT_FILENO))
		return diag_set(diag, -ENOTTY, "a trace is no text for a terminal: name a file");
	if (strcmp(path, "-") != 0) {
		rewrite->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (rewrite->fd < 0)
			return diag_set(diag, -errno, "%s%s", strerror(errno),
					errno == EEXIST ? ": it is not written over" : "");
		rewrite->path = strdup(path);
	}
	part_init(&rewrite->part, rewrite->fd);
	err = trace_writer_new(&options, part_sink, &rewrite->part, &rewrite->writer);
	return err ? diag_set(diag, err, "%s", strerror(-err)) : 0;
}

int rewrite_close(struct rewrite *rewrite, int err)
{
	if (!err)
		err = trace_writer_end(rewrite->writer);
	if (!err)
		err = part_finish(&rewrite->part);
	trace_writer_free(rewrite->writer);
	part_done(&rewrite->part);
	if (rewrite->fd > STDOUT_FILENO && close(rewrite->fd) && !err)
		err = -errno;
	if (err && rewrite->path)
		unlink(rewrite->path);
	free(rewrite->path);
	bytes_done(&rewrite->room);
	bytes_done(&rewrite->name);
	bytes_done(&rewrite->value);
	return err;
}

/* --- ids, stamps, paths --------------------------------------------------------------------- */

/* splitmix64's finish: every number becomes another one, and no two the same. */
static uint64_t mix(uint64_t n)
{
	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

/*
 * Ids of N traces are taken in turn: those of one never meet those of another. 0 stays 0. Only ids
 * too large for that, which are hashes, become other hashes, that may meet as hashes do.
 */
static uint64_t own_id(const struct rewrite *rewrite, const struct stream *stream, uint64_t id)
{
	uint64_t own;

	if (!id || rewrite->streams == 1)
		return id;
	if (!__builtin_mul_overflow(id, rewrite->streams, &own) &&
	    !__builtin_add_overflow(own, stream->index, &own))
		return own;
	own = mix(id + stream->index * UINT64_C(0x9e3779b97f4a7c15));
	return own ? own : 1;
}

/* A stamp on the clock of the output: 0 stays 0, "did not happen". */
static uint64_t own_time(struct rewrite *rewrite, const struct stream *stream, uint64_t ns)
{
	uint64_t wall_ns;

	if (!ns)
		return 0;
	wall_ns = ns + stream->event->wall_offset_ns + (uint64_t)stream->offset_ns;
	if (rewrite->streams == 1)
		return ns;
	if (wall_ns > rewrite->base_ns)
		return wall_ns - rewrite->base_ns;
	rewrite->clamped++;
	return 1;
}

static int define(struct rewrite *rewrite, const struct stream *stream,
		  const struct trace_file *from)
{
	struct trace_file file = *from;
	bool unknown = file.path.len && file.path.data[0] != '/';

	file.id = own_id(rewrite, stream, file.id);
	if (*stream->label && !unknown) {
		struct bytes *path = &rewrite->room;

		path->len = 0;
		bytes_put(path, stream->label, strlen(stream->label));
		if (file.path.len > 1)
			bytes_put(path, file.path.data, file.path.len);
		if (path->failed)
			return -ENOMEM;
		file.path = (struct trace_bytes){path->data, path->len};
	}
	return trace_write_file(rewrite->writer, &file);
}

static int define_block(struct rewrite *rewrite, struct stream *stream)
{
	const struct trace_file *files;
	size_t count = input_files(stream->input, &files);
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = define(rewrite, stream, &files[i]);
	stream->blocks = input_blocks(stream->input);
	return err;
}

int rewrite_age(struct rewrite *rewrite, struct stream *const *streams, size_t count)
{
	int err = 0;

	trace_writer_age(rewrite->writer);
	/* A trace that is slow speaks of its files for long. */
	for (size_t i = 0; i < count && !err; i++) {
		if (streams[i]->event)
			err = define_block(rewrite, streams[i]);
	}
	return err;
}

/* --- events --------------------------------------------------------------------------------- */

static void own_arguments(const struct rewrite *rewrite, const struct stream *stream,
			  struct trace_op *op)
{
	static const enum trace_number ids[] = {TRACE_HANDLE, TRACE_PARENT, TRACE_NEW_PARENT,
						TRACE_TO_FILE, TRACE_TO_HANDLE};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		if (op->have & TRACE_HAVE(ids[i]))
			op->value[ids[i]] = own_id(rewrite, stream, op->value[ids[i]]);
	}
	/* Owners are hashes of a kernel's: another stream's get another pattern. */
	if (op->have & TRACE_HAVE(TRACE_LOCK_OWNER))
		op->value[TRACE_LOCK_OWNER] ^= stream->index * UINT64_C(0x9e3779b97f4a7c15);
}

static int write_op(struct rewrite *rewrite, struct stream *stream)
{
	const struct trace_event *event = stream->event;
	struct trace_op own;

	stream->read[event->op->op.kind]++;
	rewrite->ops++;
	if (rewrite->streams == 1)
		return trace_write_op(rewrite->writer, event->op);
	own = *event->op;
	own.op.arrive_ns = own_time(rewrite, stream, own.op.arrive_ns);
	own.op.issued_ns = own_time(rewrite, stream, own.op.issued_ns);
	own.op.backed_ns = own_time(rewrite, stream, own.op.backed_ns);
	own.op.due_ns = own_time(rewrite, stream, own.op.due_ns);
	own.op.done_ns = own_time(rewrite, stream, own.op.done_ns);
	own.op.seq = own_id(rewrite, stream, own.op.seq);
	own.op.file = own_id(rewrite, stream, own.op.file);
	own_arguments(rewrite, stream, &own);
	return trace_write_op(rewrite->writer, &own);
}

static const char *terminated(struct bytes *room, struct trace_bytes bytes)
{
	bytes_put(room, bytes.data, bytes.len);
	bytes_put(room, "", 1);
	return room->failed ? NULL : (const char *)room->data;
}

/* Properties of several traces say whose they are: "0.version". */
static int write_property(struct rewrite *rewrite, struct stream *stream)
{
	const char *name, *value;
	char index[24];

	rewrite->name.len = rewrite->value.len = 0;
	if (rewrite->streams > 1) {
		snprintf(index, sizeof(index), "%llu.", (unsigned long long)stream->index);
		bytes_put(&rewrite->name, index, strlen(index));
	}
	name = terminated(&rewrite->name, stream->event->name);
	value = terminated(&rewrite->value, stream->event->value);
	if (!name || !value)
		return -ENOMEM;
	return trace_write_property(rewrite->writer, name, value);
}

/* Marks of several traces too, in their text: "[/mnt/a] read:20ms". */
static int write_mark(struct rewrite *rewrite, struct stream *stream)
{
	const char *name, *value;

	rewrite->name.len = rewrite->value.len = 0;
	if (rewrite->streams > 1) {
		bytes_put(&rewrite->value, "[", 1);
		bytes_put(&rewrite->value, stream->label, strlen(stream->label));
		bytes_put(&rewrite->value, "] ", 2);
	}
	name = terminated(&rewrite->name, stream->event->name);
	value = terminated(&rewrite->value, stream->event->value);
	if (!name || !value)
		return -ENOMEM;
	return trace_write_mark(rewrite->writer, own_time(rewrite, stream, stream->event->mono_ns),
				name, value);
}

static int write_handle(struct rewrite *rewrite, struct stream *stream)
{
	struct trace_handle handle = stream->event->handle;

	handle.id = own_id(rewrite, stream, handle.id);
	handle.file = own_id(rewrite, stream, handle.file);
	return trace_write_handle(rewrite->writer, &handle);
}

int rewrite_event(struct rewrite *rewrite, struct stream *stream)
{
	const struct trace_event *event = stream->event;
	int err = 0;

	if (rewrite->streams == 1)
		err = trace_write_clock(rewrite->writer,
					event->wall_offset_ns + (uint64_t)stream->offset_ns);
	if (!err && input_blocks(stream->input) != stream->blocks)
		err = define_block(rewrite, stream);
	if (err)
		return err;
	switch (event->kind) {
	case TRACE_EV_OP:
		return write_op(rewrite, stream);
	case TRACE_EV_PROPERTY:
		return write_property(rewrite, stream);
	case TRACE_EV_MARK:
		return write_mark(rewrite, stream);
	case TRACE_EV_HANDLE:
		return write_handle(rewrite, stream);
	case TRACE_EV_SUMMARY:
		if (rewrite->streams == 1)
			return trace_write_summary(rewrite->writer, event->value.data,
						   event->value.len);
		rewrite->summaries++;
		return 0;
	case TRACE_EV_COUNTS:
	case TRACE_EV_END:
		break;
	}
	return 0;
}

int rewrite_mark(struct rewrite *rewrite, uint64_t mono_ns, const char *name, const char *text)
{
	return trace_write_mark(rewrite->writer, mono_ns, name, text);
}

uint64_t rewrite_losses(struct rewrite *rewrite, const struct stream *stream)
{
	struct trace_counts counts;
	uint64_t lost = 0;

	input_counts(stream->input, &counts);
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		uint64_t read = stream->read[kind];
		/* The recorder wrote them, and they are not there. */
		uint64_t missing = counts.written[kind] > read ? counts.written[kind] - read : 0;

		trace_writer_dropped(rewrite->writer, kind, counts.dropped[kind] + missing);
		trace_writer_filtered(rewrite->writer, kind, counts.filtered[kind]);
		lost += missing;
	}
	return lost;
}
