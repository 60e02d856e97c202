// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The queue of held replies, with a stand-in for libfuse and for the end of the pipeline: defined
 * here, they are taken instead of those in the libraries.
 */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/rng.h"
#include "weirfs/delayq.h"
#include "weirfs/request.h"

#define DEADLINE_NS (10 * NS_PER_S)
#define FAR_NS (3600 * NS_PER_S) /* nothing is due before a test ends */
#define NO_THREAD INT32_MAX      /* a caller that is dead */
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

void fuse_req_interrupt_func(fuse_req_t fuse, fuse_interrupt_func_t function, void *arg)
{
	pthread_mutex_lock(&fuse->lock);
	fuse->interrupt = function;
	fuse->arg = arg;
	pthread_mutex_unlock(&fuse->lock);
}

#ifdef HAVE_FUSE_IO_URING
bool fuse_req_is_uring(fuse_req_t fuse)
{
	return fuse->uring;
}
#endif

void request_finish(struct request *request)
{
	struct finished *finished = request->fuse->finished;

	pthread_mutex_lock(&finished->lock);
	finished->answer[finished->count].op = request->op;
	finished->answer[finished->count].at_ns = clock_mono_ns();
	finished->answer[finished->count].error = request->reply.error;
	if (request->reply.data && request->reply.len < 8)
		memcpy(finished->answer[finished->count].data, request->reply.data,
		       request->reply.len);
	finished->count++;
	pthread_mutex_unlock(&finished->lock);
	free(request->reply.data_owned);
	free(request);
}

/* As libfuse does when the kernel tells of a signal. Returns whether anybody listened. */
static bool interrupt(struct fuse_req *fuse)
{
	bool heard;

	pthread_mutex_lock(&fuse->lock);
	heard = fuse->interrupt != NULL;
	if (heard)
		fuse->interrupt(fuse, fuse->arg);
	pthread_mutex_unlock(&fuse->lock);
	return heard;
}

struct fixture {
	struct delayq queue;
	struct finished finished;
	struct fuse_req fuse[MANY];
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	assert_int_equal(delayq_init(&fixture->queue, 4096), 0);
	pthread_mutex_init(&fixture->finished.lock, NULL);
	for (int i = 0; i < MANY; i++) {
		fixture->fuse[i].finished = &fixture->finished;
		pthread_mutex_init(&fixture->fuse[i].lock, NULL);
	}
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	delayq_stop(&fixture->queue);
	assert_int_equal(delayq_held(&fixture->queue), 0);
	assert_int_equal(fixture->queue.held_bytes, 0);
	for (int i = 0; i < MANY; i++)
		assert_null(fixture->fuse[i].interrupt);
	delayq_done(&fixture->queue);
	free(fixture);
	return 0;
}

/* A read by a thread that is alive. */
static struct request request_of(struct fixture *fixture, int number, uint64_t due_ns)
{
	return (struct request){
		.op = {.kind = OP_READ, .seq = (uint64_t)number, .due_ns = due_ns},
		.fuse = &fixture->fuse[number],
		.caller.pid = getpid(),
		.reply.kind = REPLY_DATA,
	};
}

static uint32_t finished(struct fixture *fixture)
{
	uint32_t count;

	pthread_mutex_lock(&fixture->finished.lock);
	count = fixture->finished.count;
	pthread_mutex_unlock(&fixture->finished.lock);
	return count;
}

static void wait_finished(struct fixture *fixture, uint32_t count)
{
	uint64_t deadline_ns = clock_mono_ns() + DEADLINE_NS;

	while (finished(fixture) < count) {
		assert_true(clock_mono_ns() < deadline_ns);
		usleep(200);
	}
	assert_int_equal(finished(fixture), count);
}

/* All lie in the future, so that nothing leaves until stopping drains the queue, in order. */
static void replies_leave_in_the_order_they_are_due(void **state)
{
	struct fixture *fixture = *state;
	uint64_t start_ns = clock_mono_ns() + FAR_NS, due_ns[MANY];
	struct rng rng = {.state = 6};

	for (int i = 0; i < MANY; i++) {
		struct request request;

		due_ns[i] = start_ns + rng_below(&rng, 500) * NS_PER_MS;
		request = request_of(fixture, i, due_ns[i]);
		assert_int_equal(delayq_put(&fixture->queue, &request), 0);
		for (uint32_t k = 1; k < fixture->queue.count; k++) {
			assert_true(fixture->queue.heap[(k - 1) / 2]->wake_ns <=
				    fixture->queue.heap[k]->wake_ns);
			assert_int_equal(fixture->queue.heap[k]->heap_index, k);
		}
	}
	assert_int_equal(delayq_start(&fixture->queue), 0);
	delayq_stop(&fixture->queue);
	assert_int_equal(finished(fixture), MANY);
	for (int i = 1; i < MANY; i++)
		assert_true(due_ns[fixture->finished.answer[i - 1].op.seq] <=
			    due_ns[fixture->finished.answer[i].op.seq]);
}

