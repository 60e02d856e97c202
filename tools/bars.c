// SPDX-License-Identifier: GPL-2.0-or-later
/* Folding buckets into rows, and rows into bars. */
#include "config.h"

#include "tools/bars.h"

#include <inttypes.h>
#include <string.h>

#define BAR_MAX 40u
#define BAR_LEAST 10u
#define ROW_BEFORE_BAR 42u /* columns that a row takes without its bar */
#define ROWS_MAX 256u

_Static_assert(((HIST_VALUE_BITS - BARS_FINE + 1) << BARS_FINE) <= ROWS_MAX, "rows fit");

struct rows {
	uint32_t bits;
	uint32_t first; /* used row */
	uint32_t last;
	uint64_t most;
	uint64_t count[ROWS_MAX];
};

/* Buckets of a geometry lie wholly within those of a coarser one. */
static void fold(const struct hist *hist, enum bars_detail detail, struct rows *ret_rows)
{
	struct rows *rows = ret_rows;

	memset(rows, 0, sizeof(*rows));
	rows->bits = (uint32_t)detail;
	rows->first = ROWS_MAX;
	for (uint32_t i = 0; i < hist->buckets; i++) {
		uint32_t row;

		if (!hist->bucket[i])
			continue;
		row = hist_index(rows->bits, hist_lower(hist->bits, i));
		rows->count[row] += hist->bucket[i];
		if (rows->count[row] > rows->most)
			rows->most = rows->count[row];
		if (rows->first == ROWS_MAX)
			rows->first = row;
		rows->last = row;
	}
}

static void put_title(const struct show *show, const char *name, const char *duration,
		      const struct hist *hist, FILE *out)
{
	struct duration_view view;
	char text[SHOW_TEXT];

	view_duration(hist, &view);
	fprintf(out, "%s%s%s: %" PRIu64 " operations, %s time p50 ",
		term_look(&show->term, LOOK_HEAD), name, term_look(&show->term, LOOK_PLAIN),
		view.samples, duration);
	fputs(show_percentile(show, text, &view, PCT_P50), out);
	fprintf(out, ", p99 %s", show_percentile(show, text, &view, PCT_P99));
	fprintf(out, ", p99.9 %s", show_percentile(show, text, &view, PCT_P999));
	fprintf(out, ", max %s\n", show_max(show, text, &view));
}

static void put_row(const struct show *show, const struct rows *rows, uint32_t row,
		    unsigned int width, FILE *out)
{
	char lower[SHOW_TEXT], upper[SHOW_TEXT];
	uint64_t count = rows->count[row];
	/* What there is shows, however little it is. */
	unsigned int stars = (unsigned int)((double)count * width / (double)rows->most);

	stars += !stars && count;
	fprintf(out, "%10s -> %-10s : %12" PRIu64 "  |",
		show_time(show, lower, hist_lower(rows->bits, row)),
		show_time(show, upper, hist_lower(rows->bits, row + 1)), count);
	for (unsigned int i = 0; i < width; i++)
		fputc(i < stars ? '*' : ' ', out);
	fputs("|\n", out);
}

void bars_print(const struct show *show, const char *name, const char *duration,
		const struct hist *hist, enum bars_detail detail, FILE *out)
{
	unsigned int width = BAR_MAX;
	struct rows rows;

	fold(hist, detail, &rows);
	put_title(show, name, duration, hist, out);
	if (!rows.most)
		return;
	if (show->term.columns && show->term.columns < ROW_BEFORE_BAR + BAR_MAX) {
		width = BAR_LEAST;
		if (show->term.columns > ROW_BEFORE_BAR + BAR_LEAST)
			width = show->term.columns - ROW_BEFORE_BAR;
	}
	fprintf(out, "%24s : %12s  |%-*s|\n", "range", "count", (int)width, "distribution");
	for (uint32_t row = rows.first; row <= rows.last; row++)
		put_row(show, &rows, row, width, out);
}

void bars_json(struct jsonw *json, const struct hist *hist, enum bars_detail detail)
{
	struct rows rows;

	fold(hist, detail, &rows);
	jsonw_flat_array(json, "rows");
	for (uint32_t row = 0; row < ROWS_MAX; row++) {
		if (!rows.count[row])
			continue;
		jsonw_array(json, NULL);
		jsonw_uint(json, NULL, hist_lower(rows.bits, row));
		jsonw_uint(json, NULL, hist_lower(rows.bits, row + 1));
		jsonw_uint(json, NULL, rows.count[row]);
		jsonw_end(json);
	}
	jsonw_end(json);
}
