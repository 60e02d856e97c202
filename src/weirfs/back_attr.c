// SPDX-License-Identifier: GPL-2.0-or-later
/* Attributes: of inodes, of the file system; access. */
#include "config.h"

#include "weirfs/back.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SET_OWNER (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)
#define SET_TIMES (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME)

static int stat_now(struct request *request)
{
	return fdcache_statx(&request->fs->fdcache, request->inode, request->file,
			     &request->reply.stx);
}

int back_getattr(struct request *request)
{
	request->reply.kind = REPLY_ATTR;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	return stat_now(request);
}

int back_statx(struct request *request)
{
	int err = back_getattr(request);

	request->reply.kind = REPLY_STATX;
	return err;
}

/* --- setattr -------------------------------------------------------------------------------- */

/* The kernel has taken S_ISGID out of a mode that the caller may not set: no second judgement. */
static int set_mode(struct request *request, int fd, const char *path, bool is_open)
{
	mode_t mode = request->arg.setattr.attr.st_mode;
	struct stat st;
	int err;

	/*
	 * Together with an owner it is the kernel's own idea of what the change leaves of the
	 * set-id bits (without KILLPRIV_V2). The backing file system has judged by the caller's
	 * groups.
	 */
	if (request->arg.setattr.to_set & SET_OWNER) {
		if (fstatat(fd, "", &st, AT_EMPTY_PATH))
			return -errno;
		mode &= st.st_mode | ~(mode_t)(S_ISUID | S_ISGID);
	}
	back_as_vetted(request);
	err = is_open ? fchmod(fd, mode) : chmod(path, mode);
	return err ? -errno : 0;
}

static int set_owner(struct request *request, int fd)
{
	const struct stat *attr = &request->arg.setattr.attr;
	int to_set = request->arg.setattr.to_set;
	uid_t uid = to_set & FUSE_SET_ATTR_UID ? attr->st_uid : (uid_t)-1;
	gid_t gid = to_set & FUSE_SET_ATTR_GID ? attr->st_gid : (gid_t)-1;

	/* Whether S_ISGID without group execution stays depends on the caller's groups. */
	back_as_caller(request, IDENT_OWNER | IDENT_GROUPS);
	return fchownat(fd, "", uid, gid, AT_EMPTY_PATH) ? -errno : 0;
}

static int set_size(struct request *request, int fd, const char *path)
{
	off_t size = request->arg.setattr.attr.st_size;
	unsigned int need = IDENT_OWNER;
	int err;

#ifdef HAVE_FUSE_KILLPRIV_V2
	if (request->arg.setattr.to_set & FUSE_SET_ATTR_KILL_SUID)
		need |= IDENT_KILL;
#endif
	/* It uses the caller's quota, and set-id bits fall unless it has CAP_FSETID. */
	back_as_caller(request, need);
	back_blocks(request);
	/* A descriptor that is open for writing may do what the permissions no longer allow. */
	err = request->file && (request->file->flags & O_ACCMODE) != O_RDONLY
		      ? ftruncate(fd, size)
		      : truncate(path, size);
	return err ? -errno : 0;
}

static struct timespec time_to_set(int to_set, int set, int now, struct timespec given)
{
	if (!(to_set & set))
		return (struct timespec){.tv_nsec = UTIME_OMIT};
	if (to_set & now)
		return (struct timespec){.tv_nsec = UTIME_NOW};
	return given;
}

static int set_times(struct request *request, int fd, const char *path)
{
	const struct stat *attr = &request->arg.setattr.attr;
	int to_set = request->arg.setattr.to_set;
	struct timespec times[2] = {
		time_to_set(to_set, FUSE_SET_ATTR_ATIME, FUSE_SET_ATTR_ATIME_NOW, attr->st_atim),
		time_to_set(to_set, FUSE_SET_ATTR_MTIME, FUSE_SET_ATTR_MTIME_NOW, attr->st_mtim),
	};

	if (!utimensat(fd, "", times, AT_EMPTY_PATH))
		return 0;
	/* Before Linux 5.8 there is no AT_EMPTY_PATH here; symbolic links are then left alone. */
	if (errno != EINVAL || S_ISLNK(request->inode->type))
		return -errno;
	return utimensat(AT_FDCWD, path, times, 0) ? -errno : 0;
}

/* is_open: fd is a file that somebody has opened, no O_PATH. */
static int set_all(struct request *request, int fd, bool is_open)
{
	int to_set = request->arg.setattr.to_set;
	char path[FD_PATH_ROOM];
	int err = 0;

	back_fd_path(fd, path);
	/* Owner before mode: a change of owner clears the set-id bits that the mode may set. */
	if (!err && (to_set & SET_OWNER))
		err = set_owner(request, fd);
	if (!err && (to_set & FUSE_SET_ATTR_MODE))
		err = set_mode(request, fd, path, is_open);
	if (!err && (to_set & FUSE_SET_ATTR_SIZE))
		err = set_size(request, fd, path);
	if (!err && (to_set & SET_TIMES))
		err = set_times(request, fd, path);
	return err;
}

int back_setattr(struct request *request)
{
	struct held_fd held = {.fd = -1};
	int fd, err = 0;

	request->reply.kind = REPLY_ATTR;
	if (request->file)
		fd = request->file->fd;
	else if ((err = back_hold(request, &held)))
		return err;
	else
		fd = held.fd;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	err = set_all(request, fd, request->file || back_may_use(request, held.file));
	if (!err && statx(fd, "", AT_EMPTY_PATH, TREE_STATX_MASK, &request->reply.stx))
		err = -errno;
	if (!request->file)
		back_release_fd(request, &held);
	return err;
}

/* --- the file system ------------------------------------------------------------------------ */

int back_statfs(struct request *request)
{
	struct held_fd held;
	int err = back_hold(request, &held);

	request->reply.kind = REPLY_STATFS;
	if (err)
		return err;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	if (fstatvfs(held.fd, &request->reply.statfs))
		err = -errno;
	back_release_fd(request, &held);
	return err;
}

int back_access(struct request *request)
{
	struct held_fd held;
	char path[FD_PATH_ROOM];
	int err = back_hold(request, &held);

	request->reply.kind = REPLY_STATUS;
	if (err)
		return err;
	back_as_caller(request, IDENT_GROUPS);
	back_may_block(request);
	if (faccessat(AT_FDCWD, back_fd_path(held.fd, path), request->arg.misc.flags, AT_EACCESS))
		err = -errno;
	back_release_fd(request, &held);
	return err;
}
