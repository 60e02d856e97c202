// SPDX-License-Identifier: GPL-2.0-or-later
/* FUSE callbacks for open files, extended attributes and locks. */
#include "config.h"

#include "weirfs/front.h"

#ifdef HAVE_FUSE_KILLPRIV_V2
#define KILL_SUIDGID(fi) ((fi)->kill_suidgid)
#else
#define KILL_SUIDGID(fi) false
#endif

static void begin_file(struct request *request, fuse_req_t fuse, enum op_kind kind, fuse_ino_t node,
		       const struct fuse_file_info *fi)
{
	front_begin(request, fuse, kind, node);
	request->file = front_file(fi);
}

void front_open(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi)
{
	struct request request;

	front_begin(&request, fuse, OP_OPEN, node);
	request.arg.make.flags = fi->flags;
	request.arg.make.kill_suidgid = KILL_SUIDGID(fi);
	request.reply.fi = *fi;
	request_run(&request, back_open);
}

void front_create(fuse_req_t fuse, fuse_ino_t parent, const char *name, mode_t mode,
		  struct fuse_file_info *fi)
{
	struct request request;

	front_begin(&request, fuse, OP_CREATE, parent);
	request.arg.make.name = name;
	request.arg.make.mode = mode;
	request.arg.make.flags = fi->flags;
	request.reply.fi = *fi;
	request_run(&request, back_create);
}

#ifdef HAVE_FUSE_TMPFILE
void front_tmpfile(fuse_req_t fuse, fuse_ino_t parent, mode_t mode, struct fuse_file_info *fi)
{
	struct request request;

	front_begin(&request, fuse, OP_TMPFILE, parent);
	request.arg.make.mode = mode;
	request.arg.make.flags = fi->flags;
	request.reply.fi = *fi;
	request_run(&request, back_tmpfile);
}
#endif

void front_read(fuse_req_t fuse, fuse_ino_t node, size_t size, off_t offset,
		struct fuse_file_info *fi)
{
	struct request request;

	begin_file(&request, fuse, OP_READ, node, fi);
	request.arg.write.flags = fi->flags;
	request.op.size = size;
	request.op.offset = (uint64_t)offset;
	request_run(&request, back_read);
}

void front_write(fuse_req_t fuse, fuse_ino_t node, const char *data, size_t size, off_t offset,
		 struct fuse_file_info *fi)
{
	struct request request;

	begin_file(&request, fuse, OP_WRITE, node, fi);
	request.arg.write.data = data;
	request.arg.write.flags = fi->flags;
	request.arg.write.kill_suidgid = KILL_SUIDGID(fi);
	request.op.size = size;
	request.op.offset = (uint64_t)offset;
	request_run(&request, back_write);
}

void front_flush(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi)
{
	struct request request;

	begin_file(&request, fuse, OP_FLUSH, node, fi);
	request.arg.misc.owner = fi->lock_owner;
	request_run(&request, back_flush);
}

void front_release(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi)
{
	struct request request;

	begin_file(&request, fuse, OP_RELEASE, node, fi);
	__atomic_fetch_add(&request.inode->releasing, 1, __ATOMIC_ACQUIRE);
	__atomic_fetch_add(&request.fs->releasing, 1, __ATOMIC_ACQUIRE);
	request_run(&request, back_release);
}

void front_fsync(fuse_req_t fuse, fuse_ino_t node, int datasync, struct fuse_file_info *fi)
{
	struct request request;

	begin_file(&request, fuse, OP_FSYNC, node, fi);
	request.arg.misc.datasync = datasync;
	request_run(&request, back_fsync);
}

void front_fallocate(fuse_req_t fuse, fuse_ino_t node, int mode, off_t offset, off_t length,
		     struct fuse_file_info *fi)
{
	struct request request;

	begin_file(&request, fuse, OP_FALLOCATE, node, fi);
	request.arg.misc.flags = mode;
	request.op.size = (uint64_t)length;
	request.op.offset = (uint64_t)offset;
	request_run(&request, back_fallocate);
}

void front_copy_file_range(fuse_req_t fuse, fuse_ino_t node, off_t offset,
			   struct fuse_file_info *fi, fuse_ino_t to_node, off_t to_offset,
			   struct fuse_file_info *to_fi, size_t size, int flags)
{
	struct request request;

