/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A delay queue with a stand-in for libfuse and for the end of the pipeline: what is defined here
 * is taken instead of what is in the libraries.
 */
#ifndef TESTS_UNIT_FAKE_FUSE_H
#define TESTS_UNIT_FAKE_FUSE_H

#include "test.h"

#include <pthread.h>

#include "core/clock.h"
#include "weirfs/delayq.h"
#include "weirfs/request.h"

#define DEADLINE_NS (10 * NS_PER_S) /* nothing takes that long */
#define FAR_NS (3600 * NS_PER_S)    /* nothing is due before a test ends */
#define NO_THREAD INT32_MAX         /* a caller that is dead */
#define MANY 2000

/* What libfuse knows of a request, as far as the queue asks. */
struct fuse_req {
	struct finished *finished;
	pthread_mutex_t lock;
	fuse_interrupt_func_t interrupt;
	void *arg;
	bool uring;
};

/* Answers in the order in which they were sent. */
struct finished {
	pthread_mutex_t lock;
	uint32_t count;
	struct {
		struct op op;
		uint64_t at_ns;
		int error;
		char data[8];
	} answer[MANY];
};

struct fixture {
	struct delayq queue;
	struct finished finished;
	struct fuse_req fuse[MANY];
};

int set_up(void **state);
/* Stops the queue; nothing may be left in it. */
int tear_down(void **state);

/* As libfuse does when the kernel tells of a signal. Returns whether anybody listened. */
bool fuse_interrupt(struct fuse_req *fuse);

/* A read by a thread that is alive. */
struct request request_of(struct fixture *fixture, int number, uint64_t due_ns);
/* How many were answered. */
uint32_t finished(struct fixture *fixture);
/* Waits until that many were answered, and no more. */
void wait_finished(struct fixture *fixture, uint32_t count);

#endif
