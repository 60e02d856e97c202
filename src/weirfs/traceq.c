// SPDX-License-Identifier: GPL-2.0-or-later
/* A queue of compressed blocks. */
#include "config.h"

#include "weirfs/traceq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

void traceq_init(struct traceq *queue, uint64_t bytes_max)
{
	pthread_condattr_t attr;

	memset(queue, 0, sizeof(*queue));
	queue->bytes_max = bytes_max;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->changed, &attr);
	pthread_condattr_destroy(&attr);
}

void traceq_free_list(struct queued *frame)
{
	while (frame) {
		struct queued *next = frame->next;

		free(frame);
		frame = next;
	}
}

void traceq_done(struct traceq *queue)
{
	traceq_free_list(queue->first);
	traceq_free_list(queue->failed);
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->lock);
}

struct queued *queued_new(enum queued_kind kind, const struct trace_frame *meta)
{
	size_t len = meta ? meta->len : 0;
	struct queued *frame = malloc(sizeof(*frame) + len);

	if (!frame)
		return NULL;
	memset(frame, 0, sizeof(*frame));
	frame->kind = kind;
	if (meta) {
		frame->meta = *meta;
		memcpy(frame->data, meta->data, len);
		frame->meta.data = frame->data;
	}
	return frame;
}

void traceq_push(struct traceq *queue, struct queued *frame)
{
	pthread_mutex_lock(&queue->lock);
	if (queue->last)
		queue->last->next = frame;
	else
		queue->first = frame;
	queue->last = frame;
	queue->bytes += frame->meta.len;
	queue->pushed++;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

bool traceq_await_room(struct traceq *queue, size_t bytes, uint64_t patience_ns)
{
	struct timespec until = clock_timespec(clock_mono_ns() + patience_ns);
	bool fits;

	pthread_mutex_lock(&queue->lock);
	/* One always fits: it may be larger than the room. */
	while (!(fits = !queue->first || queue->bytes + bytes <= queue->bytes_max)) {
		if (pthread_cond_timedwait(&queue->changed, &queue->lock, &until))
			break;
	}
	pthread_mutex_unlock(&queue->lock);
	return fits;
}

/* The caller holds the lock. */
static struct queued *take_first(struct traceq *queue)
{
	struct queued *frame = queue->first;

	queue->first = frame->next;
	if (!queue->first)
		queue->last = NULL;
	queue->bytes -= frame->meta.len;
	frame->next = NULL;
	return frame;
}

struct queued *traceq_evict(struct traceq *queue, size_t bytes)
{
	struct queued *evicted = NULL;

	pthread_mutex_lock(&queue->lock);
	while (queue->first && !queue->pinned && queue->bytes + bytes > queue->bytes_max) {
		struct queued *frame = take_first(queue);

		frame->next = evicted;
		evicted = frame;
	}
	pthread_mutex_unlock(&queue->lock);
	return evicted;
}

struct queued *traceq_take(struct traceq *queue)
{
	struct queued *frame = NULL;

	pthread_mutex_lock(&queue->lock);
	while (!queue->first && !queue->closed)
		pthread_cond_wait(&queue->changed, &queue->lock);
	if (queue->first)
		frame = take_first(queue);
	pthread_mutex_unlock(&queue->lock);
	return frame;
}

void traceq_settle(struct traceq *queue, struct queued *frame, bool failed)
{
	pthread_mutex_lock(&queue->lock);
	if (failed) {
		frame->next = queue->failed;
		queue->failed = frame;
	}
	queue->taken++;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	if (!failed)
		free(frame);
}

struct queued *traceq_take_failed(struct traceq *queue)
{
	struct queued *failed;

	pthread_mutex_lock(&queue->lock);
	failed = queue->failed;
	queue->failed = NULL;
	pthread_mutex_unlock(&queue->lock);
	return failed;
}

int traceq_await_settled(struct traceq *queue, uint64_t patience_ns)
{
	struct timespec until = clock_timespec(clock_mono_ns() + patience_ns);
	uint64_t pushed;
	int err = 0;

	pthread_mutex_lock(&queue->lock);
	pushed = queue->pushed;
	while (queue->taken < pushed && !err)
		err = pthread_cond_timedwait(&queue->changed, &queue->lock, &until);
	pthread_mutex_unlock(&queue->lock);
	return err ? -ETIMEDOUT : 0;
}

void traceq_close(struct traceq *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

void traceq_pin(struct traceq *queue, bool pinned)
{
	pthread_mutex_lock(&queue->lock);
	queue->pinned = pinned;
	pthread_mutex_unlock(&queue->lock);
}
