// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Perfetto's trace protobuf, packet by packet: a track for each lane of a process, a slice for
 * each operation, marks as instants, a counter of the operations in flight.
 *
 * The numbers of fields are those of Perfetto's public trace_packet.proto and what it includes.
 */
#include "config.h"

#include "tools/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proto.h"
#include "tools/slices.h"

enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { COUNTER_UNIT = 3, COUNTER_UNIT_COUNT = 2 };
enum {
	EVENT_CATEGORY_IID = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { ANNOTATION_NAME_IID = 1, ANNOTATION_UINT = 3, ANNOTATION_STRING = 6 };
enum { INTERNED_CATEGORIES = 1, INTERNED_NAMES = 2, INTERNED_ANNOTATIONS = 3 };

#define SEQUENCE 1

/* Annotations of a slice; the order gives their interned ids, from 1. */
#define ANNOTATION_TABLE(X)      \
	X(SEQ, "seq")            \
	X(TID, "tid")            \
	X(PATH, "path")          \
	X(OP_NAME, "name")       \
	X(NEW_NAME, "new_name")  \
	X(OFFSET, "offset")      \
	X(SIZE, "size")          \
	X(RESULT, "result")      \
	X(ERROR, "errno")        \
	X(SERVICE, "service_ns") \
	X(HOLD, "hold_ns")       \
	X(TEXT, "text")

enum annotation {
	NOTE_NONE,
#define X(id, name) NOTE_##id,
	ANNOTATION_TABLE(X)
#undef X
};

/* Names that are no operation's, behind those. */
#define NAME_SERVICE (OP_KINDS + 1u)
#define NAME_HOLD (OP_KINDS + 2u)

/* Tracks: marks, the counter, then 2^24 for each process. */
#define UUID_MARKS 1
#define UUID_COUNTER 2
#define UUID_PROCESS(number) (((uint64_t)(number) + 1) << 24)

#define COUNTER_WAITING (1u << 18)

struct perfetto {
	struct slices slices;
	struct bytes packet;
};

static size_t begin_packet(struct bytes *packet)
{
	packet->len = 0;
	return proto_begin(packet, TRACE_PACKET);
}

static int end_packet(struct export *export, struct bytes *packet, size_t mark, uint64_t flags)
{
	proto_uint(packet, PACKET_SEQUENCE, SEQUENCE);
	proto_uint(packet, PACKET_FLAGS, flags);
	proto_end(packet, mark);
	if (packet->failed)
		return -ENOMEM;
	export_put(export->out, packet->data, packet->len);
	return 0;
}

/* --- what is said once ---------------------------------------------------------------------- */

static void put_interned(struct bytes *packet, unsigned int field, uint64_t iid, const char *name)
{
	size_t mark = proto_begin(packet, field);

	proto_uint(packet, 1, iid);
	proto_string(packet, 2, name);
	proto_end(packet, mark);
}

/* The first packet: numbers for the names of operations, classes and annotations. */
static int put_names(struct export *export, struct perfetto *perfetto)
{
	static const char *const annotations[] = {
#define X(id, name) [NOTE_##id] = name,
		ANNOTATION_TABLE(X)
#undef X
	};
	struct bytes *packet = &perfetto->packet;
	size_t mark = begin_packet(packet), data = proto_begin(packet, PACKET_INTERNED);

	for (unsigned int i = 0; i < OP_CLASSES; i++)
		put_interned(packet, INTERNED_CATEGORIES, i + 1, op_class_name(i));
	for (unsigned int i = 0; i < OP_KINDS; i++)
		put_interned(packet, INTERNED_NAMES, i + 1, op_name(i));
	put_interned(packet, INTERNED_NAMES, NAME_SERVICE, "service");
	put_interned(packet, INTERNED_NAMES, NAME_HOLD, "hold");
	for (unsigned int i = 1; i < sizeof(annotations) / sizeof(annotations[0]); i++)
		put_interned(packet, INTERNED_ANNOTATIONS, i, annotations[i]);
	proto_end(packet, data);
	return end_packet(export, packet, mark, FLAG_CLEARED);
}

static int put_track(struct export *export, struct perfetto *perfetto, uint64_t uuid,
		     uint64_t parent, const char *name)
{
	struct bytes *packet = &perfetto->packet;
	size_t mark = begin_packet(packet), track = proto_begin(packet, PACKET_TRACK_DESCRIPTOR);

	proto_uint(packet, TRACK_UUID, uuid);
	proto_string(packet, TRACK_NAME, name);
	if (parent)
		proto_uint(packet, TRACK_PARENT, parent);
	if (uuid == UUID_COUNTER) {
		size_t counter = proto_begin(packet, TRACK_COUNTER);

		proto_uint(packet, COUNTER_UNIT, COUNTER_UNIT_COUNT);
		proto_end(packet, counter);
	}
	proto_end(packet, track);
	return end_packet(export, packet, mark, FLAG_NEEDS_STATE);
}

/* The track that holds a process' lanes. Number 0 is the kernel itself, no process for viewers. */
static int put_process(struct export *export, struct perfetto *perfetto, const struct trace_op *op,
		       uint32_t number)
{
	struct trace_bytes name = export_text(&export->scratch, export_comm(op));
	struct bytes *packet = &perfetto->packet;
	size_t mark, track, process;

	if (!op->process)
		return put_track(export, perfetto, UUID_PROCESS(number), 0, "kernel");
	mark = begin_packet(packet);
	track = proto_begin(packet, PACKET_TRACK_DESCRIPTOR);
	proto_uint(packet, TRACK_UUID, UUID_PROCESS(number));
	process = proto_begin(packet, TRACK_PROCESS);
	proto_uint(packet, PROCESS_PID, op->process & INT32_MAX);
	proto_bytes(packet, PROCESS_NAME, name.data, name.len);
	proto_end(packet, process);
	proto_end(packet, track);
	return end_packet(export, packet, mark, FLAG_NEEDS_STATE);
}

static int perfetto_begin(struct export *export)
{
	struct perfetto *perfetto = calloc(1, sizeof(*perfetto));
	int err;

	export->state = perfetto;
	if (!perfetto)
		return -ENOMEM;
	err = slices_init(&perfetto->slices, COUNTER_WAITING);
	if (!err)
		err = put_names(export, perfetto);
	if (!err)
		err = put_track(export, perfetto, UUID_MARKS, 0, "weirfs: marks");
	if (!err)
		err = put_track(export, perfetto, UUID_COUNTER, 0, "weirfs: operations in flight");
	return err;
}

static void perfetto_done(struct export *export)
{
	struct perfetto *perfetto = export->state;

	if (!perfetto)
		return;
	slices_done(&perfetto->slices);
	bytes_done(&perfetto->packet);
	free(perfetto);
}

/* --- events --------------------------------------------------------------------------------- */

static void note_uint(struct bytes *packet, enum annotation name, uint64_t value)
{
	size_t mark = proto_begin(packet, EVENT_ANNOTATION);

	proto_uint(packet, ANNOTATION_NAME_IID, name);
	proto_uint(packet, ANNOTATION_UINT, value);
	proto_end(packet, mark);
}

static void note_text(struct export *export, struct bytes *packet, enum annotation name,
		      struct trace_bytes text)
{
	struct trace_bytes safe = export_text(&export->scratch, text);
	size_t mark = proto_begin(packet, EVENT_ANNOTATION);

