/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace folded into a summary: what the daemon would have counted of the same operations, in the
 * same histograms, with a table of files that is bounded in the same way.
 */
#ifndef TOOLS_FOLD_H
#define TOOLS_FOLD_H

#include "core/summary.h"
#include "trace/event.h"

#define FOLD_FILES 100000 /* the daemon's max_files */

struct fold;

/* files: rows in the table of files; what is more goes to "(other)". Returns 0 or -ENOMEM. */
int fold_new(uint32_t files, struct fold **ret_fold);
void fold_free(struct fold *fold);

/* Adds an operation or a property; other events are passed over. Returns 0 or -ENOMEM. */
int fold_event(struct fold *fold, const struct trace_event *event);

/* Forgets what was counted; properties and where files were read last stay. */
void fold_reset(struct fold *fold);

uint64_t fold_ops(const struct fold *fold);
/* Wall clock of the first arrival and the last end; 0 without operations. */
void fold_span(const struct fold *fold, uint64_t *ret_first_ns, uint64_t *ret_last_ns);

/*
 * Fills an empty summary, with the `most` files of largest total time and the rest as "(other)".
 * Returns 0 or -ENOMEM.
 */
int fold_summary(const struct fold *fold, size_t most, struct summary *ret_summary);

#endif
