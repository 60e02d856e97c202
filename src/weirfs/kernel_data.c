// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel passthrough: a backing id an open file, where the kernel grants it. */
#include "config.h"

#include "weirfs/kernel_data.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "weirfs/back.h"
#include "weirfs/log.h"

#ifdef HAVE_FUSE_PASSTHROUGH

/* FUSE_DEV_IOC_BACKING_CLOSE of <linux/fuse.h>, which older headers lack. */
#define BACKING_CLOSE _IOW(229, 2, uint32_t)

/*
 * The kernel keeps what it is given until the id is closed, and writes with the rights of whoever
 * gave it: so it gets an open file description of its own (locks belong to ours), and no
 * CAP_FSETID, which would let writes leave set-id bits alone.
 */
static int new_id(struct request *request, const struct file *file)
{
	static const struct caller daemon;
	char path[FD_PATH_ROOM];
	int fd, id;

	ident_assume(&daemon, IDENT_OWNER | IDENT_KILL);
	fd = open(back_fd_path(file->fd, path), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	id = fuse_passthrough_open(request->fuse, fd);
	close(fd);
	if (id <= 0 && request->fs->passthrough) {
		request->fs->passthrough = false;
		log_warning(
			"data=kernel: the kernel refuses (it takes CAP_SYS_ADMIN, and a backing "
			"file system that is not stacked); data goes through the daemon");
	}
	return id;
}

/* Whether an open of the inode goes through the daemon: then all of them must. */
static bool has_user_opens(struct tree *tree, const struct file *fresh)
{
	bool found = false;

	pthread_mutex_lock(&tree->lock);
	for (const struct file *file = fresh->inode->files; file; file = file->next)
		found |= file != fresh && file->backing_id <= 0;
	pthread_mutex_unlock(&tree->lock);
	return found;
}

/*
 * The kernel wants one backing id an inode, and all opens of it on the same path. Appending can be
 * switched off only where we see it, and set-id bits of a file that root writes stay only there.
 * The lock is held across the ioctl, which only takes references inside the kernel.
 */
static int take_id(struct request *request, struct file *file, mode_t mode)
{
	struct weirfs *fs = request->fs;
	struct inode *inode = file->inode;
	int id = 0;

	pthread_mutex_lock(&fs->kernel_lock);
	if (inode->backing_users)
		id = inode->backing_id;
	else if (!(file->flags & O_APPEND) && !(mode & (S_ISUID | S_ISGID)) &&
		 !has_user_opens(&fs->tree, file))
		id = inode->backing_id = new_id(request, file);
	if (id > 0) {
		inode->backing_users++;
		file->backing_id = id;
	}
	pthread_mutex_unlock(&fs->kernel_lock);
	return id;
}

void kernel_data_open(struct request *request, struct file *file, mode_t mode)
{
	struct weirfs *fs = request->fs;
	int id;

	if (!fs->passthrough || fs->options.data != DATA_KERNEL)
		return;
	id = take_id(request, file, mode);
	if (id <= 0)
		return;
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
	pthread_mutex_lock(&fs->kernel_lock);
	file->backing_id = 0;
	/* Not by libfuse's call: it wants a request, and a refused reply has none any more. */
	if (!--inode->backing_users)
		ioctl(fuse_session_fd(fs->session), BACKING_CLOSE, &inode->backing_id);
	pthread_mutex_unlock(&fs->kernel_lock);
	__atomic_fetch_sub(&fs->kernel_files, 1, __ATOMIC_RELAXED);
}

#else

void kernel_data_open(struct request *request, struct file *file, mode_t mode)
{
	(void)request;
	(void)file;
	(void)mode;
}

void kernel_data_close(struct weirfs *fs, struct file *file)
{
	(void)fs;
	(void)file;
}

#endif
