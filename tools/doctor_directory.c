// SPDX-License-Identifier: GPL-2.0-or-later
/* The directory's part of `weir doctor`: tries on it what the daemon will want to do. */
#include "config.h"

#include "tools/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "tools/ctl.h"
#include "tools/utf8.h"

#define SAMPLE_BYTES 65536
#define UNMOUNT_FIX "fusermount3 -uz DIR, or as root umount -l DIR"

/* Says how a weirfs mount at the very place does. Returns whether the directory may be touched. */
static bool check_mount(struct report *report, const struct mount *mount)
{
	struct diag diag = {0};
	int err;

	if (!mount)
		return true;
	err = ctl_request(mount, "ping", CTL_TIMEOUT_NS, NULL, &diag);
	switch (err) {
	case 0:
		report_add(report, VERDICT_NOTE, "mount", NULL,
			   "a live weirfs mount is here already: what follows goes through it");
		return true;
	case -ENOENT:
	case -ECONNREFUSED:
		report_add(report, VERDICT_FAIL, "mount", UNMOUNT_FIX,
			   "a weirfs mount without its daemon (it was killed?)");
		return false;
	default:
		report_add(report, VERDICT_FAIL, "mount",
			   "see its log; " UNMOUNT_FIX " takes it away", "a weirfs mount: %s",
			   diag.text);
		return false;
	}
}

/* Opens the directory. Returns its descriptor, or -1 when nothing more can be said. */
static int check_open(struct report *report, const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENOTCONN)
		report_add(report, VERDICT_FAIL, "directory", UNMOUNT_FIX,
			   "a FUSE mount without its daemon is here (%s)", strerror(errno));
	else
		report_add(report, VERDICT_FAIL, "directory",
			   "weirfs serves a directory that exists and that it may read", "%s",
			   strerror(errno));
	return -1;
}

static void check_type(struct report *report, const struct mount *mount, int fd)
{
	scoped_free char *type = utf8_escape(mount ? mount->type : "unknown");
	struct statvfs fs;

	if (!fstatvfs(fd, &fs) && (fs.f_flag & ST_RDONLY))
		report_add(report, VERDICT_NOTE, "file system", NULL, "%s, read-only",
			   type ? type : "?");
	else
		report_add(report, VERDICT_OK, "file system", NULL, "%s", type ? type : "?");
}

struct handle_room {
	struct file_handle handle;
	unsigned char bytes[MAX_HANDLE_SZ];
};

static void check_handles(struct report *report, int fd)
{
	scoped_free struct handle_room *room = calloc(1, sizeof(*room));
	int mount_id, opened;

	if (!room)
		return;
	room->handle.handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(fd, "", &room->handle, &mount_id, AT_EMPTY_PATH)) {
		report_add(report, VERDICT_NOTE, "handles", NULL,
			   "no file handles here (%s): descriptors are kept in a bounded cache",
			   strerror(errno));
		return;
	}
	opened = open_by_handle_at(fd, &room->handle, O_PATH | O_CLOEXEC);
	if (opened < 0) {
		report_add(report, VERDICT_NOTE, "handles",
			   errno == EPERM ? "run as root (CAP_DAC_READ_SEARCH)" : NULL,
			   "file handles can't be opened (%s): descriptors are kept in a bounded "
			   "cache",
			   strerror(errno));
		return;
	}
	close(opened);
	report_add(report, VERDICT_OK, "handles", NULL, "files can be found by handle (%u bytes)",
		   room->handle.handle_bytes);
}

/* A file without a name in the directory. Returns its descriptor or -errno. */
static int nameless_file(int dirfd)
{
	char name[64];
	int fd = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT)
		return -errno;
	snprintf(name, sizeof(name), ".weir-doctor-%ld", (long)getpid());
	fd = openat(dirfd, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	unlinkat(dirfd, name, 0);
	return fd;
}

static int sample_file(int dirfd)
{
	scoped_free char *data = calloc(1, SAMPLE_BYTES);
	scoped_fd int fd = nameless_file(dirfd);
	ssize_t n;

	if (fd < 0 || !data)
		return fd < 0 ? fd : -ENOMEM;
	n = pwrite(fd, data, SAMPLE_BYTES, 0);
	if (n != SAMPLE_BYTES)
		return n < 0 ? -errno : -ENOSPC;
	return take_fd(&fd);
}

static void check_reflink(struct report *report, int dirfd, int sample)
{
	scoped_fd int copy = nameless_file(dirfd);

	if (copy >= 0 && !ioctl(copy, FICLONE, sample))
		report_add(report, VERDICT_OK, "reflink", NULL, "files can share their blocks");
	else
		report_add(report, VERDICT_NOTE, "reflink", NULL, "no reflinks here (%s)",
			   strerror(copy < 0 ? -copy : errno));
}

static void check_direct(struct report *report, int sample)
{
#ifdef STATX_DIOALIGN
	struct statx stx;

	if (!statx(sample, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) &&
	    (stx.stx_mask & STATX_DIOALIGN)) {
		if (stx.stx_dio_offset_align)
			report_add(report, VERDICT_OK, "O_DIRECT", NULL,
				   "aligned to %u bytes in the file and %u in memory",
				   stx.stx_dio_offset_align, stx.stx_dio_mem_align);
		else
			report_add(report, VERDICT_NOTE, "O_DIRECT", NULL, "not on this file");
		return;
	}
#endif
	if (!fcntl(sample, F_SETFL, O_DIRECT))
		report_add(report, VERDICT_OK, "O_DIRECT", NULL,
			   "accepted (the file system doesn't tell its alignment)");
	else
		report_add(report, VERDICT_NOTE, "O_DIRECT", NULL, "not here (%s)",
			   strerror(errno));
	fcntl(sample, F_SETFL, 0);
}

static void check_xattr(struct report *report, int sample)
{
	if (!fsetxattr(sample, "user.weir.doctor", "1", 1, 0))
		report_add(report, VERDICT_OK, "xattr", NULL, "user attributes can be set");
	else
		report_add(report, VERDICT_NOTE, "xattr", NULL, "no user attributes here (%s)",
			   strerror(errno));
}

void doctor_directory(struct report *report, const struct mounts *mounts, const char *directory)
{
	scoped_free char *path = mounts_resolve(mounts, directory);
	scoped_fd int fd = -1;
	scoped_fd int sample = -1;

	if (!path) {
		report_add(report, VERDICT_FAIL, "directory", NULL, "%s", strerror(errno));
		return;
	}
	if (!check_mount(report, mounts_at(mounts, path, true)))
		return;
	fd = check_open(report, path);
	if (fd < 0)
		return;
	check_type(report, mounts_holding(mounts, path, false), fd);
	check_handles(report, fd);
	sample = sample_file(fd);
	if (sample < 0) {
		report_add(report, VERDICT_NOTE, "writing", NULL,
			   "can't write here (%s): reflink, O_DIRECT and xattr were not tried",
			   strerror(-sample));
		return;
	}
	check_reflink(report, fd, sample);
	check_direct(report, sample);
	check_xattr(report, sample);
}
