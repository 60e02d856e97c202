// SPDX-License-Identifier: GPL-2.0-or-later
/* A bounded cache of O_PATH descriptors, and the ways to an inode that has none. */
#include "config.h"

#include "weirfs/fdcache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weirfs/file.h"

#define PIN_EVICTING (1u << 31) /* the descriptor is being taken away */
#define PIN_RECENT (1u << 30)   /* used since the clock's hand passed */
#define PIN_COUNT (PIN_RECENT - 1)

int fdcache_init(struct fdcache *cache, struct tree *tree, struct handle_mounts *mounts,
		 int root_fd, uint32_t room)
{
	memset(cache, 0, sizeof(*cache));
	cache->ring = calloc(room, sizeof(*cache->ring));
	if (!cache->ring)
		return -ENOMEM;
	cache->tree = tree;
	cache->mounts = mounts;
	cache->root_fd = root_fd;
	cache->room = room;
	pthread_mutex_init(&cache->lock, NULL);
	return 0;
}

void fdcache_done(struct fdcache *cache)
{
	if (!cache->ring)
		return;
	pthread_mutex_destroy(&cache->lock);
	free(cache->ring);
}

/* --- pins and the clock --------------------------------------------------------------------- */

static bool pin(struct inode *inode)
{
	uint32_t pins = __atomic_load_n(&inode->pins, __ATOMIC_RELAXED);

	do {
		if ((pins & PIN_EVICTING) || __atomic_load_n(&inode->fd, __ATOMIC_RELAXED) < 0)
			return false;
	} while (!__atomic_compare_exchange_n(&inode->pins, &pins, (pins + 1) | PIN_RECENT, true,
					      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
	/* It may have gone and come between the look and the pin: only now it stays. */
	if (__atomic_load_n(&inode->fd, __ATOMIC_RELAXED) >= 0)
		return true;
	__atomic_fetch_sub(&inode->pins, 1, __ATOMIC_RELEASE);
	return false;
}

static void unpin(struct inode *inode)
{
	__atomic_fetch_sub(&inode->pins, 1, __ATOMIC_RELEASE);
}

/* Takes the descriptor out if nobody uses it; the caller holds cache->lock and closes it later. */
static int evict(struct fdcache *cache, struct inode *inode, bool even_recent)
{
	uint32_t pins = __atomic_load_n(&inode->pins, __ATOMIC_RELAXED);
	struct inode *last;
	int fd;

	if ((pins & PIN_RECENT) && !even_recent) {
		__atomic_fetch_and(&inode->pins, ~PIN_RECENT, __ATOMIC_RELAXED);
		return -1;
	}
	if ((pins & (PIN_COUNT | PIN_EVICTING)) ||
	    !__atomic_compare_exchange_n(&inode->pins, &pins, PIN_EVICTING, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return -1;
	fd = inode->fd;
	__atomic_store_n(&inode->fd, -1, __ATOMIC_RELAXED);
	last = cache->ring[--cache->used];
	cache->ring[inode->clock_slot] = last;
	last->clock_slot = inode->clock_slot;
	__atomic_fetch_and(&inode->flags, ~(uint32_t)INODE_F_IN_CLOCK, __ATOMIC_RELAXED);
	__atomic_store_n(&inode->pins, 0, __ATOMIC_RELEASE);
	return fd;
}

/* Turns the hand until a descriptor comes free or it has been twice round. */
static int evict_one(struct fdcache *cache)
{
	int fd = -1;

	for (uint32_t turns = 2 * cache->used; turns && cache->used && fd < 0; turns--) {
		cache->hand = (cache->hand + 1) % cache->used;
		fd = evict(cache, cache->ring[cache->hand], false);
	}
	return fd;
}

/* Puts a new descriptor into the cache, pinned. Returns false when it has to stay the caller's. */
static bool install(struct fdcache *cache, struct inode *inode, int fd)
{
	int evicted = -1;
	bool installed = false;

	pthread_mutex_lock(&cache->lock);
	if (cache->used == cache->room)
		evicted = evict_one(cache);
	if (!inode_has(inode, INODE_F_IN_CLOCK) && cache->used < cache->room) {
		inode->clock_slot = cache->used;
		cache->ring[cache->used++] = inode;
		inode_set(inode, INODE_F_IN_CLOCK);
		/* Failed pins may come and go meanwhile: add ours, don't overwrite theirs. */
		__atomic_fetch_add(&inode->pins, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&inode->fd, fd, __ATOMIC_RELEASE);
		installed = true;
	}
	pthread_mutex_unlock(&cache->lock);
	if (evicted >= 0)
		close(evicted);
	return installed;
}

void fdcache_drop(struct fdcache *cache, struct inode *inode)
{
	int fd = -1;

	if (!inode_has(inode, INODE_F_IN_CLOCK))
		return;
	pthread_mutex_lock(&cache->lock);
	if (inode_has(inode, INODE_F_IN_CLOCK))
		fd = evict(cache, inode, true);
	pthread_mutex_unlock(&cache->lock);
	if (fd >= 0)
		close(fd);
}

uint32_t fdcache_used(struct fdcache *cache)
{
	uint32_t used;

	pthread_mutex_lock(&cache->lock);
	used = cache->used;
	pthread_mutex_unlock(&cache->lock);
	return used;
}

uint32_t fdcache_shrink(struct fdcache *cache)
{
	uint32_t closed = 0, wanted = cache->room / 4 + 1;

	while (closed < wanted) {
		int fd;

		pthread_mutex_lock(&cache->lock);
		fd = evict_one(cache);
		pthread_mutex_unlock(&cache->lock);
		if (fd < 0)
			break;
		close(fd);
		closed++;
	}
	return closed;
}

/* --- ways to an inode ----------------------------------------------------------------------- */

static int hold(struct fdcache *cache, struct inode *inode, unsigned int depth,
		struct held_fd *ret_held);

static int statx_fd(int fd, struct statx *ret_stx)
{
	return statx(fd, "", AT_EMPTY_PATH, TREE_STATX_MASK, ret_stx) ? -errno : 0;
}

/* Opens a name and makes sure that it is the inode. */
static int open_name(struct fdcache *cache, struct inode *parent, const char *name,
		     const struct inode *inode, unsigned int depth)
{
	struct held_fd dir;
	struct statx stx;
	int err = hold(cache, parent, depth + 1, &dir);
	int fd;

	if (err)
		return err;
	fd = openat(dir.fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	err = fd < 0 ? -errno : statx_fd(fd, &stx);
	fdcache_release(cache, &dir);
	if (!err && !inode_is(inode, &stx))
		err = -ESTALE;
	if (err == -ENOENT || err == -ENOTDIR)
		err = -ESTALE;
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

/* Tries the known names one after the other; those that no longer hold are dropped. */
static int open_by_name(struct fdcache *cache, struct inode *inode, unsigned int depth)
{
	char name[NAME_MAX + 1];
	struct inode *parent;
	bool tried = false;

	if (depth > TREE_DEPTH_MAX)
		return -ESTALE;
	while (!tree_name(cache->tree, inode, &parent, name)) {
		int fd = open_name(cache, parent, name, inode, depth);

		if (fd == -ESTALE)
			tree_unlink(cache->tree, parent, name, true);
		inode_put(cache->tree, parent);
		if (fd >= 0 && tried)
			__atomic_fetch_add(&cache->recovered, 1, __ATOMIC_RELAXED);
		if (fd != -ESTALE)
			return fd;
		tried = true;
	}
	return -ESTALE;
}

static int open_path(struct fdcache *cache, struct inode *inode, unsigned int depth)
{
	const struct handle *handle = __atomic_load_n(&inode->handle, __ATOMIC_ACQUIRE);
	int fd = -ESTALE;

	if (handle)
		fd = handle_open(handle, O_PATH | O_NOFOLLOW);
	if (fd == -ESTALE || fd == -EPERM || fd == -EOPNOTSUPP)
		fd = open_by_name(cache, inode, depth);
	return fd;
}

/* Directories are remembered by handle: their names may be many levels away from the truth. */
static void remember_handle(struct fdcache *cache, struct inode *inode, int fd)
{
	struct handle *handle, *none = NULL;

	if (!S_ISDIR(inode->type) || __atomic_load_n(&inode->handle, __ATOMIC_RELAXED))
		return;
	handle = handle_of(cache->mounts, fd);
	if (handle && !__atomic_compare_exchange_n(&inode->handle, &none, handle, false,
						   __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		handle_free(handle);
}

static int hold(struct fdcache *cache, struct inode *inode, unsigned int depth,
		struct held_fd *ret_held)
{
	struct held_fd held = {.fd = cache->root_fd};
	int fd;

	if (inode == cache->tree->root) {
		*ret_held = held;
		return 0;
	}
	if (pin(inode)) {
		held.fd = __atomic_load_n(&inode->fd, __ATOMIC_RELAXED);
		held.pinned = inode;
		*ret_held = held;
		return 0;
	}
	held.file = file_any(cache->tree, inode);
	if (held.file) {
		held.fd = held.file->fd;
		*ret_held = held;
		return 0;
	}
	fd = open_path(cache, inode, depth);
	if ((fd == -EMFILE || fd == -ENFILE) && fdcache_shrink(cache))
		fd = open_path(cache, inode, depth);
	if (fd < 0)
		return fd;
	remember_handle(cache, inode, fd);
	held.fd = fd;
	if (install(cache, inode, fd))
		held.pinned = inode;
	else
		held.own = true;
	*ret_held = held;
	return 0;
}

void fdcache_keep(struct fdcache *cache, struct inode *inode)
{
	int fd;

	if (inode == cache->tree->root)
		return;
	if (!pin(inode)) {
		/* Not through an open file, as hold() would: that one may be closed first. */
		fd = open_path(cache, inode, 0);
		if (fd < 0)
			return;
		if (!install(cache, inode, fd)) {
			close(fd);
			return;
		}
	}
	unpin(inode);
}

int fdcache_hold(struct fdcache *cache, struct inode *inode, struct held_fd *ret_held)
{
	return hold(cache, inode, 0, ret_held);
}

void fdcache_release(struct fdcache *cache, struct held_fd *held)
{
	if (held->pinned)
		unpin(held->pinned);
	if (held->file)
		file_put(cache->tree, held->file);
	if (held->own)
		close(held->fd);
}

/* --- attributes ----------------------------------------------------------------------------- */

/* One fstatat by a name, without opening anything. */
static int statx_by_name(struct fdcache *cache, struct inode *inode, struct statx *ret_stx)
{
	char name[NAME_MAX + 1];
	struct inode *parent;
	struct held_fd dir;
	int err = tree_name(cache->tree, inode, &parent, name);

	if (err)
		return -ESTALE;
	err = fdcache_hold(cache, parent, &dir);
	if (!err) {
		err = statx(dir.fd, name, AT_SYMLINK_NOFOLLOW, TREE_STATX_MASK, ret_stx) ? -errno
											 : 0;
		fdcache_release(cache, &dir);
	}
	inode_put(cache->tree, parent);
	if (!err && !inode_is(inode, ret_stx))
		err = -ESTALE;
	return err;
}

int fdcache_statx(struct fdcache *cache, struct inode *inode, const struct file *file,
		  struct statx *ret_stx)
{
	struct held_fd held;
	int err;

	if (file)
		return statx_fd(file->fd, ret_stx);
	/* Directories keep a descriptor: they are about to be looked into. */
	if (!S_ISDIR(inode->type) && !__atomic_load_n(&inode->files, __ATOMIC_RELAXED) &&
	    __atomic_load_n(&inode->fd, __ATOMIC_RELAXED) < 0 &&
	    !statx_by_name(cache, inode, ret_stx))
		return 0;
	err = fdcache_hold(cache, inode, &held);
	if (err)
		return err;
	err = statx_fd(held.fd, ret_stx);
	fdcache_release(cache, &held);
	return err;
}
