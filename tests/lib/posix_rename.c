/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rename in all its forms. */
#include "config.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#define NOREPLACE 1U
#define EXCHANGE 2U
#define WHITEOUT 4U

static int rename2(const char *from, const char *to, unsigned int flags)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

static void moves_and_replaces(void)
{
	ino_t ino;

	put("a", "A");
	put("b", "B");
	ino = stat_of("a").st_ino;
	OK(rename("a", "b"));
	holds("b", "A");
	EQ(stat_of("b").st_ino, ino);
	FAILS(ENOENT, open("a", O_RDONLY));
	OK(mkdir("d", 0755));
	OK(rename("b", "d/c"));
	EQ(stat_of("d/c").st_ino, ino);
	OK(rename("d/c", "d/c"));
	holds("d/c", "A");
}

static void same_file_is_left(void)
{
	put("a", "x");
	OK(link("a", "b"));
	OK(rename("a", "b"));
	EQ(stat_of("a").st_nlink, 2);
	holds("b", "x");
}

static void directories(void)
{
	OK(mkdir("d", 0755));
	OK(mkdir("e", 0755));
	put("d/f", "x");
	OK(rename("d", "e"));
	holds("e/f", "x");
	OK(mkdir("d", 0755));
	TRUE(rename("d", "e") == -1 && (errno == ENOTEMPTY || errno == EEXIST));
	put("f", "y");
	FAILS(EISDIR, rename("f", "d"));
	FAILS(ENOTDIR, rename("d", "f"));
	FAILS(EINVAL, rename("e", "e/sub"));
	OK(mkdir("e/sub", 0755));
	FAILS(EINVAL, rename("e", "e/sub/x"));
	TRUE(rename("e/sub", "e") == -1 && (errno == ENOTEMPTY || errno == EEXIST));
	FAILS(EBUSY, rename(".", "x"));
	FAILS(EXDEV, rename("f", "/dev/none"));
	EQ(stat_of("e/..").st_ino, stat_of(".").st_ino);
	OK(rename("e/sub", "d"));
	EQ(stat_of("d/..").st_ino, stat_of(".").st_ino);
}

static void directory_with_open_files(void)
{
	char byte;
	int fd;

	OK(mkdir("d", 0755));
	put("d/f", "x");
	fd = OK(open("d/f", O_RDWR));
	OK(rename("d", "e"));
	EQ(OK_LONG(pwrite(fd, "y", 1, 0)), 1);
	holds("e/f", "y");
	OK(rename("e/f", "g"));
	EQ(OK_LONG(pread(fd, &byte, 1, 0)), 1);
	OK(unlink("g"));
	OK(rmdir("e"));
	EQ(OK_LONG(pwrite(fd, "z", 1, 1)), 1);
}

static void no_replace(void)
{
	put("a", "A");
	put("b", "B");
	FAILS(EEXIST, rename2("a", "b", NOREPLACE));
	holds("b", "B");
	OK(rename2("a", "c", NOREPLACE));
	holds("c", "A");
	FAILS(ENOENT, rename2("a", "x", NOREPLACE));
}

static void exchange(void)
{
	int fd = OK(openat(check_ref(), "a", O_CREAT | O_WRONLY, 0644));
	char byte;

	OK(close(fd));
	OK(mkdirat(check_ref(), "d", 0755));
	if (syscall(SYS_renameat2, check_ref(), "a", check_ref(), "d", EXCHANGE) != 0)
		SKIP("the backing file system can't exchange");
	put("a", "A");
	put("b", "B");
	OK(mkdir("d", 0755));
	put("d/in", "I");
	fd = OK(open("a", O_RDONLY));
	OK(rename2("a", "b", EXCHANGE));
	holds("a", "B");
	holds("b", "A");
	OK(rename2("a", "d", EXCHANGE));
	holds("d", "B");
	holds("a/in", "I");
	EQ(OK_LONG(pread(fd, &byte, 1, 0)), 1);
	EQ(byte, 'A');
	FAILS(ENOENT, rename2("a", "none", EXCHANGE));
	FAILS(EINVAL, rename2("a", "b", EXCHANGE | NOREPLACE));
}

