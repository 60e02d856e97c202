// SPDX-License-Identifier: GPL-2.0-or-later
/* weir top: what happens right now, as the difference of successive snapshots. */
#include "config.h"

#include "tools/cmd.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/units.h"
#include "tools/args.h"
#include "tools/top.h"

#define FILES_DEFAULT 10
#define INTERVAL_LEAST_NS (10 * NS_PER_MS)

static const char help[] =
	"usage: weir top [options] MNT [INTERVAL [COUNT]]\n"
	"\n"
	"Shows what happens on the weirfs mount MNT, interval by interval (default 1 s):\n"
	"a full screen on a terminal, else one block an interval, the first about all\n"
	"since the mount or reset. Percentiles are those of the interval. Ctrl-C ends\n"
	"with a summary of all that was watched. MNT may also be a trace: the intervals\n"
	"of its time are printed one after the other, and all of it at the end.\n"
	"\n"
	"  -n, --files N      list N files (default 10; the screen has them all)\n"
	"  -s, --sort KEY     order of the files: time (default), p99, bytes, ops, errors\n"
	"  -o, --output FORM  text (default), or json: one object a line and interval\n"
	"  -b, --batch        blocks on a terminal too\n"
	"  -y                 without the first report\n"
	"      --from WHEN    of a trace what arrived from then on: '10s' after its start\n"
	"      --to WHEN      before then:    or '2026-01-31T12:00:00Z', '@1769860800'\n"
	"      --color WHEN   auto (default), always, never\n"
	"  -h, --help         this text\n"
	"\n"
	"Keys: q quit, s next order, arrows and PgUp/PgDn scroll the files, p pause,\n"
	"c interval or all that was watched, r watch anew, h help.\n";

struct top {
	struct args args;
	struct top_options options;
	const char *target;
	struct filter filter;
	bool batch;
};

static int set_option(struct top *top, int option)
{
	struct top_options *options = &top->options;
	uint64_t n;

	switch (option) {
	case 'n':
		if (args_uint("top", "--files", optarg, 0, TOP_ROWS, &n))
			return EXIT_USAGE;
		options->files = n;
		return EXIT_DONE;
	case 's':
		if (!select_parse_sort(optarg, &options->sort))
			return EXIT_DONE;
		return args_error("top", "no order '%s' (time, p99, bytes, ops, errors)", optarg);
	case 'o':
		options->json = !strcmp(optarg, "json");
		if (options->json || !strcmp(optarg, "text"))
			return EXIT_DONE;
		return args_error("top", "--output is text or json, not '%s'", optarg);
	case FILTER_FROM:
	case FILTER_TO:
		return filter_option(&top->filter, "top", option);
	case 'b':
		top->batch = true;
		return EXIT_DONE;
	default: /* 'y' */
		options->skip_first = true;
		return EXIT_DONE;
	}
}

static int parse_operands(struct top *top, int count, char **operands)
{
	struct top_options *options = &top->options;

	if (count < 1)
		return args_error("top", "which mount?");
	if (count > 3)
		return args_error("top", "one mount, an interval and a count, not '%s'",
				  operands[3]);
	top->target = operands[0];
	if (count > 1 && (units_parse_time(operands[1], NS_PER_S, &options->interval_ns) ||
			  options->interval_ns < INTERVAL_LEAST_NS))
		return args_error("top", "an interval is a time of 10 ms or more, not '%s'",
				  operands[1]);
	if (count > 2 && args_uint("top", "the count", operands[2], 1, UINT32_MAX, &options->count))
		return EXIT_USAGE;
	return ARGS_END;
}

/* Returns ARGS_END, or what to exit with. */
static int parse(struct top *top, int argc, char **argv)
{
	int option;

	while ((option = args_next(&top->args, argc, argv)) != ARGS_END) {
		if (option == ARGS_STOP)
			return top->args.status;
		if (set_option(top, option))
			return EXIT_USAGE;
	}
	term_init(&top->options.show.term, stdout, top->args.colour);
	return parse_operands(top, argc - optind, argv + optind);
}

/* --- reports ------------------------------------------------------------------------------- */

struct watch {
	const struct top_options *options;
	const struct source *source;
	const char *point;
	struct stopper stopper;
	struct sample first;
};

static int report(const struct watch *watch, const struct sample *before,
		  const struct sample *after, enum report_kind kind)
{
	struct interval interval;
	int err = interval_make(before, after, kind, &interval);

	if (err)
		return err;
	err = (watch->options->json ? top_json : top_text)(watch->options, watch->point, &interval,
							   stdout);
	interval_done(&interval);
	if (!err && fflush(stdout))
		err = -errno;
	return err;
}

