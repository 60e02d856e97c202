/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holes, allocation and copying inside the file system. */
#include "config.h"

#include "check.h"

#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 65536
#define BLOCKS 8
#define MIB (INT64_C(1) << 20)

static int full_file(int dirfd, const char *name)
{
	char *buf = need_memory(BLOCK);
	int fd = make_at(dirfd, name, 0644);

	for (int i = 0; i < BLOCKS; i++) {
		memset(buf, 'A' + i, BLOCK);
		EQ(OK_LONG(pwrite(fd, buf, BLOCK, i * BLOCK)), BLOCK);
	}
	free(buf);
	return fd;
}

/* One letter a block, '0' for zeroes, '?' for a mixture. */
static void layout_is(int fd, const char *want)
{
	char *buf = need_memory(BLOCK), got[64] = {0};
	ssize_t n;
	int at = 0;

	while ((n = OK_LONG(pread(fd, buf, BLOCK, (off_t)at * BLOCK))) > 0 && at < 63) {
		got[at] = buf[0] ? buf[0] : '0';
		for (ssize_t i = 1; i < n; i++)
			if (buf[i] != buf[0])
				got[at] = '?';
		at++;
	}
	free(buf);
	EQ(strlen(got), strlen(want));
	SAME(got, want, strlen(want));
}

/* false when the backing does not do it either; through FUSE three modes can't be asked for. */
static bool backing_does(int mode)
{
	int fd = full_file(check_ref(), "probe");
	bool does = fallocate(fd, mode, BLOCK, BLOCK) == 0;

	OK(close(fd));
	OK(unlinkat(check_ref(), "probe", 0));
	return does;
}

static void plain_allocation(void)
{
	int fd = full_file(AT_FDCWD, "f");

	OK(fallocate(fd, 0, 2 * BLOCK, 8 * BLOCK));
	EQ(stat_of("f").st_size, 10 * BLOCK);
	layout_is(fd, "ABCDEFGH00");
	OK(fallocate(fd, FALLOC_FL_KEEP_SIZE, 10 * BLOCK, 10 * BLOCK));
	EQ(stat_of("f").st_size, 10 * BLOCK);
	TRUE(stat_of("f").st_blocks * 512 >= 20 * BLOCK || check_on(0x9123683e) || check_on_fuse());
	FAILS(EINVAL, fallocate(fd, 0, 0, 0));
	FAILS(EINVAL, fallocate(fd, 0, -1, 10));
	FAILS(EBADF, fallocate(OK(open("f", O_RDONLY)), 0, 0, 10));
	EQ(posix_fallocate(fd, 0, 21 * BLOCK), 0);
	EQ(stat_of("f").st_size, 21 * BLOCK);
}

static void punching(void)
{
	int fd = full_file(AT_FDCWD, "f");
	blkcnt_t before;

	OK(fsync(fd));
	before = stat_of("f").st_blocks;
	OK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 2 * BLOCK, 3 * BLOCK));
	layout_is(fd, "AB000FGH");
	OK(fsync(fd));
	TRUE(stat_of("f").st_blocks < before);
	OK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 5 * BLOCK + 10, 20));
	layout_is(fd, "AB000?GH");
	OK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 7 * BLOCK, 100 * BLOCK));
	EQ(stat_of("f").st_size, 8 * BLOCK);
	layout_is(fd, "AB000?G0");
}

static void zeroing(void)
{
	int fd = full_file(AT_FDCWD, "f");

	if (!backing_does(FALLOC_FL_ZERO_RANGE)) {
		FAILS(EOPNOTSUPP, fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, BLOCK));
		return;
	}
	OK(fallocate(fd, FALLOC_FL_ZERO_RANGE, BLOCK, 2 * BLOCK));
	layout_is(fd, "A00DEFGH");
	OK(fallocate(fd, FALLOC_FL_ZERO_RANGE, 7 * BLOCK, 3 * BLOCK));
	layout_is(fd, "A00DEFG000");
	OK(fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 9 * BLOCK, 9 * BLOCK));
	EQ(stat_of("f").st_size, 10 * BLOCK);
}

static void collapse_or_insert(int mode, const char *want)
{
	int fd = full_file(AT_FDCWD, "f");
	bool fuse = check_on_fuse();

	if (!backing_does(mode) || fuse) {
		FAILS(EOPNOTSUPP, fallocate(fd, mode, BLOCK, BLOCK));
		layout_is(fd, "ABCDEFGH");
		return;
	}
	OK(fallocate(fd, mode, BLOCK, BLOCK));
	layout_is(fd, want);
}

static void collapsing(void)
{
	collapse_or_insert(FALLOC_FL_COLLAPSE_RANGE, "ACDEFGH");
}

static void inserting(void)
{
	collapse_or_insert(FALLOC_FL_INSERT_RANGE, "A0BCDEFGH");
}

static void holes_are_found(void)
{
	int fd = make("f", 0644);
	off_t at;

	EQ(OK_LONG(pwrite(fd, "data", 4, 512 * MIB)), 4);
	OK(ftruncate(fd, 1024 * MIB));
	EQ(OK_LONG(lseek(fd, 0, SEEK_HOLE)), 0);
	at = OK_LONG(lseek(fd, 0, SEEK_DATA));
	EQ(at, 512 * MIB);
	at = OK_LONG(lseek(fd, at, SEEK_HOLE));
	TRUE(at > 512 * MIB && at <= 513 * MIB);
	FAILS(ENXIO, lseek(fd, at, SEEK_DATA));
	FAILS(ENXIO, lseek(fd, 1024 * MIB, SEEK_DATA));
	FAILS(ENXIO, lseek(fd, 1024 * MIB, SEEK_HOLE));
	FAILS(ENXIO, lseek(fd, 2048 * MIB, SEEK_HOLE));
	EQ(OK_LONG(lseek(fd, 1024 * MIB - 1, SEEK_HOLE)), 1024 * MIB - 1);
	TRUE(stat_of("f").st_blocks * 512 < 2 * MIB);
}

