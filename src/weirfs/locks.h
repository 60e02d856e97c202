/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POSIX locks on the backing files, so that users of the mount and users of the source (or other
 * clients of the server) exclude each other.
 *
 * A lock owner (a process, to the kernel) gets an open file description of its own for each file
 * it locks; its locks are OFD locks on it. What each owner holds is remembered too, for what OFD
 * locks can't tell: the pid that F_GETLK reports, and deadlocks. A lock that is not free is asked
 * for again whenever one is given back here, and from time to time for those outside; no thread
 * waits for it.
 */
#ifndef WEIRFS_LOCKS_H
#define WEIRFS_LOCKS_H

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>

struct file;
struct inode;
struct lock_waiter;
struct request;
struct weirfs;

struct locks {
	struct weirfs *fs;
	pthread_mutex_t lock; /* inode->lock_owners, what they hold, and the waiters */
	struct lock_waiter *waiters;
};

void locks_init(struct locks *locks, struct weirfs *fs);
void locks_done(struct locks *locks);

/* F_GETLK: request->arg.lock.lock becomes what fcntl(2) tells. Returns 0 or -errno. */
int locks_test(struct locks *locks, struct request *request);
/* F_SETLK: takes or gives back at once. Returns 0, -EAGAIN, or -errno. */
int locks_set(struct request *request);
/* flock(2) on the open file itself, without waiting. Returns 0, -EAGAIN, or -errno. */
int locks_flock(struct request *request);
/*
 * Waits for what try() (one of the two above) could not get at once.
 * Returns BACK_PARKED, -EDEADLK or -ENOLCK.
 */
int locks_wait(struct locks *locks, struct request *request, int (*try)(struct request *request));

/* A close by this owner gives all its locks on the file back. */
void locks_closed(struct locks *locks, struct inode *inode, uint64_t owner);
/* An open file goes, and with it the owners that locked through it. */
void locks_released(struct locks *locks, const struct file *file);
/* Something may have come free. */
void locks_wake(struct locks *locks, const struct inode *inode);
/* Frees the owners of an inode that is freed itself, at the end of the mount. */
void locks_forget(struct inode *inode);

#endif
