/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the small test programs share: ending with a message, numbers, time, threads. */
#ifndef TESTS_TOOL_H
#define TESTS_TOOL_H

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/rng.h"

static inline _Noreturn void die(const char *what)
{
	printf("# %s: %s\n", what, strerror(errno));
	fflush(stdout);
	exit(1);
}

/* Ends the program unless the call succeeded; gives its result. */
static inline long must_long(long ret, const char *what)
{
	if (ret == -1)
		die(what);
	return ret;
}

static inline int must(int ret, const char *what)
{
	return (int)must_long(ret, what);
}

static inline void *must_have(void *p)
{
	if (!p)
		die("memory");
	return p;
}

static inline uint64_t number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	if (*end || !*text) {
		printf("# not a number: %s\n", text);
		exit(2);
	}
	return n;
}

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

static inline int compare_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The value below which `percent` of the sorted values lie. */
static inline uint64_t percentile(const uint64_t *sorted, size_t n, double percent)
{
	size_t at = (size_t)((double)n * percent / 100.0);

	return n ? sorted[at < n ? at : n - 1] : 0;
}

/* Threads with small stacks: hundreds of them must start on any machine. */
static inline void start_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (!err)
		err = pthread_attr_setstacksize(&attr, 256 * 1024);
	if (!err)
		err = pthread_create(thread, &attr, run, arg);
	if (err) {
		errno = err;
		die("a thread");
	}
	pthread_attr_destroy(&attr);
}

#endif
