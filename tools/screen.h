/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A terminal as a grid of lines: the only place that knows ncurses. */
#ifndef TOOLS_SCREEN_H
#define TOOLS_SCREEN_H

#include "tools/term.h"

enum screen_key {
	SCREEN_KEY_NONE = 0,
	/* Characters are themselves; below are keys that have none. */
	SCREEN_KEY_UP = 0x1000,
	SCREEN_KEY_DOWN,
	SCREEN_KEY_PAGE_UP,
	SCREEN_KEY_PAGE_DOWN,
	SCREEN_KEY_HOME,
	SCREEN_KEY_END,
	SCREEN_KEY_RESIZED,
};

struct screen;

/* Takes over the terminal. Returns 0, or -ENOSYS: it can't be done there, or was not built in. */
int screen_new(struct screen **ret_screen);
/* Gives the terminal back as it was. */
void screen_free(struct screen *screen);

void screen_size(const struct screen *screen, unsigned int *ret_rows, unsigned int *ret_columns);

/* Between the two, lines are put; what isn't is blank. */
void screen_begin(struct screen *screen);
void screen_end(struct screen *screen);
/* Text is valid UTF-8 without control characters; what doesn't fit is cut. */
void screen_put(struct screen *screen, unsigned int row, const char *text, enum term_look look);

/* The next key that was pressed, without waiting: a character, enum screen_key, or none. */
int screen_key(struct screen *screen);

#endif
