/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One block, decoded: its definitions, and its events one after the other. Trusts nothing. */
#ifndef TRACE_DECODE_H
#define TRACE_DECODE_H

#include "core/bytes.h"
#include "trace/event.h"
#include "trace/format.h"
#include "trace/threads.h"
#include "trace/writer.h"

struct decode_column {
	const uint8_t *at;
	const uint8_t *end;
	uint64_t last;
};

struct decoder {
	/* The block: */
	uint8_t id[TRACE_ID];
	uint32_t number;
	uint64_t base_ns;
	uint64_t wall_offset_ns;
	/* Definitions, by place - 1; memory is kept from block to block: */
	struct trace_file *file;
	uint64_t *expected;
	uint32_t files;
	uint32_t files_room;
	struct thread_key *thread;
	uint32_t threads;
	uint32_t threads_room;
	uint32_t *slot; /* places of files by id */
	uint32_t slots;
	/* The operations: */
	struct decode_column column[COLUMNS];
	uint32_t ops;     /* still to come */
	uint64_t unknown; /* of kinds that we don't know: passed over */
	uint32_t place;
	uint64_t seq;
	uint64_t arrive_ns;
	struct trace_op op;
	/* The records: */
	struct cursor records;
	struct trace_counts counts;
	struct trace_event event;
};

void decoder_done(struct decoder *decoder);

/*
 * Begins with a block's content, which must stay as it is while the block is decoded. Returns 0,
 * -EPROTO, -EPROTONOSUPPORT (a newer major version) or -ENOMEM.
 */
int decoder_begin(struct decoder *decoder, const uint8_t *content, size_t len);

/* The next event into decoder->event. Returns 1, 0 at the end of the block, or -EPROTO. */
int decoder_next(struct decoder *decoder);

/* The definition of an id, or NULL. */
const struct trace_file *decoder_file(const struct decoder *decoder, uint64_t id);

#endif
