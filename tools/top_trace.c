// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weir top on a trace: the intervals of its time, one after the other, as fast as they can be read.
 *
 * An operation belongs to the interval in which it ended, as on a live mount. One that comes late
 * is counted in the present interval, so that the intervals add up to the whole. A stretch without
 * operations is one interval, however long.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tools/top.h"
#include "tools/trace_sum.h"

struct playback {
	const struct top_options *options;
	struct source *source;
	struct fold *now; /* the present interval */
	struct fold *all;
	uint64_t start_ns; /* wall clock */
	uint64_t begin_ns; /* of the present interval */
	uint64_t made;     /* reports */
};

static int report(struct playback *playback, enum report_kind kind, uint64_t begin_ns,
		  uint64_t end_ns)
{
	const struct top_options *options = playback->options;
	const struct fold *fold = kind == REPORT_FINAL ? playback->all : playback->now;
	struct interval interval = {.kind = kind,
				    .wall_ns = end_ns,
				    .length_ns = end_ns - begin_ns};
	int err = fold_summary(fold, TOP_ROWS, &interval.summary);

	if (err)
		return err;
	err = trace_sum_about(playback->source->input, fold, &interval.summary);
	if (!err)
		err = (options->json ? top_json : top_text)(options, playback->source->path,
							    &interval, stdout);
	interval_done(&interval);
	playback->made += kind == REPORT_INTERVAL;
	if (!err && ferror(stdout))
		err = -EPIPE;
	return err;
}

static bool enough(const struct playback *playback)
{
	return playback->options->count && playback->made >= playback->options->count;
}

/* Ends the present interval, and the stretch without operations behind it, before an end. */
static int catch_up(struct playback *playback, uint64_t end_ns)
{
	uint64_t length_ns = playback->options->interval_ns, whole;
	int err = report(playback, REPORT_INTERVAL, playback->begin_ns,
			 playback->begin_ns + length_ns);

	fold_reset(playback->now);
	playback->begin_ns += length_ns;
	whole = (end_ns - playback->begin_ns) / length_ns * length_ns;
	if (err || !whole || enough(playback))
		return err;
	err = report(playback, REPORT_INTERVAL, playback->begin_ns, playback->begin_ns + whole);
	playback->begin_ns += whole;
	return err;
}

static int play_op(struct playback *playback, const struct trace_event *event)
{
	const struct op *op = &event->op->op;
	uint64_t end_ns = (op->done_ns ? op->done_ns : op->arrive_ns) + event->wall_offset_ns;
	int err = 0;

	if (!playback->start_ns) {
		playback->start_ns = op->arrive_ns + event->wall_offset_ns;
		playback->begin_ns = playback->start_ns;
	}
	if (end_ns > playback->begin_ns &&
	    end_ns - playback->begin_ns >= playback->options->interval_ns)
		err = catch_up(playback, end_ns);
	if (!err && !enough(playback))
		err = fold_event(playback->now, event);
	if (!err && !enough(playback))
		err = fold_event(playback->all, event);
	return err;
}

static int play(struct playback *playback)
{
	struct filter *filter = &playback->source->filter;
	struct input *input = playback->source->input;
	const struct trace_event *event;
	uint64_t first_ns, last_ns;
	int err = 1;

	filter_begin(filter, input);
	while (err == 1 && !enough(playback)) {
		err = input_next(input, &event);
		if (err != 1)
			break;
		if (event->kind != TRACE_EV_OP)
			err = fold_event(playback->all, event);
		else if (filter_wants(filter, input, event))
			err = play_op(playback, event);
		err = err ? err : 1;
	}
	if (err)
		return err < 0 ? err : 0;
	/* The last interval is as long as there were operations. */
	fold_span(playback->all, &first_ns, &last_ns);
	if (fold_ops(playback->now))
		err = report(playback, REPORT_INTERVAL, playback->begin_ns,
			     last_ns > playback->begin_ns ? last_ns : playback->begin_ns);
	if (!err && playback->start_ns)
		err = report(playback, REPORT_FINAL, playback->start_ns, last_ns);
	return err;
}

int top_trace(const struct top_options *options, struct source *source)
{
	struct playback playback = {.options = options, .source = source};
	int err = fold_new(TOP_ROWS, &playback.now);

	if (!err)
		err = fold_new(FOLD_FILES, &playback.all);
	if (!err)
		err = play(&playback);
	fold_free(playback.now);
	fold_free(playback.all);
	return err;
}