static void no_reply_is_sent_before_it_is_due(void **state)
{
	struct fixture *fixture = *state;
	struct hist *late = hist_new(HIST_FILE_BITS);
	uint64_t now_ns = clock_mono_ns();
	struct rng rng = {.state = 7};

	assert_int_equal(delayq_start(&fixture->queue), 0);
	for (int i = 0; i < 300; i++) {
		struct request request =
			request_of(fixture, i, now_ns + rng_below(&rng, 100 * NS_PER_MS));

		assert_int_equal(delayq_put(&fixture->queue, &request), 0);
	}
	wait_finished(fixture, 300);
	for (uint32_t i = 0; i < 300; i++)
		assert_true(fixture->finished.answer[i].at_ns >=
			    fixture->finished.answer[i].op.due_ns);
	delayq_lateness(&fixture->queue, late);
	assert_int_equal(late->count, 300);
	free(late);
}

static void data_is_copied_within_bounds(void **state)
{
	struct fixture *fixture = *state;
	char data[3000] = "first";
	struct request request = request_of(fixture, 0, clock_mono_ns() + FAR_NS);

	request.reply.data = data;
	request.reply.len = 5;
	assert_int_equal(delayq_put(&fixture->queue, &request), 0);
	assert_int_equal(fixture->queue.held_bytes, 5);
	/* The worker reads the next into the same buffer. */
	memset(data, 'x', sizeof(data));
	request.fuse = &fixture->fuse[1];
	request.reply.len = sizeof(data);
	assert_int_equal(delayq_put(&fixture->queue, &request), 0);
	assert_int_equal(fixture->queue.held_bytes, 5 + sizeof(data));
	/* No more than the bound: the worker waits for the time itself, and answers. */
	request.fuse = &fixture->fuse[2];
	request.op.due_ns = clock_mono_ns() + 20 * NS_PER_MS;
	assert_int_not_equal(delayq_put(&fixture->queue, &request), 0);
	assert_true(clock_mono_ns() >= request.op.due_ns);
	assert_int_equal(fixture->queue.held_bytes, 5 + sizeof(data));
	/* Nor does an error have data. */
	request.fuse = &fixture->fuse[3];
	request.op.due_ns = clock_mono_ns() + FAR_NS;
	request.reply.error = -EIO;
	assert_int_equal(delayq_put(&fixture->queue, &request), 0);
	assert_int_equal(fixture->queue.held_bytes, 5 + sizeof(data));
	assert_int_equal(delayq_start(&fixture->queue), 0);
	delayq_stop(&fixture->queue);
	assert_int_equal(finished(fixture), 3);
	assert_string_equal(fixture->finished.answer[0].data, "first");
	assert_int_equal(fixture->finished.answer[2].error, -EIO);
}

static void a_killed_caller_is_let_go(void **state)
{
	struct fixture *fixture = *state;
	struct request reader = request_of(fixture, 0, clock_mono_ns() + FAR_NS);
	struct request writer = request_of(fixture, 1, clock_mono_ns() + FAR_NS);
	struct hist *late = hist_new(HIST_FILE_BITS);

	reader.caller.pid = writer.caller.pid = NO_THREAD;
	writer.op.kind = OP_WRITE;
	writer.reply.kind = REPLY_COUNT;
	assert_int_equal(delayq_start(&fixture->queue), 0);
	assert_int_equal(delayq_put(&fixture->queue, &reader), 0);
	assert_int_equal(delayq_put(&fixture->queue, &writer), 0);
	assert_true(interrupt(&fixture->fuse[0]));
	wait_finished(fixture, 1);
	assert_int_equal(fixture->finished.answer[0].error, -EINTR);
	assert_int_equal(fixture->finished.answer[0].op.flags, OP_F_INTERRUPTED);
	assert_true(fixture->finished.answer[0].op.due_ns <= clock_mono_ns());
	assert_false(interrupt(&fixture->fuse[0]));
	assert_true(interrupt(&fixture->fuse[1]));
	wait_finished(fixture, 2);
	/* What was written stays written. */
	assert_int_equal(fixture->finished.answer[1].error, 0);
	assert_int_equal(fixture->finished.answer[1].op.flags, OP_F_INTERRUPTED);
	assert_int_equal(fixture->queue.interrupted, 2);
	delayq_lateness(&fixture->queue, late);
	assert_int_equal(late->count, 0);
	free(late);
}

