/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operations of one block as columns: what is alike lies together and compresses well. */
#ifndef TRACE_ENCODE_H
#define TRACE_ENCODE_H

#include "core/bytes.h"
#include "trace/event.h"
#include "trace/format.h"

#define ENCODE_OPS 16384u /* in a block, at most */
#define ENCODE_CUT 1024u  /* columns from this length on are compressed apart */

/* A number's column; its memory is for the longest of ENCODE_OPS varints. */
struct encode_column {
	uint8_t *data;
	size_t len;
	uint64_t last; /* arguments are differences to the one before */
	uint64_t any;  /* 0: all zero */
};

struct encoder {
	struct encode_column column[COLUMN_TEXT];
	struct encode_column length[TRACE_TEXTS];
	struct bytes text[TRACE_TEXTS];
	uint32_t ops;
	uint64_t base_ns; /* of the block: the first arrival */
	uint64_t arrive_ns;
	uint64_t seq;
	uint64_t first_ns; /* least and greatest arrival */
	uint64_t last_ns;
	size_t text_bytes;    /* of all texts */
	struct bytes payload; /* kept: fresh memory is dear */
	size_t cut[COLUMNS];
	unsigned int cuts;
};

/* What an operation refers to, by its place in the block (from 1; 0 = nothing). */
struct encode_refs {
	uint32_t thread;
	uint32_t file;
	uint64_t expected; /* where a sequential operation on the file would begin */
};

void encoder_init(struct encoder *encoder);
void encoder_done(struct encoder *encoder);
/* Empties it for the next block. */
void encoder_reset(struct encoder *encoder);

/*
 * Adds one operation; values of arguments that are files must be places in the block already.
 * At most ENCODE_OPS. Returns 0 or -ENOMEM (a text: then the block is to be given up).
 */
int encoder_op(struct encoder *encoder, const struct trace_op *op, const struct encode_refs *refs);

/* What the columns hold, about. */
size_t encoder_bytes(const struct encoder *encoder);

/*
 * Appends the record of the operations to a body; cut[] then says where in it long columns end.
 */
void encoder_finish(struct encoder *encoder, struct bytes *out);

#endif
