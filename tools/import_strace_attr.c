// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that ask for attributes or set them. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "core/clock.h"
#include "tools/import_strace.h"

/* FUSE_SET_ATTR_*, as weir-trace(5) has them. */
enum {
	SET_MODE = 1 << 0,
	SET_UID = 1 << 1,
	SET_GID = 1 << 2,
	SET_SIZE = 1 << 3,
	SET_ATIME = 1 << 4,
	SET_MTIME = 1 << 5,
	SET_ATIME_NOW = 1 << 7,
	SET_MTIME_NOW = 1 << 8,
};

/* Above the argument numbers of a variant: */
#define BY_FD (1u << 8) /* the first argument is a descriptor, not a path */
#define ARG(variant) ((variant) >> 9 & 15)
#define WITH_ARG(index) ((unsigned int)(index) << 9)
#define KIND(kind) ((unsigned int)(kind) << 16)
#define KIND_OF(variant) ((enum op_kind)((variant) >> 16))

#define CWD(path) STRACE_AT(STRACE_NO_ARG, path)

/*
 * Gives the operation about what the call names. A path that isn't there makes it a lookup that
 * failed. Returns 0 or -errno.
 */
static int give(struct strace *strace, const struct strace_call *call, unsigned int variant,
		struct trace_op *op)
{
	struct strace_open *open;
	struct strace_place place;
	bool empty = !(variant & BY_FD) && slice_is(strace_arg(call, STRACE_PATH(variant)), "\"\"");
	int n;

	if (variant & BY_FD || (empty && STRACE_DIRFD(variant) != STRACE_NO_ARG)) {
		n = strace_find_open(strace, 0, &open);
		return n <= 0 ? n : strace_give_open(strace, op, open);
	}
	n = strace_find_place(strace, variant, 0, &place);
	if (n <= 0)
		return n;
	if (strace_is_missing(call))
		return strace_give_missing(strace, &place);
	n = strace_make_file(strace, &place);
	if (n <= 0)
		return n;
	if (!call->error)
		place.file->exists = true;
	return strace_give_named(strace, op, &place);
}

/* The file that the call is about, if it is known; for what an answer tells of it. */
static struct import_file *known_file(struct strace *strace, const struct strace_call *call,
				      unsigned int variant)
{
	struct strace_place place;
	const struct strace_fd *entry;
	struct slice what;
	int32_t fd;

	if (!(variant & BY_FD)) {
		struct import_counts before = strace->import->counts;
		int n = strace_find_place(strace, variant, 0, &place);

		strace->import->counts = before;
		return n > 0 ? place.file : NULL;
	}
	if (strace_descriptor(strace_arg(call, 0), &fd, &what))
		return NULL;
	entry = strace_find_fd(strace->task->process, fd);
	return entry && entry->open ? entry->open->file : NULL;
}

static void take_attributes(struct slice answer, bool statx, struct trace_op *op,
			    uint64_t *ret_mode)
{
	struct slice mode = strace_field(answer, statx ? "stx_mode=" : "st_mode=");
	struct slice size = strace_field(answer, statx ? "stx_size=" : "st_size=");
	struct slice links = strace_field(answer, statx ? "stx_nlink=" : "st_nlink=");
	uint64_t value;

	*ret_mode = 0;
	if (mode.len && !strace_flags(mode, &value)) {
		import_set(op, TRACE_ATTR_MODE, value);
		*ret_mode = value;
	}
	if (size.len && !slice_c_number(size, &value))
		import_set(op, TRACE_ATTR_SIZE, value);
	if (links.len && !slice_c_number(links, &value))
		import_set(op, TRACE_ATTR_NLINK, value);
}

/* stat and its siblings: ARG is where the answer stands. */
static int use_stat(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, KIND_OF(variant));
	struct import_file *file;
	uint64_t mode = 0;

	if (!call->error) {
		take_attributes(strace_arg(call, ARG(variant)), KIND_OF(variant) == OP_STATX, &op,
				&mode);
		file = known_file(strace, call, variant);
		/* A symbolic link may have been followed: the answer is not about it then. */
		if (file && mode & S_IFMT && file->mode != S_IFLNK &&
		    file->mode != (mode & S_IFMT)) {
			file->mode = mode & S_IFMT;
			file->defined = 0;
		}
	}
	return give(strace, call, variant, &op);
}

static int use_plain(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, KIND_OF(variant));
	uint64_t flags;

	if (ARG(variant)) {
		if (strace_flags(strace_arg(call, ARG(variant)), &flags))
			return import_unused(strace->import, IMPORT_NUMBER);
		import_set(&op, TRACE_FLAGS, flags);
	}
	return give(strace, call, variant, &op);
}

