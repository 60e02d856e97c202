// SPDX-License-Identifier: GPL-2.0-or-later
/* Names: looking them up, making them, moving and removing them. */
#include "config.h"

#include "weirfs/back.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.h"
#include "weirfs/recorder.h"

#ifndef RENAME_EXCHANGE
#define RENAME_NOREPLACE (1 << 0)
#define RENAME_EXCHANGE (1 << 1)
#endif

/* How often a name is looked at anew because of renames that run meanwhile. */
#define ENTER_TRIES 8

/* How long closes of a file that are under way are waited for. */
#define RELEASE_WAIT_NS (200 * NS_PER_MS)

/* --- shared by the back_*.c ----------------------------------------------------------------- */

char *back_fd_path(int fd, char room[FD_PATH_ROOM])
{
	snprintf(room, FD_PATH_ROOM, "/proc/self/fd/%d", fd);
	return room;
}

bool back_is_hidden(const struct weirfs *fs, const struct inode *dir, const char *name)
{
	return fs->hidden_name && dir->ino == fs->hidden_ino && dir->dev == fs->hidden_dev &&
	       !strcmp(name, fs->hidden_name);
}

void back_as_caller(struct request *request, unsigned int need)
{
	/* Threads that libfuse starts by itself (io_uring) come here first. */
	if (!ident_thread_ready())
		ident_thread_init(request->fs->options.identity);
	/* On network file systems an open file carries the identity it was opened with. */
	if (request->fs->remote && request->file) {
		if (need == IDENT_NONE)
			return;
		need |= IDENT_OPEN;
	}
	ident_assume(&request->caller, need);
}

void back_as_vetted(struct request *request)
{
	static const struct caller daemon;

	if (request->fs->options.identity == IDENTITY_LOCAL)
		ident_assume(&daemon, IDENT_OWNER);
	else
		back_as_caller(request, IDENT_OWNER);
}

/* Waits a moment for a count to fall to 0. Returns whether it had to. */
static bool await_zero(const uint32_t *count)
{
	const struct timespec nap = {.tv_nsec = (long)NS_PER_MS};
	uint64_t waited = 0;

	while (waited < RELEASE_WAIT_NS && __atomic_load_n(count, __ATOMIC_ACQUIRE)) {
		nanosleep(&nap, NULL);
		waited += NS_PER_MS;
	}
	return waited != 0;
}

bool back_await_releases(const struct inode *inode)
{
	return await_zero(&inode->releasing);
}

bool back_may_use(const struct request *request, const struct file *file)
{
	return file && !request->fs->remote;
}

int back_hold(struct request *request, struct held_fd *ret_held)
{
	return fdcache_hold(&request->fs->fdcache, request->inode, ret_held);
}

void back_release_fd(struct request *request, struct held_fd *held)
{
	fdcache_release(&request->fs->fdcache, held);
}

void back_blocks(struct request *request)
{
	workers_blocking(&request->fs->workers);
}

void back_may_block(struct request *request)
{
	if (request->fs->remote)
		workers_blocking(&request->fs->workers);
}

/* Looks once. Returns -EAGAIN when what it saw may be old, for renames since era. */
static int enter_once(struct request *request, int dir_fd, struct inode *dir, const char *name,
		      const uint64_t *era)
{
	struct tree *tree = &request->fs->tree;
	struct inode *inode;
	int err;

	if (statx(dir_fd, name, AT_SYMLINK_NOFOLLOW, TREE_STATX_MASK, &request->reply.stx))
		return -errno;
	inode = tree_look_up(tree, &request->reply.stx);
	if (!inode)
		return -ENOMEM;
	err = tree_link_since(tree, dir, name, inode, era);
	if (err) {
		tree_not_told(tree, inode);
		return err;
	}
	request->reply.inode = inode;
	request->about = inode_get(inode);
	return 0;
}

/*
 * A rename that runs meanwhile may not have seen that somebody knows what it replaces, and has not
 * kept it reachable: what the name is now is looked at again.
 */
