// SPDX-License-Identifier: GPL-2.0-or-later
/* FUSE callbacks for names, attributes and directories. */
#include "config.h"

#include "weirfs/front.h"

#include <stddef.h>

struct inode *front_inode(struct weirfs *fs, fuse_ino_t node)
{
	return node == FUSE_ROOT_ID ? fs->tree.root : (struct inode *)(uintptr_t)node;
}

void front_begin(struct request *request, fuse_req_t fuse, enum op_kind kind, fuse_ino_t node)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(fuse);
	struct weirfs *fs = fuse_req_userdata(fuse);

	/* The attributes and the union behind them are written by whoever replies with them. */
	memset(request, 0, offsetof(struct request, reply.stx));
	memset(&request->reply.fi, 0, sizeof(*request) - offsetof(struct request, reply.fi));
	request->fs = fs;
	request->fuse = fuse;
	request->inode = inode_get(front_inode(fs, node));
	request->caller = (struct caller){.uid = ctx->uid,
					  .gid = ctx->gid,
					  .pid = ctx->pid,
					  .umask = ctx->umask};
	request->op.kind = (uint8_t)kind;
	request->op.pid = (uint32_t)ctx->pid;
	request->op.uid = ctx->uid;
	request->op.gid = ctx->gid;
}

void front_lookup(fuse_req_t fuse, fuse_ino_t parent, const char *name)
{
	struct request request;

	front_begin(&request, fuse, OP_LOOKUP, parent);
	request.arg.make.name = name;
	request_run(&request, back_lookup);
}

/* A forget has no reply to measure, but it is an operation: counted for the file. */
static int forget_nothing(struct request *request)
{
	(void)request;
	return 0;
}

void front_forget(fuse_req_t fuse, fuse_ino_t node, uint64_t nlookup)
{
	struct fuse_forget_data one = {.ino = node, .nlookup = nlookup};

	front_forget_multi(fuse, 1, &one);
}

void front_forget_multi(fuse_req_t fuse, size_t count, struct fuse_forget_data *forgets)
{
	struct weirfs *fs = fuse_req_userdata(fuse);

	for (size_t i = 0; i < count; i++) {
		struct request request;
		struct inode *inode = front_inode(fs, forgets[i].ino);

		front_begin(&request, fuse, OP_FORGET, forgets[i].ino);
		request.arg.misc.count = forgets[i].nlookup;
		/* One message, one answer: with the last. */
		request.reply.kind = i + 1 < count ? REPLY_MORE : REPLY_NONE;
		if (inode != fs->tree.root)
			inode_forget(&fs->tree, inode, forgets[i].nlookup);
		request_run(&request, forget_nothing);
	}
}

void front_getattr(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi)
{
	struct request request;

	front_begin(&request, fuse, OP_GETATTR, node);
	/* A directory's fh is a stream. */
	if (fi && !S_ISDIR(request.inode->type))
		request.file = front_file(fi);
	request_run(&request, back_getattr);
}

void front_setattr(fuse_req_t fuse, fuse_ino_t node, struct stat *attr, int to_set,
		   struct fuse_file_info *fi)
{
	struct request request;

	front_begin(&request, fuse, OP_SETATTR, node);
	if (fi && !S_ISDIR(request.inode->type))
		request.file = front_file(fi);
	request.arg.setattr.attr = *attr;
	request.arg.setattr.to_set = to_set;
	if (to_set & FUSE_SET_ATTR_SIZE)
		request.op.size = (uint64_t)attr->st_size;
	request_run(&request, back_setattr);
}

void front_readlink(fuse_req_t fuse, fuse_ino_t node)
{
	struct request request;

	front_begin(&request, fuse, OP_READLINK, node);
	request_run(&request, back_readlink);
}

void front_mknod(fuse_req_t fuse, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
	struct request request;

	front_begin(&request, fuse, OP_MKNOD, parent);
	request.arg.make.name = name;
	request.arg.make.mode = mode;
	request.arg.make.rdev = rdev;
	request_run(&request, back_mknod);
}

void front_mkdir(fuse_req_t fuse, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct request request;

	front_begin(&request, fuse, OP_MKDIR, parent);
	request.arg.make.name = name;
	request.arg.make.mode = mode;
	request_run(&request, back_mkdir);
}

