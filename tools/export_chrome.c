// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chrome's trace events as a JSON object, valid wherever it is cut off by --max-events: browsers
 * give up on much more than the default.
 */
#include "config.h"

#include "tools/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/slices.h"

#define MARKS_PID UINT64_C(4294967295) /* no process has it: counters and marks */

/* Few stamps wait for their turn, so that the counter goes as far as the slices do. */
#define COUNTER_WAITING 16384u

struct chrome {
	struct slices slices;
	uint64_t events;
	uint64_t budget; /* of --max-events, what is left */
};

static int chrome_begin(struct export *export)
{
	struct chrome *chrome = calloc(1, sizeof(*chrome));

	export->state = chrome;
	if (!chrome)
		return -ENOMEM;
	chrome->budget = export->options->max_events ? export->options->max_events : UINT64_MAX;
	out_room(export->out);
	out_literal(export->out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
	return slices_init(&chrome->slices, COUNTER_WAITING);
}

static void chrome_done(struct export *export)
{
	struct chrome *chrome = export->state;

	if (chrome)
		slices_done(&chrome->slices);
	free(chrome);
}

/* The beginning of an event, of at most one piece of the buffer with what follows at once. */
static void begin_event(struct export *export, struct chrome *chrome, char phase)
{
	struct outbuf *out = export->out;

	out_room(out);
	if (chrome->events++)
		out_char(out, ',');
	out_literal(out, "\n{\"ph\": \"");
	out_char(out, phase);
	out_char(out, '"');
	if (chrome->budget && phase != 'M')
		chrome->budget--;
}

static void put_uint(struct outbuf *out, const char *key, uint64_t value)
{
	out_literal(out, ", \"");
	out_string(out, key);
	out_literal(out, "\": ");
	out_uint(out, value);
}

static void put_us(struct outbuf *out, const char *key, uint64_t ns)
{
	out_literal(out, ", \"");
	out_string(out, key);
	out_literal(out, "\": ");
	export_us(out, ns);
}

static void put_word(struct outbuf *out, const char *key, const char *word)
{
	out_json(out, key, (struct trace_bytes){(const uint8_t *)word, strlen(word)});
}

/* A name that viewers show: kind is process_name or thread_name. */
static void put_name(struct export *export, struct chrome *chrome, const char *kind, uint64_t pid,
		     uint64_t tid, struct trace_bytes name)
{
	begin_event(export, chrome, 'M');
	put_word(export->out, "name", kind);
	put_uint(export->out, "pid", pid);
	put_uint(export->out, "tid", tid);
	out_literal(export->out, ", \"args\": {\"pid\": ");
	out_uint(export->out, pid);
	out_json(export->out, "name", name);
	out_room(export->out);
	out_literal(export->out, "}}");
}

/* The kernel's own requests (read-ahead, writing back) have no process. */
static struct trace_bytes process_name(const struct trace_op *op)
{
	if (!op->process && !op->comm[0])
		return (struct trace_bytes){(const uint8_t *)"kernel", 6};
	return export_comm(op);
}

static void put_lane(struct export *export, struct chrome *chrome, const struct trace_op *op,
		     const struct slice *slice)
{
	char text[24];
	int len;

	if (slice->new_process)
		put_name(export, chrome, "process_name", op->process, 0, process_name(op));
	if (!slice->new_lane)
		return;
	len = snprintf(text, sizeof(text), "lane %u", slice->lane);
	put_name(export, chrome, "thread_name", op->process, slice->lane,
		 (struct trace_bytes){(const uint8_t *)text, (size_t)len});
}

static void put_args(struct export *export, const struct trace_event *event)
{
	const struct trace_op *op = event->op;
	struct outbuf *out = export->out;
	uint64_t ns[DURATIONS];

	op_durations(&op->op, ns);
	out_literal(out, ", \"args\": {\"seq\": ");
	out_uint(out, op->op.seq);
	put_uint(out, "tid", op->op.pid);
	if (event->file)
		out_json(out, "path", event->file->path);
	out_room(out);
	if (op->have & TRACE_HAVE_TEXT(TRACE_NAME))
		out_json(out, "name", op->text[TRACE_NAME]);
	if (op->have & TRACE_HAVE_TEXT(TRACE_NEW_NAME))
		out_json(out, "new_name", op->text[TRACE_NEW_NAME]);
	out_room(out);
	if (op->op.size) {
		put_uint(out, "off", op->op.offset);
		put_uint(out, "len", op->op.size);
		put_uint(out, "result", op->op.result);
	}
	if (op->op.error)
		put_uint(out, "errno", op->op.error);
	put_uint(out, "service_ns", ns[DUR_SERVICE]);
	if (ns[DUR_HOLD])
		put_uint(out, "hold_ns", ns[DUR_HOLD]);
	out_char(out, '}');
}

/* A complete slice but for its arguments. */
static void put_slice(struct export *export, struct chrome *chrome, uint64_t process,
		      const struct slice *slice, const struct slice_stage *stage)
{
	struct outbuf *out = export->out;

	begin_event(export, chrome, 'X');
	put_uint(out, "pid", process);
	put_uint(out, "tid", slice->lane);
	put_us(out, "ts", stage->start_ns);
	put_us(out, "dur", stage->end_ns - stage->start_ns);
	put_word(out, "name", stage->name);
}

static void put_counters(struct export *export, struct chrome *chrome, bool all)
{
	struct outbuf *out = export->out;
	uint64_t ns, depth;

	while (chrome->budget &&
	       inflight_sample(&chrome->slices.inflight, all, SLICES_SLOT_NS, &ns, &depth)) {
		begin_event(export, chrome, 'C');
		put_uint(out, "pid", MARKS_PID);
		put_us(out, "ts", ns);
		put_word(out, "name", "inflight");
		out_literal(out, ", \"args\": {\"ops\": ");
		out_uint(out, depth);
		out_literal(out, "}}");
	}
}

static int chrome_op(struct export *export, const struct trace_event *event)
{
	struct chrome *chrome = export->state;
	struct slice_stage stages[DURATIONS], whole;
	struct slice slice;
	size_t count;

	if (!chrome->budget) {
		export->stop = "--max-events was reached (0: no limit; or --from and --to for "
			       "another part, or --to perfetto)";
		return 0;
	}
	chrome->slices.base_ns = export->origin_ns;
	if (slices_place(&chrome->slices, export, event, &slice))
		return -ENOMEM;
	put_lane(export, chrome, event->op, &slice);
	whole = (struct slice_stage){op_name(event->op->op.kind), slice.start_ns, slice.end_ns};
	put_slice(export, chrome, event->op->process, &slice, &whole);
	put_word(export->out, "cat", op_class_name(op_class((enum op_kind)event->op->op.kind)));
	put_args(export, event);
	out_char(export->out, '}');
	count = slices_stages(&chrome->slices, export, event, &slice, stages);
	for (size_t i = 0; i < count && chrome->budget; i++) {
		put_slice(export, chrome, event->op->process, &slice, &stages[i]);
		out_char(export->out, '}');
	}
	put_counters(export, chrome, false);
	return 0;
}

static int chrome_mark(struct export *export, const struct trace_event *event)
{
	struct chrome *chrome = export->state;
	struct outbuf *out = export->out;

	if (!chrome->budget)
		return 0;
	chrome->slices.base_ns = export->origin_ns;
	begin_event(export, chrome, 'i');
	out_literal(out, ", \"s\": \"g\"");
	put_uint(out, "pid", MARKS_PID);
	put_uint(out, "tid", 0);
	put_us(out, "ts",
	       slices_since(&chrome->slices, export, event->mono_ns + event->wall_offset_ns));
	out_json(out, "name", event->name);
	out_room(out);
	out_literal(out, ", \"args\": {\"what\": \"mark\"");
	out_json(out, "text", event->value);
	out_room(out);
	out_literal(out, "}}");
	return 0;
}

static int chrome_end(struct export *export)
{
	struct chrome *chrome = export->state;
	const char *title = export_title(export);
	struct outbuf *out = export->out;

	put_counters(export, chrome, true);
	put_name(export, chrome, "process_name", MARKS_PID, 0,
		 (struct trace_bytes){(const uint8_t *)title, strlen(title)});
	out_room(out);
	out_literal(out, "\n], \"otherData\": {\"begin_unix_ns\": \"");
	out_uint(out, export->origin_ns);
	out_literal(out, "\"");
	for (size_t i = 0; i < export->property_count; i++) {
		const char *name = export->properties[i].name;

		if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
			continue;
		out_room(out);
		put_word(out, name, export->properties[i].value);
	}
	out_room(out);
	out_literal(out, "}}\n");
	return 0;
}

const struct export_format export_chrome = {
	.begin = chrome_begin,
	.op = chrome_op,
	.mark = chrome_mark,
	.end = chrome_end,
	.done = chrome_done,
};
