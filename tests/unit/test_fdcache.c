// SPDX-License-Identifier: GPL-2.0-or-later
/* The descriptor cache on a real directory: bounded, and never taken from under a user. */
#include "config.h"

#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/rng.h"
#include "weirfs/fdcache.h"
#include "weirfs/file.h"

#define FILES 40
#define ROOM 8

struct fixture {
	char path[32];
	int root_fd;
	struct handle_mounts mounts; /* none: everything is found by name */
	struct tree tree;
	struct fdcache cache;
	struct inode *inode[FILES];
};

static void drop_fd(struct inode *inode, void *arg)
{
	fdcache_drop(arg, inode);
}

static void name_of(int number, char name[16])
{
	snprintf(name, 16, "file%d", number);
}

static struct inode *look_up(struct fixture *fixture, struct inode *parent, int dir_fd,
			     const char *name)
{
	struct inode *inode;
	struct statx stx;

	assert_int_equal(statx(dir_fd, name, AT_SYMLINK_NOFOLLOW, TREE_STATX_MASK, &stx), 0);
	inode = tree_inode(&fixture->tree, &stx);
	assert_non_null(inode);
	assert_int_equal(tree_link(&fixture->tree, parent, name, inode), 0);
	return inode;
}

static void make_file(const struct fixture *fixture, const char *name)
{
	int fd = openat(fixture->root_fd, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	char name[16];
	struct statx stx;

	assert_non_null(fixture);
	snprintf(fixture->path, sizeof(fixture->path), "/tmp/fdcache-XXXXXX");
	assert_non_null(mkdtemp(fixture->path));
	fixture->root_fd = open(fixture->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(statx(fixture->root_fd, "", AT_EMPTY_PATH, TREE_STATX_MASK, &stx), 0);
	assert_int_equal(tree_init(&fixture->tree, &stx), 0);
	assert_int_equal(fdcache_init(&fixture->cache, &fixture->tree, &fixture->mounts,
				      fixture->root_fd, ROOM),
			 0);
	fixture->tree.on_free = drop_fd;
	fixture->tree.on_forgotten = drop_fd;
	fixture->tree.arg = &fixture->cache;
	for (int i = 0; i < FILES; i++) {
		name_of(i, name);
		make_file(fixture, name);
		fixture->inode[i] = look_up(fixture, fixture->tree.root, fixture->root_fd, name);
	}
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char command[64];

	for (int i = 0; i < FILES; i++)
		inode_put(&fixture->tree, fixture->inode[i]);
	assert_int_equal(fdcache_used(&fixture->cache), 0);
	assert_int_equal(tree_done(&fixture->tree), 1);
	fdcache_done(&fixture->cache);
	close(fixture->root_fd);
	snprintf(command, sizeof(command), "rm -r %s", fixture->path);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

/* How many descriptors this process has. */
static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* What is wrong with a held descriptor: it must be the inode's. */
static bool is_wrong(const struct held_fd *held, const struct inode *inode)
{
	struct statx stx;

	return statx(held->fd, "", AT_EMPTY_PATH, TREE_STATX_MASK, &stx) || !inode_is(inode, &stx);
}

static struct held_fd hold(struct fixture *fixture, struct inode *inode)
{
	struct held_fd held;

	assert_int_equal(fdcache_hold(&fixture->cache, inode, &held), 0);
	assert_false(is_wrong(&held, inode));
	return held;
}

static void touch(struct fixture *fixture, struct inode *inode)
{
	struct held_fd held = hold(fixture, inode);

	fdcache_release(&fixture->cache, &held);
}

static void it_is_bounded(void **state)
{
	struct fixture *fixture = *state;
	int before = descriptors();

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < FILES; i++)
			touch(fixture, fixture->inode[i]);
		assert_int_equal(fdcache_used(&fixture->cache), ROOM);
		assert_int_equal(descriptors(), before + ROOM);
	}
}

static void what_is_used_again_stays(void **state)
{
	struct fixture *fixture = *state;
	int fd;

	touch(fixture, fixture->inode[0]);
	fd = fixture->inode[0]->fd;
	assert_true(fd >= 0);
	/* The clock's hand spares whoever was used since it last came by. */
	for (int i = 1; i < FILES; i++) {
		touch(fixture, fixture->inode[0]);
		touch(fixture, fixture->inode[i]);
		assert_int_equal(fixture->inode[0]->fd, fd);
	}
}

static void what_is_held_is_not_taken_away(void **state)
{
	struct fixture *fixture = *state;
	struct held_fd held[FILES];
	int before = descriptors();

	for (int i = 0; i < FILES; i++)
		held[i] = hold(fixture, fixture->inode[i]);
	/* Beyond the cache's room they are the holders' own. */
	assert_int_equal(fdcache_used(&fixture->cache), ROOM);
	assert_int_equal(descriptors(), before + FILES);
	assert_int_equal(fdcache_shrink(&fixture->cache), 0);
	for (int i = 0; i < FILES; i++) {
		fdcache_drop(&fixture->cache, fixture->inode[i]);
		assert_false(is_wrong(&held[i], fixture->inode[i]));
	}
	for (int i = 0; i < FILES; i++)
		fdcache_release(&fixture->cache, &held[i]);
	assert_int_equal(descriptors(), before + ROOM);
}

static void it_makes_room_when_told(void **state)
{
	struct fixture *fixture = *state;
	int before = descriptors();

	for (int i = 0; i < ROOM; i++)
		touch(fixture, fixture->inode[i]);
	assert_true(fdcache_shrink(&fixture->cache) > 0);
	while (fdcache_shrink(&fixture->cache))
		;
	assert_int_equal(fdcache_used(&fixture->cache), 0);
	assert_int_equal(descriptors(), before);
}

static void an_open_file_is_used_instead(void **state)
{
	struct fixture *fixture = *state;
	struct inode *inode = fixture->inode[0];
	int fd = openat(fixture->root_fd, "file0", O_RDONLY | O_CLOEXEC);
	struct file *file = file_new(&fixture->tree, inode, fd, O_RDONLY);
	struct held_fd held;

	assert_non_null(file);
	/* Even with no name left. */
	assert_int_equal(unlinkat(fixture->root_fd, "file0", 0), 0);
	tree_unlink(&fixture->tree, fixture->tree.root, "file0", true);
	held = hold(fixture, inode);
	assert_int_equal(held.fd, fd);
	file_put(&fixture->tree, file);
	assert_false(is_wrong(&held, inode));
	fdcache_release(&fixture->cache, &held);
	assert_int_equal(fdcache_hold(&fixture->cache, inode, &held), -ESTALE);
}

static void what_was_never_released_is_closed_at_the_end(void **state)
{
	struct fixture *fixture = *state;
	struct inode *inode = fixture->inode[0];
	int before = descriptors();

	for (int i = 0; i < 3; i++) {
		int fd = openat(fixture->root_fd, "file0", O_RDONLY | O_CLOEXEC);

		assert_non_null(file_new(&fixture->tree, inode, fd, O_RDONLY));
	}
	assert_int_equal(descriptors(), before + 3);
	file_close_all(inode);
	assert_null(inode->files);
	assert_int_equal(descriptors(), before);
	for (int i = 0; i < 3; i++)
		inode_put(&fixture->tree, inode);
}

static void names_that_no_longer_hold_are_dropped(void **state)
{
	struct fixture *fixture = *state;
	struct inode *inode = fixture->inode[0];
	struct held_fd held;
	struct statx stx;

	assert_int_equal(linkat(fixture->root_fd, "file0", fixture->root_fd, "second", 0), 0);
	assert_int_equal(tree_link(&fixture->tree, fixture->tree.root, "second", inode), 0);
	/* Somebody underneath puts another file in the place of the name that is tried first. */
	assert_int_equal(unlinkat(fixture->root_fd, "second", 0), 0);
	make_file(fixture, "second");
	touch(fixture, inode);
	assert_int_equal(fixture->cache.recovered, 1);
	assert_int_equal(tree_names(&fixture->tree, inode), 1);
	assert_int_equal(fdcache_statx(&fixture->cache, inode, NULL, &stx), 0);
	fdcache_drop(&fixture->cache, inode);
	assert_int_equal(unlinkat(fixture->root_fd, "file0", 0), 0);
	assert_int_equal(fdcache_hold(&fixture->cache, inode, &held), -ESTALE);
	assert_int_equal(fdcache_statx(&fixture->cache, inode, NULL, &stx), -ESTALE);
	assert_int_equal(tree_names(&fixture->tree, inode), 0);
}

static void paths_are_walked_from_what_is_known(void **state)
{
	struct fixture *fixture = *state;
	struct inode *chain[20];
	struct inode *parent = fixture->tree.root;
	int dir_fd = dup(fixture->root_fd);

	for (int i = 0; i < 20; i++) {
		int fd;

		assert_int_equal(mkdirat(dir_fd, "d", 0700), 0);
		chain[i] = look_up(fixture, parent, dir_fd, "d");
		parent = chain[i];
		fd = openat(dir_fd, "d", O_PATH | O_CLOEXEC);
		close(dir_fd);
		dir_fd = fd;
	}
	close(dir_fd);
	/* Far deeper than the cache has room. */
	touch(fixture, chain[19]);
	assert_true(fdcache_used(&fixture->cache) <= ROOM);
	for (int i = 0; i < 20; i++)
		inode_put(&fixture->tree, chain[i]);
}

/* --- threads -------------------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS 5000

struct job {
	struct fixture *fixture;
	pthread_t thread;
	uint64_t seed;
	unsigned int wrong;
};

static void *hold_at_random(void *arg)
{
	struct job *job = arg;
	struct fixture *fixture = job->fixture;
	struct rng rng = {.state = job->seed};

	for (int i = 0; i < ROUNDS; i++) {
		/* Most of the time few files, so that threads meet. */
		struct inode *inode =
			fixture->inode[rng_below(&rng, rng_below(&rng, 4) ? ROOM + 2 : FILES)];
		struct held_fd held;

		if (fdcache_hold(&fixture->cache, inode, &held)) {
			job->wrong++;
			continue;
		}
		job->wrong += is_wrong(&held, inode);
		fdcache_release(&fixture->cache, &held);
		if (!rng_below(&rng, 20))
			fdcache_drop(&fixture->cache, inode);
	}
	return NULL;
}

