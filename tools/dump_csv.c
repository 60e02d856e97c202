// SPDX-License-Identifier: GPL-2.0-or-later
/* Operations as CSV: one column an argument, empty where there is none. */
#include "config.h"

#include "tools/dump.h"

#define FIXED_COLUMNS                                                                            \
	"seq,op,arrive_unix_ns,arrive_ns,issued_ns,backed_ns,due_ns,done_ns,service_ns,hold_ns," \
	"total_ns,file,path,offset_bytes,size_bytes,result_bytes,errno,thread,process,uid,gid,"  \
	"comm,op_flags"

static void csv_begin(struct dump *dump)
{
	struct outbuf *out = &dump->out;

	out_room(out);
	out_literal(out, FIXED_COLUMNS);
	for (unsigned int i = 0; i < TRACE_NUMBERS; i++) {
		out_char(out, ',');
		out_string(out, trace_number_key(i));
	}
	for (unsigned int i = 0; i < TRACE_TEXTS; i++) {
		out_char(out, ',');
		out_string(out, trace_text_key(i));
	}
	out_char(out, '\n');
}

static void put_uint(struct outbuf *out, uint64_t value)
{
	out_uint(out, value);
	out_char(out, ',');
}

/* A quoted field: what is in quotes is text, also when it is empty. */
static void put_text(struct outbuf *out, struct trace_bytes bytes)
{
	out_room(out);
	out_char(out, '"');
	out_escaped(out, bytes, OUT_FIELD);
	out_room(out);
	out_char(out, '"');
}

static void put_arguments(struct outbuf *out, const struct trace_op *op)
{
	for (unsigned int i = 0; i < TRACE_NUMBERS; i++) {
		out_char(out, ',');
		if (op->have & TRACE_HAVE(i))
			out_uint(out, op->value[i]);
	}
	for (unsigned int i = 0; i < TRACE_TEXTS; i++) {
		out_char(out, ',');
		if (!(op->have & TRACE_HAVE_TEXT(i)))
			continue;
		if (i == TRACE_HASH)
			out_hex(out, op->text[i]);
		else
			put_text(out, op->text[i]);
	}
}

static void csv_event(struct dump *dump, const struct trace_event *event)
{
	struct outbuf *out = &dump->out;
	const struct trace_op *trace_op = event->op;
	const struct op *op;
	uint64_t duration_ns[DURATIONS];

	if (event->kind != TRACE_EV_OP)
		return;
	op = &trace_op->op;
	op_durations(op, duration_ns);
	out_room(out);
	put_uint(out, op->seq);
	out_string(out, op_name(op->kind));
	out_char(out, ',');
	put_uint(out, op->arrive_ns + event->wall_offset_ns);
	put_uint(out, op->arrive_ns);
	put_uint(out, op->issued_ns);
	put_uint(out, op->backed_ns);
	put_uint(out, op->due_ns);
	put_uint(out, op->done_ns);
	for (int i = 0; i < DURATIONS; i++) {
		if (op->done_ns)
			put_uint(out, duration_ns[i]);
		else
			out_char(out, ',');
	}
	put_uint(out, op->file);
	if (event->file)
		put_text(out, event->file->path);
	out_char(out, ',');
	put_uint(out, op->offset);
	put_uint(out, op->size);
	put_uint(out, op->result);
	put_uint(out, op->error);
	put_uint(out, op->pid);
	put_uint(out, trace_op->process);
	put_uint(out, op->uid);
	put_uint(out, op->gid);
	put_text(out, (struct trace_bytes){(const uint8_t *)trace_op->comm,
					   strnlen(trace_op->comm, TRACE_COMM)});
	out_char(out, ',');
	out_uint(out, op->flags);
	put_arguments(out, trace_op);
	out_room(out);
	out_char(out, '\n');
}

const struct dump_form dump_csv = {csv_begin, csv_event};
