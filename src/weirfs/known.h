/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Definitions for the trace: what a file is, and which file an open one is of. Each is told when it
 * is first used, and again when the blocks may have forgotten it.
 */
#ifndef WEIRFS_KNOWN_H
#define WEIRFS_KNOWN_H

#include <stdint.h>

struct inode;
struct lane;
struct request;
struct statx;

/*
 * Makes the file known, if it isn't, to an operation that is recorded with this time. stx: its
 * attributes where the operation has them anyway; else, before the operation (done_ns is 0), they
 * are asked for, which may make a system call.
 */
void known_file(struct request *request, struct lane *lane, struct inode *inode,
		const struct statx *stx, uint64_t now_ns);
/* The same for the open files of a request; sets request->handle. */
void known_handles(struct request *request, struct lane *lane);

#endif
