// SPDX-License-Identifier: GPL-2.0-or-later
/* A flight recorder's blocks as a trace of their own. */
#include "config.h"

#include "weirfs/tracer.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/clock.h"

struct target {
	struct trace_writer *writer;
	int err;
};

static int put(void *arg, const char *name, const char *value)
{
	struct target *target = arg;

	if (!target->err)
		target->err = trace_write_property(target->writer, name, value);
	return target->err;
}

/* What the first block said may be long overwritten. */
static int write_head(const struct tracer *tracer, struct part *part, const struct queued *first)
{
	struct trace_writer_options options = tracer->writer_options;
	struct target target = {0};

	if (!first || !first->meta.number)
		return 0;
	options.number = first->meta.number - 1;
	target.err = trace_writer_new(&options, part_sink, part, &target.writer);
	if (target.err)
		return target.err;
	trace_put_properties(tracer, 1, put, &target);
	if (!target.err)
		target.err = trace_writer_flush(target.writer);
	trace_writer_free(target.writer);
	return target.err;
}

/* Blocks are as they were; only the list may grow meanwhile. */
static const struct queued *next_of(struct tracer *tracer, const struct queued *block)
{
	struct traceq *queue = &tracer->queue;
	const struct queued *next;

	pthread_mutex_lock(&queue->lock);
	next = block ? block->next : queue->first;
	pthread_mutex_unlock(&queue->lock);
	return next && next->meta.number < tracer->dump_number ? next : NULL;
}

static int write_blocks(struct tracer *tracer, struct part *part)
{
	const struct queued *block = next_of(tracer, NULL);
	int err = write_head(tracer, part, block);

	for (; block && !err; block = next_of(tracer, block))
		err = part_sink(part, &block->meta);
	return err;
}

static int write_tail(const struct tracer *tracer, struct part *part)
{
	struct trace_writer_options options = tracer->writer_options;
	struct trace_writer *writer;
	int err;

	options.number = tracer->dump_number;
	options.counts = &tracer->dump_counts;
	err = trace_writer_new(&options, part_sink, part, &writer);
	if (err)
		return err;
	err = trace_write_mark(writer, clock_mono_ns(), "dump", "");
	if (!err)
		err = trace_put_summary(tracer->recorder, writer);
	if (!err)
		err = trace_writer_end(writer);
	trace_writer_free(writer);
	return err;
}

static int write_all(struct tracer *tracer, int fd)
{
	struct part part;
	int err;

	part_init(&part, fd);
	err = write_blocks(tracer, &part);
	if (!err)
		err = write_tail(tracer, &part);
	if (!err)
		err = part_finish(&part);
	part_done(&part);
	return !err && fdatasync(fd) ? -errno : err;
}

int tracer_dump(struct tracer *tracer, struct trace_place *place)
{
	char *name = NULL;
	int fd, err = 0;

	if (!__atomic_load_n(&tracer->stop, __ATOMIC_ACQUIRE))
		err = tracer_ask(tracer, TRACER_FLUSH);
	if (err)
		return err;
	fd = trace_place_part(place, 1, false, &name);
	err = fd < 0 ? fd : write_all(tracer, fd);
	if (fd >= 0)
		close(fd);
	free(name);
	traceq_pin(&tracer->queue, false);
	return err;
}
