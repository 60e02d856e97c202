/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and writing: offsets, append, direct, large, truncated, synchronised. */
#include "config.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>

#define KIB 1024
#define GIB (INT64_C(1) << 30)

static void what_was_written_is_read(void)
{
	static const size_t sizes[] = {1,     511,    4095,    4096,    4097,
				       65536, 131072, 1048576, 1048577, 5000011};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *out = need_memory(sizes[i]), *in = need_memory(sizes[i] + 1);
		int fd = make("f", 0644);

		fill(out, sizes[i], (unsigned int)i);
		EQ(OK_LONG(write(fd, out, sizes[i])), sizes[i]);
		EQ(OK_LONG(pread(fd, in, sizes[i] + 1, 0)), sizes[i]);
		SAME(in, out, sizes[i]);
		EQ(stat_of("f").st_size, sizes[i]);
		OK(close(fd));
		OK(unlink("f"));
		free(out);
		free(in);
	}
}

static void end_of_file(void)
{
	char buf[16];
	int fd;

	put("f", "12345");
	fd = OK(open("f", O_RDWR));
	EQ(OK_LONG(pread(fd, buf, 16, 3)), 2);
	EQ(OK_LONG(pread(fd, buf, 16, 5)), 0);
	EQ(OK_LONG(pread(fd, buf, 16, 5000)), 0);
	FAILS(EINVAL, pread(fd, buf, 16, -1));
	FAILS(EINVAL, lseek(fd, -1, SEEK_SET));
	EQ(OK_LONG(lseek(fd, 0, SEEK_END)), 5);
	EQ(OK_LONG(lseek(fd, 100, SEEK_CUR)), 105);
	EQ(OK(write(fd, "x", 1)), 1);
	EQ(stat_of("f").st_size, 106);
}

static void open_modes_hold(void)
{
	char byte = 'x';

	put("f", "1");
	FAILS(EBADF, write(OK(open("f", O_RDONLY)), &byte, 1));
	FAILS(EBADF, read(OK(open("f", O_WRONLY)), &byte, 1));
	FAILS(EINVAL, ftruncate(OK(open("f", O_RDONLY)), 0));
	FAILS(EBADF, read(OK(open("f", O_PATH)), &byte, 1));
}

static void append_from_many(void)
{
	enum { WRITERS = 4, RECORDS = 500, SIZE = 96 };
	char record[SIZE], seen[WRITERS] = {0};
	pid_t pids[WRITERS];
	int fd;

	OK(close(make("f", 0644)));
	for (int w = 0; w < WRITERS; w++)
		SPAWN(pids[w])
		{
			fd = OK(open("f", O_WRONLY | O_APPEND));
			memset(record, 'a' + w, SIZE);
			for (int i = 0; i < RECORDS; i++)
				EQ(OK(write(fd, record, SIZE)), SIZE);
		}
	for (int w = 0; w < WRITERS; w++)
		check_join(pids[w]);
	EQ(stat_of("f").st_size, WRITERS * RECORDS * SIZE);
	fd = OK(open("f", O_RDONLY));
	for (int i = 0; i < WRITERS * RECORDS; i++) {
		EQ(OK(read(fd, record, SIZE)), SIZE);
		for (int b = 1; b < SIZE; b++)
			EQ(record[b], record[0]);
		seen[record[0] - 'a'] = 1;
	}
	EQ(seen[0] + seen[1] + seen[2] + seen[3], WRITERS);
}

static void append_ignores_offsets(void)
{
	int fd;

	put("f", "start");
	fd = OK(open("f", O_RDWR | O_APPEND));
	EQ(OK_LONG(pwrite(fd, "+", 1, 0)), 1);
	OK_LONG(lseek(fd, 2, SEEK_SET));
	EQ(OK(write(fd, "!", 1)), 1);
	holds("f", "start+!");
	EQ(OK_LONG(lseek(fd, 0, SEEK_CUR)), 7);
	/* the flag can be taken away and given while the file is open */
	OK(fcntl(fd, F_SETFL, 0));
	EQ(OK_LONG(pwrite(fd, "S", 1, 0)), 1);
	OK(fcntl(fd, F_SETFL, O_APPEND));
	EQ(OK_LONG(pwrite(fd, "?", 1, 0)), 1);
	holds("f", "Start+!?");
}

