// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening and closing files. */
#include "config.h"

#include "weirfs/back.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/clock.h"
#include "weirfs/kernel_data.h"
#include "weirfs/recorder.h"

/* Flags that the kernel has dealt with before it sends an open. */
#define HANDLED_FLAGS (O_CREAT | O_EXCL | O_NOCTTY | O_NOFOLLOW | O_DIRECTORY)

static uint64_t mtime_ns(const struct statx *stx)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): filled when opened */
	return (uint64_t)stx->stx_mtime.tv_sec * NS_PER_S + stx->stx_mtime.tv_nsec;
}

/* Close-to-open: cached pages stay if the file is as it was when they were known to be right. */
static bool pages_hold(struct inode *inode, const struct statx *stx)
{
	uint64_t mtime = mtime_ns(stx), size = stx->stx_size;
	bool same = __atomic_exchange_n(&inode->seen_mtime_ns, mtime, __ATOMIC_RELAXED) == mtime;

	return __atomic_exchange_n(&inode->seen_size, size, __ATOMIC_RELAXED) == size && same;
}

/*
 * Where others may append too, the kernel doesn't know where an append lands: it would keep what
 * it wrote in pages of another place, and send one that crosses its pages in two requests, between
 * which others get in. So appends bypass its pages.
 */
static bool appends_past_cache(const struct weirfs *fs, int flags)
{
	return (flags & O_APPEND) && fs->mmap_direct && (fs->remote || !fs->in_place);
}

/* How the kernel is to treat the open file. */
static void choose_caching(struct request *request, struct inode *inode, const struct statx *stx,
			   int flags)
{
	struct weirfs *fs = request->fs;
	struct fuse_file_info *fi = &request->reply.fi;
	bool hold = pages_hold(inode, stx);

	fi->direct_io = fs->options.cache == CACHE_NONE || appends_past_cache(fs, flags);
	fi->keep_cache =
		fs->options.cache == CACHE_ALWAYS || (fs->options.cache == CACHE_AUTO && hold);
#ifdef HAVE_FUSE_PARALLEL_DIRECT_WRITES
	/* Appends must not overtake each other, and one that extends the file takes the lock
	 * anyway. */
	fi->parallel_direct_writes = !(flags & O_APPEND);
#else
	(void)flags;
#endif
#ifdef HAVE_FUSE_NOFLUSH
	fi->noflush = !fs->flush;
#endif
}

/* Makes the open file of a fresh descriptor; the descriptor is closed when it can't. */
static int finish_open(struct request *request, struct inode *inode, int fd,
		       const struct statx *stx)
{
	struct file *file = file_new(&request->fs->tree, inode, fd, request->arg.make.flags);

	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	file->traced = recorder_handle_era(request);
	request->reply.file = file;
	request->handle = file->id;
	choose_caching(request, inode, stx, request->arg.make.flags);
	kernel_data_open(request, file, stx->stx_mode);
	return 0;
}

/* --- open ----------------------------------------------------------------------------------- */

