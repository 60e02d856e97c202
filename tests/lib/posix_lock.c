/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Record locks of processes and of descriptions, and flock. */
#include "config.h"

#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>

static struct flock range(short type, off_t start, off_t len)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};
}

static int lock(int fd, int cmd, short type, off_t start, off_t len)
{
	struct flock fl = range(type, start, len);

	return fcntl(fd, cmd, &fl);
}

/* What F_GETLK says about this range: F_UNLCK, or the type of the lock that is in the way. */
static struct flock in_the_way(int fd, short type, off_t start, off_t len)
{
	struct flock fl = range(type, start, len);

	OK(fcntl(fd, F_GETLK, &fl));
	return fl;
}

/* A pipe each way, so that parent and child take turns without sleeping. */
struct turns {
	int to_child[2], to_parent[2];
};

static struct turns turns_make(void)
{
	struct turns t;

	OK(pipe(t.to_child));
	OK(pipe(t.to_parent));
	return t;
}

static void signal_turn(int fd)
{
	EQ(OK(write(fd, "t", 1)), 1);
}

static void await_turn(int fd)
{
	char byte;

	EQ(OK(read(fd, &byte, 1)), 1);
}

static void conflicts(void)
{
	struct turns t = turns_make();
	int fd = make("f", 0644);
	pid_t pid;

	SPAWN(pid)
	{
		fd = OK(open("f", O_RDWR));
		OK(lock(fd, F_SETLK, F_WRLCK, 100, 50));
		OK(lock(fd, F_SETLK, F_RDLCK, 200, 50));
		signal_turn(t.to_parent[1]);
		await_turn(t.to_child[0]);
	}
	await_turn(t.to_parent[0]);
	FAILS(EAGAIN, lock(fd, F_SETLK, F_RDLCK, 120, 1));
	FAILS(EAGAIN, lock(fd, F_SETLK, F_WRLCK, 0, 0));
	FAILS(EAGAIN, lock(fd, F_SETLK, F_WRLCK, 249, 10));
	OK(lock(fd, F_SETLK, F_RDLCK, 200, 50));
	OK(lock(fd, F_SETLK, F_WRLCK, 150, 50));
	EQ(in_the_way(fd, F_WRLCK, 0, 0).l_pid, pid);
	EQ(in_the_way(fd, F_WRLCK, 0, 0).l_type, F_WRLCK);
	EQ(in_the_way(fd, F_WRLCK, 0, 0).l_start, 100);
	EQ(in_the_way(fd, F_WRLCK, 0, 0).l_len, 50);
	EQ(in_the_way(fd, F_RDLCK, 200, 50).l_type, F_UNLCK);
	signal_turn(t.to_child[1]);
	check_join(pid);
	OK(lock(fd, F_SETLK, F_WRLCK, 0, 0));
}

static void split_and_joined(void)
{
	int fd = make("f", 0644);

	OK(lock(fd, F_SETLK, F_WRLCK, 0, 300));
	OK(lock(fd, F_SETLK, F_UNLCK, 100, 100));
	CHILD
	{
		struct flock fl;

		fd = OK(open("f", O_RDWR));
		OK(lock(fd, F_SETLK, F_WRLCK, 100, 100));
		fl = in_the_way(fd, F_WRLCK, 0, 0);
		EQ(fl.l_start, 0);
		EQ(fl.l_len, 100);
		fl = in_the_way(fd, F_WRLCK, 150, 1000);
		EQ(fl.l_start, 200);
		EQ(fl.l_pid, getppid());
	}
	OK(lock(fd, F_SETLK, F_RDLCK, 50, 10));
	CHILD
	{
		fd = OK(open("f", O_RDWR));
		OK(lock(fd, F_SETLK, F_RDLCK, 50, 10));
		FAILS(EAGAIN, lock(fd, F_SETLK, F_RDLCK, 49, 1));
	}
}

static void close_lets_go(void)
{
	int fd = make("f", 0644), other = OK(open("f", O_RDWR));

	OK(lock(fd, F_SETLK, F_WRLCK, 0, 0));
	CHILD
	FAILS(EAGAIN, lock(OK(open("f", O_RDWR)), F_SETLK, F_WRLCK, 0, 0));
	/* any descriptor of the file that the process closes takes its locks away */
	OK(close(other));
	CHILD
	OK(lock(OK(open("f", O_RDWR)), F_SETLK, F_WRLCK, 0, 0));
}

static void children_own_nothing(void)
{
	int fd = make("f", 0644);

	OK(lock(fd, F_SETLK, F_WRLCK, 0, 0));
	CHILD
	{
		FAILS(EAGAIN, lock(fd, F_SETLK, F_WRLCK, 0, 0));
		OK(close(fd));
	}
	CHILD
	FAILS(EAGAIN, lock(OK(open("f", O_RDWR)), F_SETLK, F_WRLCK, 0, 0));
}

