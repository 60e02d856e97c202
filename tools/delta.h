/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happened between two snapshots of one mount. */
#ifndef TOOLS_DELTA_H
#define TOOLS_DELTA_H

#include <stdbool.h>
#include <stdint.h>

#include "core/summary.h"

/*
 * Whether the counts began anew between the two: a reset, or another daemon. The difference is
 * then all of the later one.
 */
bool delta_restarted(const struct summary *before, const struct summary *after);

/*
 * Fills an empty summary with after - before: operations, errors and files that moved.
 * Histograms are subtracted bucket by bucket, so percentiles are those of the interval; their
 * minimum and maximum are exact when they are new extremes, else the bounds of their buckets.
 * Counters and properties are those of `after`.
 *
 * A file that only `after` lists counts when it was first used at or after before_wall_ns: an
 * older one was merely not among those listed, and what it did since can't be told. Rows of other
 * files ("(other)") are left out, since their membership changes. Returns 0 or -ENOMEM.
 */
int delta_make(const struct summary *before, const struct summary *after, uint64_t before_wall_ns,
	       struct summary *ret_delta);

/* A whole copy, into an empty summary. Returns 0 or -ENOMEM. */
int delta_copy(const struct summary *from, struct summary *ret_copy);

#endif
