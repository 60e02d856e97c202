/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * renameopen OPENS THREADS DIR: is a name that is replaced by rename again and again always there?
 *
 * One thread writes a new file and renames it over the name; the others open, stat and read it.
 */
#include "config.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/tool.h"

static int dir;
static uint64_t opens;
static atomic_bool stop;
static atomic_uint_fast64_t failures, stale;

static void *replace(void *arg)
{
	(void)arg;
	while (!atomic_load(&stop)) {
		int fd = must(openat(dir, "tmp", O_CREAT | O_TRUNC | O_WRONLY, 0644), "tmp");

		must_long(write(fd, "content\n", 8), "write");
		must(close(fd), "close");
		must(renameat(dir, "tmp", dir, "name"), "rename");
	}
	return NULL;
}

static void *open_it(void *arg)
{
	char buf[16];

	(void)arg;
	for (uint64_t i = 0; i < opens; i++) {
		int fd = openat(dir, "name", O_RDONLY);
		struct stat st;

		if (fd < 0) {
			if (atomic_fetch_add(&failures, 1) == 0)
				printf("# open: %s\n", strerror(errno));
			continue;
		}
		if (read(fd, buf, sizeof(buf)) != 8 || fstat(fd, &st) != 0 || st.st_size != 8)
			atomic_fetch_add(&stale, 1);
		close(fd);
		if (i % 8 == 0 && fstatat(dir, "name", &st, 0) != 0)
			atomic_fetch_add(&failures, 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t *threads, writer;
	size_t n;
	int fd;

	if (argc != 4)
		return 2;
	opens = number(argv[1]);
	n = number(argv[2]);
	dir = must(open(argv[3], O_RDONLY | O_DIRECTORY), argv[3]);
	fd = must(openat(dir, "name", O_CREAT | O_WRONLY, 0644), "name");
	must_long(write(fd, "content\n", 8), "write");
	must(close(fd), "close");
	threads = must_have(calloc(n, sizeof(*threads)));
	start_thread(&writer, replace, NULL);
	for (size_t i = 0; i < n; i++)
		start_thread(&threads[i], open_it, NULL);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&stop, true);
	pthread_join(writer, NULL);
	printf("opens %" PRIu64 " failed %" PRIuFAST64 " wrong %" PRIuFAST64 "\n", opens * n,
	       atomic_load(&failures), atomic_load(&stale));
	free(threads);
	return atomic_load(&failures) != 0 || atomic_load(&stale) != 0;
}
