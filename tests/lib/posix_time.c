/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time stamps: those that are set, and those that follow from what is done. */
#include "config.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct timespec omit = {0, UTIME_OMIT}, now = {0, UTIME_NOW};

static void set(const char *name, struct timespec atime, struct timespec mtime)
{
	const struct timespec times[2] = {atime, mtime};

	OK(utimensat(AT_FDCWD, name, times, AT_SYMLINK_NOFOLLOW));
}

static bool is_recent(struct timespec ts)
{
	time_t t = time(NULL);

	return ts.tv_sec >= t - 60 && ts.tv_sec <= t + 60;
}

static void nanoseconds_are_kept(void)
{
	struct stat st;

	put("f", "x");
	set("f", (struct timespec){1000, 123456789}, (struct timespec){2000, 987654321});
	st = stat_of("f");
	EQ(st.st_atim.tv_sec, 1000);
	EQ(st.st_atim.tv_nsec, 123456789);
	EQ(st.st_mtim.tv_sec, 2000);
	EQ(st.st_mtim.tv_nsec, 987654321);
	TRUE(is_recent(st.st_ctim));
}

static void each_alone(void)
{
	struct stat st;

	put("f", "x");
	set("f", (struct timespec){1000, 1}, (struct timespec){2000, 2});
	set("f", omit, (struct timespec){3000, 3});
	st = stat_of("f");
	EQ(st.st_atim.tv_sec, 1000);
	EQ(st.st_atim.tv_nsec, 1);
	EQ(st.st_mtim.tv_sec, 3000);
	set("f", (struct timespec){4000, 4}, omit);
	st = stat_of("f");
	EQ(st.st_atim.tv_sec, 4000);
	EQ(st.st_mtim.tv_sec, 3000);
	EQ(st.st_mtim.tv_nsec, 3);
	set("f", now, omit);
	st = stat_of("f");
	TRUE(is_recent(st.st_atim));
	EQ(st.st_mtim.tv_sec, 3000);
	set("f", omit, omit);
	EQ(stat_of("f").st_mtim.tv_nsec, 3);
	set("f", (struct timespec){5000, 5}, now);
	st = stat_of("f");
	EQ(st.st_atim.tv_sec, 5000);
	TRUE(is_recent(st.st_mtim));
}

static void far_times(void)
{
	static const int64_t seconds[] = {
		-1, 0, -1000000, INT64_C(2147483647), INT64_C(2147483648), INT64_C(4294967296)};

	put("f", "x");
	put_at(check_ref(), "f", "x");
	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		const struct timespec times[2] = {{seconds[i], 7}, {seconds[i], 9}};
		struct stat here, ref;

		OK(utimensat(AT_FDCWD, "f", times, 0));
		OK(utimensat(check_ref(), "f", times, 0));
		here = stat_of("f");
		ref = stat_at(check_ref(), "f");
		EQ(here.st_mtim.tv_sec, ref.st_mtim.tv_sec);
		EQ(here.st_mtim.tv_nsec, ref.st_mtim.tv_nsec);
		EQ(here.st_atim.tv_sec, ref.st_atim.tv_sec);
	}
}

static void of_symlinks(void)
{
	put("f", "x");
	OK(symlink("f", "s"));
	set("f", (struct timespec){10, 0}, (struct timespec){10, 0});
	set("s", (struct timespec){20, 0}, (struct timespec){20, 0});
	EQ(stat_of("f").st_mtime, 10);
	EQ(stat_of("s").st_mtime, 20);
	OK(utimensat(AT_FDCWD, "s", (const struct timespec[2]){{30, 0}, {30, 0}}, 0));
	EQ(stat_of("f").st_mtime, 30);
	EQ(stat_of("s").st_mtime, 20);
}

static void who_may(void)
{
	const struct timespec both_now[2] = {now, now}, one_now[2] = {now, omit},
			      given[2] = {{1, 0}, {1, 0}};

	put("writable", "x");
	put("readable", "x");
	OK(chmod("writable", 0666));
	OK(chmod("readable", 0644));
	AS(USER_A, USER_A, USER_A) {
		OK(utimensat(AT_FDCWD, "writable", NULL, 0));
		OK(utimensat(AT_FDCWD, "writable", both_now, 0));
		FAILS(EPERM, utimensat(AT_FDCWD, "writable", one_now, 0));
		FAILS(EPERM, utimensat(AT_FDCWD, "writable", given, 0));
		FAILS(EACCES, utimensat(AT_FDCWD, "readable", NULL, 0));
		FAILS(EPERM, utimensat(AT_FDCWD, "readable", given, 0));
	}
	OK(chown("readable", USER_A, USER_A));
	OK(chmod("readable", 0));
	AS(USER_A, USER_A, USER_A)
		OK(utimensat(AT_FDCWD, "readable", given, 0));
}

