/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request on its way through the pipeline: the operation, its typed arguments, the reply.
 *
 * A front_*() callback fills it on the worker's stack and calls request_run(); it is copied to the
 * heap only when its reply has to be held.
 */
#ifndef WEIRFS_REQUEST_H
#define WEIRFS_REQUEST_H

#include <fuse_lowlevel.h>
#include <poll.h>

#include "core/op.h"
#include "weirfs/callers.h"
#include "weirfs/file.h"
#include "weirfs/ident.h"
#include "weirfs/tree.h"

struct weirfs;
struct request;
struct delayq;

enum reply_kind {
	REPLY_STATUS, /* success or an error, nothing else: what a reply is until it is another */
	REPLY_NONE,   /* forget: the kernel expects nothing */
	REPLY_MORE,   /* one of several forgets in a message: the last ends it */
	REPLY_ENTRY,
	REPLY_ATTR,
	REPLY_OPEN,
	REPLY_CREATE,
	REPLY_DATA,
	REPLY_COUNT, /* bytes written or copied */
	REPLY_READLINK,
	REPLY_STATFS,
	REPLY_XATTR_SIZE,
	REPLY_LOCK,
	REPLY_OFFSET,
	REPLY_POLL,
	REPLY_IOCTL,
	REPLY_STATX,
};

/* What the kernel is told; error 0 or -errno overrides the rest. */
struct reply {
	enum reply_kind kind;
	int error;
	struct inode *inode;      /* entry, create: counted as looked up, and a reference */
	struct file *file;        /* open, create */
	struct dirstream *stream; /* opendir */
	struct statx stx;         /* entry, attr, create, statx */
	struct fuse_file_info fi; /* open, create */
	const void *data;         /* data, readlink, ioctl: see data_owned */
	size_t len;
	void *data_owned; /* freed once sent; NULL when data is the worker's buffer */
	union {
		struct statvfs statfs;
		struct flock lock;
		off_t offset;
		unsigned int revents;
		int ioctl_result;
	};
};

/* Names and data point into the kernel's message; a parked request has copies (kept.h). */
union arguments {
	struct {
		const char *name;
		const char *target;
		mode_t mode;
		dev_t rdev;
		int flags;
		bool kill_suidgid;
	} make; /* lookup, mknod, mkdir, symlink, unlink, rmdir, create, tmpfile */
	struct {
		const char *name;
		struct inode *new_parent;
		uint64_t new_parent_id;
		const char *new_name;
		unsigned int flags;
	} rename; /* and link: new_parent, new_name */
	struct {
		struct stat attr;
		int to_set;
	} setattr;
	struct {
		const char *data;
		bool kill_suidgid;
		int flags; /* read too: the open file's flags as they are now */
	} write;
	struct {
		const char *name;
		const char *value;
		int flags;
	} xattr;
	struct {
		struct flock lock;
		uint64_t owner;
		bool sleep;
		int operation; /* flock(2); getlk: the type that was asked for */
	} lock;
	struct {
		unsigned int command;
		const void *in;
		size_t in_len;
		size_t out_len;
		unsigned int flags;
	} ioctl;
	struct {
		struct file *to;
		uint64_t to_handle;
		off_t to_offset;
		int flags;
	} copy;
	struct {
		int flags; /* open: of open(2); access: mask; lseek: whence; fallocate: mode */
		bool datasync;
		uint64_t owner; /* flush */
		uint64_t count; /* forget: look-ups given back; readdir: names found */
		short events;   /* poll */
		struct fuse_pollhandle *poll;
	} misc;
};

struct request {
	struct op op;
	struct weirfs *fs;
	fuse_req_t fuse;
	struct caller caller;
	struct inode *inode; /* what the operation is on: a reference */
	struct inode *about; /* whose statistics it counts for, when that is another: a reference */
	struct file *file;   /* of the fh, borrowed from the kernel's open file */
	struct dirstream *stream;
	union arguments arg;
	struct reply reply;
	bool sequential;
	/* For the trace (recorder.h); nothing of it is used when the operation is not traced: */
	uint64_t traced;          /* number of the trace that was on when it arrived, 0 = none */
	bool unwanted;            /* its filter leaves the operation out */
	uint64_t handle;          /* id of the open file or stream */
	struct caller_name asker; /* who is behind caller.pid */
	struct inode *second;     /* another directory that it names: a reference */
	uint8_t *kept;            /* copies of what a parked request points to (kept.h) */
	size_t kept_hash_bytes;   /* hashes of the data at its beginning */
	/* While it is parked (delayq.c): */
	struct delayq *queue;
	bool parked;
	bool interrupted; /* atomic: request_interrupt() */
	bool deaf;        /* the kernel can't tell of interrupts */
	uint64_t wake_ns;
	uint32_t heap_index;
	uint64_t held_bytes;                   /* of its copied data */
	int (*retry)(struct request *request); /* what it waits for, or NULL: a plain hold */
	uint64_t retry_ns;
};

/* A signal came for the caller, or the end of the mount. */
static inline void request_interrupt(struct request *request)
{
	__atomic_store_n(&request->interrupted, true, __ATOMIC_RELAXED);
}

static inline bool request_interrupted(const struct request *request)
{
	return __atomic_load_n(&request->interrupted, __ATOMIC_RELAXED);
}

/*
 * What an operation does with the backing file system: 0 or -errno; fills request->reply.
 * BACK_PARKED: it waits in the delay queue, a copy goes on from there.
 */
#define BACK_PARKED 1
typedef int (*back_fn)(struct request *request);

/* Runs a request through the pipeline; afterwards it belongs to nobody or to the delay queue. */
void request_run(struct request *request, back_fn back);
/* Answers it, records it, and drops what it held. Called by workers and by the timer thread. */
void request_finish(struct request *request);

#endif
