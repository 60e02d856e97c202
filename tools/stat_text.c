// SPDX-License-Identifier: GPL-2.0-or-later
/* `weir stat` as tables. */
#include "config.h"

#include "tools/stat.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/cleanup.h"
#include "tools/stat_trace.h"
#include "tools/table.h"
#include "tools/utf8.h"

/* --- about the mount ----------------------------------------------------------------------- */

static bool has_counter(const struct summary *summary, const char *name)
{
	for (size_t i = 0; i < summary->counter_count; i++) {
		if (!strcmp(summary->counters[i].name, name))
			return true;
	}
	return false;
}

/* Begins a line of the header. */
static void put_label(const struct show *show, FILE *out, const char *label)
{
	fprintf(out, "%s%-9s%s ", term_look(&show->term, LOOK_HEAD), label,
		term_look(&show->term, LOOK_PLAIN));
}

/* Prints ", NAME VALUE" for a property that there is. */
static bool put_property(const struct summary *summary, FILE *out, const char *name,
			 const char *shown, bool more)
{
	const char *value = summary_property(summary, name);

	if (!value || !*value)
		return more;
	fprintf(out, "%s%s", more ? ", " : "", shown);
	show_bytes(out, value);
	return true;
}

static void put_mount(const struct show *show, const char *point, const struct summary *summary,
		      FILE *out)
{
	const char *source = summary_property(summary, "source");
	const char *kind = summary_property(summary, "backing_fs");
	const char *in_place = summary_property(summary, "in_place");

	put_label(show, out, "mount");
	show_bytes(out, point);
	fputc('\n', out);
	if (!source)
		return;
	put_label(show, out, "source");
	show_bytes(out, source);
	if (kind && *kind) {
		fputs(" (", out);
		show_bytes(out, kind);
		fputc(')', out);
	}
	if (in_place && (!strcmp(in_place, "yes") || !strcmp(in_place, "1")))
		fputs(", mounted in place", out);
	fputc('\n', out);
}

static void put_daemon(const struct show *show, const struct summary *summary, FILE *out)
{
	char text[SHOW_TEXT];
	bool more;

	put_label(show, out, "daemon");
	more = put_property(summary, out, "version", "weirfs ", false);
	more = put_property(summary, out, "libfuse", "libfuse ", more);
	more = put_property(summary, out, "kernel", "kernel ", more);
	if (has_counter(summary, "pid"))
		fprintf(out, "%spid %" PRIu64, more ? ", " : "", summary_counter(summary, "pid"));
	fputc('\n', out);
	if (has_counter(summary, "uptime_ns")) {
		put_label(show, out, "up");
		fputs(show_uptime(text, summary_counter(summary, "uptime_ns")), out);
		if (has_counter(summary, "since_reset_ns"))
			fprintf(out, ", counted for the last %s",
				show_uptime(text, summary_counter(summary, "since_reset_ns")));
		fputc('\n', out);
	}
	put_label(show, out, "mode");
	more = put_property(summary, out, "cache", "cache ", false);
	more = put_property(summary, out, "data", "data ", more);
	more = put_property(summary, out, "locks", "locks ", more);
	more = put_property(summary, out, "identity", "identity ", more);
	more = put_property(summary, out, "delay", "delay ", more);
	put_property(summary, out, "trace", "trace ", more);
	fputc('\n', out);
}

/* What a reader should worry about: values that were lost, whatever the daemon calls them. */
static void put_losses(const struct show *show, const struct summary *summary, FILE *out)
{
	for (size_t i = 0; i < summary->counter_count; i++) {
		const struct counter *counter = &summary->counters[i];

		if (!counter->value ||
		    (!strstr(counter->name, "lost") && !strstr(counter->name, "dropped")))
			continue;
		put_label(show, out, "LOST");
		fputs(term_look(&show->term, LOOK_BAD), out);
		show_bytes(out, counter->name);
		fprintf(out, " %" PRIu64 "%s\n", counter->value,
			term_look(&show->term, LOOK_PLAIN));
	}
}

