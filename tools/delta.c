// SPDX-License-Identifier: GPL-2.0-or-later
/* Subtracting snapshots. */
#include "config.h"

#include "tools/delta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/cleanup.h"

bool delta_restarted(const struct summary *before, const struct summary *after)
{
	if (summary_counter(after, "pid") != summary_counter(before, "pid") ||
	    summary_counter(after, "since_reset_ns") < summary_counter(before, "since_reset_ns"))
		return true;
	for (int i = 0; i < OP_KINDS; i++) {
		if (after->op[i].ops < before->op[i].ops)
			return true;
	}
	return false;
}

/* A count of a live daemon may be seen a little before another one: never below zero. */
static uint64_t minus(uint64_t after, uint64_t before)
{
	return after > before ? after - before : 0;
}

/* Extremes of the interval: known when they are new ones, else as well as the buckets tell. */
static void bound(const struct hist *before, const struct hist *after, struct hist *delta)
{
	uint32_t first = 0, last = delta->buckets - 1;

	while (first < last && !delta->bucket[first])
		first++;
	while (last > first && !delta->bucket[last])
		last--;
	delta->min = after->min;
	delta->max = after->max;
	if (!before)
		return;
	if (after->min >= before->min)
		delta->min = hist_lower(delta->bits, first);
	if (after->max <= before->max && last < delta->buckets - 1)
		delta->max = hist_lower(delta->bits, last + 1) - 1;
	if (delta->min < after->min)
		delta->min = after->min;
	if (delta->max > after->max)
		delta->max = after->max;
}

static int subtract_hist(const struct hist *before, const struct hist *after,
			 struct hist **ret_delta)
{
	struct hist *delta;

	*ret_delta = NULL;
	if (!after)
		return 0;
	if (before && (before->bits != after->bits || !before->count))
		before = NULL;
	if (before && before->count == after->count)
		return 0;
	delta = hist_new(after->bits);
	if (!delta)
		return -ENOMEM;
	for (uint32_t i = 0; i < delta->buckets; i++)
		hist_add(delta, i, minus(after->bucket[i], before ? before->bucket[i] : 0));
	delta->sum = minus(after->sum, before ? before->sum : 0);
	if (!delta->count) {
		free(delta);
		return 0;
	}
	bound(before, after, delta);
	*ret_delta = delta;
	return 0;
}

static int subtract_hists(struct hist *const before[DURATIONS], struct hist *const after[DURATIONS],
			  struct hist *ret_delta[DURATIONS])
{
	int err = 0;

	for (int i = 0; i < DURATIONS && !err; i++)
		err = subtract_hist(before[i], after[i], &ret_delta[i]);
	return err;
}

static void subtract_sizes(const uint64_t *before, const uint64_t *after, uint64_t *ret_delta)
{
	for (int i = 0; i < SUMMARY_SIZE_BUCKETS; i++)
		ret_delta[i] = minus(after[i], before[i]);
}

static int subtract_op(const struct op_summary *before, const struct op_summary *after,
		       struct op_summary *delta)
{
	delta->ops = minus(after->ops, before->ops);
	delta->errors = minus(after->errors, before->errors);
	delta->bytes = minus(after->bytes, before->bytes);
	subtract_sizes(before->size, after->size, delta->size);
	return subtract_hists(before->dur, after->dur, delta->dur);
}

/* --- errors -------------------------------------------------------------------------------- */

static uint64_t error_count(const struct summary *summary, const struct error_summary *like)
{
	for (size_t i = 0; i < summary->error_count; i++) {
		const struct error_summary *error = &summary->errors[i];

		if (error->kind == like->kind && error->error == like->error)
			return error->count;
	}
	return 0;
}

static int subtract_errors(const struct summary *before, const struct summary *after,
			   struct summary *delta)
{
	for (size_t i = 0; i < after->error_count; i++) {
		const struct error_summary *error = &after->errors[i];
		uint64_t count = minus(error->count, error_count(before, error));
		struct error_summary *row = count ? summary_add_error(delta) : NULL;

		if (count && !row)
			return -ENOMEM;
		if (row)
			*row = (struct error_summary){error->kind, error->error, count};
	}
	return 0;
}

/* --- files --------------------------------------------------------------------------------- */

static int compare_ids(const void *left, const void *right)
{
	const struct file_summary *const *a = left, *const *b = right;

	return (*a)->id < (*b)->id ? -1 : (*a)->id > (*b)->id;
}

