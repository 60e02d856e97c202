// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls about descriptors and processes: what is open where, and who works in which directory. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/import_strace.h"

/* Drops an open file; with its last user it is released, which is an operation. */
static int drop(struct strace *strace, struct strace_open *open, struct trace_op *op)
{
	int err = 0;

	if (open->refs == 1 && open->handle) {
		op->op.kind = open->directory ? OP_RELEASEDIR : OP_RELEASE;
		err = strace_give_open(strace, op, open);
	}
	strace_put(open);
	return err;
}

static int use_close(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct strace_process *process = strace->task->process;
	struct trace_op op = strace_new_op(strace, OP_FLUSH);
	struct strace_open *open;
	struct slice what;
	int32_t fd;
	int n;

	if (strace_descriptor(strace_arg(call, 0), &fd, &what))
		return import_unused(strace->import, IMPORT_NUMBER);
	if (!strace_find_fd(process, fd) && what.len)
		n = strace_find_open(strace, 0, &open);
	else
		n = strace_find_fd(process, fd) != NULL;
	if (n <= 0)
		return what.len || n < 0 ? n : import_unused(strace->import, IMPORT_OTHER);
	/* It is closed whatever the answer was. */
	open = strace_take_fd(process, fd);
	if (!open)
		return import_unused(strace->import, IMPORT_OTHER);
	if (open->refs > 1 && open->handle) {
		n = strace_give_open(strace, &op, open);
		strace_put(open);
		return n;
	}
	return drop(strace, open, &op);
}

/* close_range(): all that lie between. */
static int use_close_range(struct strace *strace, const struct strace_call *call,
			   unsigned int variant)
{
	struct strace_process *process = strace->task->process;
	uint64_t first, last, flags = 0;
	int err = 0;

	if (slice_c_number(strace_arg(call, 0), &first) ||
	    slice_c_number(strace_arg(call, 1), &last) || strace_flags(strace_arg(call, 2), &flags))
		return import_unused(strace->import, IMPORT_NUMBER);
	for (size_t i = process->fd_count; !err && !call->error && i-- > 0;) {
		struct trace_op op = strace_new_op(strace, OP_RELEASE);
		int32_t fd = process->fds[i].fd;
		struct strace_open *open;

		if (fd < 0 || (uint32_t)fd < first || (uint32_t)fd > last)
			continue;
		if (flags & 4) { /* CLOSE_RANGE_CLOEXEC */
			process->fds[i].cloexec = true;
			continue;
		}
		open = strace_take_fd(process, fd);
		if (open)
			err = drop(strace, open, &op);
	}
	return err;
}

/* --- copies of descriptors ----------------------------------------------------------------- */

enum { DUP_PLAIN, DUP_TO, DUP_FCNTL };

static int use_dup(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct strace_process *process = strace->task->process;
	struct strace_fd *entry;
	struct trace_op op;
	struct strace_open *old;
	struct slice what;
	uint64_t flags = 0;
	int32_t fd;
	bool cloexec = variant == DUP_FCNTL &&
		       slice_find(strace_arg(call, 1), "CLOEXEC") < strace_arg(call, 1).len;

	if (strace_descriptor(strace_arg(call, 0), &fd, &what))
		return import_unused(strace->import, IMPORT_NUMBER);
	if (call->error || call->result > INT32_MAX || (uint64_t)fd == call->result)
		return 0;
	if (variant == DUP_TO && strace_arg(call, 2).len &&
	    !strace_flags(strace_arg(call, 2), &flags))
		cloexec = flags & O_CLOEXEC;
	entry = strace_find_fd(process, fd);
	if (entry && entry->open)
		entry->open->refs++;
	/* What was at the new number is closed by it. */
	old = strace_take_fd(process, (int32_t)call->result);
	if (old) {
		int err;

		op = strace_new_op(strace, OP_RELEASE);
		err = drop(strace, old, &op);
		if (err)
			return err;
		entry = strace_find_fd(process, fd);
	}
	if (!entry)
		return 0;
	return strace_set_fd(process, (int32_t)call->result, entry->open, cloexec);
}

