// SPDX-License-Identifier: GPL-2.0-or-later
/* weir merge: one trace out of several, by the wall clock. */
#include "config.h"

#include "tools/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/units.h"
#include "tools/args.h"
#include "tools/merge.h"

#define AGE_BLOCKS 64 /* of all streams */
#define DAY_NS (24 * 3600 * NS_PER_S)
#define STREAMS_MAX 512 /* each has a file open and a block in memory */

static const char help[] =
	"usage: weir merge [options] TRACE..\n"
	"\n"
	"Writes one trace out of several: the parts of a trace one after the other, and\n"
	"different traces (of other mounts or machines) sorted by the wall clock. TRACE\n"
	"is a file, a directory with parts, or -.\n"
	"\n"
	"  -o, --output OUT       where to; it must not exist yet (default -)\n"
	"      --offset IN=TIME   the clock of IN was that much behind ('+2ms') or ahead\n"
	"                         ('-2ms'): it is added to its times; may be repeated\n"
	"      --prefix WHAT      what goes before the paths of each of several traces:\n"
	"                         mount (its mount point), index (/0, /1 ..), none, or\n"
	"                         auto (default): mount when the mount points differ\n"
	"      --color WHEN       auto (default), always, never\n"
	"  -h, --help             this text\n"
	"\n"
	"Parts belong together by the id that is in them. Ids of files and handles of\n"
	"different traces are kept apart; their properties are called 0.NAME, 1.NAME ..\n";

enum { OPT_OFFSET = 1, OPT_PREFIX };

struct cmd {
	struct args args;
	struct merge merge;
	const char *output;
	enum merge_prefix prefix;
	char **offsets; /* IN=TIME */
	size_t offset_count;
};

static int parse_prefix(struct cmd *cmd)
{
	static const char *const names[] = {
#define X(id, name, help) name,
		MERGE_PREFIX_TABLE(X)
#undef X
	};

	for (int i = 0; i < MERGE_PREFIXES; i++) {
		if (!strcmp(optarg, names[i])) {
			cmd->prefix = (enum merge_prefix)i;
			return EXIT_DONE;
		}
	}
	return args_error("merge", "--prefix is auto, mount, index or none, not '%s'", optarg);
}

/* "IN=+2ms" for one of the words. */
static int apply_offset(struct merge *merge, const char *offset)
{
	const char *time = strrchr(offset, '=');
	bool behind = false, found = false;
	uint64_t ns;

	if (time) {
		behind = time[1] == '-';
		if (units_parse_time(time + 1 + (time[1] == '-' || time[1] == '+'), 0, &ns) ||
		    ns > INT64_MAX)
			time = NULL;
	}
	if (!time)
		return args_error("merge", "--offset is TRACE=TIME ('b.wt=+2ms'), not '%s'",
				  offset);
	for (size_t i = 0; i < merge->words; i++) {
		struct merge_word *word = &merge->word[i];

		if (strncmp(word->word, offset, (size_t)(time - offset)) != 0 ||
		    word->word[time - offset])
			continue;
		word->offset_ns = behind ? -(int64_t)ns : (int64_t)ns;
		found = true;
	}
	if (found)
		return EXIT_DONE;
	return args_error("merge", "--offset for '%.*s', which isn't one of the traces",
			  (int)(time - offset), offset);
}

static int set_option(struct cmd *cmd, int option)
{
	switch (option) {
	case 'o':
		cmd->output = optarg;
		return EXIT_DONE;
	case OPT_OFFSET:
		cmd->offsets[cmd->offset_count++] = optarg;
		return EXIT_DONE;
	default: /* OPT_PREFIX */
		return parse_prefix(cmd);
	}
}

