// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks, the descriptors they share, and the open files that these share. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/import_strace.h"

struct strace_open *strace_new_open(struct import_file *file)
{
	struct strace_open *open = calloc(1, sizeof(*open));

	if (open) {
		open->refs = 1;
		open->file = file;
		names_get(file);
	}
	return open;
}

void strace_put(struct strace_open *open)
{
	if (!open || --open->refs)
		return;
	names_put(open->file);
	free(open);
}

/* The first entry of the descriptor or behind it. */
static size_t position(const struct strace_process *process, int32_t fd)
{
	size_t low = 0, high = process->fd_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->fds[middle].fd < fd)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct strace_fd *strace_find_fd(struct strace_process *process, int32_t fd)
{
	size_t at = position(process, fd);

	return at < process->fd_count && process->fds[at].fd == fd ? &process->fds[at] : NULL;
}

int strace_set_fd(struct strace_process *process, int32_t fd, struct strace_open *open,
		  bool cloexec)
{
	size_t at = position(process, fd), room = process->fd_room ? process->fd_room * 2 : 8;
	struct strace_fd *fds;

	if (at < process->fd_count && process->fds[at].fd == fd) {
		strace_put(process->fds[at].open);
		process->fds[at] = (struct strace_fd){fd, cloexec, open};
		return 0;
	}
	if (process->fd_count == process->fd_room) {
		fds = reallocarray(process->fds, room, sizeof(*fds));
		if (!fds) {
			strace_put(open);
			return -ENOMEM;
		}
		process->fds = fds;
		process->fd_room = room;
	}
	memmove(process->fds + at + 1, process->fds + at,
		(process->fd_count - at) * sizeof(*process->fds));
	process->fds[at] = (struct strace_fd){fd, cloexec, open};
	process->fd_count++;
	return 0;
}

struct strace_open *strace_take_fd(struct strace_process *process, int32_t fd)
{
	size_t at = position(process, fd);
	struct strace_open *open;

	if (at >= process->fd_count || process->fds[at].fd != fd)
		return NULL;
	open = process->fds[at].open;
	process->fd_count--;
	memmove(process->fds + at, process->fds + at + 1,
		(process->fd_count - at) * sizeof(*process->fds));
	return open;
}

static struct strace_process *new_process(uint32_t pid)
{
	struct strace_process *process = calloc(1, sizeof(*process));

	if (process) {
		process->refs = 1;
		process->pid = pid;
	}
	return process;
}

static void put_process(struct strace_process *process)
{
	if (!process || --process->refs)
		return;
	for (size_t i = 0; i < process->fd_count; i++)
		strace_put(process->fds[i].open);
	free(process->fds);
	free(process->cwd);
	free(process);
}

/* What a fork makes: the same open files, in a table of its own. */
static struct strace_process *copy_process(const struct strace_process *parent, uint32_t pid)
{
	struct strace_process *copy = new_process(pid);

	if (!copy)
		return NULL;
	memcpy(copy->comm, parent->comm, sizeof(copy->comm));
	copy->cwd = parent->cwd ? strdup(parent->cwd) : NULL;
	copy->fds = parent->fd_count ? calloc(parent->fd_count, sizeof(*copy->fds)) : NULL;
	if ((parent->cwd && !copy->cwd) || (parent->fd_count && !copy->fds)) {
		put_process(copy);
		return NULL;
	}
	copy->fd_room = copy->fd_count = parent->fd_count;
	for (size_t i = 0; i < parent->fd_count; i++) {
		copy->fds[i] = parent->fds[i];
		if (copy->fds[i].open)
			copy->fds[i].open->refs++;
	}
	return copy;
}

static struct strace_task **slot_of(struct strace_tasks *tasks, uint32_t pid)
{
	struct strace_task **slot = &tasks->buckets[pid % STRACE_BUCKETS];

	while (*slot && (*slot)->pid != pid)
		slot = &(*slot)->next;
	return slot;
}

/* Takes over the process, also when it fails. */
static int add_task(struct strace_tasks *tasks, uint32_t pid, struct strace_process *process,
		    struct strace_task **ret_task)
{
	struct strace_task **slot = slot_of(tasks, pid);
	struct strace_task *task;

	if (!process)
		return -ENOMEM;
	task = tasks->count < STRACE_TASKS_MAX ? calloc(1, sizeof(*task)) : NULL;
	if (!task) {
		put_process(process);
		return tasks->count < STRACE_TASKS_MAX ? -ENOMEM : -ENOSPC;
	}
	task->pid = pid;
	task->process = process;
	*slot = task;
	tasks->count++;
	*ret_task = task;
	return 0;
}

static bool is_sharing(const struct strace_task *task)
{
	struct slice text = {task->text, task->text_len};

	return slice_find(text, "CLONE_FILES") < text.len;
}

static struct strace_process *inherit(const struct strace_task *parent, uint32_t pid, bool share)
{
	if (!share)
		return copy_process(parent->process, pid);
	parent->process->refs++;
	return parent->process;
}

int strace_task(struct strace_tasks *tasks, uint32_t pid, struct strace_task **ret_task)
{
	struct strace_task *cloner;

	*ret_task = *slot_of(tasks, pid);
	if (*ret_task)
		return 0;
	/* A child may be heard of before the call that made it returns. */
	cloner = tasks->cloner ? *slot_of(tasks, tasks->cloner) : NULL;
	if (cloner && cloner->text)
		return add_task(tasks, pid, inherit(cloner, pid, is_sharing(cloner)), ret_task);
	return add_task(tasks, pid, new_process(pid), ret_task);
}

int strace_clone(struct strace_tasks *tasks, struct strace_task *parent, uint32_t pid, bool share)
{
	struct strace_task *task;

	if (*slot_of(tasks, pid))
		return 0;
	return add_task(tasks, pid, inherit(parent, pid, share), &task);
}

int strace_exit(struct strace_tasks *tasks, uint32_t pid, strace_release release, void *arg)
{
	struct strace_task **slot = slot_of(tasks, pid), *task = *slot;
	struct strace_process *process;
	int err = 0;

	if (!task)
		return 0;
	process = task->process;
	*slot = task->next;
	tasks->count--;
	free(task->text);
	free(task);
	while (!err && process->refs == 1 && process->fd_count) {
		struct strace_open *open = process->fds[--process->fd_count].open;

		if (open && open->refs == 1)
			err = release(arg, open);
		else
			strace_put(open);
	}
	put_process(process);
	return err;
}

void strace_tasks_done(struct strace_tasks *tasks)
{
	for (size_t i = 0; i < STRACE_BUCKETS; i++) {
		while (tasks->buckets[i]) {
			struct strace_task *task = tasks->buckets[i];

			tasks->buckets[i] = task->next;
			put_process(task->process);
			free(task->text);
			free(task);
		}
	}
}
