// SPDX-License-Identifier: GPL-2.0-or-later
/* The file table: rows go and resets come, and the sums stay exact. */
#include "config.h"

#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/rng.h"
#include "fake.h"
#include "weirfs/files.h"

#define ROOM 16

/* All that can be added up. */
struct totals {
	uint64_t ops[OP_CLASSES];
	uint64_t errors;
	uint64_t bytes;
	uint64_t sequential;
	uint64_t opens;
	uint64_t size[SUMMARY_SIZE_BUCKETS];
	uint64_t count[DURATIONS];
	uint64_t sum_ns[DURATIONS];
};

struct table {
	struct tree tree;
	struct files files;
	uint64_t now_ns; /* time goes on with each operation */
};

static void start(struct table *table)
{
	struct statx root = fake_root();

	table->now_ns = 1;
	assert_int_equal(tree_init(&table->tree, &root), 0);
	assert_int_equal(files_init(&table->files, &table->tree, ROOM), 0);
}

static void end(struct table *table)
{
	assert_int_equal(table->files.lost, 0);
	files_done(&table->files);
	/* Nothing but the root is alive: every row has let its file go. */
	assert_int_equal(tree_done(&table->tree), 1);
}

static struct inode *file_of(struct tree *tree, uint64_t number)
{
	struct statx stx = fake_stx(100 + number, S_IFREG, 5);
	struct inode *inode = tree_inode(tree, &stx);
	char name[24];

	snprintf(name, sizeof(name), "file%u", (unsigned int)number);
	if (inode)
		tree_link(tree, tree->root, name, inode);
	return inode;
}

static struct op random_op(struct table *table, struct rng *rng)
{
	struct op op = {
		.kind = (uint8_t)rng_below(rng, OP_KINDS),
		.size = rng_below(rng, 1 << 20),
		.arrive_ns = __atomic_load_n(&table->now_ns, __ATOMIC_RELAXED),
	};

	op.done_ns = __atomic_add_fetch(&table->now_ns, 1, __ATOMIC_RELAXED);
	op.error = rng_below(rng, 5) ? 0 : 5;
	op.result = op.error ? 0 : op.size;
	return op;
}

static void random_durations(struct rng *rng, uint64_t ret_ns[DURATIONS])
{
	ret_ns[DUR_SERVICE] = rng_below(rng, 1 << 20);
	ret_ns[DUR_HOLD] = rng_below(rng, 2) * rng_below(rng, 1 << 24);
	ret_ns[DUR_TOTAL] = ret_ns[DUR_SERVICE] + ret_ns[DUR_HOLD];
}

/* Records a random operation on a file, and in totals. */
static void record(struct table *table, struct rng *rng, uint64_t number, struct totals *totals)
{
	struct inode *inode = file_of(&table->tree, number);
	bool sequential = rng_below(rng, 2);
	struct op op = random_op(table, rng);
	enum op_class class = op_class((enum op_kind)op.kind);
	uint64_t duration_ns[DURATIONS];

	random_durations(rng, duration_ns);
	files_record(&table->files, inode, &op, duration_ns, sequential);
	inode_put(&table->tree, inode);
	totals->ops[class]++;
	totals->errors += op.error != 0;
	totals->bytes += op.result;
	totals->sequential += sequential;
	totals->opens +=
		!op.error && (op.kind == OP_OPEN || op.kind == OP_CREATE || op.kind == OP_TMPFILE);
	if (class == OP_CLASS_READ || class == OP_CLASS_WRITE)
		totals->size[summary_size_bucket(op.size)]++;
	for (int i = 0; i < DURATIONS; i++) {
		totals->count[i] += i != DUR_HOLD || duration_ns[i];
		totals->sum_ns[i] += duration_ns[i];
	}
}

static void add_file(struct totals *totals, const struct file_summary *file)
{
	totals->errors += file_summary_errors(file);
	totals->bytes += file_summary_bytes(file);
	totals->sequential += file->sequential;
	totals->opens += file->opens;
	for (int i = 0; i < SUMMARY_SIZE_BUCKETS; i++)
		totals->size[i] += file->size[i];
	for (int class = 0; class < OP_CLASSES; class ++) {
		totals->ops[class] += file->class[class].ops;
		for (int i = 0; i < DURATIONS; i++) {
			const struct hist *hist = file->class[class].dur[i];

			totals->count[i] += hist ? hist->count : 0;
			totals->sum_ns[i] += hist ? hist->sum : 0;
		}
	}
}

