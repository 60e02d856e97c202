// SPDX-License-Identifier: GPL-2.0-or-later
/* Directories: streams of names, with the backing file system's own cookies as offsets. */
#include "config.h"

#include "weirfs/back.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "weirfs/recorder.h"
#include "weirfs/reply.h"

/* What getdents64() gives. */
struct raw_entry {
	uint64_t ino;
	int64_t next; /* cookie after this entry */
	uint16_t length;
	uint8_t type;
	char name[];
};

/* Opens a held directory for reading: permission to search it is not needed for that. */
static int open_stream(const struct request *request, int fd)
{
	char path[FD_PATH_ROOM];

	/* Where the caller's identity doesn't matter, the shorter way. */
	if (request->fs->options.identity != IDENTITY_FULL)
		return openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return open(back_fd_path(fd, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int back_opendir(struct request *request)
{
	struct held_fd held;
	struct dirstream *stream;
	int fd, err = back_hold(request, &held);

	request->reply.kind = REPLY_OPEN;
	if (err)
		return err;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	fd = open_stream(request, held.fd);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE) && fdcache_shrink(&request->fs->fdcache))
		fd = open_stream(request, held.fd);
	err = fd < 0 ? -errno : 0;
	back_release_fd(request, &held);
	if (err)
		return err;
	stream = dirstream_new(request->inode, fd);
	if (!stream) {
		close(fd);
		return -ENOMEM;
	}
	stream->id = tree_new_handle(&request->fs->tree);
	stream->traced = recorder_handle_era(request);
	request->reply.stream = stream;
	request->handle = stream->id;
	if (request->fs->options.cache == CACHE_ALWAYS) {
		request->reply.fi.cache_readdir = 1;
		request->reply.fi.keep_cache = 1;
	}
	return 0;
}

int back_releasedir(struct request *request)
{
	request->reply.kind = REPLY_STATUS;
	dirstream_free(&request->fs->tree, request->stream);
	request->stream = NULL;
	return 0;
}

int back_fsyncdir(struct request *request)
{
	int fd = request->stream->fd;

	request->reply.kind = REPLY_STATUS;
	back_as_caller(request, IDENT_NONE);
	back_blocks(request);
	return (request->arg.misc.datasync ? fdatasync(fd) : fsync(fd)) ? -errno : 0;
}

/* --- reading names -------------------------------------------------------------------------- */

/* Goes to a cookie; telldir() and seekdir() of the caller end here. */
static int seek_stream(struct dirstream *stream, off_t offset)
{
	if (offset == stream->offset)
		return 0;
	if (lseek(stream->fd, offset, SEEK_SET) < 0)
		return -errno;
	stream->at = 0;
	stream->end = 0;
	stream->offset = offset;
	return 0;
}

/* The entry at the stream's place without passing it; NULL at the end or with *ret_err set. */
static const struct raw_entry *peek(struct dirstream *stream, int *ret_err)
{
	*ret_err = 0;
	if (stream->at >= stream->end) {
		long n =
			syscall(SYS_getdents64, stream->fd, stream->buffer, sizeof(stream->buffer));

		if (n < 0)
			*ret_err = -errno;
		if (n <= 0)
			return NULL;
		stream->at = 0;
		stream->end = (uint32_t)n;
	}
	return (const struct raw_entry *)(const void *)(stream->buffer + stream->at);
}

static void pass(struct dirstream *stream, const struct raw_entry *entry)
{
	stream->at += entry->length;
	stream->offset = entry->next;
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* A name with its attributes, and the lookup that the kernel counts for it. */
static void fill_entry(struct request *request, const char *name, struct fuse_entry_param *entry)
{
	struct weirfs *fs = request->fs;
	uint64_t era = tree_era(&fs->tree);
	struct statx stx;
	struct inode *inode;

	if (is_dots(name) ||
	    statx(request->stream->fd, name, AT_SYMLINK_NOFOLLOW, TREE_STATX_MASK, &stx))
		return; /* gone meanwhile: the name alone; so after renames */
	inode = tree_look_up(&fs->tree, &stx);
	if (!inode)
		return;
	if (inode != fs->tree.root &&
	    !tree_link_since(&fs->tree, request->inode, name, inode, &era)) {
		reply_stat(fs, &stx, &entry->attr);
		entry->ino = (fuse_ino_t)(uintptr_t)inode;
		entry->generation = inode->id;
		entry->attr_timeout = fs->options.attr_timeout;
		entry->entry_timeout = fs->options.entry_timeout;
		inode_put(&fs->tree, inode);
		return;
	}
	tree_not_told(&fs->tree, inode);
}

/* Adds one entry. Returns its size, or 0 when it doesn't fit. */
static size_t add_entry(struct request *request, const struct raw_entry *raw, bool plus, char *at,
			size_t room)
{
	struct fuse_entry_param entry = {.ino = 0};
	size_t size;

	entry.attr.st_ino = tree_visible_ino(&request->fs->tree, request->inode->dev, raw->ino);
	entry.attr.st_mode = (mode_t)DTTOIF(raw->type);
	if (!plus) {
		size = fuse_add_direntry(request->fuse, at, room, raw->name, &entry.attr,
					 raw->next);
		return size <= room ? size : 0;
	}
	/* Asked for first, so that no lookup is counted for a name that doesn't fit. */
	size = fuse_add_direntry_plus(request->fuse, NULL, 0, raw->name, &entry, raw->next);
	if (size > room)
		return 0;
	fill_entry(request, raw->name, &entry);
	return fuse_add_direntry_plus(request->fuse, at, room, raw->name, &entry, raw->next);
}

static int fill(struct request *request, bool plus, char *buffer, size_t room, size_t *ret_used)
{
	struct dirstream *stream = request->stream;
	const struct raw_entry *raw;
	size_t used = 0;
	int err = seek_stream(stream, (off_t)request->op.offset);

	while (!err && (raw = peek(stream, &err))) {
		if (!back_is_hidden(request->fs, request->inode, raw->name)) {
			size_t size = add_entry(request, raw, plus, buffer + used, room - used);

			if (!size)
				break;
			used += size;
			request->arg.misc.count++;
		}
		pass(stream, raw);
	}
	*ret_used = used;
	/* What was found goes first; the error comes with the next request. */
	return used ? 0 : err;
}

static int read_names(struct request *request, bool plus)
{
	char *buffer = workers_buffer();
	size_t room = request->op.size < WORKER_BUFFER ? request->op.size : WORKER_BUFFER;
	int err;

	request->reply.kind = REPLY_DATA;
	if (!buffer)
		return -ENOMEM;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	pthread_mutex_lock(&request->stream->lock);
	err = fill(request, plus, buffer, room, &request->reply.len);
	pthread_mutex_unlock(&request->stream->lock);
	request->reply.data = buffer;
	return err;
}

int back_readdir(struct request *request)
{
	return read_names(request, false);
}

int back_readdirplus(struct request *request)
{
	return read_names(request, true);
}
