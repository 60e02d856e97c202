// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics per operation: threads that record and resets that come between lose nothing. */
#include "config.h"

#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/rng.h"
#include "weirfs/stats.h"

/* Gauges lie on cache lines of their own. */
static struct stats *new_stats(void)
{
	struct stats *stats = aligned_alloc(_Alignof(struct stats), sizeof(*stats));

	assert_non_null(stats);
	stats_init(stats);
	return stats;
}

static struct op finished(enum op_kind kind, uint64_t result, uint16_t error)
{
	return (struct op){.kind = (uint8_t)kind,
			   .size = result,
			   .result = error ? 0 : result,
			   .error = error,
			   .arrive_ns = 1};
}

static void record(struct stats *stats, const struct op *op, uint64_t service_ns, uint64_t hold_ns)
{
	const uint64_t duration_ns[DURATIONS] = {
		[DUR_SERVICE] = service_ns,
		[DUR_HOLD] = hold_ns,
		[DUR_TOTAL] = service_ns + hold_ns,
	};

	stats_begin(stats);
	stats_end(stats, op, duration_ns);
}

static void what_is_recorded_is_summed_up(void **state)
{
	struct op good = finished(OP_READ, 4096, 0), bad = finished(OP_READ, 512, 5);
	struct op odd = finished(OP_GETATTR, 0, 60000);
	struct stats *stats = new_stats();
	struct summary summary;

	record(stats, &good, 1000, 0);
	record(stats, &good, 3000, 20000);
	record(stats, &bad, 2000, 0);
	record(stats, &odd, 2000, 0);
	summary_init(&summary);
	assert_int_equal(stats_sum(stats, &summary), 0);
	assert_int_equal(summary.op[OP_READ].ops, 3);
	assert_int_equal(summary.op[OP_READ].errors, 1);
	assert_int_equal(summary.op[OP_READ].bytes, 8192);
	assert_int_equal(summary.op[OP_READ].size[summary_size_bucket(4096)], 2);
	assert_int_equal(summary.op[OP_READ].size[summary_size_bucket(512)], 1);
	assert_int_equal(summary.op[OP_READ].dur[DUR_SERVICE]->count, 3);
	assert_int_equal(summary.op[OP_READ].dur[DUR_SERVICE]->sum, 6000);
	assert_int_equal(summary.op[OP_READ].dur[DUR_TOTAL]->sum, 26000);
	/* Only what was held has a hold. */
	assert_int_equal(summary.op[OP_READ].dur[DUR_HOLD]->count, 1);
	assert_null(summary.op[OP_GETATTR].dur[DUR_HOLD]);
	assert_null(summary.op[OP_WRITE].dur[DUR_TOTAL]);
	assert_int_equal(summary.error_count, 2);
	for (size_t i = 0; i < 2; i++) {
		bool is_read = summary.errors[i].kind == OP_READ;

		assert_int_equal(summary.errors[i].count, 1);
		/* An errno out of range is counted as the largest. */
		assert_int_equal(summary.errors[i].error, is_read ? 5 : STATS_ERRNOS - 1);
	}
	summary_done(&summary);
	stats_done(stats);
	free(stats);
}

static void in_flight_is_begun_and_not_ended(void **state)
{
	struct op op = finished(OP_READ, 1, 0);
	const uint64_t duration_ns[DURATIONS] = {0};
	struct stats *stats = new_stats();

	assert_int_equal(stats_in_flight(stats), 0);
	stats_begin(stats);
	stats_begin(stats);
	assert_int_equal(stats_in_flight(stats), 2);
	stats_reset(stats);
	assert_int_equal(stats_in_flight(stats), 2);
	stats_end(stats, &op, duration_ns);
	stats_uncounted(stats);
	assert_int_equal(stats_in_flight(stats), 0);
	stats_done(stats);
	free(stats);
}

static void a_reset_begins_at_zero(void **state)
{
	struct op op = finished(OP_WRITE, 100, 28);
	struct stats *stats = new_stats();
	uint64_t since_ns;
	struct summary summary;

	since_ns = stats->since_ns;
	record(stats, &op, 1000, 1000);
	stats_reset(stats);
	assert_true(stats->since_ns >= since_ns);
	summary_init(&summary);
	assert_int_equal(stats_sum(stats, &summary), 0);
	for (int kind = 0; kind < OP_KINDS; kind++)
		assert_int_equal(summary.op[kind].ops, 0);
	assert_int_equal(summary.error_count, 0);
	assert_null(summary.op[OP_WRITE].dur[DUR_TOTAL]);
	summary_done(&summary);
	stats_done(stats);
	free(stats);
}

/* --- threads -------------------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS 50000
#define RESETS 50

struct crowd {
	struct stats *stats;
	uint64_t begun; /* operations that threads were about to record */
	uint64_t ended; /* ... and have recorded */
};

