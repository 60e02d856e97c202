// SPDX-License-Identifier: GPL-2.0-or-later
/* `weir stat --json`. */
#include "config.h"

#include "tools/stat_json.h"

#include <errno.h>

#include "core/cleanup.h"
#include "tools/stat.h"
#include "tools/view.h"

/* Room for "service_p999_ns" and the like. */
#define KEY_TEXT 32

static const char *key_of(char key[KEY_TEXT], enum duration duration, const char *what)
{
	snprintf(key, KEY_TEXT, "%s_%s", duration_name(duration), what);
	return key;
}

static void put_bins(struct jsonw *json, const char *key, const struct hist *hist)
{
	jsonw_flat_array(json, key);
	for (uint32_t i = 0; i < hist->buckets; i++) {
		if (!hist->bucket[i])
			continue;
		jsonw_array(json, NULL);
		jsonw_uint(json, NULL, hist_lower(hist->bits, i));
		jsonw_uint(json, NULL, hist->bucket[i]);
		jsonw_end(json);
	}
	jsonw_end(json);
}

void json_duration(struct jsonw *json, enum duration duration, const struct hist *hist,
		   enum json_bins bins)
{
	struct duration_view view;
	char key[KEY_TEXT], what[16];

	view_duration(hist, &view);
	if (!view.samples)
		return;
	jsonw_uint(json, key_of(key, duration, "samples"), view.samples);
	jsonw_uint(json, key_of(key, duration, "sum_ns"), view.sum_ns);
	jsonw_uint(json, key_of(key, duration, "min_ns"), view.min_ns);
	jsonw_uint(json, key_of(key, duration, "mean_ns"), view.mean_ns);
	for (int i = 0; i < PERCENTILES; i++) {
		snprintf(what, sizeof(what), "%s_ns", view_percentile_key((enum percentile)i));
		jsonw_uint(json, key_of(key, duration, what), view.percentile_ns[i]);
	}
	jsonw_uint(json, key_of(key, duration, "max_ns"), view.max_ns);
	jsonw_flat_array(json, key_of(key, duration, "marked"));
	for (int i = 0; i < PERCENTILES; i++) {
		if (view.marked[i])
			jsonw_string(json, NULL, view_percentile_key((enum percentile)i));
	}
	jsonw_end(json);
	if (bins == JSON_BINS)
		put_bins(json, key_of(key, duration, "bins"), hist);
}

/* Sizes asked for: [largest in bytes, count]; the last kind has no largest. */
static void put_sizes(struct jsonw *json, const uint64_t size[SUMMARY_SIZE_BUCKETS])
{
	jsonw_flat_array(json, "sizes");
	for (unsigned int i = 0; i < SUMMARY_SIZE_BUCKETS; i++) {
		if (!size[i])
			continue;
		jsonw_array(json, NULL);
		if (i < SUMMARY_SIZE_BUCKETS - 1)
			jsonw_uint(json, NULL, UINT64_C(1) << i);
		else
			jsonw_null(json, NULL);
		jsonw_uint(json, NULL, size[i]);
		jsonw_end(json);
	}
	jsonw_end(json);
}

void json_op(struct jsonw *json, const struct summary *summary, enum op_kind kind,
	     enum json_bins bins)
{
	const struct op_summary *op = &summary->op[kind];
	struct op_view view;

	view_op(summary, kind, &view);
	jsonw_object(json, NULL);
	jsonw_string(json, "op", op_name(kind));
	jsonw_string(json, "class", op_class_name(op_class(kind)));
	jsonw_uint(json, "ops", view.ops);
	jsonw_uint(json, "errors", view.errors);
	jsonw_uint(json, "bytes", view.bytes);
	jsonw_real(json, "time_percent", view.time_share);
	for (int i = 0; i < DURATIONS; i++)
		json_duration(json, (enum duration)i, op->dur[i], bins);
	put_sizes(json, op->size);
	jsonw_end(json);
}

static void put_classes(struct jsonw *json, const struct file_summary *file, enum json_bins bins)
{
	jsonw_object(json, "classes");
	for (unsigned int i = 0; i < OP_CLASSES; i++) {
		const struct class_summary *class = &file->class[i];

		if (!class->ops)
			continue;
		jsonw_object(json, op_class_name(i));
		jsonw_uint(json, "ops", class->ops);
		jsonw_uint(json, "errors", class->errors);
		jsonw_uint(json, "bytes", class->bytes);
		for (int d = 0; d < DURATIONS; d++)
			json_duration(json, (enum duration)d, class->dur[d], bins);
		jsonw_end(json);
	}
	jsonw_end(json);
}

