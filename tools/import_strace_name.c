// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that make, open, move and remove names. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "tools/import_strace.h"

/* --- open ---------------------------------------------------------------------------------- */

enum { OPEN_PLAIN, OPEN_AT, OPEN_AT2, OPEN_CREAT };

static int open_arguments(const struct strace_call *call, unsigned int variant, uint64_t *ret_flags,
			  uint64_t *ret_mode)
{
	unsigned int first = variant == OPEN_PLAIN || variant == OPEN_CREAT ? 1 : 2;
	struct slice flags = strace_arg(call, first), mode = strace_arg(call, first + 1);

	*ret_mode = 0;
	if (variant == OPEN_CREAT) {
		*ret_flags = O_CREAT | O_WRONLY | O_TRUNC;
		return strace_flags(flags, ret_mode);
	}
	if (variant == OPEN_AT2) {
		mode = strace_field(flags, "mode=");
		flags = strace_field(flags, "flags=");
	}
	if (mode.len && strace_flags(mode, ret_mode))
		return -EINVAL;
	return strace_flags(flags, ret_flags);
}

static enum op_kind open_kind(uint64_t flags, const struct strace_place *place)
{
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return OP_TMPFILE;
	if (flags & O_PATH)
		return OP_LOOKUP;
	if (flags & O_DIRECTORY)
		return OP_OPENDIR;
	/* Without O_EXCL it may have been there; nothing that was seen says so. */
	if (flags & O_CREAT && !(place->file && place->file->exists))
		return OP_CREATE;
	return OP_OPEN;
}

/* With -y the descriptor says where symbolic links led. */
static int real_place(struct strace *strace, struct strace_place *place)
{
	struct slice what;
	int32_t fd;

	if (strace_descriptor(strace->call->result_text, &fd, &what) || !slice_begins(what, "/") ||
	    slice_find(what, "<") < what.len)
		return 1;
	strace_unescape(what, &strace->what);
	what = (struct slice){(const char *)strace->what.data, strace->what.len};
	return strace->what.failed ? -ENOMEM : strace_place_of(strace, what, 0, place);
}

/* Puts the open file at the descriptor that the call returned. */
static int set_opened(struct strace *strace, struct import_file *file, uint64_t flags,
		      struct trace_op *op)
{
	struct strace_open *open = strace_new_open(file);

	if (!open)
		return -ENOMEM;
	file->exists = true;
	open->append = flags & O_APPEND;
	open->directory = file->mode == S_IFDIR;
	if (op->op.kind != OP_LOOKUP) {
		open->handle = import_new_handle(strace->import);
		import_set(op, TRACE_HANDLE, open->handle);
	}
	return strace_set_fd(strace->task->process, (int32_t)strace->call->result, open,
			     flags & O_CLOEXEC);
}

/* The path is that of the directory; the file has no name. */
static int use_tmpfile(struct strace *strace, struct strace_place *place, uint64_t flags,
		       uint64_t mode)
{
	struct trace_op op = strace_new_op(strace, OP_TMPFILE);
	struct import *import = strace->import;
	struct import_file *file;
	int n = strace_make_file(strace, place);

	if (n <= 0)
		return n;
	import_set(&op, TRACE_FLAGS, flags);
	import_set(&op, TRACE_MODE, mode);
	import_set(&op, TRACE_PARENT, place->file->id);
	n = import_define(import, place->file);
	if (n || strace->call->error)
		return n ? n : import_op(import, &op);
	file = names_anonymous(&import->names);
	n = file ? set_opened(strace, file, flags, &op) : -ENOMEM;
	if (!n)
		n = import_about(import, &op, file);
	names_put(file);
	return n ? n : import_op(import, &op);
}

