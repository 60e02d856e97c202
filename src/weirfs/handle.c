// SPDX-License-Identifier: GPL-2.0-or-later
/* File handles of the backing file systems. */
#include "config.h"

#include "weirfs/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cleanup.h"

/* The kernel's struct file_handle, whose tail has no fixed size, as bytes. */
struct handle {
	int mount_fd;
	_Alignas(struct file_handle) unsigned char file[sizeof(struct file_handle) + MAX_HANDLE_SZ];
};

static int take_handle(int fd, struct file_handle *file, int *ret_mount_id)
{
	file->handle_bytes = MAX_HANDLE_SZ;
	return name_to_handle_at(fd, "", file, ret_mount_id, AT_EMPTY_PATH) ? -errno : 0;
}

/* The descriptor that stands for a mount; opened from any inode on it when it is new. */
static int mount_fd(struct handle_mounts *mounts, int mount_id, int fd)
{
	uint32_t count = __atomic_load_n(&mounts->count, __ATOMIC_ACQUIRE);
	int found = -1;

	for (uint32_t i = 0; i < count; i++) {
		if (mounts->mount[i].id == mount_id)
			return mounts->mount[i].fd;
	}
	pthread_mutex_lock(&mounts->lock);
	for (uint32_t i = 0; i < mounts->count && found < 0; i++) {
		if (mounts->mount[i].id == mount_id)
			found = mounts->mount[i].fd;
	}
	if (found < 0 && mounts->count < sizeof(mounts->mount) / sizeof(mounts->mount[0])) {
		/* Only a directory can be opened from an O_PATH descriptor without /proc. */
		found = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (found >= 0) {
			mounts->mount[mounts->count].id = mount_id;
			mounts->mount[mounts->count].fd = found;
			__atomic_store_n(&mounts->count, mounts->count + 1, __ATOMIC_RELEASE);
		}
	}
	pthread_mutex_unlock(&mounts->lock);
	return found;
}

struct handle *handle_of(struct handle_mounts *mounts, int fd)
{
	struct handle buffer = {.mount_fd = -1};
	struct file_handle *file = (struct file_handle *)(void *)buffer.file;
	struct handle *handle;
	size_t used;
	int mount_id;

	if (!mounts->usable || take_handle(fd, file, &mount_id))
		return NULL;
	buffer.mount_fd = mount_fd(mounts, mount_id, fd);
	if (buffer.mount_fd < 0)
		return NULL;
	used = offsetof(struct handle, file) + sizeof(*file) + file->handle_bytes;
	handle = malloc(used);
	if (handle)
		memcpy(handle, &buffer, used);
	return handle;
}

int handle_open(const struct handle *handle, int flags)
{
	/* The call doesn't write to the handle, whatever its prototype says. */
	struct file_handle *file = (struct file_handle *)(uintptr_t)handle->file;
	int fd = open_by_handle_at(handle->mount_fd, file, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void handle_free(struct handle *handle)
{
	free(handle);
}

void handle_mounts_init(struct handle_mounts *mounts, int root_fd)
{
	struct handle *handle;
	scoped_fd int fd = -1;

	memset(mounts, 0, sizeof(*mounts));
	pthread_mutex_init(&mounts->lock, NULL);
	mounts->usable = 1;
	handle = handle_of(mounts, root_fd);
	fd = handle ? handle_open(handle, O_PATH) : -1;
	mounts->usable = fd >= 0;
	handle_free(handle);
}

void handle_mounts_done(struct handle_mounts *mounts)
{
	for (uint32_t i = 0; i < mounts->count; i++)
		close(mounts->mount[i].fd);
	pthread_mutex_destroy(&mounts->lock);
}
