// SPDX-License-Identifier: GPL-2.0-or-later
/* Recording, as the threads do it that serve requests. */
#include "config.h"

#include "weirfs/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.h"
#include "weirfs/known.h"
#include "weirfs/record.h"
#include "weirfs/request.h"
#include "weirfs/weirfs.h"

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE (1 << 1)
#endif

/* How often one that waits for room looks whether the trace has ended. */
#define ROOM_LOOK_NS (100 * NS_PER_MS)

static uint64_t recorder_count;
static _Thread_local struct {
	uint64_t recorder;
	struct lane *lane;
} mine;

int recorder_init(struct recorder *recorder, struct weirfs *fs)
{
	pthread_condattr_t attr;

	memset(recorder, 0, sizeof(*recorder));
	recorder->fs = fs;
	recorder->identity = __atomic_add_fetch(&recorder_count, 1, __ATOMIC_RELAXED);
	recorder->ring_bytes = fs->options.trace_ring;
	recorder->stamp = UINT64_C(1) << 32;
	recorder->handle_era = 1;
	pthread_mutex_init(&recorder->room_lock, NULL);
	pthread_mutex_init(&recorder->change_lock, NULL);
	pthread_mutex_init(&recorder->state_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&recorder->room, &attr);
	pthread_condattr_destroy(&attr);
	recorder->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return recorder->wake_fd < 0 ? -errno : 0;
}

void recorder_done(struct recorder *recorder)
{
	for (uint32_t i = 0; i < RECORDER_LANES; i++) {
		if (!recorder->lane[i])
			continue;
		ring_done(&recorder->lane[i]->ring);
		free(recorder->lane[i]);
	}
	free(recorder->place);
	if (recorder->wake_fd > 0)
		close(recorder->wake_fd);
	pthread_cond_destroy(&recorder->room);
	pthread_mutex_destroy(&recorder->room_lock);
	pthread_mutex_destroy(&recorder->change_lock);
	pthread_mutex_destroy(&recorder->state_lock);
}

/* --- lanes ---------------------------------------------------------------------------------- */

static struct lane *new_lane(struct recorder *recorder)
{
	struct lane *lane = aligned_alloc(64, (sizeof(*lane) + 63) / 64 * 64);
	uint32_t slot;

	if (!lane)
		return NULL;
	memset(lane, 0, sizeof(*lane));
	if (ring_init(&lane->ring, recorder->ring_bytes)) {
		free(lane);
		return NULL;
	}
	slot = __atomic_fetch_add(&recorder->lanes, 1, __ATOMIC_RELAXED);
	if (slot >= RECORDER_LANES) {
		__atomic_fetch_sub(&recorder->lanes, 1, __ATOMIC_RELAXED);
		ring_done(&lane->ring);
		free(lane);
		return NULL;
	}
	__atomic_store_n(&recorder->lane[slot], lane, __ATOMIC_RELEASE);
	return lane;
}

/* This thread's, made when it first records; NULL when there is no memory. */
static struct lane *my_lane(struct recorder *recorder)
{
	if (mine.recorder == recorder->identity && mine.lane)
		return mine.lane;
	mine.lane = new_lane(recorder);
	mine.recorder = recorder->identity;
	return mine.lane;
}

static void bump(uint64_t *slot)
{
	__atomic_store_n(slot, *slot + 1, __ATOMIC_RELAXED);
}

static uint64_t look(const uint64_t *slot)
{
	return __atomic_load_n(slot, __ATOMIC_RELAXED);
}

static void drop(struct recorder *recorder, struct lane *lane, unsigned int kind)
{
	if (lane)
		bump(&lane->dropped[kind]);
	else
		recorder_add(&recorder->homeless[kind], 1);
}

static uint64_t sum(const struct recorder *recorder, unsigned int kind, bool dropped)
{
	uint64_t n = dropped ? look(&recorder->homeless[kind]) : 0;

	for (uint32_t i = 0; i < RECORDER_LANES; i++) {
		const struct lane *lane = __atomic_load_n(&recorder->lane[i], __ATOMIC_ACQUIRE);

		if (lane)
			n += look(dropped ? &lane->dropped[kind] : &lane->filtered[kind]);
	}
	return n;
}

