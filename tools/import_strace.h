/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strace: lines become calls, calls move what is known of processes and their descriptors, and
 * those about files become operations.
 */
#ifndef TOOLS_IMPORT_STRACE_H
#define TOOLS_IMPORT_STRACE_H

#include "tools/import.h"

#define STRACE_ARGS 8

/* --- a call, as it stands in the text (import_strace_line.c) ------------------------------- */

struct strace_call {
	struct slice name;
	struct slice args[STRACE_ARGS];
	unsigned int arg_count;
	uint32_t pid;
	uint64_t start_ns;
	uint64_t duration_ns;
	bool timed;      /* it has a duration */
	bool returned;   /* not "= ?" */
	uint64_t result; /* when it succeeded */
	uint16_t error;
	struct slice result_text; /* "3</path>" */
};

enum strace_line_kind { STRACE_CALL, STRACE_UNFINISHED, STRACE_RESUMED, STRACE_EXIT, STRACE_NOISE };

struct strace_line {
	enum strace_line_kind kind;
	uint32_t pid;
	bool has_pid;
	struct slice stamp; /* empty: none */
	struct slice text;  /* call: all of it; unfinished: up to the mark; resumed: behind it */
	struct slice name;  /* resumed */
};

/* Returns 0, or -EINVAL when it is no line of strace. */
int strace_parse_line(struct slice text, struct strace_line *ret_line);
/* A whole call, "NAME(ARGS) = RESULT <TIME>". Returns 0 or -EINVAL. */
int strace_parse_call(struct slice text, struct strace_call *ret_call);

/* --- arguments (import_strace_args.c) ------------------------------------------------------ */

/* An argument that isn't there is empty. */
struct slice strace_arg(const struct strace_call *call, unsigned int index);
/* A quoted string, its escapes undone. Returns 0, -EINVAL (no string) or -ENAMETOOLONG (cut). */
int strace_string(struct slice text, struct bytes *out);
/* Undoes the escapes of a string or of a path that -y tells. */
void strace_unescape(struct slice text, struct bytes *out);
/* The descriptor and, with -y, what it is ("" when it isn't told). AT_FDCWD is STRACE_CWD. */
#define STRACE_CWD INT32_MIN
int strace_descriptor(struct slice text, int32_t *ret_fd, struct slice *ret_what);
/* A number, or words with | between. Returns 0 or -EINVAL. */
int strace_flags(struct slice text, uint64_t *ret_flags);
/* The value of KEY= in a struct; empty when it isn't there. */
struct slice strace_field(struct slice text, const char *key);
/* The sum of iov_len. Returns 0, or -EINVAL when not all are shown. */
int strace_iov_bytes(struct slice text, uint64_t *ret_bytes);
uint16_t strace_errno(struct slice name);

/* --- processes and descriptors (import_strace_fds.c) --------------------------------------- */

/* An open file: what descriptors that were duplicated share. */
struct strace_open {
	uint64_t refs;
	struct import_file *file; /* a reference */
	uint64_t handle;          /* 0: none (O_PATH) */
	uint64_t offset;
	uint64_t size; /* as far as is known, for O_APPEND */
	bool append;
	bool directory;
};

struct strace_fd {
	int32_t fd;
	bool cloexec;
	struct strace_open *open; /* NULL: not a file */
};

struct strace_process {
	uint64_t refs; /* threads */
	uint32_t pid;
	char comm[TRACE_COMM];
	char *cwd; /* NULL: unknown */
	struct strace_fd *fds;
	size_t fd_count;
	size_t fd_room;
};

struct strace_task {
	struct strace_task *next;
	uint32_t pid;
	struct strace_process *process;
	char *text; /* of a call that is not finished */
	size_t text_len;
	uint64_t start_ns;
};

#define STRACE_BUCKETS 4096
#define STRACE_TASKS_MAX 65536

struct strace_tasks {
	struct strace_task *buckets[STRACE_BUCKETS];
	size_t count;
	uint32_t cloner; /* that last began a call that makes a task */
};

/* The task, made when it is new. Returns 0, -ENOMEM or -ENOSPC (too many). */
int strace_task(struct strace_tasks *tasks, uint32_t pid, struct strace_task **ret_task);
/* A call of the parent made it; shares the descriptors or gets copies. */
int strace_clone(struct strace_tasks *tasks, struct strace_task *parent, uint32_t pid, bool share);
/*
 * Opens that this was the last user of are handed to release(), which drops them (strace_put()).
 * The task is gone then.
 */