/* Returns ARGS_END, or what to exit with. */
static int parse(struct cmd *cmd, int argc, char **argv)
{
	struct merge *merge = &cmd->merge;
	bool pipe = false;
	int option;

	while ((option = args_next(&cmd->args, argc, argv)) != ARGS_END) {
		if (option == ARGS_STOP)
			return cmd->args.status;
		if (set_option(cmd, option))
			return EXIT_USAGE;
	}
	if (argc == optind)
		return args_error("merge", "which traces?");
	for (int i = optind; i < argc; i++) {
		if (!strcmp(argv[i], "-") && pipe)
			return args_error("merge", "there is only one standard input");
		pipe |= !strcmp(argv[i], "-");
		merge->word[merge->words++].word = argv[i];
	}
	for (size_t i = 0; i < cmd->offset_count; i++) {
		if (apply_offset(merge, cmd->offsets[i]))
			return EXIT_USAGE;
	}
	return ARGS_END;
}

/* --- merging -------------------------------------------------------------------------------- */

/*
 * When the stream's event was, on the corrected wall clock; 0 = it comes now. That goes for marks
 * too: they stand before the operations of their block, which must not wait for them.
 */
static uint64_t time_of(const struct stream *stream)
{
	const struct trace_event *event = stream->event;
	uint64_t ns;

	if (event->kind != TRACE_EV_OP)
		return 0;
	ns = event->op->op.done_ns ? event->op->op.done_ns : event->op->op.arrive_ns;
	return ns + event->wall_offset_ns + (uint64_t)stream->offset_ns;
}

static int advance(struct stream *stream)
{
	int err = input_next(stream->input, &stream->event);

	if (err != 1)
		stream->event = NULL;
	return err < 0 ? err : 0;
}

/* The streams that have an event, as a heap by time. */
struct heap {
	struct stream **stream;
	uint64_t *time_ns;
	size_t count;
};

static void swap(struct heap *heap, size_t a, size_t b)
{
	struct stream *stream = heap->stream[a];
	uint64_t time_ns = heap->time_ns[a];

	heap->stream[a] = heap->stream[b];
	heap->time_ns[a] = heap->time_ns[b];
	heap->stream[b] = stream;
	heap->time_ns[b] = time_ns;
}

static bool before(const struct heap *heap, size_t a, size_t b)
{
	if (heap->time_ns[a] != heap->time_ns[b])
		return heap->time_ns[a] < heap->time_ns[b];
	return heap->stream[a]->index < heap->stream[b]->index;
}

static void sift_down(struct heap *heap, size_t at)
{
	for (;;) {
		size_t least = at, child = 2 * at + 1;

		if (child < heap->count && before(heap, child, least))
			least = child;
		if (child + 1 < heap->count && before(heap, child + 1, least))
			least = child + 1;
		if (least == at)
			return;
		swap(heap, at, least);
		at = least;
	}
}

/* The first stream got another event, or came to its end. */
static void refresh(struct heap *heap)
{
	if (heap->stream[0]->event)
		heap->time_ns[0] = time_of(heap->stream[0]);
	else
		swap(heap, 0, --heap->count);
	sift_down(heap, 0);
}

static int fill_heap(struct merge *merge, struct heap *heap)
{
	for (size_t i = 0; i < merge->streams; i++) {
		struct stream *stream = &merge->stream[i];
		int err = advance(stream);

		if (err)
			return err;
		if (!stream->event)
			continue;
		heap->stream[heap->count] = stream;
		heap->time_ns[heap->count++] = time_of(stream);
	}
	for (size_t i = heap->count / 2; i-- > 0;)
		sift_down(heap, i);
	return 0;
}

static int copy(struct rewrite *rewrite, struct heap *heap)
{
	uint64_t begun = 0;
	int err = 0;

	while (heap->count && !err) {
		struct stream *stream = heap->stream[0];
		uint64_t blocks = stream->blocks;

		err = rewrite_event(rewrite, stream);
		begun += stream->blocks != blocks;
		if (!err && begun >= AGE_BLOCKS) {
			begun = 0;
			err = rewrite_age(rewrite, heap->stream, heap->count);
		}
		if (!err)
			err = advance(stream);
		if (!err)
			refresh(heap);
	}
	return err;
}

