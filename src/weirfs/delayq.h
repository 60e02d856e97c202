/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replies that are held until they are due, without a thread each: a heap of deadlines and one
 * timer thread that sends them.
 */
#ifndef WEIRFS_DELAYQ_H
#define WEIRFS_DELAYQ_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/small_hist.h"

struct request;

struct delayq {
	pthread_mutex_t lock;
	pthread_cond_t wake; /* CLOCK_MONOTONIC */
	struct request **heap;
	uint32_t count;
	uint32_t room;
	uint64_t held_bytes; /* copies of data that wait with their replies */
	uint64_t held_bytes_max;
	uint64_t interrupted;   /* released early because the caller was killed */
	struct small_hist late; /* how long after its due time a reply was sent */
	pthread_t timer;
	bool started;
	bool stopping;
};

/* held_bytes_max bounds the memory of held data: beyond it, a reply is held by its worker. */
int delayq_init(struct delayq *queue, uint64_t held_bytes_max);
int delayq_start(struct delayq *queue);
/* Sends what is held at once and ends the timer thread. */
void delayq_stop(struct delayq *queue);
void delayq_done(struct delayq *queue);

/*
 * Parks a copy of the request until op.due_ns. Returns 0 when the queue has it now; otherwise
 * (no memory, held data at its bound, stopping) the caller still owns it and answers itself.
 */
int delayq_put(struct delayq *queue, const struct request *request);
/*
 * Parks a copy of a request that has to wait for something (a lock): retry() is called from the
 * timer thread, from time to time and after delayq_wake(), until it gives another result than
 * -EAGAIN; that is answered. When request_interrupted() (a signal came, or the end) it must.
 * Returns the copy, to wake it by, or NULL when it could not be parked.
 */
struct request *delayq_put_retry(struct delayq *queue, const struct request *request,
				 int (*retry)(struct request *request));
void delayq_wake(struct delayq *queue, struct request *request);
/* How many replies are held. */
uint32_t delayq_held(struct delayq *queue);
/* Everything that is held becomes due now. */
void delayq_release_all(struct delayq *queue);
/* Adds the lateness of all released replies; it may miss the one being recorded. */
void delayq_lateness(struct delayq *queue, struct hist *into);

#endif
