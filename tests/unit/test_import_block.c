// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests that are queued, issued and completed, split and merged: what operations they are. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <string.h>

#include "tools/import_block.h"

#define OPS 40000

struct fixture {
	struct import import;
	struct import_options options;
	struct import_source source;
	struct block_state block;
	struct diag diag;
	struct trace_op ops[OPS];
	size_t count;
};

static int take_op(void *arg, const struct trace_op *op)
{
	struct fixture *fixture = arg;

	assert_true(fixture->count < OPS);
	fixture->ops[fixture->count++] = *op;
	return 0;
}

static int take_file(void *arg, const struct trace_file *file)
{
	return 0;
}

static int take_handle(void *arg, const struct trace_handle *handle)
{
	return 0;
}

static int take_property(void *arg, const char *name, const char *value)
{
	return 0;
}

static void age(void *arg)
{
}

static int set_up(void **state)
{
	static struct fixture fixture;
	struct import_sink sink = {&fixture, take_file, take_op, take_handle, take_property, age};

	memset(&fixture, 0, sizeof(fixture));
	assert_int_equal(import_init(&fixture.import, &import_blkparse, &fixture.options, &sink,
				     &fixture.diag),
			 0);
	fixture.source.name = "test";
	fixture.import.source = &fixture.source;
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	block_done(&fixture->block);
	import_done(&fixture->import);
	return 0;
}

/* Returns what block_event() does. Offsets and sizes in sectors. */
static int event(struct fixture *fixture, enum block_what what, enum op_kind kind, uint64_t sector,
		 uint64_t sectors, uint64_t time_ns)
{
	const struct block_event event = {
		.what = what,
		.kind = kind,
		.device = 8 << 20,
		.time_ns = time_ns,
		.offset = sector * 512,
		.size = sectors * 512,
	};

	return block_event(&fixture->import, &fixture->block, &event);
}

static void assert_op(const struct fixture *fixture, size_t index, uint64_t sector, uint64_t arrive,
		      uint64_t issued, uint64_t done)
{
	const struct op *op = &fixture->ops[index].op;

	assert_true(index < fixture->count);
	assert_int_equal(op->offset, sector * 512);
	assert_int_equal(op->arrive_ns, arrive);
	assert_int_equal(op->issued_ns, issued);
	assert_int_equal(op->backed_ns, done);
	assert_int_equal(op->done_ns, done);
}

static void three_stamps_make_an_operation(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(event(fixture, BLOCK_QUEUE, OP_READ, 100, 8, 10), 1);
	assert_int_equal(event(fixture, BLOCK_ISSUE, OP_READ, 100, 8, 15), 1);
	assert_int_equal(event(fixture, BLOCK_COMPLETE, OP_READ, 100, 8, 40), 1);
	assert_int_equal(fixture->count, 1);
	assert_op(fixture, 0, 100, 10, 15, 40);
	assert_int_equal(fixture->ops[0].op.result, 4096);
}

static void merged_requests_end_together(void **state)
{
	struct fixture *fixture = *state;

	event(fixture, BLOCK_QUEUE, OP_WRITE, 100, 8, 10);
	event(fixture, BLOCK_QUEUE, OP_WRITE, 108, 8, 11);
	event(fixture, BLOCK_QUEUE, OP_WRITE, 92, 8, 12);
	event(fixture, BLOCK_ISSUE, OP_WRITE, 92, 24, 20);
	event(fixture, BLOCK_COMPLETE, OP_WRITE, 92, 24, 30);
	assert_int_equal(fixture->count, 3);
	assert_op(fixture, 0, 92, 12, 20, 30);
	assert_op(fixture, 1, 100, 10, 20, 30);
	assert_op(fixture, 2, 108, 11, 20, 30);
}

static void a_split_request_ends_with_its_last_part(void **state)
{
	struct fixture *fixture = *state;

	event(fixture, BLOCK_QUEUE, OP_READ, 0, 16, 10);
	event(fixture, BLOCK_ISSUE, OP_READ, 0, 8, 11);
	event(fixture, BLOCK_ISSUE, OP_READ, 8, 8, 12);
	assert_int_equal(event(fixture, BLOCK_COMPLETE, OP_READ, 8, 8, 20), 1);
	assert_int_equal(fixture->count, 0);
	assert_int_equal(event(fixture, BLOCK_COMPLETE, OP_READ, 0, 8, 25), 1);
	assert_int_equal(fixture->count, 1);
	assert_op(fixture, 0, 0, 10, 11, 25);
	assert_int_equal(fixture->ops[0].op.size, 8192);
	assert_int_equal(fixture->block.pending, 0);
}

