/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Open files and directory streams: what the fh of a request points to. */
#ifndef WEIRFS_FILE_H
#define WEIRFS_FILE_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#include "weirfs/tree.h"

struct file {
	struct file *next; /* of the same inode; under tree->lock */
	struct inode *inode;
	uint64_t id;     /* unique in this mount, > 0 */
	uint64_t traced; /* the trace that knows of it, see recorder_handle_era(); atomic */
	uint32_t refs;
	int fd;
	int flags;            /* of open(2) */
	int backing_id;       /* of kernel passthrough, 0 = none */
	uint64_t next_offset; /* where a sequential read or write would begin */
};

/* Takes over fd; adds the file to the inode's list. NULL (fd still the caller's): no memory. */
struct file *file_new(struct tree *tree, struct inode *inode, int fd, int flags);
/* Any open file of the inode, with a reference, or NULL. */
struct file *file_any(struct tree *tree, struct inode *inode);
void file_put(struct tree *tree, struct file *file);
/* Closes the files that the kernel never released, without their references: at the very end. */
void file_close_all(struct inode *inode);

/* A directory stream; requests on it are serialised by its own lock. */
struct dirstream {
	pthread_mutex_t lock;
	struct inode *inode;
	uint64_t id; /* as of files */
	uint64_t traced;
	int fd;
	uint32_t at;  /* next entry in the buffer */
	uint32_t end; /* of what getdents64() gave */
	off_t offset; /* cookie before the entry at `at` */
	char buffer[32768] __attribute__((aligned(8)));
};

struct dirstream *dirstream_new(struct inode *inode, int fd);
void dirstream_free(struct tree *tree, struct dirstream *stream);

#endif
