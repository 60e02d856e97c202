// SPDX-License-Identifier: GPL-2.0-or-later
/* One interval of `weir top` as tables. */
#include "config.h"

#include "tools/top.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/units.h"
#include "tools/stat_trace.h"
#include "tools/table.h"
#include "tools/utf8.h"

static double per_second(uint64_t count, const struct interval *interval)
{
	if (!interval->length_ns)
		return 0.0;
	return (double)count * (double)NS_PER_S / (double)interval->length_ns;
}

static void put_clock(FILE *out, uint64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct tm broken;
	char text[32];

	if (localtime_r(&s, &broken) && strftime(text, sizeof(text), "%H:%M:%S", &broken))
		fputs(text, out);
}

static void put_span(const struct interval *interval, FILE *out)
{
	char text[SHOW_TEXT];

	switch (interval->kind) {
	case REPORT_SINCE_MOUNT:
		fprintf(out, "since mount or reset, %s", show_uptime(text, interval->length_ns));
		break;
	case REPORT_FINAL:
		fprintf(out, "all that was watched, %s",
			units_format_time(text, interval->length_ns));
		break;
	case REPORT_INTERVAL:
		fprintf(out, "last %s", units_format_time(text, interval->length_ns));
		break;
	}
}

void top_text_head(const struct top_options *options, const char *point,
		   const struct interval *interval, FILE *out)
{
	const struct summary *summary = &interval->summary;
	const struct term *term = &options->show.term;
	uint64_t ops = 0, bytes = 0;
	char text[SHOW_TEXT];

	for (int i = 0; i < OP_KINDS; i++) {
		ops += summary->op[i].ops;
		bytes += summary->op[i].bytes;
	}
	fputs(term_look(term, LOOK_HEAD), out);
	show_bytes(out, point);
	fprintf(out, "%s  ", term_look(term, LOOK_PLAIN));
	put_clock(out, interval->wall_ns);
	fputs("  ", out);
	put_span(interval, out);
	fprintf(out, "\n%s ops/s", units_format_count(text, per_second(ops, interval)));
	fprintf(out, ", %s/s", units_format_size(text, (uint64_t)per_second(bytes, interval)));
	if (stat_is_trace(summary)) {
		/* By Little's law: the time spent in operations, per time. */
		fprintf(out, ", %.1f in flight on average",
			interval->length_ns
				? (double)view_total_time(summary) / (double)interval->length_ns
				: 0.0);
	} else {
		fprintf(out, ", %" PRIu64 " in flight", summary_counter(summary, "inflight"));
		fprintf(out, ", %" PRIu64 " held", summary_counter(summary, "held"));
	}
	for (size_t i = 0; i < summary->counter_count; i++) {
		if (summary->counters[i].value && strstr(summary->counters[i].name, "dropped"))
			fprintf(out, ", %" PRIu64 " dropped", summary->counters[i].value);
	}
	fputc('\n', out);
}

void top_text_ops(const struct top_options *options, const struct interval *interval, FILE *out)
{
	static const struct column columns[] = {
		{"op", NULL, true, 0},        {"ops/s", NULL, false, 0},
		{"KiB/s", NULL, false, 2},    {"avg size", NULL, false, 4},
		{"mean", "total", false, 3},  {"p50", "total", false, 0},
		{"p99", "total", false, 0},   {"max", "total", false, 1},
		{"hold p99", NULL, false, 0}, {"errors", NULL, false, 0},
	};
	const struct show *show = &options->show;
	enum op_kind kinds[OP_KINDS];
	size_t count = select_ops(&interval->summary, SELECT_ALL_OPS, kinds);
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	if (!view_has_duration(&interval->summary, SELECT_ALL_OPS, DUR_HOLD))
		table.hidden = 1u << 8;
	for (size_t i = 0; i < count; i++) {
		struct op_view view;
		const struct duration_view *total = &view.dur[DUR_TOTAL];
		char text[SHOW_TEXT];

		view_op(&interval->summary, kinds[i], &view);
		table_add(&table, "%s", op_name(kinds[i]));
		table_add(&table, "%.1f", per_second(view.ops, interval));
		table_add(&table, "%.1f", per_second(view.bytes, interval) / 1024);
		table_add(&table, "%s",
			  show_size(show, text, view.ops ? view.bytes / view.ops : 0));
		table_add(&table, "%s", show_time(show, text, total->mean_ns));
		table_add(&table, "%s", show_percentile(show, text, total, PCT_P50));
		table_add(&table, "%s", show_percentile(show, text, total, PCT_P99));
		table_add(&table, "%s", show_max(show, text, total));
		table_add(&table, "%s", show_percentile(show, text, &view.dur[DUR_HOLD], PCT_P99));
		table_add(&table, "%" PRIu64, view.errors);
	}
	table_print(&table, out, &show->term);
	table_done(&table);
}

static int add_file(struct table *table, const struct show *show, const struct interval *interval,
		    const struct file_summary *file)
{
	scoped_free char *path = utf8_escape(file->path);
	struct file_view view;
	char text[SHOW_TEXT];
	int err = view_file(file, &view);

	if (err)
		return err;
	table_add(table, "%.1f", per_second(view.ops, interval));
	table_add(table, "%.1f", per_second(view.bytes, interval) / 1024);
	table_add(table, "%s", show_percentile(show, text, &view.dur[DUR_TOTAL], PCT_P99));
	table_add(table, "%s", show_time(show, text, view.dur[DUR_TOTAL].sum_ns));
	table_add(table, "%" PRIu64, view.errors);
	table_add(table, "%s%s", path ? path : "?",
		  file->flags & FILE_F_DELETED ? " (deleted)" : "");
	return 0;
}

int top_text_files(const struct top_options *options, const struct interval *interval, FILE *out)
{
	static const struct column columns[] = {
		{"ops/s", NULL, false, 0}, {"KiB/s", NULL, false, 0},  {"p99", NULL, false, 0},
		{"time", NULL, false, 3},  {"errors", NULL, false, 2}, {"file", NULL, true, 0},
	};
	struct selection selection;
	struct table table;
	int err = select_files(&interval->summary, options->sort, options->files, &selection);

	if (err)
		return err;
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < selection.count && !err; i++)
		err = add_file(&table, &options->show, interval, selection.files[i]);
	if (!err && selection.count)
		table_print(&table, out, &options->show.term);
	table_done(&table);
	selection_done(&selection);
	return err;
}

int top_text(const struct top_options *options, const char *point, const struct interval *interval,
	     FILE *out)
{
	top_text_head(options, point, interval, out);
	fputc('\n', out);
	top_text_ops(options, interval, out);
	fputc('\n', out);
	if (options->files) {
		int err = top_text_files(options, interval, out);

		if (err)
			return err;
		fputc('\n', out);
	}
	return 0;
}
