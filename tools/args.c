// SPDX-License-Identifier: GPL-2.0-or-later
/* getopt_long() with messages of one shape. */
#include "config.h"

#include "tools/args.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/cleanup.h"
#include "core/units.h"
#include "tools/utf8.h"

int args_error(const char *command, const char *format, ...)
{
	scoped_free char *text = NULL;
	scoped_free char *safe = NULL;
	va_list list;

	va_start(list, format);
	if (vasprintf(&text, format, list) < 0)
		text = NULL;
	va_end(list);
	if (text)
		safe = utf8_escape(text);
	if (command)
		fprintf(stderr, "weir %s: %s (try 'weir %s --help')\n", command,
			safe ? safe : "wrong usage", command);
	else
		fprintf(stderr, "weir: %s (try 'weir --help')\n", safe ? safe : "wrong usage");
	return EXIT_USAGE;
}

int args_failed(const char *command, const char *what, const struct diag *diag)
{
	scoped_free char *safe = utf8_escape(what);
	scoped_free char *text = utf8_escape(diag->text);

	fprintf(stderr, "weir %s: %s: %s\n", command, safe ? safe : "?", text ? text : "?");
	return EXIT_FAILED;
}

int args_uint(const char *command, const char *what, const char *text, uint64_t min, uint64_t max,
	      uint64_t *ret_value)
{
	if (!units_parse_uint(text, min, max, ret_value))
		return EXIT_DONE;
	return args_error(command, "%s is a number from %" PRIu64 " to %" PRIu64 ", not '%s'", what,
			  min, max, text);
}

static int wrong_option(struct args *args, char **argv, bool missing)
{
	/* getopt names a long option by its place only, a short one by optopt. */
	const char *word = argv[optind - 1];

	args->status = EXIT_USAGE;
	if (missing)
		args_error(args->command, "option '%s' needs an argument", word);
	else if (optopt > 0 && optopt < 256)
		args_error(args->command, "unknown option '-%c'", optopt);
	else if (optopt)
		args_error(args->command, "option '%s' takes no argument", word);
	else
		args_error(args->command, "unknown or ambiguous option '%s'", word);
	return ARGS_STOP;
}

int args_next(struct args *args, int argc, char **argv)
{
	int option;

	opterr = 0;
	option = getopt_long(argc, argv, args->shorts, args->longs, NULL);
	switch (option) {
	case 'h':
	case ARGS_HELP:
		fputs(args->help, stdout);
		args->status = EXIT_DONE;
		return ARGS_STOP;
	case ARGS_COLOUR:
		if (!term_parse_colour(optarg, &args->colour))
			return args_next(args, argc, argv);
		args->status = args_error(args->command,
					  "--color is auto, always or never, not '%s'", optarg);
		return ARGS_STOP;
	case ':':
	case '?':
		return wrong_option(args, argv, option == ':');
	default:
		return option;
	}
}
