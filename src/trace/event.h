/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace is made of: operations with their arguments, and what they refer to.
 *
 * The recorder and the importers fill these, the writer stores them, the reader gives them back:
 * weir-trace(5) has the bytes. A trace_op is a struct op with who asked and the arguments that
 * its kind has; `have` says which. Numbers lie in value[], byte strings in text[], by field.
 */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/op.h"

/*
 * Arguments with a number. X(identifier, JSON key, what it is). The order is the bit in `have`
 * and the number of the column in the file: new ones go to the end, before the texts' 32.
 */
#define TRACE_NUMBER_TABLE(X)                                                                 \
	X(HANDLE, "handle", "the open file or directory stream, unique in the trace")         \
	X(PARENT, "parent", "file id of the directory that holds the name")                   \
	X(NEW_PARENT, "new_parent", "file id of the directory of the new name")               \
	X(FLAGS, "flags", "of open(2), rename, setxattr, fallocate, access, lseek, flock ..") \
	X(MODE, "mode", "of the new file, or to be set: type and permission bits")            \
	X(UMASK, "umask", "of the caller")                                                    \
	X(RDEV, "rdev", "device number of mknod(2)")                                          \
	X(SET, "set", "which attributes setattr sets: FUSE_SET_ATTR_* bits")                  \
	X(SET_UID, "set_uid", "owner to set")                                                 \
	X(SET_GID, "set_gid", "group to set")                                                 \
	X(SET_SIZE, "set_size_bytes", "length to set")                                        \
	X(SET_ATIME, "set_atime_ns", "time of last access to set, since 1970")                \
	X(SET_MTIME, "set_mtime_ns", "time of last change to set, since 1970")                \
	X(VALUE_SIZE, "value_size_bytes", "bytes of the extended attribute's value")          \
	X(LOCK_TYPE, "lock_type", "F_RDLCK, F_WRLCK or F_UNLCK; getlk: what is there")        \
	X(LOCK_START, "lock_start", "first byte of the lock")                                 \
	X(LOCK_END, "lock_end", "last byte of the lock")                                      \
	X(LOCK_OWNER, "lock_owner", "the owner, as the kernel tells owners apart")            \
	X(LOCK_WAIT, "lock_wait", "1: it waits until it gets the lock")                       \
	X(COMMAND, "command", "of ioctl(2)")                                                  \
	X(TO_FILE, "to_file", "file id that copy_file_range writes to")                       \
	X(TO_HANDLE, "to_handle", "open file that copy_file_range writes to")                 \
	X(TO_OFFSET, "to_offset", "where copy_file_range writes")                             \
	X(DATASYNC, "datasync", "1: fdatasync(2)")                                            \
	X(ATTR_MODE, "attr_mode", "the file's type and permissions, as answered")             \
	X(ATTR_SIZE, "attr_size_bytes", "the file's length, as answered")                     \
	X(ATTR_NLINK, "attr_nlink", "its number of names, as answered")                       \
	X(COUNT, "count", "names in the answer of a readdir, forgets in a forget")            \
	X(DEVICE, "device", "major << 20 | minor of an imported block trace")

/* Arguments with bytes. X(identifier, JSON key, what it is); bits from 32 on. */
#define TRACE_TEXT_TABLE(X)                                                 \
	X(NAME, "name", "the name in the parent directory")                 \
	X(NEW_NAME, "new_name", "the new name of rename and link")          \
	X(TARGET, "target", "what a symbolic link says: symlink, readlink") \
	X(XATTR, "xattr", "the name of the extended attribute")             \
	X(HASH, "hash", "XXH64 of each 4 KiB block of the data, 8 bytes each")

enum trace_number {
#define X(id, key, help) TRACE_##id,
	TRACE_NUMBER_TABLE(X)
#undef X
		TRACE_NUMBERS
};

enum trace_text {
#define X(id, key, help) TRACE_##id,
	TRACE_TEXT_TABLE(X)
#undef X
		TRACE_TEXTS
};

