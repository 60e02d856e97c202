// SPDX-License-Identifier: GPL-2.0-or-later
/* Operations with their arguments as records of a ring, and back. */
#include "config.h"

#include "weirfs/record.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>

#include "core/clock.h"
#include "core/hash.h"
#include "weirfs/request.h"

#define HASH_BLOCK 4096

/* Followed by the numbers, then the texts: a length of eight bytes each, then its bytes, padded. */
struct packed_op {
	struct op op;
	uint64_t have;
	char comm[TRACE_COMM];
	uint64_t process;
	uint64_t value[];
};

struct packed_file {
	uint64_t time_ns;
	struct trace_file file; /* path.data is not set */
	char path[];
};

struct packed_handle {
	uint64_t time_ns;
	struct trace_handle handle;
};

/* --- gathering ------------------------------------------------------------------------------ */

/* In the order of the table. */
static void put(struct record_args *args, enum trace_number number, uint64_t value)
{
	assert((args->have & UINT32_MAX) < TRACE_HAVE(number));
	args->have |= TRACE_HAVE(number);
	args->value[args->numbers++] = value;
}

static void put_bytes(struct record_args *args, enum trace_text text, const void *data, size_t len)
{
	args->have |= TRACE_HAVE_TEXT(text);
	args->text[text].data = data;
	args->text[text].len = len;
}

static void put_text(struct record_args *args, enum trace_text text, const char *string)
{
	if (string)
		put_bytes(args, text, string, strnlen(string, TRACE_TEXT_MAX));
}

static void put_handle(const struct request *request, struct record_args *args)
{
	if (request->handle)
		put(args, TRACE_HANDLE, request->handle);
}

static void put_parent(const struct request *request, struct record_args *args)
{
	put(args, TRACE_PARENT, request->inode->id);
	put_text(args, TRACE_NAME, request->arg.make.name);
}

static void put_attributes(const struct request *request, struct record_args *args)
{
	const struct reply *reply = &request->reply;

	if (reply->error)
		return;
	put(args, TRACE_ATTR_MODE, reply->stx.stx_mode);
	put(args, TRACE_ATTR_SIZE, reply->stx.stx_size);
	put(args, TRACE_ATTR_NLINK, reply->stx.stx_nlink);
}

static void gather_nothing(const struct request *request, struct record_args *args)
{
	(void)request;
	(void)args;
}

static void gather_lookup(const struct request *request, struct record_args *args)
{
	put_parent(request, args);
	put_attributes(request, args);
}

static void gather_removal(const struct request *request, struct record_args *args)
{
	put_parent(request, args);
}

static void gather_make(const struct request *request, struct record_args *args)
{
	bool opens = request->op.kind == OP_CREATE || request->op.kind == OP_TMPFILE;

	if (opens)
		put_handle(request, args);
	put_parent(request, args);
	if (opens)
		put(args, TRACE_FLAGS, (uint32_t)request->arg.make.flags);
	if (request->op.kind != OP_SYMLINK) {
		put(args, TRACE_MODE, request->arg.make.mode);
		put(args, TRACE_UMASK, request->caller.umask);
	}
	if (request->op.kind == OP_MKNOD)
		put(args, TRACE_RDEV, request->arg.make.rdev);
	put_attributes(request, args);
	put_text(args, TRACE_TARGET, request->arg.make.target);
}

static void gather_rename(const struct request *request, struct record_args *args)
{
	if (request->op.kind == OP_RENAME)
		put(args, TRACE_PARENT, request->inode->id);
	put(args, TRACE_NEW_PARENT, request->arg.rename.new_parent_id);
	if (request->op.kind == OP_RENAME) {
		put(args, TRACE_FLAGS, request->arg.rename.flags);
		put_text(args, TRACE_NAME, request->arg.rename.name);
	} else {
		put_attributes(request, args);
	}
	put_text(args, TRACE_NEW_NAME, request->arg.rename.new_name);
}

static void gather_getattr(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
	put_attributes(request, args);
}

static uint64_t ns_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_nsec;
}

