// SPDX-License-Identifier: GPL-2.0-or-later
/* Names: paths follow renames. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "fake.h"
#include "weirfs/tree.h"

static void start(struct tree *tree)
{
	struct statx root = fake_root();

	assert_int_equal(tree_init(tree, &root), 0);
}

/* A new inode with a name. */
static struct inode *add(struct tree *tree, struct inode *parent, const char *name, uint64_t ino,
			 mode_t type)
{
	struct statx stx = fake_stx(ino, type, 5);
	struct inode *inode = tree_inode(tree, &stx);

	assert_non_null(inode);
	assert_int_equal(tree_link(tree, parent, name, inode), 0);
	return inode;
}

static void check_path(struct tree *tree, const struct inode *inode, const char *wanted)
{
	char *path = tree_path(tree, inode);

	assert_string_equal(path, wanted);
	free(path);
}

static void check_found(struct tree *tree, struct inode *parent, const char *name,
			const struct inode *wanted)
{
	struct inode *found = tree_find(tree, parent, name);

	assert_ptr_equal(found, wanted);
	inode_put(tree, found);
}

static void paths_follow_renames(void **state)
{
	struct inode *a, *b, *file;
	struct tree tree;

	start(&tree);
	a = add(&tree, tree.root, "a", 10, S_IFDIR);
	b = add(&tree, a, "b", 11, S_IFDIR);
	file = add(&tree, b, "file", 12, S_IFREG);
	check_path(&tree, tree.root, "/");
	check_path(&tree, file, "/a/b/file");
	tree_rename(&tree, NULL, a, "b", tree.root, "c", false);
	check_path(&tree, b, "/c");
	check_path(&tree, file, "/c/file");
	tree_rename(&tree, NULL, tree.root, "a", b, "inner", false);
	check_path(&tree, a, "/c/inner");
	check_found(&tree, tree.root, "a", NULL);
	check_found(&tree, b, "inner", a);
	/* A name nobody knew: what was at its new place is gone all the same. */
	tree_rename(&tree, NULL, a, "unknown", b, "file", false);
	check_found(&tree, b, "file", NULL);
	check_path(&tree, file, "/c/file");
	assert_int_equal(tree_names(&tree, file), 0);
	inode_put(&tree, a);
	inode_put(&tree, b);
	inode_put(&tree, file);
	assert_int_equal(tree_done(&tree), 1);
}

static void exchange_swaps_two(void **state)
{
	struct inode *dir, *file, *inner;
	struct tree tree;

	start(&tree);
	dir = add(&tree, tree.root, "dir", 10, S_IFDIR);
	inner = add(&tree, dir, "inner", 11, S_IFREG);
	file = add(&tree, tree.root, "file", 12, S_IFREG);
	tree_rename(&tree, NULL, tree.root, "dir", tree.root, "file", true);
	check_path(&tree, inner, "/file/inner");
	check_path(&tree, file, "/dir");
	check_found(&tree, tree.root, "file", dir);
	check_found(&tree, tree.root, "dir", file);
	/* With only one of the two known, that one has moved. */
	tree_rename(&tree, NULL, tree.root, "unknown", tree.root, "dir", true);
	check_path(&tree, file, "/unknown");
	check_found(&tree, tree.root, "dir", NULL);
	inode_put(&tree, dir);
	inode_put(&tree, inner);
	inode_put(&tree, file);
	assert_int_equal(tree_done(&tree), 1);
}

static void rename_over_a_file_leaves_it_its_last_path(void **state)
{
	struct inode *from, *to;
	struct tree tree;

	start(&tree);
	from = add(&tree, tree.root, "from", 10, S_IFREG);
	to = add(&tree, tree.root, "to", 11, S_IFREG);
	tree_rename(&tree, NULL, tree.root, "from", tree.root, "to", false);
	check_path(&tree, from, "/to");
	check_path(&tree, to, "/to");
	assert_int_equal(tree_names(&tree, to), 0);
	check_found(&tree, tree.root, "to", from);
	inode_put(&tree, from);
	inode_put(&tree, to);
	assert_int_equal(tree_done(&tree), 1);
}

static void rename_between_two_names_of_a_file_does_nothing(void **state)
{
	struct inode *file;
	struct tree tree;

	start(&tree);
	file = add(&tree, tree.root, "a", 10, S_IFREG);
	file->nlink = 2;
	assert_int_equal(tree_link(&tree, tree.root, "b", file), 0);
	tree_rename(&tree, NULL, tree.root, "a", tree.root, "b", false);
	assert_int_equal(tree_names(&tree, file), 2);
	check_found(&tree, tree.root, "a", file);
	check_found(&tree, tree.root, "b", file);
	inode_put(&tree, file);
	assert_int_equal(tree_done(&tree), 1);
}

