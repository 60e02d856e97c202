/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manyfiles make N DIR     makes N empty files, 1,000 a directory
 * manyfiles walk N DIR     stats every one of them, lists every directory; N must come out
 * manyfiles churn N DIR    creates, stats and unlinks N files, one after the other
 * manyfiles hold N DIR     opens N files of those made, prints how many it got, waits for its input
 * to end
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/tool.h"

#define PER_DIR 1000

static void path_of(char path[64], uint64_t i)
{
	snprintf(path, 64, "d%06" PRIu64 "/f%03" PRIu64, i / PER_DIR, i % PER_DIR);
}

static void make(uint64_t n)
{
	char path[64];

	for (uint64_t i = 0; i < n; i++) {
		path_of(path, i);
		if (i % PER_DIR == 0) {
			path[7] = '\0';
			must(mkdir(path, 0755), path);
			path[7] = '/';
		}
		must(close(must(open(path, O_CREAT | O_EXCL | O_WRONLY, 0644), path)), "close");
	}
}

static uint64_t walk_dir(const char *name)
{
	struct dirent *entry;
	uint64_t n = 0;
	DIR *dir = opendir(name);

	if (!dir)
		die(name);
	errno = 0;
	while ((entry = readdir(dir))) {
		struct stat st;

		if (entry->d_name[0] == '.')
			continue;
		must(fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW), entry->d_name);
		n++;
		errno = 0;
	}
	if (errno)
		die("readdir");
	closedir(dir);
	return n;
}

static int walk(uint64_t n)
{
	uint64_t found = 0;
	char path[64];

	for (uint64_t i = 0; i < n; i += PER_DIR) {
		path_of(path, i);
		path[7] = '\0';
		found += walk_dir(path);
	}
	printf("files %" PRIu64 " of %" PRIu64 "\n", found, n);
	return found != n;
}

static void churn(uint64_t n)
{
	struct stat st;
	char name[32];

	for (uint64_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "churn%07" PRIu64, i);
		must(close(must(open(name, O_CREAT | O_EXCL | O_WRONLY, 0644), name)), "close");
		must(stat(name, &st), name);
		must(unlink(name), name);
	}
}

static void hold(uint64_t n)
{
	char path[64], byte;
	uint64_t got = 0;

	for (; got < n; got++) {
		path_of(path, got);
		if (open(path, O_RDONLY) < 0)
			break;
	}
	printf("held %" PRIu64 " %s\n", got, got < n ? strerror(errno) : "all");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
}

int main(int argc, char **argv)
{
	uint64_t n;

	if (argc != 4)
		return 2;
	n = number(argv[2]);
	must(chdir(argv[3]), argv[3]);
	if (strcmp(argv[1], "make") == 0)
		make(n);
	else if (strcmp(argv[1], "walk") == 0)
		return walk(n);
	else if (strcmp(argv[1], "churn") == 0)
		churn(n);
	else if (strcmp(argv[1], "hold") == 0)
		hold(n);
	else
		return 2;
	return 0;
}