static void gather_setattr(const struct request *request, struct record_args *args)
{
	const struct stat *attr = &request->arg.setattr.attr;
	int set = request->arg.setattr.to_set;

	put_handle(request, args);
	if (set & FUSE_SET_ATTR_MODE)
		put(args, TRACE_MODE, attr->st_mode);
	put(args, TRACE_SET, (uint32_t)set);
	if (set & FUSE_SET_ATTR_UID)
		put(args, TRACE_SET_UID, attr->st_uid);
	if (set & FUSE_SET_ATTR_GID)
		put(args, TRACE_SET_GID, attr->st_gid);
	if (set & FUSE_SET_ATTR_SIZE)
		put(args, TRACE_SET_SIZE, (uint64_t)attr->st_size);
	if ((set & FUSE_SET_ATTR_ATIME) && !(set & FUSE_SET_ATTR_ATIME_NOW))
		put(args, TRACE_SET_ATIME, ns_of(&attr->st_atim));
	if ((set & FUSE_SET_ATTR_MTIME) && !(set & FUSE_SET_ATTR_MTIME_NOW))
		put(args, TRACE_SET_MTIME, ns_of(&attr->st_mtim));
	put_attributes(request, args);
}

static void gather_readlink(const struct request *request, struct record_args *args)
{
	const struct reply *reply = &request->reply;

	if (!reply->error && reply->data)
		put_bytes(args, TRACE_TARGET, reply->data,
			  reply->len < TRACE_TEXT_MAX ? reply->len : TRACE_TEXT_MAX);
}

static void gather_open(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
	put(args, TRACE_FLAGS,
	    (uint32_t)(request->op.kind == OP_OPENDIR ? request->reply.fi.flags
						      : request->arg.make.flags));
}

static void gather_data(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
	/* An append goes elsewhere than the offset says, whatever the flags were at the open. */
	if (request->arg.write.flags & O_APPEND)
		put(args, TRACE_FLAGS, (uint32_t)request->arg.write.flags);
}

static void gather_handle(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
}

static void gather_flush(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
	put(args, TRACE_LOCK_OWNER, request->arg.misc.owner);
}

static void gather_fsync(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
	put(args, TRACE_DATASYNC, request->arg.misc.datasync);
}

static void gather_flags(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
	put(args, TRACE_FLAGS, (uint32_t)request->arg.misc.flags);
}

static void gather_count(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
	put(args, TRACE_COUNT, request->arg.misc.count);
}

static void gather_lseek(const struct request *request, struct record_args *args)
{
	gather_flags(request, args);
	if (!request->reply.error)
		put(args, TRACE_TO_OFFSET, (uint64_t)request->reply.offset);
}

static void gather_poll(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
	put(args, TRACE_FLAGS, (uint16_t)request->arg.misc.events);
}

static void gather_xattr(const struct request *request, struct record_args *args)
{
	switch (request->op.kind) {
	case OP_SETXATTR:
		put(args, TRACE_FLAGS, (uint32_t)request->arg.xattr.flags);
		put(args, TRACE_VALUE_SIZE, request->op.size);
		break;
	case OP_GETXATTR:
	case OP_LISTXATTR:
		if (!request->reply.error)
			put(args, TRACE_VALUE_SIZE, request->reply.len);
		break;
	default:
		break;
	}
	put_text(args, TRACE_XATTR, request->arg.xattr.name);
}

static uint64_t lock_end(const struct flock *lock)
{
	return lock->l_len ? (uint64_t)(lock->l_start + lock->l_len - 1) : INT64_MAX;
}

static void gather_lock(const struct request *request, struct record_args *args)
{
	const struct flock *lock = &request->arg.lock.lock;

	put_handle(request, args);
	if (request->op.kind == OP_GETLK)
		put(args, TRACE_FLAGS, (uint32_t)request->arg.lock.operation);
	put(args, TRACE_LOCK_TYPE, (uint16_t)lock->l_type);
	put(args, TRACE_LOCK_START, (uint64_t)lock->l_start);
	put(args, TRACE_LOCK_END, lock_end(lock));
	put(args, TRACE_LOCK_OWNER, request->arg.lock.owner);
	if (request->op.kind == OP_SETLK)
		put(args, TRACE_LOCK_WAIT, request->arg.lock.sleep);
}

