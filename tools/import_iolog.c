// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fio's I/O logs, versions 2 and 3.
 *
 * The words of a line are taken from both ends, so that a path may hold blanks (fio writes such
 * logs, and can't read them). Version 2 has no stamps: its operations are 1 ns apart but for waits.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>

#include "core/clock.h"
#include "tools/import_formats.h"

/* More than any storage gives: such stamps have another unit. */
#define INCREDIBLE_BYTES_PER_S UINT64_C(100000000000)

enum action {
	ACTION_ADD,
	ACTION_OPEN,
	ACTION_CLOSE,
	ACTION_READ,
	ACTION_WRITE,
	ACTION_TRIM,
	ACTION_SYNC,
	ACTION_DATASYNC,
	ACTION_SYNCFS,
	ACTION_WAIT,
};

static const struct {
	const char *word;
	enum action action;
	bool io; /* has an offset and a length */
} actions[] = {
	{"add", ACTION_ADD, false},      {"open", ACTION_OPEN, false},
	{"close", ACTION_CLOSE, false},  {"read", ACTION_READ, true},
	{"write", ACTION_WRITE, true},   {"trim", ACTION_TRIM, true},
	{"sync", ACTION_SYNC, true},     {"datasync", ACTION_DATASYNC, true},
	{"syncfs", ACTION_SYNCFS, true}, {"sync_file_range", ACTION_DATASYNC, true},
	{"wait", ACTION_WAIT, true},
};

#define ACTIONS (sizeof(actions) / sizeof(actions[0]))

struct iolog_state {
	uint64_t bytes; /* read and written */
};

struct iolog_line {
	struct slice path;
	enum action action;
	uint64_t offset;
	uint64_t length;
};

static int read_title(struct import *import, struct slice line)
{
	struct import_source *source = import->source;

	if (slice_begins(line, "fio version 3 iolog")) {
		source->version = 3;
	} else if (slice_begins(line, "fio version 2 iolog")) {
		source->version = 2;
		import->notes = "version 2 of a fio log has no time stamps: operations are 1 ns "
				"apart, but for waits";
	} else {
		return import_refuse(import,
				     "%s: no fio log of version 2 or 3: its first line is not "
				     "\"fio version 3 iolog\"",
				     source->name);
	}
	return import_unused(import, IMPORT_NOTHING);
}

static struct slice last_word(struct slice *rest)
{
	size_t len;
	struct slice word;

	*rest = slice_trim(*rest);
	len = rest->len;
	while (len && rest->at[len - 1] != ' ' && rest->at[len - 1] != '\t')
		len--;
	word = slice_from(*rest, len);
	rest->len = len;
	return word;
}

static int find_action(struct slice word, size_t *ret_index)
{
	for (size_t i = 0; i < ACTIONS; i++) {
		if (slice_is(word, actions[i].word)) {
			*ret_index = i;
			return 0;
		}
	}
	return -ENOENT;
}

/* Takes PATH ACTION [OFFSET LENGTH] apart. Returns 0, or a reason (> 0). */
static int take_apart(struct slice rest, struct iolog_line *ret_line)
{
	struct slice last = last_word(&rest), offset;
	struct iolog_line line = {0};
	size_t index;
	int err;

	if (find_action(last, &index)) {
		offset = last_word(&rest);
		if (find_action(last_word(&rest), &index))
			return offset.len ? IMPORT_OP : IMPORT_FIELDS;
		err = slice_uint(offset, &line.offset);
		if (!err)
			err = slice_uint(last, &line.length);
		if (err)
			return err == -ERANGE ? IMPORT_RANGE : IMPORT_NUMBER;
	} else if (actions[index].io) {
		return IMPORT_FIELDS;
	}
	line.action = actions[index].action;
	line.path = slice_trim(rest);
	if (!line.path.len)
		return IMPORT_FIELDS;
	*ret_line = line;
	return 0;
}

static int wait_for(struct import *import, uint64_t number)
{
	uint64_t *clock_ns = &import->source->clock_ns;
	uint64_t ns;
	bool manual = import->options->iolog_wait == IMPORT_WAIT_MANUAL;

	if (__builtin_mul_overflow(number, manual ? NS_PER_US : NS_PER_MS, &ns) ||
	    (manual && __builtin_add_overflow(*clock_ns, ns, &ns)))
		return import_unused(import, IMPORT_RANGE);
	if (import->options->iolog_wait == IMPORT_WAIT_UNSAID)
		import->notes = "waits are taken as fio does, milliseconds since the start, and "
				"not as its manual says, microseconds since the last "
				"(--iolog-wait=fio|manual)";
	if (ns > *clock_ns)
		*clock_ns = ns;
	return 0;
}

static enum op_kind kind_of(enum action action)
{
	switch (action) {
	case ACTION_OPEN:
		return OP_OPEN;
	case ACTION_CLOSE:
		return OP_RELEASE;
	case ACTION_READ:
		return OP_READ;
	case ACTION_WRITE:
		return OP_WRITE;
	case ACTION_TRIM:
		return OP_FALLOCATE;
	case ACTION_SYNCFS:
		return OP_SYNCFS;
	default:
		return OP_FSYNC;
	}
}

static int give_open(struct import *import, struct trace_op *op, struct import_file *file)
{
	int err = import_about_name(import, op, file);

	file->handle = import_new_handle(import);
	import_set(op, TRACE_HANDLE, file->handle);
	import_set(op, TRACE_FLAGS, O_RDWR);
	return err ? err : import_op(import, op);
}

static int give(struct import *import, struct iolog_state *state, const struct iolog_line *line,
		uint64_t arrive_ns)
{
	struct trace_op op = import_new_op(kind_of(line->action), arrive_ns);
	struct import_file *file;
	int n = import_path(import, line->path, &file);

	if (n <= 0)
		return n;
	if (line->action == ACTION_ADD)
		return import_define(import, file);
	if (line->action == ACTION_OPEN)
		return give_open(import, &op, file);
	if (line->action <= ACTION_TRIM) {
		op.op.offset = line->action == ACTION_CLOSE ? 0 : line->offset;
		op.op.size = line->action == ACTION_CLOSE ? 0 : line->length;
	}
	if (line->action == ACTION_READ || line->action == ACTION_WRITE) {
		op.op.result = line->length;
		if (__builtin_add_overflow(state->bytes, line->length, &state->bytes))
			state->bytes = UINT64_MAX;
	}
	if (line->action == ACTION_DATASYNC)
		import_set(&op, TRACE_DATASYNC, 1);
	import_block_kind(&op);
	n = import_about_open(import, &op, file);
	if (line->action == ACTION_CLOSE)
		file->handle = 0;
	return n ? n : import_op(import, &op);
}

static int iolog_line(struct import *import, void *state, struct slice text)
{
	uint64_t unit = import->options->ts_unit_ns, arrive_ns = 0;
	struct import_source *source = import->source;
	struct iolog_line line;
	int err;

	if (!source->version)
		return read_title(import, text);
	if (source->version == 3) {
		if (slice_scaled(slice_word(&text), unit ? unit : NS_PER_US, &arrive_ns))
			return import_unused(import, IMPORT_TIME);
	}
	err = take_apart(text, &line);
	if (err > 0)
		return import_unused(import, (enum import_reason)err);
	if (line.action == ACTION_WAIT)
		return source->version == 2 ? wait_for(import, line.offset)
					    : import_unused(import, IMPORT_OP);
	if (source->version == 2)
		arrive_ns = line.action == ACTION_ADD ? source->clock_ns : source->clock_ns++;
	return give(import, state, &line, import_relative(arrive_ns));
}

static bool iolog_stamp(const struct import *import, struct slice line, uint64_t *ret_ns)
{
	return !slice_scaled(slice_word(&line), 1, ret_ns);
}

/* Logs of other programs sometimes count milliseconds. */
static int iolog_finish(struct import *import, void *state)
{
	const struct iolog_state *own = state;
	uint64_t span_ns = import->counts.last_ns - import->counts.first_ns;

	if (!import->notes && !import->options->ts_unit_ns && span_ns >= NS_PER_MS / 10 &&
	    own->bytes / (span_ns / 1000 + 1) > INCREDIBLE_BYTES_PER_S / 1000000)
		import->notes = "taken as microseconds the time stamps give more than 100 GB/s: "
				"perhaps they are milliseconds (--ts-unit=ms)";
	return 0;
}

const struct import_format import_iolog = {
	.name = "iolog",
	.summary = "fio write_iolog, versions 2 and 3 (us, bytes)",
	.state_bytes = sizeof(struct iolog_state),
	.line = iolog_line,
	.stamp = iolog_stamp,
	.finish = iolog_finish,
};
