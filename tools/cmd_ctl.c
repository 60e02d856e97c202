// SPDX-License-Identifier: GPL-2.0-or-later
/* weir ctl: one request to a live mount; when it returns, the new rule holds. */
#include "config.h"

#include "tools/cmd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/control.h"
#include "tools/args.h"
#include "tools/ctl.h"
#include "tools/show.h"
#include "tools/source.h"

static const char help[] =
	"usage: weir ctl MNT reset\n"
	"       weir ctl MNT delay set RULES\n"
	"       weir ctl MNT delay off\n"
	"       weir ctl MNT log LEVEL\n"
	"       weir ctl MNT trace start [FILE]\n"
	"       weir ctl MNT trace stop\n"
	"       weir ctl MNT trace rotate\n"
	"       weir ctl MNT trace dump FILE\n"
	"       weir ctl MNT ping\n"
	"\n"
	"Steers the weirfs mount MNT (or the one that holds the path MNT). When the\n"
	"command returns, the new rule holds for the next operation.\n"
	"\n"
	"  reset             all histograms and counts back to zero\n"
	"  delay set RULES   holds replies: OP[@GLOB]:TIME[:SHARE],.. as in\n"
	"                    read:20ms  meta:5ms:30%  write@*.db:1ms,sync:10ms\n"
	"  delay off         no more delays; held replies are sent at once\n"
	"  log LEVEL         error, warning, info or debug\n"
	"  trace start FILE  records every operation, in a new file or in a directory;\n"
	"                    without FILE where the mount's option trace= says\n"
	"  trace stop        ends the trace: it is complete then\n"
	"  trace rotate      begins another part of it\n"
	"  trace dump FILE   writes what trace_full=overwrite keeps in memory\n"
	"  ping              does the daemon answer?\n"
	"\n"
	"  -h, --help        this text\n";

/* The shapes of requests; "*" stands for one word that is the user's. */
static const char *const shapes[][3] = {
	{"reset"},         {"delay", "set", "*"}, {"delay", "off"},
	{"log", "*"},      {"trace", "start"},    {"trace", "start", "*"},
	{"trace", "stop"}, {"trace", "rotate"},   {"trace", "dump", "*"},
	{"ping"},
};

static bool matches(const char *const shape[3], int words, char **argv)
{
	int i = 0;

	for (; i < 3 && shape[i]; i++) {
		if (i >= words)
			return false;
		if (strcmp(shape[i], "*") != 0 && strcmp(shape[i], argv[i]) != 0)
			return false;
	}
	return i == words;
}

/* The daemon is elsewhere: a path is told as it is from the root. Returns NULL without memory. */
static char *whole_path(const char *path)
{
	scoped_free char *cwd = path[0] == '/' ? NULL : getcwd(NULL, 0);
	char *whole;

	if (!cwd)
		return strdup(path);
	return asprintf(&whole, "%s/%s", cwd, path) < 0 ? NULL : whole;
}

/* Puts the request together. Returns EXIT_DONE or EXIT_USAGE. */
static int build(int words, char **argv, char request[CONTROL_REQUEST_MAX])
{
	size_t len = 0;
	bool known = false;

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		known = known || matches(shapes[i], words, argv);
	if (!words)
		return args_error("ctl", "what should the mount do?");
	if (!known)
		return args_error("ctl", "no request of the form '%s%s%s'", argv[0],
				  words > 1 ? " " : "", words > 1 ? argv[1] : "");
	request[0] = '\0';
	for (int i = 0; i < words; i++) {
		bool is_path = i == 2 && !strcmp(argv[0], "trace");
		scoped_free char *word = is_path ? whole_path(argv[i]) : strdup(argv[i]);
		int n = word ? snprintf(request + len, CONTROL_REQUEST_MAX - len, "%s%s",
					i ? " " : "", word)
			     : -1;

		if (n < 0 || (size_t)n >= CONTROL_REQUEST_MAX - len)
			return args_error("ctl", "the request is longer than %d bytes",
					  CONTROL_REQUEST_MAX - 1);
		len += (size_t)n;
	}
	if (strpbrk(request, "\r\n"))
		return args_error("ctl", "a request is one line");
	return EXIT_DONE;
}

static int send_request(const char *target, const char *request)
{
	struct source source;
	struct diag diag = {0};
	uint64_t begin_ns = clock_mono_ns();
	char text[SHOW_TEXT];
	int status = EXIT_DONE;

	if (source_open(target, SOURCE_LIVE, &source, &diag))
		return args_failed("ctl", target, &diag);
	if (ctl_request(source.mount, request, CTL_TIMEOUT_NS, NULL, &diag))
		status = args_failed("ctl", source.mount->point, &diag);
	else if (!strcmp(request, "ping"))
		printf("answered in %s\n",
		       show_time(&(struct show){0}, text, clock_mono_ns() - begin_ns));
	source_done(&source);
	return status;
}

int cmd_ctl(int argc, char **argv)
{
	static const struct option longs[] = {ARGS_COMMON};
	struct args args = {.command = "ctl", .help = help, .shorts = ":h", .longs = longs};
	char request[CONTROL_REQUEST_MAX];
	int option = args_next(&args, argc, argv);

	if (option != ARGS_END)
		return args.status;
	if (argc == optind)
		return args_error("ctl", "which mount?");
	if (build(argc - optind - 1, argv + optind + 1, request))
		return EXIT_USAGE;
	return send_request(argv[optind], request);
}
