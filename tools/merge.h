/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of `weir merge`: which inputs are one trace, and what they are called. */
#ifndef TOOLS_MERGE_H
#define TOOLS_MERGE_H

#include "tools/rewrite.h"

/* What goes before the paths of each of several traces. */
#define MERGE_PREFIX_TABLE(X)                                                                \
	X(AUTO, "auto", "the mount points when they are known and differ, else the numbers") \
	X(MOUNT, "mount", "the mount point")                                                 \
	X(INDEX, "index", "the number of the trace, /0, /1 ..")                              \
	X(NONE, "none", "nothing: one tree, as if the mounts were the same")

enum merge_prefix {
#define X(id, name, help) MERGE_PREFIX_##id,
	MERGE_PREFIX_TABLE(X)
#undef X
		MERGE_PREFIXES
};

/* A word of the command line. */
struct merge_word {
	char *word;
	int64_t offset_ns;
	uint8_t id[TRACE_ID];
	uint64_t start_ns; /* on its own wall clock */
	char *mount;       /* its mount point, or NULL */
	size_t stream;     /* that it belongs to */
};

struct merge {
	struct merge_word *word;
	size_t words;
	struct stream *stream;
	size_t streams;
	char **label;      /* of the streams */
	struct diag *diag; /* of the streams' inputs */
};

/*
 * Finds out which of the words are parts of one trace, by its id, and opens the streams. diag names
 * the word that was no good. Returns 0 or -errno.
 */
int merge_open(struct merge *merge, enum merge_prefix prefix, struct diag *diag);
void merge_done(struct merge *merge);

#endif
