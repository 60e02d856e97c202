// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether a directory is inside the tree that is mounted. */
#include "config.h"

#include "weirfs/trace_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "weirfs/mountinfo.h"
#include "weirfs/mountpoint.h"
#include "weirfs/weirfs.h"

#define DEPTH_MAX 4096

bool trace_path_is_below(const char *path, const char *above)
{
	size_t len = strlen(above);

	if (!strcmp(above, "/"))
		return path[0] == '/';
	return !strncmp(path, above, len) && (path[len] == '/' || !path[len]);
}

/* The path of a descriptor as it is reached now, or NULL. */
static char *path_of(int fd)
{
	char link[48];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return realpath(link, NULL);
}

/* --- by parent directories ------------------------------------------------------------------ */

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool has_ancestor(int dir_fd, const struct stat *wanted, const struct stat *other)
{
	int fd = dup(dir_fd);
	struct stat here, above;
	bool found = false;

	if (fd < 0 || fstat(fd, &here))
		return false;
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		int up;

		found = same(&here, wanted) || same(&here, other);
		up = found ? -1 : openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (up < 0)
			break;
		close(fd);
		fd = up;
		if (fstat(fd, &above) || same(&above, &here))
			break;
		here = above;
	}
	close(fd);
	return found;
}

/* --- by place in a file system that is mounted more than once -------------------------------- */

/* Where a directory is in its own file system: root of the mount and the way below it. */
struct fs_place {
	unsigned int major;
	unsigned int minor;
	char *path;
};

/* The path below a mount's point, put behind what the mount shows of its file system. */
static char *joined(const struct mountinfo_entry *entry, const char *path)
{
	const char *rest = strcmp(entry->point, "/") ? path + strlen(entry->point) : path;
	const char *root = strcmp(entry->root, "/") ? entry->root : "";
	char *place;

	if (!*rest && !*root)
		return strdup("/");
	return asprintf(&place, "%s%s", root, rest) < 0 ? NULL : place;
}

struct search {
	const char *path;
	struct fs_place place; /* of the deepest, topmost mount so far */
	size_t depth;
};

static void consider(const struct mountinfo_entry *entry, void *arg)
{
	struct search *search = arg;

	if (entry->is_weirfs || !trace_path_is_below(search->path, entry->point) ||
	    strlen(entry->point) < search->depth)
		return;
	free(search->place.path);
	search->place.path = joined(entry, search->path);
	search->place.major = entry->major;
	search->place.minor = entry->minor;
	search->depth = strlen(entry->point);
}

static struct fs_place place_of(const char *path)
{
	struct search search = {.path = path};

	mountinfo_each(consider, &search);
	return search.place;
}

struct compare {
	const char *source;
	const struct fs_place *trace;
	bool inside;
};

/* File systems that are mounted below the source are part of the tree, too. */
static void compare_below(const struct mountinfo_entry *entry, void *arg)
{
	struct compare *compare = arg;

	if (!entry->is_weirfs && entry->major == compare->trace->major &&
	    entry->minor == compare->trace->minor &&
	    trace_path_is_below(entry->point, compare->source) &&
	    trace_path_is_below(compare->trace->path, entry->root))
		compare->inside = true;
}

static bool same_place_below(const char *source, const char *directory)
{
	struct fs_place top = place_of(source), trace = place_of(directory);
	struct compare compare = {.source = source, .trace = &trace};

	if (top.path && trace.path) {
		compare.inside = top.major == trace.major && top.minor == trace.minor &&
				 trace_path_is_below(trace.path, top.path);
		if (!compare.inside && strcmp(source, "/") != 0)
			mountinfo_each(compare_below, &compare);
	}
	free(top.path);
	free(trace.path);
	return compare.inside;
}

/* --- both ----------------------------------------------------------------------------------- */

/* Whether it is seen through our own mount. */
static bool is_through(const struct weirfs *fs, int dir_fd)
{
	unsigned int major, minor;
	struct stat st;

	return !mountpoint_device(fs, &major, &minor) && !fstat(dir_fd, &st) &&
	       st.st_dev == makedev(major, minor);
}

bool trace_is_inside(const struct weirfs *fs, int dir_fd)
{
	scoped_free char *directory = path_of(dir_fd), *source = path_of(fs->root_fd);
	struct stat top, point;

	if (is_through(fs, dir_fd))
		return true;
	if (fstat(fs->root_fd, &top))
		return false;
	if (mountpoint_is_fd(fs->options.mountpoint) || stat(fs->options.mountpoint, &point))
		point = top;
	if (has_ancestor(dir_fd, &top, &point))
		return true;
	return directory && source && same_place_below(source, directory);
}

int trace_inside_bypass(const struct weirfs *fs, int *dir_fd)
{
	scoped_free char *path = NULL;
	const char *point = fs->options.mountpoint, *rest;
	int fd;

	if (!is_through(fs, *dir_fd))
		return 0;
	path = path_of(*dir_fd);
	if (!path || !trace_path_is_below(path, point))
		return -EXDEV;
	rest = path + (strcmp(point, "/") ? strlen(point) : 0);
	while (*rest == '/')
		rest++;
	fd = openat(fs->root_fd, *rest ? rest : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(*dir_fd);
	*dir_fd = fd;
	return 0;
}
