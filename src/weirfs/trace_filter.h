/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of the operations goes into the trace. Histograms never ask.
 *
 * Who asked and for what is known when an operation arrives, which file it counts for and how long
 * it took only at its end.
 */
#ifndef WEIRFS_TRACE_FILTER_H
#define WEIRFS_TRACE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"
#include "core/op.h"

struct inode;
struct options;
struct tree;

struct trace_filter {
	uint64_t ops; /* one bit an operation */
	bool one_uid;
	uint32_t uid;
	uint64_t min_ns;  /* total time at least */
	const char *glob; /* borrowed; NULL = every file */
	uint64_t number;  /* of the trace: matches remembered of another are old */
};

/* From trace_ops=, trace_uid=, trace_min= and trace_path=. Returns 0 or -EINVAL with diag. */
int trace_filter_init(struct trace_filter *filter, const struct options *options, uint64_t number,
		      struct diag *diag);

/* Whether it may be wanted, as far as is known when it arrives. */
static inline bool trace_filter_takes(const struct trace_filter *filter, const struct op *op)
{
	return (filter->ops >> op->kind & 1) && (!filter->one_uid || filter->uid == op->uid);
}

/* Whether the file's path matches; remembered in the inode until any name moves. */
bool trace_filter_takes_file(const struct trace_filter *filter, struct tree *tree,
			     struct inode *inode);

#endif