static void whiteout(void)
{
	int got, err = 0;

	put_at(check_ref(), "a", "x");
	got = (int)syscall(SYS_renameat2, check_ref(), "a", check_ref(), "b", WHITEOUT);
	if (got != 0)
		err = errno;
	put("a", "x");
	if (got != 0) {
		FAILS(err, rename2("a", "b", WHITEOUT));
		return;
	}
	OK(rename2("a", "b", WHITEOUT));
	TRUE(S_ISCHR(stat_of("a").st_mode));
	EQ(stat_of("a").st_rdev, 0);
	holds("b", "x");
}

/* An open file whose name is taken over by another one. */
static void over_open_file(void)
{
	char buf[8];
	struct stat st;
	int a, b;

	put("a", "A");
	put("b", "B");
	a = OK(open("a", O_RDWR));
	b = OK(open("b", O_RDWR));
	OK(rename("a", "b"));
	OK(fstat(b, &st));
	EQ(st.st_nlink, 0);
	OK(fstat(a, &st));
	EQ(st.st_nlink, 1);
	EQ(OK_LONG(pread(b, buf, 8, 0)), 1);
	EQ(buf[0], 'B');
	EQ(OK_LONG(pwrite(b, "lost", 4, 0)), 4);
	EQ(OK_LONG(pwrite(a, "kept", 4, 0)), 4);
	holds("b", "kept");
}

static void over_unlinked_target(void)
{
	char buf[8];
	int a, b;

	OK(mkdir("d", 0755));
	put("d/a", "A");
	put("d/b", "B");
	a = OK(open("d/a", O_RDWR));
	b = OK(open("d/b", O_RDWR));
	OK(unlink("d/b"));
	OK(rename("d/a", "d/b"));
	EQ(OK_LONG(pread(a, buf, 8, 0)), 1);
	EQ(buf[0], 'A');
	EQ(OK_LONG(pread(b, buf, 8, 0)), 1);
	EQ(buf[0], 'B');
	EQ(OK_LONG(pwrite(b, "x", 1, 0)), 1);
	holds("d/b", "A");
	OK(close(a));
	OK(close(b));
	OK(unlink("d/b"));
	OK(rmdir("d"));
}

static void needs_write_on_moved_directory(void)
{
	OK(chmod(".", 0777));
	OK(mkdir("to", 0777));
	OK(chmod("to", 0777));
	OK(mkdir("d", 0755));
	AS(USER_A, USER_A, USER_A) {
		/* its ".." would have to change */
		FAILS(EACCES, rename("d", "to/d"));
		OK(rename("d", "e"));
	}
}

static void open_never_misses(void)
{
	pid_t pid;

	put("f", "first");
	SPAWN(pid)
	{
		for (int i = 0; i < check_many(3000); i++) {
			put("tmp", "again");
			OK(rename("tmp", "f"));
		}
	}
	for (int i = 0; i < check_many(6000); i++)
		OK(close(OK(open("f", O_RDONLY))));
	check_join(pid);
}

const struct check checks_rename[] = {
	{"rename moves and replaces", moves_and_replaces, false},
	{"rename of a file over itself leaves both names", same_file_is_left, false},
	{"rename of directories: empty ones are replaced, others not", directories, false},
	{"open files follow a renamed directory", directory_with_open_files, false},
	{"RENAME_NOREPLACE replaces nothing", no_replace, false},
	{"RENAME_EXCHANGE exchanges files and directories", exchange, false},
	{"RENAME_WHITEOUT answers as the backing file system does", whiteout, true},
	{"rename over an open file leaves its data to its holder", over_open_file, false},
	{"rename over an unlinked open target keeps both files apart", over_unlinked_target, false},
	{"moving a directory needs write permission on it", needs_write_on_moved_directory, true},
	{"a name that is replaced again and again is always there", open_never_misses, false},
	{NULL, NULL, false},
};
