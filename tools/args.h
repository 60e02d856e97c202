/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of one command: options, --help, and errors of usage, all in the same words. */
#ifndef TOOLS_ARGS_H
#define TOOLS_ARGS_H

#include <getopt.h>
#include <stdint.h>

#include "core/diag.h"
#include "tools/term.h"

enum exit_code { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

/* What args_next() returns besides the value of an option of the command's own (1..255). */
enum { ARGS_END = -1, ARGS_STOP = 256, ARGS_HELP, ARGS_COLOUR };

/* Every command's list of long options ends with these. */
#define ARGS_COMMON                                                                              \
	{"help", no_argument, NULL, ARGS_HELP}, {"color", required_argument, NULL, ARGS_COLOUR}, \
		{"colour", required_argument, NULL, ARGS_COLOUR},                                \
	{                                                                                        \
		NULL, 0, NULL, 0                                                                 \
	}

struct args {
	const char *command;
	const char *help;   /* the whole text of --help */
	const char *shorts; /* as getopt's, with a leading ':' */
	const struct option *longs;
	enum term_colour colour;
	int status; /* what to exit with after ARGS_STOP */
};

/*
 * The next option, its argument in optarg; ARGS_END before the operands, which begin at optind;
 * ARGS_STOP when --help was printed or the usage was wrong (said on stderr): return args->status.
 */
int args_next(struct args *args, int argc, char **argv);

/* Says what is wrong with the usage in one line and returns EXIT_USAGE. */
int args_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says what failed with the thing named (bytes, printed safely) and returns EXIT_FAILED. */
int args_failed(const char *command, const char *what, const struct diag *diag);

/* Parses an operand or argument that is a number; on failure says so and returns EXIT_USAGE. */
int args_uint(const char *command, const char *what, const char *text, uint64_t min, uint64_t max,
	      uint64_t *ret_value);

#endif
