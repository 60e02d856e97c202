/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File handles: reopening an inode that has no descriptor and perhaps no name any more. */
#ifndef WEIRFS_HANDLE_H
#define WEIRFS_HANDLE_H

#include <pthread.h>
#include <stdint.h>

struct handle;

/* One descriptor a backing mount, which handles of that mount are opened against. */
struct handle_mounts {
	pthread_mutex_t lock;
	struct {
		int id; /* of the mount, as name_to_handle_at() tells */
		int fd;
	} mount[64];
	uint32_t count; /* grows only */
	int usable;     /* whether the daemon may open by handle at all */
};

/* Finds out on the open source directory whether handles can be used. */
void handle_mounts_init(struct handle_mounts *mounts, int root_fd);
void handle_mounts_done(struct handle_mounts *mounts);

/* The handle of an open (O_PATH is enough) inode on the heap, or NULL where there is none. */
struct handle *handle_of(struct handle_mounts *mounts, int fd);
/* Opens it with these flags. Returns a descriptor or -errno (-ESTALE: the inode is gone). */
int handle_open(const struct handle *handle, int flags);
void handle_free(struct handle *handle);

#endif
