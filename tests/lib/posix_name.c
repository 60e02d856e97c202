/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, paths, symbolic links, and the errors that a wrong one gives. */
#include "config.h"

#include "check.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static bool listed(const char *name)
{
	DIR *dir = opendir(".");
	struct dirent *entry;
	bool found = false;

	TRUE(dir != NULL);
	while ((entry = readdir(dir)))
		found = found || strcmp(entry->d_name, name) == 0;
	closedir(dir);
	return found;
}

static void long_names(void)
{
	char name[NAME_MAX + 2];

	memset(name, 'n', sizeof(name));
	name[NAME_MAX] = '\0';
	put(name, "x");
	TRUE(listed(name));
	OK(rename(name, "short"));
	OK(link("short", name));
	OK(mkdir("d", 0755));
	OK(renameat(AT_FDCWD, name, OK(open("d", O_RDONLY)), name));
	name[NAME_MAX] = 'n';
	name[NAME_MAX + 1] = '\0';
	FAILS(ENAMETOOLONG, open(name, O_CREAT | O_WRONLY, 0644));
	FAILS(ENAMETOOLONG, open(name, O_RDONLY));
	FAILS(ENAMETOOLONG, mkdir(name, 0755));
	FAILS(ENAMETOOLONG, symlink("x", name));
	FAILS(ENAMETOOLONG, mkfifo(name, 0644));
	FAILS(ENAMETOOLONG, link("short", name));
	FAILS(ENAMETOOLONG, rename("short", name));
	FAILS(ENAMETOOLONG, unlink(name));
	FAILS(ENAMETOOLONG, rmdir(name));
}

static void any_bytes(void)
{
	static const char *const names[] = {
		"new\nline",   "\xff\xfe\x80", "quote\"s'",
		"back\\slash", "\x1b[31m",     " ",
		"...",         "-rf",          "\x7f",
		"\xc3\x28",    "$(x)",         ".fuse_hidden0001",
		"tab\there",   "%s%n",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		put(names[i], names[i]);
		TRUE(listed(names[i]));
		holds(names[i], names[i]);
		OK(rename(names[i], "moved"));
		TRUE(!listed(names[i]));
		OK(rename("moved", names[i]));
		OK(unlink(names[i]));
	}
}

/* A tree of directories whose path has just `len` bytes; leaves the caller in its end. */
static char *deep_path(size_t len)
{
	char *path = need_memory(len + 1);
	size_t at = (size_t)snprintf(path, len + 1, "%s", check_dir());

	while (at + 2 <= len) {
		size_t part = len - at - 1 > 200 ? 200 : len - at - 1;

		if (len - at - 1 == 201)
			part = 199;
		path[at++] = '/';
		memset(path + at, 'p', part);
		path[at + part] = '\0';
		OK(mkdir(path + at, 0755));
		OK(chdir(path + at));
		at += part;
	}
	return path;
}

static void longest_path(void)
{
	char *path = deep_path(PATH_MAX - 3);
	size_t len = strlen(path);

	put("f", "deep");
	path = realloc(path, PATH_MAX + 8);
	strcpy(path + len, "/f");
	EQ(strlen(path), PATH_MAX - 1);
	holds(path, "deep");
	OK(rename(path, "g"));
	put(path, "deep");
	OK(chmod(path, 0600));
	OK(truncate(path, 2));
	EQ(stat_of(path).st_size, 2);
	OK(unlink(path));
	strcpy(path + len, "/ff");
	FAILS(ENAMETOOLONG, open(path, O_CREAT | O_WRONLY, 0644));
	free(path);
}

/* Deeper than any path: every file is still there for those who walk. */
static void deeper_than_any_path(void)
{
	for (int i = 0; i < 40; i++) {
		char name[201];

		memset(name, 'a' + i % 26, 200);
		name[200] = '\0';
		OK(mkdir(name, 0755));
		OK(chdir(name));
	}
	put("f", "bottom");
	holds("f", "bottom");
	OK(link("f", "g"));
	OK(rename("g", "../g"));
	EQ(stat_of("f").st_nlink, 2);
	OK(fsync(OK(open(".", O_RDONLY))));
}

