// SPDX-License-Identifier: GPL-2.0-or-later
/* From arguments to files: paths against working directories and descriptors, open files. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/import_strace.h"

struct trace_op strace_new_op(const struct strace *strace, enum op_kind kind)
{
	const struct strace_call *call = strace->call;
	const struct strace_process *process = strace->task->process;
	struct trace_op op = import_new_op(kind, call->start_ns);

	op.op.pid = call->pid;
	op.process = process->pid;
	memcpy(op.comm, process->comm, sizeof(op.comm));
	op.op.error = call->error;
	if (call->timed)
		import_set_latency(&op, call->duration_ns);
	return op;
}

int strace_bad(struct strace *strace, int err)
{
	if (err == -ENAMETOOLONG)
		return import_unused(strace->import, IMPORT_NAME);
	return import_unused_number(strace->import, err);
}

bool strace_is_missing(const struct strace_call *call)
{
	return call->error == ENOENT || call->error == ENOTDIR || call->error == ENAMETOOLONG ||
	       call->error == ELOOP;
}

/* What -y tells of a descriptor, its escapes undone. */
static struct slice plain_what(struct strace *strace, struct slice what)
{
	strace_unescape(what, &strace->what);
	return (struct slice){(const char *)strace->what.data, strace->what.len};
}

/* Sets the working directory that a decorated AT_FDCWD tells. */
static int learn_cwd(struct strace_process *process, struct slice what)
{
	char *cwd;

	if (!slice_begins(what, "/") || (process->cwd && slice_is(what, process->cwd)))
		return 0;
	cwd = strndup(what.at, what.len);
	if (!cwd)
		return -ENOMEM;
	free(process->cwd);
	process->cwd = cwd;
	return 0;
}

/* Puts what a relative path is relative to. Returns 1, 0 (unused) or -errno. */
static int put_base(struct strace *strace, unsigned int dirfd, struct bytes *out)
{
	struct strace_process *process = strace->task->process;
	struct slice what = {"", 0};
	const struct strace_fd *entry;
	int32_t fd = STRACE_CWD;
	int err = 0;

	if (dirfd != STRACE_NO_ARG &&
	    strace_descriptor(strace_arg(strace->call, dirfd), &fd, &what))
		return import_unused(strace->import, IMPORT_NUMBER);
	what = plain_what(strace, what);
	if (fd != STRACE_CWD) {
		entry = strace_find_fd(process, fd);
		if (slice_begins(what, "/"))
			bytes_put(out, what.at, what.len);
		else if (entry && entry->open)
			import_full_path(strace->import, entry->open->file, out);
		else
			return import_unused(strace->import, IMPORT_UNSEEN);
		return 1;
	}
	err = learn_cwd(process, what);
	if (err)
		return err;
	if (process->cwd)
		bytes_put(out, process->cwd, strlen(process->cwd));
	else
		strace->import->notes = "the working directory is told nowhere: relative paths are "
					"taken from the root";
	return 1;
}

/* The last component of a full path, and the directory before it. */
static int split_place(struct strace *strace, struct slice full, struct strace_place *ret_place)
{
	struct import *import = strace->import;
	struct slice below = import->options->below;
	struct strace_place place = {0};
	size_t slash = slice_find_last(full, '/');
	int n;

	if (!full.len || (full.len == below.len && !memcmp(full.at, below.at, below.len))) {
		*ret_place = (struct strace_place){.file = import->names.root};
		return 1;
	}
	place.name = slice_from(full, slash + 1);
	n = import_path(import, (struct slice){full.at, slash}, &place.parent);
	if (n <= 0)
		return n;
	place.file = names_find(&import->names, place.parent, place.name);
	*ret_place = place;
	return 1;
}

int strace_place_of(struct strace *strace, struct slice path, unsigned int which,
		    struct strace_place *ret_place)
{
	struct bytes *full = &strace->path[which];

	full->len = 0;
	import_put_normal(path, full);
	if (full->failed)
		return -ENOMEM;
	return split_place(strace, (struct slice){(const char *)full->data, full->len}, ret_place);
}

int strace_find_place(struct strace *strace, unsigned int variant, unsigned int which,
		      struct strace_place *ret_place)
{
	struct slice arg = strace_arg(strace->call, STRACE_PATH(variant)), path;
	struct bytes *base = &strace->base;
	int n = strace_string(arg, &strace->text);

