/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/self/mountinfo, read without touching what is mounted. */
#ifndef WEIRFS_MOUNTINFO_H
#define WEIRFS_MOUNTINFO_H

#include <stdbool.h>

struct mountinfo {
	unsigned int major;
	unsigned int minor;
	bool is_weirfs; /* type fuse.weirfs */
};

/* The topmost mount on exactly that path. Returns 0, or -ENOENT when there is none. */
int mountinfo_find(const char *path, struct mountinfo *ret_info);
/* The same in another table: for tests. */
int mountinfo_find_in(const char *table, const char *path, struct mountinfo *ret_info);

#endif
