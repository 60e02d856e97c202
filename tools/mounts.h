/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mounts of this machine, read from /proc/self/mountinfo.
 *
 * A path is never looked up inside a weirfs mount: its daemon may be the very one that hangs.
 */
#ifndef TOOLS_MOUNTS_H
#define TOOLS_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/diag.h"

struct mount {
	char *point;  /* mount point, absolute; bytes, perhaps not UTF-8 */
	char *source; /* what the daemon says it serves */
	char *type;   /* of file system: "fuse.weirfs", "ext4" .. */
	char *root;   /* the part of the file system that is mounted, "/" but for bind mounts */
	unsigned int major;
	unsigned int minor;
	uid_t owner; /* who mounted it, 0 when not said */
	bool weirfs;
};

struct mounts {
	struct mount *list; /* in the order of mounting */
	size_t count;
};

/* Reads a mountinfo file; NULL means $WEIR_MOUNTINFO or that of this process. 0 or -errno. */
int mounts_read(const char *file, struct mounts *ret_mounts, struct diag *diag);
void mounts_done(struct mounts *mounts);

/*
 * The path made absolute, without symbolic links, "." and ".." as far as that can be done without
 * touching a weirfs mount (below one it is taken as it is written). On the heap; NULL with errno.
 */
char *mounts_resolve(const struct mounts *mounts, const char *path);

/* What is mounted last at exactly this resolved path, or NULL. */
const struct mount *mounts_at(const struct mounts *mounts, const char *path, bool weirfs_only);

/* The deepest mount that holds this resolved path, or NULL. */
const struct mount *mounts_holding(const struct mounts *mounts, const char *path, bool weirfs_only);

/* The part of a path below a mount point that holds it: "/" or "/...". Points into path. */
const char *mounts_below(const struct mount *mount, const char *path);

#endif
