// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting by operation, and what becomes of it all: a summary. */
#include "config.h"

#include "tools/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/cleanup.h"
#include "tools/fold_files.h"

#define ERRNOS 256         /* the last one stands for all beyond, as in the daemon */
#define PROPERTIES_MAX 256 /* distinct ones; a damaged trace may have any number */

struct fold {
	struct op_summary op[OP_KINDS];
	uint32_t errors[OP_KINDS][ERRNOS];
	uint64_t ops;
	uint64_t first_ns;
	uint64_t last_ns;
	struct fold_files files;
	struct fold_places places;
	struct summary about; /* properties only */
};

int fold_new(uint32_t files, struct fold **ret_fold)
{
	struct fold *fold = calloc(1, sizeof(*fold));

	if (!fold)
		return -ENOMEM;
	summary_init(&fold->about);
	if (fold_files_init(&fold->files, files) || fold_places_init(&fold->places)) {
		fold_free(fold);
		return -ENOMEM;
	}
	*ret_fold = fold;
	return 0;
}

void fold_free(struct fold *fold)
{
	if (!fold)
		return;
	for (int kind = 0; kind < OP_KINDS; kind++) {
		for (int i = 0; i < DURATIONS; i++)
			free(fold->op[kind].dur[i]);
	}
	fold_files_done(&fold->files);
	fold_places_done(&fold->places);
	summary_done(&fold->about);
	free(fold);
}

void fold_reset(struct fold *fold)
{
	for (int kind = 0; kind < OP_KINDS; kind++) {
		struct op_summary *op = &fold->op[kind];

		for (int i = 0; i < DURATIONS; i++) {
			if (op->dur[i])
				hist_reset(op->dur[i]);
		}
		op->ops = op->errors = op->bytes = 0;
		memset(op->size, 0, sizeof(op->size));
	}
	memset(fold->errors, 0, sizeof(fold->errors));
	fold->ops = fold->first_ns = fold->last_ns = 0;
	fold_files_reset(&fold->files);
}

static int record(struct hist **slot, uint64_t value_ns)
{
	if (!*slot)
		*slot = hist_new(HIST_OP_BITS);
	if (!*slot)
		return -ENOMEM;
	hist_record(*slot, value_ns);
	return 0;
}

static int count(struct fold *fold, const struct op *op, const uint64_t duration_ns[DURATIONS])
{
	struct op_summary *sum = &fold->op[op->kind];
	enum op_class class = op_class((enum op_kind)op->kind);
	int err = 0;

	fold->ops++;
	sum->ops++;
	sum->bytes += op->result;
	if (op->error) {
		sum->errors++;
		fold->errors[op->kind][op->error < ERRNOS ? op->error : ERRNOS - 1]++;
	}
	if (class == OP_CLASS_READ || class == OP_CLASS_WRITE)
		sum->size[summary_size_bucket(op->size)]++;
	for (int i = 0; i < DURATIONS && !err; i++) {
		if (op_has_duration(op, (unsigned int)i, duration_ns))
			err = record(&sum->dur[i], duration_ns[i]);
	}
	return err;
}

static int fold_op(struct fold *fold, const struct trace_event *event)
{
	const struct op *op = &event->op->op;
	uint64_t wall_ns = event->wall_offset_ns, end_ns, duration_ns[DURATIONS];
	bool sequential = fold_places_note(&fold->places, event->op);
	int err;

	op_durations(op, duration_ns);
	if (!fold->first_ns || op->arrive_ns + wall_ns < fold->first_ns)
		fold->first_ns = op->arrive_ns + wall_ns;
	/* The end of many imported ones is unknown. */
	end_ns = (op->done_ns ? op->done_ns : op->arrive_ns) + wall_ns;
	if (end_ns > fold->last_ns)
		fold->last_ns = end_ns;
	err = count(fold, op, duration_ns);
	/* A forget is the kernel's housekeeping: it is no use of the file. */
	if (!err && op->file && op->kind != OP_FORGET)
		err = fold_files_record(&fold->files, event, duration_ns, sequential);
	return err;
}

static char *string_of(struct trace_bytes bytes)
{
	return strndup((const char *)bytes.data, bytes.len);
}

/* The first of a name counts: those of later parts say the same. */
static int fold_property(struct fold *fold, const struct trace_event *event)
{
	scoped_free char *name = string_of(event->name);
	scoped_free char *value = string_of(event->value);

	if (!name || !value)
		return -ENOMEM;
	if (fold->about.property_count == PROPERTIES_MAX || summary_property(&fold->about, name))
		return 0;
	return summary_add_property(&fold->about, name, value);
}

int fold_event(struct fold *fold, const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_EV_OP:
		return fold_op(fold, event);
	case TRACE_EV_PROPERTY:
		return fold_property(fold, event);
	default:
		return 0;
	}
}

uint64_t fold_ops(const struct fold *fold)
{
	return fold->ops;
}

void fold_span(const struct fold *fold, uint64_t *ret_first_ns, uint64_t *ret_last_ns)
{
	*ret_first_ns = fold->first_ns;
	*ret_last_ns = fold->last_ns > fold->first_ns ? fold->last_ns : fold->first_ns;
}

/* --- the summary ---------------------------------------------------------------------------- */

static int copy_op(const struct op_summary *from, struct op_summary *into)
{
	*into = *from;
	memset(into->dur, 0, sizeof(into->dur));
	for (int i = 0; i < DURATIONS; i++) {
		const struct hist *hist = from->dur[i];

		if (!hist || !hist->count)
			continue;
		into->dur[i] = hist_new(hist->bits);
		if (!into->dur[i])
			return -ENOMEM;
		hist_merge(into->dur[i], hist);
	}
	return 0;
}

static int copy_errors(const struct fold *fold, struct summary *summary)
{
	for (uint32_t kind = 0; kind < OP_KINDS; kind++) {
		for (uint32_t error = 0; error < ERRNOS; error++) {
			struct error_summary *row;

			if (!fold->errors[kind][error])
				continue;
			row = summary_add_error(summary);
			if (!row)
				return -ENOMEM;
			*row = (struct error_summary){kind, error, fold->errors[kind][error]};
		}
	}
	return 0;
}

static int copy_properties(const struct fold *fold, struct summary *summary)
{
	int err = 0;

	for (size_t i = 0; i < fold->about.property_count && !err; i++)
		err = summary_add_property(summary, fold->about.properties[i].name,
					   fold->about.properties[i].value);
	return err;
}

int fold_summary(const struct fold *fold, size_t most, struct summary *ret_summary)
{
	int err;

	summary_init(ret_summary);
	err = copy_properties(fold, ret_summary);
	for (int kind = 0; kind < OP_KINDS && !err; kind++)
		err = copy_op(&fold->op[kind], &ret_summary->op[kind]);
	if (!err)
		err = copy_errors(fold, ret_summary);
	if (!err)
		err = fold_files_sum(&fold->files, most, ret_summary);
	if (err)
		summary_done(ret_summary);
	return err;
}
