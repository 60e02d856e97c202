/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fsstorm PROCESSES OPS SEED DIR: many processes do random things to one small tree.
 *
 * Their names collide all the time, so that most errors are right; those that no file system may
 * give here (EIO, ESTALE, ENOTCONN and so on) are counted. In the end everything is walked.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/lib/tool.h"

#define NAMES 12
#define DEPTH 4

/* Errors that colliding names can give. */
static const int expected[] = {ENOENT, EEXIST, ENOTDIR,    EISDIR,  ENOTEMPTY, EINVAL, ELOOP, EBUSY,
			       EPERM,  EXDEV,  EOPNOTSUPP, ENODATA, ENXIO,     EMLINK, ENOSPC};

struct shared {
	atomic_uint_fast64_t done, failed_as_expected, wrong;
};

struct storm {
	struct rng rng;
	struct shared *shared;
};

static void judge(struct storm *s, long ret, const char *what)
{
	if (ret != -1) {
		atomic_fetch_add(&s->shared->done, 1);
		return;
	}
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		if (errno == expected[i]) {
			atomic_fetch_add(&s->shared->failed_as_expected, 1);
			return;
		}
	if (atomic_fetch_add(&s->shared->wrong, 1) < 20)
		printf("# %s: %s\n", what, strerror(errno));
}

/* A random path of one to DEPTH parts. */
static void pick(struct storm *s, char path[64])
{
	uint64_t parts = 1 + rng_below(&s->rng, DEPTH);
	size_t len = 0;

	for (uint64_t i = 0; i < parts; i++)
		len += (size_t)snprintf(path + len, 64 - len, "%sn%u", i ? "/" : "",
					(unsigned int)rng_below(&s->rng, NAMES));
}

static void use_file(struct storm *s, const char *path)
{
	static const int flags[] = {O_RDWR,           O_RDWR | O_CREAT,
				    O_RDWR | O_TRUNC, O_RDWR | O_APPEND,
				    O_RDONLY,         O_RDWR | O_CREAT | O_EXCL};
	char buf[5000];
	int fd = open(path, flags[rng_below(&s->rng, 6)] | O_NONBLOCK, 0644);
	off_t at = (off_t)rng_below(&s->rng, 100000);
	struct stat st;

	judge(s, fd, "open");
	if (fd < 0)
		return;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return;
	}
	memset(buf, (int)rng_below(&s->rng, 256), sizeof(buf));
	for (int i = 0; i < 3; i++) {
		ssize_t n = rng_below(&s->rng, 2)
				    ? pwrite(fd, buf, 1 + rng_below(&s->rng, sizeof(buf) - 1), at)
				    : pread(fd, buf, sizeof(buf), at);

		if (n < 0 && errno == EBADF) /* opened for reading only */
			n = 0;
		judge(s, n, "read or write");
		judge(s, fstat(fd, &st), "fstat");
	}
	if (rng_below(&s->rng, 8) == 0)
		judge(s, fsync(fd), "fsync");
	if (rng_below(&s->rng, 8) == 0 &&
	    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, 5000) != 0 &&
	    errno != EBADF)
		judge(s, -1, "fallocate");
	judge(s, close(fd), "close");
}

static void list(struct storm *s, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	judge(s, dir ? 0 : -1, "opendir");
	if (!dir)
		return;
	for (errno = 0; (entry = readdir(dir)); errno = 0) {
		struct stat st;

		judge(s, fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW), "fstatat");
	}
	if (errno)
		judge(s, -1, "readdir");
	closedir(dir);
}

static void set_attributes(struct storm *s, const char *path)
{
	const struct timespec times[2] = {{1, 2}, {3, 4}};

	switch (rng_below(&s->rng, 6)) {
	case 0:
		judge(s, chmod(path, 0600 | (mode_t)rng_below(&s->rng, 64)), "chmod");
		break;
	case 1:
		judge(s, lchown(path, (uid_t)rng_below(&s->rng, 9), 3), "chown");
		break;
	case 2:
		judge(s, utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), "utimensat");
		break;
	case 3:
		judge(s, truncate(path, (off_t)rng_below(&s->rng, 50000)), "truncate");
		break;
	case 4:
		judge(s, lsetxattr(path, "user.storm", "value", 5, 0), "setxattr");
		break;
	default:
		judge(s, lremovexattr(path, "user.storm"), "removexattr");
	}
}

