// SPDX-License-Identifier: GPL-2.0-or-later
/* Sorting and folding rows. */
#include "config.h"

#include "tools/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/cleanup.h"

static const char *const sort_names[SORT_KEYS] = {
#define X(id, name, help) [SORT_##id] = name,
	SORT_TABLE(X)
#undef X
};

const char *select_sort_name(enum sort_key key)
{
	return sort_names[key];
}

int select_parse_sort(const char *text, enum sort_key *ret_key)
{
	for (unsigned int i = 0; i < SORT_KEYS; i++) {
		if (!strcmp(text, sort_names[i])) {
			*ret_key = (enum sort_key)i;
			return 0;
		}
	}
	return -ENOENT;
}

int select_parse_ops(const char *text, uint64_t *mask, struct diag *diag)
{
	for (;;) {
		size_t len = strcspn(text, ",");
		uint64_t word;

		if (op_parse_mask(text, len, &word))
			return diag_set(
				diag, -ENOENT,
				"no operation or class of the name '%.*s' ('read', 'write', "
				"'meta', 'sync', 'getattr' ..)",
				(int)(len < 40 ? len : 40), text);
		*mask |= word;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

/* --- operations ---------------------------------------------------------------------------- */

static uint64_t op_time(const struct summary *summary, enum op_kind kind)
{
	const struct hist *hist = summary->op[kind].dur[DUR_TOTAL];

	return hist ? hist->sum : 0;
}

size_t select_ops(const struct summary *summary, uint64_t mask, enum op_kind ret_kinds[OP_KINDS])
{
	size_t count = 0;

	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		size_t at = count;

		if (!(mask >> kind & 1) || !summary->op[kind].ops)
			continue;
		/* Insertion keeps the order of the table among equals. */
		for (; at > 0 &&
		       op_time(summary, ret_kinds[at - 1]) < op_time(summary, (enum op_kind)kind);
		     at--)
			ret_kinds[at] = ret_kinds[at - 1];
		ret_kinds[at] = (enum op_kind)kind;
		count++;
	}
	return count;
}

/* --- files --------------------------------------------------------------------------------- */

struct ranked {
	uint64_t value;
	const struct file_summary *file;
};

static uint64_t file_p99(const struct file_summary *file, struct hist *room)
{
	hist_reset(room);
	file_summary_hist(file, DUR_TOTAL, room);
	return hist_percentile(room, 99.0);
}

static uint64_t file_value(const struct file_summary *file, enum sort_key key, struct hist *room)
{
	switch (key) {
	case SORT_P99:
		return file_p99(file, room);
	case SORT_BYTES:
		return file_summary_bytes(file);
	case SORT_OPS:
		return file_summary_ops(file);
	case SORT_ERRORS:
		return file_summary_errors(file);
	case SORT_TIME:
	default:
		return file_summary_time(file, DUR_TOTAL);
	}
}

/* Larger values first, then the older file: the order is the same in every run. */
static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	return a->file->id < b->file->id ? -1 : a->file->id > b->file->id;
}

static int fold(struct selection *selection, const struct file_summary *file)
{
	if (!(file->flags & FILE_F_OTHER))
		selection->unlisted += file->files;
	return file_summary_merge(&selection->rest, file);
}

static size_t rank_all(const struct summary *summary, enum sort_key key, struct hist *room,
		       struct ranked *ranked)
{
	size_t count = 0;

	for (size_t i = 0; i < summary->file_count; i++) {
		const struct file_summary *file = &summary->files[i];

		if ((file->flags & FILE_F_OTHER) || !file_summary_ops(file))
			continue;
		ranked[count++] = (struct ranked){file_value(file, key, room), file};
	}
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	return count;
}

int select_files(const struct summary *summary, enum sort_key key, size_t limit,
		 struct selection *ret_selection)
{
	scoped_free struct hist *room = hist_new(HIST_FILE_BITS);
	scoped_free struct ranked *ranked = calloc(summary->file_count + 1, sizeof(*ranked));
	struct selection selection = {.rest = {.flags = FILE_F_OTHER}};
	size_t count;
	int err = 0;

	if (!room || !ranked)
		return -ENOMEM;
	count = rank_all(summary, key, room, ranked);
	selection.count = count < limit ? count : limit;
	selection.files = calloc(selection.count + 1, sizeof(const struct file_summary *));
	if (!selection.files)
		return -ENOMEM;
	for (size_t i = 0; i < selection.count; i++)
		selection.files[i] = ranked[i].file;
	for (size_t i = selection.count; i < count && !err; i++)
		err = fold(&selection, ranked[i].file);
	for (size_t i = 0; i < summary->file_count && !err; i++) {
		if (summary->files[i].flags & FILE_F_OTHER)
			err = fold(&selection, &summary->files[i]);
	}
	if (err)
		selection_done(&selection);
	else
		*ret_selection = selection;
	return err;
}

void selection_done(struct selection *selection)
{
	free(selection->files);
	file_summary_done(&selection->rest);
	*selection = (struct selection){0};
}

const struct file_summary *select_file_by_path(const struct summary *summary, const char *path)
{
	const struct file_summary *found = NULL;

	for (size_t i = 0; i < summary->file_count; i++) {
		const struct file_summary *file = &summary->files[i];

		if ((file->flags & FILE_F_OTHER) || !file->path || strcmp(file->path, path) != 0)
			continue;
		/* A deleted file of the same name gives way to the one that is there. */
		if (!found || (found->flags & FILE_F_DELETED))
			found = file;
	}
	return found;
}