int back_enter(struct request *request, int dir_fd, struct inode *dir, const char *name)
{
	unsigned int tries = 0;
	int err;

	do {
		uint64_t era = tree_era(&request->fs->tree);

		tries++;
		err = enter_once(request, dir_fd, dir, name, tries < ENTER_TRIES ? &era : NULL);
	} while (err == -EAGAIN && tries < ENTER_TRIES);
	return err;
}

/* --- lookup and making ---------------------------------------------------------------------- */

int back_lookup(struct request *request)
{
	const char *name = request->arg.make.name;
	struct held_fd dir;
	int err;

	request->reply.kind = REPLY_ENTRY;
	if (back_is_hidden(request->fs, request->inode, name))
		return -ENOENT;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	err = back_hold(request, &dir);
	if (err)
		return err;
	err = back_enter(request, dir.fd, request->inode, name);
	back_release_fd(request, &dir);
	return err;
}

/* What a new file needs of its maker: groups only if it asks for a set-group-id bit. */
static unsigned int maker_need(mode_t mode)
{
	return IDENT_OWNER | IDENT_UMASK | (mode & S_ISGID ? IDENT_GROUPS : 0u);
}

typedef int (*make_fn)(int dir_fd, const union arguments *arg);

static int do_mknod(int dir_fd, const union arguments *arg)
{
	return mknodat(dir_fd, arg->make.name, arg->make.mode, arg->make.rdev);
}

static int do_mkdir(int dir_fd, const union arguments *arg)
{
	return mkdirat(dir_fd, arg->make.name, arg->make.mode);
}

static int do_symlink(int dir_fd, const union arguments *arg)
{
	return symlinkat(arg->make.target, dir_fd, arg->make.name);
}

static int make(struct request *request, make_fn call)
{
	struct held_fd dir;
	int err = back_hold(request, &dir);

	request->reply.kind = REPLY_ENTRY;
	if (err)
		return err;
	back_as_caller(request, maker_need(request->arg.make.mode));
	back_may_block(request);
	err = call(dir.fd, &request->arg) ? -errno : 0;
	if (!err)
		err = back_enter(request, dir.fd, request->inode, request->arg.make.name);
	back_release_fd(request, &dir);
	return err;
}

int back_mknod(struct request *request)
{
	return make(request, do_mknod);
}

int back_mkdir(struct request *request)
{
	return make(request, do_mkdir);
}

int back_symlink(struct request *request)
{
	return make(request, do_symlink);
}

int back_link(struct request *request)
{
	struct inode *parent = request->arg.rename.new_parent;
	const char *name = request->arg.rename.new_name;
	char path[FD_PATH_ROOM];
	struct held_fd from, dir;
	int err = back_hold(request, &from);

	request->reply.kind = REPLY_ENTRY;
	if (err)
		return err;
	err = fdcache_hold(&request->fs->fdcache, parent, &dir);
	if (!err) {
		back_as_caller(request, IDENT_OWNER);
		back_may_block(request);
		/* By /proc, since AT_EMPTY_PATH needs a capability; also for O_TMPFILE's. */
		if (linkat(AT_FDCWD, back_fd_path(from.fd, path), dir.fd, name, AT_SYMLINK_FOLLOW))
			err = -errno;
		if (!err)
			err = back_enter(request, dir.fd, parent, name);
		back_release_fd(request, &dir);
	}
	back_release_fd(request, &from);
	return err;
}

int back_readlink(struct request *request)
{
	char *buffer = workers_buffer();
	struct held_fd link;
	ssize_t len;
	int err = buffer ? back_hold(request, &link) : -ENOMEM;

	request->reply.kind = REPLY_READLINK;
	if (err)
		return err;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	len = readlinkat(link.fd, "", buffer, PATH_MAX);
	err = len < 0 ? -errno : 0;
	back_release_fd(request, &link);
	if (err)
		return err;
	buffer[len] = '\0';
	request->reply.data = buffer;
	request->reply.len = (size_t)len;
	return 0;
}

/* --- removing and moving -------------------------------------------------------------------- */

/*
 * A descriptor that is open on a file when its name goes keeps its blocks; on NFS it makes the
 * client leave a `.nfsXXXX` file behind. So ours goes first, and closes under way are waited for.
 */
