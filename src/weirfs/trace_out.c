// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing the blocks of a trace. */
#include "config.h"

#include "weirfs/trace_out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "weirfs/log.h"
#include "weirfs/recorder.h"
#include "weirfs/tree.h"

/* Pipes take so much without making anybody wait, once they say that they take anything. */
#define PIPE_PIECE 4096
#define PIPE_LOOK_MS 100
#define WELL_AFTER_NS (2 * NS_PER_S)
#define STOP_PATIENCE_NS (3 * NS_PER_S)

/* --- what is told --------------------------------------------------------------------------- */

static void set_trouble(struct recorder *recorder, const char *trouble)
{
	pthread_mutex_lock(&recorder->state_lock);
	recorder->trouble = trouble;
	pthread_mutex_unlock(&recorder->state_lock);
}

/* Once when it begins, once when it is over. */
static void note_failure(struct trace_out *out, int err)
{
	recorder_add(&out->recorder->errors, 1);
	out->failed_ns = clock_mono_ns();
	set_trouble(out->recorder, strerrordesc_np(-err));
	if (out->failing)
		return;
	out->failing = true;
	if (out->broken)
		log_error("trace %s: nobody reads it any more; tracing goes on in vain: operations "
			  "are counted as dropped",
			  out->place.text);
	else
		log_error("trace %s: %s; until it can be written again, operations are missing "
			  "in it and counted as dropped",
			  out->place.text, strerror(-err));
}

/* Small blocks may fit where large ones don't: not before nothing has failed for a while. */
static void note_success(struct trace_out *out)
{
	if (!out->failing || clock_mono_ns() - out->failed_ns < WELL_AFTER_NS)
		return;
	out->failing = false;
	set_trouble(out->recorder, NULL);
	log_info("trace %s: it is written again", out->place.text);
}

/* --- parts ---------------------------------------------------------------------------------- */

/* The oldest goes when there are more than are to be kept; only those of this trace. */
static void remember_made(struct trace_out *out, char *name)
{
	char **made = reallocarray(out->made, out->made_count + 1, sizeof(*made));

	if (!made) {
		free(name);
		return;
	}
	out->made = made;
	out->made[out->made_count++] = name;
	if (!out->keep || out->made_count <= out->keep)
		return;
	if (unlinkat(out->place.dir_fd, out->made[0], 0) && errno != ENOENT)
		log_warning("trace part %s can't be removed: %s", out->made[0], strerror(errno));
	free(out->made[0]);
	out->made_count--;
	memmove(out->made, out->made + 1, out->made_count * sizeof(*out->made));
}

/* What is done to the trace's own file below the mount is not to be traced. */
static void note_own(struct trace_out *out, int fd)
{
	struct statx stx;

	if (!out->place.inside || statx(fd, "", AT_EMPTY_PATH, STATX_INO, &stx))
		return;
	__atomic_store_n(&out->session->own_dev, statx_dev(&stx), __ATOMIC_RELAXED);
	__atomic_store_n(&out->session->own_ino, stx.stx_ino, __ATOMIC_RELAXED);
}

/* The directory's entry is to survive a power cut, too. */
static int open_part(struct trace_out *out, bool again)
{
	char *name = NULL;
	int fd;

	if (out->place.stream_fd >= 0) {
		part_init(&out->part, out->place.stream_fd);
		out->open = true;
		return 0;
	}
	fd = trace_place_part(&out->place, out->part_number, again, &name);
	if (fd < 0) {
		free(name);
		return fd;
	}
	note_own(out, fd);
	part_init(&out->part, fd);
	out->open = true;
	fsync(out->place.dir_fd);
	if (out->part_number > 1)
		log_info("trace %s: part %u is %s", out->place.text, out->part_number, name);
	remember_made(out, name);
	return 0;
}

int trace_out_finish_part(struct trace_out *out)
{
	int err;

	if (!out->open || out->broken)
		return 0;
	if (out->place.stream_fd >= 0)
		return 0;
	err = part_finish(&out->part);
	if (fdatasync(out->part.fd) && !err)
		err = -errno;
	close(out->part.fd);
	part_done(&out->part);
	out->open = false;
	return err;
}

/* The part is complete; without the index at its end readers find their way, too. */
static int turn_part(struct trace_out *out, bool again)
{
	int err;

	if (out->place.stream_fd >= 0)
		return 0;
	trace_out_finish_part(out);
	out->part_number++;
	err = open_part(out, again);
	if (err)
		note_failure(out, err);
	return err;
}

