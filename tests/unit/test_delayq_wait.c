// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests that wait for something in the delay queue: a lock that is not free. */
#include "config.h"

#include "fake_fuse.h"

#include <errno.h>
#include <sched.h>

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
	return request_interrupted(request) ? -EINTR : -EAGAIN;
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
	assert_true(fuse_interrupt(&fixture->fuse[0]));
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

#define QUEUE_TEST(sentence, function) TEST_WITH(sentence, function, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		QUEUE_TEST("who waits is asked again until it is let in",
			   waiting_is_asked_again_until_it_is_let_in),
		QUEUE_TEST("who waits is woken", waiting_is_woken),
		QUEUE_TEST("who waits is let go by a signal", waiting_ends_by_a_signal),
		QUEUE_TEST("who waits is let go at the end", waiting_ends_with_the_mount),
	};

	return RUN(tests);
}
