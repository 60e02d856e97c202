/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes, sockets, statfs, statx, inode flags, leases, limits. */
#include "config.h"

#include "check.h"

#include <linux/fs.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#ifndef F_SETLEASE
#define F_SETLEASE 1024
#endif

static void fifo_connects(void)
{
	char buf[8];
	pid_t pid;
	int fd;

	OK(mkfifo("p", 0600));
	TRUE(S_ISFIFO(stat_of("p").st_mode));
	SPAWN(pid)
	EQ(OK(write(OK(open("p", O_WRONLY)), "hello", 5)), 5);
	fd = OK(open("p", O_RDONLY));
	EQ(OK(read(fd, buf, sizeof(buf))), 5);
	SAME(buf, "hello", 5);
	check_join(pid);
}

static void socket_connects(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = "sock"};
	const struct sockaddr *sa = (const struct sockaddr *)&addr;
	int server = OK(socket(AF_UNIX, SOCK_STREAM, 0));
	int client = OK(socket(AF_UNIX, SOCK_STREAM, 0));
	char byte;

	OK(bind(server, sa, sizeof(addr)));
	OK(listen(server, 1));
	TRUE(S_ISSOCK(stat_of("sock").st_mode));
	FAILS(ENXIO, open("sock", O_RDONLY));
	OK(connect(client, sa, sizeof(addr)));
	EQ(OK(write(client, "x", 1)), 1);
	EQ(OK(read(OK(accept(server, NULL, NULL)), &byte, 1)), 1);
	FAILS(EADDRINUSE, bind(client, sa, sizeof(addr)) == 0 ? 0 : (errno = EADDRINUSE, -1));
	OK(unlink("sock"));
}

static void device_nodes(void)
{
	struct stat st;
	char byte;

	OK(mknod("null", S_IFCHR | 0666, makedev(1, 3)));
	OK(mknod("blk", S_IFBLK | 0600, makedev(250, 77)));
	st = stat_of("null");
	TRUE(S_ISCHR(st.st_mode));
	EQ(st.st_rdev, makedev(1, 3));
	EQ(stat_of("blk").st_rdev, makedev(250, 77));
	EQ(OK_LONG(read(OK(open("null", O_RDWR)), &byte, 1)), 0);
	AS(USER_A, USER_A, USER_A)
		FAILS(EPERM, mknod("/proc/self/cwd/../x", S_IFCHR, makedev(1, 3)) == -1 &&
					     (errno == EPERM || errno == EACCES)
				     ? (errno = EPERM, -1)
				     : 0);
}

/* Sizes and counts that change with the file system's own background work are asked for again. */
static bool same_statvfs(const struct statvfs *a, const struct statvfs *b)
{
	return a->f_blocks == b->f_blocks && a->f_bfree == b->f_bfree &&
	       a->f_bavail == b->f_bavail && a->f_files == b->f_files && a->f_ffree == b->f_ffree &&
	       a->f_bsize == b->f_bsize && a->f_frsize == b->f_frsize &&
	       a->f_namemax == b->f_namemax;
}

static void statfs_is_the_backing_ones(void)
{
	struct statvfs here, ref;
	uint64_t deadline = now_ms() + 10000;

	if (!check_has_ref())
		SKIP("nothing to compare with");
	sync();
	do {
		OK(statvfs(".", &here));
		OK(fstatvfs(check_ref(), &ref));
	} while (!same_statvfs(&here, &ref) && now_ms() < deadline);
	EQ(here.f_blocks, ref.f_blocks);
	EQ(here.f_bfree, ref.f_bfree);
	EQ(here.f_bavail, ref.f_bavail);
	EQ(here.f_files, ref.f_files);
	EQ(here.f_ffree, ref.f_ffree);
	EQ(here.f_bsize, ref.f_bsize);
	EQ(here.f_frsize, ref.f_frsize);
	EQ(here.f_namemax, ref.f_namemax);
	TRUE(here.f_blocks > 0);
}

static void birth_time(void)
{
	struct statx first, then;

	put("f", "x");
	OK(statx(AT_FDCWD, "f", 0, STATX_BASIC_STATS | STATX_BTIME, &first));
	if (!(first.stx_mask & STATX_BTIME)) {
		put_at(check_ref(), "f", "x");
		OK(statx(check_ref(), "f", 0, STATX_BTIME, &then));
		TRUE(check_on_fuse() || !(then.stx_mask & STATX_BTIME));
		SKIP("no birth time here: this libfuse has no statx, or the backing has none");
	}
	OK(utimensat(AT_FDCWD, "f", (const struct timespec[2]){{1, 0}, {2, 0}}, 0));
	OK(statx(AT_FDCWD, "f", 0, STATX_BASIC_STATS | STATX_BTIME, &then));
	EQ(then.stx_btime.tv_sec, first.stx_btime.tv_sec);
	EQ(then.stx_btime.tv_nsec, first.stx_btime.tv_nsec);
	EQ(then.stx_mtime.tv_sec, 2);
	TRUE(first.stx_btime.tv_sec > 1000000000);
}

