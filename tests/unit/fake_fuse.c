// SPDX-License-Identifier: GPL-2.0-or-later
/* A stand-in for libfuse and for the end of the pipeline. */
#include "config.h"

#include "fake_fuse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fuse_req_interrupt_func(fuse_req_t req, fuse_interrupt_func_t func, void *data)
{
	pthread_mutex_lock(&req->lock);
	req->interrupt = func;
	req->arg = data;
	pthread_mutex_unlock(&req->lock);
}

#ifdef HAVE_FUSE_IO_URING
bool fuse_req_is_uring(fuse_req_t req)
{
	return req->uring;
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
	free(request->kept);
	free(request);
}

bool fuse_interrupt(struct fuse_req *fuse)
{
	bool heard;

	pthread_mutex_lock(&fuse->lock);
	heard = fuse->interrupt != NULL;
	if (heard)
		fuse->interrupt(fuse, fuse->arg);
	pthread_mutex_unlock(&fuse->lock);
	return heard;
}

int set_up(void **state)
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

int tear_down(void **state)
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

struct request request_of(struct fixture *fixture, int number, uint64_t due_ns)
{
	return (struct request){
		.op = {.kind = OP_READ, .seq = (uint64_t)number, .due_ns = due_ns},
		.fuse = &fixture->fuse[number],
		.caller.pid = getpid(),
		.reply.kind = REPLY_DATA,
	};
}

uint32_t finished(struct fixture *fixture)
{
	uint32_t count;

	pthread_mutex_lock(&fixture->finished.lock);
	count = fixture->finished.count;
	pthread_mutex_unlock(&fixture->finished.lock);
	return count;
}

void wait_finished(struct fixture *fixture, uint32_t count)
{
	uint64_t deadline_ns = clock_mono_ns() + DEADLINE_NS;

	while (finished(fixture) < count) {
		assert_true(clock_mono_ns() < deadline_ns);
		usleep(200);
	}
	assert_int_equal(finished(fixture), count);
}
