// SPDX-License-Identifier: GPL-2.0-or-later
/* Inodes: one for each identity, alive as long as somebody refers to it. */
#include "config.h"

#include "test.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>

#include "core/rng.h"
#include "fake.h"
#include "weirfs/tree.h"

struct counts {
	unsigned int freed;
	unsigned int forgotten;
};

static void count_free(struct inode *inode, void *arg)
{
	struct counts *counts = arg;

	(void)inode;
	__atomic_fetch_add(&counts->freed, 1, __ATOMIC_RELAXED);
}

static void count_forgotten(struct inode *inode, void *arg)
{
	struct counts *counts = arg;

	(void)inode;
	__atomic_fetch_add(&counts->forgotten, 1, __ATOMIC_RELAXED);
}

static void start(struct tree *tree, struct counts *counts)
{
	struct statx root = fake_root();

	*counts = (struct counts){0};
	assert_int_equal(tree_init(tree, &root), 0);
	tree->on_free = count_free;
	tree->on_forgotten = count_forgotten;
	tree->arg = counts;
}

static struct inode *look(struct tree *tree, struct statx stx)
{
	struct inode *inode = tree_inode(tree, &stx);

	assert_non_null(inode);
	return inode;
}

static void one_identity_is_one_inode(void **state)
{
	struct counts counts;
	struct tree tree;
	struct inode *a, *b;

	start(&tree, &counts);
	a = look(&tree, fake_stx(7, S_IFREG, 5));
	b = look(&tree, fake_stx(7, S_IFREG, 5));
	assert_ptr_equal(a, b);
	assert_int_equal(a->refs, 2);
	assert_int_equal(tree.inodes, 2);
	assert_ptr_equal(look(&tree, fake_root()), tree.root);
	inode_put(&tree, tree.root);
	inode_put(&tree, a);
	inode_put(&tree, b);
	assert_int_equal(counts.freed, 1);
	assert_int_equal(tree_done(&tree), 1);
}

static void a_number_used_again_is_another_inode(void **state)
{
	struct statx elsewhere = fake_stx(7, S_IFREG, 5), unborn = fake_stx(7, S_IFREG, 5);
	struct inode *inodes[5];
	struct counts counts;
	struct tree tree;

	elsewhere.stx_dev_minor = 2;
	unborn.stx_mask &= ~(uint32_t)STATX_BTIME;
	start(&tree, &counts);
	inodes[0] = look(&tree, fake_stx(7, S_IFREG, 5));
	inodes[1] = look(&tree, fake_stx(7, S_IFREG, 6));
	inodes[2] = look(&tree, fake_stx(7, S_IFDIR, 5));
	inodes[3] = look(&tree, elsewhere);
	inodes[4] = look(&tree, unborn);
	for (int i = 0; i < 5; i++) {
		for (int j = 0; j < i; j++) {
			assert_ptr_not_equal(inodes[i], inodes[j]);
			assert_int_not_equal(inodes[i]->id, inodes[j]->id);
		}
	}
	assert_true(inode_is(inodes[3], &elsewhere));
	assert_false(inode_is(inodes[0], &elsewhere));
	assert_false(inode_is(inodes[0], &unborn));
	assert_int_equal(inodes[4]->birth_ns, 0);
	for (int i = 0; i < 5; i++)
		inode_put(&tree, inodes[i]);
	assert_int_equal(tree_done(&tree), 1);
}

static void what_is_gone_is_not_found_again(void **state)
{
	struct inode *old, *fresh;
	struct counts counts;
	struct tree tree;

	start(&tree, &counts);
	old = look(&tree, fake_stx(7, S_IFREG, 0));
	inode_set(old, INODE_F_GONE);
	fresh = look(&tree, fake_stx(7, S_IFREG, 0));
	assert_ptr_not_equal(old, fresh);
	assert_ptr_equal(look(&tree, fake_stx(7, S_IFREG, 0)), fresh);
	inode_put(&tree, old);
	assert_int_equal(counts.freed, 1);
	inode_put(&tree, fresh);
	inode_put(&tree, fresh);
	assert_int_equal(counts.freed, 2);
	assert_int_equal(tree_done(&tree), 1);
}