	/* It counts for the file that is written. */
	begin_file(&request, fuse, OP_COPY_FILE_RANGE, to_node, fi);
	(void)node;
	request.arg.copy.to = front_file(to_fi);
	request.arg.copy.to_handle = request.arg.copy.to->id;
	request.arg.copy.to_offset = to_offset;
	request.arg.copy.flags = flags;
	request.op.size = size;
	request.op.offset = (uint64_t)offset;
	request_run(&request, back_copy_file_range);
}

void front_lseek(fuse_req_t fuse, fuse_ino_t node, off_t offset, int whence,
		 struct fuse_file_info *fi)
{
	struct request request;

	begin_file(&request, fuse, OP_LSEEK, node, fi);
	request.arg.misc.flags = whence;
	request.op.offset = (uint64_t)offset;
	request_run(&request, back_lseek);
}

void front_poll(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi,
		struct fuse_pollhandle *handle)
{
	struct request request;

	begin_file(&request, fuse, OP_POLL, node, fi);
	request.arg.misc.poll = handle;
	request.arg.misc.events = (short)fi->poll_events;
	request_run(&request, back_poll);
}

/* --- locks ---------------------------------------------------------------------------------- */

void front_getlk(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi, struct flock *lock)
{
	struct request request;

	begin_file(&request, fuse, OP_GETLK, node, fi);
	request.arg.lock.owner = fi->lock_owner;
	request.arg.lock.lock = *lock;
	request.arg.lock.operation = lock->l_type;
	request.op.offset = (uint64_t)lock->l_start;
	request.op.size = (uint64_t)lock->l_len;
	request_run(&request, back_getlk);
}

void front_setlk(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi, struct flock *lock,
		 int sleep)
{
	struct request request;

	begin_file(&request, fuse, OP_SETLK, node, fi);
	request.arg.lock.owner = fi->lock_owner;
	request.arg.lock.lock = *lock;
	request.arg.lock.sleep = sleep;
	request_run(&request, back_setlk);
}

void front_flock(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi, int operation)
{
	struct request request;

	begin_file(&request, fuse, OP_FLOCK, node, fi);
	request.arg.lock.operation = operation;
	request_run(&request, back_flock);
}

/* --- extended attributes and ioctl ---------------------------------------------------------- */

void front_setxattr(fuse_req_t fuse, fuse_ino_t node, const char *name, const char *value,
		    size_t size, int flags)
{
	struct request request;

	front_begin(&request, fuse, OP_SETXATTR, node);
	request.arg.xattr.name = name;
	request.arg.xattr.value = value;
	request.arg.xattr.flags = flags;
	request.op.size = size;
	request_run(&request, back_setxattr);
}

void front_getxattr(fuse_req_t fuse, fuse_ino_t node, const char *name, size_t size)
{
	struct request request;

	front_begin(&request, fuse, OP_GETXATTR, node);
	request.arg.xattr.name = name;
	request.op.size = size;
	request_run(&request, back_getxattr);
}

void front_listxattr(fuse_req_t fuse, fuse_ino_t node, size_t size)
{
	struct request request;

	front_begin(&request, fuse, OP_LISTXATTR, node);
	request.op.size = size;
	request_run(&request, back_listxattr);
}

void front_removexattr(fuse_req_t fuse, fuse_ino_t node, const char *name)
{
	struct request request;

	front_begin(&request, fuse, OP_REMOVEXATTR, node);
	request.arg.xattr.name = name;
	request_run(&request, back_removexattr);
}

void front_ioctl(fuse_req_t fuse, fuse_ino_t node, unsigned int command, void *arg,
		 struct fuse_file_info *fi, unsigned int flags, const void *in, size_t in_len,
		 size_t out_len)
{
	struct request request;

	(void)arg;
	front_begin(&request, fuse, OP_IOCTL, node);
	if (flags & FUSE_IOCTL_DIR)
		request.stream = front_stream(fi);
	else
		request.file = front_file(fi);
	request.arg.ioctl.command = command;
	request.arg.ioctl.in = in;
	request.arg.ioctl.in_len = in_len;
	request.arg.ioctl.out_len = out_len;
	request.arg.ioctl.flags = flags;
	request_run(&request, back_ioctl);
}