/* Who it is; the row of other files has only a number. */
static void put_identity(struct jsonw *json, const struct file_summary *file)
{
	if (file->flags & FILE_F_OTHER) {
		jsonw_uint(json, "files", file->files);
		return;
	}
	jsonw_string(json, "path", file->path ? file->path : "");
	jsonw_uint(json, "id", file->id);
	jsonw_uint(json, "dev", file->dev);
	jsonw_uint(json, "ino", file->ino);
	jsonw_uint(json, "generation", file->generation);
	jsonw_uint(json, "names", file->names);
	jsonw_bool(json, "deleted", file->flags & FILE_F_DELETED);
	jsonw_bool(json, "directory", file->flags & FILE_F_DIR);
}

int json_file(struct jsonw *json, const char *key, const struct file_summary *file,
	      enum json_bins bins)
{
	scoped_free struct hist *hist = hist_new(HIST_FILE_BITS);
	struct file_view view;
	int err = hist ? view_file(file, &view) : -ENOMEM;

	if (err)
		return err;
	jsonw_object(json, key);
	put_identity(json, file);
	jsonw_uint(json, "first_unix_ns", file->first_ns);
	jsonw_uint(json, "last_unix_ns", file->last_ns);
	jsonw_uint(json, "ops", view.ops);
	jsonw_uint(json, "errors", view.errors);
	jsonw_uint(json, "bytes", view.bytes);
	jsonw_uint(json, "opens", file->opens);
	jsonw_uint(json, "reads", view.reads);
	jsonw_uint(json, "writes", view.writes);
	jsonw_uint(json, "sequential_ops", file->sequential);
	jsonw_real(json, "sequential_percent", view.sequential);
	for (int i = 0; i < DURATIONS; i++) {
		hist_reset(hist);
		file_summary_hist(file, (enum duration)i, hist);
		json_duration(json, (enum duration)i, hist, JSON_NO_BINS);
	}
	put_sizes(json, file->size);
	put_classes(json, file, bins);
	jsonw_end(json);
	return 0;
}

void json_about(struct jsonw *json, const struct summary *summary)
{
	jsonw_object(json, "properties");
	for (size_t i = 0; i < summary->property_count; i++)
		jsonw_string(json, summary->properties[i].name, summary->properties[i].value);
	jsonw_end(json);
	json_counters(json, summary);
}

void json_counters(struct jsonw *json, const struct summary *summary)
{
	jsonw_object(json, "counters");
	for (size_t i = 0; i < summary->counter_count; i++)
		jsonw_uint(json, summary->counters[i].name, summary->counters[i].value);
	jsonw_end(json);
}

void json_errors(struct jsonw *json, const struct summary *summary, uint64_t mask)
{
	jsonw_array(json, "errors");
	for (size_t i = 0; i < summary->error_count; i++) {
		const struct error_summary *error = &summary->errors[i];

		if (!error->count || error->kind >= OP_KINDS || !(mask >> error->kind & 1))
			continue;
		jsonw_flat_object(json, NULL);
		jsonw_string(json, "op", op_name(error->kind));
		jsonw_uint(json, "errno", error->error);
		jsonw_string(json, "name", view_errno_name(error->error));
		jsonw_uint(json, "count", error->count);
		jsonw_end(json);
	}
	jsonw_end(json);
}

static int put_files(struct jsonw *json, const struct stat_options *options,
		     const struct summary *summary)
{
	enum json_bins bins = options->all ? JSON_BINS : JSON_NO_BINS;
	struct selection selection;
	int err = select_files(summary, options->sort, options->files, &selection);

	if (err)
		return err;
	jsonw_string(json, "files_sorted_by", select_sort_name(options->sort));
	jsonw_array(json, "files");
	for (size_t i = 0; i < selection.count && !err; i++)
		err = json_file(json, NULL, selection.files[i], bins);
	jsonw_end(json);
	if (!err && selection.rest.files)
		err = json_file(json, "other", &selection.rest, bins);
	selection_done(&selection);
	return err;
}

int stat_json(const struct stat_options *options, const char *point, const struct summary *summary,
	      FILE *out)
{
	enum op_kind kinds[OP_KINDS];
	size_t count = select_ops(summary, options->ops, kinds);
	struct jsonw json;
	int err;

	jsonw_init(&json, out, false);
	jsonw_object(&json, NULL);
	jsonw_uint(&json, "schema", STAT_JSON_SCHEMA);
	jsonw_string(&json, "mount", point);
	json_about(&json, summary);
	jsonw_array(&json, "ops");
	for (size_t i = 0; i < count; i++)
		json_op(&json, summary, kinds[i], JSON_BINS);
	jsonw_end(&json);
	json_errors(&json, summary, options->ops);
	err = put_files(&json, options, summary);
	jsonw_end(&json);
	return err;
}