static void inode_flags(void)
{
	int ref = make_at(check_ref(), "f", 0644);
	int here = make("f", 0644);
	int flags = 0;

	if (ioctl(ref, FS_IOC_GETFLAGS, &flags) != 0)
		SKIP("the backing file system has no inode flags");
	OK(ioctl(here, FS_IOC_GETFLAGS, &flags));
	flags |= FS_NODUMP_FL;
	if (ioctl(ref, FS_IOC_SETFLAGS, &flags) != 0)
		SKIP("the backing file system keeps no such flag");
	OK(ioctl(here, FS_IOC_SETFLAGS, &flags));
	flags = 0;
	OK(ioctl(here, FS_IOC_GETFLAGS, &flags));
	TRUE((flags & FS_NODUMP_FL) != 0);
}

static void immutable_files(void)
{
	int fd = make_at(check_ref(), "f", 0644), flags = 0;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0 ||
	    (flags |= FS_IMMUTABLE_FL, ioctl(fd, FS_IOC_SETFLAGS, &flags)) != 0)
		SKIP("the backing file system has no immutable files");
	flags &= ~FS_IMMUTABLE_FL;
	OK(ioctl(fd, FS_IOC_SETFLAGS, &flags));
	fd = make("f", 0644);
	OK(ioctl(fd, FS_IOC_GETFLAGS, &flags));
	flags |= FS_IMMUTABLE_FL;
	OK(ioctl(fd, FS_IOC_SETFLAGS, &flags));
	FAILS(EPERM, open("f", O_WRONLY));
	FAILS(EPERM, unlink("f"));
	FAILS(EPERM, rename("f", "g"));
	FAILS(EPERM, chmod("f", 0600));
	FAILS(EPERM, link("f", "g"));
	flags &= ~FS_IMMUTABLE_FL;
	OK(ioctl(fd, FS_IOC_SETFLAGS, &flags));
	OK(unlink("f"));
}

/* What can't be passed on must be refused cleanly, so that programs fall back. */
static void unsupported_is_refused_cleanly(void)
{
	struct file_clone_range clone = {0};
	int from, to, got, value = 0;

	put("from", "text");
	from = OK(open("from", O_RDONLY));
	to = make("to", 0644);
	clone.src_fd = from;
	got = ioctl(to, FICLONERANGE, &clone);
	TRUE(got == 0 || errno == EOPNOTSUPP || errno == ENOTTY || errno == EINVAL);
	got = ioctl(to, FIFREEZE, &value);
	if (got == 0)
		OK(ioctl(to, FITHAW, &value));
	else
		TRUE(errno == EOPNOTSUPP || errno == ENOTTY || errno == EPERM);
	FAILS(ENOTTY, ioctl(to, 0x5401 /* TCGETS */, &value));
	got = ioctl(to, FS_IOC_GETVERSION, &value);
	TRUE(got == 0 || errno == ENOTTY || errno == EOPNOTSUPP);
}

static void poll_is_always_ready(void)
{
	struct pollfd p = {.fd = make("f", 0644), .events = POLLIN | POLLOUT};

	EQ(OK(poll(&p, 1, 5000)), 1);
	EQ(p.revents, POLLIN | POLLOUT);
}

static void file_size_limit(void)
{
	struct rlimit limit = {.rlim_cur = 10000, .rlim_max = 10000};
	char *buf = need_memory(20000);
	int fd;

	memset(buf, 'l', 20000);
	signal(SIGXFSZ, SIG_IGN);
	fd = make("f", 0644);
	OK(setrlimit(RLIMIT_FSIZE, &limit));
	EQ(OK(write(fd, buf, 20000)), 10000);
	FAILS(EFBIG, write(fd, buf, 1));
	FAILS(EFBIG, ftruncate(fd, 10001));
	OK(ftruncate(fd, 10000));
	EQ(stat_of("f").st_size, 10000);
	free(buf);
}

static void leases(void)
{
	int fd = make_at(check_ref(), "f", 0644);

	if (fcntl(fd, F_SETLEASE, F_WRLCK) != 0)
		SKIP("the backing file system has no leases");
	OK(close(fd));
	OK(close(make("f", 0644)));
	fd = OK(open("f", O_RDONLY));
	if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0 && check_on_fuse())
		SKIP("this kernel gives no leases on FUSE");
	OK(fcntl(fd, F_SETLEASE, F_RDLCK));
	signal(SIGIO, SIG_IGN);
	FAILS(EWOULDBLOCK, open("f", O_WRONLY | O_NONBLOCK));
	OK(fcntl(fd, F_SETLEASE, F_UNLCK));
	OK(open("f", O_WRONLY | O_NONBLOCK));
}

static void noatime_is_for_owners(void)
{
	put("f", "x");
	OK(chmod("f", 0666));
	OK(open("f", O_RDONLY | O_NOATIME));
	AS(USER_A, USER_A, USER_A)
		FAILS(EPERM, open("f", O_RDONLY | O_NOATIME));
}

const struct check checks_special[] = {
	{"a FIFO connects its two ends", fifo_connects, false},
	{"a Unix socket can be bound and connected to", socket_connects, false},
	{"device nodes keep their numbers and work", device_nodes, true},
	{"statfs gives the backing file system's figures", statfs_is_the_backing_ones, false},
	{"the birth time is right and stays", birth_time, false},
	{"inode flags can be read and set", inode_flags, true},
	{"immutable files can't be changed", immutable_files, true},
	{"what can't be passed on is refused cleanly", unsupported_is_refused_cleanly, true},
	{"a regular file is always ready for poll", poll_is_always_ready, false},
	{"the limit on file sizes holds", file_size_limit, false},
	{"a lease is broken by an open", leases, false},
	{"O_NOATIME is for the owner", noatime_is_for_owners, true},
	{NULL, NULL, false},
};