static void through_a_file(void)
{
	put("f", "x");
	FAILS(ENOTDIR, open("f/x", O_RDONLY));
	FAILS(ENOTDIR, open("f/x", O_CREAT | O_WRONLY, 0644));
	FAILS(ENOTDIR, mkdir("f/x", 0755));
	FAILS(ENOTDIR, unlink("f/x"));
	FAILS(ENOTDIR, rename("f/x", "y"));
	FAILS(ENOTDIR, symlink("a", "f/x"));
	FAILS(ENOTDIR, rmdir("f"));
	FAILS(ENOTDIR, open("f", O_RDONLY | O_DIRECTORY));
	FAILS(ENOTDIR, open("f/", O_RDONLY));
	FAILS(ENOTDIR, chdir("f"));
}

static void what_is_not_there(void)
{
	FAILS(ENOENT, open("none", O_RDONLY));
	FAILS(ENOENT, open("none/x", O_CREAT | O_WRONLY, 0644));
	FAILS(ENOENT, unlink("none"));
	FAILS(ENOENT, rmdir("none"));
	FAILS(ENOENT, rename("none", "x"));
	FAILS(ENOENT, link("none", "x"));
	FAILS(ENOENT, chmod("none", 0644));
	FAILS(ENOENT, truncate("none", 0));
	FAILS(ENOENT, open("", O_RDONLY));
	/* and it is seen as soon as it is there, also when its absence was known */
	put("none", "now");
	holds("none", "now");
	OK(unlink("none"));
	FAILS(ENOENT, open("none", O_RDONLY));
}

static void what_is_there_already(void)
{
	put("f", "x");
	OK(mkdir("d", 0755));
	FAILS(EEXIST, open("f", O_CREAT | O_EXCL | O_WRONLY, 0644));
	FAILS(EEXIST, open("d", O_CREAT | O_EXCL | O_WRONLY, 0644));
	FAILS(EEXIST, mkdir("f", 0755));
	FAILS(EEXIST, mkdir("d", 0755));
	FAILS(EEXIST, symlink("x", "f"));
	FAILS(EEXIST, link("f", "d"));
	FAILS(EEXIST, mkfifo("f", 0644));
	FAILS(EEXIST, mkdir(".", 0755));
}

static void directories_are_not_files(void)
{
	char byte;

	OK(mkdir("d", 0755));
	FAILS(EISDIR, open("d", O_WRONLY));
	FAILS(EISDIR, open("d", O_RDWR));
	FAILS(EISDIR, open("d", O_RDONLY | O_CREAT, 0644));
	FAILS(EISDIR, open("new/", O_WRONLY | O_CREAT, 0644));
	FAILS(EISDIR, unlink("d"));
	FAILS(EISDIR, truncate("d", 0));
	FAILS(EISDIR, read(OK(open("d", O_RDONLY)), &byte, 1));
	FAILS(EINVAL, rmdir("d/."));
	FAILS(ENOTEMPTY, rmdir("d/.."));
}

static void full_directories_stay(void)
{
	OK(mkdir("d", 0755));
	put("d/f", "x");
	FAILS(ENOTEMPTY, rmdir("d"));
	OK(unlink("d/f"));
	OK(rmdir("d"));
	FAILS(ENOENT, stat("d", &(struct stat){0}));
}

static void symlinks_hold_any_target(void)
{
	static const size_t lengths[] = {1,    10,   59,   60,   61,   255, 256,
					 1000, 1023, 1024, 2000, 4094, 4095};
	char target[PATH_MAX + 1], got[PATH_MAX + 1];

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		memset(target, 'x', lengths[i]);
		target[lengths[i]] = '\0';
		target[lengths[i] / 2] = lengths[i] > 3 ? '/' : 'x';
		if (symlinkat(target, check_ref(), "s") != 0) {
			int err = errno;

			FAILS(err, symlink(target, "s"));
			continue;
		}
		OK(unlinkat(check_ref(), "s", 0));
		OK(symlink(target, "s"));
		EQ(stat_of("s").st_size, lengths[i]);
		EQ(OK_LONG(readlink("s", got, sizeof(got))), lengths[i]);
		SAME(got, target, lengths[i]);
		OK(unlink("s"));
	}
	memset(target, 'x', PATH_MAX);
	target[PATH_MAX] = '\0';
	FAILS(ENAMETOOLONG, symlink(target, "s"));
	FAILS(ENOENT, symlink("", "s"));
}

