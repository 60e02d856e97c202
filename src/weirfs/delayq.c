// SPDX-License-Identifier: GPL-2.0-or-later
/* Held replies: a binary heap by wake-up time and the thread that empties it. */
#include "config.h"

#include "weirfs/delayq.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "weirfs/kept.h"
#include "weirfs/request.h"

/* How often an interrupted caller that lives on is looked at again. */
#define RECHECK_NS (100 * NS_PER_MS)
/* A lock that somebody outside holds is asked for again after 1, 2, 4, .. ms. */
#define RETRY_FIRST_NS (1 * NS_PER_MS)
#define RETRY_LAST_NS (32 * NS_PER_MS)
#define NOT_QUEUED UINT32_MAX

int delayq_init(struct delayq *queue, uint64_t held_bytes_max)
{
	pthread_condattr_t attr;

	memset(queue, 0, sizeof(*queue));
	queue->held_bytes_max = held_bytes_max;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->wake, &attr);
	pthread_condattr_destroy(&attr);
	return 0;
}

void delayq_done(struct delayq *queue)
{
	free(queue->heap);
	small_hist_done(&queue->late);
	pthread_cond_destroy(&queue->wake);
	pthread_mutex_destroy(&queue->lock);
}

/* --- the heap (all under the lock) ---------------------------------------------------------- */

static void place(struct delayq *queue, uint32_t index, struct request *request)
{
	queue->heap[index] = request;
	request->heap_index = index;
}

static void sift_up(struct delayq *queue, uint32_t index, struct request *request)
{
	while (index) {
		struct request *parent = queue->heap[(index - 1) / 2];

		if (parent->wake_ns <= request->wake_ns)
			break;
		place(queue, index, parent);
		index = (index - 1) / 2;
	}
	place(queue, index, request);
}

static void sift_down(struct delayq *queue, uint32_t index, struct request *request)
{
	for (;;) {
		uint32_t child = 2 * index + 1;

		if (child >= queue->count)
			break;
		if (child + 1 < queue->count &&
		    queue->heap[child + 1]->wake_ns < queue->heap[child]->wake_ns)
			child++;
		if (request->wake_ns <= queue->heap[child]->wake_ns)
			break;
		place(queue, index, queue->heap[child]);
		index = child;
	}
	place(queue, index, request);
}

static int push(struct delayq *queue, struct request *request)
{
	if (queue->count == queue->room) {
		uint32_t room = queue->room ? queue->room * 2 : 1024;
		struct request **heap = reallocarray(queue->heap, room, sizeof(struct request *));

		if (!heap)
			return -ENOMEM;
		queue->heap = heap;
		queue->room = room;
	}
	sift_up(queue, queue->count++, request);
	return 0;
}

static struct request *pop(struct delayq *queue)
{
	struct request *first = queue->heap[0];
	struct request *last = queue->heap[--queue->count];

	if (queue->count)
		sift_down(queue, 0, last);
	first->heap_index = NOT_QUEUED;
	return first;
}

/* --- interrupts ----------------------------------------------------------------------------- */

/* Signals by which people and programs end programs; others (SIGURG, SIGPROF, ..) hold nobody up.
 */
#define ENDING_SIGNALS \
	(BIT(SIGKILL) | BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGQUIT) | BIT(SIGHUP) | BIT(SIGALRM))
#define BIT(signal) (UINT64_C(1) << ((signal)-1))

static uint64_t signals(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 16) : 0;
}

/*
 * Whether the thread has been told to end: a fatal signal shows as a pending SIGKILL, one that it
 * handles as itself. A caller that lives on is held on, as a disk would.
 */
static bool is_ending(pid_t tid)
{
	char path[48], text[4096];
	uint64_t pending;
	scoped_fd int fd = -1;
	ssize_t len;

	/* Of the kernel itself, or of a process that our namespace has no number for. */
	if (!tid)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return true;
	text[len] = '\0';
	pending = signals(text, "\nSigPnd:") | signals(text, "\nShdPnd:");
	return pending & ~signals(text, "\nSigBlk:") & ENDING_SIGNALS;
}

/* libfuse calls this on another worker, with its own lock on the request held. */
static void on_interrupt(fuse_req_t fuse, void *arg)
{
	struct request *request = arg;
	struct delayq *queue = request->queue;

	(void)fuse;
	pthread_mutex_lock(&queue->lock);
	request_interrupt(request);
	if (request->heap_index != NOT_QUEUED) {
		request->wake_ns = 0;
		sift_up(queue, request->heap_index, request);
		pthread_cond_signal(&queue->wake);
	}
	pthread_mutex_unlock(&queue->lock);
}

/* --- parking -------------------------------------------------------------------------------- */

