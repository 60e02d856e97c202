// SPDX-License-Identifier: GPL-2.0-or-later
/* weir export: traces in the formats of other tools. */
#include "config.h"

#include "tools/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/units.h"
#include "tools/args.h"
#include "tools/export.h"
#include "tools/filter.h"

#define MAX_EVENTS 500000u
#define LOOK_OPS 16384u /* between looks at the clock */
#define PROGRESS_NS (NS_PER_S / 2)
#define QUIET_NS (2 * NS_PER_S)

static const char help[] =
	"usage: weir export --to FORMAT [options] TRACE..\n"
	"\n"
	"Writes the operations of a trace in the format of another tool. TRACE is a file,\n"
	"a directory with the parts of a trace, or - for the standard input. FORMAT is:\n"
	"\n"
#define X(id, name, blanks, binary, help) "  " name blanks "   " help "\n"
	EXPORT_TABLE(X)
#undef X
		"\n"
		"  -o, --output FILE    instead of the standard output (-)\n"
		"  -d, --duration D,..  service, hold or total; fio-json, hgrm, heatmap: one\n"
		"                       (total), hlog: all\n"
		"      --interval TIME  hlog: length of an interval (1s)\n"
		"      --max-events N   chrome: stop there (500000; 0: no limit)\n"
		"      --stages         chrome, perfetto: service and hold as slices inside\n"
		"\n"
		"Only operations that are wanted:\n"
		"      --op OP,..       of these kinds or classes (read, write, meta, sync)\n"
		"      --path GLOB      on these paths below the mount; * matches / too\n"
		"      --pid N          of this thread or process\n"
		"      --uid N          of this user\n"
		"      --from WHEN      that arrived from then on: '10s' after the start, or\n"
		"      --until WHEN     before then: '2026-01-31T12:00:00Z', '@1769860800'\n"
		"      --min TIME       that took at least so long in all ('10ms')\n"
		"      --errors         that failed\n"
		"\n"
		"      --color WHEN     auto (default), always, never\n"
		"  -h, --help           this text\n"
		"\n"
		"What a format can't hold is counted on stderr. Of a damaged trace what is whole\n"
		"is written, and the exit code is then 1. CSV and JSON lines: see weir dump.\n";

enum { OPT_TO = 1, OPT_INTERVAL, OPT_MAX_EVENTS, OPT_STAGES };

struct cmd {
	struct args args;
	const struct export_format *format;
	const char *name; /* of the format */
	bool binary;
	struct export_options options;
	struct filter filter;
	struct input *input;
	uint8_t trace_id[TRACE_ID]; /* of the trace that is read */
	const char *output;         /* NULL: stdout */
	char *partial;              /* what is written until it is whole, or NULL */
	struct outbuf out;
	uint64_t next_look_ns;
	uint64_t begin_ns;
	bool progress; /* a line stands on the terminal */
};

/* --- the command line ----------------------------------------------------------------------- */

/* A format, or a time: then it is the end of the window, as in other commands. */
static int parse_to(struct cmd *cmd)
{
	const struct export_format *format = export_find(optarg, &cmd->binary);
	struct when when;

	if (format) {
		cmd->format = format;
		cmd->name = optarg;
		return EXIT_DONE;
	}
	if (!when_parse(optarg, &when))
		return filter_option(&cmd->filter, "export", FILTER_TO);
	return args_error("export", "no format '%s'", optarg);
}

static int parse_durations(struct cmd *cmd)
{
	const char *at = optarg;

	cmd->options.durations = 0;
	while (*at) {
		size_t len = strcspn(at, ",");
		unsigned int i;

		for (i = 0; i < DURATIONS; i++) {
			if (strlen(duration_name(i)) == len && !strncmp(at, duration_name(i), len))
				break;
		}
		if (i == DURATIONS)
			return args_error("export", "no duration '%.*s' (service, hold, total)",
					  (int)len, at);
		cmd->options.durations |= UINT64_C(1) << i;
		at += len + (at[len] == ',');
	}
	return EXIT_DONE;
}

