/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mapped files: one content for maps, reads and writes. */
#include "config.h"

#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096

static char *map(int fd, size_t len, int prot, int flags)
{
	char *p = mmap(NULL, len, prot, flags, fd, 0);

	if (!check_shares_maps() && (flags & MAP_SHARED)) {
		EQ(p == MAP_FAILED ? errno : 0, ENODEV);
		SKIP("no shared maps here");
	}
	TRUE(p != MAP_FAILED);
	return p;
}

static int file_of(const char *name, size_t len)
{
	char *buf = need_memory(len);
	int fd = make(name, 0644);

	memset(buf, 'm', len);
	EQ(OK_LONG(write(fd, buf, len)), len);
	free(buf);
	return fd;
}

static void writes_are_seen_in_map(void)
{
	int fd = file_of("f", 4 * PAGE);
	volatile char *p = map(fd, 4 * PAGE, PROT_READ, MAP_SHARED);

	EQ(p[100], 'm');
	for (int i = 0; i < 50; i++) {
		char byte = (char)('a' + i % 26);

		EQ(OK_LONG(pwrite(fd, &byte, 1, 100 + i * 300)), 1);
		EQ(p[100 + i * 300], byte);
	}
}

static void map_is_seen_by_reads(void)
{
	int fd = file_of("f", 4 * PAGE);
	char *p = map(fd, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED), byte;

	for (int i = 0; i < 50; i++) {
		p[i * 300] = (char)('A' + i % 26);
		EQ(OK_LONG(pread(fd, &byte, 1, i * 300)), 1);
		EQ(byte, 'A' + i % 26);
	}
	/* a second descriptor sees it too */
	EQ(OK_LONG(pread(OK(open("f", O_RDONLY)), &byte, 1, 300)), 1);
	EQ(byte, 'B');
}

