// SPDX-License-Identifier: GPL-2.0-or-later
/* The places: source, mount point, predecessors, and programs that are inside already. */
#include "config.h"

#include "weirfs/mountpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "weirfs/log.h"
#include "weirfs/mountinfo.h"
#include "weirfs/weirfs.h"

#define BYPASS_LISTED 20 /* programs that are named; the rest is counted */
#define STALE_LAYERS 16  /* dead mounts on top of each other */

static const struct {
	uint32_t magic;
	const char *name;
	bool remote;
} known_types[] = {
	{EXT4_SUPER_MAGIC, "ext4", false},
	{XFS_SUPER_MAGIC, "xfs", false},
	{BTRFS_SUPER_MAGIC, "btrfs", false},
	{TMPFS_MAGIC, "tmpfs", false},
	{0xf2f52010, "f2fs", false},
	{0x2fc12fc1, "zfs", false},
	{OVERLAYFS_SUPER_MAGIC, "overlay", false},
	{NFS_SUPER_MAGIC, "nfs", true},
	{0xff534d42, "cifs", true},
	{0xfe534d42, "smb2", true},
	{0x00c36400, "ceph", true},
	{0x01021997, "9p", true},
	{0x0bd00bd0, "lustre", true},
	{0x65735546, "fuse", true},
	{0x01161970, "gfs2", true},
};

bool mountpoint_is_fd(const char *mountpoint)
{
	return !strncmp(mountpoint, "/dev/fd/", 8);
}

static int run_fusermount(const char *mountpoint)
{
	char program[] = "fusermount3", unmount[] = "-u", quiet[] = "-q", lazy[] = "-z",
	     end[] = "--";
	char *argv[] = {program, unmount, quiet, lazy, end, (char *)(uintptr_t)mountpoint, NULL};
	pid_t pid;
	int status, err = posix_spawnp(&pid, program, NULL, NULL, argv, environ);

	if (err)
		return -err;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EPERM;
}

static int detach(const char *mountpoint)
{
	if (!umount2(mountpoint, MNT_DETACH | UMOUNT_NOFOLLOW))
		return 0;
	return errno == EPERM ? run_fusermount(mountpoint) : -errno;
}

int mountpoint_detach(const struct weirfs *fs)
{
	if (mountpoint_is_fd(fs->options.mountpoint))
		return -EOPNOTSUPP;
	return detach(fs->options.mountpoint);
}

/* --- before the mount ----------------------------------------------------------------------- */

/* A mount whose daemon is gone answers everything with ENOTCONN. */
static int clear_stale(const char *mountpoint, struct diag *diag)
{
	struct mountinfo info;
	struct statfs sf;
	int err = 0;

	for (int i = 0; i < STALE_LAYERS; i++) {
		if (mountinfo_find(mountpoint, &info) || !info.is_weirfs)
			return 0;
		/* Not stat(2), which the kernel may answer for a dead daemon from what it kept. */
		if (!statfs(mountpoint, &sf) || errno != ENOTCONN)
			return diag_set(diag, -EBUSY,
					"%s is a weirfs mount already; end it with: umount %s",
					mountpoint, mountpoint);
		err = detach(mountpoint);
		if (err)
			break;
		log_warning("%s: took away the mount of a weirfs that had been killed", mountpoint);
	}
	return diag_set(diag, err ? err : -EBUSY,
			"%s is the mount of a weirfs that was killed; take it away with: "
			"umount -l %s (or fusermount3 -uz)",
			mountpoint, mountpoint);
}

/* A path made absolute by its text alone: the last part may be a dead mount. */
static char *absolute(const char *path)
{
	scoped_free char *cwd = NULL;
	char *resolved = realpath(path, NULL);

	if (resolved)
		return resolved;
	if (path[0] == '/')
		return strdup(path);
	cwd = getcwd(NULL, 0);
	if (!cwd || asprintf(&resolved, "%s/%s", cwd, path) < 0)
		return NULL;
	return resolved;
}

static void strip_slashes(char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
}

static int make_absolute(char **slot)
{
	char *path;

	strip_slashes(*slot);
	path = absolute(*slot);
	if (!path)
		return -ENOMEM;
	free(*slot);
	*slot = path;
	return 0;
}

int mountpoint_prepare(struct weirfs *fs, struct diag *diag)
{
	struct options *options = &fs->options;
	struct stat st;
	int err;

	if (!mountpoint_is_fd(options->mountpoint)) {
		err = make_absolute(&options->mountpoint);
		if (!err)
			err = clear_stale(options->mountpoint, diag);
		/* A dead mount could not be resolved; now it can. */
		if (!err)
			err = make_absolute(&options->mountpoint);
		if (err)
			return err;
		if (stat(options->mountpoint, &st))
			return diag_set(diag, -errno, "mount point %s: %s", options->mountpoint,
					strerror(errno));
		if (!S_ISDIR(st.st_mode))
			return diag_set(diag, -ENOTDIR, "mount point %s is not a directory",
					options->mountpoint);
	}
	return make_absolute(&options->source);
}