static void gather_flock(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
	put(args, TRACE_FLAGS, (uint32_t)request->arg.lock.operation);
}

static void gather_ioctl(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
	put(args, TRACE_COMMAND, request->arg.ioctl.command);
}

static void gather_copy(const struct request *request, struct record_args *args)
{
	put_handle(request, args);
	put(args, TRACE_FLAGS, (uint32_t)request->arg.copy.flags);
	put(args, TRACE_TO_FILE, request->inode->id);
	if (request->arg.copy.to_handle)
		put(args, TRACE_TO_HANDLE, request->arg.copy.to_handle);
	put(args, TRACE_TO_OFFSET, (uint64_t)request->arg.copy.to_offset);
}

static void (*const gather[OP_KINDS])(const struct request *request, struct record_args *args) = {
	[OP_LOOKUP] = gather_lookup,     [OP_FORGET] = gather_count,
	[OP_GETATTR] = gather_getattr,   [OP_SETATTR] = gather_setattr,
	[OP_READLINK] = gather_readlink, [OP_MKNOD] = gather_make,
	[OP_MKDIR] = gather_make,        [OP_UNLINK] = gather_removal,
	[OP_RMDIR] = gather_removal,     [OP_SYMLINK] = gather_make,
	[OP_RENAME] = gather_rename,     [OP_LINK] = gather_rename,
	[OP_OPEN] = gather_open,         [OP_CREATE] = gather_make,
	[OP_TMPFILE] = gather_make,      [OP_READ] = gather_data,
	[OP_WRITE] = gather_data,        [OP_FLUSH] = gather_flush,
	[OP_RELEASE] = gather_handle,    [OP_FSYNC] = gather_fsync,
	[OP_OPENDIR] = gather_open,      [OP_READDIR] = gather_count,
	[OP_READDIRPLUS] = gather_count, [OP_RELEASEDIR] = gather_handle,
	[OP_FSYNCDIR] = gather_fsync,    [OP_STATFS] = gather_nothing,
	[OP_SETXATTR] = gather_xattr,    [OP_GETXATTR] = gather_xattr,
	[OP_LISTXATTR] = gather_xattr,   [OP_REMOVEXATTR] = gather_xattr,
	[OP_ACCESS] = gather_flags,      [OP_GETLK] = gather_lock,
	[OP_SETLK] = gather_lock,        [OP_FLOCK] = gather_flock,
	[OP_IOCTL] = gather_ioctl,       [OP_POLL] = gather_poll,
	[OP_FALLOCATE] = gather_flags,   [OP_COPY_FILE_RANGE] = gather_copy,
	[OP_LSEEK] = gather_lseek,       [OP_STATX] = gather_getattr,
	[OP_SYNCFS] = gather_nothing,
};

/* What was read or written, as far as it was. */
static void find_data(const struct request *request, struct record_args *args)
{
	bool reads = request->op.kind == OP_READ;

	if ((!reads && request->op.kind != OP_WRITE) || !request->op.result)
		return;
	if (request->kept_hash_bytes) {
		put_bytes(args, TRACE_HASH, request->kept, request->kept_hash_bytes);
		return;
	}
	args->data = reads ? request->reply.data : request->arg.write.data;
	args->data_len = request->op.result;
	if (args->data)
		put_bytes(args, TRACE_HASH, NULL, record_hash_size(args->data_len));
}

void record_gather(const struct request *request, bool with_hash, struct record_args *ret_args)
{
	ret_args->have = 0;
	ret_args->numbers = 0;
	ret_args->data = NULL;
	gather[request->op.kind](request, ret_args);
	if (with_hash)
		find_data(request, ret_args);
}

uint64_t record_file_of(const struct request *request)
{
	const struct inode *inode = request->about ? request->about : request->inode;

	return inode ? inode->id : 0;
}

/* --- packing -------------------------------------------------------------------------------- */

static size_t padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

