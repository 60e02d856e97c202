// SPDX-License-Identifier: GPL-2.0-or-later
/* Filling heat maps of unknown length, and drawing them on a terminal. */
#include "config.h"

#include "tools/heat.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "core/units.h"

#define WIDTH_FIRST_NS NS_PER_MS
#define WIDTH_LIMIT_NS (UINT64_C(1) << 62)
#define SUB_BUCKETS (1u << HIST_FILE_BITS)
#define SHADES 9

void heat_init(struct heat *heat, unsigned int columns)
{
	assert(columns >= 2 && columns <= HEAT_COLUMNS_MAX && columns % 2 == 0);
	memset(heat, 0, sizeof(*heat));
	heat->columns = columns;
	heat->width_ns = WIDTH_FIRST_NS;
}

void heat_done(struct heat *heat)
{
	for (int class = 0; class < OP_CLASSES; class ++) {
		for (unsigned int i = 0; i < HEAT_COLUMNS_MAX; i++)
			free(heat->column[class][i]);
	}
}

/* Makes one of two columns; either may be empty. */
static struct hist *join(struct hist *left, struct hist *right)
{
	if (!left || !right)
		return left ? left : right;
	hist_merge(left, right);
	free(right);
	return left;
}

/* The columns get twice as wide. */
static void widen(struct heat *heat)
{
	for (int class = 0; class < OP_CLASSES; class ++) {
		struct hist **column = heat->column[class];

		for (unsigned int i = 0; i < heat->columns / 2; i++) {
			struct hist *left = column[2 * i], *right = column[2 * i + 1];

			column[2 * i] = column[2 * i + 1] = NULL;
			column[i] = join(left, right);
		}
	}
	heat->used = (heat->used + 1) / 2;
	heat->width_ns *= 2;
}

int heat_add(struct heat *heat, enum op_class class, uint64_t unix_ns, uint64_t value_ns)
{
	struct hist **slot;
	uint64_t at;

	if (!heat->start_ns)
		heat->start_ns = unix_ns;
	/* Ends come nearly in order: one that is before the first belongs to its column. */
	at = unix_ns > heat->start_ns ? unix_ns - heat->start_ns : 0;
	while (at / heat->width_ns >= heat->columns && heat->width_ns < WIDTH_LIMIT_NS)
		widen(heat);
	at /= heat->width_ns;
	if (at >= heat->columns)
		at = heat->columns - 1;
	if (at >= heat->used)
		heat->used = (unsigned int)at + 1;
	slot = &heat->column[class][at];
	if (!*slot)
		*slot = hist_new(HIST_FILE_BITS);
	if (!*slot)
		return -ENOMEM;
	hist_record(*slot, value_ns);
	return 0;
}

/* --- drawing -------------------------------------------------------------------------------- */

/* One panel: rows of `step` buckets, those that are used. */
struct panel {
	struct hist *const *column;
	unsigned int columns;
	unsigned int step;
	uint32_t first; /* rows */
	uint32_t last;
	uint64_t most; /* in a cell */
	uint64_t count;
};

static uint64_t cell(const struct panel *panel, unsigned int column, uint32_t row)
{
	const struct hist *hist = panel->column[column];
	uint64_t sum = 0;

	for (uint32_t i = row * panel->step; hist && i < (row + 1) * panel->step; i++)
		sum += i < hist->buckets ? hist->bucket[i] : 0;
	return sum;
}

/* Returns false when the panel is empty. */
static bool measure(const struct heat *heat, enum op_class class, unsigned int step,
		    struct panel *ret_panel)
{
	struct panel panel = {heat->column[class], heat->used, step, UINT32_MAX, 0, 0, 0};
	uint32_t rows = hist_buckets(HIST_FILE_BITS) / step;

	for (unsigned int i = 0; i < heat->used; i++) {
		if (!panel.column[i])
			continue;
		panel.count += panel.column[i]->count;
		for (uint32_t row = 0; row < rows; row++) {
			uint64_t count = cell(&panel, i, row);

			if (!count)
				continue;
			panel.first = row < panel.first ? row : panel.first;
			panel.last = row > panel.last ? row : panel.last;
			panel.most = count > panel.most ? count : panel.most;
		}
	}
	*ret_panel = panel;
	return panel.count != 0;
}

