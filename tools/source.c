// SPDX-License-Identifier: GPL-2.0-or-later
/* Summaries from a control socket, a file or the standard input. */
#include "config.h"

#include "tools/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "tools/args.h"
#include "tools/ctl.h"
#include "tools/parts.h"
#include "tools/trace_sum.h"
#include "trace/snapshot.h"

#define CHUNK 65536
#define FILES_MAX 20000 /* of a trace: rows with full histograms are large */

static const char no_mount[] = "not a weirfs mount ('weir list' shows them)";

/* Whether the path leads to a trace: by its first bytes, or because it is a directory. */
static bool leads_to_trace(const char *path)
{
	scoped_fd int fd = -1;
	struct stat st;

	if (!strcmp(path, "-"))
		return parts_is_trace(STDIN_FILENO);
	if (stat(path, &st))
		return false;
	if (S_ISDIR(st.st_mode))
		return true;
	/* Nobody may be at the other end of a pipe yet: it is a trace's if it is anything. */
	if (S_ISFIFO(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && parts_is_trace(fd);
}

static int open_trace(struct source *source, struct diag *diag)
{
	int err = input_open(&source->path, 1, diag, &source->input);

	source->diag = diag;
	if (err == -ENOENT && diag->text[0] == 'n')
		return diag_set(diag, -ENODEV,
				"not a weirfs mount ('weir list' shows them), and no "
				"traces in it");
	return err;
}

/* A word that is no weirfs mount: a file, or a mistake that deserves its own message. */
static int open_file(struct source *source, enum source_kinds kinds, struct diag *diag)
{
	struct stat st;

	if (kinds != SOURCE_LIVE && leads_to_trace(source->path))
		return open_trace(source, diag);
	if (kinds != SOURCE_ANY)
		return diag_set(diag, -ENODEV, "%s%s", kinds == SOURCE_LIVE ? "" : "no trace, and ",
				no_mount);
	if (!strcmp(source->path, "-"))
		return 0;
	if (stat(source->path, &st))
		return diag_set(diag, -errno, "%s", strerror(errno));
	return 0;
}

int source_open(const char *word, enum source_kinds kinds, struct source *ret_source,
		struct diag *diag)
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
			err = open_file(&source, kinds, diag);
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
	input_close(source->input);
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

static int read_snapshot(const struct source *source, size_t files, struct summary *ret_summary,
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

/* The trace as a snapshot, which is encoded only when somebody wants its bytes. */
static int read_trace(const struct source *source, size_t files, struct summary *ret_summary,
		      struct bytes *ret_raw)
{
	struct filter filter = source->filter;
	struct diag *diag = source->diag;
	int err = trace_sum(source->input, &filter, files < FILES_MAX ? files : FILES_MAX,
			    ret_summary);

	if (!err && ret_raw) {
		snapshot_encode(ret_summary, ret_raw);
		if (ret_raw->failed) {
			bytes_done(ret_raw);
			summary_done(ret_summary);
			err = -ENOMEM;
		}
	}
	if (err && !diag->text[0])
		diag_set(diag, err, "%s", strerror(-err));
	return err;
}

int source_read(const struct source *source, size_t files, struct summary *ret_summary,
		struct bytes *ret_raw, struct diag *diag)
{
	int err;

	if (!source->input)
		return read_snapshot(source, files, ret_summary, ret_raw, diag);
	err = read_trace(source, files, ret_summary, ret_raw);
	if (err && diag != source->diag)
		*diag = *source->diag;
	return err;
}

int source_window(struct source *source, const struct filter *filter, const char *command)
{
	source->filter = *filter;
	if (source->input || !filter_any(filter))
		return EXIT_DONE;
	return args_error(command, "--from and --to are for traces: '%s' is none",
			  source->mount ? source->mount->point : source->path);
}

int source_warn(const struct source *source, const char *command)
{
	return source->input ? input_warn(source->input, command) : EXIT_DONE;
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
