// SPDX-License-Identifier: GPL-2.0-or-later
/* Events as JSON, one object a line: valid whatever the bytes of the names. */
#include "config.h"

#include "core/summary.h"
#include "tools/dump.h"
#include "tools/jsonw.h"
#include "tools/select.h"
#include "tools/stat_json.h"
#include "tools/view.h"
#include "trace/snapshot.h"

static void put_key(struct outbuf *out, const char *key)
{
	out_room(out);
	out_literal(out, ", \"");
	out_string(out, key);
	out_literal(out, "\": ");
}

static void put_uint(struct outbuf *out, const char *key, uint64_t value)
{
	put_key(out, key);
	out_uint(out, value);
}

static void put_true(struct outbuf *out, const char *key, bool value)
{
	if (!value)
		return;
	put_key(out, key);
	out_literal(out, "true");
}

static void begin(struct outbuf *out, const char *event)
{
	out_room(out);
	out_literal(out, "{\"event\": \"");
	out_string(out, event);
	out_char(out, '"');
}

static void end(struct outbuf *out)
{
	out_room(out);
	out_literal(out, "}\n");
}

static void put_hex(struct outbuf *out, const char *key, struct trace_bytes bytes)
{
	put_key(out, key);
	out_char(out, '"');
	out_hex(out, bytes);
	out_char(out, '"');
}

static void put_file_path(const struct dump *dump, struct outbuf *out, const char *key, uint64_t id)
{
	const struct trace_file *file = input_file(dump->input, id);

	if (file)
		out_json(out, key, file->path);
}

static void put_arguments(const struct dump *dump, struct outbuf *out, const struct trace_op *op)
{
	uint64_t numbers = op->have & (TRACE_HAVE(TRACE_NUMBERS) - 1);

	for (; numbers; numbers &= numbers - 1) {
		unsigned int number = (unsigned int)__builtin_ctzll(numbers);

		put_uint(out, trace_number_key(number), op->value[number]);
		if (number == TRACE_PARENT)
			put_file_path(dump, out, "parent_path", op->value[number]);
		else if (number == TRACE_NEW_PARENT)
			put_file_path(dump, out, "new_parent_path", op->value[number]);
		else if (number == TRACE_TO_FILE)
			put_file_path(dump, out, "to_path", op->value[number]);
	}
	for (unsigned int text = 0; text < TRACE_TEXTS; text++) {
		if (!(op->have & TRACE_HAVE_TEXT(text)))
			continue;
		if (text == TRACE_HASH)
			put_hex(out, trace_text_key(text), op->text[text]);
		else
			out_json(out, trace_text_key(text), op->text[text]);
	}
}

static void put_stamps(struct outbuf *out, const struct op *op, uint64_t wall_offset_ns)
{
	uint64_t duration_ns[DURATIONS];

	op_durations(op, duration_ns);
	put_key(out, "time");
	out_char(out, '"');
	out_iso(out, op->arrive_ns + wall_offset_ns);
	out_char(out, '"');
	put_uint(out, "arrive_unix_ns", op->arrive_ns + wall_offset_ns);
	put_uint(out, "arrive_ns", op->arrive_ns);
	put_uint(out, "issued_ns", op->issued_ns);
	put_uint(out, "backed_ns", op->backed_ns);
	put_uint(out, "due_ns", op->due_ns);
	put_uint(out, "done_ns", op->done_ns);
	/* Without an end there are none. */
	if (!op->done_ns)
		return;
	put_uint(out, "service_ns", duration_ns[DUR_SERVICE]);
	put_uint(out, "hold_ns", duration_ns[DUR_HOLD]);
	put_uint(out, "total_ns", duration_ns[DUR_TOTAL]);
}

static void put_op(struct dump *dump, const struct trace_event *event)
{
	struct outbuf *out = &dump->out;
	const struct trace_op *op = event->op;
	const char *error = view_errno_name(op->op.error);

	begin(out, "op");
	put_uint(out, "seq", op->op.seq);
	put_key(out, "op");
	out_char(out, '"');
	out_string(out, op_name(op->op.kind));
	out_char(out, '"');
	put_stamps(out, &op->op, event->wall_offset_ns);
	put_uint(out, "file", op->op.file);
	if (event->file)
		out_json(out, "path", event->file->path);
	put_uint(out, "offset_bytes", op->op.offset);
	put_uint(out, "size_bytes", op->op.size);
	put_uint(out, "result_bytes", op->op.result);
	put_uint(out, "errno", op->op.error);
	if (op->op.error && error) {
		put_key(out, "error");
		out_char(out, '"');
		out_string(out, error);
		out_char(out, '"');
	}
	put_uint(out, "thread", op->op.pid);
	put_uint(out, "process", op->process);
	put_uint(out, "uid", op->op.uid);
	put_uint(out, "gid", op->op.gid);
	out_json(out, "comm",
		 (struct trace_bytes){(const uint8_t *)op->comm, strnlen(op->comm, TRACE_COMM)});
	put_true(out, "injected", op->op.flags & OP_F_INJECTED);
	put_true(out, "interrupted", op->op.flags & OP_F_INTERRUPTED);
	put_true(out, "direct", op->op.flags & OP_F_DIRECT);
	put_true(out, "estale_recovered", op->op.flags & OP_F_ESTALE);
	put_arguments(dump, out, op);
	end(out);
}

