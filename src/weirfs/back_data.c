// SPDX-License-Identifier: GPL-2.0-or-later
/* Data: reading, writing, making it safe, moving it about inside the file system. */
#include "config.h"

#include "weirfs/back.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define DIRECT_ALIGN 4096u
#define PAGE 4096u
/* Copying less is over before somebody else could be called to the device. */
#define QUICK_COPY (256u << 10)

/* Notes whether it goes on where the last read or write of the open file ended. */
static void note_sequence(struct request *request, size_t done)
{
	uint64_t next = request->op.offset + done;
	uint64_t expected =
		__atomic_exchange_n(&request->file->next_offset, next, __ATOMIC_RELAXED);

	request->sequential = expected == request->op.offset && expected != 0;
}

static void note_result(struct request *request, size_t done)
{
	request->op.result = done;
	note_sequence(request, done);
	if (request->file->flags & O_DIRECT)
		request->op.flags |= OP_F_DIRECT;
}

/* O_APPEND and O_DIRECT can be switched by fcntl(2), which nobody tells us but the next request. */
static void follow_flags(struct request *request)
{
	struct file *file = request->file;
	int changed = (file->flags ^ request->arg.write.flags) & (O_APPEND | O_DIRECT);

	if (!changed)
		return;
	if (!fcntl(file->fd, F_SETFL, file->flags ^ changed))
		file->flags ^= changed;
}

/* --- read ----------------------------------------------------------------------------------- */

/*
 * Fills as much of the buffer as there is: the kernel takes a short answer for the end of the file.
 * Returns what was read, or -errno when nothing was.
 */
static ssize_t read_all(int fd, char *buffer, size_t size, off_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, buffer + done, size - done, offset + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return done ? (ssize_t)done : -errno;
		if (!n)
			break;
		done += (size_t)n;
		/* Unaligned from here on: O_DIRECT gives less only at the end. */
		if ((size_t)n % DIRECT_ALIGN)
			break;
	}
	return (ssize_t)done;
}

/*
 * What the page cache holds, without blocking. Returns how much, and in ret_all whether that is all
 * there is: what isn't cached begins with a page, so that an end inside of one is the file's.
 */
static size_t read_cached(const struct request *request, char *buffer, size_t size, bool *ret_all)
{
	struct iovec vec = {.iov_base = buffer, .iov_len = size};
	ssize_t n;

	*ret_all = false;
	if (request->fs->remote || (request->file->flags & O_DIRECT))
		return 0;
	n = preadv2(request->file->fd, &vec, 1, (off_t)request->op.offset, RWF_NOWAIT);
	if (n < 0)
		return 0;
	*ret_all = n == (ssize_t)size || (request->op.offset + (uint64_t)n) % PAGE;
	return (size_t)n;
}

int back_read(struct request *request)
{
	size_t done, size = request->op.size;
	char *buffer = workers_buffer();
	bool all;

	request->reply.kind = REPLY_DATA;
	if (!buffer)
		return -ENOMEM;
	if (size > WORKER_BUFFER)
		size = WORKER_BUFFER;
	back_as_caller(request, IDENT_NONE);
	follow_flags(request);
	done = read_cached(request, buffer, size, &all);
	if (!all) {
		ssize_t n;

		back_blocks(request);
		n = read_all(request->file->fd, buffer + done, size - done,
			     (off_t)(request->op.offset + done));
		if (n < 0 && !done)
			return (int)n;
		done += n > 0 ? (size_t)n : 0;
	}
	request->reply.data = buffer;
	request->reply.len = done;
	note_result(request, done);
	return 0;
}

/* --- write ---------------------------------------------------------------------------------- */

/* O_DIRECT wants aligned memory; where the kernel's message isn't, the data is copied. */
static const char *aligned(const struct request *request, const char *data, size_t size)
{
	char *buffer;

	if (!(request->file->flags & O_DIRECT) || !((uintptr_t)data % 512) || size > WORKER_BUFFER)
		return data;
	buffer = workers_buffer();
	if (!buffer)
		return data;
	memcpy(buffer, data, size);
	return buffer;
}

static ssize_t write_all(int fd, const char *data, size_t size, off_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(fd, data + done, size - done, offset + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return done ? (ssize_t)done : -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int back_write(struct request *request)
{
	const char *data;
	ssize_t n;

	follow_flags(request);
	data = aligned(request, request->arg.write.data, request->op.size);
	request->reply.kind = REPLY_COUNT;
	back_as_caller(request, IDENT_OWNER | (request->arg.write.kill_suidgid ? IDENT_KILL : 0u));
	if (request->file->flags & (O_DIRECT | O_SYNC | O_DSYNC))
		back_blocks(request);
	else
		back_may_block(request);
	n = write_all(request->file->fd, data, request->op.size, (off_t)request->op.offset);
	if (n < 0)
		return (int)n;
	request->reply.len = (size_t)n;
	note_result(request, (size_t)n);
	return 0;
}

/* --- making it safe, and the rest ----------------------------------------------------------- */

int back_fsync(struct request *request)
{
	int fd = request->file->fd;

	request->reply.kind = REPLY_STATUS;
	back_as_caller(request, IDENT_NONE);
	back_blocks(request);
	return (request->arg.misc.datasync ? fdatasync(fd) : fsync(fd)) ? -errno : 0;
}

int back_fallocate(struct request *request)
{
	request->reply.kind = REPLY_STATUS;
	back_as_caller(request, IDENT_OWNER);
	back_blocks(request);
	return fallocate(request->file->fd, request->arg.misc.flags, (off_t)request->op.offset,
			 (off_t)request->op.size)
		       ? -errno
		       : 0;
}

/* As much as there was in the file when it was opened. */
static bool is_quick_copy(const struct request *request)
{
	uint64_t end = __atomic_load_n(&request->inode->seen_size, __ATOMIC_RELAXED);

	return request->op.size <= QUICK_COPY || end <= request->op.offset + QUICK_COPY;
}

int back_copy_file_range(struct request *request)
{
	off_t from = (off_t)request->op.offset, to = request->arg.copy.to_offset;
	ssize_t n;

	request->reply.kind = REPLY_COUNT;
	back_as_caller(request, IDENT_OWNER);
	if (is_quick_copy(request))
		back_may_block(request);
	else
		back_blocks(request);
	n = copy_file_range(request->file->fd, &from, request->arg.copy.to->fd, &to,
			    request->op.size, (unsigned int)request->arg.copy.flags);
	if (n < 0)
		return -errno;
	request->reply.len = (size_t)n;
	request->op.result = (uint64_t)n;
	/* The server has cleared set-id bits, which the client of its copy need not notice. */
	if (request->fs->remote)
		statx(request->arg.copy.to->fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_MODE,
		      &request->reply.stx);
	return 0;
}

int back_lseek(struct request *request)
{
	off_t offset;

	request->reply.kind = REPLY_OFFSET;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	/* The position of the descriptor itself is used by nobody. */
	offset = lseek(request->file->fd, (off_t)request->op.offset, request->arg.misc.flags);
	if (offset < 0)
		return -errno;
	request->reply.offset = offset;
	return 0;
}

int back_poll(struct request *request)
{
	struct pollfd fd = {.fd = request->file->fd, .events = request->arg.misc.events};

	request->reply.kind = REPLY_POLL;
	/* Regular files are always ready, so that nobody ever has to be told later. */
	if (request->arg.misc.poll)
		fuse_pollhandle_destroy(request->arg.misc.poll);
	if (poll(&fd, 1, 0) < 0)
		return -errno;
	request->reply.revents = (unsigned int)fd.revents;
	return 0;
}
