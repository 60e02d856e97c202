/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is behind a thread number: its process and its name, as /proc tells.
 *
 * Looked up while the caller waits for its answer, and so is there; remembered for a while, since
 * a look costs more than most operations. A program that a process runs anew (exec) shows after
 * that while.
 */
#ifndef WEIRFS_CALLERS_H
#define WEIRFS_CALLERS_H

#include <stdint.h>
#include <sys/types.h>

#define CALLERS_ROOM 256
#define CALLER_NAME 16

struct caller_name {
	uint32_t process;
	char comm[CALLER_NAME]; /* NUL padded, not always terminated */
};

/* Of one thread of ours, for the callers that it serves. */
struct callers {
	struct {
		pid_t thread;
		uint64_t until_ns;
		struct caller_name name;
	} row[CALLERS_ROOM];
	uint64_t looked; /* how often /proc was asked; atomic */
};

/* Process and name of a thread; zeros for 0 (the kernel itself) and for one that is gone. */
void callers_find(struct callers *callers, pid_t thread, uint64_t now_ns,
		  struct caller_name *ret_name);
/* Out of the text of /proc/TID/status; exported for tests. */
void callers_parse(const char *status, struct caller_name *ret_name);

#endif
