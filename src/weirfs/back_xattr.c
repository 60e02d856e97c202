// SPDX-License-Identifier: GPL-2.0-or-later
/* Extended attributes, ACLs among them, and the few ioctls that mean something through a mount. */
#include "config.h"

#include "weirfs/back.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACL_PREFIX "system.posix_acl_"

/* By descriptor, or by path when fd is -1. */
typedef ssize_t (*xattr_fn)(int fd, const char *path, const struct request *request, void *buffer,
			    size_t size);

static ssize_t do_get(int fd, const char *path, const struct request *request, void *buffer,
		      size_t size)
{
	const char *name = request->arg.xattr.name;

	return fd < 0 ? getxattr(path, name, buffer, size) : fgetxattr(fd, name, buffer, size);
}

static ssize_t do_list(int fd, const char *path, const struct request *request, void *buffer,
		       size_t size)
{
	(void)request;
	return fd < 0 ? listxattr(path, buffer, size) : flistxattr(fd, buffer, size);
}

static ssize_t do_set(int fd, const char *path, const struct request *request, void *buffer,
		      size_t size)
{
	const char *name = request->arg.xattr.name;
	const void *value = request->arg.xattr.value;
	int flags = request->arg.xattr.flags;

	(void)buffer;
	return fd < 0 ? setxattr(path, name, value, size, flags)
		      : fsetxattr(fd, name, value, size, flags);
}

static ssize_t do_remove(int fd, const char *path, const struct request *request, void *buffer,
			 size_t size)
{
	const char *name = request->arg.xattr.name;

	(void)buffer;
	(void)size;
	return fd < 0 ? removexattr(path, name) : fremovexattr(fd, name);
}

/*
 * The calls work on O_PATH descriptors, of symbolic links too, only through their name in /proc,
 * which takes longer than on a descriptor that is open.
 */
static ssize_t on_inode(struct request *request, xattr_fn call, void *buffer, size_t size)
{
	char path[FD_PATH_ROOM];
	struct held_fd held;
	ssize_t res;
	int err = back_hold(request, &held);

	if (err)
		return err;
	back_may_block(request);
	res = call(back_may_use(request, held.file) ? held.fd : -1, back_fd_path(held.fd, path),
		   request, buffer, size);
	if (res < 0)
		res = -errno;
	back_release_fd(request, &held);
	return res;
}

static bool is_acl(const struct request *request)
{
	return request->op.kind != OP_LISTXATTR &&
	       !strncmp(request->arg.xattr.name, ACL_PREFIX, strlen(ACL_PREFIX));
}

/* An ACL set by somebody who isn't in the file's group takes the set-group-id bit away. */
static unsigned int writer_need(const struct request *request)
{
	return IDENT_OWNER | (is_acl(request) ? IDENT_GROUPS : 0u);
}

static int change(struct request *request, xattr_fn call)
{
	ssize_t res;

	request->reply.kind = REPLY_STATUS;
	if (request->fs->options.no_xattr)
		return -ENOSYS;
	back_as_caller(request, writer_need(request));
	res = on_inode(request, call, NULL, request->op.size);
	return res < 0 ? (int)res : 0;
}

static int query(struct request *request, xattr_fn call)
{
	size_t size = request->op.size;
	void *buffer = NULL;
	ssize_t res;

	if (request->fs->options.no_xattr)
		return -ENOSYS;
	if (size) {
		buffer = workers_buffer();
		size = size < WORKER_BUFFER ? size : WORKER_BUFFER;
		if (!buffer)
			return -ENOMEM;
	}
	back_as_caller(request, IDENT_NONE);
	res = on_inode(request, call, buffer, size);
	/* The kernel asks for the ACLs it enforces; where there can't be any, there is none. */
	if (res == -EOPNOTSUPP && request->fs->acl && is_acl(request))
		res = -ENODATA;
	if (res < 0)
		return (int)res;
	request->reply.kind = size ? REPLY_DATA : REPLY_XATTR_SIZE;
	request->reply.data = buffer;
	request->reply.len = (size_t)res;
	return 0;
}

int back_setxattr(struct request *request)
{
	return change(request, do_set);
}

int back_removexattr(struct request *request)
{
	request->op.size = 0;
	return change(request, do_remove);
}

int back_getxattr(struct request *request)
{
	return query(request, do_get);
}

int back_listxattr(struct request *request)
{
	return query(request, do_list);
}

/* --- ioctl ---------------------------------------------------------------------------------- */

/*
 * Only ioctls whose meaning and permissions are known, since the daemon makes them with its own
 * rights: the kernel has checked that the caller owns the inode (and, for the flags that need it,
 * CAP_LINUX_IMMUTABLE) before it sends the changing ones as attribute changes.
 */
static bool is_allowed(unsigned int command)
{
	return command == (unsigned int)FS_IOC_GETFLAGS ||
	       command == (unsigned int)FS_IOC_SETFLAGS ||
	       command == (unsigned int)FS_IOC_FSGETXATTR ||
	       command == (unsigned int)FS_IOC_FSSETXATTR ||
	       command == (unsigned int)FS_IOC_GETVERSION;
}

/* A descriptor that is really open, for ioctl(2); -1 and errno when there is none. */
static int open_for_ioctl(struct request *request, bool *ret_close)
{
	char path[FD_PATH_ROOM];
	struct held_fd held;
	int fd, err;

	*ret_close = false;
	if (request->file)
		return request->file->fd;
	if (request->stream)
		return request->stream->fd;
	err = back_hold(request, &held);
	if (err)
		return err;
	fd = open(back_fd_path(held.fd, path), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	back_release_fd(request, &held);
	*ret_close = true;
	return err ? err : fd;
}

int back_ioctl(struct request *request)
{
	/* The largest argument of the allowed ones is struct fsxattr. */
	union {
		char bytes[64];
		long align;
	} argument = {.bytes = {0}};
	size_t in_len = request->arg.ioctl.in_len, out_len = request->arg.ioctl.out_len;
	bool close_fd;
	int fd, res;

	request->reply.kind = REPLY_IOCTL;
	if (!is_allowed(request->arg.ioctl.command) || in_len > sizeof(argument) ||
	    out_len > sizeof(argument))
		return -ENOTTY;
	if (in_len)
		memcpy(argument.bytes, request->arg.ioctl.in, in_len);
	back_as_vetted(request);
	fd = open_for_ioctl(request, &close_fd);
	if (fd < 0)
		return fd;
	res = ioctl(fd, request->arg.ioctl.command, argument.bytes);
	if (res < 0)
		res = -errno;
	if (close_fd)
		close(fd);
	if (res < 0)
		return res;
	request->reply.ioctl_result = res;
	if (out_len) {
		request->reply.data_owned = malloc(out_len);
		if (!request->reply.data_owned)
			return -ENOMEM;
		memcpy(request->reply.data_owned, argument.bytes, out_len);
		request->reply.data = request->reply.data_owned;
		request->reply.len = out_len;
	}
	return 0;
}
