// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers to the kernel. */
#include "config.h"

#include "weirfs/reply.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "weirfs/kernel_data.h"
#include "weirfs/request.h"
#include "weirfs/weirfs.h"

static struct timespec timespec_of(const struct statx_timestamp *stamp)
{
	return (struct timespec){.tv_sec = stamp->tv_sec, .tv_nsec = stamp->tv_nsec};
}

void reply_stat(struct weirfs *fs, const struct statx *stx, struct stat *ret_stat)
{
	memset(ret_stat, 0, sizeof(*ret_stat));
	ret_stat->st_ino = tree_visible_ino(&fs->tree, statx_dev(stx), stx->stx_ino);
	ret_stat->st_mode = stx->stx_mode;
	ret_stat->st_nlink = stx->stx_nlink;
	ret_stat->st_uid = stx->stx_uid;
	ret_stat->st_gid = stx->stx_gid;
	ret_stat->st_rdev = makedev(stx->stx_rdev_major, stx->stx_rdev_minor);
	ret_stat->st_size = (off_t)stx->stx_size;
	ret_stat->st_blksize = stx->stx_blksize;
	ret_stat->st_blocks = (blkcnt_t)stx->stx_blocks;
	ret_stat->st_atim = timespec_of(&stx->stx_atime);
	ret_stat->st_mtim = timespec_of(&stx->stx_mtime);
	ret_stat->st_ctim = timespec_of(&stx->stx_ctime);
}

static void entry_of(struct request *request, struct fuse_entry_param *ret_entry)
{
	struct weirfs *fs = request->fs;
	struct inode *inode = request->reply.inode;

	memset(ret_entry, 0, sizeof(*ret_entry));
	ret_entry->entry_timeout = fs->options.entry_timeout;
	ret_entry->attr_timeout = fs->options.attr_timeout;
	reply_stat(fs, &request->reply.stx, &ret_entry->attr);
	if (inode == fs->tree.root) {
		ret_entry->ino = FUSE_ROOT_ID;
		return;
	}
	ret_entry->ino = (fuse_ino_t)(uintptr_t)inode;
	ret_entry->generation = inode->id;
}

/* The kernel has taken the entry: the look-up is its own from now on (the root needs none). */
static void entry_taken(struct request *request)
{
	struct tree *tree = &request->fs->tree;

	if (request->reply.inode == tree->root)
		return;
	inode_put(tree, request->reply.inode);
	request->reply.inode = NULL;
}

static void send_entry(struct request *request)
{
	struct fuse_entry_param entry;

	entry_of(request, &entry);
	if (!fuse_reply_entry(request->fuse, &entry))
		entry_taken(request);
}

static void close_unwanted(struct request *request)
{
	struct reply *reply = &request->reply;

	if (reply->file) {
		kernel_data_close(request->fs, reply->file);
		file_put(&request->fs->tree, reply->file);
	}
	dirstream_free(&request->fs->tree, reply->stream);
}

static void send_open(struct request *request)
{
	struct reply *reply = &request->reply;

	reply->fi.fh = reply->stream ? (uint64_t)(uintptr_t)reply->stream
				     : (uint64_t)(uintptr_t)reply->file;
	if (fuse_reply_open(request->fuse, &reply->fi))
		close_unwanted(request);
}

static void send_create(struct request *request)
{
	struct reply *reply = &request->reply;
	struct fuse_entry_param entry;

	entry_of(request, &entry);
	reply->fi.fh = (uint64_t)(uintptr_t)reply->file;
	if (fuse_reply_create(request->fuse, &entry, &reply->fi))
		close_unwanted(request);
	else
		entry_taken(request);
}

static void send_attr(struct request *request)
{
	struct stat attr;

	reply_stat(request->fs, &request->reply.stx, &attr);
	fuse_reply_attr(request->fuse, &attr, request->fs->options.attr_timeout);
}

static void send_statx(struct request *request)
{
#ifdef HAVE_FUSE_STATX
	struct statx stx = request->reply.stx;

	stx.stx_ino = tree_visible_ino(&request->fs->tree, statx_dev(&stx), stx.stx_ino);
	fuse_reply_statx(request->fuse, 0, &stx, request->fs->options.attr_timeout);
#else
	fuse_reply_err(request->fuse, ENOSYS);
#endif
}

static void send_value(struct request *request)
{
	struct reply *reply = &request->reply;
	fuse_req_t fuse = request->fuse;

	switch (reply->kind) {
	case REPLY_ENTRY:
		send_entry(request);
		break;
	case REPLY_ATTR:
		send_attr(request);
		break;
	case REPLY_OPEN:
		send_open(request);
		break;
	case REPLY_CREATE:
		send_create(request);
		break;
	case REPLY_DATA:
		fuse_reply_buf(fuse, reply->data, reply->len);
		break;
	case REPLY_COUNT:
		fuse_reply_write(fuse, reply->len);
		break;
	case REPLY_READLINK:
		fuse_reply_readlink(fuse, reply->data);
		break;
	case REPLY_STATFS:
		fuse_reply_statfs(fuse, &reply->statfs);
		break;
	case REPLY_XATTR_SIZE:
		fuse_reply_xattr(fuse, reply->len);
		break;
	case REPLY_LOCK:
		fuse_reply_lock(fuse, &reply->lock);
		break;
	case REPLY_OFFSET:
		fuse_reply_lseek(fuse, reply->offset);
		break;
	case REPLY_POLL:
		fuse_reply_poll(fuse, reply->revents);
		break;
	case REPLY_IOCTL:
		fuse_reply_ioctl(fuse, reply->ioctl_result, reply->data, reply->len);
		break;
	case REPLY_STATX:
		send_statx(request);
		break;
	case REPLY_STATUS:
	case REPLY_NONE:
	case REPLY_MORE:
		fuse_reply_err(fuse, 0);
		break;
	}
}

/* "No such name", which the kernel may believe for a while. */
static bool send_negative(struct request *request)
{
	struct fuse_entry_param none = {.entry_timeout = request->fs->options.negative_timeout};

	if (request->op.kind != OP_LOOKUP || request->reply.error != -ENOENT ||
	    none.entry_timeout <= 0)
		return false;
	fuse_reply_entry(request->fuse, &none);
	return true;
}

void reply_send(struct request *request)
{
	if (request->reply.kind == REPLY_MORE)
		return;
	if (request->reply.kind == REPLY_NONE)
		fuse_reply_none(request->fuse);
	else if (send_negative(request))
		return;
	else if (request->reply.error)
		fuse_reply_err(request->fuse, -request->reply.error);
	else
		send_value(request);
	if (request->reply.inode)
		tree_not_told(&request->fs->tree, request->reply.inode);
}
