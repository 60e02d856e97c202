// SPDX-License-Identifier: GPL-2.0-or-later
/* Snapshots from a control socket, a file or the standard input. */
#include "config.h"

#include "tools/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "tools/ctl.h"
#include "trace/snapshot.h"

#define CHUNK 65536

/* A word that is no weirfs mount: a file, or a mistake that deserves its own message. */
static int open_file(const struct source *source, bool live_only, struct diag *diag)
{
	struct stat st;

	if (live_only)
		return diag_set(diag, -ENODEV, "not a weirfs mount ('weir list' shows them)");
	if (!strcmp(source->path, "-"))
		return 0;
	if (stat(source->path, &st))
		return diag_set(diag, -errno, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return diag_set(diag, -ENODEV, "not a weirfs mount ('weir list' shows them)");
	return 0;
}

int source_open(const char *word, bool live_only, struct source *ret_source, struct diag *diag)
{
	struct source source = {0};
	int err = mounts_read(NULL, &source.mounts, diag);

	if (err)
		return err;
	source.path = strcmp(word, "-") ? mounts_resolve(&source.mounts, word) : strdup("-");
	if (source.path) {
		source.mount = mounts_at(&source.mounts, source.path, true);
		if (!source.mount)
			source.mount = mounts_holding(&source.mounts, source.path, true);
		if (!source.mount)
			err = open_file(&source, live_only, diag);
	} else {
		err = diag_set(diag, -errno, "%s", strerror(errno));
	}
	if (err)
		source_done(&source);
	else
		*ret_source = source;
	return err;
}

void source_done(struct source *source)
{
	mounts_done(&source->mounts);
	free(source->path);
	*source = (struct source){0};
}

static int read_all(int fd, struct bytes *ret_data)
{
	ssize_t n = 1;

	while (n) {
		if (!bytes_reserve(ret_data, CHUNK))
			return -ENOMEM;
		n = read(fd, ret_data->data + ret_data->len, CHUNK);
		if (n > 0)
			ret_data->len += (size_t)n;
		else if (n < 0 && errno != EINTR)
			return -errno;
	}
	return 0;
}

static int read_file(const char *path, struct bytes *ret_data, struct diag *diag)
{
	scoped_fd int fd = -1;
	int err;

	if (!strcmp(path, "-")) {
		err = read_all(STDIN_FILENO, ret_data);
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		err = fd < 0 ? -errno : read_all(fd, ret_data);
	}
	return err ? diag_set(diag, err, "%s", strerror(-err)) : 0;
}

static int read_mount(const struct mount *mount, size_t files, uint64_t timeout_ns,
		      struct bytes *ret_data, struct diag *diag)
{
	char request[64] = "snapshot";

	if (files != SOURCE_ALL_FILES)
		snprintf(request, sizeof(request), "snapshot files=%zu", files);
	return ctl_request(mount, request, timeout_ns, ret_data, diag);
}

int source_read(const struct source *source, size_t files, struct summary *ret_summary,
		struct bytes *ret_raw, struct diag *diag)
{
	struct bytes raw = {0};
	int err = source->mount ? read_mount(source->mount, files, CTL_TIMEOUT_NS, &raw, diag)
				: read_file(source->path, &raw, diag);

	if (!err)
		err = snapshot_decode(raw.data, raw.len, ret_summary, diag);
	if (err || !ret_raw)
		bytes_done(&raw);
	else
		*ret_raw = raw;
	return err;
}

int source_ask(const struct mount *mount, size_t files, uint64_t timeout_ns,
	       struct summary *ret_summary, struct diag *diag)
{
	struct bytes raw = {0};
	int err = read_mount(mount, files, timeout_ns, &raw, diag);

	if (!err)
		err = snapshot_decode(raw.data, raw.len, ret_summary, diag);
	bytes_done(&raw);
	return err;
}
