/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the operations do with the backing file system: system calls below root_fd, on descriptors
 * and names, never on absolute paths. Each fills request->reply and returns 0 or -errno.
 */
#ifndef WEIRFS_BACK_H
#define WEIRFS_BACK_H

#include "weirfs/request.h"
#include "weirfs/weirfs.h"

/* Path of a descriptor that works on O_PATH ones: room for it, and the filler. */
#define FD_PATH_ROOM 40
char *back_fd_path(int fd, char room[FD_PATH_ROOM]);

/*
 * Looks at (dir, name), finds or makes its inode and leaves both in the reply as an entry.
 * Returns 0 or -errno.
 */
int back_enter(struct request *request, int dir_fd, struct inode *dir, const char *name);
/* Whether (dir, name) is the mount itself. */
bool back_is_hidden(const struct weirfs *fs, const struct inode *dir, const char *name);
/* Acts as the caller as far as the operation needs (enum ident_need). */
void back_as_caller(struct request *request, unsigned int need);
/*
 * Acts with the daemon's own rights, on local file systems, for what the kernel has vetted in full;
 * on network file systems as the caller.
 */
void back_as_vetted(struct request *request);
/*
 * Waits a moment for closes of the file that the kernel has sent already and that other threads
 * are at. Returns whether there were any.
 */
bool back_await_releases(const struct inode *inode);
/*
 * Whether an open file of the inode, which back_hold() found, does as well as its path: on network
 * file systems it carries the identity of whoever opened it. NULL is none.
 */
bool back_may_use(const struct request *request, const struct file *file);
/* Holds a descriptor of request->inode. */
int back_hold(struct request *request, struct held_fd *ret_held);
void back_release_fd(struct request *request, struct held_fd *held);
/* Before a call that may block: see workers_blocking(). */
void back_may_block(struct request *request);
void back_blocks(struct request *request);

/* back_name.c: names */
int back_lookup(struct request *request);
int back_mknod(struct request *request);
int back_mkdir(struct request *request);
int back_symlink(struct request *request);
int back_link(struct request *request);
int back_unlink(struct request *request);
int back_rmdir(struct request *request);
int back_rename(struct request *request);
int back_readlink(struct request *request);

/* back_attr.c: attributes */
int back_getattr(struct request *request);
int back_setattr(struct request *request);
int back_statx(struct request *request);
int back_statfs(struct request *request);
int back_access(struct request *request);

/* back_xattr.c: extended attributes and ioctls */
int back_setxattr(struct request *request);
int back_getxattr(struct request *request);
int back_listxattr(struct request *request);
int back_removexattr(struct request *request);
int back_ioctl(struct request *request);

/* back_open.c: opening and closing */
int back_open(struct request *request);
int back_create(struct request *request);
int back_tmpfile(struct request *request);
int back_flush(struct request *request);
int back_release(struct request *request);

/* back_data.c: data */
int back_read(struct request *request);
int back_write(struct request *request);
int back_fsync(struct request *request);
int back_fallocate(struct request *request);
int back_copy_file_range(struct request *request);
int back_lseek(struct request *request);
int back_poll(struct request *request);

/* back_dir.c: directories */
int back_opendir(struct request *request);
int back_readdir(struct request *request);
int back_readdirplus(struct request *request);
int back_releasedir(struct request *request);
int back_fsyncdir(struct request *request);

/* back_lock.c: locks */
int back_getlk(struct request *request);
int back_setlk(struct request *request);
int back_flock(struct request *request);

#endif