static void put_now(const struct show *show, const struct summary *summary, FILE *out)
{
	char text[SHOW_TEXT];
	bool more = false;

	if (!has_counter(summary, "inflight") && !has_counter(summary, "held"))
		return;
	put_label(show, out, "now");
	fprintf(out, "%" PRIu64 " in flight, %" PRIu64 " held",
		summary_counter(summary, "inflight"), summary_counter(summary, "held"));
	if (summary_counter(summary, "held_bytes"))
		fprintf(out, " (%s)",
			show_size(show, text, summary_counter(summary, "held_bytes")));
	if (has_counter(summary, "workers"))
		fprintf(out, ", %" PRIu64 " workers", summary_counter(summary, "workers"));
	if (has_counter(summary, "inodes"))
		fprintf(out, ", %" PRIu64 " inodes", summary_counter(summary, "inodes"));
	if (has_counter(summary, "open_files"))
		fprintf(out, ", %" PRIu64 " open", summary_counter(summary, "open_files"));
	fputc('\n', out);
	if (!summary_counter(summary, "timer_fired"))
		return;
	put_label(show, out, "timer");
	fprintf(out, "%" PRIu64 " replies held and sent", summary_counter(summary, "timer_fired"));
	more = has_counter(summary, "timer_late_p99_ns");
	if (more)
		fprintf(out, ", late by %s at p99",
			show_time(show, text, summary_counter(summary, "timer_late_p99_ns")));
	if (has_counter(summary, "timer_late_max_ns"))
		fprintf(out, "%s%s at most", more ? ", " : ", late by ",
			show_time(show, text, summary_counter(summary, "timer_late_max_ns")));
	fputc('\n', out);
}

/* --all: every property and counter as it is. */
static void put_everything(const struct show *show, const struct summary *summary, FILE *out)
{
	static const struct column columns[] = {{"name", NULL, true, 0}, {"value", NULL, true, 0}};
	struct table table;

	table_init(&table, columns, 2);
	for (size_t i = 0; i < summary->property_count; i++) {
		scoped_free char *name = utf8_escape(summary->properties[i].name);
		scoped_free char *value = utf8_escape(summary->properties[i].value);

		table_add(&table, "%s", name ? name : "?");
		table_add(&table, "%s", value ? value : "?");
	}
	for (size_t i = 0; i < summary->counter_count; i++) {
		scoped_free char *name = utf8_escape(summary->counters[i].name);

		table_add(&table, "%s", name ? name : "?");
		table_add(&table, "%" PRIu64, summary->counters[i].value);
	}
	fputc('\n', out);
	table_print(&table, out, &show->term);
	table_done(&table);
}

/* --- tables -------------------------------------------------------------------------------- */

/* X(identifier, title, group, left, drop) */
#define OP_COLUMNS(X)                              \
	X(OP, "op", NULL, true, 0)                 \
	X(OPS, "ops", NULL, false, 0)              \
	X(ERRORS, "errors", NULL, false, 0)        \
	X(BYTES, "bytes", NULL, false, 3)          \
	X(SERVICE_P50, "p50", "service", false, 4) \
	X(SERVICE_P99, "p99", "service", false, 4) \
	X(HOLD_P50, "p50", "hold", false, 1)       \
	X(HOLD_P99, "p99", "hold", false, 1)       \
	X(TOTAL_P50, "p50", "total", false, 0)     \
	X(TOTAL_P95, "p95", "total", false, 6)     \
	X(TOTAL_P99, "p99", "total", false, 0)     \
	X(TOTAL_P999, "p99.9", "total", false, 5)  \
	X(TOTAL_MAX, "max", "total", false, 0)     \
	X(SHARE, "time%", NULL, false, 0)

enum op_column {
#define X(id, title, group, left, drop) OPC_##id,
	OP_COLUMNS(X)
#undef X
		OP_COLUMN_COUNT
};

static void add_op_row(struct table *table, const struct show *show, const struct op_view *view)
{
	const struct duration_view *total = &view->dur[DUR_TOTAL];
	char text[SHOW_TEXT];

	table_add(table, "%s", op_name(view->kind));
	table_add(table, "%" PRIu64, view->ops);
	table_add(table, "%" PRIu64, view->errors);
	table_add(table, "%s", show_size(show, text, view->bytes));
	for (int i = DUR_SERVICE; i <= DUR_HOLD; i++) {
		table_add(table, "%s", show_percentile(show, text, &view->dur[i], PCT_P50));
		table_add(table, "%s", show_percentile(show, text, &view->dur[i], PCT_P99));
	}
	for (int i = 0; i < PERCENTILES; i++)
		table_add(table, "%s", show_percentile(show, text, total, (enum percentile)i));
	table_add(table, "%s", show_max(show, text, total));
	table_add(table, "%.1f", view->time_share);
}

/* Returns whether a percentile was marked. */
static bool put_ops(const struct stat_options *options, const struct summary *summary, FILE *out)
{
	static const struct column columns[] = {
#define X(id, title, group, left, drop) [OPC_##id] = {title, group, left, drop},
		OP_COLUMNS(X)
#undef X
	};
	enum op_kind kinds[OP_KINDS];
	size_t count = select_ops(summary, options->ops, kinds);
	bool marked = false;
	struct table table;

	fputc('\n', out);
	if (!count) {
		fputs("no operations yet\n", out);
		return false;
	}
	table_init(&table, columns, OP_COLUMN_COUNT);
	if (!view_has_duration(summary, options->ops, DUR_HOLD))
		table.hidden = 1u << OPC_HOLD_P50 | 1u << OPC_HOLD_P99;
	for (size_t i = 0; i < count; i++) {
		struct op_view view;

		view_op(summary, kinds[i], &view);
		marked |= view.dur[DUR_TOTAL].marked[PCT_P999];
		add_op_row(&table, &options->show, &view);
	}
	table_print(&table, out, &options->show.term);
	table_done(&table);
	return marked;
}

