/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Definitions for the trace: what a file is, and which file an open one is of. Each is told when it
 * is first used, and again when the blocks may have forgotten it.
 */
#ifndef WEIRFS_KNOWN_H
#define WEIRFS_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

/* Set in an inode's stamp when it has another path since. */
#define KNOWN_MOVED (UINT64_C(1) << 63)

struct inode;
struct lane;
struct recorder;
struct request;
struct statx;

/*
 * Makes the file known, if it isn't, to an operation that is recorded with this time. stx: its
 * attributes where the operation has them anyway; else, before the operation (done_ns is 0), they
 * are asked for, which may make a system call.
 */
void known_file(struct request *request, struct lane *lane, struct inode *inode,
		const struct statx *stx, uint64_t now_ns);
/* Whether the trace knows it, be it by a path that it had before a rename. */
bool known_before_move(const struct recorder *recorder, const struct inode *inode);
/* The same for the open files of a request; sets request->handle. */
void known_handles(struct request *request, struct lane *lane);

#endif
