/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a command's numbers come from: a live mount, a trace, or a snapshot that was saved. */
#ifndef TOOLS_SOURCE_H
#define TOOLS_SOURCE_H

#include <stddef.h>

#include "core/bytes.h"
#include "core/diag.h"
#include "core/summary.h"
#include "tools/filter.h"
#include "tools/input.h"
#include "tools/mounts.h"

struct source {
	struct mounts mounts;
	const struct mount *mount; /* NULL: a file */
	char *path;                /* what was asked for, resolved; "-" is the standard input */
	struct input *input;       /* a trace: it can be read once */
	struct filter filter;      /* of a trace's operations; may be set before reading */
	struct diag *diag;         /* where the errors of the input go */
};

/* Which kinds of sources a command can do with. */
enum source_kinds { SOURCE_ANY, SOURCE_LIVE, SOURCE_LIVE_OR_TRACE };

#define SOURCE_ALL_FILES SIZE_MAX

/*
 * Decides what the word names: a weirfs mount point, any path below one (the deepest mount holds
 * it), a file with a trace or snapshot, a directory with the parts of a trace, or "-" for either
 * of them. diag is kept until source_done(). 0 or -errno.
 */
int source_open(const char *word, enum source_kinds kinds, struct source *ret_source,
		struct diag *diag);
void source_done(struct source *source);

/* Sets the filter; of a source that has no operations it may have no window. An exit code. */
int source_window(struct source *source, const struct filter *filter, const char *command);

/*
 * Gets the snapshot, or folds the trace: at least the `files` files of most time when the source
 * can choose. Its bytes go to ret_raw when that is not NULL (bytes_done() it). Returns 0, what
 * ctl_request() may return, or -errno; ret_summary is filled on success only.
 */
int source_read(const struct source *source, size_t files, struct summary *ret_summary,
		struct bytes *ret_raw, struct diag *diag);

/*
 * After reading a trace: one line on stderr about what was damaged. Returns an exit code:
 * EXIT_FAILED when something was.
 */
int source_warn(const struct source *source, const char *command);

/* The same from a mount without a source, as ctl_request() returns. */
int source_ask(const struct mount *mount, size_t files, uint64_t timeout_ns,
	       struct summary *ret_summary, struct diag *diag);

#endif
