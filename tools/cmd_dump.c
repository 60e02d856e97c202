// SPDX-License-Identifier: GPL-2.0-or-later
/* weir dump: what is in a trace, event by event or summed up. */
#include "config.h"

#include "tools/cmd.h"

#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "tools/args.h"
#include "tools/dump.h"
#include "tools/top.h"

#define TAIL_POLL_NS (100 * NS_PER_MS)

static const char help[] =
	"usage: weir dump [options] TRACE..\n"
	"\n"
	"Prints the operations of a trace, one a line. TRACE is a file, a directory with\n"
	"the parts of a trace, or - for the standard input. Times are relative to the\n"
	"trace's start.\n"
	"\n"
	"  -a, --all          every argument, property and open file\n"
	"  -e, --exact        plain nanoseconds instead of scaled units\n"
	"  -j, --json         one JSON object a line, every argument\n"
	"      --csv          operations as CSV, every argument a column\n"
	"      --stat         what is in it, summed up; also with --json\n"
	"  -f, --tail         go on while the trace grows, until its end or Ctrl-C\n"
	"  -n, --limit N      stop after N operations\n"
	"\n"
	"Only operations that are wanted:\n"
	"      --op OP,..     of these kinds or classes (read, write, meta, sync)\n"
	"      --path GLOB    on these paths below the mount; * matches / too\n"
	"      --pid N        of this thread or process\n"
	"      --uid N        of this user\n"
	"      --from WHEN    that arrived from then on: '10s' after the start, or\n"
	"      --to WHEN      before then: '2026-01-31T12:00:00Z', '@1769860800'\n"
	"      --min TIME     that took at least so long in all ('10ms')\n"
	"      --errors       that failed\n"
	"\n"
	"      --color WHEN   auto (default), always, never\n"
	"  -h, --help         this text\n"
	"\n"
	"Names are bytes: in text and CSV a backslash is \\\\, and what is not printable\n"
	"\\xNN (a blank in text as well); in JSON, what is no UTF-8 comes a second time\n"
	"under KEY_hex. A damaged trace is printed as far as it is whole, and the exit\n"
	"code is then 1.\n";

enum { OPT_CSV = 1, OPT_STAT };

struct cmd {
	struct args args;
	struct dump dump;
	const struct dump_form *form;
	bool json;
	bool stat;
	bool tail;
};

static int set_option(struct cmd *cmd, int option)
{
	switch (option) {
	case 'a':
		cmd->dump.all = true;
		return EXIT_DONE;
	case 'e':
		cmd->dump.exact = true;
		return EXIT_DONE;
	case 'j':
		cmd->json = true;
		cmd->form = &dump_json;
		return EXIT_DONE;
	case OPT_CSV:
		cmd->form = &dump_csv;
		return EXIT_DONE;
	case OPT_STAT:
		cmd->stat = true;
		return EXIT_DONE;
	case 'f':
		cmd->tail = true;
		return EXIT_DONE;
	case 'n':
		return args_uint("dump", "--limit", optarg, 1, UINT64_MAX, &cmd->dump.limit);
	default:
		return filter_option(&cmd->dump.filter, "dump", option);
	}
}

/* Returns ARGS_END, or what to exit with. */
static int parse(struct cmd *cmd, int argc, char **argv)
{
	int option;

	while ((option = args_next(&cmd->args, argc, argv)) != ARGS_END) {
		if (option == ARGS_STOP)
			return cmd->args.status;
		if (set_option(cmd, option))
			return EXIT_USAGE;
	}
	if (argc == optind)
		return args_error("dump", "which trace?");
	if (cmd->json && cmd->form == &dump_csv)
		return args_error("dump", "--json or --csv, not both");
	if (cmd->stat && (cmd->tail || cmd->form == &dump_csv))
		return args_error("dump", "--stat goes with --json, not with --csv and --tail");
	return ARGS_END;
}

/* --- events --------------------------------------------------------------------------------- */

