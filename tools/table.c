// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables: widths are measured in terminal columns, not bytes. */
#include "config.h"

#include "tools/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/utf8.h"

#define GAP 2u
#define ELLIPSIS "\xe2\x80\xa6"
#define LAST_LEAST 12u /* columns that a path is not cut below */

void table_init(struct table *table, const struct column *columns, size_t width)
{
	*table = (struct table){.columns = columns, .width = width};
}

void table_done(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->count = 0;
}

void table_add(struct table *table, const char *format, ...)
{
	char *text;
	va_list list;
	int n;

	if (!(table->count & (table->count - 1))) {
		size_t room = table->count ? table->count * 2 : 1;
		char **cells = reallocarray(table->cells, room, sizeof(*cells));

		if (!cells) {
			table->failed = true;
			return;
		}
		table->cells = cells;
	}
	va_start(list, format);
	n = vasprintf(&text, format, list);
	va_end(list);
	if (n < 0)
		table->failed = true;
	else
		table->cells[table->count++] = text;
}

size_t table_rows(const struct table *table)
{
	return table->count / table->width;
}

/* --- layout -------------------------------------------------------------------------------- */

/* How a table will be printed. */
struct layout {
	size_t *widths; /* of each column, 0 = left out */
	size_t total;   /* with gaps */
	bool cut;       /* the last column is cut to its width */
};

static const char *cell(const struct table *table, size_t row, size_t column)
{
	return table->cells[row * table->width + column];
}

static size_t measure(const struct table *table, size_t column)
{
	size_t widest = utf8_columns(table->columns[column].title);

	for (size_t row = 0; row < table_rows(table); row++) {
		size_t width = utf8_columns(cell(table, row, column));

		if (width > widest)
			widest = width;
	}
	return widest;
}

static size_t add_up(const struct table *table, const size_t *widths)
{
	size_t total = 0;

	for (size_t i = 0; i < table->width; i++)
		total += widths[i] ? widths[i] + GAP : 0;
	return total ? total - GAP : 0;
}

/* Leaves out all columns of the highest drop number. Returns false when there are none. */
static bool drop_one(const struct table *table, size_t *widths)
{
	unsigned int highest = 0;

	for (size_t i = 0; i < table->width; i++) {
		if (widths[i] && table->columns[i].drop > highest)
			highest = table->columns[i].drop;
	}
	for (size_t i = 0; highest && i < table->width; i++) {
		if (table->columns[i].drop == highest)
			widths[i] = 0;
	}
	return highest > 0;
}

/* What the last column needs: paths may be cut down to LAST_LEAST, other words not at all. */
static size_t least_of_last(const struct table *table)
{
	size_t last = table->width - 1, least = utf8_columns(table->columns[last].title);

	for (size_t row = 0; row < table_rows(table); row++) {
		const char *text = cell(table, row, last);
		size_t width = utf8_columns(text);

		if (table->columns[last].left && text[0] == '/' && width > LAST_LEAST)
			width = LAST_LEAST;
		if (width > least)
			least = width;
	}
	return least;
}

/* Makes the table fit: columns go until the last has what it needs. */
static void fit(const struct table *table, struct layout *layout, size_t columns)
{
	size_t last = table->width - 1, full = layout->widths[last];
	size_t least = least_of_last(table);

	layout->widths[last] = least;
	while (add_up(table, layout->widths) > columns && drop_one(table, layout->widths))
		;
	layout->total = add_up(table, layout->widths);
	if (layout->total < columns && least < full) {
		size_t room = columns - layout->total;

		least = full - least < room ? full : least + room;
		layout->widths[last] = least;
	}
	layout->cut = least < full;
	layout->total = add_up(table, layout->widths);
}

static bool lay_out(const struct table *table, const struct term *term, struct layout *ret_layout)
{
	struct layout layout = {.widths = calloc(table->width, sizeof(*layout.widths))};

	if (!layout.widths)
		return false;
	for (size_t i = 0; i < table->width; i++)
		layout.widths[i] = table->hidden >> i & 1 ? 0 : measure(table, i);
	layout.total = add_up(table, layout.widths);
	if (term->columns)
		fit(table, &layout, term->columns);
	*ret_layout = layout;
	return true;
}

/* --- printing ------------------------------------------------------------------------------ */

static void pad(FILE *out, size_t n, char with)
{
	while (n--)
		fputc(with, out);
}

/* The end of a text that fits, with an ellipsis for what was before it. */
static void print_end(FILE *out, const char *text, size_t width)
{
	size_t columns = utf8_columns(text);

	if (columns <= width) {
		fputs(text, out);
		return;
	}
	while (columns + 1 > width && *text) {
		uint32_t point;
		size_t len = utf8_next(text, &point);

		text += len ? len : 1;
		columns = utf8_columns(text);
	}
	fprintf(out, ELLIPSIS "%s", text);
}

static void print_cell(const struct table *table, const struct layout *layout, FILE *out,
		       const char *text, size_t column)
{
	size_t used = utf8_columns(text), width = layout->widths[column];
	size_t space = width > used ? width - used : 0;
	bool last = column == table->width - 1;

	if (!table->columns[column].left)
		pad(out, space, ' ');
	if (last && layout->cut)
		print_end(out, text, width);
	else
		fputs(text, out);
	if (table->columns[column].left && !last)
		pad(out, space, ' ');
	if (!last)
		pad(out, GAP, ' ');
}

/* "--- total ---", as wide as the columns below it. */
static void print_group(FILE *out, const char *group, size_t width)
{
	size_t len = strlen(group), dashes;

	if (len + 2 > width) {
		fprintf(out, "%-*.*s", (int)width, (int)width, group);
		return;
	}
	dashes = width - len - 2;
	pad(out, dashes / 2, '-');
	fprintf(out, " %s ", group);
	pad(out, dashes - dashes / 2, '-');
}

static bool same_group(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The line over the titles. */
static void print_groups(const struct table *table, const struct layout *layout, FILE *out)
{
	size_t blanks = 0, end;

	for (size_t i = 0; i < table->width; i = end) {
		const char *group = table->columns[i].group;
		size_t width = 0;

		for (end = i; end < table->width; end++) {
			if (!same_group(table->columns[end].group, group))
				break;
			width += layout->widths[end] ? layout->widths[end] + GAP : 0;
		}
		if (!group || !width) {
			blanks += width;
			continue;
		}
		pad(out, blanks, ' ');
		print_group(out, group, width - GAP);
		blanks = GAP;
	}
	fputc('\n', out);
}

static bool has_groups(const struct table *table)
{
	for (size_t i = 0; i < table->width; i++) {
		if (table->columns[i].group)
			return true;
	}
	return false;
}

void table_print(const struct table *table, FILE *out, const struct term *term)
{
	struct layout layout;

	if (table->failed || !lay_out(table, term, &layout))
		return;
	assert(table->count % table->width == 0);
	fputs(term_look(term, LOOK_HEAD), out);
	if (has_groups(table))
		print_groups(table, &layout, out);
	for (size_t i = 0; i < table->width; i++) {
		if (layout.widths[i])
			print_cell(table, &layout, out, table->columns[i].title, i);
	}
	fprintf(out, "%s\n", term_look(term, LOOK_PLAIN));
	for (size_t row = 0; row < table_rows(table); row++) {
		for (size_t i = 0; i < table->width; i++) {
			if (layout.widths[i])
				print_cell(table, &layout, out, cell(table, row, i), i);
		}
		fputc('\n', out);
	}
	free(layout.widths);
}
