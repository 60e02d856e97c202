// SPDX-License-Identifier: GPL-2.0-or-later
/* Stands in for libFuzzer: gives a target every file of its corpus, one TAP line each. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	scoped_free uint8_t *data = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	/* Exactly as large as the input, so that a sanitizer sees any read past its end. */
	data = malloc(st.st_size ? (size_t)st.st_size : 1);
	if (!data)
		return -ENOMEM;
	if (read(fd, data, (size_t)st.st_size) != st.st_size)
		return -EIO;
	LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
	return 0;
}

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	/* tests/fuzz/fuzz_NAME replays tests/fuzz/corpus/NAME. */
	const char *source = getenv("abs_top_srcdir"), *name = strstr(argv[0], "fuzz_");
	scoped_free char *directory = NULL;
	struct dirent **entries;
	int n, failures = 0;

	if (!name ||
	    asprintf(&directory, "%s/tests/fuzz/corpus/%s", source ? source : ".", name + 5) < 0)
		return 2;
	n = scandir(directory, &entries, is_input, alphasort);
	if (n <= 0) {
		printf("Bail out! no corpus in %s\n", directory);
		return 1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		scoped_free char *path = NULL;
		int err = asprintf(&path, "%s/%s", directory, entries[i]->d_name) < 0
				  ? -ENOMEM
				  : replay_file(path);

		failures += err != 0;
		printf("%sok %d - %s survives %s\n", err ? "not " : "", i + 1, name,
		       entries[i]->d_name);
		fflush(stdout);
		free(entries[i]);
	}
	free(entries);
	return failures != 0;
}