static void the_last_path_is_kept(void **state)
{
	char name[NAME_MAX + 1];
	struct inode *file, *never, *parent;
	struct statx stx = fake_stx(99, S_IFREG, 5);
	struct tree tree;

	start(&tree);
	file = add(&tree, tree.root, "a", 10, S_IFREG);
	assert_int_equal(tree_link(&tree, tree.root, "b", file), 0);
	tree_unlink(&tree, tree.root, "b", true);
	check_path(&tree, file, "/a");
	assert_int_equal(tree_name(&tree, file, &parent, name), 0);
	assert_string_equal(name, "a");
	inode_put(&tree, parent);
	tree_unlink(&tree, tree.root, "a", true);
	check_path(&tree, file, "/a");
	assert_int_equal(tree_names(&tree, file), 0);
	assert_int_equal(tree_name(&tree, file, &parent, name), -ENOENT);
	check_found(&tree, tree.root, "a", NULL);
	/* A name that holds takes the remembered one's place. */
	assert_int_equal(tree_link(&tree, tree.root, "c", file), 0);
	check_path(&tree, file, "/c");
	tree_unlink(&tree, tree.root, "c", false);
	check_path(&tree, file, "?");
	never = tree_inode(&tree, &stx);
	check_path(&tree, never, "?");
	inode_put(&tree, never);
	inode_put(&tree, file);
	assert_int_equal(tree.root->refs, 1);
	assert_int_equal(tree_done(&tree), 1);
}

static void circles_of_names_end(void **state)
{
	struct inode *a, *b;
	struct tree tree;

	start(&tree);
	a = add(&tree, tree.root, "a", 10, S_IFDIR);
	b = add(&tree, a, "b", 11, S_IFDIR);
	/* Underneath, b has moved to the root and a into b: b's name is old. */
	tree_link(&tree, b, "a", a);
	check_path(&tree, b, "?");
	check_found(&tree, a, "b", NULL);
	tree_link(&tree, tree.root, "b", b);
	check_path(&tree, b, "/b");
	check_path(&tree, a, "/b/a");
	inode_put(&tree, a);
	inode_put(&tree, b);
	assert_int_equal(tree_done(&tree), 1);
}

static void a_directory_has_one_name(void **state)
{
	struct inode *a, *b;
	struct tree tree;

	start(&tree);
	a = add(&tree, tree.root, "a", 10, S_IFDIR);
	b = add(&tree, a, "b", 11, S_IFDIR);
	assert_int_equal(tree_link(&tree, tree.root, "c", b), 0);
	assert_int_equal(tree_names(&tree, b), 1);
	check_path(&tree, b, "/c");
	check_found(&tree, a, "b", NULL);
	/* Nobody is below himself. */
	assert_int_equal(tree_link(&tree, b, "b", b), 0);
	check_path(&tree, b, "/c");
	inode_put(&tree, a);
	inode_put(&tree, b);
	assert_int_equal(tree_done(&tree), 1);
}

static void a_lookup_during_a_rename_leaves_no_old_name(void **state)
{
	struct inode *dir, *file, *other;
	struct tree tree;

	start(&tree);
	dir = add(&tree, tree.root, "dir", 10, S_IFDIR);
	file = add(&tree, tree.root, "file", 11, S_IFREG);
	other = add(&tree, tree.root, "other", 12, S_IFREG);
	/* Both have been seen by their new names before the renames are noted. */
	assert_int_equal(tree_link(&tree, tree.root, "dir2", dir), 0);
	assert_int_equal(tree_link(&tree, dir, "file", file), 0);
	tree_rename(&tree, dir, tree.root, "dir", tree.root, "dir2", false);
	tree_rename(&tree, file, tree.root, "file", dir, "file", false);
	check_path(&tree, dir, "/dir2");
	check_path(&tree, file, "/dir2/file");
	check_found(&tree, tree.root, "file", NULL);
	/* And what was replaced was unknown when that began. */
	tree_rename(&tree, other, tree.root, "other", dir, "file", false);
	check_path(&tree, other, "/dir2/file");
	check_found(&tree, dir, "file", other);
	assert_int_equal(tree_names(&tree, file), 0);
	inode_put(&tree, dir);
	inode_put(&tree, file);
	inode_put(&tree, other);
	assert_int_equal(tree_done(&tree), 1);
}