/* Opens the inode by a name, and makes sure that it is it. Returns a descriptor or -errno. */
static int open_by_name(struct request *request, int flags, struct statx *ret_stx)
{
	struct weirfs *fs = request->fs;
	char name[NAME_MAX + 1];
	struct inode *parent;
	struct held_fd dir;
	int fd, err = tree_name(&fs->tree, request->inode, &parent, name);

	if (err)
		return -ESTALE;
	err = fdcache_hold(&fs->fdcache, parent, &dir);
	inode_put(&fs->tree, parent);
	if (err)
		return err;
	/* Not blocking, in case it has become a FIFO underneath; regular files don't care. */
	fd = openat(dir.fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	if (!err && statx(fd, "", AT_EMPTY_PATH, TREE_STATX_MASK, ret_stx))
		err = -errno;
	if (!err && !inode_is(request->inode, ret_stx))
		err = -ESTALE;
	back_release_fd(request, &dir);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

/* Opens it through a descriptor that we have or find: slower, but also without any name. */
static int open_by_descriptor(struct request *request, int flags, struct statx *ret_stx)
{
	char path[FD_PATH_ROOM];
	struct held_fd held;
	int fd, err = back_hold(request, &held);

	if (err)
		return err;
	fd = open(back_fd_path(held.fd, path), flags | O_NONBLOCK | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	if (!err && statx(fd, "", AT_EMPTY_PATH, TREE_STATX_MASK, ret_stx))
		err = -errno;
	back_release_fd(request, &held);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

static int open_any_way(struct request *request, int flags, struct statx *ret_stx)
{
	int fd = -ESTALE;

	/* Truncating must not hit a file that has taken the name meanwhile. */
	if (!(flags & O_TRUNC))
		fd = open_by_name(request, flags, ret_stx);
	if (fd == -ESTALE || fd == -ENOENT || fd == -ELOOP || fd == -ENXIO)
		fd = open_by_descriptor(request, flags, ret_stx);
	if (fd == -ENOENT)
		fd = -ESTALE; /* makes the kernel look the name up again */
	return fd;
}

int back_open(struct request *request)
{
	int flags = request->arg.make.flags & ~HANDLED_FLAGS;
	unsigned int need = flags & O_TRUNC ? IDENT_OWNER : IDENT_NONE;
	struct statx stx;
	int fd;

	request->reply.kind = REPLY_OPEN;
	back_as_caller(request, need | (request->arg.make.kill_suidgid ? IDENT_KILL : 0u));
	back_may_block(request);
	fd = open_any_way(request, flags, &stx);
	if ((fd == -EMFILE || fd == -ENFILE) && fdcache_shrink(&request->fs->fdcache))
		fd = open_any_way(request, flags, &stx);
	if (fd < 0)
		return fd;
	return finish_open(request, request->inode, fd, &stx);
}

/* --- create --------------------------------------------------------------------------------- */

/* The new file's entry, by its descriptor. */
static int enter_new(struct request *request, int fd)
{
	struct tree *tree = &request->fs->tree;
	struct reply *reply = &request->reply;

	if (statx(fd, "", AT_EMPTY_PATH, TREE_STATX_MASK, &reply->stx))
		return -errno;
	reply->inode = tree_look_up(tree, &reply->stx);
	if (!reply->inode)
		return -ENOMEM;
	request->about = inode_get(reply->inode);
	if (!request->arg.make.name)
		return 0;
	return tree_link(tree, request->inode, request->arg.make.name, reply->inode);
}

static int create_at(struct request *request, int dir_fd)
{
	int flags = (request->arg.make.flags & ~HANDLED_FLAGS) | O_CLOEXEC;
	int exclusive = request->arg.make.flags & O_EXCL;

	if (!request->arg.make.name)
		return openat(dir_fd, ".", flags | O_TMPFILE | exclusive, request->arg.make.mode);
	/*
	 * The kernel believes that there is no such file, and so nobody has checked whether the
	 * caller may open it: one that has come meanwhile is not opened here. The server of a
	 * network file system checks for itself.
	 */
	if (!request->fs->remote)
		exclusive = O_EXCL;
	return openat(dir_fd, request->arg.make.name, flags | O_CREAT | O_NOFOLLOW | exclusive,
		      request->arg.make.mode);
}

static int create_once(struct request *request, int dir_fd)
{
	int fd = create_at(request, dir_fd);

	if (fd >= 0)
		return fd;
	/* The kernel looks the name up again and opens what it finds. */
	if (errno == EEXIST && !(request->arg.make.flags & O_EXCL))
		return -ESTALE;
	return -errno;
}

int back_create(struct request *request)
{
	mode_t mode = request->arg.make.mode;
	struct held_fd dir;
	int fd, err = back_hold(request, &dir);

	request->reply.kind = REPLY_CREATE;
	if (err)
		return err;
	back_as_caller(request, IDENT_OWNER | IDENT_UMASK | (mode & S_ISGID ? IDENT_GROUPS : 0u));
	back_may_block(request);
	fd = create_once(request, dir.fd);
	if ((fd == -EMFILE || fd == -ENFILE) && fdcache_shrink(&request->fs->fdcache))
		fd = create_once(request, dir.fd);
	back_release_fd(request, &dir);
	if (fd < 0)
		return fd;
	err = enter_new(request, fd);
	if (err)
		close(fd);
	else
		err = finish_open(request, request->reply.inode, fd, &request->reply.stx);
	return err;
}

int back_tmpfile(struct request *request)
{
	request->arg.make.name = NULL;
	return back_create(request);
}

/* --- closing -------------------------------------------------------------------------------- */

int back_flush(struct request *request)
{
	struct weirfs *fs = request->fs;
	int copy, err = 0;

	request->reply.kind = REPLY_STATUS;
	locks_closed(&fs->locks, request->inode, request->arg.misc.owner);
	if (!fs->remote)
		return 0;
	/* What a close would report: a network file system writes back now. */
	back_as_caller(request, IDENT_NONE);
	back_blocks(request);
	copy = dup(request->file->fd);
	if (copy < 0 || close(copy))
		err = -errno;
	return err;
}

int back_release(struct request *request)
{
	struct weirfs *fs = request->fs;
	struct file *file = request->file;

	request->reply.kind = REPLY_STATUS;
	back_may_block(request);
	kernel_data_close(fs, file);
	locks_released(&fs->locks, file);
	request->file = NULL;
	file_put(&fs->tree, file);
	/* The close gave its flock(2) back. */
	locks_wake(&fs->locks, request->inode);
	__atomic_fetch_sub(&request->inode->releasing, 1, __ATOMIC_RELEASE);
	__atomic_fetch_sub(&fs->releasing, 1, __ATOMIC_RELEASE);
	return 0;
}
