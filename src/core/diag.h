/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was wrong with an input, for whoever prints it: libraries fill it and never print. */
#ifndef CORE_DIAG_H
#define CORE_DIAG_H

#include <stdint.h>

struct diag {
	const char *file; /* borrowed; NULL when the input is no file */
	uint64_t line;    /* 1-based line or byte offset, 0 = unknown */
	char text[256];   /* one line: what, where, what to do */
};

/* Fills text like printf and returns err, so that a parser can say `return diag_set(...)`. */
int diag_set(struct diag *diag, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
