// SPDX-License-Identifier: GPL-2.0-or-later
/* weir latency: histograms of durations, as bars or JSON. */
#include "config.h"

#include "tools/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/cleanup.h"
#include "tools/args.h"
#include "tools/bars.h"
#include "tools/jsonw.h"
#include "tools/latency.h"
#include "tools/select.h"
#include "tools/show.h"
#include "tools/source.h"
#include "tools/stat_json.h"

static const char help[] =
	"usage: weir latency [options] MNT\n"
	"\n"
	"Prints how long the operations of the weirfs mount MNT took: a histogram for\n"
	"each kind, those of most time first. MNT may also be a trace, a snapshot (see\n"
	"weir stat --save), or - for one of them on the standard input.\n"
	"\n"
	"  -o, --op OP,..    only these operations or classes (read, write, meta, sync)\n"
	"  -f, --file PATH   one file, by class: its path below the mount or in full\n"
	"  -d, --duration D  total (default): what the application waited for;\n"
	"                    service: what the storage took; hold: what models added\n"
	"      --fine        eight bars an octave instead of one; two rows of a heat map\n"
	"      --heat        a heat map of a trace: time to the right, latency upwards\n"
	"      --from WHEN   of a trace: what arrived from then on: '10s' after its start\n"
	"      --to WHEN     before then:     or '2026-01-31T12:00:00Z', '@1769860800'\n"
	"  -j, --json        JSON\n"
	"      --color WHEN  auto (default), always, never\n"
	"  -h, --help        this text\n";

enum { OPT_FINE = 1, OPT_HEAT };

struct latency {
	struct args args;
	struct show show;
	const char *target;
	const char *file; /* NULL: the whole mount, by operation */
	uint64_t ops;
	enum duration duration;
	enum bars_detail detail;
	struct filter filter;
	bool json;
	bool heat;
};

static int parse_duration(const char *text, enum duration *ret_duration)
{
	for (unsigned int i = 0; i < DURATIONS; i++) {
		if (!strcmp(text, duration_name(i))) {
			*ret_duration = (enum duration)i;
			return EXIT_DONE;
		}
	}
	return args_error("latency", "no duration '%s' (service, hold, total)", text);
}

static int set_option(struct latency *latency, int option)
{
	struct diag diag = {0};

	switch (option) {
	case 'o':
		if (!select_parse_ops(optarg, &latency->ops, &diag))
			return EXIT_DONE;
		return args_error("latency", "%s", diag.text);
	case 'f':
		latency->file = optarg;
		return EXIT_DONE;
	case 'd':
		return parse_duration(optarg, &latency->duration);
	case OPT_FINE:
		latency->detail = BARS_FINE;
		return EXIT_DONE;
	case OPT_HEAT:
		latency->heat = true;
		return EXIT_DONE;
	case FILTER_FROM:
	case FILTER_TO:
		return filter_option(&latency->filter, "latency", option);
	default: /* 'j' */
		latency->json = true;
		return EXIT_DONE;
	}
}

/* Returns ARGS_END, or what to exit with. */
static int parse(struct latency *latency, int argc, char **argv)
{
	int option;

	while ((option = args_next(&latency->args, argc, argv)) != ARGS_END) {
		if (option == ARGS_STOP)
			return latency->args.status;
		if (set_option(latency, option))
			return EXIT_USAGE;
	}
	if (argc - optind != 1)
		return args_error("latency",
				  argc == optind ? "which mount?" : "one mount at a time");
	latency->target = argv[optind];
	if (!latency->ops)
		latency->ops = SELECT_ALL_OPS;
	term_init(&latency->show.term, stdout, latency->args.colour);
	return ARGS_END;
}

/* --- the histograms to show ---------------------------------------------------------------- */

struct part {
	const char *name;
	const struct hist *hist;
};

_Static_assert((int)OP_CLASSES < (int)OP_KINDS, "room for the parts of either");

static size_t parts_of_mount(const struct latency *latency, const struct summary *summary,
			     struct part parts[OP_KINDS])
{
	enum op_kind kinds[OP_KINDS];
	size_t kind_count = select_ops(summary, latency->ops, kinds), count = 0;

	for (size_t i = 0; i < kind_count; i++) {
		const struct hist *hist = summary->op[kinds[i]].dur[latency->duration];

		if (hist && hist->count)
			parts[count++] = (struct part){op_name(kinds[i]), hist};
	}
	return count;
}

/* Does the mask have an operation of the class? */
static bool wants_class(uint64_t ops, unsigned int class)
{
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		if ((ops >> kind & 1) && op_class((enum op_kind)kind) == class)
			return true;
	}
	return false;
}

static size_t parts_of_file(const struct latency *latency, const struct file_summary *file,
			    struct part parts[OP_KINDS])
{
	size_t count = 0;

	for (unsigned int class = 0; class < OP_CLASSES; class ++) {
		const struct hist *hist = file->class[class].dur[latency->duration];

		if (hist && hist->count && wants_class(latency->ops, class))
			parts[count++] = (struct part){op_class_name(class), hist};
	}
	return count;
}

