// SPDX-License-Identifier: GPL-2.0-or-later
/* weir import: traces of other programs become one of ours. */
#include "config.h"

#include "tools/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "tools/args.h"
#include "tools/import.h"
#include "tools/import_report.h"
#include "tools/utf8.h"
#include "trace/part.h"

#define SOURCES_MAX 4096

static const char help_head[] =
	"usage: weir import --from FORMAT [options] -o OUT IN..\n"
	"\n"
	"Makes a trace of the traces of other programs. Several inputs are merged by\n"
	"time; - is the standard input. Lines that can't be used are counted and told.\n"
	"\n"
	"  -f, --from FORMAT      what the inputs are, see below; auto: take it from\n"
	"                         their first bytes, where these leave no doubt\n"
	"  -o, --output OUT       the trace; - is the standard output\n"
	"      --ts-unit UNIT     s, ms, us or ns: unit of the time stamps, where it\n"
	"                         isn't what the format says (iolog, CSV, text rows)\n"
	"      --iolog-wait WHO   a wait in a fio log of version 2 is: fio, milliseconds\n"
	"                         since the start, as fio does; manual, microseconds\n"
	"                         since the last wait, as fio's manual has it\n"
	"      --below DIR        only files below DIR, which becomes the root\n"
	"      --op OP            what the points of a heatmap are (read)\n"
	"      --color WHEN       auto (default), always, never\n"
	"  -h, --help             this text\n"
	"\n"
	"Formats, and the units of time, offset and size in them:\n";

enum { OPT_TS_UNIT = 1, OPT_WAIT, OPT_BELOW, OPT_OP };

struct cmd {
	struct args args;
	const char *from;
	const char *output;
	struct import_options options;
};

/* The list of formats comes from their table. */
static char *make_help(void)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fputs(help_head, out);
	for (size_t i = 0; import_formats[i]; i++)
		fprintf(out, "  %-12s  %s\n", import_formats[i]->name, import_formats[i]->summary);
	return fclose(out) ? NULL : text;
}

static int set_unit(struct cmd *cmd, const char *text)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"s", NS_PER_S}, {"ms", NS_PER_MS}, {"us", NS_PER_US}, {"ns", 1}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(text, units[i].name)) {
			cmd->options.ts_unit_ns = units[i].ns;
			return EXIT_DONE;
		}
	}
	return args_error("import", "--ts-unit is s, ms, us or ns, not '%s'", text);
}

static int set_below(struct cmd *cmd, const char *text)
{
	size_t len = strlen(text);

	if (text[0] != '/')
		return args_error("import", "--below takes an absolute path, not '%s'", text);
	while (len && text[len - 1] == '/')
		len--;
	cmd->options.below = (struct slice){text, len};
	return EXIT_DONE;
}

static int set_option(struct cmd *cmd, int option)
{
	switch (option) {
	case 'f':
		cmd->from = optarg;
		return EXIT_DONE;
	case 'o':
		cmd->output = optarg;
		return EXIT_DONE;
	case OPT_TS_UNIT:
		return set_unit(cmd, optarg);
	case OPT_WAIT:
		if (!strcmp(optarg, "fio"))
			cmd->options.iolog_wait = IMPORT_WAIT_FIO;
		else if (!strcmp(optarg, "manual"))
			cmd->options.iolog_wait = IMPORT_WAIT_MANUAL;
		else
			return args_error("import", "--iolog-wait is fio or manual, not '%s'",
					  optarg);
		return EXIT_DONE;
	case OPT_BELOW:
		return set_below(cmd, optarg);
	default: /* OPT_OP */
		if (op_parse(optarg, &cmd->options.heat_op))
			return args_error("import", "no operation '%s'", optarg);
		return EXIT_DONE;
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
	if (!cmd->from)
		return args_error("import", "which format? --from FORMAT, or --from auto");
	if (strcmp(cmd->from, "auto") != 0 && !import_find_format(cmd->from))
		return args_error("import", "no format '%s'", cmd->from);
	if (!cmd->output)
		return args_error("import", "to which file? -o OUT");
	if (argc == optind)
		return args_error("import", "which input? (- is the standard input)");
	if (argc - optind > SOURCES_MAX)
		return args_error("import", "at most %d inputs", SOURCES_MAX);
	return ARGS_END;
}

/* --- inputs -------------------------------------------------------------------------------- */

struct sources {
	struct import_source *source;
	int *fd;
	size_t count;
	bool seekable; /* all of them */
};

static void close_sources(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		feed_done(&sources->source[i].feed);
		if (sources->fd[i] > STDIN_FILENO)
			close(sources->fd[i]);
	}
	free(sources->source);
	free(sources->fd);
}

