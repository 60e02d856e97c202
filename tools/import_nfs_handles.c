// SPDX-License-Identifier: GPL-2.0-or-later
/* A table of file handles, and the operations that NFS calls are. */
#include "config.h"

#include "tools/import_nfs_handles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FIRST_BUCKETS 1024
#define UNKNOWN_DIRECTORY "fh"

enum { SET_MODE = 1 << 0, SET_UID = 1 << 1, SET_GID = 1 << 2, SET_SIZE = 1 << 3 };

struct nfs_handle {
	struct nfs_handle *next;
	struct import_file *file; /* a reference */
	size_t len;
	char bytes[];
};

static uint64_t hash(struct slice bytes)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < bytes.len; i++)
		value = (value ^ (unsigned char)bytes.at[i]) * UINT64_C(0x100000001b3);
	return value ^ value >> 32;
}

int nfs_handles_init(struct nfs_handles *handles)
{
	*handles = (struct nfs_handles){.bucket_count = FIRST_BUCKETS};
	handles->buckets = calloc(FIRST_BUCKETS, sizeof(handles->buckets[0]));
	return handles->buckets ? 0 : -ENOMEM;
}

void nfs_handles_done(struct nfs_handles *handles)
{
	for (size_t i = 0; handles->buckets && i < handles->bucket_count; i++) {
		while (handles->buckets[i]) {
			struct nfs_handle *handle = handles->buckets[i];

			handles->buckets[i] = handle->next;
			names_put(handle->file);
			free(handle);
		}
	}
	free(handles->buckets);
}

static struct nfs_handle **find(const struct nfs_handles *handles, struct slice bytes)
{
	struct nfs_handle **at = &handles->buckets[hash(bytes) & (handles->bucket_count - 1)];

	while (*at && ((*at)->len != bytes.len || memcmp((*at)->bytes, bytes.at, bytes.len) != 0))
		at = &(*at)->next;
	return at;
}

static int grow(struct nfs_handles *handles)
{
	struct nfs_handles more = {.bucket_count = handles->bucket_count * 2,
				   .count = handles->count};

	more.buckets = calloc(more.bucket_count, sizeof(more.buckets[0]));
	if (!more.buckets)
		return -ENOMEM;
	for (size_t i = 0; i < handles->bucket_count; i++) {
		while (handles->buckets[i]) {
			struct nfs_handle *handle = handles->buckets[i], **at;

			handles->buckets[i] = handle->next;
			at = find(&more, (struct slice){handle->bytes, handle->len});
			handle->next = *at;
			*at = handle;
		}
	}
	free(handles->buckets);
	*handles = more;
	return 0;
}

/* A handle is of the file from now on, which counts as bound (exists). */
static int bind(struct nfs_handles *handles, struct slice bytes, struct import_file *file)
{
	struct nfs_handle **at = find(handles, bytes), *handle = *at;

	names_get(file);
	file->exists = true;
	if (handle) {
		names_put(handle->file);
		handle->file = file;
		return 0;
	}
	handle = malloc(sizeof(*handle) + bytes.len);
	if (!handle || (handles->count >= handles->bucket_count && grow(handles))) {
		free(handle);
		names_put(file);
		return -ENOMEM;
	}
	handle->file = file;
	handle->len = bytes.len;
	memcpy(handle->bytes, bytes.at, bytes.len);
	at = find(handles, bytes);
	handle->next = *at;
	*at = handle;
	handles->count++;
	return 0;
}

static struct import_file *unknown_directory(struct import *import)
{
	struct import_names *names = &import->names;

	return names_walk(names, names->root, slice_of("/" UNKNOWN_DIRECTORY));
}

/* The file of a handle; one that was never named is called after it. */
static int file_of(struct import *import, struct nfs_handles *handles, struct slice bytes,
		   struct import_file **ret_file)
{
	const struct nfs_handle *handle = *find(handles, bytes);
	struct import_file *directory, *file;

	if (handle) {
		*ret_file = handle->file;
		return 0;
	}
	directory = unknown_directory(import);
	if (bytes.len > 255)
		bytes.len = 255;
	file = directory ? names_child(&import->names, directory, bytes) : NULL;
	if (!file)
		return -ENOMEM;
	*ret_file = file;
	return bind(handles, bytes, file);
}

/* An answer says that the name in the directory is the file of this handle. */
static int learn(struct import *import, struct nfs_handles *handles, struct import_file *directory,
		 struct slice name, struct slice bytes, struct import_file **ret_file)
{
	struct import_names *names = &import->names;
	const struct nfs_handle *handle = *find(handles, bytes);
	struct import_file *file = handle ? handle->file : NULL;
	struct import_file *there = names_find(names, directory, name);
	struct import_file *parent;
	int err = 0;

	if (!file) {
		/* What was called so is another file. */
		if (there && there->exists)
			names_remove(names, directory, name);
		file = names_child(names, directory, name);
		if (!file)
			return -ENOMEM;
		*ret_file = file;
		return bind(handles, bytes, file);
	}
	*ret_file = file;
	if (file == there)
		return 0;
	parent = names_parent(file);
	if (parent && (parent == unknown_directory(import) || file->mode == S_IFDIR))
		err = names_rename(names, parent, names_last(file), directory, name);
	else
		err = names_link(names, file, directory, name);
	return err == -ENOMEM ? err : 0;
}

