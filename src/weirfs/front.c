// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of FUSE operations, and what is agreed with the kernel at the start. */
#include "config.h"

#include "weirfs/front.h"

#include <errno.h>
#include <sys/xattr.h>

#include "weirfs/log.h"

/* Requests that the kernel may have under way in the background (read-ahead, O_DIRECT aio). */
#define BACKGROUND_MAX 64

#ifdef HAVE_FUSE_SET_FEATURE_FLAG
static bool want(struct fuse_conn_info *conn, uint64_t flag)
{
	return fuse_set_feature_flag(conn, flag);
}

static void unwant(struct fuse_conn_info *conn, uint64_t flag)
{
	fuse_unset_feature_flag(conn, flag);
}
#else
static bool want(struct fuse_conn_info *conn, unsigned int flag)
{
	if (!(conn->capable & flag))
		return false;
	conn->want |= flag;
	return true;
}

static void unwant(struct fuse_conn_info *conn, unsigned int flag)
{
	conn->want &= ~flag;
}
#endif

static void want_data_path(struct weirfs *fs, struct fuse_conn_info *conn)
{
#ifdef HAVE_FUSE_KILLPRIV_V2
	/* Spares a question for security.capability before every write. */
	fs->killpriv = want(conn, FUSE_CAP_HANDLE_KILLPRIV_V2);
#endif
#ifdef HAVE_FUSE_DIRECT_IO_ALLOW_MMAP
	fs->mmap_direct = want(conn, FUSE_CAP_DIRECT_IO_ALLOW_MMAP);
#endif
#ifdef HAVE_FUSE_PASSTHROUGH
	if (fs->options.data == DATA_KERNEL) {
		fs->passthrough = want(conn, FUSE_CAP_PASSTHROUGH);
		conn->max_backing_stack_depth = FUSE_BACKING_STACKED_OVER;
	}
#endif
#ifdef HAVE_FUSE_IO_URING
	if (fs->options.io_uring && !want(conn, FUSE_CAP_OVER_IO_URING))
		log_warning("io_uring: not offered by this kernel; set "
			    "/sys/module/fuse/parameters/enable_uring to Y");
#endif
	if (fs->options.data == DATA_KERNEL && !fs->passthrough)
		log_warning("data=kernel: kernel passthrough is not available here; "
			    "data goes through the daemon");
	if (fs->options.cache == CACHE_NONE && !fs->mmap_direct)
		log_warning("cache=none: shared mmap is refused by this kernel or libfuse; "
			    "use cache=auto for programs that need it");
	/* Splicing through pipes is slower than a copy into memory that is there already. */
	unwant(conn, FUSE_CAP_SPLICE_READ);
	unwant(conn, FUSE_CAP_SPLICE_WRITE);
	unwant(conn, FUSE_CAP_SPLICE_MOVE);
}

/* Whether the backing file system knows POSIX ACLs at all (NFSv4, for one, doesn't). */
static bool has_acls(const struct weirfs *fs)
{
	char path[FD_PATH_ROOM];

	return getxattr(back_fd_path(fs->root_fd, path), "system.posix_acl_access", NULL, 0) >= 0 ||
	       errno != EOPNOTSUPP;
}

static void front_init(void *userdata, struct fuse_conn_info *conn)
{
	struct weirfs *fs = userdata;

	/* The caller's umask is applied by the backing file system, or not where an ACL says so. */
	want(conn, FUSE_CAP_DONT_MASK);
	if (!fs->options.no_xattr && has_acls(fs))
		fs->acl = want(conn, FUSE_CAP_POSIX_ACL);
	want_data_path(fs, conn);
	if (fs->options.locks == LOCKS_LOCAL)
		unwant(conn, FUSE_CAP_POSIX_LOCKS);
	if (fs->options.cache == CACHE_ALWAYS) {
		want(conn, FUSE_CAP_CACHE_SYMLINKS);
		unwant(conn, FUSE_CAP_AUTO_INVAL_DATA);
	}
	conn->max_write = WORKER_BUFFER;
	conn->max_readahead = WORKER_BUFFER;
	conn->max_background = BACKGROUND_MAX;
	conn->congestion_threshold = BACKGROUND_MAX * 3 / 4;
	conn->time_gran = 1;
	fs->on_ready(fs);
}

const struct fuse_lowlevel_ops front_ops = {
	.init = front_init,
	.lookup = front_lookup,
	.forget = front_forget,
	.forget_multi = front_forget_multi,
	.getattr = front_getattr,
	.setattr = front_setattr,
	.readlink = front_readlink,
	.mknod = front_mknod,
	.mkdir = front_mkdir,
	.unlink = front_unlink,
	.rmdir = front_rmdir,
	.symlink = front_symlink,
	.rename = front_rename,
	.link = front_link,
	.open = front_open,
	.create = front_create,
#ifdef HAVE_FUSE_TMPFILE
	.tmpfile = front_tmpfile,
#endif
	.read = front_read,
	.write = front_write,
	.flush = front_flush,
	.release = front_release,
	.fsync = front_fsync,
	.opendir = front_opendir,
	.readdir = front_readdir,
	.readdirplus = front_readdirplus,
	.releasedir = front_releasedir,
	.fsyncdir = front_fsyncdir,
	.statfs = front_statfs,
	.setxattr = front_setxattr,
	.getxattr = front_getxattr,
	.listxattr = front_listxattr,
	.removexattr = front_removexattr,
	.access = front_access,
	.getlk = front_getlk,
	.setlk = front_setlk,
	.flock = front_flock,
	.ioctl = front_ioctl,
	.poll = front_poll,
	.fallocate = front_fallocate,
	.copy_file_range = front_copy_file_range,
	.lseek = front_lseek,
#ifdef HAVE_FUSE_STATX
	.statx = front_statx,
#endif
};
