// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms and counts per operation, one shard a thread. */
#include "config.h"

#include "weirfs/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "weirfs/rcu.h"

struct shard {
	struct op_summary op[OP_KINDS];
	uint64_t errors[OP_KINDS][STATS_ERRNOS];
};

static unsigned int thread_count;
static _Thread_local unsigned int thread_slot; /* 1-based; 0 = not yet given */

static unsigned int my_slot(void)
{
	if (!thread_slot) {
		thread_slot = __atomic_add_fetch(&thread_count, 1, __ATOMIC_RELAXED);
		/* More threads than slots would share the last: the pool is smaller than that. */
		if (thread_slot > STATS_THREADS)
			thread_slot = STATS_THREADS;
	}
	return thread_slot - 1;
}

static void bump(uint64_t *slot, uint64_t by)
{
	__atomic_store_n(slot, *slot + by, __ATOMIC_RELAXED);
}

static uint64_t look(const uint64_t *slot)
{
	return __atomic_load_n(slot, __ATOMIC_RELAXED);
}

static void shard_free(struct shard *shard)
{
	if (!shard)
		return;
	for (int kind = 0; kind < OP_KINDS; kind++) {
		for (int i = 0; i < DURATIONS; i++)
			free(shard->op[kind].dur[i]);
	}
	free(shard);
}

void stats_init(struct stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	pthread_mutex_init(&stats->reset_lock, NULL);
	stats->since_ns = clock_mono_ns();
}

void stats_done(struct stats *stats)
{
	for (unsigned int i = 0; i < STATS_THREADS; i++)
		shard_free(stats->shard[i]);
	pthread_mutex_destroy(&stats->reset_lock);
}

void stats_begin(struct stats *stats)
{
	bump(&stats->gauge[my_slot()].begun, 1);
}

/* This thread's shard; the caller is in an RCU read section. */
static struct shard *my_shard(struct stats *stats)
{
	struct shard **slot = &stats->shard[my_slot()];
	struct shard *shard = rcu_load(slot);

	if (!shard) {
		shard = calloc(1, sizeof(*shard));
		if (shard)
			rcu_store(slot, shard);
	}
	return shard;
}

static void record(struct stats *stats, struct hist **slot, uint64_t value_ns)
{
	struct hist *hist = *slot;

	if (!hist) {
		hist = hist_new(HIST_OP_BITS);
		if (!hist) {
			__atomic_fetch_add(&stats->lost, 1, __ATOMIC_RELAXED);
			return;
		}
		rcu_store(slot, hist);
	}
	hist_record(hist, value_ns);
}

static void count(struct stats *stats, struct shard *shard, const struct op *op,
		  const uint64_t duration_ns[DURATIONS])
{
	struct op_summary *sum = &shard->op[op->kind];
	enum op_class class = op_class((enum op_kind)op->kind);

	bump(&sum->ops, 1);
	bump(&sum->bytes, op->result);
	if (op->error) {
		unsigned int error = op->error < STATS_ERRNOS ? op->error : STATS_ERRNOS - 1;

		bump(&sum->errors, 1);
		bump(&shard->errors[op->kind][error], 1);
	}
	if (class == OP_CLASS_READ || class == OP_CLASS_WRITE)
		bump(&sum->size[summary_size_bucket(op->size)], 1);
	record(stats, &sum->dur[DUR_SERVICE], duration_ns[DUR_SERVICE]);
	record(stats, &sum->dur[DUR_TOTAL], duration_ns[DUR_TOTAL]);
	if (duration_ns[DUR_HOLD])
		record(stats, &sum->dur[DUR_HOLD], duration_ns[DUR_HOLD]);
}

void stats_end(struct stats *stats, const struct op *op, const uint64_t duration_ns[DURATIONS])
{
	struct shard *shard;

	bump(&stats->gauge[my_slot()].ended, 1);
	rcu_begin();
	shard = my_shard(stats);
	if (shard)
		count(stats, shard, op, duration_ns);
	else
		__atomic_fetch_add(&stats->lost, 1, __ATOMIC_RELAXED);
	rcu_end();
}