static void put_errors(const struct stat_options *options, const struct summary *summary, FILE *out)
{
	static const struct column columns[] = {
		{"op", NULL, true, 0},
		{"error", NULL, true, 0},
		{"count", NULL, false, 0},
		{"meaning", NULL, true, 0},
	};
	struct table table;

	table_init(&table, columns, 4);
	for (size_t i = 0; i < summary->error_count; i++) {
		const struct error_summary *error = &summary->errors[i];
		const char *name = view_errno_name(error->error);

		if (!error->count || error->kind >= OP_KINDS || !(options->ops >> error->kind & 1))
			continue;
		table_add(&table, "%s", op_name(error->kind));
		if (name)
			table_add(&table, "%s", name);
		else
			table_add(&table, "%" PRIu32, error->error);
		table_add(&table, "%" PRIu64, error->count);
		table_add(&table, "%s", name ? strerror((int)error->error) : "");
	}
	if (table_rows(&table)) {
		fputc('\n', out);
		table_print(&table, out, &options->show.term);
	}
	table_done(&table);
}

/* The name in the last column: the path and what is special about the file. */
static void add_file_name(struct table *table, const struct file_summary *file)
{
	scoped_free char *path = utf8_escape(file->path ? file->path : "");
	bool slash = (file->flags & FILE_F_DIR) && path && path[0] && path[1];
	char names[32] = "";

	if (file->names > 1)
		snprintf(names, sizeof(names), " (%" PRIu32 " names)", file->names);
	table_add(table, "%s%s%s%s", path ? path : "?", slash ? "/" : "", names,
		  file->flags & FILE_F_DELETED ? " (deleted)" : "");
}

static int add_file_row(struct table *table, const struct show *show,
			const struct file_summary *file)
{
	struct file_view view;
	char text[SHOW_TEXT];
	int err = view_file(file, &view);

	if (err)
		return err;
	table_add(table, "%" PRIu64, view.ops);
	table_add(table, "%s", show_size(show, text, view.bytes));
	table_add(table, "%" PRIu64, view.reads);
	table_add(table, "%" PRIu64, view.writes);
	if (view.transfers)
		table_add(table, "%.0f", view.sequential);
	else
		table_add(table, "-");
	table_add(table, "%s", show_percentile(show, text, &view.dur[DUR_TOTAL], PCT_P99));
	table_add(table, "%s", show_time(show, text, view.dur[DUR_TOTAL].sum_ns));
	table_add(table, "%" PRIu64, view.errors);
	if (file->flags & FILE_F_OTHER)
		table_add(table, "(other: %" PRIu64 " files)", file->files);
	else
		add_file_name(table, file);
	return 0;
}

static int put_files(const struct stat_options *options, const struct summary *summary, FILE *out)
{
	static const struct column columns[] = {
		{"ops", NULL, false, 0},    {"bytes", NULL, false, 0},  {"reads", NULL, false, 4},
		{"writes", NULL, false, 4}, {"seq%", NULL, false, 3},   {"p99", NULL, false, 0},
		{"time", NULL, false, 0},   {"errors", NULL, false, 2}, {"file", NULL, true, 0},
	};
	struct selection selection;
	struct table table;
	int err = select_files(summary, options->sort, options->files, &selection);

	if (err)
		return err;
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < selection.count && !err; i++)
		err = add_file_row(&table, &options->show, selection.files[i]);
	if (!err && selection.rest.files)
		err = add_file_row(&table, &options->show, &selection.rest);
	if (!err && table_rows(&table)) {
		fputc('\n', out);
		table_print(&table, out, &options->show.term);
	}
	table_done(&table);
	selection_done(&selection);
	return err;
}

int stat_text(const struct stat_options *options, const char *point, const struct summary *summary,
	      FILE *out)
{
	const struct show *show = &options->show;
	bool marked;
	int err = 0;

	if (stat_is_trace(summary)) {
		stat_trace_head(show, point, summary, out);
	} else {
		put_mount(show, point, summary, out);
		put_daemon(show, summary, out);
		put_now(show, summary, out);
		put_losses(show, summary, out);
	}
	marked = put_ops(options, summary, out);
	put_errors(options, summary, out);
	if (options->files)
		err = put_files(options, summary, out);
	if (options->all)
		put_everything(show, summary, out);
	if (marked)
		fputs("\n~ p99 of fewer than 100 samples, p99.9 of fewer than 1,000\n", out);
	return err;
}
