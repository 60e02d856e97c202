// SPDX-License-Identifier: GPL-2.0-or-later
/* POSIX locks on the backing files: owners, what they hold, and who waits for it. */
#include "config.h"

#include "weirfs/locks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "weirfs/back.h"
#include "weirfs/lock_ranges.h"

/* How long a chain of owners that wait for each other is followed. */
#define DEADLOCK_DEPTH 32

struct lock_owner {
	struct lock_owner *next; /* on the same inode */
	struct inode *inode;     /* a reference */
	const struct file *file; /* through which it locked: only to compare with */
	uint64_t id;
	pid_t pid;
	int fd; /* its own open file description */
	uint32_t refs;
	pthread_mutex_t busy; /* keeps the system call and what is remembered of it together */
	struct lock_range *ranges;
};

struct lock_waiter {
	struct lock_waiter *next;
	struct request *parked;
	struct inode *inode;
	uint64_t owner;
	bool posix;
	struct flock want;
};

void locks_init(struct locks *locks, struct weirfs *fs)
{
	locks->fs = fs;
	locks->waiters = NULL;
	pthread_mutex_init(&locks->lock, NULL);
}

void locks_done(struct locks *locks)
{
	pthread_mutex_destroy(&locks->lock);
}

static void free_owner(struct lock_owner *owner)
{
	close(owner->fd);
	lock_ranges_free(owner->ranges);
	pthread_mutex_destroy(&owner->busy);
	free(owner);
}

void locks_forget(struct inode *inode)
{
	while (inode->lock_owners) {
		struct lock_owner *owner = inode->lock_owners;

		inode->lock_owners = owner->next;
		free_owner(owner);
	}
}

/* --- owners --------------------------------------------------------------------------------- */

/* Under locks->lock. */
static struct lock_owner *find_owner(const struct inode *inode, uint64_t id)
{
	struct lock_owner *owner = inode->lock_owners;

	while (owner && owner->id != id)
		owner = owner->next;
	return owner;
}

static int open_again(const struct request *request)
{
	char path[FD_PATH_ROOM];
	int flags = (request->file->flags & O_ACCMODE) | O_CLOEXEC | O_NONBLOCK;
	int fd;

	back_fd_path(request->file->fd, path);
	/* For read and write locks, through whichever of its descriptors the owner asks. */
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		fd = open(path, flags);
	return fd < 0 ? -errno : fd;
}

static struct lock_owner *new_owner(struct request *request)
{
	struct lock_owner *owner = calloc(1, sizeof(*owner));
	int fd = owner ? open_again(request) : -1;

	if (fd < 0) {
		free(owner);
		return NULL;
	}
	owner->inode = inode_get(request->inode);
	owner->id = request->arg.lock.owner;
	owner->fd = fd;
	owner->refs = 1;
	pthread_mutex_init(&owner->busy, NULL);
	return owner;
}

/* Finds or makes the owner of a request, with a reference. */
static struct lock_owner *get_owner(struct locks *locks, struct request *request, bool make)
{
	struct lock_owner *owner, *fresh = NULL;

	pthread_mutex_lock(&locks->lock);
	owner = find_owner(request->inode, request->arg.lock.owner);
	if (!owner && make) {
		pthread_mutex_unlock(&locks->lock);
		fresh = new_owner(request);
		pthread_mutex_lock(&locks->lock);
		owner = find_owner(request->inode, request->arg.lock.owner);
		if (!owner && fresh) {
			owner = fresh;
			fresh = NULL;
			owner->next = request->inode->lock_owners;
			request->inode->lock_owners = owner;
		}
	}
	if (owner)
		owner->refs++;
	pthread_mutex_unlock(&locks->lock);
	if (fresh) {
		inode_put(&locks->fs->tree, fresh->inode);
		free_owner(fresh);
	}
	return owner;
}