/* What the stamps of several traces are counted from: long before the first of them. */
static uint64_t base_of(const struct merge *merge)
{
	uint64_t first_ns = UINT64_MAX;

	for (size_t i = 0; i < merge->words; i++) {
		uint64_t start_ns = merge->word[i].start_ns;

		if (start_ns && start_ns < first_ns)
			first_ns = start_ns;
	}
	return merge->streams > 1 && first_ns != UINT64_MAX && first_ns > DAY_NS ? first_ns - DAY_NS
										 : 0;
}

static int merge_into(struct merge *merge, struct rewrite *rewrite)
{
	scoped_free struct stream **streams = calloc(merge->streams, sizeof(*streams));
	scoped_free uint64_t *times = calloc(merge->streams, sizeof(*times));
	struct heap heap = {streams, times, 0};
	int err = streams && times ? fill_heap(merge, &heap) : -ENOMEM;

	if (!err)
		err = copy(rewrite, &heap);
	for (size_t i = 0; i < merge->streams && !err; i++)
		rewrite_losses(rewrite, &merge->stream[i]);
	return err;
}

/* The id of the one trace, or a new one. */
static void choose_id(const struct merge *merge, uint8_t id[TRACE_ID])
{
	if (merge->streams == 1)
		memcpy(id, input_id(merge->stream[0].input), TRACE_ID);
	else
		trace_new_id(id);
}

static int explain(const struct cmd *cmd, int err)
{
	const struct merge *merge = &cmd->merge;
	struct diag diag = {0};

	for (size_t i = 0; i < merge->streams; i++) {
		if (merge->diag[i].text[0])
			return args_failed("merge", merge->diag[i].file, &merge->diag[i]);
	}
	diag_set(&diag, err, "%s", strerror(-err));
	return args_failed("merge", cmd->output, &diag);
}

static int warn(const struct merge *merge, const struct rewrite *rewrite)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < merge->streams; i++) {
		if (input_warn(merge->stream[i].input, "merge"))
			status = EXIT_FAILED;
	}
	if (rewrite->clamped) {
		fprintf(stderr,
			"weir merge: %" PRIu64 " times were more than a day before the beginning, "
			"and are lost\n",
			rewrite->clamped);
		status = EXIT_FAILED;
	}
	return status;
}

static int run(struct cmd *cmd)
{
	struct merge *merge = &cmd->merge;
	struct rewrite rewrite;
	struct diag diag = {0};
	uint8_t id[TRACE_ID];
	int err = merge_open(merge, cmd->prefix, &diag);

	if (!err && merge->streams > STREAMS_MAX)
		err = diag_set(&diag, -EMFILE, "at most %d traces at once: merge them by steps",
			       STREAMS_MAX);
	if (!err) {
		choose_id(merge, id);
		err = rewrite_open(&rewrite, cmd->output, id, merge->streams, base_of(merge),
				   &diag);
	}
	if (err) {
		if (!diag.text[0])
			diag_set(&diag, err, "%s", strerror(-err));
		return args_failed("merge", diag.file ? diag.file : merge->word[0].word, &diag);
	}
	err = rewrite_close(&rewrite, merge_into(merge, &rewrite));
	return err ? explain(cmd, err) : warn(merge, &rewrite);
}

int cmd_merge(int argc, char **argv)
{
	static const struct option longs[] = {
		{"output", required_argument, NULL, 'o'},
		{"offset", required_argument, NULL, OPT_OFFSET},
		{"prefix", required_argument, NULL, OPT_PREFIX},
		ARGS_COMMON,
	};
	struct cmd cmd = {.args = {"merge", help, ":o:h", longs}, .output = "-"};
	int status;

	cmd.merge.word = calloc((size_t)argc + 1, sizeof(*cmd.merge.word));
	cmd.offsets = calloc((size_t)argc + 1, sizeof(*cmd.offsets));
	if (!cmd.merge.word || !cmd.offsets) {
		status = args_error("merge", "%s", strerror(ENOMEM));
	} else {
		status = parse(&cmd, argc, argv);
		if (status == ARGS_END)
			status = run(&cmd);
	}
	merge_done(&cmd.merge);
	free(cmd.offsets);
	return status;
}
