/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loads: one system call of interest each, with what has to be there for it. */
#include "config.h"

#include "tests/perf/bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct commands commands;

/* --- what is there -------------------------------------------------------------------------- */

/* Written natively, once, so that every target finds the same extents. */
static void make_data(const struct lane *lane)
{
	char path[4096];
	struct stat stat;
	int fd;

	snprintf(path, sizeof(path), "%s/data", lane->back);
	fd = must(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644), path);
	must(fstat(fd, &stat), path);
	for (uint64_t at = (uint64_t)stat.st_size; at < DATA_SIZE; at += MIB) {
		if (pwrite(fd, lane->buffer, MIB, (off_t)at) != (ssize_t)MIB)
			die(path);
	}
	must(fsync(fd), path);
	must(close(fd), path);
}

static void start_data(struct lane *lane)
{
	make_data(lane);
	lane->fd = must(openat(lane->dir_fd, "data", lane->load->flags | O_CLOEXEC), "data");
}

static void start_none(struct lane *lane)
{
	(void)lane;
}

static void file_name(char name[32], uint64_t number)
{
	snprintf(name, 32, "f%08llu", (unsigned long long)number);
}

/* MANY_FILES empty files in "many", made natively. */
static void start_many(struct lane *lane)
{
	char path[4096], name[32];
	int dir_fd;

	snprintf(path, sizeof(path), "%s/many", lane->back);
	if (!mkdir(path, 0755)) {
		dir_fd = must(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path);
		for (uint32_t i = 0; i < MANY_FILES; i++) {
			file_name(name, i);
			must(mknodat(dir_fd, name, S_IFREG | 0644, 0), name);
		}
		must(close(dir_fd), path);
	}
	lane->fd = must(openat(lane->dir_fd, "many", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "many");
}

/* Nothing of names and inodes stays in the kernel. */
static void drop_names(struct lane *lane)
{
	int fd = must(open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC), "drop_caches");

	(void)lane;
	must_long(write(fd, "2", 1), "drop_caches");
	must(close(fd), "drop_caches");
}

/* --- data ----------------------------------------------------------------------------------- */

static off_t next_place(struct lane *lane)
{
	uint64_t blocks = DATA_SIZE / lane->load->size;
	uint64_t block =
		lane->load->random ? rng_below(&lane->rng, blocks) : lane->serial++ % blocks;

	return (off_t)(block * lane->load->size);
}

static void op_read(struct lane *lane, uint32_t i)
{
	(void)i;
	if (pread(lane->fd, lane->buffer, lane->load->size, next_place(lane)) !=
	    (ssize_t)lane->load->size)
		die("read");
}

static void op_write(struct lane *lane, uint32_t i)
{
	(void)i;
	if (pwrite(lane->fd, lane->buffer, lane->load->size, next_place(lane)) !=
	    (ssize_t)lane->load->size)
		die("write");
}

static void op_write_sync(struct lane *lane, uint32_t i)
{
	op_write(lane, i);
	must(fdatasync(lane->fd), "fdatasync");
}

static void start_new(struct lane *lane)
{
	lane->fd = must(openat(lane->dir_fd, "new", O_RDWR | O_CREAT | O_CLOEXEC, 0644), "new");
}

static void before_new(struct lane *lane)
{
	must(ftruncate(lane->fd, 0), "new");
	lane->serial = 0;
}

static void forget_pages(const char *dir)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/data", dir);
	fd = must(open(path, O_RDONLY | O_CLOEXEC), path);
	must(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), path);
	must(close(fd), path);
}

/* As on a fresh mount: the target's own pages are gone, those of the backing file are there. */
static void before_fresh(struct lane *lane)
{
	if (!lane->native)
		forget_pages(lane->dir);
	must(close(lane->fd), "data");
	lane->fd = must(openat(lane->dir_fd, "data", O_RDONLY | O_CLOEXEC), "data");
	lane->serial = 0;
}

/* Nobody has the pages. */
static void before_cold(struct lane *lane)
{
	before_fresh(lane);
	forget_pages(lane->back);
}

/* --- metadata ------------------------------------------------------------------------------- */

static void op_getattr(struct lane *lane, uint32_t i)
{
	struct statx stx;

	(void)i;
	/* The kernel asks the daemon, whatever it holds. */
	must(statx(lane->dir_fd, "data", AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &stx), "statx");
}

static void op_open_close(struct lane *lane, uint32_t i)
{
	int fd = must(openat(lane->dir_fd, "data", O_RDONLY | O_CLOEXEC), "open");

	(void)i;
	must(close(fd), "close");
}

static void op_create(struct lane *lane, uint32_t i)
{
	char name[32];
	int fd;

	file_name(name, i);
	fd = must(openat(lane->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), name);
	if (pwrite(fd, lane->buffer, 4096, 0) != 4096)
		die(name);
	must(close(fd), name);
}

static void after_create(struct lane *lane)
{
	char name[32];

	for (uint32_t i = 0; i < lane->done; i++) {
		file_name(name, i);
		must(unlinkat(lane->dir_fd, name, 0), name);
	}
}

/* Made natively: the target has never seen them. */
static void before_unlink(struct lane *lane)
{
	int back = must(open(lane->back, O_RDONLY | O_DIRECTORY | O_CLOEXEC), lane->back);
	char name[32];

	for (uint32_t i = 0; i < lane->limit; i++) {
		file_name(name, i);
		must(mknodat(back, name, S_IFREG | 0644, 0), name);
	}
	must(close(back), lane->back);
}

static void op_unlink(struct lane *lane, uint32_t i)
{
	char name[32];

	file_name(name, i);
	must(unlinkat(lane->dir_fd, name, 0), name);
}

