// SPDX-License-Identifier: GPL-2.0-or-later
/* What the trace must know before an operation names it. */
#include "config.h"

#include "weirfs/known.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "weirfs/record.h"
#include "weirfs/recorder.h"
#include "weirfs/request.h"
#include "weirfs/weirfs.h"

#define PATH_ROOM 4096

static uint64_t look(const uint64_t *slot)
{
	return __atomic_load_n(slot, __ATOMIC_RELAXED);
}

/* Size, mode and links where they cost little: nobody but the first asks the file system. */
static bool attributes(struct request *request, struct inode *inode, bool first,
		       struct statx *ret_stx)
{
	const struct file *file = request->inode == inode ? request->file : NULL;

	if (first)
		return !fdcache_statx(&request->fs->fdcache, inode, file, ret_stx);
	return file && S_ISREG(inode->type) &&
	       !statx(file->fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, TREE_STATX_MASK, ret_stx);
}

/*
 * Tells the trace what a file is. stx: its attributes where the operation has them anyway; else,
 * before the operation, they are asked for.
 */
static void define(struct request *request, struct lane *lane, struct inode *inode,
		   const struct statx *stx, uint64_t now_ns)
{
	struct recorder *recorder = &request->fs->recorder;
	uint64_t stamp = __atomic_load_n(&recorder->stamp, __ATOMIC_ACQUIRE);
	bool first = look(&inode->trace_stamp) < look(&recorder->first_stamp);
	char path[PATH_ROOM];
	struct statx asked;
	struct trace_file file = {
		.id = inode->id,
		.dev = inode->dev,
		.ino = inode->ino,
		.generation = inode->birth_ns,
		.mode = inode->type,
		.nlink = __atomic_load_n(&inode->nlink, __ATOMIC_RELAXED),
		.flags = inode_has(inode, INODE_F_GONE) ? TRACE_FILE_F_DELETED : 0,
	};
	void *room;

	if (!stx && !request->op.done_ns && request->op.kind != OP_FORGET &&
	    attributes(request, inode, first, &asked))
		stx = &asked;
	if (stx) {
		file.size = stx->stx_size;
		file.mode = stx->stx_mode;
		file.nlink = stx->stx_nlink;
		file.flags |= TRACE_FILE_F_SIZE;
	}
	file.path.len = tree_path_into(&request->fs->tree, inode, path, sizeof(path));
	if (!file.path.len)
		path[file.path.len++] = '?';
	file.path.data = (const uint8_t *)path;
	room = ring_reserve(&lane->ring, record_file_size(file.path.len));
	/* Without room, the next one tells. */
	if (!room)
		return;
	record_put_file(room, &file, now_ns);
	recorder_commit(recorder, lane, RECORD_FILE);
	__atomic_store_n(&inode->trace_told_ns, now_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&inode->trace_stamp, stamp, __ATOMIC_RELEASE);
}

/*
 * Records are merged by time: an operation that ended before somebody else made the definition
 * needs one of its own.
 */
static bool is_known(const struct recorder *recorder, const struct inode *inode, uint64_t now_ns)
{
	uint64_t stamp = __atomic_load_n(&inode->trace_stamp, __ATOMIC_ACQUIRE);

	return stamp == __atomic_load_n(&recorder->stamp, __ATOMIC_RELAXED) &&
	       look(&inode->trace_told_ns) <= now_ns;
}

bool known_before_move(const struct recorder *recorder, const struct inode *inode)
{
	return (look(&inode->trace_stamp) & ~KNOWN_MOVED) >> 32 == look(&recorder->stamp) >> 32;
}

void known_file(struct request *request, struct lane *lane, struct inode *inode,
		const struct statx *stx, uint64_t now_ns)
{
	if (inode && !is_known(&request->fs->recorder, inode, now_ns))
		define(request, lane, inode, stx, now_ns);
}

/* An open file that the trace has not seen being opened. */
static void know_handle(struct request *request, struct lane *lane,
			const struct trace_handle *handle, uint64_t *traced)
{
	struct recorder *recorder = &request->fs->recorder;
	uint64_t era = look(&recorder->handle_era);
	void *room;

	if (look(traced) == era)
		return;
	room = ring_reserve(&lane->ring, record_handle_size());
	if (!room)
		return;
	record_put_handle(room, handle, request->op.arrive_ns);
	recorder_commit(recorder, lane, RECORD_HANDLE);
	__atomic_store_n(traced, era, __ATOMIC_RELAXED);
}

static struct trace_handle handle_of_file(const struct file *file)
{
	return (struct trace_handle){
		.id = file->id,
		.file = file->inode->id,
		.flags = (uint32_t)file->flags,
	};
}

void known_handles(struct request *request, struct lane *lane)
{
	struct trace_handle handle;

	if (request->file) {
		handle = handle_of_file(request->file);
		know_handle(request, lane, &handle, &request->file->traced);
	} else if (request->stream) {
		handle = (struct trace_handle){
			.id = request->stream->id,
			.file = request->stream->inode->id,
			.flags = O_DIRECTORY,
		};
		know_handle(request, lane, &handle, &request->stream->traced);
	} else {
		return;
	}
	request->handle = handle.id;
	if (request->op.kind == OP_COPY_FILE_RANGE) {
		handle = handle_of_file(request->arg.copy.to);
		know_handle(request, lane, &handle, &request->arg.copy.to->traced);
	}
}
