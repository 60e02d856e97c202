// SPDX-License-Identifier: GPL-2.0-or-later
/* Out of the rings, into blocks. */
#include "config.h"

#include "weirfs/tracer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/clock.h"
#include "weirfs/log.h"
#include "weirfs/weirfs.h"

/* Definitions are repeated after this time, and so blocks far apart know the same files. */
#define EPOCH_NS (500 * NS_PER_MS)
#define ROOM_LOOK_NS (100 * NS_PER_MS)
#define ANSWER_NS (10 * NS_PER_S)
#define HURRY_NS (3 * NS_PER_S)
#define CLOCK_STEP_NS NS_PER_MS

struct tracer_mark {
	struct tracer_mark *next;
	uint64_t mono_ns;
	char *name;
	char *text;
};

/* --- blocks --------------------------------------------------------------------------------- */

static void lose(struct tracer *tracer, struct queued *list, uint64_t *counter)
{
	for (const struct queued *block = list; block; block = block->next) {
		for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
			if (!block->kinds[kind])
				continue;
			trace_writer_lost(tracer->writer, kind, block->kinds[kind]);
			tracer->said[kind] -= block->kinds[kind];
		}
		recorder_add(counter, block->meta.ops);
	}
	traceq_free_list(list);
}

/* The sink of the writer. */
static int take_block(void *arg, const struct trace_frame *frame)
{
	struct tracer *tracer = arg;

	/* A dump takes longer than the room lasts. */
	if (tracer->overwrite && tracer->queue.bytes > 2 * tracer->queue.bytes_max)
		return -ENOBUFS;
	tracer->closed = queued_new(QUEUED_BLOCK, frame);
	return tracer->closed ? 0 : -ENOMEM;
}

/* Towards the end of the mount nobody waits for a disk any longer than that. */
static void stop_waiting_in_time(struct tracer *tracer)
{
	uint64_t until_ns = __atomic_load_n(&tracer->hurry_ns, __ATOMIC_RELAXED);

	if (until_ns && clock_mono_ns() > until_ns)
		__atomic_store_n(&tracer->session.closing, true, __ATOMIC_SEQ_CST);
}

void tracer_hurry(struct tracer *tracer)
{
	__atomic_store_n(&tracer->out.giving_up, true, __ATOMIC_RELAXED);
	__atomic_store_n(&tracer->hurry_ns, clock_mono_ns() + HURRY_NS, __ATOMIC_RELAXED);
}

void tracer_settle(struct tracer *tracer, int err)
{
	const struct trace_counts *counts = trace_writer_counts(tracer->writer);
	struct queued *block = tracer->closed;

	if (err && !tracer->failed) {
		tracer->failed = true;
		log_error("trace: %s: operations are lost and counted as dropped", strerror(-err));
	}
	if (err)
		recorder_add(&tracer->recorder->errors, 1);
	if (!block)
		return;
	tracer->closed = NULL;
	tracer->block_closed = true;
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		block->kinds[kind] = (uint32_t)(counts->written[kind] - tracer->said[kind]);
		tracer->said[kind] = counts->written[kind];
	}
	block->sync = tracer->flushing;
	tracer->next_number = block->meta.number + 1;
	tracer->part_bytes += block->meta.len;
	if (tracer->overwrite) {
		recorder_add(&tracer->recorder->bytes, block->meta.len);
		recorder_add(&tracer->recorder->blocks, 1);
		recorder_add(&tracer->recorder->written, block->meta.ops);
		lose(tracer, traceq_evict(&tracer->queue, block->meta.len),
		     &tracer->recorder->overwritten);
	} else {
		while (!traceq_await_room(&tracer->queue, block->meta.len, ROOM_LOOK_NS))
			stop_waiting_in_time(tracer);
		tracer->rotate_due |=
			tracer->rotate_bytes && tracer->part_bytes >= tracer->rotate_bytes;
	}
	traceq_push(&tracer->queue, block);
}

static int put_property(void *arg, const char *name, const char *value)
{
	struct tracer *tracer = arg;
	int err = trace_write_property(tracer->writer, name, value);

	tracer_settle(tracer, err);
	return err;
}

static void begin_part(struct tracer *tracer)
{
	tracer->part++;
	tracer->part_bytes = 0;
	tracer->part_since_ns = clock_mono_ns();
	tracer->rotate_due = false;
	trace_put_properties(tracer, tracer->part, put_property, tracer);
}

