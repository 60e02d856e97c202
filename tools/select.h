/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which operations and files a command shows, and in what order. */
#ifndef TOOLS_SELECT_H
#define TOOLS_SELECT_H

#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"
#include "core/summary.h"

#define SORT_TABLE(X)                                         \
	X(TIME, "time", "total time spent in its operations") \
	X(P99, "p99", "99th percentile of the total time")    \
	X(BYTES, "bytes", "bytes moved")                      \
	X(OPS, "ops", "operations")                           \
	X(ERRORS, "errors", "operations that failed")

enum sort_key {
#define X(id, name, help) SORT_##id,
	SORT_TABLE(X)
#undef X
		SORT_KEYS
};

#define SELECT_ALL_OPS ((UINT64_C(1) << OP_KINDS) - 1)

/* Returns 0 or -ENOENT. */
int select_parse_sort(const char *text, enum sort_key *ret_key);
const char *select_sort_name(enum sort_key key);

/* Adds a list of operations and classes with commas between to a mask. 0 or -ENOENT with diag. */
int select_parse_ops(const char *text, uint64_t *mask, struct diag *diag);

/* The files to show, and what was folded away so that sums stay exact. */
struct selection {
	const struct file_summary **files; /* pointers into the summary, best first */
	size_t count;
	struct file_summary rest; /* all other rows merged; rest.files tells how many files */
	uint64_t unlisted;        /* files of the rest that have a row of their own */
};

/*
 * Takes the first `limit` files by the key; rows without operations are left out. The daemon's
 * own "(other)" row always goes to the rest. Returns 0 or -errno.
 */
int select_files(const struct summary *summary, enum sort_key key, size_t limit,
		 struct selection *ret_selection);
void selection_done(struct selection *selection);

/*
 * The operations of the mask that happened, by total time spent, most first. Returns how many.
 */
size_t select_ops(const struct summary *summary, uint64_t mask, enum op_kind ret_kinds[OP_KINDS]);

/* Finds a file by its path below the mount point, or NULL. */
const struct file_summary *select_file_by_path(const struct summary *summary, const char *path);

#endif
