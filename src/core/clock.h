/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks in nanoseconds: the machine's, or a virtual one that tests and the simulator turn. */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

static inline uint64_t clock_ns_of(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* CLOCK_MONOTONIC: every duration and stamp in the program. */
static inline uint64_t clock_mono_ns(void)
{
	return clock_ns_of(CLOCK_MONOTONIC);
}

/* CLOCK_REALTIME: only to say when something was. */
static inline uint64_t clock_wall_ns(void)
{
	return clock_ns_of(CLOCK_REALTIME);
}

static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S),
				 .tv_nsec = (long)(ns % NS_PER_S)};
}

#endif
