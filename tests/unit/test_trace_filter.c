// SPDX-License-Identifier: GPL-2.0-or-later
/* What goes into the trace; and the queue that its blocks wait in. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "core/clock.h"
#include "fake.h"
#include "weirfs/options.h"
#include "weirfs/trace_filter.h"
#include "weirfs/trace_inside.h"
#include "weirfs/traceq.h"
#include "weirfs/tree.h"

static struct trace_filter filter_of(const struct options *options)
{
	struct diag diag = {.text = ""};
	struct trace_filter filter;

	assert_int_equal(trace_filter_init(&filter, options, 3, &diag), 0);
	return filter;
}

static bool takes(const struct trace_filter *filter, enum op_kind kind, uint32_t uid)
{
	const struct op op = {.kind = (uint8_t)kind, .uid = uid};

	return trace_filter_takes(filter, &op);
}

static void without_filters_everything_is_taken(void **state)
{
	struct options options = {0};
	struct trace_filter filter = filter_of(&options);

	for (unsigned int kind = 0; kind < OP_KINDS; kind++)
		assert_true(takes(&filter, (enum op_kind)kind, kind));
	assert_true(trace_filter_takes_file(&filter, NULL, NULL));
}

static void operations_and_users_are_chosen(void **state)
{
	char ops[] = "read+sync,mkdir", uid[] = "1000";
	struct options options = {.trace_ops = ops, .trace_uid = uid};
	struct trace_filter filter = filter_of(&options);

	assert_true(takes(&filter, OP_READ, 1000) && takes(&filter, OP_FSYNC, 1000) &&
		    takes(&filter, OP_FLUSH, 1000) && takes(&filter, OP_MKDIR, 1000));
	assert_false(takes(&filter, OP_WRITE, 1000) || takes(&filter, OP_RMDIR, 1000));
	assert_false(takes(&filter, OP_READ, 0));
}

static void wrong_words_are_named(void **state)
{
	char ops[] = "read+reed", uid[] = "root", empty[] = "read++write";
	struct options options = {.trace_ops = ops};
	struct trace_filter filter;
	struct diag diag;

	assert_int_equal(trace_filter_init(&filter, &options, 1, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "\"reed\""));
	options.trace_ops = empty;
	assert_int_equal(trace_filter_init(&filter, &options, 1, &diag), -EINVAL);
	options = (struct options){.trace_uid = uid};
	assert_int_equal(trace_filter_init(&filter, &options, 1, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "\"root\""));
}

static void paths_match_until_a_name_moves(void **state)
{
	const struct statx root = fake_root(), one = fake_stx(10, S_IFREG, 1);
	char glob[] = "*/keep*";
	struct options options = {.trace_path = glob};
	struct trace_filter filter = filter_of(&options), again;
	struct inode *file;
	struct tree tree;

	assert_int_equal(tree_init(&tree, &root), 0);
	file = tree_inode(&tree, &one);
	assert_int_equal(tree_link(&tree, tree.root, "keep", file), 0);
	for (int i = 0; i < 3; i++)
		assert_true(trace_filter_takes_file(&filter, &tree, file));
	assert_false(trace_filter_takes_file(&filter, &tree, tree.root));
	tree_rename(&tree, NULL, tree.root, "keep", tree.root, "other", false);
	assert_false(trace_filter_takes_file(&filter, &tree, file));
	assert_false(trace_filter_takes_file(&filter, &tree, NULL));
	/* Another trace has another filter. */
	glob[0] = '/';
	memcpy(glob, "/oth*", 6);
	again = filter;
	again.number++;
	assert_true(trace_filter_takes_file(&again, &tree, file));
	inode_put(&tree, file);
	inode_put(&tree, tree.root);
	tree_done(&tree);
}

/* --- the queue ------------------------------------------------------------------------------ */

static struct queued *block_of(uint32_t number, size_t len)
{
	char data[4096] = {0};
	struct trace_frame frame = {.data = data, .len = len, .number = number, .ops = number};
	struct queued *block = queued_new(QUEUED_BLOCK, &frame);

	assert_non_null(block);
	return block;
}

