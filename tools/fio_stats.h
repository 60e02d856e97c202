/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fio counts for one direction of data: latencies, rates in windows of half a second. */
#ifndef TOOLS_FIO_STATS_H
#define TOOLS_FIO_STATS_H

#include "core/clock.h"
#include "core/hist.h"

#define FIO_WINDOW_NS (NS_PER_S / 2)

/* X(list, JSON key, first value that is no longer in it), each list in its unit */
#define FIO_LATENCY_TABLE(X) \
	X(ns, "2", 2)        \
	X(ns, "4", 4)        \
	X(ns, "10", 10)      \
	X(ns, "20", 20)      \
	X(ns, "50", 50)      \
	X(ns, "100", 100)    \
	X(ns, "250", 250)    \
	X(ns, "500", 500)    \
	X(ns, "750", 750)    \
	X(ns, "1000", 1000)  \
	X(us, "2", 2)        \
	X(us, "4", 4)        \
	X(us, "10", 10)      \
	X(us, "20", 20)      \
	X(us, "50", 50)      \
	X(us, "100", 100)    \
	X(us, "250", 250)    \
	X(us, "500", 500)    \
	X(us, "750", 750)    \
	X(us, "1000", 1000)  \
	X(ms, "2", 2)        \
	X(ms, "4", 4)        \
	X(ms, "10", 10)      \
	X(ms, "20", 20)      \
	X(ms, "50", 50)      \
	X(ms, "100", 100)    \
	X(ms, "250", 250)    \
	X(ms, "500", 500)    \
	X(ms, "750", 750)    \
	X(ms, "1000", 1000)  \
	X(ms, "2000", 2000)  \
	X(ms, ">=2000", UINT64_MAX)

#define FIO_LATENCIES 32
#define FIO_DEPTHS 7 /* 1, 2-3, 4-7 .. 32-63, 64 and more */

/* Least, greatest, mean and spread of a number of values. */
struct fio_spread {
	uint64_t count;
	double min;
	double max;
	double sum;
	double square;
};

void fio_spread_add(struct fio_spread *spread, double value, uint64_t times);
double fio_spread_mean(const struct fio_spread *spread);
/* Of the values as a sample. */
double fio_spread_deviation(const struct fio_spread *spread);

/* One direction. */
struct fio_stats {
	uint64_t ios;
	uint64_t short_ios;
	uint64_t bytes;
	struct hist *hist; /* HIST_OP_BITS */
	double mean;       /* of the latencies, and the sum of squares around it */
	double squares;
	uint64_t window; /* number of the open one, and what is in it */
	uint64_t window_ios;
	uint64_t window_bytes;
	struct fio_spread kib_s;
	struct fio_spread iops;
};

/* Returns 0 or -ENOMEM. */
int fio_stats_init(struct fio_stats *stats);
void fio_stats_done(struct fio_stats *stats);
/* One operation that was answered so long after the beginning. */
void fio_stats_add(struct fio_stats *stats, uint64_t at_ns, uint64_t latency_ns, uint64_t bytes);
double fio_stats_deviation(const struct fio_stats *stats);

/* Which of FIO_LATENCY_TABLE, which of FIO_DEPTHS. */
unsigned int fio_latency_place(uint64_t ns);
unsigned int fio_depth_place(uint64_t depth);

#endif
