// SPDX-License-Identifier: GPL-2.0-or-later
/* The state of a live mount as a summary: properties, counters, histograms, files. */
#include "config.h"

#include "weirfs/report.h"

#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/clock.h"
#include "weirfs/log.h"
#include "weirfs/weirfs.h"

/* Where a trace goes that is on, a copy, or NULL; and why it can't be written just now. */
static void trace_state(struct recorder *recorder, char **ret_place, const char **ret_trouble)
{
	pthread_mutex_lock(&recorder->state_lock);
	*ret_trouble = recorder->trouble;
	*ret_place = recorder_is_on(recorder) && recorder->place ? strdup(recorder->place) : NULL;
	pthread_mutex_unlock(&recorder->state_lock);
}

static int add_properties(struct weirfs *fs, struct summary *summary)
{
	const struct options *options = &fs->options;
	struct utsname kernel = {.release = ""};
	char *delay = shaper_delay_text(&fs->shaper);
	const char *trouble;
	char *place;
	int err = 0;

	uname(&kernel);
	trace_state(&fs->recorder, &place, &trouble);
	const struct {
		const char *name;
		const char *value;
	} properties[] = {
		{"mountpoint", options->mountpoint},
		{"source", options->source},
		{"version", PACKAGE_VERSION},
		{"libfuse", fuse_pkgversion()},
		{"kernel", kernel.release},
		{"backing_fs", fs->backing_name},
		{"in_place", fs->in_place ? "yes" : "no"},
		{"cache", cache_name(options->cache)},
		{"data", fs->passthrough ? "kernel" : "user"},
		{"locks", locks_name(options->locks)},
		{"identity", identity_name(options->identity)},
		{"handles", fs->mounts.usable ? "yes" : "no"},
		{"measure", options->measure ? "on" : "off"},
		{"delay", delay ? delay : ""},
		{"log_level", log_level_name(log_get_level())},
		{"trace", place ? place : "off"},
		{"trace_state", trouble ? trouble
				: place ? "on"
					: "off"},
		{"trace_full", trace_full_name(options->trace_full)},
	};

	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]) && !err; i++)
		err = summary_add_property(summary, properties[i].name, properties[i].value);
	free(delay);
	free(place);
	return err;
}

static uint64_t look(const uint64_t *slot)
{
	return __atomic_load_n(slot, __ATOMIC_RELAXED);
}

static uint64_t trace_dropped(const struct recorder *recorder)
{
	uint64_t dropped = look(&recorder->blocks_lost);

	for (unsigned int kind = 0; kind < OP_KINDS; kind++)
		dropped += recorder_dropped(recorder, kind);
	return dropped;
}

static uint64_t trace_filtered(const struct recorder *recorder)
{
	uint64_t filtered = 0;

	for (unsigned int kind = 0; kind < OP_KINDS; kind++)
		filtered += recorder_filtered(recorder, kind);
	return filtered;
}

static int add_counters(struct weirfs *fs, struct summary *summary)
{
	uint64_t now_ns = clock_mono_ns();
	struct hist *late = hist_new(HIST_FILE_BITS);
	uint32_t workers, parked, files;
	uint64_t evicted;
	int err = 0;

	if (!late)
		return -ENOMEM;
	delayq_lateness(&fs->delayq, late);
	workers_count(&fs->workers, &workers, &parked);
	files_count(&fs->files, &files, &evicted);
	const struct {
		const char *name;
		uint64_t value;
	} counters[] = {
		{"pid", (uint64_t)getpid()},
		{"uptime_ns", now_ns - fs->start_ns},
		{"since_reset_ns", now_ns - look(&fs->stats.since_ns)},
		{"inflight", stats_in_flight(&fs->stats)},
		{"held", delayq_held(&fs->delayq)},
		{"held_bytes", look(&fs->delayq.held_bytes)},
		{"held_bytes_max", fs->delayq.held_bytes_max},
		{"timer_fired", late->count},
		{"timer_late_p50_ns", hist_percentile(late, 50)},
		{"timer_late_p99_ns", hist_percentile(late, 99)},
		{"timer_late_max_ns", late->max},
		{"interrupted", look(&fs->delayq.interrupted)},
		{"workers", workers},
		{"workers_parked", parked},
		{"workers_max", fs->workers.max},
		{"inodes", look(&fs->tree.inodes)},
		{"cached_fds", fdcache_used(&fs->fdcache)},
		{"cached_fds_max", fs->fdcache.room},
		{"estale_recovered", look(&fs->fdcache.recovered)},
		{"files_tracked", files},
		{"files_max", fs->files.room},
		{"files_evicted", evicted},
		{"values_lost", look(&fs->files.lost) + look(&fs->stats.lost)},
		{"kernel_data_files", look(&fs->kernel_files)},
		{"trace_written", look(&fs->recorder.written)},
		{"trace_dropped", trace_dropped(&fs->recorder)},
		{"trace_filtered", trace_filtered(&fs->recorder)},
		{"trace_overwritten", look(&fs->recorder.overwritten)},
		{"trace_bytes", look(&fs->recorder.bytes)},
		{"trace_blocks", look(&fs->recorder.blocks)},
		{"trace_errors", look(&fs->recorder.errors)},
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]) && !err; i++)
		err = summary_add_counter(summary, counters[i].name, counters[i].value);
	free(late);
	return err;
}

int report_fill(struct weirfs *fs, uint64_t files, struct summary *ret_summary)
{
	int err;

	summary_init(ret_summary);
	err = add_properties(fs, ret_summary);
	if (!err)
		err = add_counters(fs, ret_summary);
	if (!err)
		err = stats_sum(&fs->stats, ret_summary);
	if (!err)
		err = files_sum(&fs->files, ret_summary, files);
	/* Rows carry the daemon's clock; outside, only wall clock means anything. */
	for (size_t i = 0; i < ret_summary->file_count; i++) {
		ret_summary->files[i].first_ns += fs->wall_offset_ns;
		ret_summary->files[i].last_ns += fs->wall_offset_ns;
	}
	if (err)
		summary_done(ret_summary);
	return err;
}
