/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors of inodes: opened when first needed, kept while there is room, bounded.
 *
 * An inode is reached, in this order, through its cached O_PATH descriptor, a file that is open
 * anyway, its file handle, or one of its names (checked against its identity, since names may have
 * changed underneath). Directories remember a handle, where the backing file system gives them,
 * so that they are found again wherever they have moved.
 */
#ifndef WEIRFS_FDCACHE_H
#define WEIRFS_FDCACHE_H

#include "weirfs/handle.h"
#include "weirfs/tree.h"

struct fdcache {
	struct tree *tree;
	struct handle_mounts *mounts;
	int root_fd;
	pthread_mutex_t lock; /* the clock: ring, used, hand */
	struct inode **ring;
	uint32_t room;
	uint32_t used;
	uint32_t hand;
	uint64_t recovered; /* inodes found again after a stale name or handle */
};

/* A descriptor in use: valid until released. */
struct held_fd {
	int fd;
	bool own;             /* close on release */
	struct inode *pinned; /* unpin on release */
	struct file *file;    /* file_put() on release */
};

int fdcache_init(struct fdcache *cache, struct tree *tree, struct handle_mounts *mounts,
		 int root_fd, uint32_t room);
void fdcache_done(struct fdcache *cache);

/*
 * Finds a descriptor for the inode: at least O_PATH, perhaps a real one.
 * Returns 0, -ESTALE when it can't be reached any more, or what opening it gave.
 */
int fdcache_hold(struct fdcache *cache, struct inode *inode, struct held_fd *ret_held);
void fdcache_release(struct fdcache *cache, struct held_fd *held);

/*
 * Makes sure that the inode has a cached descriptor of its own, by which it stays reachable when
 * its last name is taken away. Best effort: where there is no room, it hasn't.
 */
void fdcache_keep(struct fdcache *cache, struct inode *inode);
/* Closes the cached descriptor unless somebody is using it. */
void fdcache_drop(struct fdcache *cache, struct inode *inode);
/* How many descriptors it holds. */
uint32_t fdcache_used(struct fdcache *cache);
/* Makes room when the process has run out of descriptors. Returns how many it closed. */
uint32_t fdcache_shrink(struct fdcache *cache);

/*
 * Attributes of the inode by the cheapest way. file may be NULL: an open file of it.
 * Returns 0, -ESTALE, or what the file system said.
 */
int fdcache_statx(struct fdcache *cache, struct inode *inode, const struct file *file,
		  struct statx *ret_stx);

#endif
