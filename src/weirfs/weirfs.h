/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mount: everything that the rooms of the daemon share. */
#ifndef WEIRFS_WEIRFS_H
#define WEIRFS_WEIRFS_H

#include "weirfs/control.h"
#include "weirfs/delayq.h"
#include "weirfs/fdcache.h"
#include "weirfs/files.h"
#include "weirfs/handle.h"
#include "weirfs/locks.h"
#include "weirfs/options.h"
#include "weirfs/recorder.h"
#include "weirfs/shaper.h"
#include "weirfs/stats.h"
#include "weirfs/tree.h"
#include "weirfs/workers.h"

struct weirfs {
	struct options options;
	struct fuse_session *session;
	struct tree tree;
	struct handle_mounts mounts;
	struct fdcache fdcache;
	struct stats stats;
	struct files files;
	struct shaper shaper;
	struct delayq delayq; /* held replies */
	struct delayq waitq;  /* locks that are waited for: asking again may take a while */
	struct locks locks;
	struct workers workers;
	struct recorder recorder; /* of the trace */
	struct control control;
	pthread_t main_thread;
	uint64_t last_seq;
	uint32_t releasing; /* RELEASE requests under way, of all files */
	uint64_t start_ns;
	uint64_t wall_offset_ns;     /* wall clock minus CLOCK_MONOTONIC at the start */
	pthread_mutex_t kernel_lock; /* backing ids (kernel_data.c) */
	uint64_t kernel_files;       /* open files whose data the kernel moves by itself */
	int root_fd;                 /* O_PATH of the source, opened before the mount */
	bool in_place;               /* mounted over the source itself */
	bool remote;      /* a network file system: the server has its own view of callers */
	bool acl;         /* the kernel enforces POSIX ACLs, and asks for them */
	bool killpriv;    /* the kernel leaves clearing set-id bits to us and says when */
	bool flush;       /* closing a file has something to do: write back, locks */
	bool mmap_direct; /* the kernel maps files that bypass its cache */
	bool passthrough; /* kernel passthrough was granted */
	const char *backing_name; /* type of the backing file system */
	/* The mount itself, seen from below: never entered (weirfs / /mnt). */
	uint64_t hidden_dev;
	uint64_t hidden_ino;
	char *hidden_name;
	void (*on_ready)(struct weirfs *fs); /* the kernel has answered the first request */
};

/* The FUSE operations (front_*.c). */
extern const struct fuse_lowlevel_ops front_ops;

#endif