static void references_fall_to_zero(void **state)
{
	struct inode *inode;
	struct counts counts;
	struct tree tree;
	uint64_t id;

	start(&tree, &counts);
	inode = look(&tree, fake_stx(7, S_IFREG, 5));
	id = inode->id;
	for (int i = 0; i < 3; i++)
		inode_looked_up(inode);
	inode_put(&tree, inode);
	assert_int_equal(inode->refs, 3);
	inode_forget(&tree, inode, 1);
	assert_int_equal(inode->lookups, 2);
	assert_int_equal(counts.forgotten, 0);
	assert_int_equal(counts.freed, 0);
	inode_forget(&tree, inode, 2);
	assert_int_equal(counts.forgotten, 1);
	assert_int_equal(counts.freed, 1);
	assert_int_equal(tree.inodes, 1);
	inode = look(&tree, fake_stx(7, S_IFREG, 5));
	assert_int_not_equal(inode->id, id);
	inode_put(&tree, inode);
	assert_int_equal(tree_done(&tree), 1);
}

static void hard_links_are_one_inode(void **state)
{
	struct counts counts;
	struct tree tree;
	struct inode *inode;

	start(&tree, &counts);
	inode = look(&tree, fake_stx(7, S_IFREG, 5));
	assert_int_equal(tree_link(&tree, tree.root, "a", inode), 0);
	assert_int_equal(tree_link(&tree, tree.root, "b", inode), 0);
	assert_int_equal(tree_link(&tree, tree.root, "a", inode), 0);
	assert_int_equal(tree_names(&tree, inode), 2);
	assert_ptr_equal(tree_find(&tree, tree.root, "a"), inode);
	assert_ptr_equal(tree_find(&tree, tree.root, "b"), inode);
	assert_int_equal(inode->refs, 3);
	for (int i = 0; i < 3; i++)
		inode_put(&tree, inode);
	/* Names hold their parent, not their inode. */
	assert_int_equal(counts.freed, 1);
	assert_null(tree_find(&tree, tree.root, "a"));
	assert_int_equal(tree.root->refs, 1);
	assert_int_equal(tree_done(&tree), 1);
}

static void parents_live_as_long_as_their_children(void **state)
{
	struct inode *dir, *file;
	struct counts counts;
	struct tree tree;

	start(&tree, &counts);
	dir = look(&tree, fake_stx(7, S_IFDIR, 5));
	file = look(&tree, fake_stx(8, S_IFREG, 5));
	assert_int_equal(tree_link(&tree, tree.root, "dir", dir), 0);
	assert_int_equal(tree_link(&tree, dir, "file", file), 0);
	inode_put(&tree, dir);
	assert_int_equal(counts.freed, 0);
	inode_put(&tree, file);
	assert_int_equal(counts.freed, 2);
	assert_int_equal(tree_done(&tree), 1);
}

/* Each directory is kept by its child only; the last to go takes all along. */
static void a_deep_chain_ends_without_recursion(void **state)
{
	const uint64_t depth = 200000;
	struct counts counts;
	struct inode *inode;
	struct tree tree;

	start(&tree, &counts);
	inode = inode_get(tree.root);
	for (uint64_t i = 0; i < depth; i++) {
		struct inode *child = look(&tree, fake_stx(100 + i, S_IFDIR, 5));

		assert_int_equal(tree_link(&tree, inode, "d", child), 0);
		inode_put(&tree, inode);
		inode = child;
	}
	assert_int_equal(tree.inodes, depth + 1);
	inode_put(&tree, inode);
	assert_int_equal(counts.freed, depth);
	assert_int_equal(tree_done(&tree), 1);
}

/* Ever growing tables would take a gigabyte here. */
static void memory_goes_with_the_number_of_inodes(void **state)
{
	enum { MANY = 200000 };
	struct inode **inodes = test_calloc(MANY, sizeof(*inodes));
	struct mallinfo2 before = mallinfo2(), after;
	struct counts counts;
	struct tree tree;

	start(&tree, &counts);
	for (uint64_t i = 0; i < MANY; i++)
		inodes[i] = look(&tree, fake_stx(100 + i, S_IFREG, 5));
	after = mallinfo2();
	assert_true(after.uordblks + after.hblkhd <
		    before.uordblks + before.hblkhd + MANY * (sizeof(struct inode) + 100));
	for (uint64_t i = 0; i < MANY; i++)
		inode_put(&tree, inodes[i]);
	test_free(inodes);
	assert_int_equal(tree_done(&tree), 1);
}

