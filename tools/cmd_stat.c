// SPDX-License-Identifier: GPL-2.0-or-later
/* weir stat: everything that a mount measured, as tables or JSON. */
#include "config.h"

#include "tools/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "tools/args.h"
#include "tools/source.h"
#include "tools/stat.h"

#define FILES_DEFAULT 20

static const char help[] =
	"usage: weir stat [options] MNT\n"
	"\n"
	"Shows what the weirfs mount MNT (or any path below one) measured since it was\n"
	"mounted or reset. MNT may also be a trace (a file, or a directory with its\n"
	"parts), a snapshot that --save wrote, or - for one on the standard input.\n"
	"\n"
	"  -n, --files N     show N files (default 20; 0 = none)\n"
	"  -s, --sort KEY    order of the files: time (default), p99, bytes, ops, errors\n"
	"  -o, --op OP,..    only these operations or classes (read, write, meta, sync)\n"
	"  -a, --all         every file, counter and property; with --json the files'\n"
	"                    histograms too\n"
	"  -e, --exact       plain nanoseconds and bytes instead of scaled units\n"
	"  -j, --json        JSON: every file and the operations' histograms\n"
	"      --from WHEN   of a trace: what arrived from then on: '10s' after its start\n"
	"      --to WHEN     before then:     or '2026-01-31T12:00:00Z', '@1769860800'\n"
	"      --save FILE   write the snapshot itself to FILE and show nothing\n"
	"      --color WHEN  auto (default), always, never\n"
	"  -h, --help        this text\n"
	"\n"
	"service is what the storage took, hold what the models added, total what the\n"
	"application waited for. A ~ marks a p99 of fewer than 100 samples and a p99.9 of\n"
	"fewer than 1,000.\n";

enum { OPT_SAVE = 1 };

struct stat_args {
	struct args args;
	struct stat_options options;
	const char *target;
	const char *save;
	struct filter filter;
	bool files_given;
	bool json;
};

static int set_option(struct stat_args *stat, int option)
{
	struct stat_options *options = &stat->options;
	struct diag diag = {0};
	uint64_t n;

	switch (option) {
	case 'n':
		stat->files_given = true;
		if (args_uint("stat", "--files", optarg, 0, SIZE_MAX / 2, &n))
			return EXIT_USAGE;
		options->files = n;
		return EXIT_DONE;
	case 's':
		if (!select_parse_sort(optarg, &options->sort))
			return EXIT_DONE;
		return args_error("stat", "no order '%s' (time, p99, bytes, ops, errors)", optarg);
	case 'o':
		if (!select_parse_ops(optarg, &options->ops, &diag))
			return EXIT_DONE;
		return args_error("stat", "%s", diag.text);
	case OPT_SAVE:
		stat->save = optarg;
		return EXIT_DONE;
	case FILTER_FROM:
	case FILTER_TO:
		return filter_option(&stat->filter, "stat", option);
	case 'a':
		options->all = true;
		return EXIT_DONE;
	case 'e':
		options->show.exact = true;
		return EXIT_DONE;
	default: /* 'j' */
		stat->json = true;
		return EXIT_DONE;
	}
}

/* Returns ARGS_END, or what to exit with. */
static int parse(struct stat_args *stat, int argc, char **argv)
{
	int option;

	while ((option = args_next(&stat->args, argc, argv)) != ARGS_END) {
		if (option == ARGS_STOP)
			return stat->args.status;
		if (set_option(stat, option))
			return EXIT_USAGE;
	}
	if (argc - optind != 1)
		return args_error("stat", argc == optind ? "which mount?" : "one mount at a time");
	stat->target = argv[optind];
	if (!stat->options.ops)
		stat->options.ops = SELECT_ALL_OPS;
	if (!stat->files_given)
		stat->options.files =
			stat->json || stat->options.all ? SOURCE_ALL_FILES : FILES_DEFAULT;
	term_init(&stat->options.show.term, stdout, stat->args.colour);
	return ARGS_END;
}

static int write_all(int fd, const struct bytes *data)
{
	size_t done = 0;

	while (done < data->len) {
		ssize_t n = write(fd, data->data + done, data->len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR)
			return -errno;
	}
	return 0;
}

static int save(const char *path, const struct bytes *raw)
{
	struct diag diag;
	int fd = STDOUT_FILENO, err;

	if (strcmp(path, "-") != 0)
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	err = fd < 0 ? -errno : write_all(fd, raw);
	if (fd > STDOUT_FILENO && close(fd) && !err)
		err = -errno;
	if (!err)
		return EXIT_DONE;
	diag_set(&diag, err, "%s", strerror(-err));
	return args_failed("stat", path, &diag);
}

/* The daemon can choose by time only; for other orders all rows are needed. */
static size_t rows_needed(const struct stat_args *stat)
{
	if (stat->save || stat->options.sort != SORT_TIME)
		return SOURCE_ALL_FILES;
	return stat->options.files;
}

static int show(const struct stat_args *stat, struct source *source)
{
	struct bytes raw = {0};
	struct summary summary;
	struct diag diag = {0};
	const char *point = source->mount ? source->mount->point : source->path;
	int err = source_read(source, rows_needed(stat), &summary, stat->save ? &raw : NULL, &diag);

	if (err)
		return args_failed("stat", point, &diag);
	if (stat->save) {
		err = save(stat->save, &raw);
	} else {
		err = (stat->json ? stat_json : stat_text)(&stat->options, point, &summary, stdout);
		if (err) {
			diag_set(&diag, err, "%s", strerror(-err));
			err = args_failed("stat", point, &diag);
		}
	}
	bytes_done(&raw);
	summary_done(&summary);
	return err ? err : source_warn(source, "stat");
}

int cmd_stat(int argc, char **argv)
{
	static const struct option longs[] = {
		{"files", required_argument, NULL, 'n'},
		{"sort", required_argument, NULL, 's'},
		{"op", required_argument, NULL, 'o'},
		{"all", no_argument, NULL, 'a'},
		{"exact", no_argument, NULL, 'e'},
		{"json", no_argument, NULL, 'j'},
		{"save", required_argument, NULL, OPT_SAVE},
		FILTER_WINDOW_LONGS,
		ARGS_COMMON,
	};
	struct stat_args stat = {.args = {"stat", help, ":n:s:o:aejh", longs}};
	struct source source;
	struct diag diag = {0};
	int status = parse(&stat, argc, argv);

	if (status != ARGS_END)
		return status;
	if (source_open(stat.target, SOURCE_ANY, &source, &diag))
		return args_failed("stat", stat.target, &diag);
	status = source_window(&source, &stat.filter, "stat");
	if (!status)
		status = show(&stat, &source);
	source_done(&source);
	return status;
}