static int use_open(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	bool plain = variant == OPEN_PLAIN || variant == OPEN_CREAT;
	struct strace_place place;
	uint64_t flags, mode;
	struct trace_op op;
	int n = strace_find_place(strace, plain ? STRACE_AT(STRACE_NO_ARG, 0) : STRACE_AT(0, 1), 0,
				  &place);

	if (n <= 0)
		return n;
	if (open_arguments(call, variant, &flags, &mode))
		return import_unused(strace->import, IMPORT_NUMBER);
	if (!call->error && call->result > INT32_MAX)
		return import_unused(strace->import, IMPORT_RANGE);
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return use_tmpfile(strace, &place, flags, mode);
	if (!call->error)
		n = real_place(strace, &place);
	if (n <= 0)
		return n;
	op = strace_new_op(strace, open_kind(flags, &place));
	import_set(&op, TRACE_FLAGS, flags);
	if (flags & O_CREAT)
		import_set(&op, TRACE_MODE, mode);
	if (call->error)
		return strace_give_named(strace, &op, &place);
	n = strace_make_file(strace, &place);
	if (n <= 0)
		return n;
	if (op.op.kind == OP_OPENDIR && place.file->mode != S_IFDIR) {
		place.file->mode = S_IFDIR;
		place.file->defined = 0;
	}
	n = set_opened(strace, place.file, flags, &op);
	return n ? n : strace_give_named(strace, &op, &place);
}

/* --- names that come and go ---------------------------------------------------------------- */

/* The kind of operation lies above the argument numbers of a variant. */
#define KIND(kind) ((unsigned int)(kind) << 8)
#define KIND_OF(variant) ((enum op_kind)((variant) >> 8 & 0xff))

/* mkdir, mkdirat, mknod, mknodat: the mode stands behind the path. */
static int use_make(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	unsigned int mode_arg = STRACE_PATH(variant) + 1;
	struct trace_op op = strace_new_op(strace, KIND_OF(variant));
	struct strace_place place;
	uint64_t mode, type = S_IFDIR;
	int n = strace_find_place(strace, variant, 0, &place);

	if (n <= 0)
		return n;
	if (strace_flags(strace_arg(call, mode_arg), &mode))
		return import_unused(strace->import, IMPORT_NUMBER);
	if (KIND_OF(variant) == OP_MKNOD)
		type = mode & S_IFMT ? mode & S_IFMT : S_IFREG;
	import_set(&op, TRACE_MODE, mode);
	if (!call->error) {
		n = strace_make_file(strace, &place);
		if (n <= 0)
			return n;
		place.file->mode = (uint32_t)type;
		place.file->exists = true;
		place.file->defined = 0;
	}
	return strace_give_named(strace, &op, &place);
}

/* unlink, rmdir; unlinkat, whose third argument may say that it is a directory. */
static int use_remove(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, KIND_OF(variant));
	struct strace_place place;
	uint64_t flags = 0;
	int n = strace_find_place(strace, variant, 0, &place);

	if (n <= 0)
		return n;
	if (STRACE_DIRFD(variant) != STRACE_NO_ARG && strace_flags(strace_arg(call, 2), &flags))
		return import_unused(strace->import, IMPORT_NUMBER);
	if (flags & AT_REMOVEDIR)
		op.op.kind = OP_RMDIR;
	if (!call->error && place.parent) {
		n = strace_make_file(strace, &place);
		if (n <= 0)
			return n;
	}
	n = strace_give_named(strace, &op, &place);
	if (!n && !call->error && place.parent)
		names_remove(&strace->import->names, place.parent, place.name);
	return n;
}

/* Both places of a rename or link. */
static int two_places(struct strace *strace, unsigned int variant, struct strace_place *from,
		      struct strace_place *to)
{
	bool at = STRACE_DIRFD(variant) != STRACE_NO_ARG;
	int n = strace_find_place(strace, variant, 0, from);