static void let_go(struct weirfs *fs, struct inode *inode)
{
	if (S_ISDIR(inode->type))
		return; /* it may be somebody's working directory */
	fdcache_drop(&fs->fdcache, inode);
	if (!fs->remote)
		return;
	back_await_releases(inode);
}

/* A name of the inode has gone. */
static void name_gone(struct inode *inode)
{
	uint32_t nlink = __atomic_load_n(&inode->nlink, __ATOMIC_RELAXED);

	/* The kernel may hold on to it; whoever gets its number next is another file. */
	if (nlink <= 1 || S_ISDIR(inode->type))
		inode_set(inode, INODE_F_GONE);
	else
		__atomic_store_n(&inode->nlink, nlink - 1, __ATOMIC_RELAXED);
}

static int remove_name(struct request *request, int flags)
{
	struct weirfs *fs = request->fs;
	const char *name = request->arg.make.name;
	struct inode *child = tree_find(&fs->tree, request->inode, name);
	struct held_fd dir;
	int err = back_hold(request, &dir);

	request->about = child; /* its reference goes over */
	if (request->traced)
		recorder_about(request);
	if (err)
		return err;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	if (child) {
		/* A directory stays reachable for those who are in it, as long as they are. */
		if (S_ISDIR(child->type))
			fdcache_keep(&fs->fdcache, child);
		let_go(fs, child);
	}
	err = unlinkat(dir.fd, name, flags) ? -errno : 0;
	/* What is left may be the `.nfsXXXX` of a file whose close is just being answered. */
	if (err == -ENOTEMPTY && fs->remote && await_zero(&fs->releasing))
		err = unlinkat(dir.fd, name, flags) ? -errno : 0;
	back_release_fd(request, &dir);
	if (!err && child)
		name_gone(child);
	if (!err)
		tree_unlink(&fs->tree, request->inode, name, true);
	return err;
}

int back_unlink(struct request *request)
{
	return remove_name(request, 0);
}

int back_rmdir(struct request *request)
{
	if (back_is_hidden(request->fs, request->inode, request->arg.make.name))
		return -EBUSY;
	return remove_name(request, AT_REMOVEDIR);
}

/* What is about to be replaced, kept so that opens of it that are under way still find it. */
static struct inode *keep_replaced(struct request *request)
{
	struct weirfs *fs = request->fs;
	struct inode *target;

	if (request->arg.rename.flags & RENAME_EXCHANGE)
		return NULL;
	target = tree_find(&fs->tree, request->arg.rename.new_parent, request->arg.rename.new_name);
	if (!target)
		return NULL;
	if (fs->remote)
		let_go(fs, target);
	else
		fdcache_keep(&fs->fdcache, target);
	return target;
}

static void note_rename(struct request *request, struct inode *replaced)
{
	struct weirfs *fs = request->fs;
	bool exchange = request->arg.rename.flags & RENAME_EXCHANGE;

	if (replaced && replaced != request->about)
		name_gone(replaced);
	tree_rename(&fs->tree, request->about, request->inode, request->arg.rename.name,
		    request->arg.rename.new_parent, request->arg.rename.new_name, exchange);
	if (request->traced)
		recorder_renamed(request);
}

int back_rename(struct request *request)
{
	struct weirfs *fs = request->fs;
	const char *name = request->arg.rename.name, *new_name = request->arg.rename.new_name;
	struct held_fd from, to;
	struct inode *replaced;
	int err = back_hold(request, &from);

	request->reply.kind = REPLY_STATUS;
	request->about = tree_find(&fs->tree, request->inode, name);
	if (request->traced)
		recorder_about(request);
	if (err)
		return err;
	err = fdcache_hold(&fs->fdcache, request->arg.rename.new_parent, &to);
	if (err) {
		back_release_fd(request, &from);
		return err;
	}
	back_as_caller(request, IDENT_OWNER);
	back_may_block(request);
	tree_renaming(&fs->tree);
	replaced = keep_replaced(request);
	err = renameat2(from.fd, name, to.fd, new_name, request->arg.rename.flags) ? -errno : 0;
	if (!err)
		note_rename(request, replaced);
	inode_put(&fs->tree, replaced);
	back_release_fd(request, &from);
	back_release_fd(request, &to);
	return err;
}
