// SPDX-License-Identifier: GPL-2.0-or-later
/* Out of the rings, in order of completion. */
#include "config.h"

#include "weirfs/tracer.h"

#include "weirfs/record.h"

static void write_file(struct tracer *tracer, const struct ring_record *record)
{
	struct trace_file file;

	record_get_file(record, &file);
	if (tracer->hides)
		trace_hide_file(&tracer->hide, &file);
	tracer_settle(tracer, trace_write_file(tracer->writer, &file));
}

static void write_op(struct tracer *tracer, const struct ring_record *record)
{
	int err;

	record_get_op(record, &tracer->op);
	if (tracer->hides)
		trace_hide_op(&tracer->hide, &tracer->op);
	err = trace_write_op(tracer->writer, &tracer->op);
	if (err || tracer->closed)
		tracer_settle(tracer, err);
	if (tracer->rotate_due)
		tracer_rotate(tracer, QUEUED_PART);
}

/* A lane in a pass. */
struct head {
	struct lane *lane;
	uint64_t limit;
	const struct ring_record *record; /* the next operation */
	uint64_t time_ns;
};

/* Goes to the lane's next operation; definitions before it count from now on. */
static bool advance(struct tracer *tracer, struct head *head, uint64_t until_ns)
{
	struct ring *ring = &head->lane->ring;
	const struct ring_record *record;

	while ((record = ring_peek(ring, head->limit)) && record->kind != RECORD_OP) {
		if (record->kind == RECORD_FILE)
			write_file(tracer, record);
		else if (record->kind == RECORD_HANDLE)
			tracer_settle(tracer, trace_write_handle(tracer->writer,
								 (const void *)record->data));
		ring_pass(ring, record);
	}
	if (!record)
		return false;
	head->record = record;
	head->time_ns = record_time_ns(record);
	return head->time_ns <= until_ns;
}

/* The one whose operation ended first, and when the next after it did. */
static struct head *earliest(struct head *heads, size_t count, uint64_t *ret_next_ns)
{
	struct head *first = &heads[0];
	uint64_t next_ns = UINT64_MAX;

	for (size_t i = 1; i < count; i++) {
		if (heads[i].time_ns < first->time_ns) {
			next_ns = first->time_ns;
			first = &heads[i];
		} else if (heads[i].time_ns < next_ns) {
			next_ns = heads[i].time_ns;
		}
	}
	*ret_next_ns = next_ns;
	return first;
}

static void merge(struct tracer *tracer, struct head *heads, size_t count, uint64_t until_ns)
{
	while (count) {
		uint64_t next_ns;
		struct head *first = earliest(heads, count, &next_ns);
		bool more;

		do {
			write_op(tracer, first->record);
			ring_pass(&first->lane->ring, first->record);
			more = advance(tracer, first, until_ns);
		} while (more && first->time_ns <= next_ns);
		if (!more)
			*first = heads[--count];
	}
}

/* Everything that was recorded up to now, in order. */
void tracer_drain(struct tracer *tracer, uint64_t until_ns)
{
	struct recorder *recorder = tracer->recorder;
	struct head heads[RECORDER_LANES];
	size_t count = 0;

	for (uint32_t i = 0; i < RECORDER_LANES; i++) {
		struct lane *lane = __atomic_load_n(&recorder->lane[i], __ATOMIC_ACQUIRE);

		if (!lane)
			continue;
		heads[count] = (struct head){.lane = lane, .limit = ring_limit(&lane->ring)};
		if (advance(tracer, &heads[count], until_ns))
			count++;
	}
	merge(tracer, heads, count, until_ns);
}
