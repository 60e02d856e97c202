// SPDX-License-Identifier: GPL-2.0-or-later
/* Mounts from mountinfo: every field, every escape, and which mount a path belongs to. */
#include "config.h"

#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/mounts.h"

static const char table[] =
	"22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
	"23 22 0:40 / /data rw,nosuid shared:7 master:2 - fuse.weirfs /real rw,user_id=1000,"
	"group_id=1000\n"
	"24 23 8:2 / /data/disk rw - xfs /dev/sdb rw\n"
	"25 24 0:41 / /data/disk/in\\040ner rw - fuse.weirfs a\\134b\\012c rw,user_id=0\n"
	"a line of another shape\n"
	"26 22 x:41 / /odd rw - fuse.weirfs y rw,user_id=0\n"
	"27 22 0:42 / /data rw - fuse.weirfs /again rw,user_id=5\n"
	"28 22 0:43 / /short rw - fuse.weirfs";

static struct mounts read_text(const char *text)
{
	char name[] = "/tmp/mountinfo-XXXXXX";
	int fd = mkstemp(name);
	struct mounts mounts;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(mounts_read(name, &mounts, NULL), 0);
	unlink(name);
	return mounts;
}

static void fields_and_escapes_are_read(void **state)
{
	struct mounts mounts = read_text(table);

	assert_int_equal(mounts.count, 5);
	assert_string_equal(mounts.list[1].point, "/data");
	assert_string_equal(mounts.list[1].source, "/real");
	assert_int_equal(mounts.list[1].major, 0);
	assert_int_equal(mounts.list[1].minor, 40);
	assert_int_equal(mounts.list[1].owner, 1000);
	assert_true(mounts.list[1].weirfs);
	assert_false(mounts.list[2].weirfs);
	assert_string_equal(mounts.list[2].type, "xfs");
	assert_string_equal(mounts.list[3].point, "/data/disk/in ner");
	assert_string_equal(mounts.list[3].source, "a\\b\nc");
	mounts_done(&mounts);
}

static void check_holding(const struct mounts *mounts, const char *path, bool weirfs_only,
			  const char *source)
{
	const struct mount *mount = mounts_holding(mounts, path, weirfs_only);

	if (!source) {
		assert_null(mount);
		return;
	}
	assert_non_null(mount);
	assert_string_equal(mount->source, source);
}

static void the_deepest_and_last_mount_holds_a_path(void **state)
{
	struct mounts mounts = read_text(table);

	check_holding(&mounts, "/", true, NULL);
	check_holding(&mounts, "/database", true, NULL);
	check_holding(&mounts, "/data", true, "/again");
	check_holding(&mounts, "/data/x", true, "/again");
	check_holding(&mounts, "/data/disk/x", true, "/again");
	check_holding(&mounts, "/data/disk/x", false, "/dev/sdb");
	check_holding(&mounts, "/data/disk/in ner", true, "a\\b\nc");
	check_holding(&mounts, "/elsewhere", false, "/dev/root");
	assert_null(mounts_at(&mounts, "/data/disk", true));
	assert_non_null(mounts_at(&mounts, "/data/disk", false));
	assert_string_equal(mounts_at(&mounts, "/data", true)->source, "/again");
	mounts_done(&mounts);
}

static void paths_below_a_mount_begin_with_a_slash(void **state)
{
	struct mount mount = {.point = (char[]){"/data"}}, root = {.point = (char[]){"/"}};

	assert_string_equal(mounts_below(&mount, "/data"), "/");
	assert_string_equal(mounts_below(&mount, "/data/a/b"), "/a/b");
	assert_string_equal(mounts_below(&root, "/"), "/");
	assert_string_equal(mounts_below(&root, "/a"), "/a");
}

static void check_resolve(const struct mounts *mounts, const char *path, const char *wanted)
{
	char *got = mounts_resolve(mounts, path);

	assert_non_null(got);
	assert_string_equal(got, wanted);
	free(got);
}

static void paths_are_resolved_without_a_look_into_the_mount(void **state)
{
	char directory[] = "/tmp/mounts-XXXXXX", text[256], path[128], wanted[128];
	struct mounts mounts;

	assert_non_null(mkdtemp(directory));
	snprintf(text, sizeof(text), "23 22 0:40 / %s/mnt rw - fuse.weirfs /real rw,user_id=0\n",
		 directory);
	mounts = read_text(text);
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(mkdir("mnt", 0700), 0);
	assert_int_equal(symlink("elsewhere", "mnt/link"), 0);
	assert_int_equal(symlink("mnt", "way"), 0);
	assert_int_equal(symlink(directory, "round"), 0);
	assert_int_equal(symlink("turn", "turn"), 0);

	check_resolve(&mounts, "/", "/");
	check_resolve(&mounts, "/..", "/");
	check_resolve(&mounts, "//nothing/./here/", "/nothing/here");
	snprintf(path, sizeof(path), "%s/way/../way/link/x", directory);
	snprintf(wanted, sizeof(wanted), "%s/mnt/link/x", directory);
	check_resolve(&mounts, path, wanted);
	check_resolve(&mounts, "round/round/way/link/x", wanted);
	check_resolve(&mounts, "mnt/link/./y/../x", wanted);
	assert_null(mounts_resolve(&mounts, "turn/x"));

	assert_int_equal(unlink("mnt/link"), 0);
	assert_int_equal(unlink("way"), 0);
	assert_int_equal(unlink("round"), 0);
	assert_int_equal(unlink("turn"), 0);
	assert_int_equal(rmdir("mnt"), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(directory), 0);
	mounts_done(&mounts);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("fields and escapes are read, odd lines passed over",
		     fields_and_escapes_are_read),
		TEST("the deepest and last mount holds a path",
		     the_deepest_and_last_mount_holds_a_path),
		TEST("paths below a mount begin with a slash",
		     paths_below_a_mount_begin_with_a_slash),
		TEST("paths are resolved without a look into the mount",
		     paths_are_resolved_without_a_look_into_the_mount),
	};

	return RUN(tests);
}