static void done_counts_who_was_alive(void **state)
{
	struct inode *dir, *file;
	struct counts counts;
	struct tree tree;

	start(&tree, &counts);
	dir = look(&tree, fake_stx(7, S_IFDIR, 5));
	file = look(&tree, fake_stx(8, S_IFREG, 5));
	tree_link(&tree, tree.root, "dir", dir);
	tree_link(&tree, dir, "file", file);
	assert_int_equal(tree_done(&tree), 3);
	assert_int_equal(counts.freed, 3);
}

static void inode_numbers_of_other_devices_are_kept_apart(void **state)
{
	struct statx other = fake_stx(7, S_IFREG, 5);
	struct counts counts;
	struct tree tree;
	uint64_t root_dev, dev;

	start(&tree, &counts);
	root_dev = tree.root->dev;
	other.stx_dev_minor = 9;
	dev = statx_dev(&other);
	assert_int_equal(tree_visible_ino(&tree, root_dev, 7), 7);
	assert_int_not_equal(tree_visible_ino(&tree, dev, 7), 7);
	assert_int_equal(tree_visible_ino(&tree, dev, 7), tree_visible_ino(&tree, dev, 7));
	assert_int_not_equal(tree_visible_ino(&tree, dev, 7), tree_visible_ino(&tree, dev + 1, 7));
	/* More devices than it can tell apart are no reason to fail. */
	for (uint64_t i = 0; i < 200; i++)
		assert_int_not_equal(tree_visible_ino(&tree, dev + i, 7), 7);
	assert_int_equal(tree_done(&tree), 1);
}

/* --- threads -------------------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS 20000
#define NUMBERS 8

struct job {
	struct tree *tree;
	pthread_t thread;
	uint64_t seed;
	unsigned int wrong;
};

/* Looks files up, refers to them for a moment and forgets them, as requests do. */
static void *look_and_forget(void *arg)
{
	struct job *job = arg;
	struct rng rng = {.state = job->seed};

	for (int i = 0; i < ROUNDS; i++) {
		struct statx stx = fake_stx(10 + rng_below(&rng, NUMBERS), S_IFREG, 5);
		struct inode *inode = tree_inode(job->tree, &stx), *again;
		char name[16];

		if (!inode || !inode_is(inode, &stx)) {
			job->wrong++;
			continue;
		}
		snprintf(name, sizeof(name), "%u", (unsigned int)rng_below(&rng, NUMBERS));
		inode_looked_up(inode);
		tree_link(job->tree, job->tree->root, name, inode);
		again = tree_inode(job->tree, &stx);
		job->wrong += again != inode;
		inode_put(job->tree, again);
		inode_put(job->tree, tree_find(job->tree, job->tree->root, name));
		inode_put(job->tree, inode);
		inode_forget(job->tree, inode, 1);
	}
	return NULL;
}

static void threads_leave_nothing_behind(void **state)
{
	struct job jobs[THREADS];
	struct counts counts;
	struct tree tree;

	start(&tree, &counts);
	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){.tree = &tree, .seed = (uint64_t)i + 1};
		assert_int_equal(pthread_create(&jobs[i].thread, NULL, look_and_forget, &jobs[i]),
				 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		assert_int_equal(jobs[i].wrong, 0);
	}
	assert_int_equal(tree.inodes, 1);
	assert_int_equal(tree.root->refs, 1);
	/* Ids are also taken by those who came second and threw theirs away. */
	assert_true(counts.freed >= NUMBERS && counts.freed < tree.last_id);
	assert_int_equal(tree_done(&tree), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("one identity is one inode", one_identity_is_one_inode),
		TEST("an inode number that is used again is another inode",
		     a_number_used_again_is_another_inode),
		TEST("a file whose last name went is not found again",
		     what_is_gone_is_not_found_again),
		TEST("references fall to zero, and the next of that number is new",
		     references_fall_to_zero),
		TEST("hard links are one inode", hard_links_are_one_inode),
		TEST("parents live as long as their children",
		     parents_live_as_long_as_their_children),
		TEST("a deep chain of directories ends without recursion",
		     a_deep_chain_ends_without_recursion),
		TEST("memory goes with the number of inodes",
		     memory_goes_with_the_number_of_inodes),
		TEST("the end frees everything and counts who was alive",
		     done_counts_who_was_alive),
		TEST("inode numbers of other devices are kept apart",
		     inode_numbers_of_other_devices_are_kept_apart),
		TEST("threads that look up and forget leave nothing behind",
		     threads_leave_nothing_behind),
	};

	return RUN(tests);
}