static void look(struct storm *s, const char *path)
{
	char buf[256];
	struct stat st;

	switch (rng_below(&s->rng, 4)) {
	case 0:
		judge(s, lstat(path, &st), "lstat");
		break;
	case 1:
		judge(s, readlink(path, buf, sizeof(buf)), "readlink");
		break;
	case 2:
		judge(s, lgetxattr(path, "user.storm", buf, sizeof(buf)), "getxattr");
		break;
	default:
		judge(s, llistxattr(path, buf, sizeof(buf)), "listxattr");
	}
}

static void use_map(struct storm *s, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_NONBLOCK, 0644);
	struct stat st;
	char *p;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		judge(s, p == MAP_FAILED ? -1 : 0, "mmap");
		if (p != MAP_FAILED) {
			/* no store: others may truncate at any time */
			judge(s, msync(p, 4096, MS_SYNC), "msync");
			munmap(p, 4096);
		}
	}
	close(fd);
}

static void change_names(struct storm *s, const char *a, const char *b)
{
	switch (rng_below(&s->rng, 8)) {
	case 0:
		judge(s, mkdir(a, 0755), "mkdir");
		break;
	case 1:
		judge(s, symlink(b, a), "symlink");
		break;
	case 2:
		judge(s, link(a, b), "link");
		break;
	case 3:
		judge(s, rename(a, b), "rename");
		break;
	case 4:
		judge(s,
		      syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 1 + rng_below(&s->rng, 2)),
		      "renameat2");
		break;
	case 5:
		judge(s, unlink(a), "unlink");
		break;
	case 6:
		judge(s, rmdir(a), "rmdir");
		break;
	default:
		judge(s, mknod(a, S_IFIFO | 0644, 0), "mknod");
	}
}

static void run(struct storm *s, uint64_t ops)
{
	char a[64], b[64];

	for (uint64_t i = 0; i < ops; i++) {
		pick(s, a);
		pick(s, b);
		switch (rng_below(&s->rng, 10)) {
		case 0:
		case 1:
			use_file(s, a);
			break;
		case 2:
			list(s, a);
			break;
		case 3:
			set_attributes(s, a);
			break;
		case 4:
			look(s, a);
			break;
		case 5:
			use_map(s, a);
			break;
		default:
			change_names(s, a, b);
		}
	}
	fflush(stdout);
	_exit(0);
}

/* Counts what is there; whatever is listed must also be found. */
static uint64_t walk(int parent, const char *name)
{
	int fd = must(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), name);
	DIR *dir = must_have(fdopendir(fd));
	struct dirent *entry;
	uint64_t n = 0;

	for (errno = 0; (entry = readdir(dir)); errno = 0) {
		struct stat st;

		if (entry->d_name[0] == '.')
			continue;
		must(fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW), entry->d_name);
		n += 1 + (S_ISDIR(st.st_mode) ? walk(fd, entry->d_name) : 0);
	}
	if (errno)
		die("readdir");
	closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	struct shared *shared;
	struct storm storm;
	uint64_t processes, ops, left;
	int status, failed = 0;

	if (argc != 5)
		return 2;
	processes = number(argv[1]);
	ops = number(argv[2]);
	must(chdir(argv[4]), argv[4]);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		die("mmap");
	storm.shared = shared;
	for (uint64_t i = 0; i < processes; i++) {
		storm.rng.state = number(argv[3]) * 1000 + i;
		if (must(fork(), "fork") == 0)
			run(&storm, ops);
	}
	for (uint64_t i = 0; i < processes; i++) {
		must(wait(&status), "wait");
		failed |= status;
	}
	left = walk(AT_FDCWD, ".");
	printf("done %" PRIuFAST64 " refused %" PRIuFAST64 " wrong %" PRIuFAST64 " left %" PRIu64
	       "\n",
	       atomic_load(&shared->done), atomic_load(&shared->failed_as_expected),
	       atomic_load(&shared->wrong), left);
	return failed || atomic_load(&shared->wrong) != 0;
}
