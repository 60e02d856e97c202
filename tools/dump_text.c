// SPDX-License-Identifier: GPL-2.0-or-later
/* Events as lines of text: operations in columns, all else as comments. */
#include "config.h"

#include <inttypes.h>

#include "tools/dump.h"
#include "tools/view.h"

/* X(title, columns, to the left) */
#define TEXT_COLUMNS(X)    \
	X("time/s", 13, 0) \
	X("op", 15, 1)     \
	X("service", 8, 0) \
	X("hold", 8, 0)    \
	X("total", 8, 0)   \
	X("thread", 7, 0)  \
	X("uid", 5, 0)     \
	X("offset", 12, 0) \
	X("size", 8, 0)    \
	X("result", 12, 0)

enum text_column {
	COL_TIME,
	COL_OP,
	COL_SERVICE,
	COL_HOLD,
	COL_TOTAL,
	COL_THREAD,
	COL_UID,
	COL_OFFSET,
	COL_SIZE,
	COL_RESULT,
	TEXT_COLUMN_COUNT
};

static const uint8_t widths[] = {
#define X(title, columns, left) columns,
	TEXT_COLUMNS(X)
#undef X
};

/* Ends a column that began at the mark, and the blank behind it. */
static void column(struct outbuf *out, size_t mark, enum text_column which)
{
	if (which == COL_OP)
		out_left(out, mark, widths[which]);
	else
		out_right(out, mark, widths[which]);
	out_char(out, ' ');
}

static void put_duration(const struct dump *dump, struct outbuf *out, const struct op *op,
			 enum duration duration, const uint64_t ns_of[DURATIONS],
			 enum text_column which)
{
	size_t mark = out_mark(out);
	uint64_t ns = ns_of[duration];

	if (!op_has_duration(op, duration, ns_of))
		out_char(out, '-');
	else if (dump->exact)
		out_uint(out, ns);
	else
		out_time(out, ns);
	column(out, mark, which);
}

static void put_number(struct outbuf *out, uint64_t value, bool there, enum text_column which)
{
	size_t mark = out_mark(out);

	if (there)
		out_uint(out, value);
	else
		out_char(out, '-');
	column(out, mark, which);
}

/* Does the operation have an offset and a size? */
static bool has_range(const struct op *op)
{
	switch (op->kind) {
	case OP_READ:
	case OP_WRITE:
	case OP_FALLOCATE:
	case OP_COPY_FILE_RANGE:
		return true;
	default:
		return op->offset || op->size;
	}
}

static void put_result(struct outbuf *out, const struct op *op)
{
	size_t mark = out_mark(out);
	const char *name = op->error ? view_errno_name(op->error) : NULL;

	if (name) {
		out_string(out, name);
	} else if (op->error) {
		out_literal(out, "errno=");
		out_uint(out, op->error);
	} else if (has_range(op) || op->result) {
		out_uint(out, op->result);
	} else {
		out_literal(out, "ok");
	}
	column(out, mark, COL_RESULT);
}

static void put_time(const struct dump *dump, struct outbuf *out, uint64_t unix_ns)
{
	size_t mark = out_mark(out);

	out_seconds(out, (int64_t)(unix_ns - dump->start_ns), dump->exact ? 9 : 6);
	column(out, mark, COL_TIME);
}

static void put_path(struct outbuf *out, const struct dump_path *path)
{
	out_escaped(out, path->directory, OUT_WORD);
	if (!path->name.len)
		return;
	out_room(out);
	if (path->directory.len != 1 || path->directory.data[0] != '/')
		out_char(out, '/');
	out_escaped(out, path->name, OUT_WORD);
}

/* "KEY=" of an argument. */
static void put_key(struct outbuf *out, const char *key)
{
	out_room(out);
	out_char(out, ' ');
	out_string(out, key);
	out_char(out, '=');
}