/* The file that --file names: first as a path of the machine, then as one below the mount. */
static const struct file_summary *find_file(const struct latency *latency,
					    const struct source *source,
					    const struct summary *summary)
{
	const struct file_summary *file = NULL;
	scoped_free char *full = NULL;
	scoped_free char *below = NULL;

	if (source->mount && latency->file[0] == '/')
		full = mounts_resolve(&source->mounts, latency->file);
	if (full && mounts_holding(&source->mounts, full, true) == source->mount)
		file = select_file_by_path(summary, mounts_below(source->mount, full));
	if (!file && asprintf(&below, "/%s", latency->file + strspn(latency->file, "/")) >= 0)
		file = select_file_by_path(summary, below);
	return file;
}

/* --- output -------------------------------------------------------------------------------- */

static void print_text(const struct latency *latency, const struct part *parts, size_t count)
{
	if (!count)
		printf("no operations with a %s time\n", duration_name(latency->duration));
	for (size_t i = 0; i < count; i++) {
		if (i)
			putchar('\n');
		bars_print(&latency->show, parts[i].name, duration_name(latency->duration),
			   parts[i].hist, latency->detail, stdout);
	}
}

static void print_json(const struct latency *latency, const char *point,
		       const struct file_summary *file, const struct part *parts, size_t count)
{
	struct jsonw json;

	jsonw_init(&json, stdout, false);
	jsonw_object(&json, NULL);
	jsonw_uint(&json, "schema", STAT_JSON_SCHEMA);
	jsonw_string(&json, "mount", point);
	if (file)
		jsonw_string(&json, "path", file->path);
	jsonw_string(&json, "duration", duration_name(latency->duration));
	jsonw_array(&json, "histograms");
	for (size_t i = 0; i < count; i++) {
		jsonw_object(&json, NULL);
		jsonw_string(&json, file ? "class" : "op", parts[i].name);
		json_duration(&json, latency->duration, parts[i].hist, JSON_NO_BINS);
		bars_json(&json, parts[i].hist, latency->detail);
		jsonw_end(&json);
	}
	jsonw_end(&json);
	jsonw_end(&json);
}

static int show_heat(const struct latency *latency, struct source *source)
{
	struct heat_options options = {
		.show = latency->show,
		.duration = latency->duration,
		.fine = latency->detail == BARS_FINE,
		.json = latency->json,
	};
	int err;

	if (!source->input)
		return args_error("latency", "--heat is for traces");
	err = latency_heat(&options, source);
	if (!err)
		return source_warn(source, "latency");
	if (!source->diag->text[0])
		diag_set(source->diag, err, "%s", strerror(-err));
	return args_failed("latency", source->path, source->diag);
}

static int show_bars(const struct latency *latency, const struct source *source,
		     const struct summary *summary)
{
	const char *point = source->mount ? source->mount->point : source->path;
	const struct file_summary *file = NULL;
	struct part parts[OP_KINDS];
	struct diag diag = {0};
	size_t count;

	if (latency->file) {
		file = find_file(latency, source, summary);
		if (!file) {
			diag_set(&diag, -ENOENT,
				 "no row for this file ('weir stat --all' lists "
				 "those there are)");
			return args_failed("latency", latency->file, &diag);
		}
		count = parts_of_file(latency, file, parts);
	} else {
		count = parts_of_mount(latency, summary, parts);
	}
	if (latency->json)
		print_json(latency, point, file, parts, count);
	else
		print_text(latency, parts, count);
	return EXIT_DONE;
}

/* The glob that matches nothing but the file: one row of a trace's many is enough. */
static char *glob_of(const char *file)
{
	char *glob = malloc(2 * strlen(file) + 2), *at = glob;

	if (!glob)
		return NULL;
	file += strspn(file, "/");
	for (*at++ = '/'; *file; *at++ = *file++) {
		if (strchr("*?[\\", *file))
			*at++ = '\\';
	}
	*at = '\0';
	return glob;
}

static int show(const struct latency *latency, struct source *source)
{
	const char *point = source->mount ? source->mount->point : source->path;
	scoped_free char *glob = latency->file ? glob_of(latency->file) : NULL;
	struct summary summary;
	struct diag diag = {0};
	int status;

	source->filter.path = glob;
	if (latency->heat)
		return show_heat(latency, source);
	if (source_read(source, latency->file ? SOURCE_ALL_FILES : 0, &summary, NULL, &diag))
		return args_failed("latency", point, &diag);
	status = show_bars(latency, source, &summary);
	summary_done(&summary);
	return status ? status : source_warn(source, "latency");
}

int cmd_latency(int argc, char **argv)
{
	static const struct option longs[] = {
		{"op", required_argument, NULL, 'o'},
		{"file", required_argument, NULL, 'f'},
		{"duration", required_argument, NULL, 'd'},
		{"fine", no_argument, NULL, OPT_FINE},
		{"heat", no_argument, NULL, OPT_HEAT},
		{"json", no_argument, NULL, 'j'},
		FILTER_WINDOW_LONGS,
		ARGS_COMMON,
	};
	struct latency latency = {.args = {"latency", help, ":o:f:d:jh", longs},
				  .duration = DUR_TOTAL};
	struct source source;
	struct diag diag = {0};
	int status = parse(&latency, argc, argv);

	if (status != ARGS_END)
		return status;
	if (source_open(latency.target, SOURCE_ANY, &source, &diag))
		return args_failed("latency", latency.target, &diag);
	status = source_window(&source, &latency.filter, "latency");
	/* Only these are asked for: fewer operations to look at. */
	if (source.input)
		source.filter.ops = latency.ops == SELECT_ALL_OPS ? 0 : latency.ops;
	if (!status)
		status = show(&latency, &source);
	source_done(&source);
	return status;
}