/* Prints an event that is wanted. Returns whether that was the last one. */
static bool print(struct cmd *cmd, const struct trace_event *event)
{
	struct dump *dump = &cmd->dump;

	if (event->kind == TRACE_EV_OP) {
		if (!filter_wants(&dump->filter, dump->input, event))
			return false;
		dump->printed++;
	}
	if (!dump->started)
		dump->started = !input_start(dump->input, &dump->start_ns);
	cmd->form->event(dump, event);
	return dump->limit && dump->printed == dump->limit;
}

/* Returns 1 when the limit was reached, 0 at the end (for now), or -errno. */
static int print_all(struct cmd *cmd)
{
	const struct trace_event *event;
	int err;

	while ((err = input_next(cmd->dump.input, &event)) == 1) {
		if (print(cmd, event))
			return 1;
		if (cmd->dump.out.err)
			return cmd->dump.out.err;
	}
	return err;
}

/* Prints what comes until a signal. Returns as print_all(), or the signal. */
static int follow(struct cmd *cmd, int *ret_signal)
{
	struct stopper stopper;
	int err = stopper_init(&stopper);

	*ret_signal = 0;
	if (err)
		return err;
	input_follow(cmd->dump.input);
	while (!err && !*ret_signal) {
		err = print_all(cmd);
		if (!err)
			err = out_flush(&cmd->dump.out);
		if (input_ended(cmd->dump.input))
			break;
		if (!err)
			*ret_signal = stopper_wait(&stopper, clock_mono_ns() + TAIL_POLL_NS);
	}
	stopper_done(&stopper);
	return err;
}

static int failed(const struct cmd *cmd, const char *word, int err, struct diag *diag)
{
	if (cmd->dump.out.err) {
		/* main() sees what became of the output. */
		errno = -cmd->dump.out.err;
		return cmd->dump.out.err == -EPIPE ? EXIT_DONE : EXIT_FAILED;
	}
	if (!diag->text[0])
		diag_set(diag, err, "%s", strerror(-err));
	return args_failed("dump", diag->file ? diag->file : word, diag);
}

static int run(struct cmd *cmd, const char *word, struct diag *diag)
{
	struct dump *dump = &cmd->dump;
	int signal = 0, err, flushed;

	filter_begin(&dump->filter, dump->input);
	if (cmd->stat)
		err = dump_stat(dump, word, cmd->json, cmd->args.colour);
	else if (cmd->form->begin(dump), cmd->tail)
		err = follow(cmd, &signal);
	else
		err = print_all(cmd);
	flushed = out_flush(&dump->out);
	if (err < 0 || flushed)
		return failed(cmd, word, err, diag);
	if (signal)
		return 128 + signal;
	return err ? EXIT_DONE : input_warn(dump->input, "dump");
}

int cmd_dump(int argc, char **argv)
{
	static const struct option longs[] = {
		{"all", no_argument, NULL, 'a'},
		{"exact", no_argument, NULL, 'e'},
		{"json", no_argument, NULL, 'j'},
		{"csv", no_argument, NULL, OPT_CSV},
		{"stat", no_argument, NULL, OPT_STAT},
		{"tail", no_argument, NULL, 'f'},
		{"limit", required_argument, NULL, 'n'},
		FILTER_LONGS,
		ARGS_COMMON,
	};
	struct cmd cmd = {.args = {"dump", help, ":aejfn:h", longs}, .form = &dump_text};
	struct diag diag = {0};
	int status = parse(&cmd, argc, argv);

	if (status != ARGS_END)
		return status;
	if (input_open(argv + optind, (size_t)(argc - optind), &diag, &cmd.dump.input))
		return args_failed("dump", diag.file ? diag.file : argv[optind], &diag);
	if (out_init(&cmd.dump.out, stdout)) {
		diag_set(&diag, -ENOMEM, "%s", strerror(ENOMEM));
		status = args_failed("dump", argv[optind], &diag);
	} else {
		status = run(&cmd, argv[optind], &diag);
	}
	out_done(&cmd.dump.out);
	input_close(cmd.dump.input);
	return status;
}