size_t record_op_size(const struct record_args *args)
{
	size_t size = sizeof(struct packed_op) + args->numbers * sizeof(uint64_t);

	for (uint64_t texts = args->have >> TRACE_TEXT_BIT; texts; texts &= texts - 1)
		size += sizeof(uint64_t) + padded(args->text[__builtin_ctzll(texts)].len);
	return size;
}

void record_put_op(void *to, const struct request *request, const struct record_args *args)
{
	struct packed_op *packed = to;
	uint64_t *at = packed->value;

	packed->op = request->op;
	packed->op.file = record_file_of(request);
	packed->have = args->have;
	packed->process = request->asker.process;
	memcpy(packed->comm, request->asker.comm, TRACE_COMM);
	for (unsigned int i = 0; i < args->numbers; i++)
		*at++ = args->value[i];
	for (uint64_t texts = args->have >> TRACE_TEXT_BIT; texts; texts &= texts - 1) {
		const struct trace_bytes *text = &args->text[__builtin_ctzll(texts)];

		*at++ = text->len;
		if (text->data)
			memcpy(at, text->data, text->len);
		else
			record_hash(args->data, args->data_len, (uint8_t *)at);
		at += padded(text->len) / sizeof(*at);
	}
}

size_t record_file_size(size_t path_len)
{
	return sizeof(struct packed_file) + path_len;
}

void record_put_file(void *to, const struct trace_file *file, uint64_t time_ns)
{
	struct packed_file *packed = to;

	packed->time_ns = time_ns;
	packed->file = *file;
	memcpy(packed->path, file->path.data, file->path.len);
}

size_t record_handle_size(void)
{
	return sizeof(struct packed_handle);
}

void record_put_handle(void *to, const struct trace_handle *handle, uint64_t time_ns)
{
	struct packed_handle *packed = to;

	packed->time_ns = time_ns;
	packed->handle = *handle;
}

size_t record_hash_size(size_t data_len)
{
	return (data_len + HASH_BLOCK - 1) / HASH_BLOCK * sizeof(uint64_t);
}

void record_hash(const void *data, size_t len, uint8_t *to)
{
	const uint8_t *at = data;

	while (len) {
		size_t part = len < HASH_BLOCK ? len : HASH_BLOCK;
		uint64_t hash = hash_xxh64(at, part, 0);

		for (unsigned int i = 0; i < 8; i++)
			*to++ = (uint8_t)(hash >> (8 * i));
		at += part;
		len -= part;
	}
}

/* --- reading -------------------------------------------------------------------------------- */

uint64_t record_key(const struct ring_record *record)
{
	/* Definitions begin with their time. */
	if (record->kind != RECORD_OP)
		return *(const uint64_t *)(const void *)record->data * 2;
	return ((const struct packed_op *)(const void *)record->data)->op.done_ns * 2 + 1;
}

void record_get_op(const struct ring_record *record, struct trace_op *ret_op)
{
	const struct packed_op *packed = (const void *)record->data;
	const uint64_t *at = packed->value;

	ret_op->op = packed->op;
	ret_op->process = (uint32_t)packed->process;
	memcpy(ret_op->comm, packed->comm, TRACE_COMM);
	ret_op->have = packed->have;
	for (uint64_t bits = packed->have & UINT32_MAX; bits; bits &= bits - 1)
		ret_op->value[__builtin_ctzll(bits)] = *at++;
	for (uint64_t texts = packed->have >> TRACE_TEXT_BIT; texts; texts &= texts - 1) {
		struct trace_bytes *text = &ret_op->text[__builtin_ctzll(texts)];

		text->len = *at++;
		text->data = (const uint8_t *)at;
		at += padded(text->len) / sizeof(*at);
	}
}

void record_get_file(const struct ring_record *record, struct trace_file *ret_file)
{
	const struct packed_file *packed = (const void *)record->data;

	*ret_file = packed->file;
	ret_file->path.data = (const uint8_t *)packed->path;
}

void record_get_handle(const struct ring_record *record, struct trace_handle *ret_handle)
{
	*ret_handle = ((const struct packed_handle *)(const void *)record->data)->handle;
}

_Static_assert(TRACE_COMM == CALLER_NAME, "names of threads are copied");