static void put_owner(struct locks *locks, struct lock_owner *owner)
{
	struct inode *inode = owner->inode;
	bool last;

	pthread_mutex_lock(&locks->lock);
	last = !--owner->refs;
	pthread_mutex_unlock(&locks->lock);
	if (!last)
		return;
	free_owner(owner);
	/* Closing its description gave its locks back. */
	locks_wake(locks, inode);
	inode_put(&locks->fs->tree, inode);
}

/* Takes an owner off its inode. Under locks->lock; its reference is then the caller's. */
static struct lock_owner *unlist(struct lock_owner **slot)
{
	struct lock_owner *owner = *slot;

	*slot = owner->next;
	return owner;
}

typedef bool (*choose_fn)(const struct lock_owner *owner, const void *arg);

/* Drops all owners on an inode that are chosen. */
static void drop_owners(struct locks *locks, struct inode *inode, choose_fn choose, const void *arg)
{
	struct lock_owner *dropped = NULL, **slot;

	if (!inode_has(inode, INODE_F_LOCKED))
		return;
	pthread_mutex_lock(&locks->lock);
	for (slot = &inode->lock_owners; *slot;) {
		if (choose(*slot, arg)) {
			struct lock_owner *owner = unlist(slot);

			owner->next = dropped;
			dropped = owner;
		} else {
			slot = &(*slot)->next;
		}
	}
	pthread_mutex_unlock(&locks->lock);
	while (dropped) {
		struct lock_owner *owner = dropped;

		dropped = owner->next;
		put_owner(locks, owner);
	}
}

static bool has_id(const struct lock_owner *owner, const void *arg)
{
	return owner->id == *(const uint64_t *)arg;
}

static bool locked_through(const struct lock_owner *owner, const void *arg)
{
	return owner->file == arg;
}

void locks_closed(struct locks *locks, struct inode *inode, uint64_t owner)
{
	drop_owners(locks, inode, has_id, &owner);
}

void locks_released(struct locks *locks, const struct file *file)
{
	drop_owners(locks, file->inode, locked_through, file);
}

/* --- taking and testing --------------------------------------------------------------------- */

static int set_by_owner(struct locks *locks, struct request *request, struct lock_owner *owner)
{
	struct flock lock = request->arg.lock.lock;
	int err;

	lock.l_pid = 0;
	pthread_mutex_lock(&owner->busy);
	err = fcntl(owner->fd, F_OFD_SETLK, &lock) ? -errno : 0;
	if (!err) {
		pthread_mutex_lock(&locks->lock);
		err = lock_ranges_set(&owner->ranges, &lock);
		if (lock.l_type != F_UNLCK) {
			owner->pid = request->arg.lock.lock.l_pid;
			owner->file = request->file;
		}
		pthread_mutex_unlock(&locks->lock);
	}
	pthread_mutex_unlock(&owner->busy);
	return err == -EACCES ? -EAGAIN : err;
}

int locks_set(struct request *request)
{
	struct locks *locks = &request->fs->locks;
	bool unlock = request->arg.lock.lock.l_type == F_UNLCK;
	struct lock_owner *owner = get_owner(locks, request, !unlock);
	int err;

	if (!owner)
		return unlock ? 0 : -ENOLCK;
	/* From now on closes of this file are looked at. */
	inode_set(request->inode, INODE_F_LOCKED);
	err = set_by_owner(locks, request, owner);
	put_owner(locks, owner);
	/* A write lock that has become a read lock frees something too. */
	if (!err && request->arg.lock.lock.l_type != F_WRLCK)
		locks_wake(locks, request->inode);
	return err;
}

/* Who of us it is that the kernel found in the way. */
static pid_t holder_of(struct locks *locks, const struct request *request, const struct flock *lock)
{
	pid_t pid = lock->l_pid;

	pthread_mutex_lock(&locks->lock);
	for (const struct lock_owner *o = request->inode->lock_owners; o; o = o->next) {
		if (o->id != request->arg.lock.owner &&
		    lock_ranges_conflict(o->ranges, &request->arg.lock.lock))
			pid = o->pid;
	}
	pthread_mutex_unlock(&locks->lock);
	return pid;
}