static void a_caller_that_lives_on_is_held_on(void **state)
{
	struct fixture *fixture = *state;
	struct request request = request_of(fixture, 0, clock_mono_ns() + 250 * NS_PER_MS);

	assert_int_equal(delayq_start(&fixture->queue), 0);
	assert_int_equal(delayq_put(&fixture->queue, &request), 0);
	assert_true(interrupt(&fixture->fuse[0]));
	wait_finished(fixture, 1);
	assert_int_equal(fixture->finished.answer[0].error, 0);
	assert_int_equal(fixture->finished.answer[0].op.flags, 0);
	assert_int_equal(fixture->finished.answer[0].op.due_ns, request.op.due_ns);
	assert_true(fixture->finished.answer[0].at_ns >= request.op.due_ns);
	assert_int_equal(fixture->queue.interrupted, 0);
}

static void all_can_be_released_at_once(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(delayq_start(&fixture->queue), 0);
	for (int i = 0; i < 500; i++) {
		struct request request = request_of(fixture, i, clock_mono_ns() + FAR_NS);

		assert_int_equal(delayq_put(&fixture->queue, &request), 0);
	}
	assert_int_equal(finished(fixture), 0);
	delayq_release_all(&fixture->queue);
	wait_finished(fixture, 500);
	for (uint32_t i = 0; i < 500; i++) {
		assert_int_equal(fixture->finished.answer[i].error, 0);
		assert_true(fixture->finished.answer[i].op.due_ns <=
			    fixture->finished.answer[i].at_ns);
	}
}

static void stopping_takes_no_more(void **state)
{
	struct fixture *fixture = *state;
	struct request request = request_of(fixture, 0, clock_mono_ns() + FAR_NS);
	char data[] = "data";

	request.reply.data = data;
	request.reply.len = sizeof(data);
	assert_int_equal(delayq_start(&fixture->queue), 0);
	assert_int_equal(delayq_put(&fixture->queue, &request), 0);
	delayq_stop(&fixture->queue);
	assert_int_equal(finished(fixture), 1);
	request.fuse = &fixture->fuse[1];
	assert_int_equal(delayq_put(&fixture->queue, &request), -ESHUTDOWN);
	assert_int_equal(fixture->queue.held_bytes, 0);
	assert_null(delayq_put_retry(&fixture->queue, &request, NULL));
	assert_int_equal(finished(fixture), 1);
}

/* --- waiting for something ------------------------------------------------------------------ */

/* A lock that comes free when told; what it is is in the request's arguments. */
struct gate {
	bool open;
	unsigned int asked;
};

static int pass(struct request *request)
{
	struct gate *gate = (struct gate *)(uintptr_t)request->op.offset;

	__atomic_add_fetch(&gate->asked, 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&gate->open, __ATOMIC_RELAXED))
		return 0;
	return request->interrupted ? -EINTR : -EAGAIN;
}

static struct request waiting(struct fixture *fixture, int number, struct gate *gate)
{
	struct request request = request_of(fixture, number, 0);

	request.op.kind = OP_SETLK;
	request.op.offset = (uintptr_t)gate;
	request.reply.kind = REPLY_STATUS;
	return request;
}

static void waiting_is_asked_again_until_it_is_let_in(void **state)
{
	struct fixture *fixture = *state;
	struct gate gate = {.open = false};
	struct request request = waiting(fixture, 0, &gate);
	uint64_t deadline_ns = clock_mono_ns() + DEADLINE_NS;

	assert_int_equal(delayq_start(&fixture->queue), 0);
	assert_non_null(delayq_put_retry(&fixture->queue, &request, pass));
	while (__atomic_load_n(&gate.asked, __ATOMIC_RELAXED) < 4) {
		assert_true(clock_mono_ns() < deadline_ns);
		sched_yield();
	}
	assert_int_equal(finished(fixture), 0);
	__atomic_store_n(&gate.open, true, __ATOMIC_RELAXED);
	wait_finished(fixture, 1);
	assert_int_equal(fixture->finished.answer[0].error, 0);
	assert_true(fixture->finished.answer[0].op.backed_ns > 0);
}

