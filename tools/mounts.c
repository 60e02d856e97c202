// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing mountinfo (proc(5)) and finding the mount of a path without looking into it. */
#include "config.h"

#include "tools/mounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/units.h"

#define WEIRFS_TYPE "fuse.weirfs"
#define SYMLINKS_MAX 40 /* as the kernel */

/* --- parsing ------------------------------------------------------------------------------- */

/* Turns \040 and the like into their bytes, in place. */
static void unescape(char *text)
{
	char *out = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
		    text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*out++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
					(text[3] - '0'));
			text += 3;
		} else {
			*out++ = *text;
		}
	}
	*out = '\0';
}

static uid_t option_owner(const char *options)
{
	const char *at = strstr(options, "user_id=");

	return at ? (uid_t)strtoul(at + strlen("user_id="), NULL, 10) : 0;
}

static void mount_done(struct mount *mount)
{
	free(mount->point);
	free(mount->source);
	free(mount->type);
	free(mount->root);
}

/* "MAJOR:MINOR" */
static int parse_device(const char *text, unsigned int *ret_major, unsigned int *ret_minor)
{
	char *end;
	unsigned long major = strtoul(text, &end, 10), minor;

	if (*end != ':')
		return -EPROTO;
	minor = strtoul(end + 1, &end, 10);
	if (*end)
		return -EPROTO;
	*ret_major = (unsigned int)major;
	*ret_minor = (unsigned int)minor;
	return 0;
}

/* Splits "ID PARENT MAJ:MIN ROOT POINT OPTIONS [TAG..] - TYPE SOURCE SUPER" into its fields. */
static int parse_line(char *line, struct mount *ret_mount)
{
	char *fields[6], *tail[3] = {NULL}, *next = line;
	struct mount mount = {0};

	for (unsigned int i = 0; i < 6; i++) {
		fields[i] = strsep(&next, " ");
		if (!next)
			return -EPROTO;
	}
	while (next && strncmp(next, "- ", 2) != 0)
		strsep(&next, " ");
	if (!next)
		return -EPROTO;
	next += 2;
	for (unsigned int i = 0; i < 3 && next; i++)
		tail[i] = strsep(&next, " ");
	if (!tail[2] || parse_device(fields[2], &mount.major, &mount.minor))
		return -EPROTO;
	unescape(fields[3]);
	unescape(fields[4]);
	unescape(tail[1]);
	mount.root = strdup(fields[3]);
	mount.point = strdup(fields[4]);
	mount.type = strdup(tail[0]);
	mount.source = strdup(tail[1]);
	mount.owner = option_owner(tail[2]);
	mount.weirfs = !strcmp(tail[0], WEIRFS_TYPE);
	if (!mount.root || !mount.point || !mount.type || !mount.source) {
		mount_done(&mount);
		return -ENOMEM;
	}
	*ret_mount = mount;
	return 0;
}

static int append(struct mounts *mounts, const struct mount *mount)
{
	if (!(mounts->count & (mounts->count - 1))) {
		size_t room = mounts->count ? mounts->count * 2 : 1;
		struct mount *list = reallocarray(mounts->list, room, sizeof(*list));

		if (!list)
			return -ENOMEM;
		mounts->list = list;
	}
	mounts->list[mounts->count++] = *mount;
	return 0;
}

static int read_lines(FILE *in, struct mounts *mounts)
{
	scoped_free char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, in)) > 0) {
		struct mount mount;
		int err;

		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		err = parse_line(line, &mount);
		/* A line of another shape can't be ours. */
		if (err == -EPROTO)
			continue;
		if (err)
			return err;
		err = append(mounts, &mount);
		if (err) {
			mount_done(&mount);
			return err;
		}
	}
	return ferror(in) ? -EIO : 0;
}

int mounts_read(const char *file, struct mounts *ret_mounts, struct diag *diag)
{
	struct mounts mounts = {0};
	FILE *in;
	int err;

	if (!file)
		file = getenv("WEIR_MOUNTINFO");
	if (!file || !*file)
		file = "/proc/self/mountinfo";
	in = fopen(file, "re");
	if (!in)
		return diag_set(diag, -errno, "%s: %s", file, strerror(errno));
	err = read_lines(in, &mounts);
	fclose(in);
	if (err) {
		mounts_done(&mounts);
		return diag_set(diag, err, "%s: %s", file, strerror(-err));
	}
	*ret_mounts = mounts;
	return 0;
}