/* What a line needs to be understood: other names, targets. */
static void put_names(const struct dump *dump, struct outbuf *out, const struct trace_event *event)
{
	const struct trace_op *op = event->op;

	if (op->have & TRACE_HAVE_TEXT(TRACE_NEW_NAME)) {
		struct dump_path path = dump_new_path_of(dump, event);

		out_literal(out, " -> ");
		put_path(out, &path);
	}
	if (op->have & TRACE_HAVE_TEXT(TRACE_TARGET)) {
		put_key(out, "target");
		out_escaped(out, op->text[TRACE_TARGET], OUT_WORD);
	}
	if (op->have & TRACE_HAVE_TEXT(TRACE_XATTR)) {
		put_key(out, "xattr");
		out_escaped(out, op->text[TRACE_XATTR], OUT_WORD);
	}
	if (op->have & TRACE_HAVE(TRACE_TO_FILE)) {
		const struct trace_file *to = input_file(dump->input, op->value[TRACE_TO_FILE]);

		out_room(out);
		out_literal(out, " -> ");
		if (to)
			out_escaped(out, to->path, OUT_WORD);
		else
			out_char(out, '?');
	}
}

static void put_pair(struct outbuf *out, const char *key, uint64_t value)
{
	put_key(out, key);
	out_uint(out, value);
}

/* --all: what the columns don't say. */
static void put_arguments(struct outbuf *out, const struct trace_op *op)
{
	uint64_t numbers = op->have & (TRACE_HAVE(TRACE_NUMBERS) - 1);

	put_pair(out, "seq", op->op.seq);
	put_pair(out, "file", op->op.file);
	put_pair(out, "process", op->process);
	put_pair(out, "gid", op->op.gid);
	put_key(out, "comm");
	out_escaped(out,
		    (struct trace_bytes){(const uint8_t *)op->comm, strnlen(op->comm, TRACE_COMM)},
		    OUT_WORD);
	if (op->op.flags)
		put_pair(out, "op_flags", op->op.flags);
	for (; numbers; numbers &= numbers - 1) {
		unsigned int number = (unsigned int)__builtin_ctzll(numbers);

		put_pair(out, trace_number_key(number), op->value[number]);
	}
	if (op->have & TRACE_HAVE_TEXT(TRACE_HASH)) {
		put_key(out, "hash");
		out_hex(out, op->text[TRACE_HASH]);
	}
}

static void put_op(struct dump *dump, const struct trace_event *event)
{
	struct outbuf *out = &dump->out;
	const struct op *op = &event->op->op;
	struct dump_path path = dump_path_of(dump, event);
	const char *name = op_name(op->kind);
	uint64_t duration_ns[DURATIONS];
	size_t mark;

	op_durations(op, duration_ns);
	out_room(out);
	put_time(dump, out, op->arrive_ns + event->wall_offset_ns);
	mark = out_mark(out);
	out_string(out, name);
	column(out, mark, COL_OP);
	put_duration(dump, out, op, DUR_SERVICE, duration_ns, COL_SERVICE);
	put_duration(dump, out, op, DUR_HOLD, duration_ns, COL_HOLD);
	put_duration(dump, out, op, DUR_TOTAL, duration_ns, COL_TOTAL);
	put_number(out, op->pid, true, COL_THREAD);
	put_number(out, op->uid, true, COL_UID);
	put_number(out, op->offset, has_range(op), COL_OFFSET);
	put_number(out, op->size, has_range(op), COL_SIZE);
	put_result(out, op);
	put_path(out, &path);
	put_names(dump, out, event);
	if (dump->all)
		put_arguments(out, event->op);
	out_room(out);
	out_char(out, '\n');
}

/* --- comments ------------------------------------------------------------------------------- */

static void put_trace(struct dump *dump)
{
	struct outbuf *out = &dump->out;

	out_room(out);
	out_literal(out, "# trace ");
	out_hex(out, (struct trace_bytes){dump->id, TRACE_ID});
	out_char(out, '\n');
	dump->titled = false;
}