/* Puts every stamp far back, so that a change shows whatever the clock's grain is. */
static void age(const char *name)
{
	set(name, (struct timespec){100, 0}, (struct timespec){100, 0});
}

static void wait_for_tick(void)
{
	const struct timespec grain = {0, 30000000};

	nanosleep(&grain,
		  NULL); /* the kernel's coarse clock must move on: its grain is the condition */
}

static bool newer(struct timespec a, struct timespec b)
{
	return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

static void writing_moves_mtime(void)
{
	struct stat before, after;
	int fd;

	put("f", "x");
	fd = OK(open("f", O_RDWR));
	age("f");
	before = stat_of("f");
	wait_for_tick();
	EQ(OK(write(fd, "y", 1)), 1);
	after = stat_of("f");
	TRUE(is_recent(after.st_mtim));
	TRUE(newer(after.st_ctim, before.st_ctim));
	age("f");
	OK(ftruncate(fd, 10));
	TRUE(is_recent(stat_of("f").st_mtim));
	age("f");
	OK(truncate("f", 3));
	TRUE(is_recent(stat_of("f").st_mtim));
	age("f");
	OK(close(OK(open("f", O_WRONLY | O_TRUNC))));
	TRUE(is_recent(stat_of("f").st_mtim));
	age("f");
	OK(close(fd));
	EQ(stat_of("f").st_mtime, 100);
}

/* tar, rsync and cp -p write, set the times, and close: the times must stay. */
static void set_before_close_stays(void)
{
	int fd = make("f", 0644);
	const struct timespec times[2] = {{50, 5}, {60, 6}};

	EQ(OK(write(fd, "data", 4)), 4);
	OK(futimens(fd, times));
	OK(fchmod(fd, 0640));
	OK(close(fd));
	EQ(stat_of("f").st_mtim.tv_sec, 60);
	EQ(stat_of("f").st_mtim.tv_nsec, 6);
	OK(close(OK(open("f", O_RDWR))));
	EQ(stat_of("f").st_mtim.tv_sec, 60);
}

static void changes_move_ctime(void)
{
	struct stat before;

	put("f", "x");
	age("f");
#define MOVES(call)                                                \
	do {                                                       \
		before = stat_of("f");                             \
		wait_for_tick();                                   \
		OK(call);                                          \
		TRUE(newer(stat_of("f").st_ctim, before.st_ctim)); \
		EQ(stat_of("f").st_mtime, 100);                    \
	} while (0)
	MOVES(chmod("f", 0600));
	MOVES(chown("f", geteuid(), getegid()));
	MOVES(link("f", "g"));
	MOVES(unlink("g"));
#undef MOVES
}

static void directories_follow(void)
{
	OK(mkdir("d", 0755));
	OK(mkdir("e", 0755));
#define MOVES(dir, call)                               \
	do {                                           \
		age(dir);                              \
		OK(call);                              \
		TRUE(is_recent(stat_of(dir).st_mtim)); \
	} while (0)
	MOVES("d", close(OK(open("d/f", O_CREAT | O_WRONLY, 0644))));
	MOVES("d", link("d/f", "d/g"));
	MOVES("d", rename("d/g", "d/h"));
	MOVES("d", rename("d/h", "e/h"));
	MOVES("d", rename("e/h", "d/h"));
	MOVES("e", rename("d/h", "e/h"));
	MOVES("d", unlink("d/f"));
	MOVES("d", mkdir("d/s", 0755));
	MOVES("d", rmdir("d/s"));
	MOVES("d", symlink("x", "d/s"));
	MOVES("d", mkfifo("d/p", 0644));
#undef MOVES
	age("d");
	put("d/q", "x");
	age("d");
	put("d/q", "y");
	EQ(stat_of("d").st_mtime, 100);
}

static void reading_leaves_mtime(void)
{
	char byte;
	int fd;

	put("f", "x");
	age("f");
	fd = OK(open("f", O_RDONLY));
	EQ(OK(read(fd, &byte, 1)), 1);
	OK(close(fd));
	EQ(stat_of("f").st_mtime, 100);
	EQ(stat_of("f").st_size, 1);
}

const struct check checks_time[] = {
	{"times are set to the nanosecond", nanoseconds_are_kept, false},
	{"each time can be set, left and set to now alone", each_alone, false},
	{"times before 1970 and after 2038 are the backing's", far_times, false},
	{"symbolic links have times of their own", of_symlinks, false},
	{"times are set by owners, set to now by writers", who_may, true},
	{"writing and truncating move the modification time", writing_moves_mtime, false},
	{"times that are set before the close stay", set_before_close_stays, false},
	{"changes of the inode move its change time only", changes_move_ctime, false},
	{"a directory's time follows its entries", directories_follow, false},
	{"reading leaves the modification time", reading_leaves_mtime, false},
	{NULL, NULL, false},
};