	proto_uint(packet, ANNOTATION_NAME_IID, name);
	proto_bytes(packet, ANNOTATION_STRING, safe.data, safe.len);
	proto_end(packet, mark);
}

static void put_annotations(struct export *export, struct bytes *packet,
			    const struct trace_event *event)
{
	const struct trace_op *op = event->op;
	uint64_t ns[DURATIONS];

	op_durations(&op->op, ns);
	note_uint(packet, NOTE_SEQ, op->op.seq);
	note_uint(packet, NOTE_TID, op->op.pid);
	if (event->file)
		note_text(export, packet, NOTE_PATH, event->file->path);
	if (op->have & TRACE_HAVE_TEXT(TRACE_NAME))
		note_text(export, packet, NOTE_OP_NAME, op->text[TRACE_NAME]);
	if (op->have & TRACE_HAVE_TEXT(TRACE_NEW_NAME))
		note_text(export, packet, NOTE_NEW_NAME, op->text[TRACE_NEW_NAME]);
	if (op->op.size) {
		note_uint(packet, NOTE_OFFSET, op->op.offset);
		note_uint(packet, NOTE_SIZE, op->op.size);
		note_uint(packet, NOTE_RESULT, op->op.result);
	}
	if (op->op.error)
		note_uint(packet, NOTE_ERROR, op->op.error);
	note_uint(packet, NOTE_SERVICE, ns[DUR_SERVICE]);
	if (ns[DUR_HOLD])
		note_uint(packet, NOTE_HOLD, ns[DUR_HOLD]);
}

/* One slice; the event is NULL for a stage of it. */
static int put_slice(struct export *export, struct bytes *packet, uint64_t uuid, uint64_t name,
		     uint64_t start_ns, const struct trace_event *event)
{
	size_t mark = begin_packet(packet), inside;

	proto_uint(packet, PACKET_TIMESTAMP, start_ns);
	inside = proto_begin(packet, PACKET_TRACK_EVENT);
	proto_uint(packet, EVENT_TYPE, TYPE_BEGIN);
	proto_uint(packet, EVENT_TRACK, uuid);
	proto_uint(packet, EVENT_NAME_IID, name);
	if (event) {
		proto_uint(packet, EVENT_CATEGORY_IID,
			   op_class((enum op_kind)event->op->op.kind) + 1u);
		put_annotations(export, packet, event);
	}
	proto_end(packet, inside);
	return end_packet(export, packet, mark, FLAG_NEEDS_STATE);
}

static int put_end(struct export *export, struct bytes *packet, uint64_t uuid, uint64_t end_ns)
{
	size_t mark = begin_packet(packet), inside;

	proto_uint(packet, PACKET_TIMESTAMP, end_ns);
	inside = proto_begin(packet, PACKET_TRACK_EVENT);
	proto_uint(packet, EVENT_TYPE, TYPE_END);
	proto_uint(packet, EVENT_TRACK, uuid);
	proto_end(packet, inside);
	return end_packet(export, packet, mark, FLAG_NEEDS_STATE);
}

static int put_counters(struct export *export, struct perfetto *perfetto, bool all)
{
	struct bytes *packet = &perfetto->packet;
	uint64_t ns, depth;
	int err = 0;

	while (!err &&
	       inflight_sample(&perfetto->slices.inflight, all, SLICES_SLOT_NS, &ns, &depth)) {
		size_t mark = begin_packet(packet), inside;

		proto_uint(packet, PACKET_TIMESTAMP, ns);
		inside = proto_begin(packet, PACKET_TRACK_EVENT);
		proto_uint(packet, EVENT_TYPE, TYPE_COUNTER);
		proto_uint(packet, EVENT_TRACK, UUID_COUNTER);
		proto_uint(packet, EVENT_COUNTER_VALUE, depth);
		proto_end(packet, inside);
		err = end_packet(export, packet, mark, FLAG_NEEDS_STATE);
	}
	return err;
}

static int put_stages(struct export *export, struct perfetto *perfetto, uint64_t uuid,
		      const struct trace_event *event, const struct slice *slice)
{
	struct slice_stage stages[DURATIONS];
	struct bytes *packet = &perfetto->packet;
	size_t count = slices_stages(&perfetto->slices, export, event, slice, stages);
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		uint64_t name = strcmp(stages[i].name, "hold") ? NAME_SERVICE : NAME_HOLD;

		err = put_slice(export, packet, uuid, name, stages[i].start_ns, NULL);
		if (!err)
			err = put_end(export, packet, uuid, stages[i].end_ns);
	}
	return err;
}

