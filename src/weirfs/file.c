// SPDX-License-Identifier: GPL-2.0-or-later
/* Open files and directory streams. */
#include "config.h"

#include "weirfs/file.h"

#include <stdlib.h>
#include <unistd.h>

struct file *file_new(struct tree *tree, struct inode *inode, int fd, int flags)
{
	struct file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->inode = inode_get(inode);
	file->id = tree_new_handle(tree);
	file->refs = 1;
	file->fd = fd;
	file->flags = flags;
	pthread_mutex_lock(&tree->lock);
	file->next = inode->files;
	__atomic_store_n(&inode->files, file, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&tree->lock);
	return file;
}

struct file *file_any(struct tree *tree, struct inode *inode)
{
	struct file *file;

	pthread_mutex_lock(&tree->lock);
	file = inode->files;
	if (file)
		file->refs++;
	pthread_mutex_unlock(&tree->lock);
	return file;
}

void file_put(struct tree *tree, struct file *file)
{
	struct file **slot;

	if (!file)
		return;
	pthread_mutex_lock(&tree->lock);
	if (--file->refs) {
		pthread_mutex_unlock(&tree->lock);
		return;
	}
	slot = &file->inode->files;
	while (*slot != file)
		slot = &(*slot)->next;
	__atomic_store_n(slot, file->next, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&tree->lock);
	close(file->fd);
	inode_put(tree, file->inode);
	free(file);
}

void file_close_all(struct inode *inode)
{
	struct file *file = inode->files;

	inode->files = NULL;
	while (file) {
		struct file *next = file->next;

		close(file->fd);
		free(file);
		file = next;
	}
}

struct dirstream *dirstream_new(struct inode *inode, int fd)
{
	struct dirstream *stream = malloc(sizeof(*stream));

	if (!stream)
		return NULL;
	pthread_mutex_init(&stream->lock, NULL);
	stream->inode = inode_get(inode);
	stream->id = 0;
	stream->traced = 0;
	stream->fd = fd;
	stream->at = 0;
	stream->end = 0;
	stream->offset = 0;
	return stream;
}

void dirstream_free(struct tree *tree, struct dirstream *stream)
{
	if (!stream)
		return;
	close(stream->fd);
	inode_put(tree, stream->inode);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}