static void before_rename(struct lane *lane)
{
	must(mknodat(lane->dir_fd, "f00000000", S_IFREG | 0644, 0), "mknod");
}

static void op_rename(struct lane *lane, uint32_t i)
{
	char from[32], to[32];

	file_name(from, i);
	file_name(to, i + 1);
	must(renameat(lane->dir_fd, from, lane->dir_fd, to), "rename");
}

static void after_rename(struct lane *lane)
{
	char name[32];

	file_name(name, lane->done);
	must(unlinkat(lane->dir_fd, name, 0), name);
}

static void op_stat(struct lane *lane, uint32_t i)
{
	char name[32];
	struct stat stat;

	file_name(name, i);
	must(fstatat(lane->fd, name, &stat, AT_SYMLINK_NOFOLLOW), name);
}

static void before_warm(struct lane *lane)
{
	for (uint32_t i = 0; i < lane->limit; i++)
		op_stat(lane, i);
}

static void list(struct lane *lane, bool stat_too)
{
	int fd = must(openat(lane->dir_fd, "many", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "many");
	DIR *dir = must_have(fdopendir(fd));
	const struct dirent *entry;
	struct stat stat;
	uint32_t found = 0;

	while ((entry = readdir(dir))) {
		if (stat_too)
			must(fstatat(fd, entry->d_name, &stat, AT_SYMLINK_NOFOLLOW), entry->d_name);
		found++;
	}
	if (found != MANY_FILES + 2)
		die("readdir found another number of files");
	must(closedir(dir), "many");
}

static void op_readdir(struct lane *lane, uint32_t i)
{
	(void)i;
	list(lane, false);
}

static void op_readdir_stat(struct lane *lane, uint32_t i)
{
	(void)i;
	list(lane, true);
}

/* --- commands -------------------------------------------------------------------- */

static void shell(const struct lane *lane, const char *command)
{
	int status;
	pid_t pid;

	if (!command)
		return;
	must(setenv("D", lane->dir, 1), "setenv");
	must(setenv("B", lane->back, 1), "setenv");
	pid = must(fork(), "fork");
	if (!pid) {
		execl("/bin/sh", "sh", "-ec", command, (char *)NULL);
		_exit(127);
	}
	must(waitpid(pid, &status, 0), "waitpid");
	if (status) {
		printf("# failed in %s: %s\n", lane->dir, command);
		exit(1);
	}
}

static void before_command(struct lane *lane)
{
	shell(lane, commands.before);
}

static void op_command(struct lane *lane, uint32_t i)
{
	(void)i;
	shell(lane, commands.run);
}

static void after_command(struct lane *lane)
{
	shell(lane, commands.after);
}

const struct load command_load = {
	"command", 0, 1, true, 0, 0, false, start_none, before_command, op_command, after_command};

/* name, threads, limit, whole, size, flags, random, start, before, op, after */
const struct load loads[] = {
	{"write4k", 1, 4096, false, 4096, O_RDWR, true, start_data, NULL, op_write, NULL},
	{"read4k-direct", 1, 4096, false, 4096, O_RDWR | O_DIRECT, true, start_data, NULL, op_read,
	 NULL},
	{"write4k-direct", 1, 4096, false, 4096, O_RDWR | O_DIRECT, true, start_data, NULL,
	 op_write, NULL},
	{"read4k-direct-16", 16, 65536, false, 4096, O_RDWR | O_DIRECT, true, start_data, NULL,
	 op_read, NULL},
	{"getattr", 1, 65536, false, 0, O_RDONLY, false, start_data, NULL, op_getattr, NULL},
	{"getattr-16", 16, 65536, false, 0, O_RDONLY, false, start_data, NULL, op_getattr, NULL},
	{"open-close", 1, 4096, false, 0, O_RDONLY, false, start_data, NULL, op_open_close, NULL},
	{"create", 1, 500, false, 4096, 0, false, start_none, NULL, op_create, after_create},
	{"unlink", 1, 200, true, 0, 0, false, start_none, before_unlink, op_unlink, NULL},
	{"rename", 1, 4096, false, 0, 0, false, start_none, before_rename, op_rename, after_rename},
	{"write-fdatasync", 1, 4096, false, 4096, O_RDWR, true, start_data, NULL, op_write_sync,
	 NULL},
	{"stat-cold", 1, MANY_FILES, true, 0, 0, false, start_many, drop_names, op_stat, NULL},
	{"stat-warm", 1, 2000, true, 0, 0, false, start_many, before_warm, op_stat, NULL},
	{"readdir", 1, 1, true, 0, 0, false, start_many, drop_names, op_readdir, NULL},
	{"readdir-stat", 1, 1, true, 0, 0, false, start_many, drop_names, op_readdir_stat, NULL},
	{"read1m-fresh", 1, 64, true, MIB, O_RDONLY, false, start_data, before_fresh, op_read,
	 NULL},
	{"read1m-cold", 1, 64, true, MIB, O_RDONLY, false, start_data, before_cold, op_read, NULL},
	{"write1m", 1, 64, true, MIB, O_RDWR, false, start_new, before_new, op_write, NULL},
	{"read1m-direct", 1, 256, false, MIB, O_RDWR | O_DIRECT, false, start_data, NULL, op_read,
	 NULL},
	{"write1m-direct", 1, 256, false, MIB, O_RDWR | O_DIRECT, false, start_data, NULL, op_write,
	 NULL},
	{"read4m-direct-4", 4, 256, false, 4 * MIB, O_RDWR | O_DIRECT, true, start_data, NULL,
	 op_read, NULL},
	{NULL, 0, 0, false, 0, 0, false, NULL, NULL, NULL, NULL},
};
