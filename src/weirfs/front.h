/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The FUSE callbacks: adapters that turn libfuse's arguments into a request and run it. Nothing is
 * decided here.
 */
#ifndef WEIRFS_FRONT_H
#define WEIRFS_FRONT_H

#include <string.h>

#include "weirfs/back.h"

struct inode *front_inode(struct weirfs *fs, fuse_ino_t node);

/*
 * A request on a node, with the node's reference taken. The big reply is left untouched but for
 * what every reply has.
 */
void front_begin(struct request *request, fuse_req_t fuse, enum op_kind kind, fuse_ino_t node);

static inline struct file *front_file(const struct fuse_file_info *fi)
{
	return fi ? (struct file *)(uintptr_t)fi->fh : NULL;
}

static inline struct dirstream *front_stream(const struct fuse_file_info *fi)
{
	return fi ? (struct dirstream *)(uintptr_t)fi->fh : NULL;
}

/* front_meta.c */
void front_lookup(fuse_req_t fuse, fuse_ino_t parent, const char *name);
void front_forget(fuse_req_t fuse, fuse_ino_t node, uint64_t nlookup);
void front_forget_multi(fuse_req_t fuse, size_t count, struct fuse_forget_data *forgets);
void front_getattr(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi);
void front_setattr(fuse_req_t fuse, fuse_ino_t node, struct stat *attr, int to_set,
		   struct fuse_file_info *fi);
void front_readlink(fuse_req_t fuse, fuse_ino_t node);
void front_mknod(fuse_req_t fuse, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev);
void front_mkdir(fuse_req_t fuse, fuse_ino_t parent, const char *name, mode_t mode);
void front_unlink(fuse_req_t fuse, fuse_ino_t parent, const char *name);
void front_rmdir(fuse_req_t fuse, fuse_ino_t parent, const char *name);
void front_symlink(fuse_req_t fuse, const char *target, fuse_ino_t parent, const char *name);
void front_rename(fuse_req_t fuse, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
		  const char *new_name, unsigned int flags);
void front_link(fuse_req_t fuse, fuse_ino_t node, fuse_ino_t new_parent, const char *new_name);
void front_statfs(fuse_req_t fuse, fuse_ino_t node);
void front_access(fuse_req_t fuse, fuse_ino_t node, int mask);
#ifdef HAVE_FUSE_STATX
void front_statx(fuse_req_t fuse, fuse_ino_t node, int flags, int mask, struct fuse_file_info *fi);
#endif
void front_opendir(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi);
void front_readdir(fuse_req_t fuse, fuse_ino_t node, size_t size, off_t offset,
		   struct fuse_file_info *fi);
void front_readdirplus(fuse_req_t fuse, fuse_ino_t node, size_t size, off_t offset,
		       struct fuse_file_info *fi);
void front_releasedir(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi);
void front_fsyncdir(fuse_req_t fuse, fuse_ino_t node, int datasync, struct fuse_file_info *fi);

/* front_data.c */
void front_open(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi);
void front_create(fuse_req_t fuse, fuse_ino_t parent, const char *name, mode_t mode,
		  struct fuse_file_info *fi);
#ifdef HAVE_FUSE_TMPFILE
void front_tmpfile(fuse_req_t fuse, fuse_ino_t parent, mode_t mode, struct fuse_file_info *fi);
#endif
void front_read(fuse_req_t fuse, fuse_ino_t node, size_t size, off_t offset,
		struct fuse_file_info *fi);
void front_write(fuse_req_t fuse, fuse_ino_t node, const char *data, size_t size, off_t offset,
		 struct fuse_file_info *fi);
void front_flush(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi);
void front_release(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi);
void front_fsync(fuse_req_t fuse, fuse_ino_t node, int datasync, struct fuse_file_info *fi);
void front_fallocate(fuse_req_t fuse, fuse_ino_t node, int mode, off_t offset, off_t length,
		     struct fuse_file_info *fi);
void front_copy_file_range(fuse_req_t fuse, fuse_ino_t node, off_t offset,
			   struct fuse_file_info *fi, fuse_ino_t to_node, off_t to_offset,
			   struct fuse_file_info *to_fi, size_t size, int flags);
void front_lseek(fuse_req_t fuse, fuse_ino_t node, off_t offset, int whence,
		 struct fuse_file_info *fi);
void front_poll(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi,
		struct fuse_pollhandle *handle);
void front_getlk(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi, struct flock *lock);
void front_setlk(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi, struct flock *lock,
		 int sleep);
void front_flock(fuse_req_t fuse, fuse_ino_t node, struct fuse_file_info *fi, int operation);
void front_setxattr(fuse_req_t fuse, fuse_ino_t node, const char *name, const char *value,
		    size_t size, int flags);
void front_getxattr(fuse_req_t fuse, fuse_ino_t node, const char *name, size_t size);
void front_listxattr(fuse_req_t fuse, fuse_ino_t node, size_t size);
void front_removexattr(fuse_req_t fuse, fuse_ino_t node, const char *name);
void front_ioctl(fuse_req_t fuse, fuse_ino_t node, unsigned int command, void *arg,
		 struct fuse_file_info *fi, unsigned int flags, const void *in, size_t in_len,
		 size_t out_len);

#endif