static void kept_over_exec(void)
{
	struct turns t = turns_make();
	int fd = make("f", 0644);
	pid_t pid;

	SPAWN(pid)
	{
		OK(lock(fd, F_SETLK, F_WRLCK, 0, 0));
		OK(dup2(t.to_child[0], 0));
		OK(dup2(t.to_parent[1], 1));
		OK(close(t.to_child[1]));
		execl("/bin/sh", "sh", "-c", "echo; read x", (char *)NULL);
		OK(-1);
	}
	await_turn(t.to_parent[0]);
	FAILS(EAGAIN, lock(fd, F_SETLK, F_WRLCK, 0, 0));
	EQ(in_the_way(fd, F_WRLCK, 0, 0).l_pid, pid);
	EQ(OK(write(t.to_child[1], "\n", 1)), 1);
	check_join(pid);
	OK(lock(fd, F_SETLK, F_WRLCK, 0, 0));
}

static void waiting_works(void)
{
	struct turns t = turns_make();
	int fd = make("f", 0644);
	pid_t pid;

	OK(lock(fd, F_SETLK, F_WRLCK, 0, 0));
	SPAWN(pid)
	{
		fd = OK(open("f", O_RDWR));
		signal_turn(t.to_parent[1]);
		OK(lock(fd, F_SETLKW, F_WRLCK, 0, 0));
		EQ(OK_LONG(pwrite(fd, "got", 3, 0)), 3);
	}
	await_turn(t.to_parent[0]);
	EQ(stat_of("f").st_size, 0);
	OK(lock(fd, F_SETLK, F_UNLCK, 0, 0));
	check_join(pid);
	holds("f", "got");
}

static void death_lets_go(void)
{
	struct turns t = turns_make();
	int fd = make("f", 0644), status;
	pid_t pid;

	check_flush();
	pid = fork();
	if (pid == 0) {
		OK(lock(fd, F_SETLK, F_WRLCK, 0, 0));
		signal_turn(t.to_parent[1]);
		for (;;)
			pause();
	}
	await_turn(t.to_parent[0]);
	FAILS(EAGAIN, lock(fd, F_SETLK, F_WRLCK, 0, 0));
	OK(kill(pid, SIGKILL));
	OK(waitpid(pid, &status, 0));
	OK(lock(fd, F_SETLKW, F_WRLCK, 0, 0));
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void waiting_is_interrupted(void)
{
	struct turns t = turns_make();
	int fd = make("f", 0644);
	pid_t pid;

	OK(lock(fd, F_SETLK, F_WRLCK, 0, 0));
	SPAWN(pid)
	{
		struct sigaction action = {.sa_handler = on_alarm};

		OK(sigaction(SIGALRM, &action, NULL));
		fd = OK(open("f", O_RDWR));
		alarm(1);
		FAILS(EINTR, lock(fd, F_SETLKW, F_WRLCK, 0, 0));
	}
	check_join(pid);
	signal_turn(t.to_parent[1]);
	await_turn(t.to_parent[0]);
	OK(lock(fd, F_SETLK, F_UNLCK, 0, 0));
	CHILD
	OK(lock(OK(open("f", O_RDWR)), F_SETLK, F_WRLCK, 0, 0));
}

static void deadlock_is_told(void)
{
	struct turns t = turns_make();
	int fd = make("f", 0644), deadlocks = 0, status;
	pid_t pid;

	OK(lock(fd, F_SETLK, F_WRLCK, 0, 10));
	check_flush();
	pid = fork();
	if (pid == 0) {
		fd = OK(open("f", O_RDWR));
		OK(lock(fd, F_SETLK, F_WRLCK, 10, 10));
		signal_turn(t.to_parent[1]);
		if (lock(fd, F_SETLKW, F_WRLCK, 0, 10) == 0)
			_exit(0);
		_exit(errno == EDEADLK ? 35 : 1);
	}
	await_turn(t.to_parent[0]);
	if (lock(fd, F_SETLKW, F_WRLCK, 10, 10) != 0) {
		EQ(errno, EDEADLK);
		deadlocks++;
	}
	OK(lock(fd, F_SETLK, F_UNLCK, 0, 0));
	OK(waitpid(pid, &status, 0));
	TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 35));
	deadlocks += WEXITSTATUS(status) == 35;
	EQ(deadlocks, 1);
}

