/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a check says about the file system: assertions, identities, small files. */
#include "config.h"

#include "check.h"

#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#define EXIT_SKIP 77

static _Noreturn void fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static _Noreturn void fail(const char *file, int line, const char *format, ...)
{
	const char *base = strrchr(file, '/');
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("#   %s:%d: %s\n", base ? base + 1 : file, line, text);
	fflush(stdout);
	_exit(1);
}

long check_ok(long ret, const char *what, const char *file, int line)
{
	if (ret == -1)
		fail(file, line, "%s: %s", what, strerror(errno));
	return ret;
}

void check_fails(int err, long ret, const char *what, const char *file, int line)
{
	int got = errno;

	if (ret != -1)
		fail(file, line, "%s: should fail with \"%s\" but gives %ld", what, strerror(err),
		     ret);
	if (got != err) {
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "%s", strerror(err));
		fail(file, line, "%s: should fail with \"%s\", not \"%s\"", what, wanted,
		     strerror(got));
	}
}

void check_eq(long long a, long long b, const char *what, const char *file, int line)
{
	if (a != b)
		fail(file, line, "%s: %lld (0%llo) against %lld (0%llo)", what, a,
		     (unsigned long long)a, b, (unsigned long long)b);
}

void check_true(bool cond, const char *what, const char *file, int line)
{
	if (!cond)
		fail(file, line, "not so: %s", what);
}

void check_same(const void *a, const void *b, size_t len, const char *what, const char *file,
		int line)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < len; i++)
		if (x[i] != y[i])
			fail(file, line, "%s: byte %zu of %zu is %#x, not %#x", what, i, len, x[i],
			     y[i]);
}

void check_skip(const char *reason)
{
	printf("#   skip: %s\n", reason);
	fflush(stdout);
	_exit(EXIT_SKIP);
}

void check_flush(void)
{
	fflush(stdout);
}

void check_join(pid_t pid)
{
	int status;

	if (pid < 0)
		fail(HERE, "fork: %s", strerror(errno));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail(HERE, "waitpid: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP)
		_exit(EXIT_SKIP);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		_exit(1);
}

pid_t check_fork(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid != 0)
		check_join(pid);
	return pid;
}

pid_t check_become(uid_t uid, gid_t gid, size_t n, const gid_t *groups)
{
	pid_t pid = check_fork();

	if (pid != 0)
		return pid;
	OK(setgroups(n, groups));
	OK(setresgid(gid, gid, gid));
	OK(setresuid(uid, uid, uid));
	return 0;
}

void put_at(int dirfd, const char *name, const char *text)
{
	int fd = OK(openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC, 0644));

	EQ(OK(write(fd, text, strlen(text))), strlen(text));
	OK(close(fd));
}

void put(const char *name, const char *text)
{
	put_at(AT_FDCWD, name, text);
}

int make_at(int dirfd, const char *name, int mode)
{
	int fd = OK(openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL, 0600));

	OK(fchmod(fd, (mode_t)mode));
	return fd;
}

int make(const char *name, int mode)
{
	return make_at(AT_FDCWD, name, mode);
}

struct stat stat_at(int dirfd, const char *name)
{
	struct stat st;

	OK(fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW));
	return st;
}

struct stat stat_of(const char *name)
{
	return stat_at(AT_FDCWD, name);
}

unsigned int mode_of(const char *name)
{
	return stat_of(name).st_mode & 07777;
}

void holds(const char *name, const char *text)
{
	size_t len = strlen(text);
	char *buf = need_memory(len + 1);
	int fd = OK(open(name, O_RDONLY));

	EQ(OK(read(fd, buf, len + 1)), len);
	SAME(buf, text, len);
	OK(close(fd));
	free(buf);
}

void fill(void *buf, size_t len, unsigned int seed)
{
	unsigned char *p = buf;
	uint32_t x = seed * 2654435761U + 1;

	for (size_t i = 0; i < len; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (unsigned char)(x >> 24);
	}
}

void *need_memory(size_t len)
{
	void *p = malloc(len);

	TRUE(p != NULL);
	return p;
}

void *need_aligned(size_t len)
{
	void *p = NULL;

	TRUE(posix_memalign(&p, 4096, len) == 0);
	return p;
}

uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

int check_ok_int(long ret, const char *what, const char *file, int line)
{
	return (int)check_ok(ret, what, file, line);
}
