// SPDX-License-Identifier: GPL-2.0-or-later
/* Summaries: rows that merge without losing a count. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/summary.h"

static void record(struct file_summary *file, enum op_class class, uint64_t bytes, uint64_t ns)
{
	struct class_summary *row = &file->class[class];

	for (int i = 0; i < DURATIONS; i++) {
		if (!row->dur[i])
			row->dur[i] = hist_new(HIST_FILE_BITS);
		hist_record(row->dur[i], ns + (uint64_t)i);
	}
	row->ops++;
	row->bytes += bytes;
	file->size[summary_size_bucket(bytes)]++;
}

static void files_add_up(void **state)
{
	struct summary summary;
	struct file_summary *one, other = {.files = 1, .first_ns = 50, .last_ns = 60, .opens = 1};
	struct file_summary into = {0};
	struct hist *all = hist_new(HIST_FILE_BITS);

	summary_init(&summary);
	one = summary_add_file(&summary);
	*one = (struct file_summary){.files = 1, .first_ns = 100, .last_ns = 200, .opens = 2};
	record(one, OP_CLASS_READ, 4096, 1000);
	record(one, OP_CLASS_WRITE, 100, 2000);
	record(&other, OP_CLASS_READ, 4096, 3000);
	other.class[OP_CLASS_META].ops = 5;
	other.class[OP_CLASS_META].errors = 2;

	assert_int_equal(file_summary_merge(&into, one), 0);
	assert_int_equal(file_summary_merge(&into, &other), 0);
	assert_int_equal(file_summary_ops(&into), 8);
	assert_int_equal(file_summary_errors(&into), 2);
	assert_int_equal(file_summary_bytes(&into), 8292);
	assert_int_equal(file_summary_time(&into, DUR_SERVICE), 6000);
	assert_int_equal(file_summary_time(&into, DUR_HOLD), 6003);
	assert_int_equal(into.files, 2);
	assert_int_equal(into.opens, 3);
	assert_int_equal(into.first_ns, 50);
	assert_int_equal(into.last_ns, 200);
	assert_int_equal(into.size[12], 2);
	assert_int_equal(into.size[7], 1);
	file_summary_hist(&into, DUR_SERVICE, all);
	assert_int_equal(all->count, 3);
	assert_int_equal(all->max, 3000);

	free(all);
	file_summary_done(&into);
	file_summary_done(&other);
	summary_done(&summary);
}

static void unlike_histograms_are_refused(void **state)
{
	struct file_summary into = {0}, from = {0};

	into.class[OP_CLASS_READ].dur[DUR_HOLD] = hist_new(HIST_FILE_BITS);
	from.class[OP_CLASS_READ].dur[DUR_HOLD] = hist_new(HIST_OP_BITS);
	assert_int_equal(file_summary_merge(&into, &from), -EINVAL);
	file_summary_done(&into);
	file_summary_done(&from);
}

static void rows_survive_growth(void **state)
{
	struct summary summary;

	summary_init(&summary);
	for (uint64_t i = 0; i < 1000; i++) {
		struct file_summary *file = summary_add_file(&summary);
		struct error_summary *error = summary_add_error(&summary);

		assert_int_equal(file->id, 0);
		assert_null(file->path);
		file->id = i + 1;
		file->path = strdup("/x");
		error->count = i;
	}
	for (uint64_t i = 0; i < 1000; i++) {
		assert_int_equal(summary.files[i].id, i + 1);
		assert_int_equal(summary.errors[i].count, i);
	}
	summary_done(&summary);
	assert_int_equal(summary.file_count, 0);
}

static void counters_and_properties_are_found(void **state)
{
	struct summary summary;

	summary_init(&summary);
	assert_int_equal(summary_add_counter(&summary, "in_flight", 3), 0);
	assert_int_equal(summary_add_counter(&summary, "evicted", UINT64_MAX), 0);
	assert_int_equal(summary_add_property(&summary, "source", "/data"), 0);
	assert_int_equal(summary_counter(&summary, "in_flight"), 3);
	assert_true(summary_counter(&summary, "evicted") == UINT64_MAX);
	assert_int_equal(summary_counter(&summary, "evict"), 0);
	assert_string_equal(summary_property(&summary, "source"), "/data");
	assert_null(summary_property(&summary, "target"));
	summary_done(&summary);
}

static void sizes_go_by_powers_of_two(void **state)
{
	static const struct {
		uint64_t bytes;
		unsigned int bucket;
	} cases[] = {{0, 0},     {1, 0},        {2, 1},        {3, 2},          {4096, 12},
		     {4097, 13}, {1048576, 20}, {1048577, 21}, {UINT64_MAX, 21}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(summary_size_bucket(cases[i].bytes), cases[i].bucket);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("two files' rows add up to the last count", files_add_up),
		TEST("rows with unlike histograms are refused", unlike_histograms_are_refused),
		TEST("rows survive the growth of their table, and begin empty",
		     rows_survive_growth),
		TEST("counters and properties are found by their whole name",
		     counters_and_properties_are_found),
		TEST("sizes are counted by the power of two they fit in",
		     sizes_go_by_powers_of_two),
	};

	return RUN(tests);
}
