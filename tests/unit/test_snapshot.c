// SPDX-License-Identifier: GPL-2.0-or-later
/* Snapshots: a summary comes back whole, and torn or foreign ones are refused with a reason. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/snapshot.h"

static struct hist *hist_of(uint32_t bits, uint64_t from, uint64_t step, int n)
{
	struct hist *hist = hist_new(bits);

	for (int i = 0; i < n; i++)
		hist_record(hist, from + step * (uint64_t)i);
	return hist;
}

static void fill(struct summary *summary)
{
	struct file_summary *file;
	struct error_summary *error;

	summary_init(summary);
	summary_add_property(summary, "source", "/srv/a b\n\xff");
	summary_add_counter(summary, "in_flight", UINT64_MAX);
	summary->op[OP_READ].ops = 100;
	summary->op[OP_READ].errors = 3;
	summary->op[OP_READ].bytes = UINT64_C(1) << 50;
	summary->op[OP_READ].size[12] = 100;
	for (int i = 0; i < DURATIONS; i++)
		summary->op[OP_READ].dur[i] = hist_of(HIST_OP_BITS, 1000, 77777, 100 * (i + 1));
	error = summary_add_error(summary);
	*error = (struct error_summary){.kind = OP_LOOKUP, .error = ENOENT, .count = 9};
	file = summary_add_file(summary);
	*file = (struct file_summary){.id = 7,
				      .dev = 2049,
				      .ino = UINT64_MAX,
				      .generation = 5,
				      .flags = FILE_F_DELETED,
				      .names = 2,
				      .first_ns = 10,
				      .last_ns = 20,
				      .sequential = 3,
				      .opens = 4,
				      .files = 1};
	file->path = strdup("/\xff/x");
	file->class[OP_CLASS_SYNC].ops = 5;
	file->class[OP_CLASS_SYNC].dur[DUR_HOLD] = hist_of(HIST_FILE_BITS, 1, UINT64_C(1) << 35, 3);
	file = summary_add_file(summary);
	file->flags = FILE_F_OTHER;
	file->files = 123456;
}

static void assert_hists_equal(const struct hist *left, const struct hist *right)
{
	assert_int_equal(left == NULL, right == NULL);
	if (!left || !right)
		return;
	assert_int_equal(left->bits, right->bits);
	assert_memory_equal(left, right, hist_bytes(left->bits));
}

static void assert_files_equal(const struct file_summary *left, const struct file_summary *right)
{
	assert_true(left->id == right->id && left->dev == right->dev && left->ino == right->ino);
	assert_true(left->generation == right->generation && left->flags == right->flags);
	assert_true(left->names == right->names && left->files == right->files);
	assert_true(left->first_ns == right->first_ns && left->last_ns == right->last_ns);
	assert_true(left->sequential == right->sequential && left->opens == right->opens);
	assert_string_equal(left->path ? left->path : "", right->path ? right->path : "");
	assert_memory_equal(left->size, right->size, sizeof(left->size));
	for (int i = 0; i < OP_CLASSES; i++) {
		assert_int_equal(left->class[i].ops, right->class[i].ops);
		for (int d = 0; d < DURATIONS; d++)
			assert_hists_equal(left->class[i].dur[d], right->class[i].dur[d]);
	}
}

static void summaries_come_back(void **state)
{
	struct summary summary, back;
	struct bytes out = {0};
	struct diag diag = {0};
	const struct op_summary *read = &back.op[OP_READ];

	fill(&summary);
	snapshot_encode(&summary, &out);
	assert_false(out.failed);
	assert_int_equal(snapshot_decode(out.data, out.len, &back, &diag), 0);
	assert_string_equal(summary_property(&back, "source"), "/srv/a b\n\xff");
	assert_true(summary_counter(&back, "in_flight") == UINT64_MAX);
	assert_true(read->ops == 100 && read->errors == 3 && read->bytes == UINT64_C(1) << 50);
	assert_memory_equal(read->size, summary.op[OP_READ].size, sizeof(read->size));
	for (int i = 0; i < DURATIONS; i++)
		assert_hists_equal(read->dur[i], summary.op[OP_READ].dur[i]);
	assert_int_equal(back.error_count, 1);
	assert_memory_equal(back.errors, summary.errors, sizeof(*back.errors));
	assert_int_equal(back.file_count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_files_equal(&back.files[i], &summary.files[i]);
	summary_done(&summary);
	summary_done(&back);
	bytes_done(&out);
}

static void other_geometries_are_refused(void **state)
{
	struct summary summary, back;
	struct bytes out = {0};
	struct diag diag = {0};

	(void)state;
	fill(&summary);
	free(summary.op[OP_READ].dur[DUR_TOTAL]);
	summary.op[OP_READ].dur[DUR_TOTAL] = hist_of(HIST_FILE_BITS, 100, 10, 5);
	snapshot_encode(&summary, &out);
	assert_int_equal(snapshot_decode(out.data, out.len, &back, &diag), -EPROTO);
	assert_non_null(strstr(diag.text, "geometry"));
	summary_done(&summary);
	bytes_done(&out);
}

static void torn_ones_are_refused(void **state)
{
	struct summary summary, back;
	struct bytes out = {0};

	fill(&summary);
	snapshot_encode(&summary, &out);
	for (size_t len = 0; len < out.len; len++) {
		struct diag diag = {0};
		uint8_t *copy = malloc(len ? len : 1);
		int err = snapshot_decode(memcpy(copy, out.data, len), len, &back, &diag);

		assert_true(err == -EPROTO || err == -EPROTONOSUPPORT);
		assert_true(diag.text[0] != '\0');
		free(copy);
	}
	summary_done(&summary);
	bytes_done(&out);
}

static void damaged_ones_do_no_harm(void **state)
{
	struct summary summary, back;
	struct bytes out = {0};

	fill(&summary);
	snapshot_encode(&summary, &out);
	for (size_t at = 0; at < out.len; at++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			struct diag diag = {0};

			out.data[at] ^= (uint8_t)(1u << bit);
			if (!snapshot_decode(out.data, out.len, &back, &diag))
				summary_done(&back);
			else
				assert_true(diag.text[0] != '\0');
			out.data[at] ^= (uint8_t)(1u << bit);
		}
	}
	summary_done(&summary);
	bytes_done(&out);
}

static void unknown_records_are_passed_over(void **state)
{
	static const uint8_t data[] = {'W', 'E', 'I', 'R', 'S', 'N', 'A', 'P',
				       1,   99,  2,   'x', 'y', 0,   0};
	struct summary summary;
	struct diag diag = {0};

	assert_int_equal(snapshot_decode(data, sizeof(data), &summary, &diag), 0);
	assert_int_equal(summary.file_count, 0);
	summary_done(&summary);
}

static void newer_versions_are_refused_by_name(void **state)
{
	static const uint8_t data[] = {'W', 'E', 'I', 'R', 'S', 'N', 'A', 'P', 77, 0, 0};
	struct summary summary;
	struct diag diag = {0};

	assert_int_equal(snapshot_decode(data, sizeof(data), &summary, &diag), -EPROTONOSUPPORT);
	assert_non_null(strstr(diag.text, "77"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("a summary comes back whole", summaries_come_back),
		TEST("a histogram of another geometry is refused", other_geometries_are_refused),
		TEST("one that is cut at any byte is refused with a reason", torn_ones_are_refused),
		TEST("a flipped bit anywhere does no harm", damaged_ones_do_no_harm),
		TEST("records of unknown kind are passed over", unknown_records_are_passed_over),
		TEST("a newer version is refused, and named", newer_versions_are_refused_by_name),
	};

	return RUN(tests);
}
