// SPDX-License-Identifier: GPL-2.0-or-later
/* The operation table: every name is found again, and stamps become the three durations. */
#include "config.h"

#include "test.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "core/op.h"

static void names_parse_back(void **state)
{
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		enum op_kind found;

		assert_int_equal(op_parse(op_name(kind), &found), 0);
		assert_int_equal(found, kind);
	}
}

static void names_are_fit_for_keys(void **state)
{
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		for (const char *at = op_name(kind); *at; at++)
			assert_true(islower((unsigned char)*at) || *at == '_');
	}
}

static void unknown_names_are_refused(void **state)
{
	static const char *const names[] = {"", "rea", "reads", "READ", "all", "meta", "?"};
	enum op_kind kind = OP_LINK;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(op_parse(names[i], &kind), -ENOENT);
	assert_int_equal(kind, OP_LINK);
}

static void out_of_range_has_a_name(void **state)
{
	assert_string_equal(op_name(OP_KINDS), "?");
	assert_string_equal(op_class_name(OP_CLASSES), "?");
	assert_string_equal(duration_name(DURATIONS), "?");
	assert_string_equal(op_name(UINT32_MAX), "?");
}

static uint64_t mask_of(const char *word)
{
	uint64_t mask = 0;

	assert_int_equal(op_parse_mask(word, strlen(word), &mask), 0);
	return mask;
}

static void words_become_masks(void **state)
{
	uint64_t meta = 0, sync = 0;

	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		if (op_class((enum op_kind)kind) == OP_CLASS_META)
			meta |= UINT64_C(1) << kind;
		if (op_class((enum op_kind)kind) == OP_CLASS_SYNC)
			sync |= UINT64_C(1) << kind;
	}
	assert_true(mask_of("meta") == meta);
	assert_true(mask_of("sync") == sync);
	assert_true(mask_of("read") == UINT64_C(1) << OP_READ);
	assert_true(mask_of("write") == UINT64_C(1) << OP_WRITE);
	assert_true(mask_of("getattr") == UINT64_C(1) << OP_GETATTR);
	assert_true(mask_of("all") == (UINT64_C(1) << OP_KINDS) - 1);
}

static void masks_need_whole_words(void **state)
{
	uint64_t mask = 42;

	assert_int_equal(op_parse_mask("reads", 5, &mask), -ENOENT);
	assert_int_equal(op_parse_mask("rea", 3, &mask), -ENOENT);
	assert_int_equal(op_parse_mask("", 0, &mask), -ENOENT);
	assert_true(mask == 42);
	assert_int_equal(op_parse_mask("read:20ms", 4, &mask), 0);
	assert_true(mask == UINT64_C(1) << OP_READ);
}

static void durations_come_from_stamps(void **state)
{
	struct op op = {.arrive_ns = 100,
			.issued_ns = 110,
			.backed_ns = 150,
			.due_ns = 400,
			.done_ns = 420};
	uint64_t ns[DURATIONS];

	op_durations(&op, ns);
	assert_int_equal(ns[DUR_SERVICE], 40);
	assert_int_equal(ns[DUR_HOLD], 270);
	assert_int_equal(ns[DUR_TOTAL], 320);
}

static void nothing_held_is_no_hold(void **state)
{
	struct op op = {.arrive_ns = 100,
			.issued_ns = 110,
			.backed_ns = 150,
			.due_ns = 120,
			.done_ns = 160};
	uint64_t ns[DURATIONS];

	op_durations(&op, ns);
	assert_int_equal(ns[DUR_HOLD], 0);
	op.due_ns = 0;
	op_durations(&op, ns);
	assert_int_equal(ns[DUR_HOLD], 0);
	assert_int_equal(ns[DUR_TOTAL], 60);
}

static void what_did_not_happen_took_no_time(void **state)
{
	struct op op = {.arrive_ns = 100, .due_ns = 400, .done_ns = 420};
	uint64_t ns[DURATIONS];

	op_durations(&op, ns);
	assert_int_equal(ns[DUR_SERVICE], 0);
	assert_int_equal(ns[DUR_TOTAL], 320);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("every operation's name is found again", names_parse_back),
		TEST("operations' names are lower case, fit for keys", names_are_fit_for_keys),
		TEST("names that are none are refused", unknown_names_are_refused),
		TEST("numbers out of range are called ?", out_of_range_has_a_name),
		TEST("names, classes and all become masks", words_become_masks),
		TEST("masks take whole words only", masks_need_whole_words),
		TEST("service, hold and total come from the stamps", durations_come_from_stamps),
		TEST("a reply that was not due later was not held", nothing_held_is_no_hold),
		TEST("what did not reach the storage had no service time",
		     what_did_not_happen_took_no_time),
	};

	return RUN(tests);
}
