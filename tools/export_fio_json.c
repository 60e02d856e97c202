// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The report that fio --output-format=json+ would have written if it had done the trace's reads,
 * writes, trims and syncs as one job: for the scripts that draw those.
 *
 * Latencies are of one duration (--duration, total unless said otherwise); the histogram's
 * buckets are fio's own, so that "bins" are exact.
 */
#include "config.h"

#include "tools/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/units.h"
#include "tools/fio_stats.h"
#include "tools/inflight.h"
#include "tools/jsonw.h"

/* The version whose keys these are. */
#define FIO_VERSION "fio-3.33"
#define DEPTH_WAITING (1u << 18)
#define DECIMALS 6

enum direction { READ, WRITE, TRIM, DIRECTIONS, SYNC = DIRECTIONS, STATS };

struct fio_json {
	struct fio_stats stats[STATS];
	struct inflight inflight;
	uint64_t latency[FIO_LATENCIES];
	uint64_t depth[FIO_DEPTHS];
	uint64_t deepest;
	uint64_t ios; /* in latency and depth */
};

static int fio_json_begin(struct export *export)
{
	struct fio_json *fio = calloc(1, sizeof(*fio));
	int err;

	export->state = fio;
	if (!fio)
		return -ENOMEM;
	err = inflight_init(&fio->inflight, DEPTH_WAITING);
	for (unsigned int i = 0; i < STATS && !err; i++)
		err = fio_stats_init(&fio->stats[i]);
	return err;
}

static void fio_json_done(struct export *export)
{
	struct fio_json *fio = export->state;

	if (!fio)
		return;
	for (unsigned int i = 0; i < STATS; i++)
		fio_stats_done(&fio->stats[i]);
	inflight_done(&fio->inflight);
	free(fio);
}

/* --- counting ------------------------------------------------------------------------------- */

static enum direction direction_of(const struct trace_op *op)
{
	switch (op->op.kind) {
	case OP_READ:
		return READ;
	case OP_WRITE:
		return WRITE;
	case OP_FSYNC:
	case OP_FSYNCDIR:
	case OP_SYNCFS:
		return SYNC;
	default:
		return export_is_trim(op) ? TRIM : STATS;
	}
}

static void take_depths(struct fio_json *fio, bool all)
{
	uint64_t ns, depth;
	bool arrival;

	while (inflight_next(&fio->inflight, all, &ns, &arrival, &depth)) {
		if (!arrival)
			continue;
		fio->depth[fio_depth_place(depth)]++;
		if (depth > fio->deepest)
			fio->deepest = depth;
	}
}

static int fio_json_op(struct export *export, const struct trace_event *event)
{
	enum duration duration = export_duration(export, DUR_TOTAL);
	enum direction direction = direction_of(event->op);
	const struct op *op = &event->op->op;
	struct fio_json *fio = export->state;
	uint64_t ns[DURATIONS], end_ns, at_ns, bytes;

	if (direction == STATS) {
		export->left_out[op->kind]++;
		return 0;
	}
	if (op->error) {
		export_note(export, "operations that failed, left out", 1);
		return 0;
	}
	if (!export_was_awaited(export, op))
		return 0;
	op_durations(op, ns);
	end_ns = export_op_end(op);
	bytes = direction == TRIM ? op->size : direction == SYNC ? 0 : op->result;
	at_ns = end_ns + event->wall_offset_ns;
	at_ns = at_ns > export->origin_ns ? at_ns - export->origin_ns : 0;
	fio_stats_add(&fio->stats[direction], at_ns, ns[duration], bytes);
	if (direction == SYNC)
		return 0;
	if (direction != TRIM && op->result < op->size)
		fio->stats[direction].short_ios++;
	fio->ios++;
	fio->latency[fio_latency_place(ns[duration])]++;
	inflight_add(&fio->inflight, op->arrive_ns + event->wall_offset_ns,
		     end_ns + event->wall_offset_ns);
	take_depths(fio, false);
	return 0;
}

/* --- the report ----------------------------------------------------------------------------- */

