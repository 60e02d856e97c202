// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting operations by file and class. */
#include "config.h"

#include "core/file_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void file_counts_clear(struct file_counts *counts)
{
	for (int i = 0; i < OP_CLASSES; i++) {
		if (!counts->class[i])
			continue;
		for (int d = 0; d < DURATIONS; d++)
			small_hist_done(&counts->class[i] -> dur[d]);
		free(counts->class[i]);
		counts->class[i] = NULL;
	}
	__atomic_store_n(&counts->time_ns, 0, __ATOMIC_RELAXED);
	counts->first_ns = counts->last_ns = counts->sequential = counts->opens = 0;
	memset(counts->size, 0, sizeof(counts->size));
}

static struct class_counts *class_of(struct file_counts *counts, enum op_class class)
{
	if (!counts->class[class])
		counts->class[class] = calloc(1, sizeof(*counts->class[class]));
	return counts->class[class];
}

int file_counts_record(struct file_counts *counts, const struct op *op,
		       const uint64_t duration_ns[DURATIONS], bool sequential)
{
	enum op_class class = op_class((enum op_kind)op->kind);
	struct class_counts *sum = class_of(counts, class);
	int err = 0;

	/* Operations may come here in another order than they ended. */
	if (op->done_ns > counts->last_ns)
		counts->last_ns = op->done_ns;
	if (!counts->first_ns || op->arrive_ns < counts->first_ns)
		counts->first_ns = op->arrive_ns;
	if (!sum)
		return -ENOMEM;
	sum->ops++;
	sum->errors += op->error != 0;
	sum->bytes += op->result;
	counts->sequential += sequential;
	counts->opens += (op->kind == OP_OPEN || op->kind == OP_CREATE || op->kind == OP_TMPFILE) &&
			 !op->error;
	if (class == OP_CLASS_READ || class == OP_CLASS_WRITE)
		counts->size[summary_size_bucket(op->size)]++;
	/* Looked at without the lock: which row has to go. */
	__atomic_store_n(&counts->time_ns, counts->time_ns + duration_ns[DUR_TOTAL],
			 __ATOMIC_RELAXED);
	for (int i = 0; i < DURATIONS && !err; i++) {
		if (op_has_duration(op, (unsigned int)i, duration_ns))
			err = small_hist_record(&sum->dur[i], duration_ns[i]);
	}
	return err;
}

static int sum_small(struct hist **into, const struct small_hist *from)
{
	if (!small_hist_count(from))
		return 0;
	if (!*into)
		*into = hist_new(HIST_FILE_BITS);
	if (!*into)
		return -ENOMEM;
	small_hist_merge(*into, from);
	return 0;
}

static int sum_class(struct class_summary *into, const struct class_counts *from)
{
	int err = 0;

	into->ops += from->ops;
	into->errors += from->errors;
	into->bytes += from->bytes;
	for (int i = 0; i < DURATIONS && !err; i++)
		err = sum_small(&into->dur[i], &from->dur[i]);
	return err;
}

int file_counts_sum(struct file_summary *into, const struct file_counts *from)
{
	int err = 0;

	if (!into->first_ns || from->first_ns < into->first_ns)
		into->first_ns = from->first_ns;
	if (from->last_ns > into->last_ns)
		into->last_ns = from->last_ns;
	into->sequential += from->sequential;
	into->opens += from->opens;
	into->files++;
	for (int i = 0; i < SUMMARY_SIZE_BUCKETS; i++)
		into->size[i] += from->size[i];
	for (int i = 0; i < OP_CLASSES && !err; i++) {
		if (from->class[i])
			err = sum_class(&into->class[i], from -> class[i]);
	}
	return err;
}
