// SPDX-License-Identifier: GPL-2.0-or-later
/* The file table: bounded rows, and "(other)" for what had to go. */
#include "config.h"

#include "weirfs/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/file_counts.h"

#define EVICTION_SAMPLE 8 /* rows looked at for the one of least time */

struct file_stats {
	struct rcu_head rcu;
	pthread_mutex_t lock;
	struct inode *inode; /* a reference */
	uint64_t epoch;
	bool folded; /* out of the table: the inode will get a new row */
	struct file_counts counts;
};

int files_init(struct files *files, struct tree *tree, uint32_t room)
{
	memset(files, 0, sizeof(*files));
	files->row = calloc(room, sizeof(*files->row));
	if (!files->row)
		return -ENOMEM;
	files->tree = tree;
	files->room = room;
	pthread_mutex_init(&files->lock, NULL);
	return 0;
}

static void free_row(struct rcu_head *head)
{
	struct file_stats *row = caa_container_of(head, struct file_stats, rcu);

	rcu_passed();
	file_counts_clear(&row->counts);
	pthread_mutex_destroy(&row->lock);
	free(row);
}

void files_done(struct files *files)
{
	if (!files->row)
		return;
	for (uint32_t i = 0; i < files->used; i++) {
		struct inode *inode = files->row[i]->inode;

		rcu_store(&inode->stats, NULL);
		rcu_later(&files->row[i]->rcu, free_row);
		inode_put(files->tree, inode);
	}
	free(files->row);
	file_summary_done(&files->other);
	pthread_mutex_destroy(&files->lock);
}

/* --- rows come and go ----------------------------------------------------------------------- */

/* Of a few rows the hand passes, the one of least time. The caller holds files->lock. */
static uint32_t choose_victim(struct files *files)
{
	uint32_t victim = files->hand % files->used;

	for (uint32_t i = 1; i < EVICTION_SAMPLE && i < files->used; i++) {
		uint32_t other = (files->hand + i) % files->used;
		const struct file_stats *a = files->row[victim], *b = files->row[other];

		if (__atomic_load_n(&b->counts.time_ns, __ATOMIC_RELAXED) <
		    __atomic_load_n(&a->counts.time_ns, __ATOMIC_RELAXED))
			victim = other;
	}
	files->hand = (files->hand + EVICTION_SAMPLE) % files->used;
	return victim;
}

/* Folds a row into "(other)". Gives back the inode, whose reference the caller drops unlocked. */
static struct inode *fold(struct files *files, uint32_t index)
{
	struct file_stats *row = files->row[index];
	struct inode *inode = row->inode;

	pthread_mutex_lock(&row->lock);
	row->folded = true;
	if (row->epoch == files->epoch && row->counts.first_ns) {
		if (file_counts_sum(&files->other, &row->counts))
			__atomic_fetch_add(&files->lost, 1, __ATOMIC_RELAXED);
		files->evicted++;
	}
	pthread_mutex_unlock(&row->lock);
	rcu_store(&inode->stats, NULL);
	files->row[index] = files->row[--files->used];
	rcu_later(&row->rcu, free_row);
	return inode;
}

/* The caller is in an RCU read section: a row that is folded meanwhile stays readable. */
static struct file_stats *add_row(struct files *files, struct inode *inode)
{
	struct inode *dropped = NULL;
	struct file_stats *row;

	pthread_mutex_lock(&files->lock);
	row = inode->stats;
	if (!row) {
		if (files->used == files->room)
			dropped = fold(files, choose_victim(files));
		row = calloc(1, sizeof(*row));
	}
	if (row && !row->inode) {
		pthread_mutex_init(&row->lock, NULL);
		row->inode = inode_get(inode);
		row->epoch = files->epoch;
		files->row[files->used++] = row;
		rcu_store(&inode->stats, row);
	}
	pthread_mutex_unlock(&files->lock);
	inode_put(files->tree, dropped);
	return row;
}

/*
 * Counts into a row that is in the table; the caller holds its lock. What was counted before the
 * last reset goes: the epoch is read under the lock, so that no thread takes a row back to an old
 * one.
 */
static int count_now(struct files *files, struct file_stats *row, const struct op *op,
		     const uint64_t duration_ns[DURATIONS], bool sequential)
{
	uint64_t epoch = __atomic_load_n(&files->epoch, __ATOMIC_ACQUIRE);

	if (row->epoch != epoch) {
		file_counts_clear(&row->counts);
		row->epoch = epoch;
	}
	return file_counts_record(&row->counts, op, duration_ns, sequential);
}