/* Adds up the table with that many rows listed, checking the rows themselves. */
static struct totals sum_up(struct table *table, uint64_t most)
{
	struct totals totals = {{0}};
	uint64_t last_ns = UINT64_MAX;
	struct summary summary;

	summary_init(&summary);
	assert_int_equal(files_sum(&table->files, &summary, most), 0);
	for (size_t i = 0; i < summary.file_count; i++) {
		const struct file_summary *file = &summary.files[i];

		add_file(&totals, file);
		assert_true(file->first_ns <= file->last_ns);
		if (file->flags & FILE_F_OTHER) {
			assert_int_equal(i, summary.file_count - 1);
			assert_string_equal(file->path, "(other)");
			continue;
		}
		assert_true(i < most);
		assert_int_equal(file->files, 1);
		/* Sorted when not all are wanted. */
		assert_true(most >= ROOM || file_summary_time(file, DUR_TOTAL) <= last_ns);
		last_ns = file_summary_time(file, DUR_TOTAL);
	}
	summary_done(&summary);
	return totals;
}

static void check_totals(struct table *table, const struct totals *wanted)
{
	static const uint64_t most[] = {UINT64_MAX, ROOM, 5, 1, 0};

	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
		struct totals totals = sum_up(table, most[i]);

		assert_memory_equal(&totals, wanted, sizeof(totals));
	}
}

static void rows_and_other_are_all_there_was(void **state)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct rng rng = {.state = seed};
		struct totals totals = {{0}};
		struct table table;
		uint64_t evicted;
		uint32_t used;

		start(&table);
		for (int i = 0; i < 2000; i++) {
			record(&table, &rng, rng_below(&rng, 5 * ROOM), &totals);
			if (i % 250 == 0)
				check_totals(&table, &totals);
		}
		check_totals(&table, &totals);
		files_count(&table.files, &used, &evicted);
		assert_int_equal(used, ROOM);
		assert_true(evicted >= 4 * ROOM);
		end(&table);
	}
}

static void a_reset_begins_at_zero(void **state)
{
	struct totals totals = {{0}}, none = {{0}};
	struct rng rng = {.state = 1};
	struct table table;
	uint64_t evicted;
	uint32_t used;

	start(&table);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 500; i++)
			record(&table, &rng, rng_below(&rng, 2 * ROOM), &totals);
		check_totals(&table, &totals);
		files_reset(&table.files);
		check_totals(&table, &none);
		files_count(&table.files, &used, &evicted);
		assert_int_equal(evicted, 0);
		totals = none;
	}
	/* A row from before that is folded now has nothing to add. */
	for (uint64_t i = 0; i < 4 * ROOM; i++)
		record(&table, &rng, 1000 + i, &totals);
	check_totals(&table, &totals);
	end(&table);
}

static void rows_know_their_file(void **state)
{
	const uint64_t duration_ns[DURATIONS] = {[DUR_SERVICE] = 100, [DUR_TOTAL] = 100};
	struct op op = {.kind = OP_READ, .size = 10, .result = 10, .arrive_ns = 7, .done_ns = 107};
	struct file_summary *file;
	struct summary summary;
	struct table table;
	struct inode *inode;

	start(&table);
	inode = file_of(&table.tree, 1);
	assert_int_equal(tree_link(&table.tree, table.tree.root, "second", inode), 0);
	files_record(&table.files, inode, &op, duration_ns, true);
	op.arrive_ns = 200;
	op.done_ns = 300;
	files_record(&table.files, inode, &op, duration_ns, false);
	tree_unlink(&table.tree, table.tree.root, "second", true);
	tree_unlink(&table.tree, table.tree.root, "file1", true);
	summary_init(&summary);
	assert_int_equal(files_sum(&table.files, &summary, 10), 0);
	assert_int_equal(summary.file_count, 1);
	file = &summary.files[0];
	assert_int_equal(file->id, inode->id);
	assert_int_equal(file->ino, 101);
	assert_int_equal(file->names, 0);
	assert_int_equal(file->flags, FILE_F_DELETED);
	assert_string_equal(file->path, "/file1");
	assert_int_equal(file->first_ns, 7);
	assert_int_equal(file->last_ns, 300);
	assert_int_equal(file->sequential, 1);
	summary_done(&summary);
	/* The row keeps the file, whatever the kernel forgets. */
	inode_put(&table.tree, inode);
	assert_int_equal(table.tree.inodes, 2);
	end(&table);
}

