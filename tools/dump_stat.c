// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace summed up: its size and losses, then the tables of `weir stat`. */
#include "config.h"

#include "tools/dump.h"
#include "tools/stat.h"
#include "tools/stat_trace.h"
#include "tools/trace_sum.h"

#define FILES_SHOWN 10
#define FILES_JSON 1000

int dump_stat(struct dump *dump, const char *word, bool json, enum term_colour colour)
{
	struct stat_options options = {
		.show.exact = dump->exact,
		.ops = SELECT_ALL_OPS,
		.sort = SORT_TIME,
		.files = json ? FILES_JSON : FILES_SHOWN,
		.all = dump->all,
	};
	struct trace_counts counts;
	struct summary summary;
	int err = trace_sum(dump->input, &dump->filter, options.files, &summary);

	if (err)
		return err;
	term_init(&options.show.term, stdout, colour);
	err = (json ? stat_json : stat_text)(&options, word, &summary, stdout);
	if (!err && !json) {
		input_counts(dump->input, &counts);
		stat_trace_losses(&options.show, &counts, stdout);
	}
	summary_done(&summary);
	return err;
}