static void holes_in_odd_files(void)
{
	int fd = make("f", 0644);

	FAILS(ENXIO, lseek(fd, 0, SEEK_DATA));
	FAILS(ENXIO, lseek(fd, 0, SEEK_HOLE));
	EQ(OK(write(fd, "full", 4)), 4);
	EQ(OK_LONG(lseek(fd, 0, SEEK_DATA)), 0);
	EQ(OK_LONG(lseek(fd, 0, SEEK_HOLE)), 4);
	EQ(OK_LONG(lseek(fd, 2, SEEK_DATA)), 2);
	FAILS(EINVAL, lseek(fd, 0, 77));
	/* seeking moves the one offset that reads use */
	EQ(OK_LONG(lseek(fd, 0, SEEK_CUR)), 2);
}

static void holes_read_as_zero(void)
{
	char *buf = need_memory(MIB), *zero = calloc(1, MIB);
	int fd = make("f", 0644);

	TRUE(zero != NULL);
	EQ(OK_LONG(pwrite(fd, "end", 3, 10 * MIB)), 3);
	for (int i = 0; i < 10; i++) {
		EQ(OK_LONG(pread(fd, buf, MIB, i * MIB)), MIB);
		SAME(buf, zero, MIB);
	}
	free(buf);
	free(zero);
}

static void copy_range(void)
{
	int in = full_file(AT_FDCWD, "in"), out;
	off_t from = BLOCK, to = 3 * BLOCK;

	OK(mkdir("d", 0755));
	out = make("d/out", 0644);
	EQ(OK_LONG(copy_file_range(in, &from, out, &to, 2 * BLOCK, 0)), 2 * BLOCK);
	EQ(from, 3 * BLOCK);
	EQ(to, 5 * BLOCK);
	layout_is(out, "000BC");
	from = 6 * BLOCK;
	EQ(OK_LONG(copy_file_range(in, &from, out, NULL, 10 * BLOCK, 0)), 2 * BLOCK);
	layout_is(out, "GH0BC");
	EQ(OK_LONG(copy_file_range(in, &from, out, NULL, BLOCK, 0)), 0);
	EQ(OK_LONG(lseek(out, 0, SEEK_CUR)), 2 * BLOCK);
}

static void copy_range_refusals(void)
{
	int in = full_file(AT_FDCWD, "in"), out = make("out", 0644);
	off_t from = 0, to = BLOCK / 2;

	FAILS(EINVAL, copy_file_range(in, &from, in, &to, BLOCK, 0));
	FAILS(EINVAL, copy_file_range(in, NULL, out, NULL, BLOCK, 1));
	FAILS(EBADF, copy_file_range(in, NULL, OK(open("out", O_RDONLY)), NULL, BLOCK, 0));
	FAILS(EBADF,
	      copy_file_range(in, NULL, OK(open("out", O_WRONLY | O_APPEND)), NULL, BLOCK, 0));
	FAILS(EISDIR, copy_file_range(OK(open(".", O_RDONLY)), NULL, out, NULL, BLOCK, 0));
	from = 0;
	to = 4 * BLOCK;
	EQ(OK_LONG(copy_file_range(in, &from, in, &to, BLOCK, 0)), BLOCK);
	layout_is(in, "ABCDAFGH");
}

/* What was just written and not yet stored is copied, and cached pages of the target are new. */
static void copy_range_sees_fresh_data(void)
{
	int in = full_file(AT_FDCWD, "in"), out = full_file(AT_FDCWD, "out");
	char byte = 'z';
	off_t from, to;

	for (int i = 0; i < 20; i++) {
		byte = (char)('a' + i);
		from = 0;
		to = 0;
		EQ(OK_LONG(pwrite(in, &byte, 1, 0)), 1);
		EQ(OK_LONG(copy_file_range(in, &from, out, &to, BLOCK, 0)), BLOCK);
		byte = 0;
		EQ(OK_LONG(pread(out, &byte, 1, 0)), 1);
		EQ(byte, 'a' + i);
	}
}

static void full_disk_is_told(void)
{
	int fd = make("f", 0644);

	if (fallocate(fd, 0, 0, 1024 * 1024 * MIB) == 0)
		SKIP("there is room for 1 TiB here");
	TRUE(errno == ENOSPC || errno == EFBIG);
	EQ(OK(write(fd, "still works", 11)), 11);
}

const struct check checks_alloc[] = {
	{"allocation keeps data and moves the end only when asked to", plain_allocation, false},
	{"punched holes are zero and free", punching, false},
	{"zeroed ranges are zero", zeroing, false},
	{"collapsing works or is refused and changes nothing", collapsing, false},
	{"inserting works or is refused and changes nothing", inserting, false},
	{"SEEK_DATA and SEEK_HOLE find data and holes", holes_are_found, false},
	{"SEEK_DATA and SEEK_HOLE know empty and full files", holes_in_odd_files, false},
	{"holes read as zeroes", holes_read_as_zero, false},
	{"copy_file_range copies what it says", copy_range, false},
	{"copy_file_range refuses what it can't do", copy_range_refusals, false},
	{"copy_file_range copies what was just written", copy_range_sees_fresh_data, false},
	{"an allocation that does not fit is refused", full_disk_is_told, false},
	{NULL, NULL, false},
};
