// SPDX-License-Identifier: GPL-2.0-or-later
/* The threads that serve the kernel's requests. */
#include "config.h"

#include "weirfs/workers.h"

#include <errno.h>
#include <fuse_lowlevel.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "core/clock.h"
#include "weirfs/ident.h"
#include "weirfs/log.h"
#include "weirfs/weirfs.h"

#define PAGE 4096
/* What precedes the data in a WRITE message: fuse_in_header and fuse_write_in. */
#define WRITE_HEADER 80
#define HUGE_PAGE (2 * 1024 * 1024)
#define BUFFERS_ROOM (2 * HUGE_PAGE + 2 * PAGE)
#define WATCH_NS (2 * NS_PER_MS)
#define WATCH_IDLE_TICKS 10
/* Whether as many seats are still needed is looked at after this time ... */
#define WINDOW_NS (20 * NS_PER_MS)
/* ... by the thread that comes first to such a multiple of requests. */
#define WINDOW_REQUESTS 64
/* So many looks in a row must have found requests waiting before that counts as load. */
#define BACKLOG_LOOKS 3

struct worker {
	struct workers *pool;
	pthread_t thread;
	uint64_t served; /* requests taken; atomic, for the watch */
	bool busy;       /* atomic */
	bool blocked;    /* it is counted in pool->blocked; its own */
};

static _Thread_local struct worker *self;

/*
 * A thread's memory, touched beforehand. The data of both directions shares a huge page, if
 * there are any: copies and O_DIRECT find its pages with less ado.
 *
 *	    page | huge page .............................................. | page
 *	  header | data of a WRITE, 1 MiB | room of the message | data of a reply, 1 MiB
 *
 * A WRITE's data begins on a page, so that O_DIRECT can use it as it is.
 */
static _Thread_local struct {
	char *map;
	char *message;
	char *data;
} buffers;