static int use_readlink(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_READLINK);
	struct bytes *target = &strace->value;

	if (!call->error && !strace_string(strace_arg(call, ARG(variant)), target))
		import_set_text(&op, TRACE_TARGET,
				(struct slice){(const char *)target->data, target->len});
	return give(strace, call, variant, &op);
}

static int use_truncate(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_SETATTR);
	struct strace_open *open;
	uint64_t size;

	if (slice_c_number(strace_arg(call, 1), &size))
		return import_unused(strace->import, IMPORT_NUMBER);
	import_set(&op, TRACE_SET, SET_SIZE);
	import_set(&op, TRACE_SET_SIZE, size);
	if (variant & BY_FD && !call->error && strace_find_open(strace, 0, &open) > 0)
		open->size = size;
	return give(strace, call, variant, &op);
}

static int use_chmod(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_SETATTR);
	uint64_t mode;

	if (strace_flags(strace_arg(call, ARG(variant)), &mode))
		return import_unused(strace->import, IMPORT_NUMBER);
	import_set(&op, TRACE_SET, SET_MODE);
	import_set(&op, TRACE_MODE, mode);
	return give(strace, call, variant, &op);
}

static int use_chown(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_SETATTR);
	uint64_t uid, gid, set = 0;

	if (slice_c_number(strace_arg(call, ARG(variant)), &uid) ||
	    slice_c_number(strace_arg(call, ARG(variant) + 1), &gid))
		return import_unused(strace->import, IMPORT_NUMBER);
	/* -1 leaves it; strace prints it as such or as 32 bits. */
	if ((uint32_t)uid != UINT32_MAX) {
		set |= SET_UID;
		import_set(&op, TRACE_SET_UID, (uint32_t)uid);
	}
	if ((uint32_t)gid != UINT32_MAX) {
		set |= SET_GID;
		import_set(&op, TRACE_SET_GID, (uint32_t)gid);
	}
	import_set(&op, TRACE_SET, set);
	return give(strace, call, variant, &op);
}

/* One of the two times: {tv_sec=N, tv_nsec=N}, or UTIME_NOW, UTIME_OMIT. */
static int take_time(struct slice text, struct trace_op *op, enum trace_number number, uint64_t set,
		     uint64_t set_now, uint64_t *set_bits)
{
	uint64_t s, ns, stamp;

	if (slice_find(text, "UTIME_OMIT") < text.len)
		return 0;
	if (slice_find(text, "UTIME_NOW") < text.len) {
		*set_bits |= set | set_now;
		return 0;
	}
	if (slice_uint(strace_field(text, "tv_sec="), &s) ||
	    slice_uint(strace_field(text, "tv_nsec="), &ns) || ns >= NS_PER_S ||
	    __builtin_mul_overflow(s, NS_PER_S, &stamp) ||
	    __builtin_add_overflow(stamp, ns, &stamp))
		return -EINVAL;
	*set_bits |= set;
	import_set(op, number, stamp);
	return 0;
}

static int use_utimens(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_SETATTR);
	struct slice times = strace_arg(call, ARG(variant)), second;
	uint64_t set = 0;
	size_t middle;
	int err = 0;

	if (slice_begins(times, "[..."))
		return import_unused(strace->import, IMPORT_NAME);
	if (slice_is(times, "NULL")) {
		set = SET_ATIME | SET_MTIME | SET_ATIME_NOW | SET_MTIME_NOW;
	} else {
		/* Two structs, or the word alone for one that isn't set or is now. */
		middle =
			slice_begins(times, "[{") ? slice_find(times, "}") : slice_find(times, ",");
		second = slice_from(times, middle + 1);
		times.len = middle;
		err = take_time(times, &op, TRACE_SET_ATIME, SET_ATIME, SET_ATIME_NOW, &set);
		if (!err)
			err = take_time(second, &op, TRACE_SET_MTIME, SET_MTIME, SET_MTIME_NOW,
					&set);
	}
	if (err)
		return strace_bad(strace, err);
	import_set(&op, TRACE_SET, set);
	if (slice_is(strace_arg(call, 1), "NULL"))
		variant |= BY_FD;
	return give(strace, call, variant, &op);
}