uint16_t nfs_errno(uint64_t status)
{
	switch (status) {
	case 63:
		return ENAMETOOLONG;
	case 66:
		return ENOTEMPTY;
	case 69:
		return EDQUOT;
	case 70:
		return ESTALE;
	case 10004:
		return EOPNOTSUPP;
	default:
		return status <= 34 ? (uint16_t)status : EIO;
	}
}

/* --- operations ---------------------------------------------------------------------------- */

static bool has(const struct nfs_call *call, enum nfs_argument argument)
{
	return call->have & 1u << argument;
}

static void set_attributes(const struct nfs_call *call, struct trace_op *op)
{
	uint64_t set = 0;

	if (has(call, NFS_MODE)) {
		set |= SET_MODE;
		import_set(op, TRACE_MODE, call->value[NFS_MODE]);
	}
	if (has(call, NFS_UID)) {
		set |= SET_UID;
		import_set(op, TRACE_SET_UID, call->value[NFS_UID]);
	}
	if (has(call, NFS_GID)) {
		set |= SET_GID;
		import_set(op, TRACE_SET_GID, call->value[NFS_GID]);
	}
	if (has(call, NFS_SIZE)) {
		set |= SET_SIZE;
		import_set(op, TRACE_SET_SIZE, call->value[NFS_SIZE]);
	}
	import_set(op, TRACE_SET, set);
}

static void set_answer(const struct nfs_answer *answer, struct import_file *file,
		       struct trace_op *op)
{
	if (answer->mode)
		import_set(op, TRACE_ATTR_MODE, answer->mode);
	if (answer->has_size)
		import_set(op, TRACE_ATTR_SIZE, answer->size);
	if (answer->has_links)
		import_set(op, TRACE_ATTR_NLINK, answer->links);
	if (!file)
		return;
	if (answer->type && file->mode != answer->type) {
		file->mode = answer->type;
		file->defined = 0;
	}
	if (answer->fileid && file->ino != answer->fileid) {
		file->ino = answer->fileid;
		file->defined = 0;
	}
}

static uint64_t argument(const struct nfs_call *call, enum nfs_argument argument)
{
	return has(call, argument) ? call->value[argument] : 0;
}

/* Reads, writes and commits: through the handle that stands for the file. */
static int give_data(struct import *import, const struct nfs_call *call,
		     const struct nfs_answer *answer, struct import_file *file, struct trace_op *op)
{
	int err;

	op->op.offset = argument(call, NFS_OFFSET);
	op->op.size = argument(call, NFS_COUNT);
	if (op->op.offset > INT64_MAX || op->op.size > UINT32_MAX)
		return import_unused(import, IMPORT_RANGE);
	if (call->kind == OP_FSYNC)
		op->op.offset = op->op.size = 0;
	if (answer && !answer->error && call->kind != OP_FSYNC)
		op->op.result = answer->has_count ? answer->count : op->op.size;
	if (op->op.result > op->op.size)
		op->op.result = op->op.size;
	err = import_about_open(import, op, file);
	return err ? err : import_op(import, op);
}

/* About the file of the handle itself. */
static int give_plain(struct import *import, const struct nfs_call *call,
		      const struct nfs_answer *answer, struct import_file *file,
		      struct trace_op *op)
{
	int err;

	if (call->kind == OP_SETATTR)
		set_attributes(call, op);
	else if (answer && !answer->error)
		set_answer(answer, file, op);
	if (call->kind == OP_ACCESS)
		import_set(op, TRACE_FLAGS, argument(call, NFS_ACCESS));
	if (call->kind == OP_READLINK && answer && answer->target.len)
		import_set_text(op, TRACE_TARGET, answer->target);
	if (call->kind != OP_READDIR && call->kind != OP_READDIRPLUS) {
		err = import_about(import, op, file);
		return err ? err : import_op(import, op);
	}
	if (file->mode != S_IFDIR) {
		file->mode = S_IFDIR;
		file->defined = 0;
	}
	op->op.size = argument(call, NFS_COUNT);
	err = import_about_open(import, op, file);
	return err ? err : import_op(import, op);
}

static uint32_t made_type(enum op_kind kind)
{
	switch (kind) {
	case OP_MKDIR:
		return S_IFDIR;
	case OP_SYMLINK:
		return S_IFLNK;
	default:
		return S_IFREG;
	}
}

/* The file that a name in a directory was found, or made, to be. */
static int named_file(struct import *import, struct nfs_handles *handles,
		      const struct nfs_call *call, const struct nfs_answer *answer,
		      struct import_file *directory, struct import_file **ret_file)
{
	struct slice name = call->text[NFS_NAME];
	int err = 0;