/* 0 for none, else 1 to SHADES by the order of magnitude: single outliers must be seen. */
static unsigned int shade_of(uint64_t count, uint64_t most)
{
	unsigned int bits = 64u - (unsigned int)__builtin_clzll(most | 1);

	if (!count)
		return 0;
	return 1 + (63u - (unsigned int)__builtin_clzll(count)) * (SHADES - 1) /
			   (bits > 1 ? bits - 1 : 1);
}

static void put_cell(const struct show *show, unsigned int shade, FILE *out)
{
	/* From pale to deep red in the palette of 256 colours. */
	static const unsigned char reds[SHADES] = {230, 224, 217, 210, 203, 196, 160, 124, 88};

	if (!show->term.colour || !shade)
		fputc(" .:-=+*#%@"[shade], out);
	else
		fprintf(out, "\033[48;5;%um \033[0m", reds[shade - 1]);
}

static void put_row(const struct show *show, const struct panel *panel, uint32_t row, FILE *out)
{
	char text[SHOW_TEXT];
	uint64_t total = 0;

	fprintf(out, "%9s |", show_time(show, text, hist_lower(HIST_FILE_BITS, row * panel->step)));
	for (unsigned int i = 0; i < panel->columns; i++) {
		uint64_t count = cell(panel, i, row);

		total += count;
		put_cell(show, shade_of(count, panel->most), out);
	}
	fprintf(out, "| %" PRIu64 "\n", total);
}

static void put_axis(const struct heat *heat, FILE *out)
{
	char left[32] = "?", right[UNITS_TEXT], column[UNITS_TEXT];
	time_t s = (time_t)(heat->start_ns / NS_PER_S);
	int room = (int)heat->used;
	struct tm tm;

	if (localtime_r(&s, &tm))
		strftime(left, sizeof(left), "%H:%M:%S", &tm);
	units_format_time(right, heat->used * heat->width_ns);
	units_format_time(column, heat->width_ns);
	fprintf(out, "%9s +", "");
	for (int i = 0; i < room; i++)
		fputc('-', out);
	fprintf(out, "+\n%9s  %s", "", left);
	fprintf(out, "%*s  (a column is %s)\n", room - (int)strlen(left) + 1, right, column);
}

void heat_print(const struct heat *heat, const struct show *show, const char *duration, bool fine,
		FILE *out)
{
	bool any = false;

	for (unsigned int class = 0; class < OP_CLASSES; class ++) {
		struct panel panel;
		char most[UNITS_TEXT];

		if (!measure(heat, (enum op_class) class, SUB_BUCKETS / (fine ? 2 : 1), &panel))
			continue;
		if (any)
			fputc('\n', out);
		any = true;
		units_format_count(most, (double)panel.most);
		fprintf(out, "%s%s%s: %" PRIu64 " operations by %s time, at most %s in a cell\n",
			term_look(&show->term, LOOK_HEAD), op_class_name(class),
			term_look(&show->term, LOOK_PLAIN), panel.count, duration, most);
		for (uint32_t row = panel.last + 1; row-- > panel.first;)
			put_row(show, &panel, row, out);
		put_axis(heat, out);
	}
	if (!any)
		fprintf(out, "no operations with a %s time\n", duration);
}

static void put_column(struct jsonw *json, unsigned int index, const struct hist *hist)
{
	for (uint32_t i = 0; i < hist->buckets; i++) {
		if (!hist->bucket[i])
			continue;
		jsonw_array(json, NULL);
		jsonw_uint(json, NULL, index);
		jsonw_uint(json, NULL, hist_lower(hist->bits, i));
		if (i + 1 < hist->buckets)
			jsonw_uint(json, NULL, hist_lower(hist->bits, i + 1));
		else
			jsonw_null(json, NULL);
		jsonw_uint(json, NULL, hist->bucket[i]);
		jsonw_end(json);
	}
}

void heat_json(const struct heat *heat, struct jsonw *json)
{
	jsonw_uint(json, "start_unix_ns", heat->start_ns);
	jsonw_uint(json, "column_ns", heat->width_ns);
	jsonw_uint(json, "columns", heat->used);
	jsonw_array(json, "panels");
	for (unsigned int class = 0; class < OP_CLASSES; class ++) {
		jsonw_object(json, NULL);
		jsonw_string(json, "class", op_class_name(class));
		jsonw_flat_array(json, "cells");
		for (unsigned int i = 0; i < heat->used; i++) {
			if (heat->column[class][i])
				put_column(json, i, heat->column[class][i]);
		}
		jsonw_end(json);
		jsonw_end(json);
	}
	jsonw_end(json);
}