static int open_source(struct sources *sources, const char *name, struct diag *diag)
{
	struct import_source *source = &sources->source[sources->count];
	int *fd = &sources->fd[sources->count];
	struct stat st;
	int err;

	*fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (*fd < 0 || fstat(*fd, &st))
		return diag_set(diag, -errno, "%s: %s", name, strerror(errno));
	source->name = name;
	err = feed_init(&source->feed, feed_read_fd, fd);
	sources->count++;
	sources->seekable &= S_ISREG(st.st_mode) && lseek(*fd, 0, SEEK_CUR) == 0;
	if (!err && S_ISDIR(st.st_mode))
		err = diag_set(diag, -EISDIR, "%s: is a directory", name);
	return err;
}

static int open_sources(struct sources *sources, char **names, int count, struct diag *diag)
{
	int err;

	*sources = (struct sources){
		.source = calloc((size_t)count + 1, sizeof(*sources->source)),
		.fd = calloc((size_t)count + 1, sizeof(*sources->fd)),
		.seekable = true,
	};
	err = sources->source && sources->fd ? 0 : -ENOMEM;
	for (int i = 0; !err && i < count; i++)
		err = open_source(sources, names[i], diag);
	if (err && !diag->text[0])
		diag_set(diag, err, "%s", strerror(-err));
	return err;
}

static int rewind_sources(struct sources *sources, struct diag *diag)
{
	for (size_t i = 0; i < sources->count; i++) {
		struct import_source *source = &sources->source[i];

		if (lseek(sources->fd[i], 0, SEEK_SET) < 0)
			return diag_set(diag, -errno, "%s: %s", source->name, strerror(errno));
		feed_rewind(&source->feed);
		source->version = 0;
		source->clock_ns = 0;
	}
	return 0;
}

/* --- output -------------------------------------------------------------------------------- */

struct output {
	const char *name;
	int fd;
	bool created;
	struct part part;
	struct trace_writer *writer;
};

static int put_file(void *arg, const struct trace_file *file)
{
	return trace_write_file(arg, file);
}

static int put_op(void *arg, const struct trace_op *op)
{
	return trace_write_op(arg, op);
}

static int put_handle(void *arg, const struct trace_handle *handle)
{
	return trace_write_handle(arg, handle);
}

static int put_property(void *arg, const char *name, const char *value)
{
	return trace_write_property(arg, name, value);
}

static void age(void *arg)
{
	trace_writer_age(arg);
}