#define TRACE_TEXT_BIT 32 /* of the first text in `have` */
#define TRACE_HAVE(number) (UINT64_C(1) << (number))
#define TRACE_HAVE_TEXT(text) (UINT64_C(1) << (TRACE_TEXT_BIT + (text)))

#define TRACE_COMM 16         /* bytes of a thread's name, NUL padded */
#define TRACE_TEXT_MAX 4096   /* bytes of a name or target */
#define TRACE_PATH_MAX 262144 /* bytes of a path: longer ones are cut */
#define TRACE_HASH_MAX 65536  /* bytes of hashes: 32 MiB of data */

struct trace_bytes {
	const uint8_t *data; /* borrowed; not terminated */
	size_t len;
};

/* One operation. op.pid is the thread, process its process. */
struct trace_op {
	struct op op;
	uint32_t process;
	char comm[TRACE_COMM];
	uint64_t have; /* TRACE_HAVE(), TRACE_HAVE_TEXT() */
	uint64_t value[TRACE_NUMBERS];
	struct trace_bytes text[TRACE_TEXTS];
};

enum trace_file_flags {
	TRACE_FILE_F_SIZE = 1 << 0,    /* size, mode and nlink are known */
	TRACE_FILE_F_DELETED = 1 << 1, /* no name is left: path is the last one */
	TRACE_FILE_F_BLOCK = 1 << 2,   /* stands for a block device of an imported trace */
	TRACE_FILE_F_HASHED = 1 << 3,  /* names are keyed hashes (trace_names=hash) */
};

/* A file: the same id in every block, defined anew in each that speaks of it. */
struct trace_file {
	uint64_t id;  /* unique in the trace, > 0 */
	uint64_t dev; /* of the backing file system */
	uint64_t ino;
	uint64_t generation; /* birth time in ns where the file system has it, else 0 */
	uint64_t size;       /* when it was defined, see TRACE_FILE_F_SIZE */
	uint32_t mode;       /* type and permissions; the type is always known */
	uint32_t nlink;
	uint32_t flags;          /* enum trace_file_flags */
	struct trace_bytes path; /* below the mount, "/" first; "?" when none is known */
};

/* A file that was open before the trace began. */
struct trace_handle {
	uint64_t id;
	uint64_t file;
	uint64_t flags; /* of open(2) */
};

/* Operations by kind: performed == written + dropped + filtered. */
struct trace_counts {
	uint64_t written[OP_KINDS];
	uint64_t dropped[OP_KINDS];  /* lost: the ring was full, the disk was, .. */
	uint64_t filtered[OP_KINDS]; /* left out as the user wished */
};

enum trace_event_kind {
	TRACE_EV_OP,
	TRACE_EV_PROPERTY, /* about the mount: host, kernel, options, .. */
	TRACE_EV_MARK,     /* something changed: model, reset, start, stop */
	TRACE_EV_HANDLE,
	TRACE_EV_COUNTS,  /* so far; the last one counts */
	TRACE_EV_SUMMARY, /* a snapshot (trace/snapshot.h) of the mount's own histograms */
	TRACE_EV_END,     /* the trace was closed in order */
};

/* What the reader gives; valid until the next one is asked for. */
struct trace_event {
	enum trace_event_kind kind;
	uint64_t mono_ns;              /* mark: when, CLOCK_MONOTONIC */
	uint64_t wall_offset_ns;       /* add to CLOCK_MONOTONIC stamps: since 1970 */
	const struct trace_op *op;     /* op */
	const struct trace_file *file; /* op: of op->op.file, or NULL */
	struct trace_bytes name;       /* property, mark */
	struct trace_bytes value;      /* property, mark: text; summary: bytes */
	struct trace_handle handle;
	const struct trace_counts *counts;
};

const char *trace_number_key(unsigned int number);
const char *trace_text_key(unsigned int text);

#endif
