// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Binary block traces: DEV.blktrace.CPU of all processors merged by time, or what blkparse -d wrote
 * of them. Either byte order; version 7 of the records.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "tools/import_block.h"

#define RECORD_BYTES 48
#define MAGIC UINT32_C(0x65617400)
#define RECORD_VERSION 7

enum { WHAT_QUEUE = 1, WHAT_ISSUE = 7, WHAT_COMPLETE = 8 };
enum { NOTIFY_PROCESS = 0, NOTIFY_TIMESTAMP = 1 };

#define CATEGORY(bit) (UINT32_C(1) << (16 + (bit)))
#define CATEGORY_READ CATEGORY(0)
#define CATEGORY_WRITE CATEGORY(1)
#define CATEGORY_FLUSH CATEGORY(2)
#define CATEGORY_PC CATEGORY(9)
#define CATEGORY_NOTIFY CATEGORY(10)
#define CATEGORY_DISCARD CATEGORY(13)
#define CATEGORY_FUA CATEGORY(15)

/* Threads' names by the low bits of their pid. */
#define NAMES 65536

struct process_name {
	uint32_t pid;
	char comm[TRACE_COMM];
};

struct blktrace_state {
	struct block_state block;
	struct process_name *names;
	bool gave; /* an operation: too late to learn the wall clock */
};

struct record {
	uint64_t time_ns;
	uint64_t sector;
	uint32_t bytes;
	uint32_t action;
	uint32_t pid;
	uint32_t device;
	uint16_t error;
	uint16_t payload_len;
	bool big;
	bool there;
};

static uint64_t load(const uint8_t *at, unsigned int bytes, bool big)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value = value << 8 | at[big ? i : bytes - 1 - i];
	return value;
}

static int decode(struct import *import, struct import_source *source, const uint8_t *raw,
		  struct record *ret_record)
{
	bool big = load(raw, 4, true) >> 8 == MAGIC >> 8;
	uint64_t magic = load(raw, 4, big);

	if (magic >> 8 != MAGIC >> 8) {
		if (source->feed.line == 1)
			return import_refuse(import, "%s: no blktrace file: no magic number",
					     source->name);
		/* Records have no marks to find the next one by. */
		import->counts.torn = true;
		ret_record->there = false;
		return import_unused_record(import, IMPORT_SYNTAX, raw, RECORD_BYTES);
	}
	if ((magic & 0xff) != RECORD_VERSION)
		return import_refuse(import,
				     "%s: record %llu has version %u; version 7 can be read",
				     source->name, (unsigned long long)source->feed.line,
				     (unsigned int)(magic & 0xff));
	*ret_record = (struct record){
		.time_ns = load(raw + 8, 8, big),
		.sector = load(raw + 16, 8, big),
		.bytes = (uint32_t)load(raw + 24, 4, big),
		.action = (uint32_t)load(raw + 28, 4, big),
		.pid = (uint32_t)load(raw + 32, 4, big),
		.device = (uint32_t)load(raw + 36, 4, big),
		.error = (uint16_t)load(raw + 44, 2, big),
		.payload_len = (uint16_t)load(raw + 46, 2, big),
		.big = big,
		.there = true,
	};
	return 0;
}

/* The end of an input, in order or in the middle of a record. */
static int ended(struct import *import, struct import_source *source, int n)
{
	import->source = source;
	if (n == 0)
		return 0;
	if (n != -EPROTO)
		return diag_set(import->diag, n, "%s: %s", source->name, strerror(-n));
	import->counts.torn = true;
	return 0;
}

static int next_record(struct import *import, struct import_source *source,
		       struct record *ret_record)
{
	const void *raw;
	int n = feed_bytes(&source->feed, RECORD_BYTES, &raw);

	*ret_record = (struct record){0};
	if (n <= 0)
		return ended(import, source, n);
	import->source = source;
	import->counts.lines++;
	source->feed.line++;
	return decode(import, source, raw, ret_record);
}

static void take_notify(struct import *import, struct blktrace_state *state,
			const struct record *record, const uint8_t *payload)
{
	uint64_t wall_ns;

	switch (record->action & 0xffff) {
	case NOTIFY_PROCESS: {
		struct process_name *name = &state->names[record->pid % NAMES];
		size_t len = record->payload_len;

		*name = (struct process_name){.pid = record->pid};
		memcpy(name->comm, payload, len < TRACE_COMM - 1 ? len : TRACE_COMM - 1);
		break;
	}
	case NOTIFY_TIMESTAMP:
		if (record->payload_len < 8 || state->gave || import->wall_known)
			break;
		wall_ns = load(payload, 4, record->big) * NS_PER_S +
			  load(payload + 4, 4, record->big);
		if (wall_ns < record->time_ns)
			break;
		import->wall_ns = wall_ns - record->time_ns;
		import->wall_known = true;
		import->absolute = true;
		break;
	default:
		break;
	}
}

