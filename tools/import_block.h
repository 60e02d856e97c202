/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of block requests: queued, issued to the driver, completed; split and merged between.
 *
 * An operation is what was queued (Q); what is issued (D) and completed (C) is found by device,
 * direction and range, so that it doesn't matter how the queue cut and joined it: a request is done
 * when all its bytes are. Where nothing was queued (a trace of D and C only), it begins with D.
 */
#ifndef TOOLS_IMPORT_BLOCK_H
#define TOOLS_IMPORT_BLOCK_H

#include "tools/import_formats.h"

enum block_what { BLOCK_QUEUE, BLOCK_ISSUE, BLOCK_COMPLETE };

enum block_flags { BLOCK_F_FUA = 1 << 0 };

struct block_event {
	enum block_what what;
	enum op_kind kind; /* READ, WRITE, FALLOCATE (discard), FSYNC (empty flush) */
	unsigned int flags;
	uint32_t device;
	uint32_t pid;
	uint16_t error; /* complete: errno */
	uint64_t time_ns;
	uint64_t offset; /* bytes */
	uint64_t size;
	char comm[TRACE_COMM]; /* queue; not terminated when full */
};

struct block_device;

struct block_state {
	struct block_device *devices;
	size_t count;
	size_t pending; /* of all devices */
};

/* Takes an event. Returns 1, 0 when it belongs to nothing (a completion alone), or -errno. */
int block_event(struct import *import, struct block_state *state, const struct block_event *event);
/* Gives what never completed, with its arrival only. */
int block_finish(struct import *import, struct block_state *state);
void block_done(struct block_state *state);

#endif