static void put_percentiles(struct jsonw *json, const struct hist *hist)
{
	static const double percentiles[] = {1,  5,  10, 20, 30,   40,   50,    60,   70,
					     80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};
	char key[UNITS_TEXT];

	jsonw_object(json, "percentile");
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
		snprintf(key, sizeof(key), "%.6f", percentiles[i]);
		jsonw_uint(json, key, hist_percentile(hist, percentiles[i]));
	}
	jsonw_end(json);
	jsonw_object(json, "bins");
	for (uint32_t i = 0; i < hist->buckets; i++) {
		if (!hist->bucket[i])
			continue;
		snprintf(key, sizeof(key), "%" PRIu64, hist_middle(hist->bits, i));
		jsonw_uint(json, key, hist->bucket[i]);
	}
	jsonw_end(json);
}

/* One latency; NULL for one that fio has and a trace hasn't. */
static void put_latency(struct jsonw *json, const char *key, const struct fio_stats *stats,
			bool with_bins)
{
	uint64_t count = stats ? stats->ios : 0;

	jsonw_object(json, key);
	jsonw_uint(json, "min", count ? stats->hist->min : 0);
	jsonw_uint(json, "max", count ? stats->hist->max : 0);
	jsonw_decimals(json, "mean", count ? hist_mean(stats->hist) : 0, DECIMALS);
	jsonw_decimals(json, "stddev", count ? fio_stats_deviation(stats) : 0, DECIMALS);
	jsonw_uint(json, "N", count);
	if (count && with_bins)
		put_percentiles(json, stats->hist);
	jsonw_end(json);
}

static void put_direction(struct jsonw *json, const char *key, const struct fio_stats *stats,
			  uint64_t span_ms)
{
	uint64_t runtime_ms = stats->ios ? span_ms : 0;
	double seconds = stats->ios ? (double)span_ms / 1000 : 1;

	jsonw_object(json, key);
	jsonw_uint(json, "io_bytes", stats->bytes);
	jsonw_uint(json, "io_kbytes", stats->bytes >> 10);
	jsonw_uint(json, "bw_bytes", (uint64_t)((double)stats->bytes / seconds));
	jsonw_uint(json, "bw", (uint64_t)((double)stats->bytes / seconds / 1024));
	jsonw_decimals(json, "iops", (double)stats->ios / seconds, DECIMALS);
	jsonw_uint(json, "runtime", runtime_ms);
	jsonw_uint(json, "total_ios", stats->ios);
	jsonw_uint(json, "short_ios", stats->short_ios);
	jsonw_uint(json, "drop_ios", 0);
	put_latency(json, "slat_ns", NULL, false);
	put_latency(json, "clat_ns", stats, true);
	put_latency(json, "lat_ns", stats, false);
	jsonw_uint(json, "bw_min", (uint64_t)stats->kib_s.min);
	jsonw_uint(json, "bw_max", (uint64_t)stats->kib_s.max);
	jsonw_decimals(json, "bw_agg", stats->kib_s.count ? 100 : 0, DECIMALS);
	jsonw_decimals(json, "bw_mean", fio_spread_mean(&stats->kib_s), DECIMALS);
	jsonw_decimals(json, "bw_dev", fio_spread_deviation(&stats->kib_s), DECIMALS);
	jsonw_uint(json, "bw_samples", stats->kib_s.count);
	jsonw_uint(json, "iops_min", (uint64_t)stats->iops.min);
	jsonw_uint(json, "iops_max", (uint64_t)stats->iops.max);
	jsonw_decimals(json, "iops_mean", fio_spread_mean(&stats->iops), DECIMALS);
	jsonw_decimals(json, "iops_stddev", fio_spread_deviation(&stats->iops), DECIMALS);
	jsonw_uint(json, "iops_samples", stats->iops.count);
	jsonw_end(json);
}

static double share(uint64_t count, uint64_t all)
{
	return all ? 100.0 * (double)count / (double)all : 0;
}

static void put_depths(struct jsonw *json, const struct fio_json *fio)
{
	static const char *const levels[FIO_DEPTHS] = {"1", "2", "4", "8", "16", "32", ">=64"};
	static const char *const batches[] = {"0", "4", "8", "16", "32", "64", ">=64"};
	static const char *const lists[] = {"iodepth_submit", "iodepth_complete"};

	jsonw_object(json, "iodepth_level");
	for (unsigned int i = 0; i < FIO_DEPTHS; i++)
		jsonw_decimals(json, levels[i], share(fio->depth[i], fio->ios), DECIMALS);
	jsonw_end(json);
	/* One request at a time, which fio puts below 4. */
	for (unsigned int list = 0; list < 2; list++) {
		jsonw_object(json, lists[list]);
		for (unsigned int i = 0; i < sizeof(batches) / sizeof(batches[0]); i++)
			jsonw_decimals(json, batches[i], i == 1 && fio->ios ? 100 : 0, DECIMALS);
		jsonw_end(json);
	}
}

