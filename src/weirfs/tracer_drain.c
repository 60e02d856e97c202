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

static void write_handle(struct tracer *tracer, const struct ring_record *record)
{
	struct trace_handle handle;

	record_get_handle(record, &handle);
	tracer_settle(tracer, trace_write_handle(tracer->writer, &handle));
}

static void write_record(struct tracer *tracer, const struct ring_record *record)
{
	if (record->kind == RECORD_OP)
		write_op(tracer, record);
	else if (record->kind == RECORD_FILE)
		write_file(tracer, record);
	else
		write_handle(tracer, record);
}

/* A lane in a pass. */
struct head {
	struct ring *ring;
	uint64_t limit;
	const struct ring_record *record; /* the next */
	uint64_t key;
};

/* Goes to the lane's next record; false: there is none for this pass. */
static bool advance(struct head *head, uint64_t until)
{
	head->record = ring_peek(head->ring, head->limit);
	if (!head->record)
		return false;
	head->key = record_key(head->record);
	return head->key <= until;
}

/* The lane whose record comes first, and the key of the first record of the others. */
static struct head *earliest(struct head *heads, size_t count, uint64_t *ret_next)
{
	struct head *first = &heads[0];
	uint64_t next = UINT64_MAX;

	for (size_t i = 1; i < count; i++) {
		if (heads[i].key < first->key) {
			next = first->key;
			first = &heads[i];
		} else if (heads[i].key < next) {
			next = heads[i].key;
		}
	}
	*ret_next = next;
	return first;
}

static void merge(struct tracer *tracer, struct head *heads, size_t count, uint64_t until)
{
	while (count) {
		uint64_t next;
		struct head *first = earliest(heads, count, &next);
		bool more;

		do {
			write_record(tracer, first->record);
			ring_pass(first->ring, first->record);
			more = advance(first, until);
		} while (more && first->key <= next);
		if (!more)
			*first = heads[--count];
	}
}

void tracer_drain(struct tracer *tracer, uint64_t until_ns)
{
	struct recorder *recorder = tracer->recorder;
	uint64_t until = until_ns < UINT64_MAX / 2 ? until_ns * 2 + 1 : UINT64_MAX;
	struct head heads[RECORDER_LANES];
	size_t count = 0;

	for (uint32_t i = 0; i < RECORDER_LANES; i++) {
		struct lane *lane = __atomic_load_n(&recorder->lane[i], __ATOMIC_ACQUIRE);

		if (!lane)
			continue;
		heads[count].ring = &lane->ring;
		heads[count].limit = ring_limit(&lane->ring);
		if (advance(&heads[count], until))
			count++;
	}
	merge(tracer, heads, count, until);
}