static int use_lock(struct strace *strace, const struct strace_call *call, bool get, bool wait)
{
	struct trace_op op = strace_new_op(strace, get ? OP_GETLK : OP_SETLK);
	struct slice lock = strace_arg(call, 2), type = strace_field(lock, "l_type=");
	struct strace_open *open;
	uint64_t start, len;
	int n = strace_find_open(strace, 0, &open);

	if (n <= 0)
		return n;
	if (!slice_is(strace_field(lock, "l_whence="), "SEEK_SET"))
		return import_unused(strace->import, IMPORT_CALL);
	if (slice_c_number(strace_field(lock, "l_start="), &start) ||
	    slice_c_number(strace_field(lock, "l_len="), &len))
		return import_unused(strace->import, IMPORT_NUMBER);
	import_set(&op, TRACE_LOCK_TYPE,
		   slice_is(type, "F_RDLCK")   ? F_RDLCK
		   : slice_is(type, "F_WRLCK") ? F_WRLCK
					       : F_UNLCK);
	import_set(&op, TRACE_LOCK_START, start);
	import_set(&op, TRACE_LOCK_END, len ? start + len - 1 : INT64_MAX);
	import_set(&op, TRACE_LOCK_OWNER, op.process);
	import_set(&op, TRACE_LOCK_WAIT, wait);
	return strace_give_open(strace, &op, open);
}

static int use_fcntl(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct slice command = strace_arg(call, 1), what;
	struct strace_fd *entry = NULL;
	uint64_t flags;
	int32_t fd;

	if (slice_begins(command, "F_DUPFD"))
		return use_dup(strace, call, DUP_FCNTL);
	if (slice_is(command, "F_SETLK") || slice_is(command, "F_OFD_SETLK"))
		return use_lock(strace, call, false, false);
	if (slice_is(command, "F_SETLKW") || slice_is(command, "F_OFD_SETLKW"))
		return use_lock(strace, call, false, true);
	if (slice_is(command, "F_GETLK") || slice_is(command, "F_OFD_GETLK"))
		return use_lock(strace, call, true, false);
	if (!strace_descriptor(strace_arg(call, 0), &fd, &what))
		entry = strace_find_fd(strace->task->process, fd);
	if (entry && !call->error && !strace_flags(strace_arg(call, 2), &flags)) {
		if (slice_is(command, "F_SETFD"))
			entry->cloexec = flags & FD_CLOEXEC;
		else if (slice_is(command, "F_SETFL") && entry->open)
			entry->open->append = flags & O_APPEND;
	}
	return import_unused(strace->import, IMPORT_CALL);
}

/* --- descriptors that are no files --------------------------------------------------------- */

static int use_other_fd(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	int err = 0;

	if (!call->error && call->returned && call->result <= INT32_MAX)
		err = strace_set_fd(strace->task->process, (int32_t)call->result, NULL, false);
	return err ? err : import_unused(strace->import, IMPORT_OTHER);
}

/* pipe, socketpair: "[3, 4]", with -y "[3<pipe:[1]>, 4<pipe:[1]>]" */
static int use_pair(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct slice pair = strace_arg(call, variant), part, what;
	int32_t fd;
	int err = 0;

	if (slice_skip(&pair, "[") && !call->error) {
		while (!err && slice_field(&pair, ',', &part)) {
			part.len = slice_find(part, "]");
			if (!strace_descriptor(part, &fd, &what) && fd >= 0)
				err = strace_set_fd(strace->task->process, fd, NULL, false);
		}
	}
	return err ? err : import_unused(strace->import, IMPORT_OTHER);
}

/* --- processes ----------------------------------------------------------------------------- */

static int use_clone(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	bool share = false;
	int err = 0;

	for (unsigned int i = 0; i < call->arg_count; i++)
		share |= slice_find(call->args[i], "CLONE_FILES") < call->args[i].len;
	if (!call->error && call->returned && call->result && call->result <= UINT32_MAX)
		err = strace_clone(&strace->tasks, strace->task, (uint32_t)call->result, share);
	return err ? err : import_unused(strace->import, IMPORT_CALL);
}