struct job {
	struct crowd *crowd;
	pthread_t thread;
	uint64_t seed;
};

static void *record_at_random(void *arg)
{
	struct job *job = arg;
	struct rng rng = {.state = job->seed};

	for (int i = 0; i < ROUNDS; i++) {
		struct op op =
			finished((enum op_kind)rng_below(&rng, OP_KINDS), rng_below(&rng, 1 << 20),
				 rng_below(&rng, 4) ? 0 : (uint16_t)rng_below(&rng, 200));

		__atomic_fetch_add(&job->crowd->begun, 1, __ATOMIC_SEQ_CST);
		record(job->crowd->stats, &op, rng_below(&rng, 1000000),
		       rng_below(&rng, 2) * rng_below(&rng, 1000000));
		__atomic_fetch_add(&job->crowd->ended, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void start(struct job jobs[THREADS], struct crowd *crowd)
{
	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){.crowd = crowd, .seed = (uint64_t)i + 1};
		assert_int_equal(pthread_create(&jobs[i].thread, NULL, record_at_random, &jobs[i]),
				 0);
	}
}

static void join(struct job jobs[THREADS])
{
	for (int i = 0; i < THREADS; i++)
		pthread_join(jobs[i].thread, NULL);
}

/* All operations; everything that was counted of each must fit together. */
static uint64_t sum_up(struct stats *stats)
{
	uint64_t ops = 0, errors = 0, counted = 0;
	struct summary summary;

	summary_init(&summary);
	assert_int_equal(stats_sum(stats, &summary), 0);
	for (int kind = 0; kind < OP_KINDS; kind++) {
		const struct op_summary *sum = &summary.op[kind];
		uint64_t sizes = 0;

		ops += sum->ops;
		errors += sum->errors;
		for (int i = 0; i < SUMMARY_SIZE_BUCKETS; i++)
			sizes += sum->size[i];
		if (sum->ops) {
			assert_int_equal(sum->dur[DUR_SERVICE]->count, sum->ops);
			assert_int_equal(sum->dur[DUR_TOTAL]->count, sum->ops);
		}
		assert_true(!sizes || sizes == sum->ops);
	}
	for (size_t i = 0; i < summary.error_count; i++)
		counted += summary.errors[i].count;
	assert_int_equal(errors, counted);
	summary_done(&summary);
	return ops;
}

static void threads_lose_nothing(void **state)
{
	struct stats *stats = new_stats();
	struct crowd crowd = {.stats = stats};
	struct job jobs[THREADS];

	start(jobs, &crowd);
	while (__atomic_load_n(&crowd.ended, __ATOMIC_SEQ_CST) < THREADS * ROUNDS) {
		struct summary summary;

		/* Whoever looks meanwhile is in nobody's way. */
		summary_init(&summary);
		assert_int_equal(stats_sum(stats, &summary), 0);
		summary_done(&summary);
		/* It may count those that came and went while it looked, but never fewer. */
		assert_true(stats_in_flight(stats) <= THREADS * ROUNDS);
	}
	join(jobs);
	assert_int_equal(sum_up(stats), THREADS * ROUNDS);
	assert_int_equal(stats_in_flight(stats), 0);
	assert_int_equal(stats->lost, 0);
	stats_done(stats);
	free(stats);
}

/* What began after the last reset is counted, what had ended before it is not. */
static void resets_between_lose_nothing(void **state)
{
	struct stats *stats = new_stats();
	struct crowd crowd = {.stats = stats};
	uint64_t ended_before = 0, begun_until = 0, ops;
	struct job jobs[THREADS];

	start(jobs, &crowd);
	for (uint64_t i = 1; i <= RESETS; i++) {
		while (__atomic_load_n(&crowd.ended, __ATOMIC_SEQ_CST) <
		       i * THREADS * ROUNDS / (RESETS + 2))
			sched_yield();
		ended_before = __atomic_load_n(&crowd.ended, __ATOMIC_SEQ_CST);
		stats_reset(stats);
		begun_until = __atomic_load_n(&crowd.begun, __ATOMIC_SEQ_CST);
	}
	join(jobs);
	ops = sum_up(stats);
	assert_true(ops <= THREADS * ROUNDS - ended_before);
	assert_true(ops >= THREADS * ROUNDS - begun_until);
	assert_int_equal(stats->lost, 0);
	stats_done(stats);
	free(stats);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("what is recorded is summed up", what_is_recorded_is_summed_up),
		TEST("in flight is what has begun and not ended", in_flight_is_begun_and_not_ended),
		TEST("a reset begins at zero", a_reset_begins_at_zero),
		TEST("threads that record at once lose nothing", threads_lose_nothing),
		TEST("resets between them lose nothing that began later",
		     resets_between_lose_nothing),
	};

	return RUN(tests);
}
