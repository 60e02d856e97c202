/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one table of options of weirfs: what each is, where it goes, what the help says. */
#ifndef WEIRFS_OPTIONS_TABLE_H
#define WEIRFS_OPTIONS_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPTION_FLAG,    /* no value: sets a bool */
	OPTION_CHOICE,  /* one of a list: an enum */
	OPTION_SWITCH,  /* on or off: a bool */
	OPTION_SECONDS, /* double */
	OPTION_COUNT,   /* uint64_t within min..max */
	OPTION_SIZE,    /* uint64_t bytes */
	OPTION_TIME,    /* uint64_t ns */
	OPTION_TEXT,    /* a string */
	OPTION_ROTATE,  /* struct trace_rotate */
	OPTION_DELAY,   /* rules; may go on in the next items */
	OPTION_FUSE,    /* handed on to libfuse and the kernel */
	OPTION_IGNORE,  /* fstab words that mean nothing here */
};

struct option {
	const char *name;
	enum option_type type;
	size_t offset;
	const char *const *choices;
	uint64_t min;
	uint64_t max;
	const char *value;
	const char *help;
};

extern const struct option option_table[];
extern const size_t option_count;

#endif
