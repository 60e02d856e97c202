// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fio's I/O log, version 3: what fio --read_iolog replays.
 *
 * Its lines are in the order of arrival, for which operations wait in a bounded heap. Names are
 * relative, so that a replay stays below the directory that fio is started in (its --directory it
 * does not apply to I/O logs); a file keeps the name it had first, because they know no rename.
 */
#include "config.h"

#include "tools/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "tools/iolog_files.h"

#define WAITING 131072u                 /* operations (6 MiB) */
#define PIECE (UINT64_C(1) << 30)       /* of what is too long for a line */
#define LENGTH_MAX UINT64_C(0xffffffff) /* bytes that a line can say */

enum action { ADD, OPEN, CLOSE, READ, WRITE, SYNC, DATASYNC, TRIM };

static const char *const action_names[] = {
	[ADD] = "add",     [OPEN] = "open", [CLOSE] = "close",       [READ] = "read",
	[WRITE] = "write", [SYNC] = "sync", [DATASYNC] = "datasync", [TRIM] = "trim",
};

struct step {
	uint64_t ns; /* wall clock */
	uint64_t seq;
	uint64_t offset;
	uint64_t len;
	uint32_t file;
	uint32_t action;
};

struct iolog {
	struct iolog_files files;
	struct step *heap; /* the earliest first */
	size_t count;
	uint64_t seq;
	uint64_t base_ns; /* of the first line */
	uint64_t last_us;
	bool begun;
};

static int iolog_begin(struct export *export)
{
	struct iolog *log = calloc(1, sizeof(*log));

	export->state = log;
	if (!log)
		return -ENOMEM;
	log->heap = malloc(WAITING * sizeof(log->heap[0]));
	out_room(export->out);
	out_literal(export->out, "fio version 3 iolog\n");
	return log->heap ? 0 : -ENOMEM;
}

static void iolog_done(struct export *export)
{
	struct iolog *log = export->state;

	if (!log)
		return;
	iolog_files_done(&log->files);
	free(log->heap);
	free(log);
}

/* --- lines ---------------------------------------------------------------------------------- */

static void put_line(struct export *export, struct iolog *log, uint32_t file, enum action action)
{
	struct outbuf *out = export->out;
	size_t len;
	const uint8_t *name = iolog_files_name(&log->files, file, &len);

	out_room(out);
	out_uint(out, log->last_us);
	out_char(out, ' ');
	out_put(out, (const char *)name, len);
	out_char(out, ' ');
	out_string(out, action_names[action]);
	if (action <= CLOSE)
		out_char(out, '\n');
}

static void put_range(struct outbuf *out, uint64_t offset, uint64_t len)
{
	out_char(out, ' ');
	out_uint(out, offset);
	out_char(out, ' ');
	out_uint(out, len);
	out_char(out, '\n');
}

static void put_io(struct export *export, struct iolog *log, const struct step *step)
{
	uint64_t offset = step->offset, left = step->len, len;

	if (left > LENGTH_MAX)
		export_note(export, "operations of 4 GiB and more, cut into pieces of 1 GiB", 1);
	do {
		len = step->len > LENGTH_MAX && left > PIECE ? PIECE : left;
		put_line(export, log, step->file, (enum action)step->action);
		put_range(export->out, offset, len);
		offset += len;
		left -= len;
	} while (left);
}

static void set_clock(struct export *export, struct iolog *log, const struct step *step)
{
	uint64_t us;

	if (!log->begun) {
		log->begun = true;
		log->base_ns = step->ns;
	}
	us = step->ns > log->base_ns ? (step->ns - log->base_ns) / NS_PER_US : 0;
	if (us >= log->last_us)
		log->last_us = us;
	else
		export_note(export,
			    "operations too late to be put in order: stamped as the one "
			    "before",
			    1);
}

