// SPDX-License-Identifier: GPL-2.0-or-later
/* The difference of two snapshots is what happened between them. */
#include "config.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "tools/delta.h"

/* Records an operation of a file and of the whole. */
static void record(struct summary *summary, struct file_summary *file, enum op_kind kind,
		   uint64_t ns)
{
	struct op_summary *op = &summary->op[kind];
	struct class_summary *class = &file->class[op_class(kind)];

	if (!op->dur[DUR_TOTAL])
		op->dur[DUR_TOTAL] = hist_new(HIST_OP_BITS);
	if (!class->dur[DUR_TOTAL])
		class->dur[DUR_TOTAL] = hist_new(HIST_FILE_BITS);
	op->ops++;
	op->bytes += 10;
	class->ops++;
	class->bytes += 10;
	hist_record(op->dur[DUR_TOTAL], ns);
	hist_record(class->dur[DUR_TOTAL], ns);
}

static struct file_summary *file_of(struct summary *summary, uint64_t id)
{
	for (size_t i = 0; i < summary->file_count; i++) {
		if (summary->files[i].id == id)
			return &summary->files[i];
	}
	return NULL;
}

static struct file_summary *add_file(struct summary *summary, uint64_t id, uint64_t first_ns)
{
	struct file_summary *file = summary_add_file(summary);

	file->id = id;
	file->files = 1;
	file->first_ns = first_ns;
	file->path = strdup("/file");
	return file;
}

static void check_same(const struct hist *a, const struct hist *b)
{
	assert_non_null(a);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->sum, b->sum);
	assert_memory_equal(a->bucket, b->bucket, a->buckets * sizeof(a->bucket[0]));
	/* Extremes are known to the bucket at least. */
	assert_int_equal(hist_index(a->bits, a->min), hist_index(a->bits, b->min));
	assert_int_equal(hist_index(a->bits, a->max), hist_index(a->bits, b->max));
}

static void random_intervals_are_told_exactly(void **state)
{
	struct rng rng = {7};

	for (unsigned int round = 0; round < 200; round++) {
		struct summary before, after, between, delta;
		unsigned int early = rng_below(&rng, 50), late = 1 + rng_below(&rng, 50);

		summary_init(&before);
		summary_init(&after);
		summary_init(&between);
		add_file(&before, 1, 5);
		add_file(&after, 1, 5);
		add_file(&between, 1, 5);
		for (unsigned int i = 0; i < early + late; i++) {
			uint64_t ns = rng_below(&rng, 1u << (4 + rng_below(&rng, 26)));

			record(&after, &after.files[0], OP_READ, ns);
			if (i < early)
				record(&before, &before.files[0], OP_READ, ns);
			else
				record(&between, &between.files[0], OP_READ, ns);
		}
		assert_int_equal(delta_make(&before, &after, 100, &delta), 0);
		assert_int_equal(delta.op[OP_READ].ops, late);
		assert_int_equal(delta.op[OP_READ].bytes, late * 10);
		check_same(delta.op[OP_READ].dur[DUR_TOTAL], between.op[OP_READ].dur[DUR_TOTAL]);
		assert_int_equal(delta.file_count, 1);
		check_same(delta.files[0].class[OP_CLASS_READ].dur[DUR_TOTAL],
			   between.files[0].class[OP_CLASS_READ].dur[DUR_TOTAL]);
		summary_done(&before);
		summary_done(&after);
		summary_done(&between);
		summary_done(&delta);
	}
}

static void what_did_not_move_is_left_out(void **state)
{
	struct summary before, after, delta;

	summary_init(&before);
	summary_init(&after);
	record(&before, add_file(&before, 1, 5), OP_READ, 100);
	record(&after, add_file(&after, 1, 5), OP_READ, 100);
	assert_int_equal(delta_make(&before, &after, 100, &delta), 0);
	assert_int_equal(delta.op[OP_READ].ops, 0);
	assert_null(delta.op[OP_READ].dur[DUR_TOTAL]);
	assert_int_equal(delta.file_count, 0);
	summary_done(&before);
	summary_done(&after);
	summary_done(&delta);
}

static void a_new_file_counts_and_an_unlisted_one_does_not(void **state)
{
	struct summary before, after, delta;

	summary_init(&before);
	summary_init(&after);
	record(&before, add_file(&before, 9, 5), OP_READ, 100);
	/* In another order than before, with one that is new and one that was not listed. */
	record(&after, add_file(&after, 12, 200), OP_READ, 100);
	record(&after, add_file(&after, 3, 50), OP_READ, 100);
	record(&after, add_file(&after, 9, 5), OP_READ, 100);
	record(&after, &after.files[2], OP_READ, 100);
	assert_int_equal(delta_make(&before, &after, 100, &delta), 0);
	assert_int_equal(delta.file_count, 2);
	assert_int_equal(file_summary_ops(file_of(&delta, 12)), 1);
	assert_int_equal(file_summary_ops(file_of(&delta, 9)), 1);
	assert_null(file_of(&delta, 3));
	summary_done(&before);
	summary_done(&after);
	summary_done(&delta);
}

static void after_a_reset_all_counts(void **state)
{
	struct summary before, after, delta;

	summary_init(&before);
	summary_init(&after);
	summary_add_counter(&before, "since_reset_ns", 1000);
	summary_add_counter(&after, "since_reset_ns", 10);
	record(&before, add_file(&before, 1, 5), OP_READ, 100);
	record(&after, add_file(&after, 1, 5), OP_READ, 300);
	record(&after, &after.files[0], OP_READ, 500);
	assert_true(delta_restarted(&before, &after));
	assert_int_equal(delta_make(&before, &after, 100, &delta), 0);
	assert_int_equal(delta.op[OP_READ].ops, 2);
	assert_int_equal(delta.op[OP_READ].dur[DUR_TOTAL]->min, 300);
	assert_int_equal(file_summary_ops(file_of(&delta, 1)), 2);
	summary_done(&before);
	summary_done(&after);
	summary_done(&delta);
}

static void errors_are_subtracted_by_kind_and_number(void **state)
{
	struct summary before, after, delta;

	summary_init(&before);
	summary_init(&after);
	*summary_add_error(&before) = (struct error_summary){OP_READ, 5, 3};
	*summary_add_error(&after) = (struct error_summary){OP_WRITE, 5, 4};
	*summary_add_error(&after) = (struct error_summary){OP_READ, 5, 3};
	*summary_add_error(&after) = (struct error_summary){OP_READ, 2, 1};
	assert_int_equal(delta_make(&before, &after, 0, &delta), 0);
	assert_int_equal(delta.error_count, 2);
	assert_int_equal(delta.errors[0].kind, OP_WRITE);
	assert_int_equal(delta.errors[0].count, 4);
	assert_int_equal(delta.errors[1].error, 2);
	summary_done(&before);
	summary_done(&after);
	summary_done(&delta);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("a random interval is told exactly", random_intervals_are_told_exactly),
		TEST("what did not move is left out", what_did_not_move_is_left_out),
		TEST("a new file counts, one that was only not listed does not",
		     a_new_file_counts_and_an_unlisted_one_does_not),
		TEST("after a reset all of the later snapshot counts", after_a_reset_all_counts),
		TEST("errors are subtracted by operation and number",
		     errors_are_subtracted_by_kind_and_number),
	};

	return RUN(tests);
}
