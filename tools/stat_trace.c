// SPDX-License-Identifier: GPL-2.0-or-later
/* The head of `weir stat TRACE` and `weir dump --stat`. */
#include "config.h"

#include "tools/stat_trace.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "tools/table.h"

bool stat_is_trace(const struct summary *summary)
{
	return summary_counter(summary, "trace_parts") != 0;
}

static void label(const struct show *show, FILE *out, const char *text)
{
	fprintf(out, "%s%-9s%s ", term_look(&show->term, LOOK_HEAD), text,
		term_look(&show->term, LOOK_PLAIN));
}

static void put_when(FILE *out, uint64_t unix_ns)
{
	time_t s = (time_t)(unix_ns / NS_PER_S);
	struct tm broken;
	char text[32];

	if (localtime_r(&s, &broken) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &broken))
		fprintf(out, "%s.%06" PRIu64, text, unix_ns % NS_PER_S / NS_PER_US);
}

static void put_span(const struct show *show, const struct summary *summary, FILE *out)
{
	uint64_t first_ns = summary_counter(summary, "trace_first_unix_ns");
	uint64_t last_ns = summary_counter(summary, "trace_last_unix_ns");
	uint64_t ops = summary_counter(summary, "trace_chosen_ops");
	double seconds = (double)(last_ns - first_ns) / (double)NS_PER_S;
	char text[SHOW_TEXT];

	if (!ops)
		return;
	label(show, out, "span");
	put_when(out, first_ns);
	fputs(" to ", out);
	put_when(out, last_ns);
	fprintf(out, ", %s", show_time(show, text, last_ns - first_ns));
	if (seconds > 0)
		fprintf(out, ", %.1f ops/s", (double)ops / seconds);
	fputc('\n', out);
}

static void put_ops(const struct show *show, const struct summary *summary, FILE *out)
{
	uint64_t dropped = summary_counter(summary, "trace_dropped_ops");
	uint64_t ops = summary_counter(summary, "trace_ops");
	uint64_t chosen = summary_counter(summary, "trace_chosen_ops");

	label(show, out, "ops");
	if (chosen != ops)
		fprintf(out, "%" PRIu64 " of the ", chosen);
	fprintf(out, "%" PRIu64 " in these blocks, ", ops);
	if (dropped)
		fputs(term_look(&show->term, LOOK_BAD), out);
	fprintf(out, "%" PRIu64 " lost%s, %" PRIu64 " left out when recording\n", dropped,
		dropped ? term_look(&show->term, LOOK_PLAIN) : "",
		summary_counter(summary, "trace_filtered_ops"));
}

static void put_damage(const struct show *show, const struct summary *summary, FILE *out)
{
	uint64_t bytes = summary_counter(summary, "trace_damaged_bytes");
	uint64_t blocks = summary_counter(summary, "trace_missing_blocks");

	if (!bytes && !blocks)
		return;
	label(show, out, "DAMAGE");
	fprintf(out, "%s%" PRIu64 " bytes damaged, %" PRIu64 " blocks missing%s\n",
		term_look(&show->term, LOOK_BAD), bytes, blocks,
		term_look(&show->term, LOOK_PLAIN));
}

void stat_trace_head(const struct show *show, const char *name, const struct summary *summary,
		     FILE *out)
{
	uint64_t bytes = summary_counter(summary, "trace_bytes");
	uint64_t content = summary_counter(summary, "trace_content_bytes");
	uint64_t ops = summary_counter(summary, "trace_ops");
	uint64_t parts = summary_counter(summary, "trace_parts");
	const char *point = summary_property(summary, "mountpoint");
	char text[SHOW_TEXT];

	label(show, out, "trace");
	show_bytes(out, name);
	if (parts > 1)
		fprintf(out, ", %" PRIu64 " parts", parts);
	if (point) {
		fputs(", of ", out);
		show_bytes(out, point);
	}
	fputc('\n', out);
	label(show, out, "size");
	fprintf(out, "%s in %" PRIu64 " blocks", show_size(show, text, bytes),
		summary_counter(summary, "trace_blocks"));
	if (bytes)
		fprintf(out, ", compressed %.1f:1", (double)content / (double)bytes);
	if (ops)
		fprintf(out, ", %.2f bytes an operation", (double)bytes / (double)ops);
	fputc('\n', out);
	put_ops(show, summary, out);
	put_span(show, summary, out);
	put_damage(show, summary, out);
}

void stat_trace_losses(const struct show *show, const struct trace_counts *counts, FILE *out)
{
	static const struct column columns[] = {
		{"op", NULL, true, 0},        {"written", NULL, false, 0}, {"lost", NULL, false, 0},
		{"left out", NULL, false, 0}, {"lost%", NULL, false, 0},
	};
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned int i = 0; i < OP_KINDS; i++) {
		uint64_t written = counts->written[i], dropped = counts->dropped[i];

		if (!dropped && !counts->filtered[i])
			continue;
		table_add(&table, "%s", op_name(i));
		table_add(&table, "%" PRIu64, written);
		table_add(&table, "%" PRIu64, dropped);
		table_add(&table, "%" PRIu64, counts->filtered[i]);
		table_add(&table, "%.2f",
			  dropped ? 100.0 * (double)dropped / (double)(written + dropped) : 0.0);
	}
	if (table_rows(&table)) {
		fputc('\n', out);
		table_print(&table, out, &show->term);
	}
	table_done(&table);
}
