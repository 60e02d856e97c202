// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's view of mountinfo: the topmost mount on exactly a path. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weirfs/mountinfo.h"

static const char table[] =
	"22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
	"23 22 0:40 / /data rw,nosuid shared:7 master:2 - fuse.weirfs /real rw,user_id=1000\n"
	"24 23 8:2 / /data/disk rw - xfs /dev/sdb rw\n"
	"25 24 259:1048575 / /in\\040ner\\134\\011\\012x rw - fuse.weirfs /a rw\n"
	"a line of another shape\n"
	"26 22 x:41 / /odd rw - fuse.weirfs y rw\n"
	"27 22 0:42 / /over rw - fuse.weirfs /again rw\n"
	"28 22 8:3 / /over rw - ext4 /dev/sdc rw\n"
	"29 22 0:44 / /short rw\n"
	"30 22 0:45 / /half\\04 rw - tmpfs none rw\n"
	"31 22 0:46 / /last rw - fuse.weirfs";

static int find(const char *text, const char *path, struct mountinfo *ret_info)
{
	char name[] = "/tmp/mountinfo-XXXXXX";
	int fd = mkstemp(name), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	err = mountinfo_find_in(name, path, ret_info);
	unlink(name);
	return err;
}

static void check(const char *path, unsigned int major, unsigned int minor, bool is_weirfs)
{
	struct mountinfo info;

	assert_int_equal(find(table, path, &info), 0);
	assert_int_equal(info.major, major);
	assert_int_equal(info.minor, minor);
	assert_int_equal(info.is_weirfs, is_weirfs);
}

static void device_and_type_are_read(void **state)
{
	check("/", 8, 1, false);
	check("/data", 0, 40, true);
	check("/data/disk", 8, 2, false);
	check("/last", 0, 46, true);
}

static void escapes_are_undone(void **state)
{
	check("/in ner\\\t\nx", 259, 1048575, true);
	/* Too short to be one. */
	check("/half\\04", 0, 45, false);
}

static void the_last_line_is_on_top(void **state)
{
	check("/over", 8, 3, false);
}

static void what_is_no_mount_is_not_found(void **state)
{
	static const char *const paths[] = {"/dat",   "/data/", "/database", "/odd",
					    "/short", "",       "a",         "line"};
	struct mountinfo info = {.major = 77};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_int_equal(find(table, paths[i], &info), -ENOENT);
	assert_int_equal(find("", "/", &info), -ENOENT);
	assert_int_equal(find("\n\n \n", "/", &info), -ENOENT);
	assert_int_equal(info.major, 77);
	assert_int_equal(mountinfo_find_in("/nonexistent/table", "/", &info), -ENOENT);
}

static void the_live_table_has_proc(void **state)
{
	struct mountinfo info;

	assert_int_equal(mountinfo_find("/proc", &info), 0);
	assert_false(info.is_weirfs);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("device and type of a mount are read", device_and_type_are_read),
		TEST("octal escapes are undone", escapes_are_undone),
		TEST("of several mounts on a path the last is on top", the_last_line_is_on_top),
		TEST("what is no mount point is not found", what_is_no_mount_is_not_found),
		TEST("the live table has /proc", the_live_table_has_proc),
	};

	return RUN(tests);
}