	if (n)
		return strace_bad(strace, n);
	path = (struct slice){(const char *)strace->text.data, strace->text.len};
	/* An absolute path needs no base; an empty one is the descriptor's own file. */
	base->len = 0;
	if (!slice_begins(path, "/")) {
		n = put_base(strace, STRACE_DIRFD(variant), base);
		if (n <= 0)
			return n;
		bytes_put(base, "/", 1);
	}
	bytes_put(base, path.at, path.len);
	if (base->failed)
		return -ENOMEM;
	return strace_place_of(strace, (struct slice){(const char *)base->data, base->len}, which,
			       ret_place);
}

int strace_make_file(struct strace *strace, struct strace_place *place)
{
	if (place->file)
		return 1;
	place->file = names_child(&strace->import->names, place->parent, place->name);
	if (place->file)
		return 1;
	return errno == ENAMETOOLONG ? import_unused(strace->import, IMPORT_NAME) : -ENOMEM;
}

int strace_give_named(struct strace *strace, struct trace_op *op, struct strace_place *place)
{
	struct import *import = strace->import;
	int err = 0;

	if (place->parent) {
		import_set(op, TRACE_PARENT, place->parent->id);
		import_set_text(op, TRACE_NAME, place->name);
		err = import_define(import, place->parent);
	}
	if (!err && place->file)
		err = import_about(import, op, place->file);
	return err ? err : import_op(import, op);
}

int strace_give_missing(struct strace *strace, struct strace_place *place)
{
	struct trace_op op = strace_new_op(strace, OP_LOOKUP);

	place->file = NULL;
	return strace_give_named(strace, &op, place);
}

/* The file that -y names, opened out of sight, or a file without a name. */
static int unseen_open(struct strace *strace, int32_t fd, struct slice what,
		       struct strace_open **ret_open)
{
	struct import *import = strace->import;
	struct import_file *file;
	struct strace_open *open;
	int n = import_path(import, what, &file);

	if (n <= 0)
		return n;
	open = strace_new_open(file);
	if (!open)
		return -ENOMEM;
	open->directory = file->mode == S_IFDIR;
	open->handle = import_new_handle(import);
	n = import_define(import, file);
	if (!n)
		n = import->sink.handle(import->sink.arg,
					&(struct trace_handle){open->handle, file->id, O_RDWR});
	if (n) {
		strace_put(open);
		return n;
	}
	n = strace_set_fd(strace->task->process, fd, open, false);
	*ret_open = open;
	return n ? n : 1;
}

/* Is it the open file that -y says it is? A file that was removed has lost its name. */
static bool agrees(struct strace *strace, const struct strace_open *open, struct slice what)
{
	struct import_counts before = strace->import->counts;
	struct import_file *file = NULL;
	int n;

	if (!slice_begins(what, "/") || open->file->flags & TRACE_FILE_F_DELETED)
		return true;
	n = import_path(strace->import, what, &file);
	strace->import->counts = before;
	return n <= 0 || file == open->file;
}

int strace_find_open(struct strace *strace, unsigned int arg, struct strace_open **ret_open)
{
	struct slice text = strace_arg(strace->call, arg), what;
	struct strace_fd *entry;
	int32_t fd;

	if (strace_descriptor(text, &fd, &what))
		return import_unused(strace->import, IMPORT_NUMBER);
	/* -yy: "</dev/null<char 1:3>>" */
	if ((what.len && what.at[0] != '/') || slice_find(what, "<") < what.len)
		return import_unused(strace->import, IMPORT_OTHER);
	what = plain_what(strace, what);
	entry = strace_find_fd(strace->task->process, fd);
	if (entry && entry->open && agrees(strace, entry->open, what)) {
		*ret_open = entry->open;
		return 1;
	}
	if (what.len)
		return unseen_open(strace, fd, what, ret_open);
	return import_unused(strace->import, entry ? IMPORT_OTHER : IMPORT_UNSEEN);
}

int strace_give_open(struct strace *strace, struct trace_op *op, struct strace_open *open)
{
	int err = import_about(strace->import, op, open->file);

	if (open->handle)
		import_set(op, TRACE_HANDLE, open->handle);
	return err ? err : import_op(strace->import, op);
}
