// SPDX-License-Identifier: GPL-2.0-or-later
/* Files and directories of traces; looking at the first bytes of an input. */
#include "config.h"

#include "tools/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cleanup.h"

#define MAGIC 4
#define PEEKS 1000 /* a pipe that has fewer bytes is looked at so often, for a second in all */

static bool is_magic(const void *data, size_t len)
{
	/* A zstd frame, or a skippable one: what stands before a trace that lost its beginning. */
	static const uint8_t frame[MAGIC] = {0x28, 0xb5, 0x2f, 0xfd};
	static const uint8_t skippable[MAGIC] = {0x50, 0x2a, 0x4d, 0x18};
	const uint8_t *bytes = data;

	if (len < MAGIC)
		return false;
	return !memcmp(bytes, frame, MAGIC) ||
	       ((bytes[0] & 0xf0) == skippable[0] && !memcmp(bytes + 1, skippable + 1, MAGIC - 1));
}

/* Copies the first bytes of a pipe without taking them out. Returns how many. */
static size_t peek_pipe(int fd, uint8_t bytes[MAGIC])
{
	ssize_t n = 0;
	int copy[2];

	for (int i = 0; i < PEEKS; i++) {
		if (pipe2(copy, O_CLOEXEC))
			return 0;
		n = tee(fd, copy[1], MAGIC, 0);
		if (n > 0)
			n = read(copy[0], bytes, MAGIC);
		close(copy[0]);
		close(copy[1]);
		if (n <= 0 || n == MAGIC)
			break;
		poll(NULL, 0, 1);
	}
	return n > 0 ? (size_t)n : 0;
}

bool parts_is_trace(int fd)
{
	uint8_t bytes[MAGIC];
	struct stat st;
	size_t len = 0;
	ssize_t n = -1;

	if (fstat(fd, &st))
		return false;
	if (S_ISREG(st.st_mode))
		n = pread(fd, bytes, MAGIC, lseek(fd, 0, SEEK_CUR));
	else if (S_ISSOCK(st.st_mode))
		n = recv(fd, bytes, MAGIC, MSG_PEEK | MSG_WAITALL);
	else if (S_ISFIFO(st.st_mode))
		len = peek_pipe(fd, bytes);
	if (n > 0)
		len = (size_t)n;
	return is_magic(bytes, len);
}

/* --- lists ---------------------------------------------------------------------------------- */

static int append(struct parts *parts, char *path)
{
	char **grown = reallocarray(parts->path, parts->count + 1, sizeof(*grown));

	if (!grown || !path) {
		free(path);
		if (grown)
			parts->path = grown;
		return -ENOMEM;
	}
	parts->path = grown;
	parts->path[parts->count++] = path;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* A regular file that begins like a trace; one that is still empty is none yet. */
static bool is_part(int directory, const char *name)
{
	scoped_fd int fd = -1;
	struct stat st;

	if (name[0] == '.' || fstatat(directory, name, &st, 0) || !S_ISREG(st.st_mode))
		return false;
	fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && parts_is_trace(fd);
}

/* The traces of a directory behind the paths that are there. */
static int list(struct parts *parts, const char *path)
{
	DIR *directory = opendir(path);
	size_t first = parts->count;
	const struct dirent *entry;
	int err = 0;

	if (!directory)
		return -errno;
	errno = 0;
	while (!err && (entry = readdir(directory))) {
		char *full = NULL;

		if (!is_part(dirfd(directory), entry->d_name))
			continue;
		if (asprintf(&full, "%s/%s", path, entry->d_name) < 0)
			full = NULL;
		err = append(parts, full);
		errno = 0;
	}
	if (!err)
		err = -errno;
	closedir(directory);
	if (!err && parts->count > first)
		qsort(parts->path + first, parts->count - first, sizeof(parts->path[0]), by_name);
	return err;
}

static int find(struct parts *parts, const char *word, struct diag *diag)
{
	size_t before = parts->count;
	struct stat st = {0};
	int err = 0;

	free(parts->directory);
	parts->directory = NULL;
	if (strcmp(word, "-") != 0 && stat(word, &st))
		return diag_set(diag, -errno, "%s", strerror(errno));
	if (!strcmp(word, "-") || !S_ISDIR(st.st_mode)) {
		err = append(parts, strdup(word));
	} else {
		err = list(parts, word);
		parts->directory = strdup(word);
		if (!err && parts->count == before)
			return diag_set(diag, -ENOENT, "no traces in this directory");
		if (!parts->directory)
			err = -ENOMEM;
	}
	return err ? diag_set(diag, err, "%s", strerror(-err)) : 0;
}

int parts_find(char *const *words, size_t count, struct parts *ret_parts, struct diag *diag)
{
	struct parts parts = {0};
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		diag->file = words[i];
		err = find(&parts, words[i], diag);
	}
	if (err)
		parts_done(&parts);
	else
		*ret_parts = parts;
	return err;
}

void parts_done(struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		free(parts->path[i]);
	free(parts->path);
	free(parts->directory);
	*parts = (struct parts){0};
}

int parts_refresh(struct parts *parts, size_t known)
{
	struct parts now = {0};
	const char *last = known ? parts->path[known - 1] : "";
	int err = parts->directory ? list(&now, parts->directory) : 0;

	for (size_t i = 0; i < now.count && !err; i++) {
		if (strverscmp(now.path[i], last) <= 0 ||
		    (parts->count > known &&
		     strverscmp(now.path[i], parts->path[parts->count - 1]) <= 0))
			continue;
		err = append(parts, now.path[i]);
		now.path[i] = NULL;
	}
	parts_done(&now);
	return err;
}