int locks_test(struct locks *locks, struct request *request)
{
	struct lock_owner *owner = get_owner(locks, request, false);
	struct flock lock = request->arg.lock.lock;
	int err;

	lock.l_pid = 0;
	err = fcntl(owner ? owner->fd : request->file->fd, F_OFD_GETLK, &lock) ? -errno : 0;
	if (!err && lock.l_type != F_UNLCK)
		lock.l_pid = holder_of(locks, request, &lock);
	if (owner)
		put_owner(locks, owner);
	request->arg.lock.lock = lock;
	return err;
}

int locks_flock(struct request *request)
{
	int operation = request->arg.lock.operation;

	if (flock(request->file->fd, operation | LOCK_NB))
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	if ((operation & ~LOCK_NB) != LOCK_EX)
		locks_wake(&request->fs->locks, request->inode);
	return 0;
}

/* --- waiting -------------------------------------------------------------------------------- */

/* Under locks->lock. */
static bool waits_for(const struct locks *locks, const struct inode *inode,
		      const struct flock *want, uint64_t waiter, uint64_t goal, int depth)
{
	for (const struct lock_owner *o = inode->lock_owners; o; o = o->next) {
		if (o->id == waiter || !lock_ranges_conflict(o->ranges, want))
			continue;
		if (o->id == goal)
			return true;
		for (const struct lock_waiter *w = locks->waiters; w && depth; w = w->next) {
			if (w->posix && w->owner == o->id &&
			    waits_for(locks, w->inode, &w->want, w->owner, goal, depth - 1))
				return true;
		}
	}
	return false;
}

static void remove_waiter(struct locks *locks, const struct request *parked)
{
	struct lock_waiter **slot = &locks->waiters, *waiter = NULL;

	pthread_mutex_lock(&locks->lock);
	while (*slot && (*slot)->parked != parked)
		slot = &(*slot)->next;
	if (*slot) {
		waiter = *slot;
		__atomic_store_n(slot, waiter->next, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&locks->lock);
	free(waiter);
}

static int try_again(struct request *request, int (*try)(struct request *request))
{
	struct locks *locks = &request->fs->locks;
	int err = try(request);

	if (err == -EAGAIN && request_interrupted(request))
		err = -EINTR;
	if (err != -EAGAIN)
		remove_waiter(locks, request);
	return err;
}

static int retry_posix(struct request *request)
{
	return try_again(request, locks_set);
}

static int retry_flock(struct request *request)
{
	return try_again(request, locks_flock);
}

int locks_wait(struct locks *locks, struct request *request, int (*try)(struct request *request))
{
	bool posix = try == locks_set;
	struct lock_waiter *waiter = calloc(1, sizeof(*waiter));
	int err = BACK_PARKED;

	if (!waiter)
		return -ENOLCK;
	*waiter = (struct lock_waiter){.inode = request->inode,
				       .owner = request->arg.lock.owner,
				       .posix = posix,
				       .want = request->arg.lock.lock};
	pthread_mutex_lock(&locks->lock);
	if (posix && waits_for(locks, request->inode, &waiter->want, waiter->owner, waiter->owner,
			       DEADLOCK_DEPTH))
		err = -EDEADLK;
	if (err == BACK_PARKED) {
		waiter->parked = delayq_put_retry(&request->fs->waitq, request,
						  posix ? retry_posix : retry_flock);
		err = waiter->parked ? BACK_PARKED : -ENOLCK;
	}
	if (err == BACK_PARKED) {
		waiter->next = locks->waiters;
		__atomic_store_n(&locks->waiters, waiter, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&locks->lock);
	if (err != BACK_PARKED)
		free(waiter);
	return err;
}

void locks_wake(struct locks *locks, const struct inode *inode)
{
	if (!__atomic_load_n(&locks->waiters, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&locks->lock);
	for (struct lock_waiter *waiter = locks->waiters; waiter; waiter = waiter->next) {
		if (waiter->inode == inode)
			delayq_wake(&locks->fs->waitq, waiter->parked);
	}
	pthread_mutex_unlock(&locks->lock);
}
