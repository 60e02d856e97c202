// SPDX-License-Identifier: GPL-2.0-or-later
/* weir: the tool. A table of commands; each is in a file of its own. */
#include "config.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tools/args.h"
#include "tools/cmd.h"
#include "tools/features.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

static const struct command commands[] = {
#define X(name, summary) {#name, cmd_##name, summary},
	COMMAND_TABLE(X)
#undef X
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int print_help(void)
{
	fputs("usage: weir COMMAND [options] ..\n"
	      "\n"
	      "Shows where the time of a weirfs mount goes, and steers it.\n"
	      "\n",
	      stdout);
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\n"
	      "  weir help COMMAND, weir COMMAND --help    about one command\n"
	      "  weir --version                            version and how it was built\n",
	      stdout);
	return EXIT_DONE;
}

static int print_version(void)
{
	static const char features[] = FUSE_FEATURES;

	printf("weir %s\n", PACKAGE_VERSION);
#ifdef HAVE_NCURSES
	puts("screen     ncurses");
#else
	puts("screen     none (weir top prints blocks)");
#endif
	printf("libfuse    built against one with:%s\n",
	       features[0] ? features : " nothing optional");
	printf("compiler   %s\n", __VERSION__);
	return EXIT_DONE;
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	}
	return NULL;
}

static int help_command(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find(argv[1]) : NULL;
	char option[] = "--help";
	char *words[] = {argc > 1 ? argv[1] : NULL, option, NULL};

	if (argc < 2)
		return print_help();
	if (!command)
		return args_error(NULL, "no command '%s'", argv[1]);
	return command->run(2, words);
}

static int run(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2)
		return args_error(NULL, "which command?");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return print_version();
	if (!strcmp(argv[1], "help"))
		return help_command(argc - 1, argv + 1);
	command = find(argv[1]);
	if (!command)
		return args_error(NULL,
				  argv[1][0] == '-' ? "unknown option '%s'" : "no command '%s'",
				  argv[1]);
	return command->run(argc - 1, argv + 1);
}

/* Output that didn't reach its reader is a failure, but for a pipe whose reader had enough. */
static int finish(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	if (errno == EPIPE)
		return status;
	fprintf(stderr, "weir: writing the output: %s\n", strerror(errno));
	return status ? status : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	/* Widths of characters are wanted; the language of messages and numbers is ours. */
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
	return finish(run(argc, argv));
}
