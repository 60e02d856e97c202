/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Acting as the caller: file-system ids, groups, capabilities and umask of the worker thread.
 *
 * The kernel checks permissions itself (default_permissions and POSIX ACLs) before it sends a
 * request, with everything it knows of the caller. What is left for the daemon is what happens
 * *as* the caller: who owns a new file, whose quota and reserved blocks are used, whether set-id
 * bits fall, and, on network file systems, what the server thinks of the caller. So on local file
 * systems a thread takes over uid, gid, umask and the absence of CAP_FSETID and CAP_SYS_RESOURCE
 * where that matters, and on network file systems uid, gid and supplementary groups always.
 *
 * What a thread has taken over is remembered: the same caller again costs no system call, but for
 * groups, which only the caller's /proc entry tells.
 */
#ifndef WEIRFS_IDENT_H
#define WEIRFS_IDENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define IDENTITY_TABLE(X)                                                            \
	X(NONE, "none", "everything is done as the user who runs weirfs")            \
	X(LOCAL, "local", "the kernel checks permissions, the caller owns and pays") \
	X(FULL, "full", "every request carries the caller's uid, gid and groups")

enum identity {
#define X(id, name, help) IDENTITY_##id,
	IDENTITY_TABLE(X)
#undef X
		IDENTITY_AUTO
};

/* What of the caller an operation needs. */
enum ident_need {
	IDENT_NONE = 0,        /* nothing, on local file systems */
	IDENT_OWNER = 1 << 0,  /* ids: it makes something, or spends blocks */
	IDENT_GROUPS = 1 << 1, /* supplementary groups too: it may set S_ISGID */
	IDENT_UMASK = 1 << 3,  /* umask: it makes something (other requests do not carry one) */
	IDENT_OPEN = 1 << 4,   /* on an open file, which carries the groups it was opened with */
	IDENT_KILL = 1 << 2,   /* the kernel said that set-id bits must fall, root or not */
};

struct caller {
	uid_t uid;
	gid_t gid;
	pid_t pid; /* of the thread; its groups are read from /proc */
	mode_t umask;
};

/* Whether this process may act as others. */
bool ident_possible(void);
/* Called once a thread before it assumes anything: gives it a umask of its own. */
void ident_thread_init(enum identity identity);
bool ident_thread_ready(void);
/* Makes the thread act as the caller. Groups are read afresh each time: they may have changed. */
void ident_assume(const struct caller *caller, unsigned int need);

#endif
