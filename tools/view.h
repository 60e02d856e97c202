/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers that are shown, derived once from a summary: tables and JSON print the same ones.
 */
#ifndef TOOLS_VIEW_H
#define TOOLS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/summary.h"

/* Fewer samples than these make a percentile little more than the maximum: it is marked. */
#define VIEW_P99_SAMPLES 100
#define VIEW_P999_SAMPLES 1000

/* X(identifier, percent, JSON key) */
#define PERCENTILE_TABLE(X) \
	X(P50, 50.0, "p50") \
	X(P95, 95.0, "p95") \
	X(P99, 99.0, "p99") \
	X(P999, 99.9, "p999")

enum percentile {
#define X(id, percent, key) PCT_##id,
	PERCENTILE_TABLE(X)
#undef X
		PERCENTILES
};

/* One duration of one row, all times in nanoseconds; all zero when there are no samples. */
struct duration_view {
	uint64_t samples;
	uint64_t sum_ns;
	uint64_t min_ns;
	uint64_t max_ns;
	uint64_t mean_ns;
	uint64_t percentile_ns[PERCENTILES];
	bool marked[PERCENTILES]; /* too few samples for it */
};

/* Fills a view from a histogram; NULL and empty ones give zeros. */
void view_duration(const struct hist *hist, struct duration_view *ret_view);

const char *view_percentile_key(enum percentile percentile);

struct op_view {
	enum op_kind kind;
	uint64_t ops;
	uint64_t errors;
	uint64_t bytes;
	struct duration_view dur[DURATIONS];
	double time_share; /* percent of the total time of all operations */
};

/* Fills the view of one kind of operation. */
void view_op(const struct summary *summary, enum op_kind kind, struct op_view *ret_view);

/* Sum of the total times of all operations, in nanoseconds. */
uint64_t view_total_time(const struct summary *summary);

struct file_view {
	uint64_t ops;
	uint64_t errors;
	uint64_t bytes;
	uint64_t reads;     /* operations of class read */
	uint64_t writes;    /* operations of class write */
	uint64_t transfers; /* those whose order is looked at: the sum of the sizes */
	double sequential;  /* percent of the transfers */
	struct duration_view dur[DURATIONS]; /* over all classes */
};

/* Returns 0 or -ENOMEM. */
int view_file(const struct file_summary *file, struct file_view *ret_view);

/* Name of an errno ("ENOENT"), or NULL for a number that Linux doesn't have. */
const char *view_errno_name(uint32_t error);

/* Is a duration seen at all by any operation of the mask? */
bool view_has_duration(const struct summary *summary, uint64_t mask, enum duration duration);

#endif
