/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When set-user-ID and set-group-ID bits and file capabilities go away. */
#include "config.h"

#include "check.h"

#include <linux/capability.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <sys/xattr.h>

#define CAPABILITY "security.capability"

enum touch {
	TOUCH_WRITE,
	TOUCH_APPEND,
	TOUCH_DIRECT,
	TOUCH_TRUNCATE,
	TOUCH_EXTEND,
	TOUCH_OPEN_TRUNC,
	TOUCH_FALLOCATE,
	TOUCH_PUNCH,
	TOUCH_COPY_RANGE,
	TOUCH_CHOWN,
	TOUCH_READ,
};

static void write_direct(int dirfd)
{
	char *buf = need_aligned(4096);
	int fd = OK(openat(dirfd, "f", O_WRONLY | O_DIRECT));

	memset(buf, 'd', 4096);
	EQ(OK(write(fd, buf, 4096)), 4096);
	OK(close(fd));
	free(buf);
}

static void copy_range(int dirfd)
{
	int in = OK(openat(dirfd, "source", O_RDONLY));
	int out = OK(openat(dirfd, "f", O_WRONLY));

	EQ(OK(copy_file_range(in, NULL, out, NULL, 4096, 0)), 4096);
	OK(close(in));
	OK(close(out));
}

static void touch_open(int dirfd, enum touch how, int flags)
{
	int fd = OK(openat(dirfd, "f", flags));
	char byte = 'x';

	if (how == TOUCH_WRITE || how == TOUCH_APPEND)
		EQ(OK(write(fd, &byte, 1)), 1);
	else if (how == TOUCH_TRUNCATE || how == TOUCH_EXTEND)
		OK(ftruncate(fd, how == TOUCH_EXTEND ? 100000 : 10));
	else if (how == TOUCH_FALLOCATE)
		OK(fallocate(fd, 0, 0, 65536));
	else if (how == TOUCH_PUNCH)
		OK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096));
	else if (how == TOUCH_READ)
		OK(read(fd, &byte, 1));
	OK(close(fd));
}

static void touch_file(int dirfd, enum touch how)
{
	switch (how) {
	case TOUCH_DIRECT:
		write_direct(dirfd);
		break;
	case TOUCH_COPY_RANGE:
		copy_range(dirfd);
		break;
	case TOUCH_CHOWN:
		OK(fchownat(dirfd, "f", (uid_t)-1, GROUP_C, 0));
		break;
	case TOUCH_READ:
		touch_open(dirfd, how, O_RDONLY);
		break;
	case TOUCH_APPEND:
		touch_open(dirfd, how, O_WRONLY | O_APPEND);
		break;
	case TOUCH_OPEN_TRUNC:
		touch_open(dirfd, how, O_WRONLY | O_TRUNC);
		break;
	default:
		touch_open(dirfd, how, O_WRONLY);
	}
}

static void block_file(int dirfd, const char *name, int mode)
{
	char *buf = need_memory(8192);
	int fd = make_at(dirfd, name, mode);

	memset(buf, 'o', 8192);
	EQ(OK(write(fd, buf, 8192)), 8192);
	OK(fchmod(fd, (mode_t)mode));
	OK(close(fd));
	free(buf);
}

/* The mode of a file of mode `before` once somebody has touched it. */
static unsigned int mode_after(int dirfd, enum touch how, int before, unsigned int uid)
{
	unsigned int mode;

	block_file(dirfd, "source", 0644);
	block_file(dirfd, "f", 0);
	OK(fchownat(dirfd, "f", how == TOUCH_CHOWN ? uid : 0, USER_B, 0));
	OK(fchmodat(dirfd, "f", (mode_t)before, 0));
	if (uid == 0)
		touch_file(dirfd, how);
	else
		AS(uid, USER_A, GROUP_C)
			touch_file(dirfd, how);
	mode = stat_at(dirfd, "f").st_mode & 07777;
	OK(unlinkat(dirfd, "f", 0));
	OK(unlinkat(dirfd, "source", 0));
	return mode;
}

static void as_native(enum touch how)
{
	static const int modes[] = {04777, 02777, 06777, 06767, 02767, 06766};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		EQ(mode_after(AT_FDCWD, how, modes[i], USER_A),
		   mode_after(check_ref(), how, modes[i], USER_A));
		EQ(mode_after(AT_FDCWD, how, modes[i], 0),
		   mode_after(check_ref(), how, modes[i], 0));
	}
}

static void clears(enum touch how)
{
	EQ(mode_after(AT_FDCWD, how, 06777, USER_A), 0777);
	as_native(how);
}

static void write_clears(void)
{
	clears(TOUCH_WRITE);
	EQ(mode_after(AT_FDCWD, TOUCH_WRITE, 06777, 0), 06777);
}

static void append_clears(void)
{
	clears(TOUCH_APPEND);
}