static void blocks_leave_in_order_and_failures_come_back(void **state)
{
	struct traceq queue;
	struct queued *block;

	traceq_init(&queue, 1000);
	for (uint32_t i = 1; i <= 5; i++)
		traceq_push(&queue, block_of(i, 100));
	assert_int_equal(queue.bytes, 500);
	assert_true(traceq_await_room(&queue, 500, 0));
	assert_false(traceq_await_room(&queue, 501, 0));
	traceq_close(&queue);
	for (uint32_t i = 1; i <= 5; i++) {
		block = traceq_take(&queue);
		assert_non_null(block);
		assert_int_equal(block->meta.number, i);
		traceq_settle(&queue, block, i == 2 || i == 4);
	}
	assert_null(traceq_take(&queue));
	assert_int_equal(traceq_await_settled(&queue, 0), 0);
	/* A block may be larger than all the room. */
	assert_true(traceq_await_room(&queue, 5000, 0));
	block = traceq_take_failed(&queue);
	assert_int_equal(block->meta.number + block->next->meta.number, 6);
	assert_null(block->next->next);
	traceq_free_list(block);
	assert_null(traceq_take_failed(&queue));
	traceq_done(&queue);
}

static void the_oldest_are_evicted_unless_pinned(void **state)
{
	struct traceq queue;
	struct queued *evicted;

	traceq_init(&queue, 1000);
	for (uint32_t i = 1; i <= 10; i++)
		traceq_push(&queue, block_of(i, 100));
	assert_null(traceq_evict(&queue, 0));
	traceq_pin(&queue, true);
	assert_null(traceq_evict(&queue, 250));
	traceq_pin(&queue, false);
	evicted = traceq_evict(&queue, 250);
	assert_int_equal(evicted->meta.number, 3);
	assert_int_equal(evicted->next->next->meta.number, 1);
	assert_null(evicted->next->next->next);
	traceq_free_list(evicted);
	assert_int_equal(queue.first->meta.number, 4);
	assert_int_equal(queue.bytes, 700);
	traceq_done(&queue);
}

static void *take_all(void *arg)
{
	struct queued *block;

	while ((block = traceq_take(arg)))
		traceq_settle(arg, block, false);
	return NULL;
}

static void who_waits_for_room_gets_it(void **state)
{
	struct traceq queue;
	pthread_t thread;

	traceq_init(&queue, 250);
	assert_int_equal(pthread_create(&thread, NULL, take_all, &queue), 0);
	for (uint32_t i = 0; i < 20000; i++) {
		assert_true(traceq_await_room(&queue, 100, 60 * NS_PER_S));
		traceq_push(&queue, block_of(i, 100));
	}
	assert_int_equal(traceq_await_settled(&queue, 60 * NS_PER_S), 0);
	traceq_close(&queue);
	pthread_join(thread, NULL);
	assert_int_equal(queue.taken, 20000);
	traceq_done(&queue);
}

static void paths_below_are_told_from_paths_beside(void **state)
{
	assert_true(trace_path_is_below("/data", "/data"));
	assert_true(trace_path_is_below("/data/x/y", "/data"));
	assert_true(trace_path_is_below("/data", "/"));
	assert_true(trace_path_is_below("/", "/"));
	assert_false(trace_path_is_below("/database", "/data"));
	assert_false(trace_path_is_below("/", "/data"));
	assert_false(trace_path_is_below("/dat", "/data"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("without filters everything is taken", without_filters_everything_is_taken),
		TEST("operations and users are chosen", operations_and_users_are_chosen),
		TEST("wrong words are named", wrong_words_are_named),
		TEST("paths match until a name moves", paths_match_until_a_name_moves),
		TEST("blocks leave in order, and failures come back",
		     blocks_leave_in_order_and_failures_come_back),
		TEST("the oldest are evicted unless pinned", the_oldest_are_evicted_unless_pinned),
		TEST("who waits for room gets it", who_waits_for_room_gets_it),
		TEST("paths below are told from paths beside",
		     paths_below_are_told_from_paths_beside),
	};

	return RUN(tests);
}