/* A successful exec closes what is marked so, and gives the process another name. */
static int use_exec(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct strace_process *process = strace->task->process;
	struct bytes *path = &strace->value;
	struct slice name;
	int err = 0;

	if (call->error || !call->returned)
		return import_unused(strace->import, IMPORT_CALL);
	for (size_t i = process->fd_count; !err && i-- > 0;) {
		struct trace_op op = strace_new_op(strace, OP_RELEASE);
		struct strace_open *open;

		if (!process->fds[i].cloexec)
			continue;
		open = strace_take_fd(process, process->fds[i].fd);
		if (open)
			err = drop(strace, open, &op);
	}
	if (!err && !strace_string(strace_arg(call, variant), path)) {
		struct trace_op op = {0};

		name = (struct slice){(const char *)path->data, path->len};
		if (slice_find_last(name, '/') < name.len)
			name = slice_from(name, slice_find_last(name, '/') + 1);
		import_set_comm(&op, name);
		memcpy(process->comm, op.comm, sizeof(process->comm));
	}
	return err ? err : import_unused(strace->import, IMPORT_CALL);
}

static int use_chdir(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct import *import = strace->import;
	struct import_counts before = import->counts;
	struct bytes *path = &strace->value;
	struct strace_process *process = strace->task->process;
	struct strace_open *open;
	struct slice text;
	char *cwd;
	int err;

	path->len = 0;
	if (call->error)
		return import_unused(import, IMPORT_CALL);
	if (variant) {
		err = strace_find_open(strace, 0, &open);
		import->counts = before;
		if (err <= 0)
			return err ? err : import_unused(import, IMPORT_UNSEEN);
		import_full_path(import, open->file, path);
	} else {
		err = strace_string(strace_arg(call, 0), &strace->text);
		if (err)
			return strace_bad(strace, err);
		text = (struct slice){(const char *)strace->text.data, strace->text.len};
		if (!slice_begins(text, "/") && process->cwd) {
			bytes_put(path, process->cwd, strlen(process->cwd));
			bytes_put(path, "/", 1);
		}
		bytes_put(path, text.at, text.len);
	}
	strace->base.len = 0;
	import_put_normal((struct slice){(const char *)path->data, path->len}, &strace->base);
	cwd = strace->base.len ? strndup((const char *)strace->base.data, strace->base.len)
			       : strdup("/");
	if (!cwd || path->failed || strace->base.failed) {
		free(cwd);
		return -ENOMEM;
	}
	free(process->cwd);
	process->cwd = cwd;
	return import_unused(import, IMPORT_CALL);
}

struct exiting {
	struct strace *strace;
	uint32_t pid;
	uint64_t end_ns;
};

static int release_at_exit(void *arg, struct strace_open *open)
{
	const struct exiting *exiting = arg;
	struct trace_op op = import_new_op(OP_RELEASE, exiting->end_ns);

	op.op.pid = exiting->pid;
	return drop(exiting->strace, open, &op);
}

int strace_exit_task(struct strace *strace, uint32_t pid, uint64_t end_ns)
{
	struct exiting exiting = {strace, pid, end_ns};

	return strace_exit(&strace->tasks, pid, release_at_exit, &exiting);
}

const struct strace_rule strace_rules_fd[] = {
	{"close", use_close, 0},
	{"close_range", use_close_range, 0},
	{"dup", use_dup, DUP_PLAIN},
	{"dup2", use_dup, DUP_TO},
	{"dup3", use_dup, DUP_TO},
	{"fcntl", use_fcntl, 0},
	{"fcntl64", use_fcntl, 0},
	{"socket", use_other_fd, 0},
	{"accept", use_other_fd, 0},
	{"accept4", use_other_fd, 0},
	{"epoll_create", use_other_fd, 0},
	{"epoll_create1", use_other_fd, 0},
	{"eventfd", use_other_fd, 0},
	{"eventfd2", use_other_fd, 0},
	{"memfd_create", use_other_fd, 0},
	{"timerfd_create", use_other_fd, 0},
	{"signalfd", use_other_fd, 0},
	{"signalfd4", use_other_fd, 0},
	{"inotify_init", use_other_fd, 0},
	{"inotify_init1", use_other_fd, 0},
	{"fanotify_init", use_other_fd, 0},
	{"pidfd_open", use_other_fd, 0},
	{"io_uring_setup", use_other_fd, 0},
	{"open_by_handle_at", use_other_fd, 0},
	{"pipe", use_pair, 0},
	{"pipe2", use_pair, 0},
	{"socketpair", use_pair, 3},
	{"clone", use_clone, 0},
	{"clone3", use_clone, 0},
	{"fork", use_clone, 0},
	{"vfork", use_clone, 0},
	{"execve", use_exec, 0},
	{"execveat", use_exec, 1},
	{"chdir", use_chdir, 0},
	{"fchdir", use_chdir, 1},
	{NULL, NULL, 0},
};