static void put_titles(struct dump *dump)
{
	static const char *const titles[] = {
#define X(title, columns, left) title,
		TEXT_COLUMNS(X)
#undef X
	};
	struct outbuf *out = &dump->out;

	out_room(out);
	/* Of a pipe it is known only now. */
	out_literal(out, "# begins ");
	out_iso(out, dump->start_ns);
	out_char(out, '\n');
	dump->titled = true;
	for (int i = 0; i < TEXT_COLUMN_COUNT; i++) {
		size_t mark = out_mark(out);

		if (i == COL_TIME)
			out_literal(out, "#");
		if (i == COL_TIME)
			out_right(out, out_mark(out), widths[COL_TIME] - 1 - strlen(titles[i]));
		out_string(out, titles[i]);
		if (i >= COL_SERVICE && i <= COL_TOTAL && dump->exact)
			out_literal(out, "/ns");
		column(out, mark, (enum text_column)i);
	}
	out_literal(out, "path\n");
}

static void put_mark(struct dump *dump, const struct trace_event *event)
{
	struct outbuf *out = &dump->out;

	out_room(out);
	out_literal(out, "# ");
	out_seconds(out, (int64_t)(event->mono_ns + event->wall_offset_ns - dump->start_ns),
		    dump->exact ? 9 : 6);
	out_literal(out, " mark ");
	out_escaped(out, event->name, OUT_WORD);
	out_room(out);
	out_char(out, ' ');
	out_escaped(out, event->value, OUT_LINE);
	out_room(out);
	out_char(out, '\n');
}

static void put_property(struct dump *dump, const struct trace_event *event)
{
	struct outbuf *out = &dump->out;

	out_room(out);
	out_literal(out, "# property ");
	out_escaped(out, event->name, OUT_WORD);
	out_room(out);
	out_char(out, ' ');
	out_escaped(out, event->value, OUT_LINE);
	out_room(out);
	out_char(out, '\n');
}

static void put_handle(struct dump *dump, const struct trace_event *event)
{
	struct outbuf *out = &dump->out;
	const struct trace_file *file = input_file(dump->input, event->handle.file);

	out_room(out);
	out_literal(out, "# open before:");
	put_pair(out, "handle", event->handle.id);
	put_pair(out, "flags", event->handle.flags);
	out_char(out, ' ');
	if (file)
		out_escaped(out, file->path, OUT_WORD);
	else
		out_char(out, '?');
	out_room(out);
	out_char(out, '\n');
}

/* Losses are told when they grow; --all tells of every count. */
static void put_counts(struct dump *dump, const struct trace_counts *counts)
{
	struct outbuf *out = &dump->out;
	uint64_t written = 0, dropped = 0, filtered = 0;

	for (int i = 0; i < OP_KINDS; i++) {
		written += counts->written[i];
		dropped += counts->dropped[i];
		filtered += counts->filtered[i];
	}
	if (!dump->all && dropped == dump->dropped_said)
		return;
	dump->dropped_said = dropped;
	out_room(out);
	out_literal(out, "# counts so far:");
	put_pair(out, "written", written);
	put_pair(out, "dropped", dropped);
	put_pair(out, "filtered", filtered);
	out_char(out, '\n');
}

static void text_event(struct dump *dump, const struct trace_event *event)
{
	if (dump_new_trace(dump))
		put_trace(dump);
	if (!dump->titled && (event->kind == TRACE_EV_OP || event->kind == TRACE_EV_MARK))
		put_titles(dump);
	switch (event->kind) {
	case TRACE_EV_OP:
		put_op(dump, event);
		break;
	case TRACE_EV_MARK:
		put_mark(dump, event);
		break;
	case TRACE_EV_PROPERTY:
		if (dump->all)
			put_property(dump, event);
		break;
	case TRACE_EV_HANDLE:
		if (dump->all)
			put_handle(dump, event);
		break;
	case TRACE_EV_COUNTS:
		put_counts(dump, event->counts);
		break;
	case TRACE_EV_SUMMARY:
	case TRACE_EV_END:
		break;
	}
}

static void text_begin(struct dump *dump)
{
	(void)dump;
}

const struct dump_form dump_text = {text_begin, text_event};
