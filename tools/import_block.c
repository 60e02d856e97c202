// SPDX-License-Identifier: GPL-2.0-or-later
/* Matching what was queued, issued and completed. */
#include "config.h"

#include "tools/import_block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Requests of a device under way at a time; more have lost their completions. */
#define PENDING_MAX 16384
/* .. and of all of them. */
#define PENDING_MAX_ALL 65536
#define DEVICES_MAX 4096

struct pending {
	struct block_event event;
	uint64_t issued_ns;
	uint64_t left; /* bytes that are not complete */
	uint16_t error;
};

/* One array sorted by offset for each kind, so that a read never completes a write. */
struct queue {
	struct pending *pending;
	size_t count;
	size_t room;
	uint64_t longest; /* size of the largest that was ever in it */
};

enum { QUEUE_READ, QUEUE_WRITE, QUEUE_DISCARD, QUEUE_FLUSH, QUEUES };

struct block_device {
	uint32_t device;
	struct import_file *file;
	bool queued; /* the trace has Q: not every D is a request of its own */
	struct queue queues[QUEUES];
};

static int queue_of(enum op_kind kind)
{
	switch (kind) {
	case OP_READ:
		return QUEUE_READ;
	case OP_WRITE:
		return QUEUE_WRITE;
	case OP_FALLOCATE:
		return QUEUE_DISCARD;
	default:
		return QUEUE_FLUSH;
	}
}

static int find_device(struct import *import, struct block_state *state, uint32_t number,
		       struct block_device **ret_device)
{
	struct block_device *devices;
	int err;

	for (size_t i = 0; i < state->count; i++) {
		if (state->devices[i].device == number) {
			*ret_device = &state->devices[i];
			return 0;
		}
	}
	if (state->count == DEVICES_MAX)
		return import_refuse(import, "%s: more than %d devices", import->source->name,
				     DEVICES_MAX);
	devices = reallocarray(state->devices, state->count + 1, sizeof(*devices));
	if (!devices)
		return -ENOMEM;
	state->devices = devices;
	devices[state->count] = (struct block_device){.device = number};
	err = import_block_device(import, number, &devices[state->count].file);
	if (err)
		return err;
	*ret_device = &devices[state->count++];
	return 0;
}

static int give(struct import *import, struct block_device *device, const struct pending *pending,
		uint64_t complete_ns)
{
	const struct block_event *event = &pending->event;
	struct trace_op op = import_new_op(event->kind, event->time_ns);

	op.op.offset = event->offset;
	op.op.size = event->size;
	op.op.pid = event->pid;
	op.op.issued_ns = pending->issued_ns;
	memcpy(op.comm, event->comm, sizeof(op.comm));
	if (complete_ns) {
		import_set_latency(&op,
				   complete_ns > event->time_ns ? complete_ns - event->time_ns : 0);
		op.op.error = pending->error;
		if (!pending->error && (event->kind == OP_READ || event->kind == OP_WRITE))
			op.op.result = event->size;
	}
	if (event->flags & BLOCK_F_FUA)
		import_set(&op, TRACE_FLAGS, O_DSYNC);
	import_block_kind(&op);
	return import_block_op(import, &op, device->file);
}

