/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as cells of tables: scaled for the eye, or exact. */
#ifndef TOOLS_SHOW_H
#define TOOLS_SHOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/term.h"
#include "tools/view.h"

#define SHOW_TEXT 48

/* How a command prints. */
struct show {
	struct term term;
	bool exact; /* plain nanoseconds and bytes */
};

/* All return the buffer. */
char *show_time(const struct show *show, char text[SHOW_TEXT], uint64_t ns);
char *show_size(const struct show *show, char text[SHOW_TEXT], uint64_t bytes);
/* "-" without samples; "~" before it when there are too few samples for it. */
char *show_percentile(const struct show *show, char text[SHOW_TEXT],
		      const struct duration_view *view, enum percentile percentile);
char *show_max(const struct show *show, char text[SHOW_TEXT], const struct duration_view *view);
/* "3 d 04:05:06", "00:00:12" */
char *show_uptime(char text[SHOW_TEXT], uint64_t ns);

/* Prints bytes as one safe line (utf8_escape()). */
void show_bytes(FILE *out, const char *bytes);

#endif