static void two_maps_are_one(void)
{
	int fd = file_of("f", PAGE);
	volatile char *a = map(fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	volatile char *b = map(OK(open("f", O_RDWR)), PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);

	a[5] = 'a';
	EQ(b[5], 'a');
	b[6] = 'b';
	EQ(a[6], 'b');
	CHILD
	a[7] = 'c';
	EQ(b[7], 'c');
}

static void stays_after_close(void)
{
	int fd = file_of("f", 2 * PAGE);
	char *p = map(fd, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED), byte;

	OK(close(fd));
	p[PAGE] = 'X';
	OK(msync(p, 2 * PAGE, MS_SYNC));
	OK(munmap(p, 2 * PAGE));
	EQ(OK_LONG(pread(OK(open("f", O_RDONLY)), &byte, 1, PAGE)), 1);
	EQ(byte, 'X');
}

static void of_unlinked_file(void)
{
	int fd = file_of("f", PAGE);
	char *p = map(fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED), byte;

	OK(unlink("f"));
	p[0] = 'u';
	OK(msync(p, PAGE, MS_SYNC));
	EQ(OK_LONG(pread(fd, &byte, 1, 0)), 1);
	EQ(byte, 'u');
	OK(close(fd));
	EQ(p[0], 'u');
	p[1] = 'v';
	OK(msync(p, PAGE, MS_SYNC));
}

static void private_map_is_private(void)
{
	int fd = file_of("f", PAGE);
	char *p = map(fd, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE), byte;

	p[0] = 'p';
	EQ(OK_LONG(pread(fd, &byte, 1, 0)), 1);
	EQ(byte, 'm');
}

static sigjmp_buf after_bus;

static void on_bus(int sig)
{
	(void)sig;
	siglongjmp(after_bus, 1);
}

/* Does a touch of this byte end in SIGBUS? */
static bool bus_error(volatile char *p)
{
	struct sigaction action = {.sa_handler = on_bus};

	OK(sigaction(SIGBUS, &action, NULL));
	if (sigsetjmp(after_bus, 1) != 0)
		return true;
	(void)*p;
	return false;
}

static void beyond_the_end(void)
{
	int fd = file_of("f", PAGE + 100);
	char *p = map(fd, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);

	TRUE(!bus_error(p + PAGE));
	EQ(p[PAGE + 99], 'm');
	EQ(p[PAGE + 100], 0);
	EQ(p[2 * PAGE - 1], 0);
	TRUE(bus_error(p + 2 * PAGE));
	/* a file that grows comes into the map, one that shrinks leaves it */
	OK(ftruncate(fd, 3 * PAGE));
	TRUE(!bus_error(p + 2 * PAGE));
	EQ(p[2 * PAGE], 0);
	OK(ftruncate(fd, PAGE));
	TRUE(bus_error(p + PAGE));
}

static void tail_is_not_stored(void)
{
	int fd = file_of("f", 100);
	char *p = map(fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED), byte;

	if (check_on(0x01021994))
		SKIP("tmpfs keeps what is behind the end");
	p[200] = 'x';
	OK(msync(p, PAGE, MS_SYNC));
	EQ(stat_of("f").st_size, 100);
	OK(munmap(p, PAGE));
	OK(ftruncate(fd, 300));
	EQ(OK_LONG(pread(fd, &byte, 1, 200)), 1);
	EQ(byte, 0);
}

static void protection_follows_open_mode(void)
{
	int fd;

	OK(close(file_of("f", PAGE)));
	fd = OK(open("f", O_RDONLY));
	FAILS(EACCES,
	      mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0);
	map(fd, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	fd = OK(open("f", O_WRONLY));
	FAILS(EACCES, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0);
}

static void written_map_moves_mtime(void)
{
	int fd = file_of("f", PAGE);
	char *p = map(fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);

	OK(futimens(fd, (const struct timespec[2]){{100, 0}, {100, 0}}));
	p[0] = 'x';
	OK(msync(p, PAGE, MS_SYNC));
	OK(munmap(p, PAGE));
	OK(close(fd));
	TRUE(stat_of("f").st_mtime > 1000000);
}

/* The kernel reads the source page while it writes the target: must not deadlock. */
static void write_from_own_map(void)
{
	int fd = file_of("f", 8 * PAGE);
	char *p = map(fd, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED), got[PAGE];

	memset(p, 's', PAGE);
	EQ(OK_LONG(pwrite(fd, p, PAGE, 3 * PAGE)), PAGE);
	EQ(p[3 * PAGE], 's');
	EQ(OK_LONG(pread(fd, p + 5 * PAGE, PAGE, 3 * PAGE)), PAGE);
	EQ(OK_LONG(pread(fd, got, PAGE, 5 * PAGE)), PAGE);
	EQ(got[PAGE - 1], 's');
}

static void large_map_with_many_writers(void)
{
	enum { LEN = 4 << 20 };
	int fd = make("f", 0644);
	char *p, *got = need_memory(LEN);
	pid_t pids[3];

	OK(ftruncate(fd, LEN));
	p = map(fd, LEN, PROT_READ | PROT_WRITE, MAP_SHARED);
	for (int w = 0; w < 3; w++)
		SPAWN(pids[w])
	for (size_t at = (size_t)w; at < LEN; at += 3)
		p[at] = (char)('0' + w);
	for (int w = 0; w < 3; w++)
		check_join(pids[w]);
	OK(msync(p, LEN, MS_SYNC));
	OK(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	EQ(OK_LONG(pread(fd, got, LEN, 0)), LEN);
	for (size_t at = 0; at < LEN; at++)
		if (got[at] != (char)('0' + at % 3))
			EQ(got[at], '0' + at % 3);
	free(got);
}

static void programs_run(void)
{
	char *buf = need_memory(1 << 20);
	int in = OK(open("/bin/true", O_RDONLY)), out = make("true", 0755);
	ssize_t n = OK_LONG(read(in, buf, 1 << 20));

	EQ(OK_LONG(write(out, buf, (size_t)n)), n);
	OK(close(out));
	CHILD
	{
		execl("./true", "true", (char *)NULL);
		OK(-1);
	}
	FAILS(EACCES, chmod("true", 0644) == 0 ? execl("./true", "true", (char *)NULL) : 0);
	free(buf);
}

const struct check checks_mmap[] = {
	{"a map shows what is written", writes_are_seen_in_map, false},
	{"reads show what is stored through a map", map_is_seen_by_reads, false},
	{"two maps of a file are one", two_maps_are_one, false},
	{"a map lives on when its descriptor is closed", stays_after_close, false},
	{"a map of an unlinked file lives on", of_unlinked_file, false},
	{"a private map changes nothing", private_map_is_private, false},
	{"a map ends where the file ends, also when it moves", beyond_the_end, false},
	{"what is stored behind the end is lost", tail_is_not_stored, false},
	{"a map allows what the descriptor allows", protection_follows_open_mode, false},
	{"a store through a map moves the modification time", written_map_moves_mtime, false},
	{"a file can be written from its own map", write_from_own_map, false},
	{"bytes that many processes store in one map all arrive", large_map_with_many_writers,
	 false},
	{"programs can be executed", programs_run, false},
	{NULL, NULL, false},
};
