/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that takes recorded operations out of the rings, in order of completion, and makes
 * blocks of them; trace_out.c writes these. Nothing that serves requests ever waits for a disk.
 */
#ifndef WEIRFS_TRACER_H
#define WEIRFS_TRACER_H

#include <pthread.h>

#include "trace/writer.h"
#include "weirfs/recorder.h"
#include "weirfs/trace_hide.h"
#include "weirfs/trace_out.h"
#include "weirfs/traceq.h"

enum tracer_command {
	TRACER_NOTHING,
	TRACER_FLUSH,  /* all so far becomes blocks; nothing is evicted from now on */
	TRACER_ROTATE, /* another part begins */
	TRACER_REOPEN, /* the same, by the first one's name if that is free */
};

struct tracer_mark;

struct tracer {
	struct recorder *recorder;
	struct trace_session session;
	struct trace_writer_options writer_options;
	struct trace_writer *writer;
	struct traceq queue;
	struct trace_out out;
	struct trace_place place; /* of a flight recorder: for the end */
	bool overwrite;           /* blocks stay in the queue until newer ones need the room */
	bool hides;
	struct trace_hide hide;
	uint64_t flush_ns;
	uint64_t rotate_bytes; /* 0 = never */
	uint64_t rotate_ns;
	/* The thread's own: */
	pthread_t thread;
	struct queued *closed;   /* a block on its way to the queue */
	uint64_t said[OP_KINDS]; /* operations in blocks so far */
	struct trace_op op;      /* the one that is being written */
	bool flushing;
	bool rotate_due;
	bool block_closed;    /* since the epoch began */
	bool failed;          /* said that there is no memory */
	uint32_t next_number; /* of a block */
	uint32_t part;
	uint64_t part_bytes;
	uint64_t part_since_ns;
	uint64_t epoch_ns;
	uint64_t flush_at_ns;
	/* What others ask of it: */
	pthread_mutex_t lock;
	pthread_cond_t answered;
	enum tracer_command command;
	struct trace_counts dump_counts; /* as of the last flush that was asked for */
	uint32_t dump_number;            /* of the block after that */
	struct tracer_mark *marks;       /* to be written, last first */
	uint64_t hurry_ns;               /* when nobody is to wait any more, 0 = no hurry; atomic */
	bool stop;                       /* atomic */
};

/*
 * Begins to trace into a place, which is taken over. Returns 0 or -errno.
 */
int tracer_start(struct recorder *recorder, struct trace_place *place,
		 const struct trace_filter *filter, struct tracer **ret_tracer);
/* Ends it: everything recorded is in the trace, or counted as lost in it. Frees the tracer. */
void tracer_stop(struct tracer *tracer);
/* The end is near: operations wait for room no longer than some seconds from now. */
void tracer_hurry(struct tracer *tracer);
/* Asks the thread for something and waits until it is done. Returns 0 or -errno. */
int tracer_ask(struct tracer *tracer, enum tracer_command command);
/* Something to be noted in the trace. */
void tracer_mark(struct tracer *tracer, const char *name, const char *text);
/* Writes what a flight recorder holds as a trace of its own. Returns 0 or -errno. */
int tracer_dump(struct tracer *tracer, struct trace_place *place);

/* --- between the parts of the tracer --------------------------------------------------------- */

/* Takes everything out of the rings that was recorded by then, and gives it to the writer. */
void tracer_drain(struct tracer *tracer, uint64_t until_ns);
/* What each call of the writer is followed by: a block that it has closed goes to the queue. */
void tracer_settle(struct tracer *tracer, int err);
/* Ends the part and begins another. */
void tracer_rotate(struct tracer *tracer, enum queued_kind kind);

/* trace_about.c: what a trace says about the mount, at the beginning of each part and at the end */
void trace_put_properties(const struct tracer *tracer, uint32_t part,
			  int (*put)(void *arg, const char *name, const char *value), void *arg);
/* Returns 0 or -errno. */
int trace_put_summary(struct recorder *recorder, struct trace_writer *writer);

#endif