static bool map_buffers(void)
{
	char *map, *huge;

	if (buffers.map)
		return true;
	map = mmap(NULL, BUFFERS_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return false;
	huge = map + (HUGE_PAGE - (uintptr_t)map % HUGE_PAGE) % HUGE_PAGE;
	if (huge - map < PAGE)
		huge += HUGE_PAGE;
	madvise(huge, HUGE_PAGE, MADV_HUGEPAGE);
	for (char *page = huge - PAGE; page <= huge + HUGE_PAGE; page += PAGE)
		*(volatile char *)page = 0;
	buffers.map = map;
	buffers.message = huge - WRITE_HEADER;
	buffers.data = huge + WORKER_BUFFER + PAGE;
	return true;
}

void *workers_buffer(void)
{
	/* Also for threads that are libfuse's own (io_uring): they live as long as the process. */
	return map_buffers() ? buffers.data : NULL;
}

static int add_worker(struct workers *pool);

/* Calls a parked worker to the device, or makes one. The caller holds the lock. */
static void call_one(struct workers *pool)
{
	if (pool->parked > pool->wanted) {
		pool->wanted++;
		pthread_cond_signal(&pool->seat);
	} else if (pool->count < pool->max) {
		add_worker(pool);
	}
}

static void set_seats(struct workers *pool, uint32_t seats)
{
	seats = seats < pool->max ? seats : pool->max;
	__atomic_store_n(&pool->seats, seats, __ATOMIC_RELAXED);
}

/* So many threads are blocked at once: one more is to wait on the device for what comes. */
static void note_blocked(struct workers *pool, uint32_t blocked)
{
	if (blocked > __atomic_load_n(&pool->peak, __ATOMIC_RELAXED))
		__atomic_store_n(&pool->peak, blocked, __ATOMIC_RELAXED);
	if (blocked + 1 > __atomic_load_n(&pool->seats, __ATOMIC_RELAXED))
		set_seats(pool, blocked + 1);
}

void workers_blocking(struct workers *pool)
{
	if (!self || self->blocked)
		return;
	self->blocked = true;
	note_blocked(pool, __atomic_add_fetch(&pool->blocked, 1, __ATOMIC_RELAXED));
	if (__atomic_load_n(&pool->waiting, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&pool->lock);
	if (!pool->ended && !pool->wanted && !__atomic_load_n(&pool->waiting, __ATOMIC_RELAXED))
		call_one(pool);
	pthread_mutex_unlock(&pool->lock);
}

/*
 * Seats for what was blocked at once since the last look; and, if requests wait in the kernel each
 * time, for some that only need a CPU.
 */
static void turn_window(struct workers *pool)
{
	struct pollfd device = {.fd = fuse_session_fd(pool->session), .events = POLLIN};
	uint64_t now_ns = clock_mono_ns();
	uint32_t blocked, seats;

	if (now_ns - __atomic_load_n(&pool->turned_ns, __ATOMIC_RELAXED) < WINDOW_NS ||
	    pthread_mutex_trylock(&pool->lock))
		return;
	__atomic_store_n(&pool->turned_ns, now_ns, __ATOMIC_RELAXED);
	blocked = __atomic_load_n(&pool->blocked, __ATOMIC_RELAXED);
	seats = 1 + __atomic_exchange_n(&pool->peak, blocked, __ATOMIC_RELAXED);
	pool->backlog = poll(&device, 1, 0) == 1 ? pool->backlog + 1 : 0;
	if (pool->backlog > BACKLOG_LOOKS + pool->cpus)
		pool->backlog = BACKLOG_LOOKS + pool->cpus;
	if (pool->backlog > BACKLOG_LOOKS)
		seats += pool->backlog - BACKLOG_LOOKS;
	set_seats(pool, seats);
	pthread_mutex_unlock(&pool->lock);
}

static bool is_spare(const struct workers *pool)
{
	return __atomic_load_n(&pool->waiting, __ATOMIC_RELAXED) >=
	       __atomic_load_n(&pool->seats, __ATOMIC_RELAXED);
}

/* Waits to be called, if enough others are waiting on the device already. */
static void park_if_spare(struct workers *pool)
{
	if (!is_spare(pool))
		return;
	pthread_mutex_lock(&pool->lock);
	if (is_spare(pool)) {
		pool->parked++;
		while (!pool->wanted && !pool->ended)
			pthread_cond_wait(&pool->seat, &pool->lock);
		if (pool->wanted)
			pool->wanted--;
		pool->parked--;
	}
	pthread_mutex_unlock(&pool->lock);
}

/* Somebody has to see it if the only thread that serves gets stuck. */
static void wake_watch(struct workers *pool)
{
	if (pool->max == 1 || __atomic_load_n(&pool->waiting, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&pool->watching, __ATOMIC_SEQ_CST))
		return;
	pthread_mutex_lock(&pool->lock);
	if (!pool->watching) {
		__atomic_store_n(&pool->watching, true, __ATOMIC_RELAXED);
		pthread_cond_signal(&pool->watch);
	}
	pthread_mutex_unlock(&pool->lock);
}

static void end_all(struct workers *pool)
{
	bool first;

	pthread_mutex_lock(&pool->lock);
	first = !pool->ended;
	pool->ended = true;
	pthread_cond_broadcast(&pool->seat);
	pthread_cond_signal(&pool->watch);
	pthread_mutex_unlock(&pool->lock);
	if (first)
		pool->on_end(pool->arg);
}

static int take_request(struct workers *pool, struct fuse_buf *message)
{
	int res;

	__atomic_fetch_add(&pool->waiting, 1, __ATOMIC_RELAXED);
	res = fuse_session_receive_buf(pool->session, message);
	__atomic_fetch_sub(&pool->waiting, 1, __ATOMIC_SEQ_CST);
	return res;
}

static void serve(struct worker *worker, struct fuse_buf *message)
{
	struct workers *pool = worker->pool;

	while (!fuse_session_exited(pool->session)) {
		int res;

		park_if_spare(pool);
		if (fuse_session_exited(pool->session))
			break;
		res = take_request(pool, message);
		if (res == -EINTR || res == -EAGAIN)
			continue;
		if (res <= 0)
			break;
		__atomic_store_n(&worker->busy, true, __ATOMIC_RELAXED);
		__atomic_store_n(&worker->served, worker->served + 1, __ATOMIC_RELAXED);
		wake_watch(pool);
		fuse_session_process_buf(pool->session, message);
		__atomic_store_n(&worker->busy, false, __ATOMIC_RELAXED);
		if (worker->blocked)
			__atomic_fetch_sub(&pool->blocked, 1, __ATOMIC_RELAXED);
		worker->blocked = false;
		if (worker->served % WINDOW_REQUESTS == 0)
			turn_window(pool);
	}
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct workers *pool = worker->pool;
	struct fuse_buf message = {.fd = -1};

	prctl(PR_SET_NAME, "weirfs-worker");
	self = worker;
	ident_thread_init(pool->fs->options.identity);
	if (map_buffers()) {
		message.mem = buffers.message;
		serve(worker, &message);
		munmap(buffers.map, BUFFERS_ROOM);
	} else {
		log_error("no memory for a worker thread's buffers");
	}
	end_all(pool);
	return NULL;
}

/* The caller holds the lock. */
static int add_worker(struct workers *pool)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	int err = ENOMEM;

	if (worker) {
		worker->pool = pool;
		err = pthread_create(&worker->thread, NULL, worker_main, worker);
	}
	if (err) {
		log_warning("can't start another worker thread: %s", strerror(err));
		free(worker);
		return -err;
	}
	pool->worker[pool->count++] = worker;
	return 0;
}

/* One look: is somebody waiting on the device, or is every seat stuck in an operation? */
static bool look(struct workers *pool, uint64_t *served_before)
{
	uint64_t served = 0;
	uint32_t busy = 0;
	bool moved;

	for (uint32_t i = 0; i < pool->count; i++) {
		served += __atomic_load_n(&pool->worker[i]->served, __ATOMIC_RELAXED);
		busy += __atomic_load_n(&pool->worker[i]->busy, __ATOMIC_RELAXED);
	}
	moved = served != *served_before;
	*served_before = served;
	if (__atomic_load_n(&pool->waiting, __ATOMIC_RELAXED))
		return false;
	if (busy && !moved && !pool->wanted) {
		note_blocked(pool, busy);
		call_one(pool);
	}
	return true;
}

static void *watch_main(void *arg)
{
	struct workers *pool = arg;
	uint64_t served = 0;
	unsigned int idle = 0;

	prctl(PR_SET_NAME, "weirfs-watch");
	pthread_mutex_lock(&pool->lock);
	while (!pool->ended) {
		struct timespec until = clock_timespec(clock_mono_ns() + WATCH_NS);

		if (!pool->watching) {
			pthread_cond_wait(&pool->watch, &pool->lock);
			idle = 0;
			continue;
		}
		pthread_cond_timedwait(&pool->watch, &pool->lock, &until);
		idle = look(pool, &served) ? 0 : idle + 1;
		if (idle <= WATCH_IDLE_TICKS)
			continue;
		__atomic_store_n(&pool->watching, false, __ATOMIC_SEQ_CST);
		/* The last to wait may have gone to work believing that it is watched. */
		if (!__atomic_load_n(&pool->waiting, __ATOMIC_SEQ_CST))
			__atomic_store_n(&pool->watching, true, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

int workers_start(struct workers *pool, struct weirfs *fs, struct fuse_session *session,
		  uint32_t max, void (*on_end)(void *arg), void *arg)
{
	pthread_condattr_t attr;
	int err;

	memset(pool, 0, sizeof(*pool));
	pool->fs = fs;
	pool->session = session;
	pool->max = max;
	pool->cpus = (uint32_t)get_nprocs();
	pool->seats = 1;
	pool->on_end = on_end;
	pool->arg = arg;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->seat, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->watch, &attr);
	pthread_condattr_destroy(&attr);
	pool->worker = calloc(max, sizeof(struct worker *));
	if (!pool->worker)
		return -ENOMEM;
	err = pthread_create(&pool->watcher, NULL, watch_main, pool);
	if (err)
		return -err;
	pthread_mutex_lock(&pool->lock);
	err = add_worker(pool);
	pthread_mutex_unlock(&pool->lock);
	return err;
}

void workers_count(struct workers *pool, uint32_t *ret_count, uint32_t *ret_parked)
{
	*ret_count = *ret_parked = 0;
	/* After workers_stop() there is nothing left, but somebody may still want to know. */
	if (!pool->worker)
		return;
	pthread_mutex_lock(&pool->lock);
	*ret_count = pool->count;
	*ret_parked = pool->parked;
	pthread_mutex_unlock(&pool->lock);
}

/* Out of read(2), whenever it gets there: once is not enough. */
static int join(pthread_t thread, uint64_t deadline_ns)
{
	struct timespec soon;
	int err;

	do {
		pthread_kill(thread, SIGUSR2);
		soon = clock_timespec(clock_wall_ns() + 10 * NS_PER_MS);
		err = pthread_timedjoin_np(thread, NULL, &soon);
	} while (err == ETIMEDOUT && clock_mono_ns() < deadline_ns);
	return -err;
}

int workers_stop(struct workers *pool, uint64_t patience_ns)
{
	uint64_t deadline_ns = clock_mono_ns() + patience_ns;
	int err = 0;

	if (!pool->worker)
		return 0;
	fuse_session_exit(pool->session);
	pthread_mutex_lock(&pool->lock);
	pool->ended = true;
	pthread_cond_broadcast(&pool->seat);
	pthread_cond_signal(&pool->watch);
	pthread_mutex_unlock(&pool->lock);
	pthread_join(pool->watcher, NULL);
	for (uint32_t i = 0; i < pool->count && !err; i++)
		err = join(pool->worker[i]->thread, deadline_ns);
	if (err)
		return err;
	for (uint32_t i = 0; i < pool->count; i++)
		free(pool->worker[i]);
	free(pool->worker);
	pool->worker = NULL;
	pthread_cond_destroy(&pool->seat);
	pthread_cond_destroy(&pool->watch);
	pthread_mutex_destroy(&pool->lock);
	return 0;
}
