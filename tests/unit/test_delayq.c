// SPDX-License-Identifier: GPL-2.0-or-later
/* The queue of held replies: in order, never early, and nobody is held who is dead. */
#include "config.h"

#include "fake_fuse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"

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
	assert_true(fuse_interrupt(&fixture->fuse[0]));
	wait_finished(fixture, 1);
	assert_int_equal(fixture->finished.answer[0].error, -EINTR);
	assert_int_equal(fixture->finished.answer[0].op.flags, OP_F_INTERRUPTED);
	assert_true(fixture->finished.answer[0].op.due_ns <= clock_mono_ns());
	assert_false(fuse_interrupt(&fixture->fuse[0]));
	assert_true(fuse_interrupt(&fixture->fuse[1]));
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
	assert_true(fuse_interrupt(&fixture->fuse[0]));
	wait_finished(fixture, 1);
	assert_int_equal(fixture->finished.answer[0].error, 0);
	assert_int_equal(fixture->finished.answer[0].op.flags, 0);
	assert_int_equal(fixture->finished.answer[0].op.due_ns, request.op.due_ns);
	assert_true(fixture->finished.answer[0].at_ns >= request.op.due_ns);
	assert_int_equal(fixture->queue.interrupted, 0);
}

#ifdef HAVE_FUSE_IO_URING
/* Then the kernel tells of no signal: the queue has to look for itself. */
static void a_caller_over_io_uring_is_looked_at(void **state)
{
	struct fixture *fixture = *state;
	struct request dead = request_of(fixture, 0, clock_mono_ns() + FAR_NS);
	struct request alive = request_of(fixture, 1, clock_mono_ns() + 250 * NS_PER_MS);

	dead.caller.pid = NO_THREAD;
	fixture->fuse[0].uring = fixture->fuse[1].uring = true;
	assert_int_equal(delayq_start(&fixture->queue), 0);
	assert_int_equal(delayq_put(&fixture->queue, &dead), 0);
	assert_int_equal(delayq_put(&fixture->queue, &alive), 0);
	wait_finished(fixture, 2);
	assert_int_equal(fixture->finished.answer[0].op.seq, 0);
	assert_int_equal(fixture->finished.answer[0].error, -EINTR);
	assert_int_equal(fixture->finished.answer[1].error, 0);
	assert_true(fixture->finished.answer[1].at_ns >= alive.op.due_ns);
}
#endif

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

/* --- threads -------------------------------------------------------------------------------- */

#define THREADS 4
#define EACH (MANY / THREADS)

struct job {
	struct fixture *fixture;
	pthread_t thread;
	int first;
	unsigned int wrong;
};

static int rng_between(struct rng *rng, int first, int last)
{
	uint64_t n = (uint64_t)last - (uint64_t)first + 1;

	return first + (int)rng_below(rng, n);
}

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
		fuse_interrupt(&job->fixture->fuse[rng_between(&rng, job->first, i)]);
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
#ifdef HAVE_FUSE_IO_URING
		QUEUE_TEST("a caller over io_uring is looked at from time to time",
			   a_caller_over_io_uring_is_looked_at),
#endif
		QUEUE_TEST("all can be released at once", all_can_be_released_at_once),
		QUEUE_TEST("stopping sends what is held and takes no more", stopping_takes_no_more),
		QUEUE_TEST("threads that put and interrupt get each reply once",
			   threads_get_each_reply_once),
	};

	return RUN(tests);
}