static void put_mark(struct tracer *tracer, uint64_t mono_ns, const char *name, const char *text)
{
	tracer_settle(tracer, trace_write_mark(tracer->writer, mono_ns, name, text));
}

/* The part ends as a trace does; the next begins with all that a reader needs. */
void tracer_rotate(struct tracer *tracer, enum queued_kind kind)
{
	struct queued *turn = queued_new(kind, NULL);

	if (!turn)
		return;
	tracer_settle(tracer, trace_writer_end(tracer->writer));
	traceq_push(&tracer->queue, turn);
	/* Files that are open are told of anew. */
	recorder_add(&tracer->recorder->handle_era, 1);
	begin_part(tracer);
	put_mark(tracer, clock_mono_ns(), "rotate", "");
}

/* --- counts --------------------------------------------------------------------------------- */

static uint64_t grown(const uint64_t *count, uint64_t *told)
{
	uint64_t now = __atomic_load_n(count, __ATOMIC_RELAXED), by = now - *told;

	*told = now;
	return by;
}

static void count_losses(struct tracer *tracer)
{
	struct recorder *recorder = tracer->recorder;

	for (uint32_t i = 0; i < RECORDER_LANES; i++) {
		struct lane *lane = __atomic_load_n(&recorder->lane[i], __ATOMIC_ACQUIRE);

		for (unsigned int kind = 0; lane && kind < OP_KINDS; kind++) {
			trace_writer_dropped(tracer->writer, kind,
					     grown(&lane->dropped[kind],
						   &lane->told_dropped[kind]));
			trace_writer_filtered(tracer->writer, kind,
					      grown(&lane->filtered[kind],
						    &lane->told_filtered[kind]));
		}
	}
	for (unsigned int kind = 0; kind < OP_KINDS; kind++)
		trace_writer_dropped(tracer->writer, kind,
				     grown(&recorder->homeless[kind],
					   &recorder->told_homeless[kind]));
	lose(tracer, traceq_take_failed(&tracer->queue), &recorder->blocks_lost);
}

static void write_marks(struct tracer *tracer)
{
	struct tracer_mark *mark, *next, *first = NULL;

	pthread_mutex_lock(&tracer->lock);
	mark = tracer->marks;
	tracer->marks = NULL;
	pthread_mutex_unlock(&tracer->lock);
	for (; mark; mark = next) {
		next = mark->next;
		mark->next = first;
		first = mark;
	}
	for (mark = first; mark; mark = next) {
		next = mark->next;
		put_mark(tracer, mark->mono_ns, mark->name, mark->text);
		free(mark->name);
		free(mark->text);
		free(mark);
	}
}

/* --- the thread ----------------------------------------------------------------------------- */

static void pass(struct tracer *tracer, uint64_t until_ns)
{
	struct recorder *recorder = tracer->recorder;
	uint64_t now_ns = clock_mono_ns();

	if (tracer->block_closed && now_ns - tracer->epoch_ns >= EPOCH_NS) {
		/* What is recorded from now on is defined anew. */
		recorder_add(&recorder->stamp, UINT64_C(1) << 32);
		trace_writer_age(tracer->writer);
		/* Blocks that told of open files may be gone. */
		if (tracer->overwrite)
			recorder_add(&recorder->handle_era, 1);
		tracer->epoch_ns = now_ns;
		tracer->block_closed = false;
	}
	tracer_drain(tracer, until_ns ? until_ns : now_ns);
	recorder_has_room(recorder);
	count_losses(tracer);
	write_marks(tracer);
}

/* The wall clock was set: blocks say how it stands. */
static void check_clock(struct tracer *tracer)
{
	uint64_t mono_ns = clock_mono_ns(), offset_ns = clock_wall_ns() - mono_ns;
	int64_t step_ns = (int64_t)(offset_ns - tracer->writer_options.wall_offset_ns);
	char text[40];

	if (llabs(step_ns) < (int64_t)CLOCK_STEP_NS)
		return;
	tracer->writer_options.wall_offset_ns = offset_ns;
	tracer_settle(tracer, trace_write_clock(tracer->writer, offset_ns));
	snprintf(text, sizeof(text), "%lld ns", (long long)step_ns);
	put_mark(tracer, mono_ns, "clock", text);
}

