/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole trace as the summary that a live mount would give, with counters about the trace. */
#ifndef TOOLS_TRACE_SUM_H
#define TOOLS_TRACE_SUM_H

#include "core/summary.h"
#include "tools/filter.h"
#include "tools/fold.h"
#include "tools/input.h"

/* X(name of the counter, what it is) */
#define TRACE_COUNTER_TABLE(X)                                               \
	X("trace_parts", "files it was read from")                           \
	X("trace_blocks", "blocks that were read")                           \
	X("trace_bytes", "bytes that were read")                             \
	X("trace_content_bytes", "bytes of the blocks, decompressed")        \
	X("trace_ops", "operations in these blocks")                         \
	X("trace_chosen_ops", "operations that are counted here")            \
	X("trace_first_unix_ns", "arrival of the first of them")             \
	X("trace_last_unix_ns", "end of the last of them")                   \
	X("trace_written_ops", "operations that the recorder wrote")         \
	X("trace_dropped_ops", "operations that it lost")                    \
	X("trace_filtered_ops", "operations that it left out, as was asked") \
	X("trace_damaged_bytes", "bytes that belong to no whole block")      \
	X("trace_missing_blocks", "blocks that are not there, by their numbers")

/*
 * Reads the input to its end; ret_summary has the `most` files of largest total time, the rest as
 * "(other)". filter may be NULL. Returns 0 or -errno, with the input's diag.
 */
int trace_sum(struct input *input, struct filter *filter, size_t most, struct summary *ret_summary);

/* Adds the counters about the trace as it was read so far. Returns 0 or -ENOMEM. */
int trace_sum_about(const struct input *input, const struct fold *fold, struct summary *summary);

#endif