static void learn_type(struct weirfs *fs, int fd)
{
	struct statfs sf;

	fs->backing_name = "unknown";
	if (fstatfs(fd, &sf))
		return;
	for (size_t i = 0; i < sizeof(known_types) / sizeof(known_types[0]); i++) {
		if ((uint32_t)sf.f_type == known_types[i].magic) {
			fs->backing_name = known_types[i].name;
			fs->remote = known_types[i].remote;
		}
	}
}

/* Where the mount will lie as seen from below: never to be entered from there. */
static void learn_hidden(struct weirfs *fs)
{
	const char *slash = strrchr(fs->options.mountpoint, '/');
	scoped_free char *parent = NULL;
	struct statx stx;

	if (mountpoint_is_fd(fs->options.mountpoint) || !slash || !slash[1])
		return;
	parent =
		strndup(fs->options.mountpoint, slash == fs->options.mountpoint
							? 1
							: (size_t)(slash - fs->options.mountpoint));
	if (!parent || statx(AT_FDCWD, parent, 0, STATX_INO, &stx))
		return;
	fs->hidden_dev = statx_dev(&stx);
	fs->hidden_ino = stx.stx_ino;
	fs->hidden_name = strdup(slash + 1);
}

static bool same_place(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int mountpoint_open_source(struct weirfs *fs, struct diag *diag)
{
	const char *source = fs->options.source;

	fs->root_fd = open(source, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fs->root_fd < 0)
		return diag_set(diag, -errno, "source %s: %s", source, strerror(errno));
	learn_type(fs, fs->root_fd);
	if (!mountpoint_is_fd(fs->options.mountpoint))
		fs->in_place = same_place(fs->root_fd, fs->options.mountpoint);
	learn_hidden(fs);
	return 0;
}

/* --- who is inside already ------------------------------------------------------------------ */

static bool is_below(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	return !strncmp(path, directory, len) && (path[len] == '/' || !path[len] || len == 1);
}

/* How many of a process's descriptors (and its directory) are below the source. */
static unsigned int count_inside(const char *pid, const char *source)
{
	char path[64], target[PATH_MAX];
	unsigned int inside = 0;
	struct dirent *entry;
	ssize_t len;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.16s/cwd", pid);
	len = readlink(path, target, sizeof(target) - 1);
	if (len > 0) {
		target[len] = '\0';
		inside += is_below(target, source);
	}
	snprintf(path, sizeof(path), "/proc/%.16s/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		/* Only the link's text is looked at: the file behind it may hang. */
		len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
		if (len <= 0)
			continue;
		target[len] = '\0';
		inside += is_below(target, source);
	}
	if (dir)
		closedir(dir);
	return inside;
}

static void name_of(const char *pid, char name[32])
{
	char path[64];
	scoped_fd int fd = -1;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%.16s/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? 0 : read(fd, name, 31);
	name[len > 0 ? len : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

void mountpoint_list_bypass(const struct weirfs *fs)
{
	DIR *proc = opendir("/proc");
	unsigned int listed = 0, more = 0;
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		unsigned int inside;
		char name[32];

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9' ||
		    strtol(entry->d_name, NULL, 10) == getpid())
			continue;
		inside = count_inside(entry->d_name, fs->options.source);
		if (!inside)
			continue;
		if (listed++ >= BYPASS_LISTED) {
			more++;
			continue;
		}
		name_of(entry->d_name, name);
		log_warning(
			"process %s (%s) has %u places below %s open already: what it does there "
			"goes past the mount until it opens them again",
			entry->d_name, name, inside, fs->options.source);
	}
	if (more)
		log_warning("and %u processes more", more);
	if (proc)
		closedir(proc);
}

/* --- the mount ------------------------------------------------------------------------------ */

int mountpoint_device(const struct weirfs *fs, unsigned int *ret_major, unsigned int *ret_minor)
{
	struct mountinfo info;
	int err = mountinfo_find(fs->options.mountpoint, &info);

	if (err || !info.is_weirfs)
		return -ENOENT;
	*ret_major = info.major;
	*ret_minor = info.minor;
	return 0;
}

void mountpoint_read_ahead(unsigned int major, unsigned int minor, unsigned int kib)
{
	char path[80], text[16];
	scoped_fd int fd = -1;
	int len = snprintf(text, sizeof(text), "%u", kib);

	snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/read_ahead_kb", major, minor);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, (size_t)len) != len)
		log_debug("read-ahead stays as it is: %s", strerror(errno));
}