/* An output that is one of the inputs would be emptied before it is read. */
static bool is_input(const struct sources *sources, const char *name)
{
	struct stat out, in;

	if (stat(name, &out) || !S_ISREG(out.st_mode))
		return false;
	for (size_t i = 0; i < sources->count; i++) {
		if (!fstat(sources->fd[i], &in) && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			return true;
	}
	return false;
}

static int open_output(struct output *output, const char *name, const struct sources *sources,
		       struct diag *diag)
{
	struct trace_writer_options options = {.level = 3};
	int err;

	*output = (struct output){.name = name, .fd = -1};
	if (!strcmp(name, "-")) {
		if (isatty(STDOUT_FILENO))
			return diag_set(diag, -EINVAL, "a trace is no text for a terminal");
		output->fd = STDOUT_FILENO;
	} else {
		if (is_input(sources, name))
			return diag_set(diag, -EINVAL, "is an input, too");
		output->fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		output->created = output->fd >= 0;
	}
	if (output->fd < 0)
		return diag_set(diag, -errno, "%s", strerror(errno));
	part_init(&output->part, output->fd);
	trace_new_id(options.id);
	err = trace_writer_new(&options, part_sink, &output->part, &output->writer);
	return err ? diag_set(diag, err, "%s", strerror(-err)) : 0;
}

/* A file with nothing in it is of no use to anybody. */
static void close_output(struct output *output, bool useless)
{
	struct stat st;

	trace_writer_free(output->writer);
	part_done(&output->part);
	if (!output->created)
		return;
	if (useless && !fstat(output->fd, &st) && S_ISREG(st.st_mode))
		unlink(output->name);
	close(output->fd);
}

static int finish_output(struct output *output, const struct import *import)
{
	int err = trace_write_property(output->writer, "clock",
				       import->absolute ? "realtime" : "relative");

	if (!err)
		err = trace_writer_end(output->writer);
	return err ? err : part_finish(&output->part);
}

/* --- all together -------------------------------------------------------------------------- */

static int find_format(struct cmd *cmd, struct sources *sources,
		       const struct import_format **ret_format, struct diag *diag)
{
	struct slice head;
	int err;

	*ret_format = import_find_format(cmd->from);
	if (*ret_format)
		return 0;
	err = feed_peek(&sources->source[0].feed, FEED_LINE_MAX, &head);
	if (err)
		return diag_set(diag, err, "%s: %s", sources->source[0].name, strerror(-err));
	*ret_format = import_guess_format(head);
	if (!*ret_format)
		return diag_set(diag, -EPROTO,
				"%s: could be several formats, or none: say which with --from",
				sources->source[0].name);
	fprintf(stderr, "weir import: taken as %s: %s\n", (*ret_format)->name,
		(*ret_format)->summary);
	return 0;
}

static int run(struct import *import, struct sources *sources, struct output *output)
{
	int err = 0;

	if ((import->format->flags & IMPORT_F_BLOCK) && sources->seekable) {
		import->measuring = true;
		err = import_run(import, sources->source, sources->count);
		if (!err)
			err = rewind_sources(sources, import->diag);
		import_measured(import);
	}
	if (!err)
		err = trace_write_property(output->writer, "source", "weir import");
	if (!err)
		err = trace_write_property(output->writer, "import_format", import->format->name);
	if (!err)
		err = import_run(import, sources->source, sources->count);
	if (!err) {
		err = finish_output(output, import);
		if (err)
			diag_set(import->diag, err, "%s", strerror(-err));
	}
	return err;
}

static int import_all(struct cmd *cmd, struct sources *sources)
{
	const struct import_format *format;
	struct import_sink sink = {NULL, put_file, put_op, put_handle, put_property, age};
	struct diag diag = {0};
	struct output output;
	struct import import;
	int err = find_format(cmd, sources, &format, &diag), status = EXIT_FAILED;

	if (err) {
		fprintf(stderr, "weir import: %s\n", diag.text);
		return EXIT_FAILED;
	}
	err = open_output(&output, cmd->output, sources, &diag);
	sink.arg = output.writer;
	if (err) {
		args_failed("import", cmd->output, &diag);
	} else if (import_init(&import, format, &cmd->options, &sink, &diag)) {
		diag_set(&diag, -ENOMEM, "%s", strerror(ENOMEM));
		args_failed("import", cmd->output, &diag);
	} else {
		err = run(&import, sources, &output);
		status = import_report(&import, cmd->output, err, stderr);
		close_output(&output, err || !import.counts.ops);
		import_done(&import);
		return status;
	}
	close_output(&output, true);
	return EXIT_FAILED;
}

int cmd_import(int argc, char **argv)
{
	static const struct option longs[] = {
		{"from", required_argument, NULL, 'f'},
		{"output", required_argument, NULL, 'o'},
		{"ts-unit", required_argument, NULL, OPT_TS_UNIT},
		{"iolog-wait", required_argument, NULL, OPT_WAIT},
		{"below", required_argument, NULL, OPT_BELOW},
		{"op", required_argument, NULL, OPT_OP},
		ARGS_COMMON,
	};
	scoped_free char *help = make_help();
	struct cmd cmd = {.args = {"import", help ? help : help_head, ":f:o:h", longs},
			  .options = {.heat_op = OP_READ}};
	struct sources sources;
	struct diag diag = {0};
	int status = parse(&cmd, argc, argv);

	if (status != ARGS_END)
		return status;
	if (open_sources(&sources, argv + optind, argc - optind, &diag)) {
		scoped_free char *safe = utf8_escape(diag.text);

		fprintf(stderr, "weir import: %s\n", safe ? safe : "?");
		status = EXIT_FAILED;
	} else {
		status = import_all(&cmd, &sources);
	}
	close_sources(&sources);
	return status;
}
