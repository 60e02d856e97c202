// SPDX-License-Identifier: GPL-2.0-or-later
/* One interval of `weir top -o json`: one object, one line. */
#include "config.h"

#include "tools/top.h"

#include "tools/jsonw.h"
#include "tools/stat_json.h"

static const char *const kinds[] = {
	[REPORT_SINCE_MOUNT] = "since_mount",
	[REPORT_INTERVAL] = "interval",
	[REPORT_FINAL] = "final",
};

int top_json(const struct top_options *options, const char *point, const struct interval *interval,
	     FILE *out)
{
	const struct summary *summary = &interval->summary;
	enum op_kind order[OP_KINDS];
	size_t count = select_ops(summary, SELECT_ALL_OPS, order);
	struct selection selection;
	struct jsonw json;
	int err = select_files(summary, options->sort, options->files, &selection);

	if (err)
		return err;
	jsonw_init(&json, out, true);
	jsonw_object(&json, NULL);
	jsonw_uint(&json, "schema", STAT_JSON_SCHEMA);
	jsonw_string(&json, "mount", point);
	jsonw_string(&json, "report", kinds[interval->kind]);
	jsonw_uint(&json, "time_unix_ns", interval->wall_ns);
	jsonw_uint(&json, "interval_ns", interval->length_ns);
	json_counters(&json, summary);
	jsonw_array(&json, "ops");
	for (size_t i = 0; i < count; i++)
		json_op(&json, summary, order[i], JSON_NO_BINS);
	jsonw_end(&json);
	json_errors(&json, summary, SELECT_ALL_OPS);
	jsonw_array(&json, "files");
	for (size_t i = 0; i < selection.count && !err; i++)
		err = json_file(&json, NULL, selection.files[i], JSON_NO_BINS);
	jsonw_end(&json);
	jsonw_end(&json);
	selection_done(&selection);
	return err;
}