	if (n > 0)
		n = strace_find_place(strace, at ? STRACE_AT(2, 3) : STRACE_AT(STRACE_NO_ARG, 1), 1,
				      to);
	if (n <= 0)
		return n;
	if (!from->parent || !to->parent)
		return import_unused(strace->import, IMPORT_NAME);
	/* The second may have made a directory of what the first found. */
	from->file = names_find(&strace->import->names, from->parent, from->name);
	if (!strace->call->error)
		return strace_make_file(strace, from);
	return 1;
}

static int use_rename(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct import_names *names = &strace->import->names;
	struct trace_op op = strace_new_op(strace, OP_RENAME);
	struct strace_place from, to;
	uint64_t flags = 0;
	int n = two_places(strace, variant, &from, &to);

	if (n <= 0)
		return n;
	if (strace_arg(call, 4).len && strace_flags(strace_arg(call, 4), &flags))
		return import_unused(strace->import, IMPORT_NUMBER);
	if (flags)
		import_set(&op, TRACE_FLAGS, flags);
	n = import_new_name(strace->import, &op, to.parent, to.name);
	if (!n)
		n = strace_give_named(strace, &op, &from);
	if (n || call->error)
		return n;
	from.file->exists = true;
	if (flags & 2) /* RENAME_EXCHANGE */
		names_exchange(names, from.parent, from.name, to.parent, to.name);
	else
		n = names_rename(names, from.parent, from.name, to.parent, to.name);
	return n == -ENOMEM ? n : 0;
}

static int use_link(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_LINK);
	struct strace_place from, to;
	int n = two_places(strace, variant, &from, &to);

	if (n <= 0)
		return n;
	n = import_new_name(strace->import, &op, to.parent, to.name);
	if (!n)
		n = strace_give_named(strace, &op, &from);
	if (n || call->error)
		return n;
	from.file->exists = true;
	n = names_link(&strace->import->names, from.file, to.parent, to.name);
	return n == -ENOMEM ? n : 0;
}

/* The first argument is what the link says, any bytes. */
static int use_symlink(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_SYMLINK);
	struct strace_place place;
	int n = strace_find_place(strace, variant, 0, &place);

	if (n > 0 && !call->error)
		n = strace_make_file(strace, &place);
	if (n <= 0)
		return n;
	n = strace_string(strace_arg(call, 0), &strace->text);
	if (n)
		return strace_bad(strace, n);
	import_set_text(&op, TRACE_TARGET,
			(struct slice){(const char *)strace->text.data, strace->text.len});
	if (!call->error) {
		place.file->mode = S_IFLNK;
		place.file->exists = true;
		place.file->defined = 0;
	}
	return strace_give_named(strace, &op, &place);
}

#define CWD(path) STRACE_AT(STRACE_NO_ARG, path)

const struct strace_rule strace_rules_name[] = {
	{"open", use_open, OPEN_PLAIN},
	{"openat", use_open, OPEN_AT},
	{"openat2", use_open, OPEN_AT2},
	{"creat", use_open, OPEN_CREAT},
	{"mkdir", use_make, CWD(0) | KIND(OP_MKDIR)},
	{"mkdirat", use_make, STRACE_AT(0, 1) | KIND(OP_MKDIR)},
	{"mknod", use_make, CWD(0) | KIND(OP_MKNOD)},
	{"mknodat", use_make, STRACE_AT(0, 1) | KIND(OP_MKNOD)},
	{"unlink", use_remove, CWD(0) | KIND(OP_UNLINK)},
	{"unlinkat", use_remove, STRACE_AT(0, 1) | KIND(OP_UNLINK)},
	{"rmdir", use_remove, CWD(0) | KIND(OP_RMDIR)},
	{"rename", use_rename, CWD(0)},
	{"renameat", use_rename, STRACE_AT(0, 1)},
	{"renameat2", use_rename, STRACE_AT(0, 1)},
	{"link", use_link, CWD(0)},
	{"linkat", use_link, STRACE_AT(0, 1)},
	{"symlink", use_symlink, CWD(1)},
	{"symlinkat", use_symlink, STRACE_AT(1, 2)},
	{NULL, NULL, 0},
};