void files_record(struct files *files, struct inode *inode, const struct op *op,
		  const uint64_t duration_ns[DURATIONS], bool sequential)
{
	struct file_stats *row;
	bool folded = true;
	int err = 0;

	while (folded && !err) {
		rcu_begin();
		row = rcu_load(&inode->stats);
		if (!row)
			row = add_row(files, inode);
		if (row) {
			pthread_mutex_lock(&row->lock);
			folded = row->folded;
			if (!folded)
				err = count_now(files, row, op, duration_ns, sequential);
			pthread_mutex_unlock(&row->lock);
		} else {
			err = -ENOMEM;
		}
		rcu_end();
	}
	if (err)
		__atomic_fetch_add(&files->lost, 1, __ATOMIC_RELAXED);
}

void files_count(struct files *files, uint32_t *ret_used, uint64_t *ret_evicted)
{
	pthread_mutex_lock(&files->lock);
	*ret_used = files->used;
	*ret_evicted = files->evicted;
	pthread_mutex_unlock(&files->lock);
}

void files_reset(struct files *files)
{
	pthread_mutex_lock(&files->lock);
	__atomic_add_fetch(&files->epoch, 1, __ATOMIC_RELEASE);
	files->evicted = 0;
	file_summary_done(&files->other);
	memset(&files->other, 0, sizeof(files->other));
	pthread_mutex_unlock(&files->lock);
}

static int describe(struct files *files, struct file_summary *file, const struct inode *inode)
{
	file->id = inode->id;
	file->dev = inode->dev;
	file->ino = inode->ino;
	file->generation = inode->birth_ns;
	file->names = tree_names(files->tree, inode);
	file->flags = (S_ISDIR(inode->type) ? FILE_F_DIR : 0u) |
		      (file->names || inode == files->tree->root ? 0u : FILE_F_DELETED);
	file->path = tree_path(files->tree, inode);
	return file->path ? 0 : -ENOMEM;
}

/* A row as it stood when the sum began: its time goes on, which a sort must not see. */
struct ranked {
	struct file_stats *row;
	uint64_t time_ns;
};

static int most_time_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->time_ns < y->time_ns ? 1 : x->time_ns > y->time_ns ? -1 : 0;
}

/* Whether anything was counted in the row since the last reset; the caller holds files->lock. */
static bool rank(const struct files *files, struct file_stats *row, struct ranked *ret_ranked)
{
	bool counted;

	pthread_mutex_lock(&row->lock);
	counted = row->epoch == files->epoch && row->counts.first_ns;
	*ret_ranked = (struct ranked){row, row->counts.time_ns};
	pthread_mutex_unlock(&row->lock);
	return counted;
}

static int sum_listed(struct files *files, struct summary *summary, struct file_stats *row)
{
	struct file_summary *file = summary_add_file(summary);
	int err = file ? describe(files, file, row->inode) : -ENOMEM;

	if (err)
		return err;
	pthread_mutex_lock(&row->lock);
	err = file_counts_sum(file, &row->counts);
	pthread_mutex_unlock(&row->lock);
	return err;
}

/* The row "(other)": what was folded, then the rows beyond those listed. */
static int sum_rest(struct files *files, struct summary *summary, const struct ranked *rows,
		    uint32_t from, uint32_t to)
{
	struct file_summary *other;
	int err;

	if (!files->other.files && from == to)
		return 0;
	other = summary_add_file(summary);
	if (!other)
		return -ENOMEM;
	other->flags = FILE_F_OTHER;
	other->path = strdup("(other)");
	err = other->path ? file_summary_merge(other, &files->other) : -ENOMEM;
	for (uint32_t i = from; i < to && !err; i++) {
		pthread_mutex_lock(&rows[i].row->lock);
		err = file_counts_sum(other, &rows[i].row->counts);
		pthread_mutex_unlock(&rows[i].row->lock);
	}
	return err;
}

int files_sum(struct files *files, struct summary *summary, uint64_t most)
{
	struct ranked *rows;
	uint32_t count = 0, listed;
	int err = 0;

	pthread_mutex_lock(&files->lock);
	rows = calloc(files->used + 1, sizeof(*rows));
	if (!rows)
		err = -ENOMEM;
	for (uint32_t i = 0; rows && i < files->used; i++)
		count += rank(files, files->row[i], &rows[count]);
	if (rows && most < count)
		qsort(rows, count, sizeof(rows[0]), most_time_first);
	listed = most < count ? (uint32_t)most : count;
	for (uint32_t i = 0; i < listed && !err; i++)
		err = sum_listed(files, summary, rows[i].row);
	if (!err)
		err = sum_rest(files, summary, rows, listed, count);
	pthread_mutex_unlock(&files->lock);
	free(rows);
	return err;
}
