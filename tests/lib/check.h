/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of posixcheck: checks that run in a process and a directory of their own.
 *
 * A check's working directory is fresh and lies in the file system under test; check_ref() is an
 * equally fresh directory in the file system that it is compared with (the same one when there is
 * no other). The first thing that is not as it should be ends the check with a message.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

struct check {
	const char *name; /* a sentence */
	void (*run)(void);
	bool root; /* only root can run it */
};

/* Two callers and a group that neither has as its main group; nobody owns them. */
enum { USER_A = 40001, USER_B = 40002, GROUP_C = 40010 };

/* The tables of the themes; each ends with a row without a name. */
extern const struct check checks_acl[];
extern const struct check checks_alloc[];
extern const struct check checks_dir[];
extern const struct check checks_file[];
extern const struct check checks_link[];
extern const struct check checks_lock[];
extern const struct check checks_mmap[];
extern const struct check checks_name[];
extern const struct check checks_owner[];
extern const struct check checks_rename[];
extern const struct check checks_setid[];
extern const struct check checks_special[];
extern const struct check checks_time[];
extern const struct check checks_xattr[];

#define HERE __FILE__, __LINE__

/* The call must succeed; gives its result. */
#define OK(call) check_ok_int((long)(call), #call, HERE)
#define OK_LONG(call) check_ok((long)(call), #call, HERE)
/* The call must return -1 with this errno. */
#define FAILS(err, call) check_fails((err), (long)(call), #call, HERE)
#define EQ(a, b) check_eq((long long)(a), (long long)(b), #a " == " #b, HERE)
#define TRUE(cond) check_true((cond), #cond, HERE)
#define SAME(a, b, len) check_same((a), (b), (len), #a " holds the same as " #b, HERE)
#define SKIP(reason) check_skip(reason)

int check_ok_int(long ret, const char *what, const char *file, int line);
long check_ok(long ret, const char *what, const char *file, int line);
void check_fails(int err, long ret, const char *what, const char *file, int line);
void check_eq(long long a, long long b, const char *what, const char *file, int line);
void check_true(bool cond, const char *what, const char *file, int line);
void check_same(const void *a, const void *b, size_t len, const char *what, const char *file,
		int line);
_Noreturn void check_skip(const char *reason);

/*
 * AS(uid, gid, groups...) { ... } runs the block in a child with that identity, waits for it, and
 * fails the check when the block did. At least one group has to be named.
 */
#define AS(uid, gid, ...)                                                                    \
	for (const gid_t groups_[] = {__VA_ARGS__};                                          \
	     check_become((uid), (gid), sizeof(groups_) / sizeof(groups_[0]), groups_) == 0; \
	     _exit(0))
/* CHILD { ... } is the same without a change of identity. */
#define CHILD for (; check_fork() == 0; _exit(0))

pid_t check_become(uid_t uid, gid_t gid, size_t n, const gid_t *groups);
pid_t check_fork(void);

/* A child that the caller joins later; CHECK_SPAWN(pid) { ... } */
#define SPAWN(pid) for (check_flush(); ((pid) = fork()) == 0; _exit(0))
void check_flush(void);
/* Waits for such a child: it must have ended well. */
void check_join(pid_t pid);

/* The directory to compare with, and whether the file system under test is FUSE, tmpfs, NFS. */
int check_ref(void);
bool check_has_ref(void);
/* Whether files can be mapped shared at all. */
bool check_shares_maps(void);
bool check_on_fuse(void);
bool check_on(long magic);
/* A number of things to do: the whole of it with -l, else a fifth. */
int check_many(int n);
/* Where the check runs, an absolute path. */
const char *check_dir(void);

/* Small things that every theme needs; they fail the check when they can't be done. */
void put(const char *name, const char *text);
void put_at(int dirfd, const char *name, const char *text);
int make(const char *name, int mode);
int make_at(int dirfd, const char *name, int mode);
struct stat stat_of(const char *name);
struct stat stat_at(int dirfd, const char *name);
unsigned int mode_of(const char *name);
void holds(const char *name, const char *text);
void fill(void *buf, size_t len, unsigned int seed);
void *need_memory(size_t len);
void *need_aligned(size_t len);
uint64_t now_ms(void);

#endif
