/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder: operations on their way into a trace.
 *
 * A thread that finishes an operation packs it into a ring of its own (a lane): no lock, no system
 * call, no memory to be had. What an operation names is defined before it, once in a while: files
 * with their paths, open files of before the trace. The tracer thread (tracer.c) takes everything
 * out, in order of completion, and writes it.
 *
 * An operation belongs to a trace when it arrived and ended while it was on. It is written, or
 * counted as dropped or filtered: nothing else happens to it.
 */
#ifndef WEIRFS_RECORDER_H
#define WEIRFS_RECORDER_H

#include <pthread.h>

#include "core/op.h"
#include "weirfs/callers.h"
#include "weirfs/ring.h"
#include "weirfs/trace_filter.h"

#define RECORDER_LANES 512

/* What one thread records; the counts are its own, atomic, and only grow. */
struct lane {
	struct ring ring;
	uint64_t dropped[OP_KINDS];
	uint64_t filtered[OP_KINDS];
	struct callers callers;
	/* The tracer's: what it has told the writer of the above. */
	uint64_t told_dropped[OP_KINDS];
	uint64_t told_filtered[OP_KINDS];
};

/* A trace that is on, as the threads see it. */
struct trace_session {
	uint64_t number;
	bool block; /* a full ring is waited for */
	bool hash_data;
	bool closing;     /* nobody waits any more; atomic */
	uint64_t own_dev; /* the trace's own file, when it is below the mount; atomic */
	uint64_t own_ino; /* 0 = it is not */
	struct trace_filter filter;
};

struct request;
struct tracer;
struct weirfs;

struct recorder {
	struct weirfs *fs;
	struct trace_session *session; /* NULL: off; read under RCU */
	/*
	 * Since when a definition of a file must be: the epoch in the upper half, renames of
	 * directories in the lower. Who uses a file that was defined before defines it anew.
	 */
	uint64_t stamp;       /* atomic */
	uint64_t first_stamp; /* of this trace; atomic */
	uint64_t handle_era;  /* the same for open files; atomic */
	uint64_t identity;    /* of this recorder among all of this process */
	uint64_t ring_bytes;
	struct lane *lane[RECORDER_LANES]; /* made by its thread; atomic */
	uint32_t lanes;                    /* atomic */
	uint64_t homeless[OP_KINDS];       /* dropped: there was no lane; atomic */
	uint64_t told_homeless[OP_KINDS];
	int wake_fd; /* the tracer is called by it */
	pthread_mutex_t room_lock;
	pthread_cond_t room; /* rings have been emptied, or the trace ends; CLOCK_MONOTONIC */
	uint32_t waiting;    /* for that; atomic */
	pthread_mutex_t change_lock; /* starting, stopping, rotating, dumping: one at a time */
	struct tracer *tracer;       /* under change_lock */
	uint64_t sessions;           /* traces so far; under change_lock */
	pthread_mutex_t state_lock;  /* what is told of the trace */
	char *place;                 /* where it goes, or went */
	const char *trouble;         /* why nothing can be written at present, or NULL */
	uint64_t written;            /* operations, since the mount, as the following; atomic */
	uint64_t blocks_lost;        /* operations dropped because their block was */
	uint64_t overwritten;        /* the same, because newer ones needed the room */
	uint64_t bytes;
	uint64_t blocks;
	uint64_t errors;
};

/* Returns 0 or -errno. */
int recorder_init(struct recorder *recorder, struct weirfs *fs);
/* After recorder_stop(), when no thread records any more. */
void recorder_done(struct recorder *recorder);

static inline bool recorder_is_on(const struct recorder *recorder)
{
	return __builtin_expect(__atomic_load_n(&recorder->session, __ATOMIC_RELAXED) != NULL, 0);
}

/* --- the pipeline's calls ------------------------------------------------------------------- */

/* An operation has arrived, with a trace on. */
void recorder_begin(struct request *request);
/* Which file its name means has been found (request->about), and nothing has happened to it yet. */
void recorder_about(struct request *request);
/* A rename has been done, and not yet been answered: whoever comes now uses the new path. */
void recorder_renamed(struct request *request);
/* It was answered: if request->traced. */
void recorder_end(struct request *request);

/* What an open file that a traced request opens is to be marked with. */
uint64_t recorder_handle_era(const struct request *request);
/* Whether hashes of its data are wanted. */
bool recorder_wants_hash(const struct request *request);

/* --- inside ---------------------------------------------------------------------------------- */

/* What was reserved in a lane may be read; calls the tracer if it should come. */
void recorder_commit(struct recorder *recorder, struct lane *lane, uint32_t kind);

/* --- for the tracer ------------------------------------------------------------------------- */

static inline void recorder_add(uint64_t *slot, uint64_t by)
{
	__atomic_fetch_add(slot, by, __ATOMIC_RELAXED);
}

/* Operations of one kind that were dropped, or filtered, since the mount. */
uint64_t recorder_dropped(const struct recorder *recorder, unsigned int kind);
uint64_t recorder_filtered(const struct recorder *recorder, unsigned int kind);
/* Whoever waits for room looks again. */
void recorder_has_room(struct recorder *recorder);
/* Calls the tracer. */
void recorder_wake(struct recorder *recorder);
/* Turns it on, or off: then nobody records or waits any more when it returns. */
void recorder_open(struct recorder *recorder, struct trace_session *session);
void recorder_close(struct recorder *recorder, struct trace_session *session);

#endif
