// SPDX-License-Identifier: GPL-2.0-or-later
/* Destinations of traces, and the names of their parts. */
#include "config.h"

#include "weirfs/trace_place.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "weirfs/trace_inside.h"
#include "weirfs/weirfs.h"

#define NAME_TRIES 100

void trace_place_done(struct trace_place *place)
{
	if (place->stream_fd >= 0)
		close(place->stream_fd);
	if (place->dir_fd >= 0)
		close(place->dir_fd);
	if (place->first_fd >= 0)
		close(place->first_fd);
	free(place->text);
	free(place->name);
	*place = (struct trace_place){.stream_fd = -1, .dir_fd = -1, .first_fd = -1};
}

/* --- names of parts ------------------------------------------------------------------------- */

/* What the parts in a directory are called: the mount and when the trace began, in UTC. */
static char *stem_of(const struct weirfs *fs)
{
	const char *slash = strrchr(fs->options.mountpoint, '/');
	const char *mount = slash && slash[1] ? slash + 1 : "root";
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;
	char *stem;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &tm);
	return asprintf(&stem, "%.200s-%s", mount, stamp) < 0 ? NULL : stem;
}

/* The name of a part; the more tries, the less usual. */
static char *name_of(const struct trace_place *place, uint32_t part, unsigned int try)
{
	char *name;
	int len;

	if (place->made_up && !try)
		len = asprintf(&name, "%s-%04u.wt", place->name, part);
	else if (place->made_up)
		len = asprintf(&name, "%s-%04u-%u.wt", place->name, part, try);
	else if (!try)
		len = asprintf(&name, "%s.%u", place->name, part);
	else
		len = asprintf(&name, "%s.%u.%u", place->name, part, try);
	return len < 0 ? NULL : name;
}

static int make_file(const struct trace_place *place, const char *name)
{
	int fd = openat(place->dir_fd, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	/* Whoever finds it empty knows that it is not free. */
	flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

/* An empty file destroys nothing: mktemp(1) makes such. Returns a descriptor or -errno. */
static int take_empty(const struct trace_place *place)
{
	scoped_fd int fd = openat(place->dir_fd, place->name,
				  O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size)
		return -EEXIST;
	if (flock(fd, LOCK_EX | LOCK_NB))
		return -EBUSY;
	return take_fd(&fd);
}

int trace_place_part(struct trace_place *place, uint32_t part, bool again, char **ret_name)
{
	int fd = take_fd(&place->first_fd);

	*ret_name = NULL;
	if (fd < 0 && again && !place->made_up)
		fd = make_file(place, place->name);
	if (fd >= 0) {
		*ret_name = place->made_up ? name_of(place, part, 0) : strdup(place->name);
		return fd;
	}
	fd = -EEXIST;
	for (unsigned int try = 0; fd == -EEXIST && try < NAME_TRIES; try++) {
		free(*ret_name);
		*ret_name = name_of(place, part, try);
		fd = *ret_name ? make_file(place, *ret_name) : -ENOMEM;
	}
	return fd;
}

/* --- opening -------------------------------------------------------------------------------- */

static int use_stream(struct trace_place *place, int fd, struct diag *diag)
{
	if (fd < 0)
		return diag_set(diag, -errno, "trace %s: %s", place->text,
				errno == ENXIO ? "nobody reads this pipe" : strerror(errno));
	place->stream_fd = fd;
	return 0;
}

static int open_stdout(const struct weirfs *fs, struct trace_place *place, struct diag *diag)
{
	if (!fs->options.foreground)
		return diag_set(diag, -EINVAL,
				"trace=- writes to standard output, which a daemon has not: "
				"add -f, or name a file or directory");
	return use_stream(place, fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), diag);
}

static int check_inside(const struct weirfs *fs, struct trace_place *place, struct diag *diag)
{
	int err;

	if (!trace_is_inside(fs, place->dir_fd))
		return 0;
	if (!fs->options.trace_inside)
		return diag_set(diag, -EINVAL,
				"trace %s is inside the mounted tree, and so would trace itself: "
				"put it elsewhere, or say trace_inside=allow",
				place->text);
	/* Beside the mount: what the tracer does must not wait for what it serves. */
	err = trace_inside_bypass(fs, &place->dir_fd);
	place->inside = true;
	return err ? diag_set(diag, err, "trace %s: %s", place->text, strerror(-err)) : 0;
}

static int open_directory(const struct weirfs *fs, struct trace_place *place, const char *path,
			  struct diag *diag)
{
	place->dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->dir_fd < 0)
		return diag_set(diag, -errno, "trace directory %s: %s", path, strerror(errno));
	return check_inside(fs, place, diag);
}

/* The first part is made now, so that what is wrong with the place is known at the start. */
static int make_first(struct trace_place *place, struct diag *diag)
{
	scoped_free char *name = NULL;
	int fd;

	if (!place->name)
		return -ENOMEM;
	if (place->made_up) {
		fd = trace_place_part(place, 1, false, &name);
	} else {
		fd = make_file(place, place->name);
		if (fd == -EEXIST)
			fd = take_empty(place);
	}
	if (fd == -EBUSY)
		return diag_set(diag, fd, "trace %s is being written already", place->text);
	if (fd == -EEXIST)
		return diag_set(diag, fd,
				"trace %s exists already: move it away, or name a directory, where "
				"each trace gets a name of its own",
				place->text);
	if (fd < 0)
		return diag_set(diag, fd, "trace %s: %s", place->text, strerror(-fd));
	place->first_fd = fd;
	return 0;
}

static int open_path(const struct weirfs *fs, struct trace_place *place, const char *path,
		     struct diag *diag)
{
	scoped_free char *copy = strdup(path), *copy2 = strdup(path);
	struct stat st;
	int err;

	if (!copy || !copy2)
		return -ENOMEM;
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		place->made_up = true;
		place->name = stem_of(fs);
		err = open_directory(fs, place, path, diag);
	} else if (!stat(path, &st) && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))) {
		return use_stream(place, open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC),
				  diag);
	} else {
		place->name = strdup(basename(copy));
		err = open_directory(fs, place, dirname(copy2), diag);
	}
	return err ? err : make_first(place, diag);
}

int trace_place_open(const struct weirfs *fs, const char *destination, struct diag *diag,
		     struct trace_place *ret_place)
{
	struct trace_place place = {.stream_fd = -1, .dir_fd = -1, .first_fd = -1};
	int err = -ENOMEM;

	place.text = strcmp(destination, "-") ? realpath(destination, NULL) : NULL;
	if (!place.text)
		place.text = strdup(destination);
	if (place.text && !strcmp(destination, "-"))
		err = open_stdout(fs, &place, diag);
	else if (place.text)
		err = open_path(fs, &place, destination, diag);
	if (err) {
		trace_place_done(&place);
		return err;
	}
	*ret_place = place;
	return 0;
}