void mounts_done(struct mounts *mounts)
{
	for (size_t i = 0; i < mounts->count; i++)
		mount_done(&mounts->list[i]);
	free(mounts->list);
	*mounts = (struct mounts){0};
}

/* --- looking up ---------------------------------------------------------------------------- */

/* Is path the directory itself or below it? */
static bool holds(const char *directory, const char *path)
{
	size_t len = strlen(directory);

	if (len == 1)
		return path[0] == '/';
	return !strncmp(directory, path, len) && (path[len] == '\0' || path[len] == '/');
}

const struct mount *mounts_at(const struct mounts *mounts, const char *path, bool weirfs_only)
{
	for (size_t i = mounts->count; i-- > 0;) {
		const struct mount *mount = &mounts->list[i];

		if ((mount->weirfs || !weirfs_only) && !strcmp(mount->point, path))
			return mount;
	}
	return NULL;
}

const struct mount *mounts_holding(const struct mounts *mounts, const char *path, bool weirfs_only)
{
	const struct mount *deepest = NULL;

	for (size_t i = mounts->count; i-- > 0;) {
		const struct mount *mount = &mounts->list[i];

		if ((weirfs_only && !mount->weirfs) || !holds(mount->point, path))
			continue;
		if (!deepest || strlen(mount->point) > strlen(deepest->point))
			deepest = mount;
	}
	return deepest;
}

const char *mounts_below(const struct mount *mount, const char *path)
{
	size_t len = strlen(mount->point);

	if (len == 1)
		return path;
	return path[len] ? path + len : "/";
}

/* --- resolving ----------------------------------------------------------------------------- */

static char *join(const char *directory, const char *rest)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, rest) < 0 ? NULL : path;
}

/* Target of a symbolic link on the heap, or NULL when the path is none. */
static char *link_target(const char *path)
{
	size_t room = 4096;
	char *target = malloc(room);
	ssize_t len = target ? readlink(path, target, room - 1) : -1;

	if (len < 0) {
		free(target);
		return NULL;
	}
	target[len] = '\0';
	return target;
}

static void drop_last(char *done)
{
	char *slash = strrchr(done, '/');

	if (slash)
		*slash = '\0';
}

/* The walk: what is resolved (no slash at its end, "" is the root) and what is still to do. */
struct walk {
	char *done;
	char *rest;
	unsigned int links;
};

/* Replaces the rest by the target of a link and what followed it. */
static int follow(struct walk *walk, char *done, const char *target, const char *after)
{
	char *rest = join(target, after);

	if (!rest || ++walk->links > SYMLINKS_MAX) {
		free(rest);
		free(done);
		return rest ? -ELOOP : -ENOMEM;
	}
	free(done);
	if (target[0] == '/')
		walk->done[0] = '\0';
	free(walk->rest);
	walk->rest = rest;
	return 0;
}

/* Takes one component off the rest. Returns 1 while there is more to do, 0 at the end. */
static int step(const struct mounts *mounts, struct walk *walk)
{
	char *name = walk->rest + strspn(walk->rest, "/"), *after = strchrnul(name, '/'), *done;
	scoped_free char *target = NULL;
	bool last = !*after;

	if (!*name)
		return 0;
	*after = '\0';
	after += !last;
	if (!strcmp(name, ".") || !strcmp(name, "..")) {
		if (name[1])
			drop_last(walk->done);
	} else {
		done = join(walk->done, name);
		if (!done)
			return -ENOMEM;
		if (!mounts_holding(mounts, done, true))
			target = link_target(done);
		if (target) {
			int err = follow(walk, done, target, after);

			return err ? err : 1;
		}
		free(walk->done);
		walk->done = done;
	}
	memmove(walk->rest, after, strlen(after) + 1);
	return 1;
}

char *mounts_resolve(const struct mounts *mounts, const char *path)
{
	scoped_free char *cwd = path[0] == '/' ? strdup("") : getcwd(NULL, 0);
	struct walk walk = {0};
	int err = -ENOMEM;

	if (!cwd)
		return NULL;
	walk.done = strdup(strcmp(cwd, "/") != 0 ? cwd : "");
	walk.rest = strdup(path);
	if (walk.done && walk.rest) {
		do {
			err = step(mounts, &walk);
		} while (err > 0);
	}
	if (!err && !walk.done[0]) {
		free(walk.done);
		walk.done = strdup("/");
	}
	free(walk.rest);
	if (err) {
		free(walk.done);
		errno = -err;
		return NULL;
	}
	return walk.done;
}
