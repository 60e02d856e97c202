/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting, stopping and steering the trace of a mount: one at a time, each done on return. */
#ifndef WEIRFS_TRACING_H
#define WEIRFS_TRACING_H

#include <stdbool.h>

#include "core/diag.h"
#include "weirfs/trace_place.h"

struct weirfs;

/*
 * Begins a trace in a place that has been opened, and is taken over.
 * Returns 0, -EALREADY or -errno with diag.
 */
int tracing_start(struct weirfs *fs, struct trace_place *place, struct diag *diag);
/* The same at a destination; NULL: where the mount's options say. */
int tracing_start_at(struct weirfs *fs, const char *destination, struct diag *diag);
/* Returns 0, or -EALREADY when there is none. */
int tracing_stop(struct weirfs *fs, struct diag *diag);
/* The mount is about to end: what waits for the trace is let go in some seconds. */
void tracing_hurry(struct weirfs *fs);
/* Another part. reopen: the first one's name, if it has been moved away. */
int tracing_rotate(struct weirfs *fs, bool reopen, struct diag *diag);
/* What a flight recorder has, as a trace at that destination. */
int tracing_dump(struct weirfs *fs, const char *destination, struct diag *diag);
/* Notes a change in the trace, if there is one. */
void tracing_mark(struct weirfs *fs, const char *name, const char *text);

#endif