static void threads_hold_what_they_asked_for(void **state)
{
	struct fixture *fixture = *state;
	int before = descriptors();
	struct job jobs[THREADS];

	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){.fixture = fixture, .seed = (uint64_t)i + 1};
		assert_int_equal(pthread_create(&jobs[i].thread, NULL, hold_at_random, &jobs[i]),
				 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		assert_int_equal(jobs[i].wrong, 0);
	}
	assert_true(fdcache_used(&fixture->cache) <= ROOM);
	assert_int_equal(descriptors(), before + (int)fdcache_used(&fixture->cache));
}

#define CACHE_TEST(sentence, function) TEST_WITH(sentence, function, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CACHE_TEST("the cache is bounded", it_is_bounded),
		CACHE_TEST("what is used again stays", what_is_used_again_stays),
		CACHE_TEST("what is held is not taken away", what_is_held_is_not_taken_away),
		CACHE_TEST("it makes room when told", it_makes_room_when_told),
		CACHE_TEST("an open file is used instead", an_open_file_is_used_instead),
		CACHE_TEST("files that were never released are closed at the end",
			   what_was_never_released_is_closed_at_the_end),
		CACHE_TEST("names that no longer hold are dropped, others tried",
			   names_that_no_longer_hold_are_dropped),
		CACHE_TEST("a path deeper than the cache is walked",
			   paths_are_walked_from_what_is_known),
		CACHE_TEST("threads hold what they asked for, and nothing leaks",
			   threads_hold_what_they_asked_for),
	};

	return RUN(tests);
}
