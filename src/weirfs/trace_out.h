/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that puts compressed blocks where the trace goes, and makes them safe: parts of files,
 * one after the other, or a pipe. What can't be written is put aside, to be counted as lost; it
 * goes on with the next.
 */
#ifndef WEIRFS_TRACE_OUT_H
#define WEIRFS_TRACE_OUT_H

#include <pthread.h>

#include "trace/part.h"
#include "weirfs/trace_place.h"
#include "weirfs/traceq.h"

struct recorder;
struct trace_session;

struct trace_out {
	struct recorder *recorder;
	struct trace_session *session;
	struct traceq *queue;
	struct trace_place place;
	struct part part;
	bool open;            /* the part is */
	uint32_t part_number; /* from 1 */
	uint64_t keep;        /* parts; 0 = all */
	char **made;          /* their names, oldest first */
	size_t made_count;
	bool failing;
	uint64_t failed_ns; /* when it last did */
	bool broken;        /* a pipe without a reader: nothing more goes there */
	bool giving_up;     /* a pipe that doesn't move is left alone; atomic */
	pthread_t thread;
	bool started;
};

/* Takes the place over; opens the first part. Returns 0 or -errno. */
int trace_out_start(struct trace_out *out, struct recorder *recorder, struct trace_session *session,
		    struct traceq *queue, struct trace_place *place, uint64_t keep);
/* The queue has been closed: writes what is in it, finishes the part, frees all. */
void trace_out_stop(struct trace_out *out);
/* Stops the part that is open at its end without a thread: for what dumps do themselves. */
int trace_out_finish_part(struct trace_out *out);

#endif
