/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listing directories: every name once, whatever else goes on. */
#include "config.h"

#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

struct raw_dirent {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

static void make_many(const char *dir, int n)
{
	int fd = OK(open(dir, O_RDONLY | O_DIRECTORY));
	char name[32];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "file-%06d", i);
		OK(close(OK(openat(fd, name, O_CREAT | O_WRONLY, 0644))));
	}
	OK(close(fd));
}

/* The number in a name that make_many made, or -1. */
static int number_of(const char *name)
{
	return strncmp(name, "file-", 5) == 0 ? atoi(name + 5) : -1;
}

static void each_once(const unsigned char *seen, int from, int n)
{
	for (int i = from; i < n; i++)
		EQ(seen[i], 1);
}

/* Lists through getdents64 with a buffer of the given size, as libc never would. */
static int list_raw(int fd, size_t size, unsigned char *seen)
{
	char *buf = need_memory(size);
	int total = 0;
	long n;

	OK_LONG(lseek(fd, 0, SEEK_SET));
	while ((n = OK_LONG(syscall(SYS_getdents64, fd, buf, size))) > 0)
		for (long at = 0; at < n;) {
			const struct raw_dirent *entry = (const void *)(buf + at);
			int number = number_of(entry->name);

			if (number >= 0)
				seen[number]++;
			total++;
			at += entry->reclen;
		}
	free(buf);
	return total;
}

static void every_name_once(void)
{
	static const size_t sizes[] = {128, 1000, 4096, 32768, 1048576};
	int n = check_many(20000), fd;
	unsigned char *seen = need_memory((size_t)n);

	OK(mkdir("d", 0755));
	make_many("d", n);
	fd = OK(open("d", O_RDONLY | O_DIRECTORY));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(seen, 0, (size_t)n);
		EQ(list_raw(fd, sizes[i], seen), n + 2);
		each_once(seen, 0, n);
	}
	free(seen);
}

static void seeking(void)
{
	enum { N = 3000 };
	static long where[N + 2];
	static char names[N + 2][32];
	struct dirent *entry;
	DIR *dir;
	int files = check_many(N), n = 0;

	OK(mkdir("d", 0755));
	make_many("d", files);
	dir = opendir("d");
	TRUE(dir != NULL);
	for (where[0] = telldir(dir); (entry = readdir(dir)); where[n] = telldir(dir)) {
		snprintf(names[n], sizeof(names[n]), "%.31s", entry->d_name);
		if (++n == N + 2)
			break;
	}
	EQ(n, files + 2);
	for (int i = 0; i < 2000; i++) {
		int at = (int)((unsigned int)i * 7919 % (unsigned int)n);

		seekdir(dir, where[at]);
		entry = readdir(dir);
		TRUE(entry != NULL);
		SAME(entry->d_name, names[at], strlen(names[at]) + 1);
	}
	rewinddir(dir);
	entry = readdir(dir);
	TRUE(entry != NULL);
	SAME(entry->d_name, names[0], strlen(names[0]) + 1);
	closedir(dir);
}

/* What rm -rf does: removes names while it reads them. */
static void removing_while_listing(void)
{
	struct dirent *entry;
	int removed = 0;
	DIR *dir;

	OK(mkdir("d", 0755));
	make_many("d", check_many(5000));
	dir = opendir("d");
	TRUE(dir != NULL);
	while ((entry = readdir(dir)))
		if (number_of(entry->d_name) >= 0) {
			OK(unlinkat(dirfd(dir), entry->d_name, 0));
			removed++;
		}
	closedir(dir);
	EQ(removed, check_many(5000));
	OK(rmdir("d"));
}

/* Others remove the first half while we list: the second half is listed, each name once. */
static void others_remove(void)
{
	const int n = check_many(6000);
	unsigned char *seen = calloc(1, (size_t)n);
	pid_t pid;
	int fd;

	TRUE(seen != NULL);
	OK(mkdir("d", 0755));
	make_many("d", n);
	fd = OK(open("d", O_RDONLY | O_DIRECTORY));
	SPAWN(pid)
	{
		char name[32];

		for (int i = 0; i < n / 2; i++) {
			snprintf(name, sizeof(name), "d/file-%06d", i);
			OK(unlink(name));
		}
	}
	list_raw(fd, 512, seen);
	check_join(pid);
	each_once(seen, n / 2, n);
	for (int i = 0; i < n / 2; i++)
		TRUE(seen[i] <= 1);
	memset(seen, 0, (size_t)n);
	EQ(list_raw(fd, 4096, seen), n / 2 + 2);
	free(seen);
}

