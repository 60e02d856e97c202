/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who asked: the threads of one block, each defined once. */
#ifndef TRACE_THREADS_H
#define TRACE_THREADS_H

#include "core/bytes.h"
#include "trace/event.h"

/* All of one: who differs in anything is another. */
struct thread_key {
	uint32_t tid;
	uint32_t process;
	uint32_t uid;
	uint32_t gid;
	char comm[TRACE_COMM];
};

struct threads {
	struct bytes records; /* their definitions, ready for the block */
	struct thread_key *key;
	uint32_t *slot; /* places by hash; 0 = empty */
	uint32_t count;
	uint32_t room; /* of key; slot has twice as many */
	uint32_t last; /* place that was asked for last */
};

void threads_done(struct threads *threads);
void threads_reset(struct threads *threads);
/* The place (from 1) of the op's thread, defined if it wasn't; 0 when memory is short. */
uint32_t threads_place(struct threads *threads, const struct trace_op *op);

#endif
