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

/* One line of the table; the strings are valid during the call. */
struct mountinfo_entry {
	unsigned int major;
	unsigned int minor;
	const char *root;  /* what of its file system it shows */
	const char *point; /* where */
	bool is_weirfs;
};

/* Calls back for each mount, later ones on top of earlier ones. Returns 0 or -errno. */
int mountinfo_each(void (*on_entry)(const struct mountinfo_entry *entry, void *arg), void *arg);

/* The topmost mount on exactly that path. Returns 0, or -ENOENT when there is none. */
int mountinfo_find(const char *path, struct mountinfo *ret_info);
/* The same in another table: for tests. */
int mountinfo_find_in(const char *table, const char *path, struct mountinfo *ret_info);

#endif