static void others_create(void)
{
	const int n = check_many(3000);
	unsigned char *seen = calloc(1, (size_t)n * 3);
	pid_t pid;
	int fd;

	TRUE(seen != NULL);
	OK(mkdir("d", 0755));
	make_many("d", n);
	fd = OK(open("d", O_RDONLY | O_DIRECTORY));
	SPAWN(pid)
	{
		char name[32];

		for (int i = n; i < 3 * n; i++) {
			snprintf(name, sizeof(name), "d/file-%06d", i);
			OK(close(make(name, 0644)));
		}
	}
	list_raw(fd, 700, seen);
	check_join(pid);
	each_once(seen, 0, n);
	for (int i = n; i < 3 * n; i++)
		TRUE(seen[i] <= 1);
	memset(seen, 0, (size_t)n * 3);
	EQ(list_raw(fd, 4096, seen), 3 * n + 2);
	free(seen);
}

static void dots_types_and_numbers(void)
{
	struct dirent *entry;
	bool dot = false, dot_dot = false;
	int others = 0;
	DIR *dir;

	OK(mkdir("d", 0755));
	OK(mkdir("d/dir", 0755));
	put("d/file", "x");
	OK(symlink("file", "d/symlink"));
	OK(mkfifo("d/fifo", 0644));
	OK(chdir("d"));
	dir = opendir(".");
	TRUE(dir != NULL);
	while ((entry = readdir(dir))) {
		struct stat st = stat_of(entry->d_name);

		if (strcmp(entry->d_name, "..") == 0) {
			dot_dot = true;
			continue;
		}
		EQ(entry->d_ino, st.st_ino);
		TRUE(entry->d_type == DT_UNKNOWN || entry->d_type == (st.st_mode & S_IFMT) >> 12);
		if (strcmp(entry->d_name, ".") == 0)
			dot = true;
		else
			others++;
	}
	closedir(dir);
	TRUE(dot && dot_dot);
	EQ(others, 4);
}

static void changes_are_listed_at_once(void)
{
	unsigned char seen[8] = {0};
	int fd;

	OK(mkdir("d", 0755));
	fd = OK(open("d", O_RDONLY | O_DIRECTORY));
	EQ(list_raw(fd, 4096, seen), 2);
	make_many("d", 3);
	EQ(list_raw(fd, 4096, seen), 5);
	OK(unlink("d/file-000001"));
	EQ(list_raw(fd, 4096, seen), 4);
	OK(rename("d/file-000000", "d/file-000007"));
	memset(seen, 0, sizeof(seen));
	EQ(list_raw(fd, 4096, seen), 4);
	EQ(seen[0], 0);
	EQ(seen[7], 1);
	EQ(seen[2], 1);
}

static void streams_are_apart(void)
{
	DIR *a, *b;
	int in_a = 0, in_b = 0;

	OK(mkdir("d", 0755));
	make_many("d", 500);
	a = opendir("d");
	b = opendir("d");
	TRUE(a && b);
	while (readdir(a)) {
		in_a++;
		if (in_a % 2 == 0 && readdir(b))
			in_b++;
	}
	while (readdir(b))
		in_b++;
	EQ(in_a, 502);
	EQ(in_b, 502);
	closedir(a);
	closedir(b);
}

static void too_small_a_buffer(void)
{
	char buf[16];
	int fd = OK(open(".", O_RDONLY | O_DIRECTORY));

	FAILS(EINVAL, syscall(SYS_getdents64, fd, buf, sizeof(buf)));
	put("f", "x");
	FAILS(ENOTDIR, syscall(SYS_getdents64, OK(open("f", O_RDONLY)), buf, sizeof(buf)));
}

const struct check checks_dir[] = {
	{"thousands of names are listed, each once, with buffers of any size", every_name_once,
	 false},
	{"seekdir leads back to every place that telldir told", seeking, false},
	{"names can be removed while they are listed", removing_while_listing, false},
	{"what others remove meanwhile hides nothing else", others_remove, false},
	{"what others create meanwhile doubles nothing", others_create, false},
	{"entries have the right types and numbers", dots_types_and_numbers, false},
	{"changes are listed at once", changes_are_listed_at_once, false},
	{"two streams of a directory do not disturb each other", streams_are_apart, false},
	{"a buffer that is too small is refused", too_small_a_buffer, false},
	{NULL, NULL, false},
};