static int set_option(struct cmd *cmd, int option)
{
	switch (option) {
	case OPT_TO:
		return parse_to(cmd);
	case 'o':
		cmd->output = strcmp(optarg, "-") != 0 ? optarg : NULL;
		return EXIT_DONE;
	case 'd':
		return parse_durations(cmd);
	case OPT_INTERVAL:
		if (!units_parse_time(optarg, 0, &cmd->options.interval_ns) &&
		    cmd->options.interval_ns >= NS_PER_MS &&
		    !(cmd->options.interval_ns % NS_PER_MS))
			return EXIT_DONE;
		return args_error("export", "--interval is a time in whole ms like '10s', not '%s'",
				  optarg);
	case OPT_MAX_EVENTS:
		return args_uint("export", "--max-events", optarg, 0, UINT64_MAX,
				 &cmd->options.max_events);
	case OPT_STAGES:
		cmd->options.stages = true;
		return EXIT_DONE;
	default:
		return filter_option(&cmd->filter, "export", option);
	}
}

/* Returns ARGS_END, or what to exit with. */
static int parse(struct cmd *cmd, int argc, char **argv)
{
	uint64_t durations;
	int option;

	while ((option = args_next(&cmd->args, argc, argv)) != ARGS_END) {
		if (option == ARGS_STOP)
			return cmd->args.status;
		if (set_option(cmd, option))
			return EXIT_USAGE;
	}
	if (!cmd->format)
		return args_error("export", "--to which format?");
	if (argc == optind)
		return args_error("export", "which trace?");
	durations = cmd->options.durations;
	if ((durations & (durations - 1)) && cmd->format != &export_hlog)
		return args_error("export", "--to %s holds one duration", cmd->name);
	if (cmd->binary && !cmd->output && isatty(STDOUT_FILENO))
		return args_error("export", "%s is nothing for a terminal: say -o FILE", cmd->name);
	cmd->options.input = argv[optind];
	return ARGS_END;
}

/* --- the output ----------------------------------------------------------------------------- */

static int failed(const char *what, int err)
{
	struct diag diag = {0};

	diag_set(&diag, err, "%s", strerror(-err));
	return args_failed("export", what, &diag);
}

/*
 * Opens the output. A file gets its name when it is whole, so that a failure leaves what was there
 * (and the trace itself can't be overwritten while it is read).
 */
static FILE *open_output(struct cmd *cmd)
{
	struct stat stat_buffer;
	const char *path = cmd->output;

	if (!path)
		return stdout;
	if (stat(path, &stat_buffer) || S_ISREG(stat_buffer.st_mode)) {
		if (asprintf(&cmd->partial, "%s.part", path) < 0) {
			cmd->partial = NULL;
			return NULL;
		}
		path = cmd->partial;
	}
	return fopen(path, "we");
}

/* Gives the file its name, or takes it away. Returns an exit code. */
static int close_output(struct cmd *cmd, FILE *file, int status, bool whole)
{
	int err = 0;

	if (file != stdout && fclose(file))
		err = -errno;
	if (cmd->partial && whole && !err && rename(cmd->partial, cmd->output))
		err = -errno;
	if (cmd->partial && (!whole || err))
		unlink(cmd->partial);
	free(cmd->partial);
	return err ? failed(cmd->output, err) : status;
}

/* --- reading -------------------------------------------------------------------------------- */

static void show_progress(struct cmd *cmd, const struct export *export)
{
	struct trace_position position;
	uint64_t now_ns = clock_mono_ns();
	double seconds = (double)(now_ns - cmd->begin_ns) / (double)NS_PER_S;
	char ops[UNITS_TEXT], rate[UNITS_TEXT];

	if (now_ns < cmd->next_look_ns)
		return;
	cmd->next_look_ns = now_ns + PROGRESS_NS;
	if (!isatty(STDERR_FILENO) || (!cmd->output && isatty(STDOUT_FILENO)))
		return;
	input_position(cmd->input, &position);
	units_format_count(ops, (double)export->ops);
	units_format_count(rate, (double)export->ops / seconds);
	fprintf(stderr, "\rexport ");
	if (position.size)
		fprintf(stderr, "%3.0f %%  ",
			100.0 * (double)position.offset / (double)position.size);
	fprintf(stderr, "%s ops  %s ops/s \033[K", ops, rate);
	cmd->progress = true;
}

static void end_progress(struct cmd *cmd)
{
	if (cmd->progress)
		fputs("\r\033[K", stderr);
	cmd->progress = false;
}

/* Another trace may follow: its files have ids of their own. */
static void look_at_trace(struct cmd *cmd, struct export *export)
{
	const uint8_t *id = input_id(cmd->input);

	if (!memcmp(id, cmd->trace_id, TRACE_ID))
		return;
	memcpy(cmd->trace_id, id, TRACE_ID);
	export->trace++;
}

