/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the place that output goes to can show: colour, width. */
#ifndef TOOLS_TERM_H
#define TOOLS_TERM_H

#include <stdbool.h>
#include <stdio.h>

enum term_colour {
	TERM_COLOUR_AUTO, /* when it is a terminal, and NO_COLOR and TERM=dumb don't forbid it */
	TERM_COLOUR_ALWAYS,
	TERM_COLOUR_NEVER,
};

enum term_look { LOOK_PLAIN, LOOK_HEAD, LOOK_FAINT, LOOK_GOOD, LOOK_NOTE, LOOK_BAD, LOOKS };

struct term {
	bool tty;
	bool colour;
	unsigned int columns; /* 0 = lines may be of any length */
};

/* Finds out about a stream. */
void term_init(struct term *term, FILE *out, enum term_colour colour);

/* Parses auto, always or never. Returns 0 or -EINVAL. */
int term_parse_colour(const char *text, enum term_colour *ret_colour);

/* The escape sequence that begins a look (or, for LOOK_PLAIN, ends it); "" without colour. */
const char *term_look(const struct term *term, enum term_look look);

#endif
