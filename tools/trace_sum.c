// SPDX-License-Identifier: GPL-2.0-or-later
/* Folding a trace from its beginning to its end. */
#include "config.h"

#include "tools/trace_sum.h"

#include <errno.h>

static uint64_t sum_of(const uint64_t counts[OP_KINDS])
{
	uint64_t sum = 0;

	for (int i = 0; i < OP_KINDS; i++)
		sum += counts[i];
	return sum;
}

int trace_sum_about(const struct input *input, const struct fold *fold, struct summary *summary)
{
	static const char *const names[] = {
#define X(name, help) name,
		TRACE_COUNTER_TABLE(X)
#undef X
	};
	struct trace_position position;
	struct trace_damage damage;
	struct trace_counts counts;
	uint64_t first_ns, last_ns;
	int err = 0;

	input_position(input, &position);
	input_damage(input, &damage);
	input_counts(input, &counts);
	fold_span(fold, &first_ns, &last_ns);
	const uint64_t values[] = {
		input_parts(input),
		position.blocks,
		position.offset,
		position.content,
		position.ops,
		fold_ops(fold),
		first_ns,
		last_ns,
		sum_of(counts.written),
		sum_of(counts.dropped),
		sum_of(counts.filtered),
		damage.bytes,
		damage.blocks_missing,
	};
	_Static_assert(sizeof(values) / sizeof(values[0]) == sizeof(names) / sizeof(names[0]),
		       "a value for every name");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !err; i++)
		err = summary_add_counter(summary, names[i], values[i]);
	return err;
}

static int fold_all(struct input *input, struct filter *filter, struct fold *fold)
{
	const struct trace_event *event;
	int err;

	while ((err = input_next(input, &event)) == 1) {
		if (event->kind == TRACE_EV_OP && filter && !filter_wants(filter, input, event))
			continue;
		err = fold_event(fold, event);
		if (err)
			return err;
	}
	return err;
}

int trace_sum(struct input *input, struct filter *filter, size_t most, struct summary *ret_summary)
{
	struct fold *fold;
	int err = fold_new(FOLD_FILES, &fold);

	if (err)
		return err;
	if (filter)
		filter_begin(filter, input);
	err = fold_all(input, filter, fold);
	if (!err)
		err = fold_summary(fold, most, ret_summary);
	if (!err) {
		err = trace_sum_about(input, fold, ret_summary);
		if (err)
			summary_done(ret_summary);
	}
	fold_free(fold);
	return err;
}
