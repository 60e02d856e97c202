/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hard links and files without a name. */
#include "config.h"

#include "check.h"

#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>

static void counts_are_right_at_once(void)
{
	char name[16];
	struct stat st;
	int fd = make("f", 0644);

	for (unsigned int i = 1; i <= 20; i++) {
		snprintf(name, sizeof(name), "l%u", i);
		OK(link("f", name));
		EQ(stat_of("f").st_nlink, i + 1);
		EQ(stat_of(name).st_nlink, i + 1);
		EQ(stat_of(name).st_ino, stat_of("f").st_ino);
		OK(fstat(fd, &st));
		EQ(st.st_nlink, i + 1);
	}
	for (unsigned int i = 20; i >= 1; i--) {
		snprintf(name, sizeof(name), "l%u", i);
		OK(unlink(name));
		EQ(stat_of("f").st_nlink, i);
	}
	OK(unlink("f"));
	OK(fstat(fd, &st));
	EQ(st.st_nlink, 0);
}

static void both_names_show_the_same(void)
{
	put("f1", "first\n");
	OK(link("f1", "f2"));
	EQ(stat_of("f2").st_size, 6);
	EQ(OK(write(OK(open("f2", O_WRONLY | O_APPEND)), "more\n", 5)), 5);
	EQ(stat_of("f1").st_size, 11);
	EQ(stat_of("f2").st_size, 11);
	OK(chmod("f2", 0444));
	EQ(mode_of("f1"), 0444);
	OK(chmod("f1", 0644));
	OK(truncate("f1", 3));
	EQ(stat_of("f2").st_size, 3);
	holds("f2", "fir");
}

static void directory_counts(void)
{
	unsigned int before = (unsigned int)stat_of(".").st_nlink;
	unsigned int ref_before = (unsigned int)stat_at(check_ref(), ".").st_nlink, grown;

	OK(mkdirat(check_ref(), "d", 0755));
	grown = (unsigned int)stat_at(check_ref(), ".").st_nlink - ref_before;
	OK(mkdir("d", 0755));
	EQ(stat_of(".").st_nlink, before + grown);
	EQ(stat_of("d").st_nlink, stat_at(check_ref(), "d").st_nlink);
	OK(mkdir("d/e", 0755));
	OK(rename("d/e", "e"));
	EQ(stat_of(".").st_nlink, before + 2 * grown);
	OK(rmdir("e"));
	OK(rmdir("d"));
	EQ(stat_of(".").st_nlink, before);
}

static void links_that_can_not_be(void)
{
	OK(mkdir("d", 0755));
	put("f", "x");
	FAILS(EPERM, link("d", "e"));
	FAILS(EEXIST, link("f", "f"));
	FAILS(EXDEV, link("f", "/dev/none"));
	OK(symlink("f", "s"));
	OK(link("s", "t"));
	TRUE(S_ISLNK(stat_of("t").st_mode));
	EQ(stat_of("s").st_nlink, 2);
	OK(linkat(AT_FDCWD, "s", AT_FDCWD, "u", AT_SYMLINK_FOLLOW));
	EQ(stat_of("u").st_ino, stat_of("f").st_ino);
	EQ(stat_of("f").st_nlink, 2);
}

static void use_without_name(int fd)
{
	char buf[64];
	struct stat st;

	OK(fstat(fd, &st));
	EQ(st.st_nlink, 0);
	EQ(OK_LONG(pread(fd, buf, sizeof(buf), 0)), 4);
	SAME(buf, "text", 4);
	EQ(OK_LONG(pwrite(fd, "more", 4, 100)), 4);
	OK(fstat(fd, &st));
	EQ(st.st_size, 104);
	OK(ftruncate(fd, 2));
	OK(fstat(fd, &st));
	EQ(st.st_size, 2);
	OK(fchmod(fd, 0400));
	OK(fchown(fd, geteuid(), getegid()));
	OK(futimens(fd, (const struct timespec[2]){{5, 0}, {6, 0}}));
	OK(fstat(fd, &st));
	EQ(st.st_mode & 0777, 0400);
	EQ(st.st_mtime, 6);
	OK(fsync(fd));
}