static void symlinks_are_followed(void)
{
	char got[16];

	put("f", "text");
	OK(symlink("f", "s"));
	OK(symlink("a", "b"));
	OK(symlink("b", "a"));
	OK(symlink("gone", "dangling"));
	holds("s", "text");
	FAILS(ELOOP, open("a", O_RDONLY));
	FAILS(ELOOP, open("s", O_RDONLY | O_NOFOLLOW));
	FAILS(ENOENT, open("dangling", O_RDONLY));
	FAILS(EEXIST, open("dangling", O_CREAT | O_EXCL | O_WRONLY, 0644));
	FAILS(EINVAL, readlink("f", got, sizeof(got)));
	EQ(OK_LONG(readlink("dangling", got, 2)), 2);
	put("dangling", "made");
	holds("gone", "made");
	OK(rename("s", "t"));
	EQ(OK_LONG(readlink("t", got, sizeof(got))), 1);
	OK(unlink("t"));
	holds("f", "text");
}

static void symlinks_by_descriptor(void)
{
	struct stat st;
	char got[16];
	int fd;

	OK(symlink("target", "s"));
	fd = OK(open("s", O_PATH | O_NOFOLLOW));
	OK(fstat(fd, &st));
	TRUE(S_ISLNK(st.st_mode));
	EQ(OK_LONG(readlinkat(fd, "", got, sizeof(got))), 6);
	OK(fchownat(fd, "", (uid_t)-1, (gid_t)-1, AT_EMPTY_PATH));
	FAILS(EBADF, fchmod(fd, 0644));
}

static void too_many_symlinks(void)
{
	char from[16], to[16];

	put("l0", "end");
	for (int i = 1; i <= 41; i++) {
		snprintf(from, sizeof(from), "l%d", i);
		snprintf(to, sizeof(to), "l%d", i - 1);
		OK(symlink(to, from));
	}
	holds("l40", "end");
	FAILS(ELOOP, open("l41", O_RDONLY));
}

static void dot_and_dot_dot(void)
{
	struct stat here = stat_of(".");

	OK(mkdir("d", 0755));
	EQ(stat_of("d/..").st_ino, here.st_ino);
	EQ(stat_of("d/.").st_ino, stat_of("d").st_ino);
	OK(chdir("d"));
	EQ(stat_of("..").st_ino, here.st_ino);
	OK(rename("../d", "../e"));
	put("f", "x");
	OK(chdir(".."));
	holds("e/f", "x");
}

static void removed_working_directory(void)
{
	OK(mkdir("d", 0755));
	OK(chdir("d"));
	OK(rmdir("../d"));
	FAILS(ENOENT, open("f", O_CREAT | O_WRONLY, 0644));
	FAILS(ENOENT, mkdir("e", 0755));
	EQ(stat_of(".").st_nlink, 0);
	TRUE(!listed("f"));
}

const struct check checks_name[] = {
	{"names of 255 bytes work everywhere, of 256 nowhere", long_names, false},
	{"names may hold any bytes", any_bytes, false},
	{"the longest legal path works", longest_path, false},
	{"trees may be deeper than any path", deeper_than_any_path, false},
	{"a path through a file gives ENOTDIR", through_a_file, false},
	{"what is not there gives ENOENT until it is made", what_is_not_there, false},
	{"what is there already gives EEXIST", what_is_there_already, false},
	{"directories can't be used as files", directories_are_not_files, false},
	{"directories that are not empty stay", full_directories_stay, false},
	{"symbolic links hold targets of any legal length", symlinks_hold_any_target, false},
	{"symbolic links are followed, loops are found", symlinks_are_followed, false},
	{"a symbolic link can be held by a descriptor", symlinks_by_descriptor, false},
	{"forty symbolic links in a row are followed, not more", too_many_symlinks, false},
	{"dot and dot-dot lead where they should", dot_and_dot_dot, false},
	{"in a removed working directory nothing can be made", removed_working_directory, false},
	{NULL, NULL, false},
};