void stats_uncounted(struct stats *stats)
{
	bump(&stats->gauge[my_slot()].ended, 1);
}

void stats_reset(struct stats *stats)
{
	struct shard *old[STATS_THREADS];

	pthread_mutex_lock(&stats->reset_lock);
	/* A thread that finds none makes its own: nothing is allocated for threads long gone. */
	for (unsigned int i = 0; i < STATS_THREADS; i++)
		old[i] = rcu_swap(&stats->shard[i], NULL);
	__atomic_store_n(&stats->since_ns, clock_mono_ns(), __ATOMIC_RELAXED);
	rcu_wait();
	for (unsigned int i = 0; i < STATS_THREADS; i++)
		shard_free(old[i]);
	pthread_mutex_unlock(&stats->reset_lock);
}

static int sum_hist(struct hist **into, struct hist *const *from)
{
	const struct hist *hist = rcu_load(from);

	if (!hist)
		return 0;
	if (!*into)
		*into = hist_new(hist->bits);
	if (!*into)
		return -ENOMEM;
	return hist_merge(*into, hist);
}

static int sum_op(struct op_summary *into, const struct op_summary *from)
{
	int err = 0;

	into->ops += look(&from->ops);
	into->errors += look(&from->errors);
	into->bytes += look(&from->bytes);
	for (int i = 0; i < SUMMARY_SIZE_BUCKETS; i++)
		into->size[i] += look(&from->size[i]);
	for (int i = 0; i < DURATIONS && !err; i++)
		err = sum_hist(&into->dur[i], &from->dur[i]);
	return err;
}

static int sum_errors(struct summary *summary, const uint64_t (*errors)[STATS_ERRNOS])
{
	for (uint32_t kind = 0; kind < OP_KINDS; kind++) {
		for (uint32_t error = 0; error < STATS_ERRNOS; error++) {
			struct error_summary *row;

			if (!errors[kind][error])
				continue;
			row = summary_add_error(summary);
			if (!row)
				return -ENOMEM;
			*row = (struct error_summary){kind, error, errors[kind][error]};
		}
	}
	return 0;
}

int stats_sum(struct stats *stats, struct summary *summary)
{
	uint64_t(*errors)[STATS_ERRNOS] = calloc(OP_KINDS, sizeof(*errors));
	int err = errors ? 0 : -ENOMEM;

	/* Resets wait, so that the shards stay; their threads go on counting. */
	pthread_mutex_lock(&stats->reset_lock);
	for (unsigned int i = 0; i < STATS_THREADS && !err; i++) {
		const struct shard *shard = rcu_load(&stats->shard[i]);

		for (int kind = 0; shard && kind < OP_KINDS && !err; kind++) {
			err = sum_op(&summary->op[kind], &shard->op[kind]);
			for (int error = 0; error < STATS_ERRNOS; error++)
				errors[kind][error] += look(&shard->errors[kind][error]);
		}
	}
	pthread_mutex_unlock(&stats->reset_lock);
	if (!err)
		err = sum_errors(summary, (const uint64_t(*)[STATS_ERRNOS])errors);
	free(errors);
	return err;
}

uint64_t stats_in_flight(const struct stats *stats)
{
	uint64_t begun = 0, ended = 0;

	/* Ends first: one that is taken meanwhile must not be missing from the begun. */
	for (unsigned int i = 0; i < STATS_THREADS; i++)
		ended += __atomic_load_n(&stats->gauge[i].ended, __ATOMIC_ACQUIRE);
	for (unsigned int i = 0; i < STATS_THREADS; i++)
		begun += __atomic_load_n(&stats->gauge[i].begun, __ATOMIC_ACQUIRE);
	return begun - ended;
}
