/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed blocks of the trace in memory: on their way to the disk, so that a slow one holds
 * nobody up for a while; or, in a flight recorder, kept until newer ones need the room.
 */
#ifndef WEIRFS_TRACEQ_H
#define WEIRFS_TRACEQ_H

#include <pthread.h>

#include "trace/writer.h"

enum queued_kind {
	QUEUED_BLOCK,
	QUEUED_PART,   /* no block: another part begins here */
	QUEUED_REOPEN, /* the same, by the name that the first had, if that is free */
};

struct queued {
	struct queued *next;
	enum queued_kind kind;
	bool sync;                /* to be made safe */
	struct trace_frame meta;  /* its data are those below */
	uint32_t kinds[OP_KINDS]; /* operations in it */
	uint8_t data[];
};

struct traceq {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* CLOCK_MONOTONIC */
	struct queued *first;
	struct queued *last;
	struct queued *failed; /* nobody took them: to be counted as lost */
	uint64_t bytes;
	uint64_t bytes_max;
	uint64_t taken; /* frames that are dealt with, well or not */
	uint64_t pushed;
	bool pinned; /* being copied: nothing is evicted */
	bool closed; /* no more will come */
};

void traceq_init(struct traceq *queue, uint64_t bytes_max);
void traceq_done(struct traceq *queue);

/* A copy of a block on the heap, or (data NULL) a mark of that kind. NULL: no memory. */
struct queued *queued_new(enum queued_kind kind, const struct trace_frame *meta);

/* Appends. The frame is theirs. */
void traceq_push(struct traceq *queue, struct queued *frame);
/* Waits until so many bytes fit, but not longer than that: a disk that stands still is no end. */
bool traceq_await_room(struct traceq *queue, size_t bytes, uint64_t patience_ns);
/* Takes those off that the newest has no room for; the caller's. NULL: there is room. */
struct queued *traceq_evict(struct traceq *queue, size_t bytes);

/* The first; waits for one. NULL: closed, and all are taken. */
struct queued *traceq_take(struct traceq *queue);
/* What was taken is dealt with: freed, or put aside as failed. */
void traceq_settle(struct traceq *queue, struct queued *frame, bool failed);
/* Those that failed since the last time. */
struct queued *traceq_take_failed(struct traceq *queue);
/* Waits until all that was pushed so far is dealt with. Returns 0 or -ETIMEDOUT. */
int traceq_await_settled(struct traceq *queue, uint64_t patience_ns);
void traceq_close(struct traceq *queue);
/* While pinned, everything from queue->first on stays as it is; more may be appended. */
void traceq_pin(struct traceq *queue, bool pinned);
void traceq_free_list(struct queued *frame);

#endif