typedef int (*strace_release)(void *arg, struct strace_open *open);
int strace_exit(struct strace_tasks *tasks, uint32_t pid, strace_release release, void *arg);
void strace_tasks_done(struct strace_tasks *tasks);

struct strace_open *strace_new_open(struct import_file *file);
void strace_put(struct strace_open *open);
/* The entry of a descriptor, or NULL. */
struct strace_fd *strace_find_fd(struct strace_process *process, int32_t fd);
/* Sets it (open: takes over the reference; NULL: no file). Returns 0 or -ENOMEM. */
int strace_set_fd(struct strace_process *process, int32_t fd, struct strace_open *open,
		  bool cloexec);
/* Takes an entry out; the caller gets its reference. */
struct strace_open *strace_take_fd(struct strace_process *process, int32_t fd);

/* --- what calls mean (import_strace_calls.c and what it uses) ------------------------------ */

struct strace {
	struct strace_tasks tasks;
	struct strace_task *task; /* that made the present call */
	struct bytes joined;
	struct bytes text;    /* a decoded argument */
	struct bytes what;    /* a decoded path of -y */
	struct bytes value;   /* a decoded argument that is kept while others are */
	struct bytes base;    /* a path before it is normal */
	struct bytes path[2]; /* full ones */
	const struct strace_call *call;
	struct import *import;
	int clock; /* enum strace_clock */
	uint64_t order;
};

/* What a path argument leads to. */
struct strace_place {
	struct import_file *parent; /* NULL: the root itself */
	struct slice name;
	struct import_file *file; /* NULL: not known (yet) */
};

/* Gives what the call means. Returns 0 (also when it is unused, and counted) or -errno. */
int strace_use_call(struct strace *strace, const struct strace_call *call);
/* How a handler of calls is called: argument numbers and flags are its own. */
typedef int (*strace_handler)(struct strace *strace, const struct strace_call *call,
			      unsigned int variant);
int strace_exit_task(struct strace *strace, uint32_t pid, uint64_t end_ns);

struct strace_rule {
	const char *name;
	strace_handler handler;
	unsigned int variant;
};

/* Tables end with a name that is NULL. */
extern const struct strace_rule strace_rules_data[];
extern const struct strace_rule strace_rules_name[];
extern const struct strace_rule strace_rules_attr[];
extern const struct strace_rule strace_rules_fd[];

/* --- what the handlers share (import_strace_place.c) --------------------------------------- */

/* Argument numbers of a variant: directory descriptor (NO_ARG: relative to the cwd) and path. */
#define STRACE_NO_ARG 15u
#define STRACE_AT(dirfd, path) ((dirfd) | (path) << 4)
#define STRACE_DIRFD(variant) ((variant)&15)
#define STRACE_PATH(variant) ((variant) >> 4 & 15)

struct trace_op strace_new_op(const struct strace *strace, enum op_kind kind);
/* All return 1, 0 when the line is unused (and counted), or -errno. */
/* Of an absolute path; which: of the two places that a call can have. */
int strace_place_of(struct strace *strace, struct slice path, unsigned int which,
		    struct strace_place *ret_place);
int strace_find_place(struct strace *strace, unsigned int variant, unsigned int which,
		      struct strace_place *ret_place);
int strace_make_file(struct strace *strace, struct strace_place *place);
/* The open file of a descriptor; one that wasn't seen opened gets a handle of before the trace. */
int strace_find_open(struct strace *strace, unsigned int arg, struct strace_open **ret_open);
/* Gives an operation on a path: by parent and name; about the file if it is known. */
int strace_give_named(struct strace *strace, struct trace_op *op, struct strace_place *place);
/* Gives one through an open file. */
int strace_give_open(struct strace *strace, struct trace_op *op, struct strace_open *open);
/* A call on a path that failed because there is no such name: a lookup is all that there was. */
bool strace_is_missing(const struct strace_call *call);
int strace_give_missing(struct strace *strace, struct strace_place *place);
/* Counts a number argument that is none. */
int strace_bad(struct strace *strace, int err);

#endif
