// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel passthrough: a backing id an open file, where the kernel grants it. */
#include "config.h"

#include "weirfs/kernel_data.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "weirfs/request.h"
#include "weirfs/weirfs.h"

#ifdef HAVE_FUSE_PASSTHROUGH

/* FUSE_DEV_IOC_BACKING_CLOSE of <linux/fuse.h>, which older headers lack. */
#define BACKING_CLOSE _IOW(229, 2, uint32_t)

/*
 * The kernel wants one backing id an inode, whatever the number of opens. The lock is held across
 * the ioctl, which only takes a reference inside the kernel.
 */
static int take_id(struct weirfs *fs, fuse_req_t fuse, struct inode *inode, int fd)
{
	int id;

	pthread_mutex_lock(&fs->kernel_lock);
	if (!inode->backing_users)
		inode->backing_id = fuse_passthrough_open(fuse, fd);
	id = inode->backing_id;
	inode->backing_users += id > 0;
	pthread_mutex_unlock(&fs->kernel_lock);
	return id;
}

void kernel_data_open(struct request *request, struct file *file)
{
	struct weirfs *fs = request->fs;
	int id;

	if (!fs->passthrough || fs->options.data != DATA_KERNEL)
		return;
	id = take_id(fs, request->fuse, file->inode, file->fd);
	if (id <= 0)
		return;
	file->backing_id = id;
	request->reply.fi.backing_id = id;
	/* The pages are the backing file's: there is nothing of ours to keep or bypass. */
	request->reply.fi.keep_cache = 0;
	request->reply.fi.direct_io = 0;
	__atomic_fetch_add(&fs->kernel_files, 1, __ATOMIC_RELAXED);
}

void kernel_data_close(struct weirfs *fs, struct file *file)
{
	struct inode *inode = file->inode;

	if (file->backing_id <= 0)
		return;
	file->backing_id = 0;
	pthread_mutex_lock(&fs->kernel_lock);
	/* Not by libfuse's call: it wants a request, and a refused reply has none any more. */
	if (!--inode->backing_users)
		ioctl(fuse_session_fd(fs->session), BACKING_CLOSE, &inode->backing_id);
	pthread_mutex_unlock(&fs->kernel_lock);
	__atomic_fetch_sub(&fs->kernel_files, 1, __ATOMIC_RELAXED);
}

#else

void kernel_data_open(struct request *request, struct file *file)
{
	(void)request;
	(void)file;
}

void kernel_data_close(struct weirfs *fs, struct file *file)
{
	(void)fs;
	(void)file;
}

#endif
