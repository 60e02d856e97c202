/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tables say about a trace besides what they say about a mount. */
#ifndef TOOLS_STAT_TRACE_H
#define TOOLS_STAT_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "core/summary.h"
#include "tools/show.h"
#include "trace/event.h"

/* Is the summary that of a trace (tools/trace_sum.h)? */
bool stat_is_trace(const struct summary *summary);

/* The head: what the trace is, how large, of when, what it lost. */
void stat_trace_head(const struct show *show, const char *name, const struct summary *summary,
		     FILE *out);

/* By operation what was written, lost and left out; nothing when all was written. */
void stat_trace_losses(const struct show *show, const struct trace_counts *counts, FILE *out);

#endif