static void put_shares(struct jsonw *json, const struct fio_json *fio)
{
	static const struct {
		const char *list;
		const char *key;
	} places[FIO_LATENCIES] = {
#define X(list, key, end) {"latency_" #list, key},
		FIO_LATENCY_TABLE(X)
#undef X
	};

	for (unsigned int i = 0; i < FIO_LATENCIES; i++) {
		if (!i || strcmp(places[i].list, places[i - 1].list) != 0) {
			if (i)
				jsonw_end(json);
			jsonw_object(json, places[i].list);
		}
		jsonw_decimals(json, places[i].key, share(fio->latency[i], fio->ios), DECIMALS);
	}
	jsonw_end(json);
}

static void put_job(struct jsonw *json, const struct export *export, const struct fio_json *fio)
{
	static const char *const unknown[] = {"usr_cpu", "sys_cpu", "ctx", "majf", "minf"};
	static const char *const names[DIRECTIONS] = {"read", "write", "trim"};
	uint64_t span_ns =
		export->end_ns > export->origin_ns ? export->end_ns - export->origin_ns : 0;
	uint64_t span_ms = span_ns / NS_PER_MS ? span_ns / NS_PER_MS : 1;

	jsonw_object(json, NULL);
	jsonw_string(json, "jobname", export_title(export));
	jsonw_uint(json, "groupid", 0);
	jsonw_uint(json, "error", 0);
	jsonw_uint(json, "eta", 0);
	jsonw_uint(json, "elapsed", (span_ns + NS_PER_S - 1) / NS_PER_S);
	jsonw_object(json, "job options");
	jsonw_string(json, "name", export_title(export));
	jsonw_end(json);
	for (unsigned int i = 0; i < DIRECTIONS; i++)
		put_direction(json, names[i], &fio->stats[i], span_ms);
	jsonw_object(json, "sync");
	jsonw_uint(json, "total_ios", fio->stats[SYNC].ios);
	put_latency(json, "lat_ns", &fio->stats[SYNC], true);
	jsonw_end(json);
	jsonw_uint(json, "job_runtime", span_ms);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		jsonw_uint(json, unknown[i], 0);
	put_depths(json, fio);
	put_shares(json, fio);
	jsonw_uint(json, "latency_depth", fio->deepest ? fio->deepest : 1);
	jsonw_uint(json, "latency_target", 0);
	jsonw_decimals(json, "latency_percentile", 100, DECIMALS);
	jsonw_uint(json, "latency_window", 0);
	jsonw_end(json);
}

static int fio_json_end(struct export *export)
{
	struct fio_json *fio = export->state;
	time_t seconds = (time_t)(export->end_ns / NS_PER_S);
	char date[64] = "";
	struct jsonw json;
	struct tm tm;

	take_depths(fio, true);
	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%a %b %d %H:%M:%S %Y", &tm);
	out_drain(export->out);
	jsonw_init(&json, export->out->file, false);
	jsonw_object(&json, NULL);
	jsonw_string(&json, "fio version", FIO_VERSION);
	jsonw_uint(&json, "timestamp", export->end_ns / NS_PER_S);
	jsonw_uint(&json, "timestamp_ms", export->end_ns / NS_PER_MS);
	jsonw_string(&json, "time", date);
	jsonw_string(&json, "written by", "weir " PACKAGE_VERSION);
	jsonw_array(&json, "jobs");
	put_job(&json, export, fio);
	jsonw_end(&json);
	jsonw_array(&json, "disk_util");
	jsonw_end(&json);
	jsonw_end(&json);
	return 0;
}

const struct export_format export_fio_json = {
	.begin = fio_json_begin,
	.op = fio_json_op,
	.end = fio_json_end,
	.done = fio_json_done,
};
