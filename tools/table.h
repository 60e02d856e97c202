/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Aligned columns of text, in groups; fits a terminal by leaving columns out. */
#ifndef TOOLS_TABLE_H
#define TOOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/term.h"

struct column {
	const char *title;
	const char *group;  /* title over neighbours that share it, or NULL */
	bool left;          /* aligned to the left; the last column always is when it is */
	unsigned char drop; /* left out when the terminal is narrow: the highest first, 0 never */
};

struct table {
	const struct column *columns;
	size_t width;    /* columns in it, at most 64 */
	uint64_t hidden; /* bit mask of columns that are not printed; set by the caller */
	char **cells;    /* row by row */
	size_t count;
	bool failed; /* memory was short: nothing will be printed */
};

/* The columns are borrowed. */
void table_init(struct table *table, const struct column *columns, size_t width);
void table_done(struct table *table);

/* The next cell, from left to right, like printf. Control characters must be escaped before. */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

size_t table_rows(const struct table *table);

/*
 * Prints titles and rows. On a terminal, columns are left out until the rest fits, and the last
 * column, when it is aligned to the left (a path), is cut from its left.
 */
void table_print(const struct table *table, FILE *out, const struct term *term);

#endif