static void flush(struct tracer *tracer)
{
	uint64_t now_ns = clock_mono_ns();

	check_clock(tracer);
	tracer->flushing = true;
	tracer_settle(tracer, trace_writer_flush(tracer->writer));
	tracer->flushing = false;
	tracer->flush_at_ns = now_ns + tracer->flush_ns;
	if (tracer->rotate_due || (tracer->rotate_ns && !tracer->overwrite &&
				   now_ns - tracer->part_since_ns >= tracer->rotate_ns))
		tracer_rotate(tracer, QUEUED_PART);
}

static void obey(struct tracer *tracer)
{
	enum tracer_command command;

	pthread_mutex_lock(&tracer->lock);
	command = tracer->command;
	pthread_mutex_unlock(&tracer->lock);
	if (command == TRACER_NOTHING)
		return;
	flush(tracer);
	if (command == TRACER_ROTATE)
		tracer_rotate(tracer, QUEUED_PART);
	else if (command == TRACER_REOPEN)
		tracer_rotate(tracer, QUEUED_REOPEN);
	else
		traceq_pin(&tracer->queue, true);
	pthread_mutex_lock(&tracer->lock);
	tracer->dump_counts = *trace_writer_counts(tracer->writer);
	tracer->dump_number = tracer->next_number;
	tracer->command = TRACER_NOTHING;
	pthread_cond_broadcast(&tracer->answered);
	pthread_mutex_unlock(&tracer->lock);
}

/* Until the next flush, or until somebody calls. */
static void wait_for_work(struct tracer *tracer)
{
	struct pollfd fd = {.fd = tracer->recorder->wake_fd, .events = POLLIN};
	uint64_t now_ns = clock_mono_ns(), calls;
	struct timespec timeout =
		clock_timespec(tracer->flush_at_ns > now_ns ? tracer->flush_at_ns - now_ns : 0);

	if (ppoll(&fd, 1, &timeout, NULL) > 0 && read(fd.fd, &calls, sizeof(calls)) < 0)
		log_debug("tracer: %s", strerror(errno));
}

static void end(struct tracer *tracer)
{
	/* Nobody records any more. */
	pass(tracer, UINT64_MAX);
	put_mark(tracer, clock_mono_ns(), "stop", "");
	flush(tracer);
	if (tracer->overwrite) {
		tracer->dump_counts = *trace_writer_counts(tracer->writer);
		tracer->dump_number = tracer->next_number;
		return;
	}
	/* What could not be written is to be counted in the last block. */
	while (traceq_await_settled(&tracer->queue, ROOM_LOOK_NS))
		;
	count_losses(tracer);
	tracer_settle(tracer, trace_put_summary(tracer->recorder, tracer->writer));
	tracer->flushing = true;
	tracer_settle(tracer, trace_writer_end(tracer->writer));
}

static void *tracer_main(void *arg)
{
	struct tracer *tracer = arg;

	prctl(PR_SET_NAME, "weirfs-tracer");
	while (!__atomic_load_n(&tracer->stop, __ATOMIC_ACQUIRE)) {
		wait_for_work(tracer);
		pass(tracer, 0);
		if (clock_mono_ns() >= tracer->flush_at_ns)
			flush(tracer);
		obey(tracer);
	}
	end(tracer);
	return NULL;
}

int tracer_ask(struct tracer *tracer, enum tracer_command command)
{
	struct timespec until = clock_timespec(clock_mono_ns() + ANSWER_NS);
	int err = 0;

	pthread_mutex_lock(&tracer->lock);
	tracer->command = command;
	recorder_wake(tracer->recorder);
	while (tracer->command == command && !err)
		err = pthread_cond_timedwait(&tracer->answered, &tracer->lock, &until);
	pthread_mutex_unlock(&tracer->lock);
	return -err;
}

void tracer_mark(struct tracer *tracer, const char *name, const char *text)
{
	struct tracer_mark *mark = calloc(1, sizeof(*mark));

	if (!mark)
		return;
	mark->mono_ns = clock_mono_ns();
	mark->name = strdup(name);
	mark->text = strdup(text);
	if (!mark->name || !mark->text) {
		free(mark->name);
		free(mark->text);
		free(mark);
		return;
	}
	pthread_mutex_lock(&tracer->lock);
	mark->next = tracer->marks;
	tracer->marks = mark;
	pthread_mutex_unlock(&tracer->lock);
	recorder_wake(tracer->recorder);
}