uint64_t recorder_dropped(const struct recorder *recorder, unsigned int kind)
{
	return sum(recorder, kind, true);
}

uint64_t recorder_filtered(const struct recorder *recorder, unsigned int kind)
{
	return sum(recorder, kind, false);
}

void recorder_wake(struct recorder *recorder)
{
	const uint64_t one = 1;

	while (write(recorder->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

void recorder_commit(struct recorder *recorder, struct lane *lane, uint32_t kind)
{
	ring_commit(&lane->ring, kind);
	if (ring_calls(&lane->ring))
		recorder_wake(recorder);
}

/* --- the pipeline's calls ------------------------------------------------------------------- */

static bool is_own(const struct trace_session *session, const struct inode *inode)
{
	uint64_t ino = look(&session->own_ino);

	return ino && inode && inode->ino == ino && inode->dev == look(&session->own_dev);
}

/* Not in a read section: it may ask the file system. */
static void introduce(struct request *request, struct lane *lane)
{
	uint64_t now_ns = request->op.arrive_ns;

	callers_find(&lane->callers, request->caller.pid, now_ns, &request->asker);
	known_file(request, lane, request->inode, NULL, now_ns);
	if (request->op.kind == OP_RENAME || request->op.kind == OP_LINK) {
		request->second = inode_get(request->arg.rename.new_parent);
		known_file(request, lane, request->second, NULL, now_ns);
	}
	known_handles(request, lane);
}

void recorder_begin(struct request *request)
{
	const struct trace_session *session;
	struct lane *lane;

	rcu_begin();
	session = rcu_load(&request->fs->recorder.session);
	if (session) {
		request->traced = session->number;
		request->unwanted = !trace_filter_takes(&session->filter, &request->op);
	}
	rcu_end();
	lane = my_lane(&request->fs->recorder);
	if (request->traced && !request->unwanted && lane)
		introduce(request, lane);
}

void recorder_about(struct request *request)
{
	struct lane *lane = my_lane(&request->fs->recorder);

	if (!request->unwanted && request->about && lane)
		known_file(request, lane, request->about, NULL, clock_mono_ns());
}

void recorder_renamed(struct request *request)
{
	struct inode *inode = request->about;

	if (!inode || S_ISDIR(inode->type) || (request->arg.rename.flags & RENAME_EXCHANGE))
		recorder_add(&request->fs->recorder.stamp, 1);
	else
		__atomic_fetch_or(&inode->trace_stamp, KNOWN_MOVED, __ATOMIC_RELAXED);
}

static bool has_attributes(const struct reply *reply)
{
	return !reply->error && (reply->kind == REPLY_ENTRY || reply->kind == REPLY_CREATE ||
				 reply->kind == REPLY_ATTR || reply->kind == REPLY_STATX);
}

static void know_all(struct request *request, struct lane *lane)
{
	const struct statx *stx = has_attributes(&request->reply) ? &request->reply.stx : NULL;
	struct inode *file = request->about ? request->about : request->inode;
	uint64_t now_ns = request->op.done_ns;

	/* A rename is of the path that was. */
	if (request->op.kind != OP_RENAME || !known_before_move(&request->fs->recorder, file))
		known_file(request, lane, file, stx, now_ns);
	if (request->inode != file)
		known_file(request, lane, request->inode, NULL, now_ns);
	known_file(request, lane, request->second, NULL, now_ns);
}

static bool is_wanted(const struct request *request, const struct trace_session *session)
{
	struct inode *file = request->about ? request->about : request->inode;

	if (request->unwanted || is_own(session, file))
		return false;
	if (request->op.done_ns - request->op.arrive_ns < session->filter.min_ns)
		return false;
	return trace_filter_takes_file(&session->filter, &request->fs->tree, file);
}

/* Returns 0, or -EAGAIN: there is no room. */
static int record(struct request *request, struct lane *lane, const struct trace_session *session)
{
	struct record_args args;
	size_t size;
	void *room;

	know_all(request, lane);
	record_gather(request, session->hash_data, &args);
	size = record_op_size(&args);
	room = ring_reserve(&lane->ring, size);
	if (!room)
		return ring_holds(&lane->ring, size) ? -EAGAIN : -EFBIG;
	record_put_op(room, request, &args);
	recorder_commit(&request->fs->recorder, lane, RECORD_OP);
	return 0;
}

/* Waits until the tracer has made room, or the trace ends; outside of read sections. */
static void wait_for_room(struct recorder *recorder, struct lane *lane)
{
	struct timespec until = clock_timespec(clock_mono_ns() + ROOM_LOOK_NS);

	recorder_wake(recorder);
	pthread_mutex_lock(&recorder->room_lock);
	if (!ring_empty(&lane->ring))
		pthread_cond_timedwait(&recorder->room, &recorder->room_lock, &until);
	pthread_mutex_unlock(&recorder->room_lock);
}

/* Returns whether it has to wait and come again. */
static bool try_record(struct request *request, bool waits)
{
	struct recorder *recorder = &request->fs->recorder;
	struct lane *lane = my_lane(recorder);
	const struct trace_session *session;
	bool again = false;
	int err;

	rcu_begin();
	session = rcu_load(&recorder->session);
	if (!session || session->number != request->traced) {
		rcu_end();
		return false;
	}
	if (!is_wanted(request, session)) {
		if (lane)
			bump(&lane->filtered[request->op.kind]);
		else
			recorder_add(&recorder->homeless[request->op.kind], 1);
	} else {
		err = lane ? record(request, lane, session) : -ENOMEM;
		again = err == -EAGAIN && session->block &&
			!__atomic_load_n(&session->closing, __ATOMIC_SEQ_CST);
		/* Counted within the read section that found it on: closing waits for it. */
		if (again && !waits)
			__atomic_fetch_add(&recorder->waiting, 1, __ATOMIC_SEQ_CST);
		if (err && !again)
			drop(recorder, lane, request->op.kind);
	}
	rcu_end();
	return again;
}

void recorder_end(struct request *request)
{
	struct recorder *recorder = &request->fs->recorder;
	bool waits = false;

	while (try_record(request, waits)) {
		waits = true;
		wait_for_room(recorder, my_lane(recorder));
	}
	if (!waits)
		return;
	pthread_mutex_lock(&recorder->room_lock);
	__atomic_fetch_sub(&recorder->waiting, 1, __ATOMIC_SEQ_CST);
	pthread_cond_broadcast(&recorder->room);
	pthread_mutex_unlock(&recorder->room_lock);
}

uint64_t recorder_handle_era(const struct request *request)
{
	return request->traced ? look(&request->fs->recorder.handle_era) : 0;
}

bool recorder_wants_hash(const struct request *request)
{
	const struct trace_session *session;
	bool wants;

	if (!request->traced || request->unwanted)
		return false;
	rcu_begin();
	session = rcu_load(&request->fs->recorder.session);
	wants = session && session->hash_data;
	rcu_end();
	return wants;
}

/* --- for the tracer ------------------------------------------------------------------------- */

void recorder_has_room(struct recorder *recorder)
{
	if (!__atomic_load_n(&recorder->waiting, __ATOMIC_SEQ_CST))
		return;
	pthread_mutex_lock(&recorder->room_lock);
	pthread_cond_broadcast(&recorder->room);
	pthread_mutex_unlock(&recorder->room_lock);
}

void recorder_open(struct recorder *recorder, struct trace_session *session)
{
	/* Nothing that was defined for an earlier trace is known in this. */
	uint64_t stamp = ((look(&recorder->stamp) >> 32) + 1) << 32;

	__atomic_store_n(&recorder->first_stamp, stamp, __ATOMIC_RELAXED);
	__atomic_store_n(&recorder->stamp, stamp, __ATOMIC_RELEASE);
	recorder_add(&recorder->handle_era, 1);
	rcu_store(&recorder->session, session);
}

void recorder_close(struct recorder *recorder, struct trace_session *session)
{
	__atomic_store_n(&session->closing, true, __ATOMIC_SEQ_CST);
	rcu_wait();
	/* Who waits has counted itself by now; nobody will begin to. */
	pthread_mutex_lock(&recorder->room_lock);
	pthread_cond_broadcast(&recorder->room);
	while (__atomic_load_n(&recorder->waiting, __ATOMIC_SEQ_CST))
		pthread_cond_wait(&recorder->room, &recorder->room_lock);
	pthread_mutex_unlock(&recorder->room_lock);
	rcu_store(&recorder->session, NULL);
	rcu_wait();
}