/* The name stands second; a value's size fourth. */
static int use_xattr(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, KIND_OF(variant));
	struct bytes *name = &strace->value;
	uint64_t size = 0, flags = 0;
	int err = 0;

	if (KIND_OF(variant) == OP_LISTXATTR) {
		err = slice_c_number(strace_arg(call, 2), &op.op.size);
	} else {
		err = strace_string(strace_arg(call, 1), name);
		import_set_text(&op, TRACE_XATTR,
				(struct slice){(const char *)name->data, name->len});
	}
	if (!err && KIND_OF(variant) == OP_GETXATTR)
		err = slice_c_number(strace_arg(call, 3), &op.op.size);
	if (!err && KIND_OF(variant) == OP_SETXATTR) {
		err = slice_c_number(strace_arg(call, 3), &size);
		if (!err)
			err = strace_flags(strace_arg(call, 4), &flags);
		import_set(&op, TRACE_VALUE_SIZE, size);
		import_set(&op, TRACE_FLAGS, flags);
	}
	if (err)
		return strace_bad(strace, err);
	op.op.result = call->result;
	return give(strace, call, variant, &op);
}

#define STAT(at, arg) ((at) | WITH_ARG(arg) | KIND(OP_GETATTR))
#define XATTR(by, kind) ((by) | KIND(kind))

const struct strace_rule strace_rules_attr[] = {
	{"stat", use_stat, STAT(CWD(0), 1)},
	{"lstat", use_stat, STAT(CWD(0), 1)},
	{"stat64", use_stat, STAT(CWD(0), 1)},
	{"lstat64", use_stat, STAT(CWD(0), 1)},
	{"fstat", use_stat, STAT(BY_FD, 1)},
	{"fstat64", use_stat, STAT(BY_FD, 1)},
	{"newfstatat", use_stat, STAT(STRACE_AT(0, 1), 2)},
	{"fstatat64", use_stat, STAT(STRACE_AT(0, 1), 2)},
	{"statx", use_stat, STRACE_AT(0, 1) | WITH_ARG(4) | KIND(OP_STATX)},
	{"statfs", use_plain, CWD(0) | KIND(OP_STATFS)},
	{"fstatfs", use_plain, BY_FD | KIND(OP_STATFS)},
	{"access", use_plain, CWD(0) | WITH_ARG(1) | KIND(OP_ACCESS)},
	{"faccessat", use_plain, STRACE_AT(0, 1) | WITH_ARG(2) | KIND(OP_ACCESS)},
	{"faccessat2", use_plain, STRACE_AT(0, 1) | WITH_ARG(2) | KIND(OP_ACCESS)},
	{"flock", use_plain, BY_FD | WITH_ARG(1) | KIND(OP_FLOCK)},
	{"readlink", use_readlink, CWD(0) | WITH_ARG(1)},
	{"readlinkat", use_readlink, STRACE_AT(0, 1) | WITH_ARG(2)},
	{"truncate", use_truncate, CWD(0)},
	{"ftruncate", use_truncate, BY_FD},
	{"chmod", use_chmod, CWD(0) | WITH_ARG(1)},
	{"fchmod", use_chmod, BY_FD | WITH_ARG(1)},
	{"fchmodat", use_chmod, STRACE_AT(0, 1) | WITH_ARG(2)},
	{"fchmodat2", use_chmod, STRACE_AT(0, 1) | WITH_ARG(2)},
	{"chown", use_chown, CWD(0) | WITH_ARG(1)},
	{"lchown", use_chown, CWD(0) | WITH_ARG(1)},
	{"fchown", use_chown, BY_FD | WITH_ARG(1)},
	{"fchownat", use_chown, STRACE_AT(0, 1) | WITH_ARG(2)},
	{"utimensat", use_utimens, STRACE_AT(0, 1) | WITH_ARG(2)},
	{"setxattr", use_xattr, XATTR(CWD(0), OP_SETXATTR)},
	{"lsetxattr", use_xattr, XATTR(CWD(0), OP_SETXATTR)},
	{"fsetxattr", use_xattr, XATTR(BY_FD, OP_SETXATTR)},
	{"getxattr", use_xattr, XATTR(CWD(0), OP_GETXATTR)},
	{"lgetxattr", use_xattr, XATTR(CWD(0), OP_GETXATTR)},
	{"fgetxattr", use_xattr, XATTR(BY_FD, OP_GETXATTR)},
	{"listxattr", use_xattr, XATTR(CWD(0), OP_LISTXATTR)},
	{"llistxattr", use_xattr, XATTR(CWD(0), OP_LISTXATTR)},
	{"flistxattr", use_xattr, XATTR(BY_FD, OP_LISTXATTR)},
	{"removexattr", use_xattr, XATTR(CWD(0), OP_REMOVEXATTR)},
	{"lremovexattr", use_xattr, XATTR(CWD(0), OP_REMOVEXATTR)},
	{"fremovexattr", use_xattr, XATTR(BY_FD, OP_REMOVEXATTR)},
	{NULL, NULL, 0},
};
