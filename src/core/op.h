/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vocabulary: the table of operations and struct op, one operation as it happened.
 *
 * A trace is a stream of ops, histograms are folds over ops, models take an op and give a time.
 * The table is the single list of operations: enum, names, parser, help and JSON keys come from it.
 */
#ifndef CORE_OP_H
#define CORE_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an operation counts as for a file: per-file histograms are kept per class. */
#define OP_CLASS_TABLE(X) \
	X(READ, "read")   \
	X(WRITE, "write") \
	X(META, "meta")   \
	X(SYNC, "sync")

/* X(identifier, name as users see it, class) */
#define OP_TABLE(X)                                  \
	X(LOOKUP, "lookup", META)                    \
	X(FORGET, "forget", META)                    \
	X(GETATTR, "getattr", META)                  \
	X(SETATTR, "setattr", META)                  \
	X(READLINK, "readlink", META)                \
	X(MKNOD, "mknod", META)                      \
	X(MKDIR, "mkdir", META)                      \
	X(UNLINK, "unlink", META)                    \
	X(RMDIR, "rmdir", META)                      \
	X(SYMLINK, "symlink", META)                  \
	X(RENAME, "rename", META)                    \
	X(LINK, "link", META)                        \
	X(OPEN, "open", META)                        \
	X(CREATE, "create", META)                    \
	X(TMPFILE, "tmpfile", META)                  \
	X(READ, "read", READ)                        \
	X(WRITE, "write", WRITE)                     \
	X(FLUSH, "flush", SYNC)                      \
	X(RELEASE, "release", META)                  \
	X(FSYNC, "fsync", SYNC)                      \
	X(OPENDIR, "opendir", META)                  \
	X(READDIR, "readdir", META)                  \
	X(READDIRPLUS, "readdirplus", META)          \
	X(RELEASEDIR, "releasedir", META)            \
	X(FSYNCDIR, "fsyncdir", SYNC)                \
	X(STATFS, "statfs", META)                    \
	X(SETXATTR, "setxattr", META)                \
	X(GETXATTR, "getxattr", META)                \
	X(LISTXATTR, "listxattr", META)              \
	X(REMOVEXATTR, "removexattr", META)          \
	X(ACCESS, "access", META)                    \
	X(GETLK, "getlk", META)                      \
	X(SETLK, "setlk", META)                      \
	X(FLOCK, "flock", META)                      \
	X(IOCTL, "ioctl", META)                      \
	X(POLL, "poll", META)                        \
	X(FALLOCATE, "fallocate", WRITE)             \
	X(COPY_FILE_RANGE, "copy_file_range", WRITE) \
	X(LSEEK, "lseek", META)                      \
	X(STATX, "statx", META)                      \
	X(SYNCFS, "syncfs", SYNC)

enum op_class {
#define X(id, name) OP_CLASS_##id,
	OP_CLASS_TABLE(X)
#undef X
		OP_CLASSES
};

enum op_kind {
#define X(id, name, class) OP_##id,
	OP_TABLE(X)
#undef X
		OP_KINDS
};

/* Where the time of an operation went; the three are kept apart everywhere. */
#define DURATION_TABLE(X)                                                   \
	X(SERVICE, "service", "what the real storage took")                 \
	X(HOLD, "hold", "what models added after the storage had answered") \
	X(TOTAL, "total", "from the request's arrival until its reply was sent")

enum duration {
#define X(id, name, help) DUR_##id,
	DURATION_TABLE(X)
#undef X
		DURATIONS
};

enum op_flags {
	OP_F_INJECTED = 1 << 0,    /* the error was injected, the storage was not asked */
	OP_F_INTERRUPTED = 1 << 1, /* the caller was killed while the reply was held */
	OP_F_DIRECT = 1 << 2,      /* O_DIRECT on the descriptor */
	OP_F_ESTALE = 1 << 3,      /* a stale handle was recovered by name */
};

/*
 * One operation. Times are CLOCK_MONOTONIC nanoseconds, 0 = did not happen; offset and size are
 * bytes as asked for; result is a byte count or 0; error is 0 or a positive errno.
 */
struct op {
	uint64_t seq;       /* number since the mount, from 1 */
	uint64_t arrive_ns; /* taken from the kernel */
	uint64_t issued_ns; /* handed to the storage */
	uint64_t backed_ns; /* answered by the storage */
	uint64_t due_ns;    /* when the models let it be answered */
	uint64_t done_ns;   /* reply sent */
	uint64_t file;      /* identity of the file, see struct file_summary */
	uint64_t offset;
	uint64_t size;
	uint64_t result;
	uint32_t pid; /* of the calling thread */
	uint32_t uid;
	uint32_t gid;
	uint16_t error;
	uint8_t kind;  /* enum op_kind */
	uint8_t flags; /* enum op_flags */
};

/* Static strings; a kind or class out of range gives "?". */
const char *op_name(unsigned int kind);
const char *op_class_name(unsigned int class);
const char *duration_name(unsigned int duration);
enum op_class op_class(enum op_kind kind);

/* Finds an operation by its name. Returns 0, or -ENOENT. */
int op_parse(const char *name, enum op_kind *ret_kind);

/*
 * Parses one word of a rule: an operation's name, a class ("read", "write", "meta", "sync"; the
 * class wins over the operation of the same name only for "meta" and "sync") or "all".
 * ret_mask gets one bit an operation (1 << kind). Returns 0, or -ENOENT.
 */
int op_parse_mask(const char *word, size_t len, uint64_t *ret_mask);

/* The three durations of a finished operation, in nanoseconds, by enum duration. */
void op_durations(const struct op *op, uint64_t ret_ns[DURATIONS]);
/*
 * Is that one of them to be counted? Hold only where there was one; none of an operation whose end
 * is unknown (done_ns is 0), as of many imported ones: 0 ns would be a lie.
 */
bool op_has_duration(const struct op *op, unsigned int duration, const uint64_t ns[DURATIONS]);

_Static_assert(OP_KINDS <= 64, "masks of operations are 64 bits");

#endif