/* What was seen between the first sample and now. */
static int report_all(const struct watch *watch)
{
	struct sample now;
	struct diag diag = {0};
	int err = sample_take(watch->source, &now, &diag);

	if (err)
		return err;
	err = report(watch, &watch->first, &now, REPORT_FINAL);
	sample_done(&now);
	return err;
}

/* The end by an error: a mount that went away is none. */
static int failed(const struct watch *watch, int err, struct diag *diag)
{
	switch (err) {
	case -EPIPE: /* the reader had enough: main() knows */
		return EXIT_DONE;
	case -ENOENT:
	case -ECONNREFUSED:
	case -ECONNRESET:
	case -EPROTO:
		diag_set(diag, err, "the mount is gone");
		args_failed("top", watch->point, diag);
		return EXIT_DONE;
	default:
		if (!diag->text[0])
			diag_set(diag, err, "%s", strerror(-err));
		return args_failed("top", watch->point, diag);
	}
}

/* One block an interval. Returns 0, the signal that ended it, or -errno. */
static int run_blocks(const struct watch *watch, struct diag *diag)
{
	const struct top_options *options = watch->options;
	struct sample last = {0}, now;
	uint64_t due_ns = watch->first.mono_ns, made = 0;
	const struct sample *before = &watch->first;
	int end = 0;

	if (!options->skip_first) {
		end = report(watch, NULL, before, REPORT_SINCE_MOUNT);
		made++;
	}
	while (!end && (!options->count || made < options->count)) {
		uint64_t now_ns = clock_mono_ns();

		/* Intervals keep their rhythm, but those that were missed are not made up for. */
		due_ns += options->interval_ns;
		if (due_ns < now_ns)
			due_ns = now_ns;
		end = stopper_wait(&watch->stopper, due_ns);
		if (!end)
			end = sample_take(watch->source, &now, diag);
		if (end)
			break;
		end = report(watch, before, &now, REPORT_INTERVAL);
		sample_done(&last);
		last = now;
		before = &last;
		made++;
	}
	sample_done(&last);
	return end;
}

static int run(struct watch *watch, bool batch)
{
	struct diag diag = {0};
	int end = -ENOSYS, sent = 0;

	if (!watch->options->json && !batch && watch->options->show.term.tty &&
	    isatty(STDIN_FILENO)) {
		watch->stopper.input = STDIN_FILENO;
		end = top_screen(watch->options, watch->source, &watch->stopper, &watch->first,
				 &sent, &diag);
		watch->stopper.input = -1;
	}
	if (end == -ENOSYS)
		end = run_blocks(watch, &diag);
	else if (!end)
		end = sent;
	if (end < 0)
		return failed(watch, end, &diag);
	if (!end)
		return EXIT_DONE;
	report_all(watch);
	return 128 + end;
}

static int watch_mount(const struct top *top, const struct source *source)
{
	struct watch watch = {.options = &top->options, .source = source};
	struct diag diag = {0};
	int err = stopper_init(&watch.stopper), status;

	watch.point = source->mount->point;
	if (err)
		return failed(&watch, err, &diag);
	err = sample_take(source, &watch.first, &diag);
	if (err) {
		status = args_failed("top", watch.point, &diag);
	} else {
		status = run(&watch, top->batch);
		sample_done(&watch.first);
	}
	stopper_done(&watch.stopper);
	return status;
}

static int play_trace(const struct top *top, struct source *source)
{
	int err = top_trace(&top->options, source);

	if (!err)
		return source_warn(source, "top");
	if (err == -EPIPE)
		return EXIT_DONE;
	if (!source->diag->text[0])
		diag_set(source->diag, err, "%s", strerror(-err));
	return args_failed("top", source->path, source->diag);
}

int cmd_top(int argc, char **argv)
{
	static const struct option longs[] = {
		{"files", required_argument, NULL, 'n'},
		{"sort", required_argument, NULL, 's'},
		{"output", required_argument, NULL, 'o'},
		{"batch", no_argument, NULL, 'b'},
		FILTER_WINDOW_LONGS,
		ARGS_COMMON,
	};
	struct top top = {
		.args = {.command = "top", .help = help, .shorts = ":n:s:o:byh", .longs = longs},
		.options = {.interval_ns = NS_PER_S, .files = FILES_DEFAULT},
	};
	struct source source;
	struct diag diag = {0};
	int status = parse(&top, argc, argv);

	if (status != ARGS_END)
		return status;
	if (source_open(top.target, SOURCE_LIVE_OR_TRACE, &source, &diag))
		return args_failed("top", top.target, &diag);
	status = source_window(&source, &top.filter, "top");
	if (!status)
		status = source.input ? play_trace(&top, &source) : watch_mount(&top, &source);
	source_done(&source);
	return status;
}
