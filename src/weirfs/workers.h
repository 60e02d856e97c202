/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads that serve the kernel's requests: as few as keep up.
 *
 * Threads that wait on the device take turns, and each turn costs a switch: only as many wait
 * (`seats`) as are needed, one as long as no operation blocks. A thread that is about to block in
 * the backing file system says so with workers_blocking(): seats are one more than were blocked at
 * once of late, so that somebody is there already; if nobody is, a parked thread takes the seat (a
 * new one when there is none). Operations that block without having said so are noticed by a watch
 * that looks every other millisecond while nobody waits on the device.
 */
#ifndef WEIRFS_WORKERS_H
#define WEIRFS_WORKERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuse_session;
struct weirfs;
struct worker;

struct workers {
	struct weirfs *fs;
	struct fuse_session *session;
	pthread_mutex_t lock;
	pthread_cond_t seat;  /* a parked worker is wanted */
	pthread_cond_t watch; /* there is work to watch */
	struct worker **worker;
	uint32_t count;
	uint32_t max;
	uint32_t cpus;
	uint32_t seats;     /* threads that wait on the device at a time; atomic */
	uint32_t blocked;   /* threads in a call that was said to block; atomic */
	uint32_t peak;      /* most of them at once in this window; atomic */
	uint32_t backlog;   /* looks in a row that found requests waiting */
	uint64_t turned_ns; /* when the window began; atomic */
	uint32_t waiting;   /* in read(2) on the device, or on the way there; atomic */
	uint32_t parked;
	uint32_t wanted; /* parked workers that have been called */
	bool watching;   /* atomic */
	bool ended;
	pthread_t watcher;
	void (*on_end)(void *arg); /* the session is over; called once, on some worker */
	void *arg;
};

/* Starts serving. Returns 0 or -errno. */
int workers_start(struct workers *pool, struct weirfs *fs, struct fuse_session *session,
		  uint32_t max, void (*on_end)(void *arg), void *arg);
/*
 * Ends all threads; those in a backing call are waited for as long as given.
 * Returns 0, or -ETIMEDOUT: some are still there, and with them everything they use.
 */
int workers_stop(struct workers *pool, uint64_t patience_ns);

/* How many threads there are, and how many of them are parked. */
void workers_count(struct workers *pool, uint32_t *ret_count, uint32_t *ret_parked);

/* This thread is about to make a call that may block for long. */
void workers_blocking(struct workers *pool);

/*
 * This thread's buffer for data on its way to the kernel: page aligned, touched beforehand, at
 * least WORKER_BUFFER bytes. NULL when there is no memory.
 */
#define WORKER_BUFFER (1024 * 1024)
void *workers_buffer(void);

#endif