	if (answer->fh.len) {
		err = learn(import, handles, directory, name, answer->fh, ret_file);
	} else {
		*ret_file = names_child(&import->names, directory, name);
		if (!*ret_file)
			err = -ENOMEM;
	}
	if (!err && call->kind != OP_LOOKUP && (*ret_file)->mode != made_type(call->kind)) {
		(*ret_file)->mode = made_type(call->kind);
		(*ret_file)->defined = 0;
	}
	return err;
}

/* What is made is opened by nobody, but written through a handle: it is this one. */
static void set_created(struct import *import, struct import_file *file, struct trace_op *op)
{
	if (!file->handle)
		file->handle = import_new_handle(import);
	import_set(op, TRACE_HANDLE, file->handle);
	import_set(op, TRACE_FLAGS, O_RDWR | O_CREAT);
}

static void set_named(const struct nfs_call *call, const struct import_file *directory,
		      struct trace_op *op)
{
	import_set(op, TRACE_PARENT, directory->id);
	import_set_text(op, TRACE_NAME, call->text[NFS_NAME]);
	if (has(call, NFS_MODE))
		import_set(op, TRACE_MODE, call->value[NFS_MODE]);
	if (call->kind == OP_SYMLINK)
		import_set_text(op, TRACE_TARGET, call->text[NFS_TARGET]);
}

/* lookup, create, mkdir, symlink, mknod, remove, rmdir: a name in a directory. */
static int give_named(struct import *import, struct nfs_handles *handles,
		      const struct nfs_call *call, const struct nfs_answer *answer,
		      struct import_file *directory, struct trace_op *op)
{
	bool removes = call->kind == OP_UNLINK || call->kind == OP_RMDIR;
	bool done = answer && !answer->error;
	struct slice name = call->text[NFS_NAME];
	struct import_file *file = names_find(&import->names, directory, name);
	int err = 0;

	if (done && !removes && !slice_is(name, ".") && !slice_is(name, ".."))
		err = named_file(import, handles, call, answer, directory, &file);
	if (err)
		return err;
	set_named(call, directory, op);
	if (done)
		set_answer(answer, file, op);
	if (done && file && call->kind == OP_CREATE)
		set_created(import, file, op);
	err = import_define(import, directory);
	if (!err && (done || removes))
		err = import_about(import, op, file);
	if (!err)
		err = import_op(import, op);
	if (!err && done && removes)
		names_remove(&import->names, directory, name);
	return err;
}

/* rename: fh name fh2 name2; link: the file's fh, then fh2 name. */
static int give_two(struct import *import, struct nfs_handles *handles, const struct nfs_call *call,
		    const struct nfs_answer *answer, struct import_file *first, struct trace_op *op)
{
	struct import_names *names = &import->names;
	bool link = call->kind == OP_LINK, done = answer && !answer->error;
	struct slice new_name = call->text[link ? NFS_NAME : NFS_NAME2];
	struct import_file *directory, *file = first;
	int err;

	if (!new_name.len)
		new_name = call->text[NFS_NAME2];
	if (!call->text[NFS_FH2].len || !new_name.len)
		return import_unused(import, IMPORT_FIELDS);
	err = file_of(import, handles, call->text[NFS_FH2], &directory);
	if (!err)
		err = import_new_name(import, op, directory, new_name);
	if (!err && !link) {
		file = names_child(names, first, call->text[NFS_NAME]);
		import_set(op, TRACE_PARENT, first->id);
		import_set_text(op, TRACE_NAME, call->text[NFS_NAME]);
		err = file ? import_define(import, first) : -ENOMEM;
	}
	if (!err)
		err = import_about(import, op, file);
	if (!err)
		err = import_op(import, op);
	if (!err && done) {
		err = link ? names_link(names, file, directory, new_name)
			   : names_rename(names, first, call->text[NFS_NAME], directory, new_name);
	}
	return err == -EINVAL ? 0 : err;
}

int nfs_give(struct import *import, struct nfs_handles *handles, const struct nfs_call *call,
	     const struct nfs_answer *answer, struct trace_op *op)
{
	struct import_file *file;
	int err = file_of(import, handles, call->text[NFS_FH], &file);

	if (err)
		return err;
	for (unsigned int i = NFS_NAME; i < NFS_TEXTS; i++) {
		if (call->text[i].len > TRACE_TEXT_MAX)
			return import_unused(import, IMPORT_NAME);
	}
	switch (call->kind) {
	case OP_READ:
	case OP_WRITE:
	case OP_FSYNC:
		return give_data(import, call, answer, file, op);
	case OP_RENAME:
	case OP_LINK:
		if (call->kind == OP_RENAME && !call->text[NFS_NAME].len)
			return import_unused(import, IMPORT_FIELDS);
		return give_two(import, handles, call, answer, file, op);
	case OP_LOOKUP:
	case OP_CREATE:
	case OP_MKDIR:
	case OP_SYMLINK:
	case OP_MKNOD:
	case OP_UNLINK:
	case OP_RMDIR:
		if (!call->text[NFS_NAME].len)
			return import_unused(import, IMPORT_FIELDS);
		return give_named(import, handles, call, answer, file, op);
	default:
		return give_plain(import, call, answer, file, op);
	}
}