/* --- beginning and end ---------------------------------------------------------------------- */

static void init_options(struct tracer *tracer)
{
	const struct options *options = &tracer->recorder->fs->options;
	uint64_t now_ns = clock_mono_ns();

	tracer->overwrite = options->trace_full == TRACE_FULL_OVERWRITE;
	tracer->session.block = options->trace_full == TRACE_FULL_BLOCK;
	tracer->session.hash_data = options->trace_data == TRACE_DATA_HASH;
	tracer->hides = options->trace_names == TRACE_NAMES_HASH;
	tracer->flush_ns = options->trace_flush_ns;
	tracer->rotate_bytes = options->trace_rotate.bytes;
	tracer->rotate_ns = options->trace_rotate.ns;
	tracer->flush_at_ns = now_ns + tracer->flush_ns;
	tracer->epoch_ns = now_ns;
	trace_new_id(tracer->writer_options.id);
	tracer->writer_options.wall_offset_ns = clock_wall_ns() - now_ns;
}

static struct tracer *new_tracer(struct recorder *recorder, const struct trace_filter *filter)
{
	struct tracer *tracer = calloc(1, sizeof(*tracer));
	pthread_condattr_t attr;

	if (!tracer)
		return NULL;
	tracer->recorder = recorder;
	tracer->session.filter = *filter;
	tracer->session.number = filter->number;
	init_options(tracer);
	trace_hide_init(&tracer->hide);
	traceq_init(&tracer->queue, recorder->fs->options.trace_buffer);
	pthread_mutex_init(&tracer->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&tracer->answered, &attr);
	pthread_condattr_destroy(&attr);
	tracer->place = (struct trace_place){.stream_fd = -1, .dir_fd = -1, .first_fd = -1};
	return tracer;
}

static void free_tracer(struct tracer *tracer)
{
	trace_writer_free(tracer->writer);
	trace_hide_done(&tracer->hide);
	traceq_done(&tracer->queue);
	trace_place_done(&tracer->place);
	pthread_cond_destroy(&tracer->answered);
	pthread_mutex_destroy(&tracer->lock);
	free(tracer);
}

int tracer_start(struct recorder *recorder, struct trace_place *place,
		 const struct trace_filter *filter, struct tracer **ret_tracer)
{
	struct tracer *tracer = new_tracer(recorder, filter);
	int err = tracer ? 0 : -ENOMEM;

	if (!err)
		err = trace_writer_new(&tracer->writer_options, take_block, tracer,
				       &tracer->writer);
	if (!err && tracer->overwrite) {
		tracer->place = *place;
		*place = (struct trace_place){.stream_fd = -1, .dir_fd = -1, .first_fd = -1};
	} else if (!err) {
		err = trace_out_start(&tracer->out, recorder, &tracer->session, &tracer->queue,
				      place, recorder->fs->options.trace_keep);
	}
	if (!err) {
		begin_part(tracer);
		put_mark(tracer, clock_mono_ns(), "start", "");
		/* So that even a trace without operations says what it is. */
		flush(tracer);
		recorder_open(recorder, &tracer->session);
		err = -pthread_create(&tracer->thread, NULL, tracer_main, tracer);
		if (err)
			recorder_close(recorder, &tracer->session);
	}
	if (!err) {
		*ret_tracer = tracer;
		return 0;
	}
	if (tracer) {
		traceq_close(&tracer->queue);
		if (tracer->out.recorder)
			trace_out_stop(&tracer->out);
		free_tracer(tracer);
	}
	return err;
}

void tracer_stop(struct tracer *tracer)
{
	/* From now on a pipe that stands still is given up. */
	__atomic_store_n(&tracer->out.giving_up, true, __ATOMIC_RELAXED);
	recorder_close(tracer->recorder, &tracer->session);
	__atomic_store_n(&tracer->stop, true, __ATOMIC_RELEASE);
	recorder_wake(tracer->recorder);
	pthread_join(tracer->thread, NULL);
	traceq_close(&tracer->queue);
	if (tracer->overwrite)
		tracer_dump(tracer, &tracer->place);
	else
		trace_out_stop(&tracer->out);
	/* The last block may have failed after all was counted. */
	lose(tracer, traceq_take_failed(&tracer->queue), &tracer->recorder->blocks_lost);
	free_tracer(tracer);
}