static void put_mark(struct dump *dump, const struct trace_event *event)
{
	struct outbuf *out = &dump->out;

	begin(out, "mark");
	put_key(out, "time");
	out_char(out, '"');
	out_iso(out, event->mono_ns + event->wall_offset_ns);
	out_char(out, '"');
	put_uint(out, "unix_ns", event->mono_ns + event->wall_offset_ns);
	put_uint(out, "mono_ns", event->mono_ns);
	out_json(out, "name", event->name);
	out_json(out, "text", event->value);
	end(out);
}

static void put_handle(struct dump *dump, const struct trace_handle *handle)
{
	struct outbuf *out = &dump->out;

	begin(out, "handle");
	put_uint(out, "handle", handle->id);
	put_uint(out, "file", handle->file);
	put_file_path(dump, out, "path", handle->file);
	put_uint(out, "flags", handle->flags);
	end(out);
}

static void put_counts(struct dump *dump, const struct trace_counts *counts)
{
	struct outbuf *out = &dump->out;

	begin(out, "counts");
	for (unsigned int i = 0; i < OP_KINDS; i++) {
		if (!(counts->written[i] | counts->dropped[i] | counts->filtered[i]))
			continue;
		put_key(out, op_name(i));
		out_literal(out, "{\"written\": ");
		out_uint(out, counts->written[i]);
		put_uint(out, "dropped", counts->dropped[i]);
		put_uint(out, "filtered", counts->filtered[i]);
		out_char(out, '}');
	}
	end(out);
}

/* The mount's own histograms; what can't be decoded is told by its length. */
static void put_summary(struct dump *dump, struct trace_bytes data)
{
	struct summary summary;
	struct diag diag = {0};
	struct jsonw json;
	int err = snapshot_decode(data.data, data.len, &summary, &diag);

	out_drain(&dump->out);
	jsonw_init(&json, dump->out.file, true);
	jsonw_object(&json, NULL);
	jsonw_string(&json, "event", "summary");
	jsonw_uint(&json, "length_bytes", data.len);
	if (err) {
		jsonw_string(&json, "damage", diag.text);
		jsonw_end(&json);
		return;
	}
	json_about(&json, &summary);
	jsonw_array(&json, "ops");
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		if (summary.op[kind].ops)
			json_op(&json, &summary, (enum op_kind)kind, JSON_BINS);
	}
	jsonw_end(&json);
	json_errors(&json, &summary, SELECT_ALL_OPS);
	jsonw_end(&json);
	summary_done(&summary);
}

static void put_trace(struct dump *dump)
{
	struct outbuf *out = &dump->out;

	begin(out, "trace");
	put_uint(out, "schema", 1);
	put_hex(out, "id", (struct trace_bytes){dump->id, TRACE_ID});
	if (dump->started)
		put_uint(out, "start_unix_ns", dump->start_ns);
	end(out);
}

static void json_event(struct dump *dump, const struct trace_event *event)
{
	struct outbuf *out = &dump->out;

	if (dump_new_trace(dump))
		put_trace(dump);
	switch (event->kind) {
	case TRACE_EV_OP:
		put_op(dump, event);
		break;
	case TRACE_EV_MARK:
		put_mark(dump, event);
		break;
	case TRACE_EV_PROPERTY:
		begin(out, "property");
		out_json(out, "name", event->name);
		out_json(out, "value", event->value);
		end(out);
		break;
	case TRACE_EV_HANDLE:
		put_handle(dump, &event->handle);
		break;
	case TRACE_EV_COUNTS:
		put_counts(dump, event->counts);
		break;
	case TRACE_EV_SUMMARY:
		put_summary(dump, event->value);
		break;
	case TRACE_EV_END:
		begin(out, "end");
		end(out);
		break;
	}
}

static void json_begin(struct dump *dump)
{
	(void)dump;
}

const struct dump_form dump_json = {json_begin, json_event};