/* --- writing -------------------------------------------------------------------------------- */

/* Whether the pipe takes something; waits as long as there is hope. */
static int await_pipe(struct trace_out *out, uint64_t *give_up_ns)
{
	struct pollfd fd = {.fd = out->place.stream_fd, .events = POLLOUT};

	for (;;) {
		int n = poll(&fd, 1, PIPE_LOOK_MS);

		if (n > 0 && (fd.revents & POLLERR))
			return -EPIPE;
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (!__atomic_load_n(&out->giving_up, __ATOMIC_RELAXED))
			continue;
		if (!*give_up_ns)
			*give_up_ns = clock_mono_ns() + STOP_PATIENCE_NS;
		else if (clock_mono_ns() > *give_up_ns)
			return -ETIMEDOUT;
	}
}

/* A reader that stands still must not hold up the end of the mount. */
static int write_pipe(struct trace_out *out, const struct queued *block)
{
	uint64_t give_up_ns = 0;
	size_t done = 0;

	while (done < block->meta.len) {
		size_t piece = block->meta.len - done;
		int err = await_pipe(out, &give_up_ns);
		ssize_t n;

		if (err)
			return err;
		n = write(out->place.stream_fd, block->data + done,
			  piece < PIPE_PIECE ? piece : PIPE_PIECE);
		if (n > 0) {
			done += (size_t)n;
			give_up_ns = 0;
		} else if (errno != EINTR && errno != EAGAIN) {
			return -errno;
		}
	}
	return 0;
}

static int write_block(struct trace_out *out, const struct queued *block)
{
	int err = 0;

	if (out->broken)
		return -EPIPE;
	if (!out->open)
		err = open_part(out, false);
	if (err)
		return err;
	if (out->place.stream_fd < 0)
		return part_sink(&out->part, &block->meta);
	err = write_pipe(out, block);
	/* After half a block there is no way back. */
	out->broken = err != 0;
	return err;
}

static bool handle_block(struct trace_out *out, const struct queued *block)
{
	struct recorder *recorder = out->recorder;
	int err = write_block(out, block);

	if (err) {
		note_failure(out, err);
		return false;
	}
	recorder_add(&recorder->bytes, block->meta.len);
	recorder_add(&recorder->blocks, 1);
	recorder_add(&recorder->written, block->meta.ops);
	/* It is in the file all the same. */
	if (block->sync && out->place.stream_fd < 0 && fdatasync(out->part.fd))
		note_failure(out, -errno);
	else
		note_success(out);
	return true;
}

static void *out_main(void *arg)
{
	struct trace_out *out = arg;
	struct queued *next;

	prctl(PR_SET_NAME, "weirfs-trace");
	while ((next = traceq_take(out->queue))) {
		bool done = true;

		if (next->kind == QUEUED_BLOCK)
			done = handle_block(out, next);
		else
			turn_part(out, next->kind == QUEUED_REOPEN);
		traceq_settle(out->queue, next, !done);
	}
	return NULL;
}

int trace_out_start(struct trace_out *out, struct recorder *recorder, struct trace_session *session,
		    struct traceq *queue, struct trace_place *place, uint64_t keep)
{
	int err;

	memset(out, 0, sizeof(*out));
	out->recorder = recorder;
	out->session = session;
	out->queue = queue;
	out->place = *place;
	out->keep = keep;
	out->part_number = 1;
	*place = (struct trace_place){.stream_fd = -1, .dir_fd = -1, .first_fd = -1};
	err = open_part(out, false);
	if (!err)
		err = -pthread_create(&out->thread, NULL, out_main, out);
	out->started = !err;
	return err;
}

void trace_out_stop(struct trace_out *out)
{
	int err;

	__atomic_store_n(&out->giving_up, true, __ATOMIC_RELAXED);
	if (out->started)
		pthread_join(out->thread, NULL);
	err = trace_out_finish_part(out);
	if (err && !out->failing)
		log_warning("trace %s: no index at its end: %s", out->place.text, strerror(-err));
	part_done(&out->part);
	trace_place_done(&out->place);
	for (size_t i = 0; i < out->made_count; i++)
		free(out->made[i]);
	free(out->made);
	out->made = NULL;
	out->made_count = 0;
	set_trouble(out->recorder, NULL);
}