/* A read's data lies in the worker's buffer, which is needed for the next read. */
static int keep_data(struct delayq *queue, struct request *request)
{
	struct reply *reply = &request->reply;
	uint64_t held;

	if (reply->error || reply->data_owned || !reply->len ||
	    (reply->kind != REPLY_DATA && reply->kind != REPLY_READLINK))
		return 0;
	held = __atomic_add_fetch(&queue->held_bytes, reply->len, __ATOMIC_RELAXED);
	if (held <= queue->held_bytes_max)
		reply->data_owned = malloc(reply->len + 1);
	if (!reply->data_owned) {
		__atomic_fetch_sub(&queue->held_bytes, reply->len, __ATOMIC_RELAXED);
		return -ENOMEM;
	}
	memcpy(reply->data_owned, reply->data, reply->len);
	((char *)reply->data_owned)[reply->len] = '\0';
	reply->data = reply->data_owned;
	request->held_bytes = reply->len;
	return 0;
}

/* The last resort: this worker waits out the delay itself. */
static int hold_thread(const struct request *request, int err)
{
	struct timespec due = clock_timespec(request->op.due_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
		;
	return err;
}

/* Over io_uring the kernel sends no interrupts: such callers are looked at from time to time. */
static bool is_deaf(fuse_req_t fuse)
{
#ifdef HAVE_FUSE_IO_URING
	return fuse_req_is_uring(fuse);
#else
	(void)fuse;
	return false;
#endif
}

static uint64_t next_look(const struct request *request, uint64_t now_ns)
{
	uint64_t look_ns = now_ns + RECHECK_NS;

	return look_ns < request->op.due_ns ? look_ns : request->op.due_ns;
}

static struct request *copy_of(struct delayq *queue, const struct request *request)
{
	struct request *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *request;
	if (request_keep(copy)) {
		free(copy);
		return NULL;
	}
	copy->parked = true;
	copy->queue = queue;
	copy->heap_index = NOT_QUEUED;
	copy->deaf = is_deaf(copy->fuse);
	return copy;
}

static void free_copy(struct request *copy)
{
	if (copy)
		free(copy->kept);
	free(copy);
}

/* Queues a copy. On failure the caller still owns it. */
static int park(struct delayq *queue, struct request *copy)
{
	int err;

	/* Before it is parked, so that no interrupt is missed. */
	fuse_req_interrupt_func(copy->fuse, on_interrupt, copy);
	pthread_mutex_lock(&queue->lock);
	if (request_interrupted(copy))
		copy->wake_ns = 0;
	err = queue->stopping ? -ESHUTDOWN : push(queue, copy);
	if (!err && copy->heap_index == 0)
		pthread_cond_signal(&queue->wake);
	pthread_mutex_unlock(&queue->lock);
	if (err)
		fuse_req_interrupt_func(copy->fuse, NULL, NULL);
	return err;
}

int delayq_put(struct delayq *queue, const struct request *request)
{
	struct request *copy = copy_of(queue, request);
	int err = copy ? keep_data(queue, copy) : -ENOMEM;

	if (err) {
		free_copy(copy);
		return hold_thread(request, err);
	}
	copy->wake_ns = copy->deaf ? next_look(copy, clock_mono_ns()) : request->op.due_ns;
	err = park(queue, copy);
	if (!err)
		return 0;
	__atomic_fetch_sub(&queue->held_bytes, copy->held_bytes, __ATOMIC_RELAXED);
	free(copy->held_bytes ? copy->reply.data_owned : NULL);
	free_copy(copy);
	return err;
}

struct request *delayq_put_retry(struct delayq *queue, const struct request *request,
				 int (*retry)(struct request *request))
{
	struct request *copy = copy_of(queue, request);

	if (!copy)
		return NULL;
	copy->retry = retry;
	copy->retry_ns = RETRY_FIRST_NS;
	copy->wake_ns = clock_mono_ns() + copy->retry_ns;
	if (!park(queue, copy))
		return copy;
	free_copy(copy);
	return NULL;
}

void delayq_wake(struct delayq *queue, struct request *request)
{
	pthread_mutex_lock(&queue->lock);
	if (request->heap_index != NOT_QUEUED) {
		request->wake_ns = 0;
		sift_up(queue, request->heap_index, request);
		pthread_cond_signal(&queue->wake);
	}
	pthread_mutex_unlock(&queue->lock);
}

/* --- the timer thread ----------------------------------------------------------------------- */

/* Puts a caller back that was interrupted but lives on. Returns whether it did. */
static bool back_to_bed(struct delayq *queue, struct request *request, uint64_t now_ns)
{
	int err;

	if (now_ns >= request->op.due_ns || !(request_interrupted(request) || request->deaf))
		return false;
	if (is_ending(request->caller.pid)) {
		request_interrupt(request);
		return false;
	}
	request->wake_ns = next_look(request, now_ns);
	pthread_mutex_lock(&queue->lock);
	err = queue->stopping ? -ESHUTDOWN : push(queue, request);
	pthread_mutex_unlock(&queue->lock);
	return !err;
}

/* Asks again for what a request waits for. Returns whether it waits on. */
static bool retry(struct delayq *queue, struct request *request)
{
	if (__atomic_load_n(&queue->stopping, __ATOMIC_RELAXED) ||
	    (request->deaf && is_ending(request->caller.pid)))
		request_interrupt(request);
	request->reply.error = request->retry(request);
	while (request->reply.error == -EAGAIN) {
		int err;

		request->retry_ns *= request->retry_ns < RETRY_LAST_NS ? 2 : 1;
		request->wake_ns = clock_mono_ns() + request->retry_ns;
		pthread_mutex_lock(&queue->lock);
		/* An interrupt since the last look must not be slept over. */
		if (request_interrupted(request))
			request->wake_ns = 0;
		err = push(queue, request);
		pthread_mutex_unlock(&queue->lock);
		if (!err)
			return true;
		request_interrupt(request);
		request->reply.error = request->retry(request);
	}
	if (request->reply.error == -EINTR)
		request->op.flags |= OP_F_INTERRUPTED;
	request->op.backed_ns = clock_mono_ns();
	return false;
}

static void release(struct delayq *queue, struct request *request)
{
	uint64_t now_ns = clock_mono_ns();
	bool early = now_ns < request->op.due_ns;

	if (request->retry) {
		if (retry(queue, request))
			return;
		fuse_req_interrupt_func(request->fuse, NULL, NULL);
		request_finish(request);
		return;
	}
	if (back_to_bed(queue, request, now_ns))
		return;
	/* Waits for an interrupt that is just being delivered; after it, nobody knows the copy. */
	fuse_req_interrupt_func(request->fuse, NULL, NULL);
	if (request_interrupted(request) && early) {
		request->op.flags |= OP_F_INTERRUPTED;
		__atomic_fetch_add(&queue->interrupted, 1, __ATOMIC_RELAXED);
		/* Nothing has happened for a reader that is no more; what was written stays
		 * written. */
		if (request->op.kind == OP_READ)
			request->reply.error = -EINTR;
	}
	if (early) {
		request->op.due_ns = now_ns;
	} else {
		pthread_mutex_lock(&queue->lock);
		small_hist_record(&queue->late, now_ns - request->op.due_ns);
		pthread_mutex_unlock(&queue->lock);
	}
	__atomic_fetch_sub(&queue->held_bytes, request->held_bytes, __ATOMIC_RELAXED);
	request_finish(request);
}

/* Waits until the first is due. Returns it, or NULL when it is time to end. */
static struct request *next_due(struct delayq *queue)
{
	struct request *request = NULL;

	pthread_mutex_lock(&queue->lock);
	while (!request && !(queue->stopping && !queue->count)) {
		struct timespec until;

		if (!queue->count) {
			pthread_cond_wait(&queue->wake, &queue->lock);
		} else if (queue->stopping || queue->heap[0]->wake_ns <= clock_mono_ns()) {
			request = pop(queue);
		} else {
			until = clock_timespec(queue->heap[0]->wake_ns);
			pthread_cond_timedwait(&queue->wake, &queue->lock, &until);
		}
	}
	pthread_mutex_unlock(&queue->lock);
	return request;
}

static void *timer_main(void *arg)
{
	struct delayq *queue = arg;
	struct request *request;

	prctl(PR_SET_NAME, "weirfs-timer");
	/* The default slack of 50 us would show as lateness. */
	prctl(PR_SET_TIMERSLACK, 1);
	while ((request = next_due(queue)))
		release(queue, request);
	return NULL;
}

int delayq_start(struct delayq *queue)
{
	int err = pthread_create(&queue->timer, NULL, timer_main, queue);

	queue->started = !err;
	return -err;
}

void delayq_stop(struct delayq *queue)
{
	pthread_mutex_lock(&queue->lock);
	__atomic_store_n(&queue->stopping, true, __ATOMIC_RELAXED);
	pthread_cond_signal(&queue->wake);
	pthread_mutex_unlock(&queue->lock);
	if (queue->started)
		pthread_join(queue->timer, NULL);
	queue->started = false;
}

void delayq_release_all(struct delayq *queue)
{
	uint64_t now_ns = clock_mono_ns();

	pthread_mutex_lock(&queue->lock);
	for (uint32_t i = 0; i < queue->count; i++) {
		struct request *request = queue->heap[i];

		/* All equal keys are a heap in any order. */
		request->wake_ns = 0;
		if (request->op.due_ns > now_ns)
			request->op.due_ns = now_ns;
	}
	pthread_cond_signal(&queue->wake);
	pthread_mutex_unlock(&queue->lock);
}

void delayq_lateness(struct delayq *queue, struct hist *into)
{
	pthread_mutex_lock(&queue->lock);
	small_hist_merge(into, &queue->late);
	pthread_mutex_unlock(&queue->lock);
}

uint32_t delayq_held(struct delayq *queue)
{
	uint32_t held;

	pthread_mutex_lock(&queue->lock);
	held = queue->count;
	pthread_mutex_unlock(&queue->lock);
	return held;
}