/* What the record is about. Returns false when it is no request that moves data. */
static bool take_kind(const struct record *record, struct block_event *event)
{
	uint32_t action = record->action;

	switch (action & 0xffff) {
	case WHAT_QUEUE:
		event->what = BLOCK_QUEUE;
		break;
	case WHAT_ISSUE:
		event->what = BLOCK_ISSUE;
		break;
	case WHAT_COMPLETE:
		event->what = BLOCK_COMPLETE;
		break;
	default:
		return false;
	}
	if (action & CATEGORY_PC)
		return false;
	event->flags = action & CATEGORY_FUA ? BLOCK_F_FUA : 0;
	if (!record->bytes)
		event->kind = OP_FSYNC;
	else if (action & CATEGORY_DISCARD)
		event->kind = OP_FALLOCATE;
	else
		event->kind = action & CATEGORY_WRITE ? OP_WRITE : OP_READ;
	return record->bytes || action & CATEGORY_FLUSH;
}

static int take_record(struct import *import, struct blktrace_state *state,
		       const struct record *record)
{
	const struct process_name *name = &state->names[record->pid % NAMES];
	struct block_event event = {
		.device = record->device,
		.pid = record->pid,
		.size = record->bytes,
		.error = record->error > INT16_MAX ? (uint16_t)-record->error : record->error,
	};
	int err;

	if (!take_kind(record, &event))
		return import_unused_record(import, IMPORT_NOTHING, &record->action, 4);
	if (record->sector > INT64_MAX / 512) {
		/* An empty flush may stand at "no sector". */
		if (record->bytes)
			return import_unused_record(import, IMPORT_RANGE, &record->sector, 8);
	} else if (record->bytes) {
		event.offset = record->sector * 512;
	}
	if (__builtin_add_overflow(record->time_ns, import->wall_ns, &event.time_ns))
		return import_unused_record(import, IMPORT_TIME, &record->time_ns, 8);
	if (!event.time_ns)
		event.time_ns = 1;
	if (name->pid == record->pid)
		memcpy(event.comm, name->comm, sizeof(event.comm));
	state->gave = true;
	err = block_event(import, &state->block, &event);
	if (err)
		return err < 0 ? err : 0;
	return import_unused_record(import, IMPORT_ORPHAN, &record->sector, 8);
}

/* The record and the payload that follows it. */
static int use_record(struct import *import, struct blktrace_state *state,
		      struct import_source *source, const struct record *record)
{
	const void *payload = "";
	int n = 1;

	import->source = source;
	if (record->payload_len)
		n = feed_bytes(&source->feed, record->payload_len, &payload);
	if (n <= 0)
		return ended(import, source, n ? n : -EPROTO);
	if (record->action & CATEGORY_NOTIFY) {
		take_notify(import, state, record, payload);
		return import_unused_record(import, IMPORT_NOTHING, payload, record->payload_len);
	}
	return take_record(import, state, record);
}

static int blktrace_run(struct import *import, void *state, struct import_source *sources,
			size_t count)
{
	scoped_free struct record *heads = calloc(count, sizeof(*heads));
	struct blktrace_state *own = state;
	int err = 0;

	own->names = calloc(NAMES, sizeof(own->names[0]));
	if (!heads || !own->names)
		return -ENOMEM;
	import->absolute = import->wall_known;
	for (size_t i = 0; !err && i < count; i++)
		err = next_record(import, &sources[i], &heads[i]);
	while (!err) {
		size_t next = 0;

		for (size_t i = 0; i < count; i++) {
			if (heads[i].there &&
			    (!heads[next].there || heads[i].time_ns < heads[next].time_ns))
				next = i;
		}
		if (!heads[next].there)
			break;
		err = use_record(import, own, &sources[next], &heads[next]);
		if (!err)
			err = next_record(import, &sources[next], &heads[next]);
	}
	return err;
}

static int blktrace_finish(struct import *import, void *state)
{
	struct blktrace_state *own = state;

	return block_finish(import, &own->block);
}

static void blktrace_done(void *state)
{
	struct blktrace_state *own = state;

	block_done(&own->block);
	free(own->names);
}

const struct import_format import_blktrace = {
	.name = "blktrace",
	.summary = "blktrace binary, DEV.blktrace.* (ns, sectors)",
	.flags = IMPORT_F_BLOCK,
	.state_bytes = sizeof(struct blktrace_state),
	.run = blktrace_run,
	.finish = blktrace_finish,
	.done = blktrace_done,
};
