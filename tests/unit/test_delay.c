// SPDX-License-Identifier: GPL-2.0-or-later
/* The delay model on literal numbers. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <string.h>

#include "model/delay.h"

#define MS UINT64_C(1000000)
#define START UINT64_C(5000000000)

static struct delay *delay_of(const char *rules)
{
	struct delay *delay = NULL;
	struct diag diag = {0};

	if (delay_new(rules, &delay, &diag))
		fail_msg("%s: %s", rules, diag.text);
	return delay;
}

/* How long the rules delay an operation on a path. */
static uint64_t delay_for(const char *rules, enum op_kind kind, const char *path)
{
	struct delay *delay = delay_of(rules);
	struct op op = {.seq = 1, .kind = (uint8_t)kind};
	uint64_t done = delay_schedule(delay, &op, delay_match(delay, path), START);

	delay_free(delay);
	assert_true(done >= START);
	return done - START;
}

static void named_operations_are_delayed(void **state)
{
	assert_int_equal(delay_for("read:20ms", OP_READ, "/f"), 20 * MS);
	assert_int_equal(delay_for("read:20ms", OP_WRITE, "/f"), 0);
	assert_int_equal(delay_for("meta:1ms", OP_GETATTR, "/f"), MS);
	assert_int_equal(delay_for("meta:1ms", OP_READ, "/f"), 0);
	assert_int_equal(delay_for("all:2us", OP_SYNCFS, NULL), 2000);
	assert_int_equal(delay_for("read:0", OP_READ, "/f"), 0);
}

static void the_longest_rule_counts(void **state)
{
	assert_int_equal(delay_for("all:1ms,read:20ms", OP_READ, "/f"), 20 * MS);
	assert_int_equal(delay_for("read:20ms+all:1ms", OP_READ, "/f"), 20 * MS);
	assert_int_equal(delay_for("all:1ms,read:20ms", OP_OPEN, "/f"), MS);
}

static void globs_choose_files(void **state)
{
	assert_int_equal(delay_for("read@*.db:20ms", OP_READ, "/a/b.db"), 20 * MS);
	assert_int_equal(delay_for("read@*.db:20ms", OP_READ, "/a/b.dbx"), 0);
	assert_int_equal(delay_for("read@/logs/*:20ms", OP_READ, "/logs/x/y"), 20 * MS);
	assert_int_equal(delay_for("read@*.db:20ms", OP_READ, NULL), 0);
	assert_int_equal(delay_for("read@*.db:20ms,read:1ms", OP_READ, NULL), MS);
}

static void the_need_of_paths_is_known(void **state)
{
	struct delay *with = delay_of("read:1ms,write@*.db:2ms"), *without = delay_of("read:1ms");

	assert_true(delay_wants_path(with));
	assert_false(delay_wants_path(without));
	assert_string_equal(delay_text(with), "read:1ms,write@*.db:2ms");
	delay_free(with);
	delay_free(without);
}

/* How many of n operations a rule delays; bit i of ret_first tells of operation i. */
static unsigned int drawn(const char *rules, unsigned int n, uint64_t *ret_first)
{
	struct delay *delay = delay_of(rules);
	unsigned int delayed = 0;

	*ret_first = 0;
	for (unsigned int i = 0; i < n; i++) {
		struct op op = {.seq = i + 1, .kind = OP_READ};
		bool late = delay_schedule(delay, &op, delay_match(delay, NULL), START) > START;

		delayed += late;
		if (i < 64 && late)
			*ret_first |= UINT64_C(1) << i;
	}
	delay_free(delay);
	return delayed;
}

static void shares_are_kept(void **state)
{
	uint64_t first;

	assert_int_equal(drawn("read:1ms:0%", 10000, &first), 0);
	assert_int_equal(drawn("read:1ms:100%", 10000, &first), 10000);
	/* Five standard deviations of a binomial of 10000 and 0.3. */
	assert_in_range(drawn("read:1ms:30%", 10000, &first), 3000 - 230, 3000 + 230);
	assert_in_range(drawn("read:1ms:0.3", 10000, &first), 3000 - 230, 3000 + 230);
}

static void runs_repeat(void **state)
{
	uint64_t first, again;

	drawn("read:1ms:50%", 64, &first);
	drawn("read:1ms:50%", 64, &again);
	assert_true(first == again);
	assert_true(first != 0 && first != UINT64_MAX);
}

static void bad_rules_are_refused_with_a_reason(void **state)
{
	static const char *const rules[] = {
		"",          "read",       "read:",         "read:20",   "read:x",
		"reads:1ms", "read:1ms:2", "read:1ms:101%", ":1ms",      "read:1ms,bad",
		"read:-1ms", "read:2d",    "read:1ms:",     "@*.db:1ms", "read:1ms:1%:x"};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct delay *delay = NULL;
		struct diag diag = {0};

		if (delay_new(rules[i], &delay, &diag) != -EINVAL)
			fail_msg("\"%s\" was taken", rules[i]);
		assert_null(delay);
		assert_true(diag.text[0] != '\0');
	}
}

static void too_many_rules_are_refused(void **state)
{
	char rules[(DELAY_RULES_MAX + 1) * 9 + 1] = "";
	struct delay *delay = NULL;
	struct diag diag = {0};

	for (int i = 0; i <= DELAY_RULES_MAX; i++)
		memcpy(rules + i * 9, "read:1ms,", 10);
	assert_int_equal(delay_new(rules, &delay, &diag), -EINVAL);
	rules[DELAY_RULES_MAX * 9] = '\0';
	assert_int_equal(delay_new(rules, &delay, &diag), 0);
	assert_true(delay_match(delay, NULL) == UINT32_MAX);
	delay_free(delay);
	delay_free(NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("named operations and classes are delayed, others not",
		     named_operations_are_delayed),
		TEST("of several rules the longest counts", the_longest_rule_counts),
		TEST("globs choose files by their path", globs_choose_files),
		TEST("rules know whether they need a path", the_need_of_paths_is_known),
		TEST("a share delays that share", shares_are_kept),
		TEST("a run with a share repeats", runs_repeat),
		TEST("bad rules are refused with a reason", bad_rules_are_refused_with_a_reason),
		TEST("more rules than there is room for are refused", too_many_rules_are_refused),
	};

	return RUN(tests);
}