void front_unlink(fuse_req_t fuse, fuse_ino_t parent, const char *name)
{
	struct request request;

	front_begin(&request, fuse, OP_UNLINK, parent);
	request.arg.make.name = name;
	request_run(&request, back_unlink);
}

void front_rmdir(fuse_req_t fuse, fuse_ino_t parent, const char *name)
{
	struct request request;

	front_begin(&request, fuse, OP_RMDIR, parent);
	request.arg.make.name = name;
	request_run(&request, back_rmdir);
}

void front_symlink(fuse_req_t fuse, const char *target, fuse_ino_t parent, const char *name)
{
	struct request request;

	front_begin(&request, fuse, OP_SYMLINK, parent);
	request.arg.make.name = name;
	request.arg.make.target = target;
	request_run(&request, back_symlink);
}

void front_rename(fuse_req_t fuse, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
		  const char *new_name, unsigned int flags)
{
	struct request request;

	front_begin(&request, fuse, OP_RENAME, parent);
	request.arg.rename.name = name;
	request.arg.rename.new_parent = front_inode(request.fs, new_parent);
	request.arg.rename.new_parent_id = request.arg.rename.new_parent->id;
	request.arg.rename.new_name = new_name;
	request.arg.rename.flags = flags;
	request_run(&request, back_rename);
}

void front_link(fuse_req_t fuse, fuse_ino_t node, fuse_ino_t new_parent, const char *new_name)
{
	struct request request;

	front_begin(&request, fuse, OP_LINK, node);
	request.arg.rename.new_parent = front_inode(request.fs, new_parent);
	request.arg.rename.new_parent_id = request.arg.rename.new_parent->id;
	request.arg.rename.new_name = new_name;
	request_run(&request, back_link);
}

void front_statfs(fuse_req_t fuse, fuse_ino_t node)
{
	struct request request;

	front_begin(&request, fuse, OP_STATFS, node ? node : FUSE_ROOT_ID);
	request_run(&request, back_statfs);
}

void front_access(fuse_req_t fuse, fuse_ino_t node, int mask)
{
	struct request request;

	front_begin(&request, fuse, OP_ACCESS, node);
	request.arg.misc.flags = mask;
	request_run(&request, back_access);
}

#ifdef HAVE_FUSE_STATX
void front_statx(fuse_req_t fuse, fuse_ino_t node, int flags, int mask, struct fuse_file_info *fi)
{
	struct request request;

	(void)flags;
	(void)mask;
	front_begin(&request, fuse, OP_STATX, node);
	if (fi && !S_ISDIR(request.inode->type))
		request.file = front_file(fi);
	request_run(&request, back_statx);
}
#endif

void front_opendir(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi)
{
	struct request request;

	front_begin(&request, fuse, OP_OPENDIR, node);
	request.reply.fi = *fi;
	request_run(&request, back_opendir);
}

void front_readdir(fuse_req_t fuse, fuse_ino_t node, size_t size, off_t offset,
		   struct fuse_file_info *fi)
{
	struct request request;

	front_begin(&request, fuse, OP_READDIR, node);
	request.stream = front_stream(fi);
	request.op.size = size;
	request.op.offset = (uint64_t)offset;
	request_run(&request, back_readdir);
}

void front_readdirplus(fuse_req_t fuse, fuse_ino_t node, size_t size, off_t offset,
		       struct fuse_file_info *fi)
{
	struct request request;

	front_begin(&request, fuse, OP_READDIRPLUS, node);
	request.stream = front_stream(fi);
	request.op.size = size;
	request.op.offset = (uint64_t)offset;
	request_run(&request, back_readdirplus);
}

void front_releasedir(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi)
{
	struct request request;

	front_begin(&request, fuse, OP_RELEASEDIR, node);
	request.stream = front_stream(fi);
	request_run(&request, back_releasedir);
}

void front_fsyncdir(fuse_req_t fuse, fuse_ino_t node, int datasync, struct fuse_file_info *fi)
{
	struct request request;

	front_begin(&request, fuse, OP_FSYNCDIR, node);
	request.stream = front_stream(fi);
	request.arg.misc.datasync = datasync;
	request_run(&request, back_fsyncdir);
}