/* A file is named before it is opened, and opened before it is used. */
static void put_step(struct export *export, struct iolog *log, const struct step *step)
{
	struct iolog_file *file = iolog_files_at(&log->files, step->file);

	set_clock(export, log, step);
	if (step->action == CLOSE) {
		if (file->opens && !--file->opens)
			put_line(export, log, step->file, CLOSE);
		return;
	}
	if (!file->added) {
		file->added = true;
		put_line(export, log, step->file, ADD);
	}
	if (step->action == OPEN && file->opens++)
		return;
	if (step->action == OPEN || !file->opens) {
		put_line(export, log, step->file, OPEN);
		file->opens = 1;
	}
	if (step->action != OPEN)
		put_io(export, log, step);
}

/* --- order ---------------------------------------------------------------------------------- */

static bool earlier(const struct step *a, const struct step *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->seq < b->seq;
}

static void push(struct iolog *log, const struct step *step)
{
	size_t at = log->count++, parent;

	for (; at; at = parent) {
		parent = (at - 1) / 2;
		if (!earlier(step, &log->heap[parent]))
			break;
		log->heap[at] = log->heap[parent];
	}
	log->heap[at] = *step;
}

static struct step pop(struct iolog *log)
{
	struct step least = log->heap[0], last = log->heap[--log->count];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < log->count; at = child) {
		if (child + 1 < log->count && earlier(&log->heap[child + 1], &log->heap[child]))
			child++;
		if (!earlier(&log->heap[child], &last))
			break;
		log->heap[at] = log->heap[child];
	}
	log->heap[at] = last;
	return least;
}

/* --- operations ----------------------------------------------------------------------------- */

/* What an operation is in the log. Returns false when there is no word for it. */
static bool translate(const struct trace_op *op, struct step *step)
{
	step->offset = op->op.offset;
	step->len = op->op.result;
	switch (op->op.kind) {
	case OP_OPEN:
	case OP_CREATE:
	case OP_TMPFILE:
		step->action = OPEN;
		return true;
	case OP_RELEASE:
		step->action = CLOSE;
		return true;
	case OP_READ:
		step->action = READ;
		return true;
	case OP_WRITE:
		step->action = WRITE;
		return true;
	case OP_FSYNC:
		step->action = op->value[TRACE_DATASYNC] && (op->have & TRACE_HAVE(TRACE_DATASYNC))
				       ? DATASYNC
				       : SYNC;
		step->offset = step->len = 0;
		return true;
	case OP_FALLOCATE:
		step->action = TRIM;
		step->len = op->op.size;
		return export_is_trim(op);
	default:
		return false;
	}
}

static int iolog_op(struct export *export, const struct trace_event *event)
{
	const struct trace_op *op = event->op;
	struct iolog *log = export->state;
	struct step step = {.ns = op->op.arrive_ns + event->wall_offset_ns, .seq = log->seq++};
	int err;

	if (!translate(op, &step)) {
		export->left_out[op->op.kind]++;
		return 0;
	}
	if (op->op.error) {
		export_note(export, "operations that failed, left out", 1);
		return 0;
	}
	if (!step.len && (step.action == READ || step.action == WRITE || step.action == TRIM)) {
		export_note(export, "reads and writes of no bytes (at the end of a file), left out",
			    1);
		return 0;
	}
	err = iolog_files_number(&log->files, export, event, &step.file);
	if (err)
		return err;
	if (log->count == WAITING) {
		struct step first = pop(log);

		put_step(export, log, &first);
	}
	push(log, &step);
	return 0;
}

static int iolog_end(struct export *export)
{
	struct iolog *log = export->state;

	while (log->count) {
		struct step step = pop(log);

		put_step(export, log, &step);
	}
	for (uint32_t i = 0; i < iolog_files_count(&log->files); i++) {
		if (iolog_files_at(&log->files, i)->opens)
			put_line(export, log, i, CLOSE);
	}
	return 0;
}

const struct export_format export_fio_iolog = {
	.begin = iolog_begin,
	.op = iolog_op,
	.end = iolog_end,
	.done = iolog_done,
};
