// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two columns, when an operation was answered and how long it took, both in microseconds: what
 * trace2heatmap.pl and other scripts draw heat maps of.
 */
#include "config.h"

#include "tools/export.h"

static int heatmap_begin(struct export *export)
{
	(void)export;
	return 0;
}

static int heatmap_op(struct export *export, const struct trace_event *event)
{
	enum duration duration = export_duration(export, DUR_TOTAL);
	uint64_t end_ns = export_op_end(&event->op->op) + event->wall_offset_ns, ns[DURATIONS];
	struct outbuf *out = export->out;

	if (!export_was_awaited(export, &event->op->op))
		return 0;
	op_durations(&event->op->op, ns);
	if (!op_has_duration(&event->op->op, duration, ns))
		return 0;
	out_room(out);
	export_us(out, end_ns > export->origin_ns ? end_ns - export->origin_ns : 0);
	out_char(out, ' ');
	export_us(out, ns[duration]);
	out_char(out, '\n');
	return 0;
}

static int heatmap_end(struct export *export)
{
	(void)export;
	return 0;
}

static void heatmap_done(struct export *export)
{
	(void)export;
}

const struct export_format export_heatmap = {
	.begin = heatmap_begin,
	.op = heatmap_op,
	.end = heatmap_end,
	.done = heatmap_done,
};
