/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a directory is part of the tree that is mounted, by whatever way one got there. */
#ifndef WEIRFS_TRACE_INSIDE_H
#define WEIRFS_TRACE_INSIDE_H

#include <stdbool.h>

struct weirfs;

/*
 * Below the source or the mount point: by its parent directories, or because both are the same
 * place of a file system that is mounted twice (bind mounts). Before the mount, and during it.
 */
bool trace_is_inside(const struct weirfs *fs, int dir_fd);

/* Changes a directory that is seen through the mount for the backing one. Returns 0 or -errno. */
int trace_inside_bypass(const struct weirfs *fs, int *dir_fd);

/* Whether `path` is `above` or below it; both without slashes at the end. */
bool trace_path_is_below(const char *path, const char *above);

#endif