/* The first pending one that begins at the offset or behind. */
static size_t position(const struct queue *queue, uint64_t offset)
{
	size_t low = 0, high = queue->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (queue->pending[middle].event.offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int by_time(const void *left, const void *right)
{
	const struct pending *a = left, *b = right;

	return (a->event.time_ns > b->event.time_ns) - (a->event.time_ns < b->event.time_ns);
}

static int by_offset(const void *left, const void *right)
{
	const struct pending *a = left, *b = right;

	return (a->event.offset > b->event.offset) - (a->event.offset < b->event.offset);
}

/* Gives the oldest ones of a queue without an end. */
static int give_up(struct import *import, struct block_state *state, struct block_device *device,
		   struct queue *queue, size_t count)
{
	int err = 0;

	if (!count)
		return 0;
	qsort(queue->pending, queue->count, sizeof(queue->pending[0]), by_time);
	for (size_t i = 0; !err && i < count; i++)
		err = give(import, device, &queue->pending[i], 0);
	queue->count -= count;
	state->pending -= count;
	memmove(queue->pending, queue->pending + count, queue->count * sizeof(queue->pending[0]));
	qsort(queue->pending, queue->count, sizeof(queue->pending[0]), by_offset);
	return err;
}

/* The older half of everything that waits. */
static int give_up_half(struct import *import, struct block_state *state)
{
	int err = 0;

	for (size_t i = 0; i < state->count; i++) {
		struct block_device *device = &state->devices[i];

		for (int q = 0; !err && q < QUEUES; q++)
			err = give_up(import, state, device, &device->queues[q],
				      (device->queues[q].count + 1) / 2);
	}
	return err;
}

static int add(struct import *import, struct block_state *state, struct block_device *device,
	       struct queue *queue, const struct block_event *event)
{
	size_t at, room = queue->room ? queue->room * 2 : 64;
	struct pending *pending;
	int err = 0;

	if (queue->count == PENDING_MAX)
		err = give_up(import, state, device, queue, PENDING_MAX / 2);
	else if (state->pending == PENDING_MAX_ALL)
		err = give_up_half(import, state);
	if (err)
		return err;
	if (queue->count == queue->room) {
		pending = reallocarray(queue->pending, room, sizeof(*pending));
		if (!pending)
			return -ENOMEM;
		queue->pending = pending;
		queue->room = room;
	}
	at = position(queue, event->offset);
	/* Behind those of the same offset: the oldest completes first. */
	while (at < queue->count && queue->pending[at].event.offset == event->offset)
		at++;
	memmove(queue->pending + at + 1, queue->pending + at,
		(queue->count - at) * sizeof(queue->pending[0]));
	queue->pending[at] = (struct pending){.event = *event, .left = event->size};
	if (event->what == BLOCK_ISSUE)
		queue->pending[at].issued_ns = event->time_ns;
	queue->count++;
	state->pending++;
	if (event->size > queue->longest)
		queue->longest = event->size;
	return 0;
}

static uint64_t overlap(const struct block_event *a, const struct block_event *b)
{
	uint64_t begin = a->offset > b->offset ? a->offset : b->offset;
	uint64_t a_end = a->offset + a->size, b_end = b->offset + b->size;
	uint64_t end = a_end < b_end ? a_end : b_end;

	return end > begin ? end - begin : 0;
}

/* Completes bytes of a pending one; true when it has to be given, and goes. */
static bool complete(struct pending *pending, const struct block_event *event, uint64_t bytes)
{
	if (event->error)
		pending->error = event->error;
	pending->left -= bytes < pending->left ? bytes : pending->left;
	return !pending->left;
}

/* How far an event has come through the pending ones. */
struct touching {
	const struct block_event *event;
	uint64_t covered_end; /* bytes of the event below are used up */
	bool touched;
};

/* Is the pending one what the event is about? The bytes of it that the event covers. */
static bool is_touched(const struct block_device *device, const struct pending *pending,
		       struct touching *touching, uint64_t *ret_bytes)
{
	const struct block_event *event = touching->event;
	uint64_t begin =
		pending->event.offset > event->offset ? pending->event.offset : event->offset;

	*ret_bytes = event->size ? overlap(&pending->event, event) : 0;
	if (event->size ? !*ret_bytes : pending->event.size)
		return false;
	if (event->what == BLOCK_ISSUE && pending->issued_ns) {
		/* A part of one that was split, or issued again. */
		touching->touched |= device->queued;
		return false;
	}
	/* The second of two requests for the same bytes waits for an event of its own. */
	if (event->size && begin < touching->covered_end)
		return false;
	touching->covered_end = begin + *ret_bytes;
	touching->touched = true;
	return true;
}

/*
 * Issues or completes the pending ones in the range. Bytes of the event are used up by the oldest
 * of those that cover the same ones. Returns 1 when it touched any, 0, or -errno.
 */
static int touch(struct import *import, struct block_state *state, struct block_device *device,
		 struct queue *queue, const struct block_event *event)
{
	uint64_t from = event->offset > queue->longest ? event->offset - queue->longest : 0;
	uint64_t end = event->offset + (event->size ? event->size : 1), bytes;
	struct touching touching = {.event = event};
	size_t i = position(queue, from);
	int err = 0;

	while (!err && i < queue->count && queue->pending[i].event.offset < end) {
		struct pending *pending = &queue->pending[i++];

		if (!is_touched(device, pending, &touching, &bytes))
			continue;
		if (event->what == BLOCK_ISSUE) {
			pending->issued_ns = event->time_ns;
		} else if (complete(pending, event, bytes)) {
			err = give(import, device, pending, event->time_ns);
			queue->count--;
			state->pending--;
			i--;
			memmove(pending, pending + 1, (queue->count - i) * sizeof(*pending));
		}
		if (!event->size)
			break;
	}
	return err ? err : touching.touched;
}

int block_event(struct import *import, struct block_state *state, const struct block_event *event)
{
	struct block_device *device = NULL;
	struct queue *queue;
	int err = find_device(import, state, event->device, &device);

	if (err)
		return err;
	queue = &device->queues[queue_of(event->kind)];
	if (event->what == BLOCK_QUEUE) {
		device->queued = true;
		err = add(import, state, device, queue, event);
		return err ? err : 1;
	}
	err = touch(import, state, device, queue, event);
	if (err || event->what == BLOCK_COMPLETE)
		return err;
	err = add(import, state, device, queue, event);
	return err ? err : 1;
}

int block_finish(struct import *import, struct block_state *state)
{
	int err = 0;

	for (size_t i = 0; i < state->count; i++) {
		struct block_device *device = &state->devices[i];

		for (int q = 0; !err && q < QUEUES; q++)
			err = give_up(import, state, device, &device->queues[q],
				      device->queues[q].count);
	}
	return err;
}

void block_done(struct block_state *state)
{
	for (size_t i = 0; i < state->count; i++) {
		for (int q = 0; q < QUEUES; q++)
			free(state->devices[i].queues[q].pending);
	}
	free(state->devices);
}
