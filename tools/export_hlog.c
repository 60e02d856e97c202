// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HdrHistogram logs: for each interval of the trace, a histogram for each operation and duration
 * that occurred, tagged OPERATION.DURATION.
 *
 * An operation belongs to the interval in which it was answered. The trace is sorted by that but
 * for small disorder: what comes after its interval was written counts in the next.
 */
#include "config.h"

#include "tools/export.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "tools/hdr.h"

struct hlog {
	struct hdr *hdr[OP_KINDS][DURATIONS];
	struct bytes text;
	uint64_t base_ns;  /* wall clock of the log's start, whole milliseconds */
	uint64_t start_ns; /* of the open interval, since the log's start */
	bool begun;
	bool used; /* the open interval has something */
};

static int hlog_begin(struct export *export)
{
	export->state = calloc(1, sizeof(struct hlog));
	return export->state ? 0 : -ENOMEM;
}

static void hlog_done(struct export *export)
{
	struct hlog *log = export->state;

	if (!log)
		return;
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		for (unsigned int i = 0; i < DURATIONS; i++)
			free(log->hdr[kind][i]);
	}
	bytes_done(&log->text);
	free(log);
}

/* Seconds with milliseconds, as all times in the log. */
static void put_ms(struct outbuf *out, uint64_t ns)
{
	out_uint(out, ns / NS_PER_S);
	out_char(out, '.');
	out_digits(out, ns % NS_PER_S / NS_PER_MS, 3);
}

static void put_comment(struct export *export, const char *text)
{
	struct trace_bytes safe =
		export_text(&export->scratch,
			    (struct trace_bytes){(const uint8_t *)text, strlen(text)});

	out_room(export->out);
	out_literal(export->out, "#[");
	export_put(export->out, safe.data, safe.len);
	out_literal(export->out, "]\n");
}

static void put_stamp(struct outbuf *out, const char *name, uint64_t ns)
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	char date[64] = "?";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%a %b %d %H:%M:%S UTC %Y", &tm);
	out_room(out);
	out_literal(out, "#[");
	out_string(out, name);
	out_literal(out, ": ");
	put_ms(out, ns);
	out_literal(out, " (seconds since epoch)");
	if (!strcmp(name, "StartTime")) {
		out_literal(out, ", ");
		out_string(out, date);
	}
	out_literal(out, "]\n");
}

static void put_head(struct export *export, const struct hlog *log)
{
	struct outbuf *out = export->out;

	out_room(out);
	out_literal(out, "#[Histogram log format version 1.3]\n");
	put_comment(export, export_title(export));
	out_literal(out, "#[weirfs: values in ns, 3 significant digits, an interval_max in ms; "
			 "tags are OPERATION.DURATION]\n");
	put_stamp(out, "StartTime", log->base_ns);
	put_stamp(out, "BaseTime", log->base_ns);
	out_literal(out, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
			 "\"Interval_Compressed_Histogram\"\n");
}

static int put_histogram(struct export *export, struct hlog *log, unsigned int kind,
			 unsigned int duration, uint64_t length_ns)
{
	struct hdr *hdr = log->hdr[kind][duration];
	struct outbuf *out = export->out;

	log->text.len = 0;
	if (hdr_encode_text(hdr, &log->text))
		return -ENOMEM;
	out_room(out);
	out_literal(out, "Tag=");
	out_string(out, op_name(kind));
	out_char(out, '.');
	out_string(out, duration_name(duration));
	out_char(out, ',');
	put_ms(out, log->start_ns);
	out_char(out, ',');
	put_ms(out, length_ns);
	out_char(out, ',');
	export_us(out, hdr->max / 1000);
	out_char(out, ',');
	export_put(out, log->text.data, log->text.len);
	out_room(out);
	out_char(out, '\n');
	hdr_reset(hdr);
	return 0;
}

static int close_interval(struct export *export, struct hlog *log, uint64_t length_ns)
{
	int err = 0;

	if (!log->used)
		return 0;
	for (unsigned int kind = 0; kind < OP_KINDS && !err; kind++) {
		for (unsigned int i = 0; i < DURATIONS && !err; i++) {
			if (log->hdr[kind][i] && log->hdr[kind][i]->count)
				err = put_histogram(export, log, kind, i, length_ns);
		}
	}
	log->used = false;
	return err;
}

/* Makes the interval that the moment lies in the open one. */
static int advance(struct export *export, struct hlog *log, uint64_t wall_ns)
{
	uint64_t interval_ns = export->options->interval_ns, since_ns;
	int err;

	assert(interval_ns);
	if (!log->begun) {
		log->begun = true;
		log->base_ns = export->origin_ns - export->origin_ns % NS_PER_MS;
		put_head(export, log);
	}
	since_ns = wall_ns > log->base_ns ? wall_ns - log->base_ns : 0;
	if (since_ns < log->start_ns) {
		export_note(export, "operations counted one interval late", 1);
		return 0;
	}
	if (since_ns - log->start_ns < interval_ns)
		return 0;
	err = close_interval(export, log, interval_ns);
	log->start_ns = since_ns - since_ns % interval_ns;
	return err;
}

static int hlog_op(struct export *export, const struct trace_event *event)
{
	uint64_t wanted = export->options->durations, ns[DURATIONS];
	const struct op *op = &event->op->op;
	struct hlog *log = export->state;
	int err = advance(export, log, export_op_end(op) + event->wall_offset_ns);

	if (err)
		return err;
	op_durations(op, ns);
	for (unsigned int i = 0; i < DURATIONS; i++) {
		struct hdr **slot = &log->hdr[op->kind][i];

		if ((wanted && !(wanted >> i & 1)) || !op_has_duration(op, i, ns))
			continue;
		if (!*slot)
			*slot = hdr_new();
		if (!*slot)
			return -ENOMEM;
		if (ns[i] > HDR_HIGHEST)
			export_note(export, "durations above an hour counted as an hour", 1);
		hdr_record(*slot, ns[i]);
		log->used = true;
	}
	return 0;
}

static int hlog_end(struct export *export)
{
	struct hlog *log = export->state;
	uint64_t interval_ns = export->options->interval_ns, length_ns;

	if (!log->begun) {
		log->base_ns = export->origin_ns;
		put_head(export, log);
		return 0;
	}
	/* The last interval ends with the trace, to the next millisecond. */
	length_ns = export->end_ns - log->base_ns - log->start_ns + NS_PER_MS - 1;
	return close_interval(export, log, length_ns < interval_ns ? length_ns : interval_ns);
}

const struct export_format export_hlog = {
	.begin = hlog_begin,
	.op = hlog_op,
	.end = hlog_end,
	.done = hlog_done,
};