static void names_looked_at_before_a_rename_are_not_noted(void **state)
{
	struct inode *file;
	struct tree tree;
	uint64_t era;

	start(&tree);
	file = add(&tree, tree.root, "a", 10, S_IFREG);
	era = tree_era(&tree);
	assert_int_equal(tree_link_since(&tree, tree.root, "b", file, &era), 0);
	tree_renaming(&tree);
	assert_int_equal(tree_link_since(&tree, tree.root, "c", file, &era), -EAGAIN);
	era = tree_era(&tree);
	tree_rename(&tree, file, tree.root, "a", tree.root, "d", false);
	assert_int_equal(tree_link_since(&tree, tree.root, "a", file, &era), -EAGAIN);
	check_found(&tree, tree.root, "a", NULL);
	inode_put(&tree, file);
	assert_int_equal(tree_done(&tree), 1);
}

/* --- threads -------------------------------------------------------------------------------- */

#define THREADS 4
#define INODES 12 /* the first is the root, the next are directories */
#define DIRS 5
#define NAMES 4
#define ROUNDS 10000

static const char *const names[NAMES] = {"a", "b", "c", "d"};

struct job {
	struct tree *tree;
	struct inode **inode;
	pthread_t thread;
	uint64_t seed;
	unsigned int wrong;
};

static void *name_at_random(void *arg)
{
	struct job *job = arg;
	struct rng rng = {.state = job->seed};

	for (int i = 0; i < ROUNDS; i++) {
		struct inode *parent = job->inode[rng_below(&rng, DIRS)];
		struct inode *to_parent = job->inode[rng_below(&rng, DIRS)];
		struct inode *inode = job->inode[rng_below(&rng, INODES)], *found;
		const char *name = names[rng_below(&rng, NAMES)];
		char *path;

		switch (rng_below(&rng, 4)) {
		case 0:
			job->wrong += tree_link(job->tree, parent, name, inode) != 0;
			break;
		case 1:
			tree_unlink(job->tree, parent, name, rng_below(&rng, 2));
			break;
		case 2:
			tree_rename(job->tree, NULL, parent, name, to_parent,
				    names[rng_below(&rng, NAMES)], rng_below(&rng, 2));
			break;
		default:
			path = tree_path(job->tree, inode);
			job->wrong += !path || (path[0] != '/' && strcmp(path, "?") != 0);
			free(path);
			found = tree_find(job->tree, parent, name);
			inode_put(job->tree, found);
			break;
		}
	}
	return NULL;
}

static void threads_leave_no_reference_behind(void **state)
{
	struct inode *inode[INODES];
	struct job jobs[THREADS];
	struct tree tree;

	start(&tree);
	inode[0] = tree.root;
	for (int i = 1; i < INODES; i++) {
		struct statx stx = fake_stx(10 + (uint64_t)i, i < DIRS ? S_IFDIR : S_IFREG, 5);

		inode[i] = tree_inode(&tree, &stx);
		assert_non_null(inode[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){&tree, inode, .seed = (uint64_t)i + 1};
		assert_int_equal(pthread_create(&jobs[i].thread, NULL, name_at_random, &jobs[i]),
				 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		assert_int_equal(jobs[i].wrong, 0);
	}
	for (int i = 0; i < INODES; i++)
		tree_drop_names(&tree, inode[i]);
	for (int i = 0; i < INODES; i++)
		assert_int_equal(inode[i]->refs, 1);
	for (int i = 1; i < INODES; i++)
		inode_put(&tree, inode[i]);
	assert_int_equal(tree_done(&tree), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("paths follow renames", paths_follow_renames),
		TEST("an exchange swaps two names", exchange_swaps_two),
		TEST("a rename over a file leaves it its last path",
		     rename_over_a_file_leaves_it_its_last_path),
		TEST("a rename between two names of a file does nothing",
		     rename_between_two_names_of_a_file_does_nothing),
		TEST("the last path is kept until another name holds", the_last_path_is_kept),
		TEST("names that would go in circles are dropped", circles_of_names_end),
		TEST("a directory has one name", a_directory_has_one_name),
		TEST("a look-up during a rename leaves no old name behind",
		     a_lookup_during_a_rename_leaves_no_old_name),
		TEST("names looked at before a rename are not noted",
		     names_looked_at_before_a_rename_are_not_noted),
		TEST("threads that name at random leave no reference behind",
		     threads_leave_no_reference_behind),
	};

	return RUN(tests);
}
