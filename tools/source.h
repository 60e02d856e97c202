/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a command's numbers come from: a live mount, or a snapshot that was saved. */
#ifndef TOOLS_SOURCE_H
#define TOOLS_SOURCE_H

#include <stddef.h>

#include "core/bytes.h"
#include "core/diag.h"
#include "core/summary.h"
#include "tools/mounts.h"

struct source {
	struct mounts mounts;
	const struct mount *mount; /* NULL: a file */
	char *path;                /* what was asked for, resolved; "-" is the standard input */
};

#define SOURCE_ALL_FILES SIZE_MAX

/*
 * Decides what the word names: a weirfs mount point, any path below one (the deepest mount holds
 * it), a file with a snapshot, or "-". live_only refuses the latter two. 0 or -errno.
 */
int source_open(const char *word, bool live_only, struct source *ret_source, struct diag *diag);
void source_done(struct source *source);

/*
 * Gets the snapshot: at least the `files` files of most time when the source can choose. Its
 * bytes go to ret_raw when that is not NULL (bytes_done() it). Returns 0, what ctl_request() may
 * return, or -errno; ret_summary is filled on success only.
 */
int source_read(const struct source *source, size_t files, struct summary *ret_summary,
		struct bytes *ret_raw, struct diag *diag);

/* The same from a mount without a source, as ctl_request() returns. */
int source_ask(const struct mount *mount, size_t files, uint64_t timeout_ns,
	       struct summary *ret_summary, struct diag *diag);

#endif