static int perfetto_op(struct export *export, const struct trace_event *event)
{
	struct perfetto *perfetto = export->state;
	struct bytes *packet = &perfetto->packet;
	struct slice slice;
	uint64_t uuid;
	int err;

	err = slices_place(&perfetto->slices, export, event, &slice);
	if (err)
		return err;
	uuid = UUID_PROCESS(slice.process);
	if (slice.new_process)
		err = put_process(export, perfetto, event->op, slice.process);
	if (!err && slice.new_lane)
		err = put_track(export, perfetto, uuid + slice.lane, uuid, "operations");
	uuid += slice.lane;
	if (!err)
		err = put_slice(export, packet, uuid, event->op->op.kind + 1u, slice.start_ns,
				event);
	if (!err)
		err = put_stages(export, perfetto, uuid, event, &slice);
	if (!err)
		err = put_end(export, packet, uuid, slice.end_ns);
	if (!err)
		err = put_counters(export, perfetto, false);
	return err;
}

static int perfetto_mark(struct export *export, const struct trace_event *event)
{
	struct perfetto *perfetto = export->state;
	struct trace_bytes name = export_text(&export->scratch, event->name);
	struct bytes *packet = &perfetto->packet;
	size_t mark = begin_packet(packet), inside;

	proto_uint(packet, PACKET_TIMESTAMP,
		   slices_since(&perfetto->slices, export, event->mono_ns + event->wall_offset_ns));
	inside = proto_begin(packet, PACKET_TRACK_EVENT);
	proto_uint(packet, EVENT_TYPE, TYPE_INSTANT);
	proto_uint(packet, EVENT_TRACK, UUID_MARKS);
	proto_bytes(packet, EVENT_NAME, name.data, name.len);
	if (event->value.len)
		note_text(export, packet, NOTE_TEXT, event->value);
	proto_end(packet, inside);
	return end_packet(export, packet, mark, FLAG_NEEDS_STATE);
}

static int perfetto_end(struct export *export)
{
	return put_counters(export, export->state, true);
}

const struct export_format export_perfetto = {
	.begin = perfetto_begin,
	.op = perfetto_op,
	.mark = perfetto_mark,
	.end = perfetto_end,
	.done = perfetto_done,
};
