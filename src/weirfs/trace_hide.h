/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_names=hash: names in the trace as keyed hashes, the same name always the same one, with a
 * key that nobody keeps.
 */
#ifndef WEIRFS_TRACE_HIDE_H
#define WEIRFS_TRACE_HIDE_H

#include "core/bytes.h"
#include "trace/event.h"

struct trace_hide {
	uint64_t key[2];
	struct bytes path; /* memory for what is given back */
	struct bytes text[TRACE_TEXTS];
};

/* With a random key. */
void trace_hide_init(struct trace_hide *hide);
void trace_hide_done(struct trace_hide *hide);

/*
 * Each component of a path as 16 hexadecimal digits; slashes, "." and ".." stay. Valid until the
 * next call; what there is no memory for becomes "?".
 */
void trace_hide_file(struct trace_hide *hide, struct trace_file *file);
/* Names and targets; names of extended attributes stay. */
void trace_hide_op(struct trace_hide *hide, struct trace_op *op);

#endif