static void direct_clears(void)
{
	if (check_on(0x01021994))
		SKIP("tmpfs: O_DIRECT is the page cache there");
	clears(TOUCH_DIRECT);
}

static void truncate_clears(void)
{
	clears(TOUCH_TRUNCATE);
	clears(TOUCH_EXTEND);
}

static void open_trunc_clears(void)
{
	clears(TOUCH_OPEN_TRUNC);
}

static void fallocate_clears(void)
{
	as_native(TOUCH_FALLOCATE);
	as_native(TOUCH_PUNCH);
}

static void copy_range_clears(void)
{
	as_native(TOUCH_COPY_RANGE);
}

static void chown_clears(void)
{
	clears(TOUCH_CHOWN);
	EQ(mode_after(AT_FDCWD, TOUCH_CHOWN, 06777, 0), 0777);
}

static void read_keeps(void)
{
	EQ(mode_after(AT_FDCWD, TOUCH_READ, 06777, USER_A), 06777);
}

static void chown_of_directory(void)
{
	OK(mkdir("d", 0755));
	OK(chmod("d", 06755));
	OK(chown("d", USER_A, USER_A));
	EQ(mode_of("d"), 06755);
}

static void chmod_outside_group(void)
{
	OK(close(make("f", 0755)));
	OK(chown("f", USER_A, GROUP_C));
	AS(USER_A, USER_A, USER_A)
		OK(chmod("f", 06755));
	EQ(mode_of("f"), 04755);
	AS(USER_A, USER_A, GROUP_C)
		OK(chmod("f", 06755));
	EQ(mode_of("f"), 06755);
	OK(chmod("f", 07755));
	EQ(mode_of("f"), 07755);
}

/* Cached attributes must not keep showing the bits. */
static void seen_by_fstat(void)
{
	struct stat st;
	int fd = make("f", 0);

	OK(fchmod(fd, 06777));
	OK(fstat(fd, &st));
	EQ(st.st_mode & 07777, 06777);
	AS(USER_A, USER_A, USER_A) {
		EQ(OK(write(OK(open("f", O_WRONLY)), "x", 1)), 1);
		EQ(mode_of("f"), 0777);
	}
	OK(fstat(fd, &st));
	EQ(st.st_mode & 07777, 0777);
}

static void set_capability(int dirfd)
{
	struct vfs_cap_data cap = {.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE};
	int fd = OK(openat(dirfd, "f", O_RDWR));

	cap.data[0].permitted = 1 << CAP_NET_RAW;
	OK(fsetxattr(fd, CAPABILITY, &cap, XATTR_CAPS_SZ_2, 0));
	TRUE(fgetxattr(fd, CAPABILITY, &cap, sizeof(cap)) > 0);
	OK(close(fd));
}

static void loses_capability(enum touch how, unsigned int uid)
{
	char buf[64];

	block_file(AT_FDCWD, "source", 0644);
	block_file(AT_FDCWD, "f", 0777);
	OK(chown("f", uid, uid));
	set_capability(AT_FDCWD);
	AS(uid, uid, GROUP_C)
		touch_file(AT_FDCWD, how);
	FAILS(ENODATA, getxattr("f", CAPABILITY, buf, sizeof(buf)));
	OK(unlink("f"));
	OK(unlink("source"));
}

static void capability_goes(void)
{
	loses_capability(TOUCH_WRITE, USER_A);
	loses_capability(TOUCH_WRITE, 0);
	loses_capability(TOUCH_TRUNCATE, USER_A);
	loses_capability(TOUCH_OPEN_TRUNC, USER_A);
	loses_capability(TOUCH_CHOWN, USER_A);
}

static void direct_write_clears_capability(void)
{
	if (check_on(0x01021994))
		SKIP("tmpfs: O_DIRECT is the page cache there");
	loses_capability(TOUCH_DIRECT, USER_A);
}

const struct check checks_setid[] = {
	{"a write clears set-id bits unless root writes", write_clears, true},
	{"an appended byte clears set-id bits", append_clears, true},
	{"a direct write clears set-id bits", direct_clears, true},
	{"truncation clears set-id bits", truncate_clears, true},
	{"opening with O_TRUNC clears set-id bits", open_trunc_clears, true},
	{"allocation and punching treat set-id bits as the backing does", fallocate_clears, true},
	{"copy_file_range treats set-id bits as the backing does", copy_range_clears, true},
	{"a change of the owner clears set-id bits", chown_clears, true},
	{"reading keeps set-id bits", read_keeps, true},
	{"a change of a directory's owner keeps its set-id bits", chown_of_directory, true},
	{"chmod outside of the file's group drops setgid", chmod_outside_group, true},
	{"cleared set-id bits are seen at once", seen_by_fstat, true},
	{"file capabilities go with the first change", capability_goes, true},
	{"a direct write clears file capabilities", direct_write_clears_capability, true},
	{NULL, NULL, false},
};