static void direct_io(void)
{
	static const size_t sizes[] = {4096, 65536, 1048576, 8388608};

	if (openat(check_ref(), "probe", O_RDWR | O_CREAT | O_DIRECT, 0644) < 0)
		SKIP("the backing file system has no O_DIRECT");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *out = need_aligned(sizes[i]), *in = need_aligned(sizes[i]);
		int fd = OK(open("f", O_RDWR | O_CREAT | O_DIRECT, 0644));

		fill(out, sizes[i], (unsigned int)i + 50);
		EQ(OK_LONG(pwrite(fd, out, sizes[i], 4096)), sizes[i]);
		EQ(OK_LONG(pread(fd, in, sizes[i], 4096)), sizes[i]);
		SAME(in, out, sizes[i]);
		OK(close(fd));
		fd = OK(open("f", O_RDONLY));
		EQ(OK_LONG(pread(fd, in, sizes[i], 4096)), sizes[i]);
		SAME(in, out, sizes[i]);
		OK(close(fd));
		free(in);
		free(out);
	}
}

/* Buffered and direct users of a file see each other's data. */
static void direct_and_buffered(void)
{
	char *page = need_aligned(4096), got[16];
	int direct = open("f", O_RDWR | O_CREAT | O_DIRECT, 0644), plain;

	if (direct < 0)
		SKIP("no O_DIRECT here");
	plain = OK(open("f", O_RDWR));
	for (int i = 0; i < 50; i++) {
		memset(page, 'a' + i % 26, 4096);
		EQ(OK_LONG(pwrite(direct, page, 4096, 0)), 4096);
		EQ(OK_LONG(pread(plain, got, 16, 100)), 16);
		EQ(got[0], 'a' + i % 26);
		EQ(OK_LONG(pwrite(plain, "ZZ", 2, 100)), 2);
		EQ(OK_LONG(pread(direct, page, 4096, 0)), 4096);
		EQ(page[100], 'Z');
		EQ(page[102], 'a' + i % 26);
	}
	free(page);
}

/* Small, odd direct requests are either right or refused: never half done. */
static void unaligned_direct(void)
{
	char *buf = need_aligned(8192);
	int fd = open("f", O_RDWR | O_CREAT | O_DIRECT, 0644);
	ssize_t done;

	if (fd < 0)
		SKIP("no O_DIRECT here");
	memset(buf, 'u', 8192);
	EQ(OK_LONG(pwrite(fd, buf, 8192, 0)), 8192);
	done = pwrite(fd, buf + 1, 100, 3);
	TRUE(done == 100 || (done == -1 && errno == EINVAL));
	done = pread(fd, buf + 1, 100, 3);
	TRUE(done == 100 || (done == -1 && errno == EINVAL));
	EQ(stat_of("f").st_size, 8192);
	free(buf);
}

static void large_offsets(void)
{
	static const int64_t offsets[] = {2 * GIB - 1, 3 * GIB,     4 * GIB - 1,
					  4 * GIB,     5 * GIB + 3, 1024 * GIB};
	char buf[4];

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		int fd = make("f", 0644);

		EQ(OK_LONG(pwrite(fd, "far", 3, offsets[i])), 3);
		EQ(stat_of("f").st_size, offsets[i] + 3);
		EQ(OK_LONG(pread(fd, buf, 4, offsets[i])), 3);
		SAME(buf, "far", 3);
		EQ(OK_LONG(pread(fd, buf, 1, offsets[i] - 1)), 1);
		EQ(buf[0], 0);
		EQ(OK_LONG(lseek(fd, 0, SEEK_END)), offsets[i] + 3);
		OK(ftruncate(fd, offsets[i] + 1));
		EQ(stat_of("f").st_size, offsets[i] + 1);
		TRUE(stat_of("f").st_blocks * 512 < INT64_C(1) << 20);
		OK(close(fd));
		OK(unlink("f"));
	}
}

static void truncation(void)
{
	char *buf = need_memory(100 * KIB), *zero = calloc(1, 100 * KIB);
	int fd = make("f", 0644);

	TRUE(zero != NULL);
	memset(buf, 't', 100 * KIB);
	EQ(OK_LONG(pwrite(fd, buf, 100 * KIB, 0)), 100 * KIB);
	OK(ftruncate(fd, 5000));
	OK(ftruncate(fd, 100 * KIB));
	EQ(OK_LONG(pread(fd, buf, 100 * KIB, 0)), 100 * KIB);
	EQ(buf[4999], 't');
	SAME(buf + 5000, zero, 100 * KIB - 5000);
	OK(truncate("f", 0));
	EQ(OK_LONG(pread(fd, buf, 10, 0)), 0);
	FAILS(EINVAL, ftruncate(fd, -1));
	OK(ftruncate(fd, 10));
	EQ(OK(open("f", O_RDONLY | O_TRUNC)) >= 0, 1);
	EQ(stat_of("f").st_size, 0);
	free(buf);
	free(zero);
}