static void waiting_is_woken(void **state)
{
	struct fixture *fixture = *state;
	struct gate gate = {.open = false};
	struct request request = waiting(fixture, 0, &gate), *parked;

	/* Before the timer runs, the next look is a millisecond away: then it is now. */
	parked = delayq_put_retry(&fixture->queue, &request, pass);
	assert_non_null(parked);
	assert_true(parked->wake_ns > 0);
	gate.open = true;
	delayq_wake(&fixture->queue, parked);
	assert_int_equal(parked->wake_ns, 0);
	assert_int_equal(delayq_start(&fixture->queue), 0);
	wait_finished(fixture, 1);
	assert_int_equal(gate.asked, 1);
}

static void waiting_ends_by_a_signal(void **state)
{
	struct fixture *fixture = *state;
	struct gate gate = {.open = false};
	struct request request = waiting(fixture, 0, &gate);

	assert_int_equal(delayq_start(&fixture->queue), 0);
	assert_non_null(delayq_put_retry(&fixture->queue, &request, pass));
	assert_true(interrupt(&fixture->fuse[0]));
	wait_finished(fixture, 1);
	assert_int_equal(fixture->finished.answer[0].error, -EINTR);
	assert_int_equal(fixture->finished.answer[0].op.flags, OP_F_INTERRUPTED);
}

static void waiting_ends_with_the_mount(void **state)
{
	struct fixture *fixture = *state;
	struct gate gate = {.open = false};

	assert_int_equal(delayq_start(&fixture->queue), 0);
	for (int i = 0; i < 50; i++) {
		struct request request = waiting(fixture, i, &gate);

		assert_non_null(delayq_put_retry(&fixture->queue, &request, pass));
	}
	delayq_stop(&fixture->queue);
	assert_int_equal(finished(fixture), 50);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(fixture->finished.answer[i].error, -EINTR);
}

/* --- threads -------------------------------------------------------------------------------- */

#define THREADS 4
#define EACH (MANY / THREADS)

struct job {
	struct fixture *fixture;
	pthread_t thread;
	int first;
	unsigned int wrong;
};

/* Puts requests in and has some of them interrupted, as workers do. */
static void *put_and_interrupt(void *arg)
{
	struct job *job = arg;
	struct rng rng = {.state = (uint64_t)job->first + 1};

	for (int i = job->first; i < job->first + EACH; i++) {
		struct request request =
			request_of(job->fixture, i,
				   clock_mono_ns() + rng_below(&rng, 3 * NS_PER_MS));

		if (rng_below(&rng, 2))
			request.caller.pid = NO_THREAD;
		if (delayq_put(&job->fixture->queue, &request))
			job->wrong++;
		interrupt(
			&job->fixture->fuse[job->first +
					    (int)rng_below(&rng, (uint64_t)(i - job->first + 1))]);
		if (!rng_below(&rng, 100))
			delayq_release_all(&job->fixture->queue);
	}
	return NULL;
}

static void threads_get_each_reply_once(void **state)
{
	struct fixture *fixture = *state;
	struct job jobs[THREADS];
	bool seen[MANY] = {false};

	assert_int_equal(delayq_start(&fixture->queue), 0);
	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){.fixture = fixture, .first = i * EACH};
		assert_int_equal(pthread_create(&jobs[i].thread, NULL, put_and_interrupt, &jobs[i]),
				 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		assert_int_equal(jobs[i].wrong, 0);
	}
	wait_finished(fixture, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		uint64_t number = fixture->finished.answer[i].op.seq;

		assert_false(seen[number]);
		seen[number] = true;
	}
}

#define QUEUE_TEST(sentence, function) TEST_WITH(sentence, function, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		QUEUE_TEST("replies leave in the order in which they are due",
			   replies_leave_in_the_order_they_are_due),
		QUEUE_TEST("no reply is sent before it is due", no_reply_is_sent_before_it_is_due),
		QUEUE_TEST("data is copied, up to the bound", data_is_copied_within_bounds),
		QUEUE_TEST("a caller that was killed is let go at once", a_killed_caller_is_let_go),
		QUEUE_TEST("a caller that lives on is held on", a_caller_that_lives_on_is_held_on),
		QUEUE_TEST("all can be released at once", all_can_be_released_at_once),
		QUEUE_TEST("stopping sends what is held and takes no more", stopping_takes_no_more),
		QUEUE_TEST("who waits is asked again until it is let in",
			   waiting_is_asked_again_until_it_is_let_in),
		QUEUE_TEST("who waits is woken", waiting_is_woken),
		QUEUE_TEST("who waits is let go by a signal", waiting_ends_by_a_signal),
		QUEUE_TEST("who waits is let go at the end", waiting_ends_with_the_mount),
		QUEUE_TEST("threads that put and interrupt get each reply once",
			   threads_get_each_reply_once),
	};

	return RUN(tests);
}