static void unlinked_files_live_on(void)
{
	int fd, again;
	char path[32], byte;

	put("f", "text");
	fd = OK(open("f", O_RDWR));
	OK(unlink("f"));
	FAILS(ENOENT, open("f", O_RDONLY));
	use_without_name(fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = OK(open(path, O_RDONLY));
	EQ(OK_LONG(pread(again, &byte, 1, 0)), 1);
	EQ(byte, 't');
	OK(close(fd));
	EQ(OK_LONG(pread(again, &byte, 1, 1)), 1);
	EQ(byte, 'e');
}

static void name_is_used_again(void)
{
	char buf[8];
	int old, new;

	put("f", "old");
	old = OK(open("f", O_RDWR));
	OK(unlink("f"));
	put("f", "new");
	new = OK(open("f", O_RDWR));
	EQ(OK_LONG(pread(old, buf, 8, 0)), 3);
	SAME(buf, "old", 3);
	EQ(OK_LONG(pread(new, buf, 8, 0)), 3);
	SAME(buf, "new", 3);
	EQ(OK_LONG(pwrite(old, "OLDER", 5, 0)), 5);
	holds("f", "new");
	EQ(stat_of("f").st_size, 3);
}

static void unlinked_directory_entry_free(void)
{
	int fds[50];
	char name[16];

	OK(mkdir("d", 0755));
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "d/f%d", i);
		fds[i] = make(name, 0644);
		OK(unlink(name));
	}
	/* no hidden remains: the directory is empty although the files are open */
	OK(rmdir("d"));
	for (int i = 0; i < 50; i++)
		EQ(OK_LONG(pwrite(fds[i], "x", 1, 0)), 1);
}

static void tmpfile_gets_a_name(void)
{
	int fd = openat(check_ref(), ".", O_TMPFILE | O_RDWR, 0640);
	char path[32];
	struct stat st;

	if (fd < 0)
		SKIP("the backing file system has no O_TMPFILE");
	OK(close(fd));
	fd = open(".", O_TMPFILE | O_RDWR, 0640);
	if (fd < 0 && errno == EOPNOTSUPP && check_on_fuse())
		SKIP("this libfuse passes no O_TMPFILE on");
	OK(fd);
	OK(fstat(fd, &st));
	EQ(st.st_nlink, 0);
	EQ(st.st_mode & 0777, 0640);
	EQ(OK(write(fd, "tmp", 3)), 3);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	OK(linkat(AT_FDCWD, path, AT_FDCWD, "f", AT_SYMLINK_FOLLOW));
	holds("f", "tmp");
	EQ(stat_of("f").st_nlink, 1);
	OK(fstat(fd, &st));
	EQ(st.st_ino, stat_of("f").st_ino);
	fd = OK(open(".", O_TMPFILE | O_RDWR | O_EXCL, 0640));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	FAILS(ENOENT, linkat(AT_FDCWD, path, AT_FDCWD, "g", AT_SYMLINK_FOLLOW));
}

static void tmpfile_belongs_to_caller(void)
{
	int fd = openat(check_ref(), ".", O_TMPFILE | O_RDWR, 0640);

	if (fd < 0)
		SKIP("the backing file system has no O_TMPFILE");
	OK(chmod(".", 0777));
	AS(USER_A, USER_A, USER_A) {
		struct stat st;

		fd = open(".", O_TMPFILE | O_RDWR, 0600);
		if (fd < 0 && errno == EOPNOTSUPP && check_on_fuse())
			SKIP("this libfuse passes no O_TMPFILE on");
		OK(fd);
		OK(fstat(fd, &st));
		EQ(st.st_uid, USER_A);
		EQ(st.st_gid, USER_A);
	}
}

static void one_of_many_creates(void)
{
	pid_t pids[8];
	char name[16];

	for (int i = 0; i < 8; i++)
		SPAWN(pids[i])
		{
			for (int n = 0; n < 200; n++) {
				snprintf(name, sizeof(name), "f%d", n);
				if (open(name, O_CREAT | O_EXCL | O_WRONLY, 0644) < 0) {
					EQ(errno, EEXIST);
					continue;
				}
				snprintf(name, sizeof(name), "won%d", n);
				OK(mkdir(name, 0755));
			}
		}
	for (int i = 0; i < 8; i++)
		check_join(pids[i]);
	for (int n = 0; n < 200; n++) {
		snprintf(name, sizeof(name), "won%d", n);
		OK(rmdir(name));
	}
}

const struct check checks_link[] = {
	{"link counts are right at once under every name", counts_are_right_at_once, false},
	{"both names of a file show the same size and mode at once", both_names_show_the_same,
	 false},
	{"a directory's link count follows its subdirectories", directory_counts, false},
	{"links that can't be are refused", links_that_can_not_be, false},
	{"unlinked files live on for those who hold them", unlinked_files_live_on, false},
	{"a name that is used again is another file", name_is_used_again, false},
	{"unlinked open files leave nothing in their directory", unlinked_directory_entry_free,
	 false},
	{"a file made by O_TMPFILE can be given a name", tmpfile_gets_a_name, false},
	{"a file made by O_TMPFILE belongs to the caller", tmpfile_belongs_to_caller, true},
	{"of many exclusive creators just one wins", one_of_many_creates, false},
	{NULL, NULL, false},
};
