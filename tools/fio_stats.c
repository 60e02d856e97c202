// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums as fio makes them. */
#include "config.h"

#include "tools/fio_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void fio_spread_add(struct fio_spread *spread, double value, uint64_t times)
{
	if (!times)
		return;
	if (!spread->count || value < spread->min)
		spread->min = value;
	if (!spread->count || value > spread->max)
		spread->max = value;
	spread->count += times;
	spread->sum += value * (double)times;
	spread->square += value * value * (double)times;
}

double fio_spread_mean(const struct fio_spread *spread)
{
	return spread->count ? spread->sum / (double)spread->count : 0;
}

double fio_spread_deviation(const struct fio_spread *spread)
{
	double n = (double)spread->count, variance;

	if (spread->count < 2)
		return 0;
	variance = (spread->square - spread->sum * spread->sum / n) / (n - 1);
	return variance > 0 ? sqrt(variance) : 0;
}

int fio_stats_init(struct fio_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->hist = hist_new(HIST_OP_BITS);
	return stats->hist ? 0 : -ENOMEM;
}

void fio_stats_done(struct fio_stats *stats)
{
	free(stats->hist);
	stats->hist = NULL;
}

/* Makes a later window the open one; those between were idle. The last one is never closed. */
static void close_window(struct fio_stats *stats, uint64_t window)
{
	double per_s = (double)NS_PER_S / (double)FIO_WINDOW_NS;

	fio_spread_add(&stats->kib_s, (double)stats->window_bytes / 1024 * per_s, 1);
	fio_spread_add(&stats->iops, (double)stats->window_ios * per_s, 1);
	fio_spread_add(&stats->kib_s, 0, window - stats->window - 1);
	fio_spread_add(&stats->iops, 0, window - stats->window - 1);
	stats->window = window;
	stats->window_ios = 0;
	stats->window_bytes = 0;
}

void fio_stats_add(struct fio_stats *stats, uint64_t at_ns, uint64_t latency_ns, uint64_t bytes)
{
	uint64_t window = at_ns / FIO_WINDOW_NS;
	double before = stats->mean;

	if (window > stats->window)
		close_window(stats, window);
	stats->window_ios++;
	stats->window_bytes += bytes;
	stats->ios++;
	stats->bytes += bytes;
	hist_record(stats->hist, latency_ns);
	stats->mean += ((double)latency_ns - before) / (double)stats->ios;
	stats->squares += ((double)latency_ns - before) * ((double)latency_ns - stats->mean);
}

double fio_stats_deviation(const struct fio_stats *stats)
{
	return stats->ios > 1 ? sqrt(stats->squares / (double)(stats->ios - 1)) : 0;
}

unsigned int fio_latency_place(uint64_t ns)
{
	static const struct {
		char unit;
		uint64_t end;
	} places[] = {
#define X(list, key, end) {#list[0], end},
		FIO_LATENCY_TABLE(X)
#undef X
	};
	char unit = ns < NS_PER_US ? 'n' : ns < NS_PER_MS ? 'u' : 'm';
	uint64_t value = unit == 'n' ? ns : unit == 'u' ? ns / NS_PER_US : ns / NS_PER_MS;
	unsigned int place = 0;

	while (place < FIO_LATENCIES - 1 &&
	       (places[place].unit != unit || value >= places[place].end))
		place++;
	return place;
}

unsigned int fio_depth_place(uint64_t depth)
{
	unsigned int place = depth ? 63u - (unsigned int)__builtin_clzll(depth) : 0;

	return place < FIO_DEPTHS ? place : FIO_DEPTHS - 1;
}
