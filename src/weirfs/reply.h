/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers to the kernel: the only place that calls fuse_reply_*(). */
#ifndef WEIRFS_REPLY_H
#define WEIRFS_REPLY_H

#include <sys/stat.h>

struct request;
struct weirfs;
struct inode;

/*
 * Sends request->reply. What the kernel refuses to take (the caller was killed meanwhile) is taken
 * back: lookups not counted, files closed.
 */
void reply_send(struct request *request);

/* Attributes as the kernel gets them: inode numbers kept apart by device. */
void reply_stat(struct weirfs *fs, const struct statx *stx, struct stat *ret_stat);

#endif
