// SPDX-License-Identifier: GPL-2.0-or-later
/* The measuring points: what is stamped when, and where it is recorded. */
#include "config.h"

#include "weirfs/probe.h"

#include "core/clock.h"
#include "weirfs/files.h"
#include "weirfs/recorder.h"
#include "weirfs/request.h"
#include "weirfs/weirfs.h"

void probe_begin(struct request *request)
{
	request->op.arrive_ns = clock_mono_ns();
	request->op.seq = __atomic_add_fetch(&request->fs->last_seq, 1, __ATOMIC_RELAXED);
	stats_begin(&request->fs->stats);
	if (recorder_is_on(&request->fs->recorder))
		recorder_begin(request);
}

static void measure(struct request *request)
{
	struct weirfs *fs = request->fs;
	struct inode *file = request->about ? request->about : request->inode;
	uint64_t duration_ns[DURATIONS];

	op_durations(&request->op, duration_ns);
	/* A forget is the kernel's housekeeping: it is no use of the file. */
	if (file && request->op.kind != OP_FORGET) {
		request->op.file = file->id;
		files_record(&fs->files, file, &request->op, duration_ns, request->sequential);
	}
	stats_end(&fs->stats, &request->op, duration_ns);
}

void probe_end(struct request *request)
{
	if (request->fs->options.measure)
		measure(request);
	else
		stats_uncounted(&request->fs->stats);
	if (request->traced)
		recorder_end(request);
}