/* --- threads -------------------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS 10000
#define RESETS 40

struct crowd {
	struct table table;
	uint64_t begun; /* operations that threads were about to record */
	uint64_t ended; /* ... and have recorded */
};

struct job {
	struct crowd *crowd;
	pthread_t thread;
	struct rng rng;
	struct totals totals;
};

static void *record_at_random(void *arg)
{
	struct job *job = arg;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t number = rng_below(&job->rng, 2 * ROOM);

		__atomic_fetch_add(&job->crowd->begun, 1, __ATOMIC_SEQ_CST);
		record(&job->crowd->table, &job->rng, number, &job->totals);
		__atomic_fetch_add(&job->crowd->ended, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void start_crowd(struct job jobs[THREADS], struct crowd *crowd)
{
	start(&crowd->table);
	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){.crowd = crowd, .rng = {.state = (uint64_t)i + 1}};
		assert_int_equal(pthread_create(&jobs[i].thread, NULL, record_at_random, &jobs[i]),
				 0);
	}
}

static void join_crowd(struct job jobs[THREADS])
{
	for (int i = 0; i < THREADS; i++)
		pthread_join(jobs[i].thread, NULL);
}

static void merge(struct totals *into, const struct totals *from)
{
	uint64_t *to = (uint64_t *)into;

	for (size_t i = 0; i < sizeof(*into) / sizeof(*to); i++)
		to[i] += ((const uint64_t *)from)[i];
}

static uint64_t all_ops(const struct totals *totals)
{
	uint64_t ops = 0;

	for (int i = 0; i < OP_CLASSES; i++)
		ops += totals->ops[i];
	return ops;
}

static void threads_lose_nothing(void **state)
{
	struct totals totals = {{0}};
	struct crowd crowd = {.begun = 0};
	struct job jobs[THREADS];

	start_crowd(jobs, &crowd);
	while (__atomic_load_n(&crowd.ended, __ATOMIC_SEQ_CST) < THREADS * ROUNDS) {
		/* Whoever looks meanwhile is in nobody's way. */
		totals = sum_up(&crowd.table, UINT64_MAX);
		assert_true(all_ops(&totals) <= THREADS * ROUNDS);
		sched_yield();
	}
	join_crowd(jobs);
	memset(&totals, 0, sizeof(totals));
	for (int i = 0; i < THREADS; i++)
		merge(&totals, &jobs[i].totals);
	check_totals(&crowd.table, &totals);
	end(&crowd.table);
}

/* What began after the last reset is counted, what had ended before it is not. */
static void resets_between_lose_nothing(void **state)
{
	uint64_t ended_before = 0, begun_until = 0;
	struct crowd crowd = {.begun = 0};
	struct job jobs[THREADS];
	struct totals totals;

	start_crowd(jobs, &crowd);
	for (uint64_t i = 1; i <= RESETS; i++) {
		while (__atomic_load_n(&crowd.ended, __ATOMIC_SEQ_CST) <
		       i * THREADS * ROUNDS / (RESETS + 2))
			sched_yield();
		ended_before = __atomic_load_n(&crowd.ended, __ATOMIC_SEQ_CST);
		files_reset(&crowd.table.files);
		begun_until = __atomic_load_n(&crowd.begun, __ATOMIC_SEQ_CST);
	}
	join_crowd(jobs);
	totals = sum_up(&crowd.table, UINT64_MAX);
	assert_true(all_ops(&totals) <= THREADS * ROUNDS - ended_before);
	assert_true(all_ops(&totals) >= THREADS * ROUNDS - begun_until);
	end(&crowd.table);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("rows and (other) together are all there was",
		     rows_and_other_are_all_there_was),
		TEST("a reset begins at zero", a_reset_begins_at_zero),
		TEST("rows know their file and keep it", rows_know_their_file),
		TEST("threads that record at once lose nothing", threads_lose_nothing),
		TEST("resets between them lose nothing that began later",
		     resets_between_lose_nothing),
	};

	return RUN(tests);
}