static void equal_requests_end_one_by_one(void **state)
{
	struct fixture *fixture = *state;

	event(fixture, BLOCK_QUEUE, OP_READ, 5, 8, 10);
	event(fixture, BLOCK_QUEUE, OP_READ, 5, 8, 11);
	event(fixture, BLOCK_ISSUE, OP_READ, 5, 8, 12);
	event(fixture, BLOCK_ISSUE, OP_READ, 5, 8, 13);
	event(fixture, BLOCK_COMPLETE, OP_READ, 5, 8, 20);
	assert_int_equal(fixture->count, 1);
	event(fixture, BLOCK_COMPLETE, OP_READ, 5, 8, 21);
	assert_op(fixture, 0, 5, 10, 12, 20);
	assert_op(fixture, 1, 5, 11, 13, 21);
}

static void without_queueing_the_issue_begins_it(void **state)
{
	struct fixture *fixture = *state;

	event(fixture, BLOCK_ISSUE, OP_WRITE, 5, 8, 12);
	event(fixture, BLOCK_ISSUE, OP_WRITE, 5, 8, 13);
	event(fixture, BLOCK_COMPLETE, OP_WRITE, 5, 8, 20);
	event(fixture, BLOCK_COMPLETE, OP_WRITE, 5, 8, 22);
	assert_int_equal(fixture->count, 2);
	assert_op(fixture, 0, 5, 12, 12, 20);
	assert_op(fixture, 1, 5, 13, 13, 22);
}

static void directions_and_flushes_are_apart(void **state)
{
	struct fixture *fixture = *state;

	event(fixture, BLOCK_QUEUE, OP_READ, 0, 8, 10);
	event(fixture, BLOCK_QUEUE, OP_FSYNC, 0, 0, 11);
	assert_int_equal(event(fixture, BLOCK_COMPLETE, OP_WRITE, 0, 8, 12), 0);
	assert_int_equal(event(fixture, BLOCK_COMPLETE, OP_FSYNC, 0, 0, 13), 1);
	assert_int_equal(event(fixture, BLOCK_COMPLETE, OP_FSYNC, 0, 0, 14), 0);
	assert_int_equal(fixture->count, 1);
	assert_op(fixture, 0, 0, 11, 11, 13);
}

static void what_never_ends_has_no_end(void **state)
{
	struct fixture *fixture = *state;

	event(fixture, BLOCK_QUEUE, OP_READ, 100, 8, 10);
	event(fixture, BLOCK_QUEUE, OP_READ, 0, 8, 11);
	event(fixture, BLOCK_ISSUE, OP_READ, 0, 8, 12);
	assert_int_equal(block_finish(&fixture->import, &fixture->block), 0);
	assert_int_equal(fixture->count, 2);
	assert_op(fixture, 0, 100, 10, 0, 0);
	assert_op(fixture, 1, 0, 11, 12, 0);
}

static void lost_completions_do_not_fill_memory(void **state)
{
	struct fixture *fixture = *state;

	for (uint64_t i = 0; i < 30000; i++)
		event(fixture, BLOCK_QUEUE, OP_READ, i * 7919 % 30011, 1, i + 1);
	assert_true(fixture->block.pending <= 16384);
	block_finish(&fixture->import, &fixture->block);
	assert_int_equal(fixture->count, 30000);
	/* In the order of their arrival. */
	for (size_t i = 0; i < fixture->count; i++)
		assert_int_equal(fixture->ops[i].op.arrive_ns, i + 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST_WITH("queued, issued and completed is one operation",
			  three_stamps_make_an_operation, set_up, tear_down),
		TEST_WITH("merged requests end together", merged_requests_end_together, set_up,
			  tear_down),
		TEST_WITH("a split request ends with its last part",
			  a_split_request_ends_with_its_last_part, set_up, tear_down),
		TEST_WITH("equal requests end one by one, the oldest first",
			  equal_requests_end_one_by_one, set_up, tear_down),
		TEST_WITH("where nothing was queued a request begins when it is issued",
			  without_queueing_the_issue_begins_it, set_up, tear_down),
		TEST_WITH("reads, writes and flushes don't end each other",
			  directions_and_flushes_are_apart, set_up, tear_down),
		TEST_WITH("what never completes has no end", what_never_ends_has_no_end, set_up,
			  tear_down),
		TEST_WITH("lost completions don't fill the memory",
			  lost_completions_do_not_fill_memory, set_up, tear_down),
	};

	return RUN(tests);
}
