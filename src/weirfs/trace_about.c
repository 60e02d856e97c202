// SPDX-License-Identifier: GPL-2.0-or-later
/* What a trace says about the mount that it is of. */
#include "config.h"

#include "weirfs/tracer.h"

#include <errno.h>
#include <fuse_lowlevel.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "core/clock.h"
#include "trace/snapshot.h"
#include "weirfs/report.h"
#include "weirfs/weirfs.h"

/* Rows of files that the summary at the end carries; the rest is summed up in one. */
#define SUMMARY_FILES 1000

static const char *text_of(const char *text)
{
	return text ? text : "";
}

/* The options that change what is seen and how long it takes. */
static void mount_options(const struct options *options, char *text, size_t room)
{
	snprintf(text, room, "cache=%s,data=%s,locks=%s,identity=%s%s%s%s%s",
		 cache_name(options->cache), data_name(options->data), locks_name(options->locks),
		 identity_name(options->identity), options->read_only ? ",ro" : "",
		 options->no_xattr ? ",noxattr" : "", options->fuse_options ? "," : "",
		 text_of(options->fuse_options));
}

static void trace_options(const struct options *options, char *text, size_t room)
{
	char uid[32] = "";

	if (options->trace_uid)
		snprintf(uid, sizeof(uid), ",trace_uid=%.16s", options->trace_uid);
	snprintf(text, room, "trace_full=%s,trace_names=%s,trace_data=%s%s%s%s%s%s",
		 trace_full_name(options->trace_full), trace_names_name(options->trace_names),
		 trace_data_name(options->trace_data), options->trace_ops ? ",trace_ops=" : "",
		 text_of(options->trace_ops), uid, options->trace_path ? ",trace_path=" : "",
		 /* A path may be what hashed names are to keep secret. */
		 options->trace_names == TRACE_NAMES_HASH && options->trace_path
			 ? "?"
			 : text_of(options->trace_path));
}

void trace_put_properties(const struct tracer *tracer, uint32_t part,
			  int (*put)(void *arg, const char *name, const char *value), void *arg)
{
	struct weirfs *fs = tracer->recorder->fs;
	const struct options *options = &fs->options;
	char mount[512], trace[512], number[3][24];
	char *delay = shaper_delay_text(&fs->shaper);
	uint64_t now_ns = clock_mono_ns();
	struct utsname machine;

	if (uname(&machine))
		machine = (struct utsname){.nodename = ""};
	mount_options(options, mount, sizeof(mount));
	trace_options(options, trace, sizeof(trace));
	snprintf(number[0], sizeof(number[0]), "%u", part);
	snprintf(number[1], sizeof(number[1]), "%llu", (unsigned long long)now_ns);
	snprintf(number[2], sizeof(number[2]), "%" PRIu64,
		 now_ns + tracer->writer_options.wall_offset_ns);
	const char *const properties[][2] = {
		{"program", "weirfs " PACKAGE_VERSION},
		{"libfuse", fuse_pkgversion()},
		{"host", machine.nodename},
		{"kernel", machine.release},
		{"machine", machine.machine},
		{"mountpoint", options->mountpoint},
		{"source", options->source},
		{"backing_fs", fs->backing_name},
		{"in_place", fs->in_place ? "yes" : "no"},
		{"mount_options", mount},
		{"trace_options", trace},
		{"delay", text_of(delay)},
		{"part", number[0]},
		{"part_mono_ns", number[1]},
		{"part_wall_ns", number[2]},
	};

	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
		if (put(arg, properties[i][0], properties[i][1]))
			break;
	}
	free(delay);
}

int trace_put_summary(struct recorder *recorder, struct trace_writer *writer)
{
	struct bytes snapshot = {0};
	struct summary summary;
	int err = report_fill(recorder->fs, SUMMARY_FILES, &summary);
	size_t rows;

	if (err)
		return err;
	rows = summary.file_count;
	/* Names of files are in the rows. */
	if (recorder->fs->options.trace_names == TRACE_NAMES_HASH)
		summary.file_count = 0;
	snapshot_encode(&summary, &snapshot);
	summary.file_count = rows;
	err = snapshot.failed ? -ENOMEM : trace_write_summary(writer, snapshot.data, snapshot.len);
	bytes_done(&snapshot);
	summary_done(&summary);
	return err;
}