static void of_descriptions(void)
{
	int a = make("f", 0644), b = OK(open("f", O_RDWR)), c;

	OK(lock(a, F_OFD_SETLK, F_WRLCK, 0, 10));
	FAILS(EAGAIN, lock(b, F_OFD_SETLK, F_WRLCK, 5, 1));
	FAILS(EAGAIN, lock(b, F_SETLK, F_WRLCK, 5, 1));
	OK(lock(b, F_OFD_SETLK, F_WRLCK, 10, 10));
	c = OK(dup(a));
	OK(lock(c, F_OFD_SETLK, F_WRLCK, 0, 10));
	OK(close(a));
	FAILS(EAGAIN, lock(b, F_OFD_SETLK, F_WRLCK, 5, 1));
	CHILD
	{
		FAILS(EAGAIN, lock(OK(open("f", O_RDWR)), F_OFD_SETLK, F_WRLCK, 5, 1));
		OK(lock(c, F_OFD_SETLK, F_WRLCK, 0, 10));
	}
	OK(close(c));
	OK(lock(b, F_OFD_SETLK, F_WRLCK, 5, 1));
}

static void whole_files(void)
{
	int a = make("f", 0644), b = OK(open("f", O_RDWR)), c;

	OK(flock(a, LOCK_EX));
	FAILS(EWOULDBLOCK, flock(b, LOCK_SH | LOCK_NB));
	CHILD
	{
		OK(flock(a, LOCK_EX | LOCK_NB));
		FAILS(EWOULDBLOCK, flock(OK(open("f", O_RDONLY)), LOCK_EX | LOCK_NB));
	}
	OK(flock(a, LOCK_SH));
	OK(flock(b, LOCK_SH | LOCK_NB));
	FAILS(EWOULDBLOCK, flock(b, LOCK_EX | LOCK_NB));
	c = OK(dup(a));
	OK(close(a));
	FAILS(EWOULDBLOCK, flock(b, LOCK_EX | LOCK_NB));
	OK(close(c));
	OK(flock(b, LOCK_EX | LOCK_NB));
	OK(flock(b, LOCK_UN));
	OK(flock(OK(open(".", O_RDONLY | O_DIRECTORY)), LOCK_EX));
}

static void flock_waits(void)
{
	struct turns t = turns_make();
	int fd = make("f", 0644);
	pid_t pid;

	OK(flock(fd, LOCK_EX));
	SPAWN(pid)
	{
		OK(close(fd));
		fd = OK(open("f", O_RDWR));
		signal_turn(t.to_parent[1]);
		OK(flock(fd, LOCK_EX));
		EQ(OK_LONG(pwrite(fd, "got", 3, 0)), 3);
	}
	await_turn(t.to_parent[0]);
	EQ(stat_of("f").st_size, 0);
	OK(close(fd));
	check_join(pid);
	holds("f", "got");
}

/* On local file systems the two kinds do not see each other; NFS makes flock a record lock. */
static void kinds_are_apart(void)
{
	int a = make("f", 0644), b = OK(open("f", O_RDWR));
	int ra = make_at(check_ref(), "f", 0644), rb = OK(openat(check_ref(), "f", O_RDWR));

	OK(flock(ra, LOCK_EX));
	if (lock(rb, F_SETLK, F_WRLCK, 0, 0) != 0)
		SKIP("the backing file system makes flock a record lock");
	OK(flock(a, LOCK_EX));
	OK(lock(b, F_SETLK, F_WRLCK, 0, 0));
}

static void modes_are_needed(void)
{
	int fd;

	put("f", "x");
	fd = OK(open("f", O_RDONLY));
	FAILS(EBADF, lock(fd, F_SETLK, F_WRLCK, 0, 0));
	OK(lock(fd, F_SETLK, F_RDLCK, 0, 0));
	FAILS(EBADF, lock(OK(open("f", O_WRONLY)), F_SETLK, F_RDLCK, 0, 0));
	FAILS(EINVAL, lock(fd, F_SETLK, F_RDLCK, -5, 0));
}

const struct check checks_lock[] = {
	{"record locks conflict where they overlap, F_GETLK names the owner", conflicts, false},
	{"record locks are split and changed in part", split_and_joined, false},
	{"closing any descriptor lets a process's locks go", close_lets_go, false},
	{"children own no locks and closing in them frees none", children_own_nothing, false},
	{"record locks are kept over exec", kept_over_exec, false},
	{"a waiter gets the lock when it is free", waiting_works, false},
	{"a killed owner's locks are free", death_lets_go, false},
	{"a wait for a lock can be interrupted", waiting_is_interrupted, false},
	{"of two that wait for each other one is told EDEADLK", deadlock_is_told, false},
	{"locks of open file descriptions belong to these", of_descriptions, false},
	{"flock locks whole files and belongs to the description", whole_files, false},
	{"a waiter gets the flock when it is free", flock_waits, false},
	{"flock and record locks do not meet", kinds_are_apart, false},
	{"a lock needs the open mode that fits it", modes_are_needed, false},
	{NULL, NULL, false},
};