/* Gives all wanted events to the format. Returns 0 or -errno. */
static int export_all(struct cmd *cmd, struct export *export)
{
	const struct trace_event *event;
	uint64_t looked = 0;
	int err;

	while ((err = input_next(cmd->input, &event)) == 1) {
		if (event->kind == TRACE_EV_OP && !filter_wants(&cmd->filter, cmd->input, event))
			continue;
		look_at_trace(cmd, export);
		err = export_event(export, cmd->format, event);
		if (err || export->stop || export->out->err)
			break;
		if (export->ops - looked >= LOOK_OPS) {
			looked = export->ops;
			show_progress(cmd, export);
		}
	}
	if (err > 0)
		err = 0;
	if (!err && !export->out->err)
		err = cmd->format->end(export);
	return err;
}

/* What the format could not hold: a line each. */
static void print_notes(const struct export *export)
{
	const char *before = "weir export: left out, as the format has no word for them: ";

	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		if (!export->left_out[kind])
			continue;
		fprintf(stderr, "%s%" PRIu64 " %s", before, export->left_out[kind], op_name(kind));
		before = ", ";
	}
	if (before[0] == ',')
		fputc('\n', stderr);
	for (size_t i = 0; i < export->note_count; i++)
		fprintf(stderr, "weir export: %s: %" PRIu64 "\n", export->notes[i].text,
			export->notes[i].count);
	if (export->stop)
		fprintf(stderr, "weir export: stopped after %" PRIu64 " operations: %s\n",
			export->ops, export->stop);
}

/* The status of a run that ended with err, or with an error of the output. */
static int status_of(struct cmd *cmd, const struct export *export, int err, struct diag *diag)
{
	if (cmd->out.err == -EPIPE)
		return EXIT_DONE;
	if (cmd->out.err)
		return failed(cmd->output ? cmd->output : "standard output", cmd->out.err);
	if (err && diag->text[0])
		return args_failed("export", diag->file ? diag->file : cmd->options.input, diag);
	if (err)
		return failed(cmd->options.input, err);
	print_notes(export);
	return export->stop ? EXIT_DONE : input_warn(cmd->input, "export");
}

static int run(struct cmd *cmd, FILE *file, struct diag *diag)
{
	struct export export = {.out = &cmd->out, .options = &cmd->options};
	bool whole;
	int err, status;

	err = out_init(&cmd->out, file);
	filter_begin(&cmd->filter, cmd->input);
	cmd->begin_ns = clock_mono_ns();
	cmd->next_look_ns = cmd->begin_ns + QUIET_NS;
	if (!err)
		err = cmd->format->begin(&export);
	if (!err)
		err = export_all(cmd, &export);
	if (cmd->out.data)
		out_flush(&cmd->out);
	end_progress(cmd);
	status = status_of(cmd, &export, err, diag);
	whole = !err && !cmd->out.err;
	cmd->format->done(&export);
	export_done(&export);
	out_done(&cmd->out);
	return close_output(cmd, file, status, whole);
}

int cmd_export(int argc, char **argv)
{
	static const struct option longs[] = {
		{"to", required_argument, NULL, OPT_TO}, /* before the filter's */
		{"until", required_argument, NULL, FILTER_TO},
		{"output", required_argument, NULL, 'o'},
		{"duration", required_argument, NULL, 'd'},
		{"interval", required_argument, NULL, OPT_INTERVAL},
		{"max-events", required_argument, NULL, OPT_MAX_EVENTS},
		{"stages", no_argument, NULL, OPT_STAGES},
		FILTER_LONGS,
		ARGS_COMMON,
	};
	struct cmd cmd = {.args = {"export", help, ":o:d:h", longs},
			  .options = {.interval_ns = NS_PER_S, .max_events = MAX_EVENTS}};
	struct diag diag = {0};
	int status = parse(&cmd, argc, argv);
	FILE *file;

	if (status != ARGS_END)
		return status;
	if (input_open(argv + optind, (size_t)(argc - optind), &diag, &cmd.input))
		return args_failed("export", diag.file ? diag.file : argv[optind], &diag);
	file = open_output(&cmd);
	if (!file) {
		status = failed(cmd.output, -errno);
		free(cmd.partial);
	} else {
		status = run(&cmd, file, &diag);
	}
	input_close(cmd.input);
	return status;
}