static void vectors(void)
{
	char a[3], b[5000], c[10];
	struct iovec out[] = {{a, 3}, {b, 5000}, {c, 10}}, in[] = {{c, 10}, {b, 5000}, {a, 3}};
	int fd = make("f", 0644);

	memset(a, 'a', 3);
	memset(b, 'b', 5000);
	memset(c, 'c', 10);
	EQ(OK_LONG(writev(fd, out, 3)), 5013);
	EQ(OK_LONG(preadv(fd, in, 3, 0)), 5013);
	SAME(c, "aaabbbbbbb", 10);
	SAME(a, "ccc", 3);
	EQ(OK_LONG(pwritev(fd, out, 1, 5013)), 3);
	EQ(stat_of("f").st_size, 5016);
}

static void shared_offsets(void)
{
	char byte;
	int fd, twin;

	put("f", "0123456789");
	fd = OK(open("f", O_RDONLY));
	twin = OK(dup(fd));
	EQ(OK(read(fd, &byte, 1)), 1);
	EQ(OK(read(twin, &byte, 1)), 1);
	EQ(byte, '1');
	CHILD
	EQ(OK(read(fd, &byte, 1)), 1);
	EQ(OK(read(fd, &byte, 1)), 1);
	EQ(byte, '3');
}

static void synchronised(void)
{
	int fd = OK(open("f", O_RDWR | O_CREAT | O_SYNC, 0644)), dir;

	EQ(OK(write(fd, "sync", 4)), 4);
	OK(fsync(fd));
	OK(fdatasync(fd));
	OK(sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER));
	OK(syncfs(fd));
	dir = OK(open(".", O_RDONLY | O_DIRECTORY));
	OK(fsync(dir));
	OK(fdatasync(dir));
	fd = OK(open("f", O_WRONLY | O_DSYNC));
	EQ(OK(write(fd, "dsync", 5)), 5);
	holds("f", "dsync");
	OK(fsync(OK(open("f", O_RDONLY))));
}

static void advice_is_harmless(void)
{
	int fd;
	char buf[4];

	put("f", "data");
	fd = OK(open("f", O_RDWR));
	EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED), 0);
	EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);
	OK(readahead(fd, 0, 4096));
	EQ(OK_LONG(pread(fd, buf, 4, 0)), 4);
	SAME(buf, "data", 4);
}

static void seen_by_other_processes(void)
{
	char buf[16];
	int fd = make("f", 0644);

	for (int i = 0; i < 100; i++) {
		int len = snprintf(buf, sizeof(buf), "%d", i);

		OK(ftruncate(fd, 0));
		EQ(OK_LONG(pwrite(fd, buf, (size_t)len, 0)), len);
		if (i % 20 == 0)
			CHILD
		holds("f", buf);
		holds("f", buf);
	}
}

static void sendfile_free_copy(void)
{
	char *data = need_memory(300000), *got = need_memory(300000);
	int in, out, pipes[2];
	ssize_t moved, total = 0;

	fill(data, 300000, 9);
	in = make("in", 0644);
	EQ(OK_LONG(write(in, data, 300000)), 300000);
	OK_LONG(lseek(in, 0, SEEK_SET));
	out = make("out", 0644);
	OK(pipe(pipes));
	while ((moved = OK_LONG(splice(in, NULL, pipes[1], NULL, 65536, 0))) > 0)
		for (ssize_t left = moved; left > 0;) {
			ssize_t put_out =
				OK_LONG(splice(pipes[0], NULL, out, NULL, (size_t)left, 0));

			left -= put_out;
			total += put_out;
		}
	EQ(total, 300000);
	EQ(OK_LONG(pread(out, got, 300000, 0)), 300000);
	SAME(got, data, 300000);
	free(data);
	free(got);
}

const struct check checks_file[] = {
	{"what was written is read, whatever its size", what_was_written_is_read, false},
	{"reads end at the end of the file, writes move it", end_of_file, false},
	{"a descriptor does only what it was opened for", open_modes_hold, false},
	{"records that many append stay whole", append_from_many, false},
	{"O_APPEND ignores offsets and can be switched", append_ignores_offsets, false},
	{"direct reads and writes of any aligned size work", direct_io, false},
	{"direct and buffered users see each other's data", direct_and_buffered, false},
	{"unaligned direct requests are right or refused", unaligned_direct, false},
	{"offsets beyond 4 GiB and up to 1 TiB work", large_offsets, false},
	{"truncation cuts, and what it adds is zero", truncation, false},
	{"vectors are gathered and scattered in order", vectors, false},
	{"duplicated descriptors share their offset", shared_offsets, false},
	{"every way to synchronise succeeds", synchronised, false},
	{"advice and read-ahead change no data", advice_is_harmless, false},
	{"other processes see what was written at once", seen_by_other_processes, false},
	{"splice moves data in and out", sendfile_free_copy, false},
	{NULL, NULL, false},
};