/* The rows by id, without the others. On the heap; NULL when memory is short. */
static const struct file_summary **index_files(const struct summary *summary, size_t *ret_count)
{
	const struct file_summary **index =
		calloc(summary->file_count + 1, sizeof(const struct file_summary *));
	size_t count = 0;

	for (size_t i = 0; index && i < summary->file_count; i++) {
		if (!(summary->files[i].flags & FILE_F_OTHER))
			index[count++] = &summary->files[i];
	}
	if (index)
		qsort(index, count, sizeof(const struct file_summary *), compare_ids);
	*ret_count = count;
	return index;
}

static int subtract_classes(const struct file_summary *before, const struct file_summary *after,
			    struct file_summary *delta)
{
	int err = 0;

	for (int i = 0; i < OP_CLASSES && !err; i++) {
		const struct class_summary *from = &before->class[i], *to = &after->class[i];
		struct class_summary *row = &delta->class[i];

		row->ops = minus(to->ops, from->ops);
		row->errors = minus(to->errors, from->errors);
		row->bytes = minus(to->bytes, from->bytes);
		err = subtract_hists(from->dur, to->dur, row->dur);
	}
	return err;
}

static int subtract_file(const struct file_summary *before, const struct file_summary *after,
			 struct summary *summary)
{
	struct file_summary *delta;

	if (file_summary_ops(before) == file_summary_ops(after))
		return 0;
	delta = summary_add_file(summary);
	if (!delta)
		return -ENOMEM;
	*delta = (struct file_summary){
		.id = after->id,
		.dev = after->dev,
		.ino = after->ino,
		.generation = after->generation,
		.flags = after->flags,
		.names = after->names,
		.path = strdup(after->path ? after->path : ""),
		.first_ns = after->first_ns,
		.last_ns = after->last_ns,
		.sequential = minus(after->sequential, before->sequential),
		.opens = minus(after->opens, before->opens),
		.files = after->files,
	};
	subtract_sizes(before->size, after->size, delta->size);
	return delta->path ? subtract_classes(before, after, delta) : -ENOMEM;
}

static int subtract_files(const struct summary *before, const struct summary *after,
			  uint64_t before_wall_ns, struct summary *delta)
{
	static const struct file_summary nothing;
	size_t from_count, to_count, at = 0;
	scoped_free const struct file_summary **from = index_files(before, &from_count);
	scoped_free const struct file_summary **to = index_files(after, &to_count);
	int err = from && to ? 0 : -ENOMEM;

	for (size_t i = 0; i < to_count && !err; i++) {
		while (at < from_count && from[at]->id < to[i]->id)
			at++;
		if (at < from_count && from[at]->id == to[i]->id)
			err = subtract_file(from[at], to[i], delta);
		else if (to[i]->first_ns >= before_wall_ns)
			err = subtract_file(&nothing, to[i], delta);
	}
	return err;
}

/* --- all of it ----------------------------------------------------------------------------- */

static int copy_about(const struct summary *from, struct summary *into)
{
	int err = 0;

	for (size_t i = 0; i < from->counter_count && !err; i++)
		err = summary_add_counter(into, from->counters[i].name, from->counters[i].value);
	for (size_t i = 0; i < from->property_count && !err; i++)
		err = summary_add_property(into, from->properties[i].name,
					   from->properties[i].value);
	return err;
}

int delta_make(const struct summary *before, const struct summary *after, uint64_t before_wall_ns,
	       struct summary *ret_delta)
{
	static const struct summary nothing;
	struct summary delta;
	int err;

	summary_init(&delta);
	if (delta_restarted(before, after)) {
		before = &nothing;
		before_wall_ns = 0;
	}
	err = copy_about(after, &delta);
	for (int i = 0; i < OP_KINDS && !err; i++)
		err = subtract_op(&before->op[i], &after->op[i], &delta.op[i]);
	if (!err)
		err = subtract_errors(before, after, &delta);
	if (!err)
		err = subtract_files(before, after, before_wall_ns, &delta);
	if (err)
		summary_done(&delta);
	else
		*ret_delta = delta;
	return err;
}

int delta_copy(const struct summary *from, struct summary *ret_copy)
{
	static const struct summary nothing;

	return delta_make(&nothing, from, 0, ret_copy);
}
