// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HdrHistogram's percentile distribution of one duration over all operations that were selected:
 * what its plotters draw. Milliseconds.
 */
#include "config.h"

#include "tools/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/hdr.h"

#define NS_IN_MS 1e6
#define LINE 160
#define BUCKETS 32 /* that HdrHistogram needs up to HDR_HIGHEST, of 2 * 2^HDR_HALF_BITS each */

static int hgrm_begin(struct export *export)
{
	export->state = hdr_new();
	return export->state ? 0 : -ENOMEM;
}

static void hgrm_done(struct export *export)
{
	free(export->state);
}

static int hgrm_op(struct export *export, const struct trace_event *event)
{
	enum duration duration = export_duration(export, DUR_TOTAL);
	uint64_t ns[DURATIONS];

	if (!export_was_awaited(export, &event->op->op))
		return 0;
	op_durations(&event->op->op, ns);
	if (!op_has_duration(&event->op->op, duration, ns))
		return 0;
	if (ns[duration] > HDR_HIGHEST)
		export_note(export, "durations above an hour counted as an hour", 1);
	hdr_record(export->state, ns[duration]);
	return 0;
}

static void put_row(struct outbuf *out, const struct hdr_row *row)
{
	double ms = (double)row->value / NS_IN_MS;
	char line[LINE];

	if (row->percentile < 1)
		snprintf(line, sizeof(line), "%12.3f %2.12f %10llu %14.2f\n", ms, row->percentile,
			 (unsigned long long)row->count, 1 / (1 - row->percentile));
	else
		snprintf(line, sizeof(line), "%12.3f %2.12f %10llu\n", ms, row->percentile,
			 (unsigned long long)row->count);
	out_room(out);
	out_string(out, line);
}

static int hgrm_end(struct export *export)
{
	const struct hdr *hdr = export->state;
	struct outbuf *out = export->out;
	struct hdr_rows rows;
	struct hdr_row row;
	char line[LINE];

	snprintf(line, sizeof(line), "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		 "1/(1-Percentile)");
	out_room(out);
	out_string(out, line);
	hdr_rows_init(&rows, hdr);
	while (hdr_rows_next(&rows, &row) > 0)
		put_row(out, &row);
	out_room(out);
	snprintf(line, sizeof(line), "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n",
		 hdr_mean(hdr) / NS_IN_MS, hdr_stddev(hdr) / NS_IN_MS);
	out_string(out, line);
	snprintf(line, sizeof(line), "#[Max     = %12.3f, Total count    = %12llu]\n",
		 hdr->count ? (double)hdr_highest(hdr_index(hdr->max)) / NS_IN_MS : 0.0,
		 (unsigned long long)hdr->count);
	out_string(out, line);
	snprintf(line, sizeof(line), "#[Buckets = %12d, SubBuckets     = %12d]\n", BUCKETS,
		 2 << HDR_HALF_BITS);
	out_string(out, line);
	return 0;
}

const struct export_format export_hgrm = {
	.begin = hgrm_begin,
	.op = hgrm_op,
	.end = hgrm_end,
	.done = hgrm_done,
};
