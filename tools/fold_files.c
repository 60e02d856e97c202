// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of files of a trace. */
#include "config.h"

#include "tools/fold_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define EVICTION_SAMPLE 8 /* rows looked at for the one of least time, as in the daemon */
#define PATH_KEPT 4096    /* of longer paths the end is kept */

struct fold_row {
	uint64_t id;
	uint64_t dev;
	uint64_t ino;
	uint64_t generation;
	uint64_t wall_offset_ns;
	uint32_t flags; /* enum file_flags */
	uint32_t names;
	char *path;
	size_t path_len; /* as it is in the trace */
	struct file_counts counts;
};

static uint64_t hash_of(uint64_t id)
{
	id *= UINT64_C(0x9e3779b97f4a7c15);
	return id ^ id >> 32;
}

int fold_files_init(struct fold_files *files, uint32_t room)
{
	memset(files, 0, sizeof(*files));
	files->room = room ? room : 1;
	files->slots = 16;
	while (files->slots < 2 * files->room)
		files->slots *= 2;
	files->row = calloc(files->room, sizeof(struct fold_row *));
	files->slot = calloc(files->slots, sizeof(uint32_t));
	return files->row && files->slot ? 0 : -ENOMEM;
}

static void free_row(struct fold_row *row)
{
	file_counts_clear(&row->counts);
	free(row->path);
	free(row);
}

void fold_files_reset(struct fold_files *files)
{
	for (uint32_t i = 0; i < files->used; i++)
		free_row(files->row[i]);
	files->used = 0;
	if (files->slot)
		memset(files->slot, 0, files->slots * sizeof(uint32_t));
	file_summary_done(&files->other);
	memset(&files->other, 0, sizeof(files->other));
}

void fold_files_done(struct fold_files *files)
{
	fold_files_reset(files);
	free(files->row);
	free(files->slot);
}

/* --- the hash ------------------------------------------------------------------------------- */

static uint32_t slot_of(const struct fold_files *files, uint64_t id)
{
	uint32_t at = (uint32_t)hash_of(id) & (files->slots - 1);

	while (files->slot[at] && files->row[files->slot[at] - 1]->id != id)
		at = (at + 1) & (files->slots - 1);
	return at;
}

/* Takes a slot out and moves those back that lay behind it because of it. */
static void free_slot(struct fold_files *files, uint32_t at)
{
	uint32_t mask = files->slots - 1, next = at;

	for (;;) {
		uint32_t home;

		files->slot[at] = 0;
		do {
			next = (next + 1) & mask;
			if (!files->slot[next])
				return;
			home = (uint32_t)hash_of(files->row[files->slot[next] - 1]->id) & mask;
			/* It may stay where it is while its home lies behind the hole. */
		} while (((next - home) & mask) < ((next - at) & mask));
		files->slot[at] = files->slot[next];
		at = next;
	}
}

/* --- rows ----------------------------------------------------------------------------------- */

/* Stamps of a row are on the wall clock only when they are summed up. */
static int sum_row(struct file_summary *into, const struct fold_row *row)
{
	struct file_counts counts = row->counts;

	counts.first_ns += row->wall_offset_ns;
	counts.last_ns += row->wall_offset_ns;
	return file_counts_sum(into, &counts);
}

static int evict(struct fold_files *files)
{
	uint32_t victim = files->hand % files->used;
	struct fold_row *row;
	int err;

	for (uint32_t i = 1; i < EVICTION_SAMPLE && i < files->used; i++) {
		uint32_t other = (files->hand + i) % files->used;

		if (files->row[other]->counts.time_ns < files->row[victim]->counts.time_ns)
			victim = other;
	}
	files->hand = (files->hand + EVICTION_SAMPLE) % files->used;
	row = files->row[victim];
	err = sum_row(&files->other, row);
	free_slot(files, slot_of(files, row->id));
	if (victim != --files->used) {
		struct fold_row *last = files->row[files->used];

		files->slot[slot_of(files, last->id)] = victim + 1;
		files->row[victim] = last;
	}
	free_row(row);
	return err;
}

