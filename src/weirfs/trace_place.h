/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a trace goes: a file, a directory of parts, or a pipe; opened before it is needed. */
#ifndef WEIRFS_TRACE_PLACE_H
#define WEIRFS_TRACE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"

struct weirfs;

struct trace_place {
	char *text;    /* as messages name it */
	int stream_fd; /* a pipe or terminal; -1: files below dir_fd */
	int dir_fd;
	char *name;   /* of the first part */
	bool made_up; /* in a directory that was named: parts get names of their own */
	int first_fd; /* the first part, open already; -1 once it is taken */
	bool inside;  /* below the mount: allowed, and left out of the trace */
};

/*
 * Opens a destination: "-" (standard output), a directory, or a file that must not hold anything.
 * Returns 0 or -errno with diag.
 */
int trace_place_open(const struct weirfs *fs, const char *destination, struct diag *diag,
		     struct trace_place *ret_place);
void trace_place_done(struct trace_place *place);

/*
 * Opens a part's file, numbered from 1; never one that exists. again: under the first one's name
 * if that has been moved away. Returns a descriptor or -errno; *ret_name is the caller's.
 */
int trace_place_part(struct trace_place *place, uint32_t part, bool again, char **ret_name);

#endif
