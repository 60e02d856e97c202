/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms and counts per operation.
 *
 * Every thread that finishes operations has a shard of its own, which only it writes; readers merge
 * them. A reset replaces the shards: an operation counts wholly before it or wholly after.
 */
#ifndef WEIRFS_STATS_H
#define WEIRFS_STATS_H

#include <pthread.h>
#include <stdint.h>

#include "core/op.h"
#include "core/summary.h"

#define STATS_THREADS 512
#define STATS_ERRNOS 256

struct shard;

/* Requests taken and answered by a thread; not reset, so that their difference is what is open. */
struct gauge {
	uint64_t begun;
	uint64_t ended;
} __attribute__((aligned(64)));

struct stats {
	struct shard *shard[STATS_THREADS]; /* read under RCU; made by its thread */
	struct gauge gauge[STATS_THREADS];
	pthread_mutex_t reset_lock;
	uint64_t since_ns; /* CLOCK_MONOTONIC of the start or last reset */
	uint64_t lost;     /* values that no memory was left for */
};

void stats_init(struct stats *stats);
void stats_done(struct stats *stats);

void stats_begin(struct stats *stats);
/* Counts a finished operation; durations as op_durations() gives them. */
void stats_end(struct stats *stats, const struct op *op, const uint64_t duration_ns[DURATIONS]);
/* Ends one that is not to be counted (measure=off). */
void stats_uncounted(struct stats *stats);
void stats_reset(struct stats *stats);
/* Adds all operations and errors to an empty summary. Returns 0 or -ENOMEM. */
int stats_sum(struct stats *stats, struct summary *summary);
uint64_t stats_in_flight(const struct stats *stats);

#endif
