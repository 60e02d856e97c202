/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which operations of a trace a command looks at: the options of the commands that read traces. */
#ifndef TOOLS_FILTER_H
#define TOOLS_FILTER_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "tools/input.h"
#include "tools/when.h"

/* Values of the options in getopt's table: below are those of the commands, above letters. */
enum {
	FILTER_OP = 20,
	FILTER_PATH,
	FILTER_PID,
	FILTER_UID,
	FILTER_FROM,
	FILTER_TO,
	FILTER_MIN,
	FILTER_ERRORS,
	FILTER_LAST = FILTER_ERRORS,
};

#define FILTER_WINDOW_LONGS                              \
	{"from", required_argument, NULL, FILTER_FROM},  \
	{                                                \
		"to", required_argument, NULL, FILTER_TO \
	}

#define FILTER_LONGS                                                               \
	{"op", required_argument, NULL, FILTER_OP},                                \
		{"path", required_argument, NULL, FILTER_PATH},                    \
		{"pid", required_argument, NULL, FILTER_PID},                      \
		{"uid", required_argument, NULL, FILTER_UID}, FILTER_WINDOW_LONGS, \
		{"min", required_argument, NULL, FILTER_MIN},                      \
	{                                                                          \
		"errors", no_argument, NULL, FILTER_ERRORS                         \
	}

struct filter {
	uint64_t ops;     /* mask; 0 = all */
	const char *path; /* glob, or NULL */
	bool by_pid;
	bool by_uid;
	bool errors;
	uint32_t pid;
	uint32_t uid;
	uint64_t min_ns; /* of the total time */
	struct when from;
	struct when to;
	bool windowed; /* from_ns and to_ns are known */
	uint64_t from_ns;
	uint64_t to_ns;
};

/* Sets one of the options above from optarg; says what is wrong. Returns an exit code. */
int filter_option(struct filter *filter, const char *command, int option);

/*
 * Makes the window absolute and tells the input of it, so that it reads no more than it must. To
 * be called before the first event; a pipe's start is awaited in filter_wants().
 */
void filter_begin(struct filter *filter, struct input *input);

/* Whether the last event of the input, an operation, is wanted. */
bool filter_wants(struct filter *filter, struct input *input, const struct trace_event *event);

/* Is anything left out? */
bool filter_any(const struct filter *filter);

#endif