static int set_path(struct fold_row *row, struct trace_bytes path)
{
	size_t skip = path.len > PATH_KEPT ? path.len - PATH_KEPT : 0;
	char *copy;

	if (row->path && row->path_len == path.len &&
	    !memcmp(row->path, path.data + skip, path.len - skip))
		return 0;
	copy = malloc(path.len - skip + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, path.data + skip, path.len - skip);
	copy[path.len - skip] = '\0';
	free(row->path);
	row->path = copy;
	row->path_len = path.len;
	return 0;
}

/* What the trace says of the file now: it may have got another name. */
static int describe(struct fold_row *row, const struct trace_event *event)
{
	static const uint8_t unknown[] = {'?'};
	const struct trace_file *file = event->file;

	row->wall_offset_ns = event->wall_offset_ns;
	if (!file)
		return row->path ? 0 : set_path(row, (struct trace_bytes){unknown, 1});
	row->dev = file->dev;
	row->ino = file->ino;
	row->generation = file->generation;
	row->names = file->nlink;
	row->flags = (S_ISDIR(file->mode) ? FILE_F_DIR : 0u) |
		     (file->flags & TRACE_FILE_F_DELETED ? FILE_F_DELETED : 0u);
	return set_path(row, file->path);
}

/* The row of an id, made if there is none; NULL when memory is short. */
static struct fold_row *row_of(struct fold_files *files, uint64_t id)
{
	uint32_t at = slot_of(files, id);
	struct fold_row *row;

	if (files->slot[at])
		return files->row[files->slot[at] - 1];
	if (files->used == files->room) {
		if (evict(files))
			return NULL;
		at = slot_of(files, id);
	}
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->id = id;
	files->row[files->used++] = row;
	files->slot[at] = files->used;
	return row;
}

int fold_files_record(struct fold_files *files, const struct trace_event *event,
		      const uint64_t duration_ns[DURATIONS], bool sequential)
{
	const struct op *op = &event->op->op;
	struct fold_row *row = row_of(files, op->file);
	int err = row ? describe(row, event) : -ENOMEM;

	return err ? err : file_counts_record(&row->counts, op, duration_ns, sequential);
}

/* --- the summary ---------------------------------------------------------------------------- */

static int most_time_first(const void *a, const void *b)
{
	const struct fold_row *x = *(struct fold_row *const *)a, *y = *(struct fold_row *const *)b;

	if (x->counts.time_ns != y->counts.time_ns)
		return x->counts.time_ns < y->counts.time_ns ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int add_row(struct summary *summary, const struct fold_row *row)
{
	struct file_summary *file = summary_add_file(summary);

	if (!file)
		return -ENOMEM;
	file->id = row->id;
	file->dev = row->dev;
	file->ino = row->ino;
	file->generation = row->generation;
	file->flags = row->flags;
	file->names = row->names;
	file->path = strdup(row->path);
	return file->path ? sum_row(file, row) : -ENOMEM;
}

static int add_other(const struct fold_files *files, struct fold_row **rest, size_t count,
		     struct summary *summary)
{
	struct file_summary *other;
	int err;

	if (!files->other.files && !count)
		return 0;
	other = summary_add_file(summary);
	if (!other)
		return -ENOMEM;
	other->flags = FILE_F_OTHER;
	other->path = strdup("(other)");
	err = other->path ? file_summary_merge(other, &files->other) : -ENOMEM;
	for (size_t i = 0; i < count && !err; i++)
		err = sum_row(other, rest[i]);
	return err;
}

int fold_files_sum(const struct fold_files *files, size_t most, struct summary *summary)
{
	struct fold_row **rows = calloc(files->used + 1, sizeof(*rows));
	size_t listed = files->used;
	int err = rows ? 0 : -ENOMEM;

	if (rows && files->used) {
		memcpy(rows, files->row, files->used * sizeof(*rows));
		qsort(rows, files->used, sizeof(*rows), most_time_first);
	}
	if (most < listed)
		listed = most;
	for (size_t i = 0; i < listed && !err; i++)
		err = add_row(summary, rows[i]);
	if (!err)
		err = add_other(files, rows + listed, files->used - listed, summary);
	free(rows);
	return err;
}
