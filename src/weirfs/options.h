/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of weirfs. */
#ifndef WEIRFS_OPTIONS_H
#define WEIRFS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/diag.h"
#include "weirfs/ident.h"
#include "weirfs/log.h"

#define CACHE_TABLE(X)                                                           \
	X(AUTO, "auto", "pages as the backing file system would: close-to-open") \
	X(NONE, "none", "every read and write is passed on")                     \
	X(ALWAYS, "always", "everything, for trees that nobody changes underneath")

enum cache_mode {
#define X(id, name, help) CACHE_##id,
	CACHE_TABLE(X)
#undef X
};

#define DATA_TABLE(X)                                                          \
	X(USER, "user", "reads and writes pass the daemon: measured and held") \
	X(KERNEL, "kernel", "the kernel reads and writes by itself: not seen, not held")

enum data_mode {
#define X(id, name, help) DATA_##id,
	DATA_TABLE(X)
#undef X
};

#define LOCKS_TABLE(X)                                                           \
	X(AUTO, "auto", "local in place over a local file system, else backing") \
	X(LOCAL, "local", "POSIX locks are seen by users of this mount only")    \
	X(BACKING, "backing", "POSIX locks are taken on the backing file too")

enum locks_mode {
#define X(id, name, help) LOCKS_##id,
	LOCKS_TABLE(X)
#undef X
};

#define TRACE_FULL_TABLE(X)                                      \
	X(DROP, "drop", "operations are left out and counted")   \
	X(BLOCK, "block", "operations wait until there is room") \
	X(OVERWRITE, "overwrite", "the latest are kept in memory, for `weir ctl .. dump`")

enum trace_full {
#define X(id, name, help) TRACE_FULL_##id,
	TRACE_FULL_TABLE(X)
#undef X
};

#define TRACE_NAMES_TABLE(X)                             \
	X(PLAIN, "plain", "file names are in the trace") \
	X(HASH, "hash", "keyed hashes of them are")

enum trace_names {
#define X(id, name, help) TRACE_NAMES_##id,
	TRACE_NAMES_TABLE(X)
#undef X
};

#define TRACE_DATA_TABLE(X)                                    \
	X(NONE, "none", "nothing of what is read and written") \
	X(HASH, "hash", "a hash of each 4 KiB")

enum trace_data {
#define X(id, name, help) TRACE_DATA_##id,
	TRACE_DATA_TABLE(X)
#undef X
};

/* When another part of the trace begins; 0 = not for that. */
struct trace_rotate {
	uint64_t bytes;
	uint64_t ns;
};

struct options {
	char *source;
	char *mountpoint;
	bool foreground;
	bool debug;
	bool allow_other;
	bool no_allow_other;
	bool read_only;
	bool no_xattr;
	bool measure;
	bool io_uring;
	enum cache_mode cache;
	enum data_mode data;
	enum locks_mode locks;
	enum identity identity;
	enum log_level log;
	char *delay;         /* rules, or NULL */
	double attr_timeout; /* seconds; negative = not given */
	double entry_timeout;
	double negative_timeout;
	uint64_t max_files;
	uint64_t max_fds; /* 0 = from the limit on descriptors */
	uint64_t workers;
	uint64_t hold_max; /* bytes */
	char *trace;       /* where to, or NULL */
	enum trace_full trace_full;
	enum trace_names trace_names;
	enum trace_data trace_data;
	bool trace_inside; /* below the mount is allowed */
	uint64_t trace_flush_ns;
	uint64_t trace_buffer; /* bytes */
	uint64_t trace_ring;   /* bytes */
	struct trace_rotate trace_rotate;
	uint64_t trace_keep; /* parts, 0 = all */
	char *trace_ops;     /* filters: NULL = everything */
	char *trace_path;
	char *trace_uid;
	uint64_t trace_min_ns;
	char *fuse_options; /* for libfuse and the kernel: comma separated, or NULL */
	bool suid_given;
	bool dev_given;
	bool exec_given;
	bool fuse_given; /* something else of fuse_options: not asked for */
	bool show_help;
	bool show_version;
};

/* Every default in its place. */
void options_init(struct options *options);
void options_done(struct options *options);

/* Parses the command line. Returns 0, -EINVAL (diag says what and what to do) or -ENOMEM. */
int options_parse(struct options *options, int argc, char *const argv[], struct diag *diag);
/* Fills what depends on other options; once all are parsed. */
void options_finish(struct options *options);

const char *cache_name(enum cache_mode mode);
const char *data_name(enum data_mode mode);
const char *locks_name(enum locks_mode mode);
const char *identity_name(enum identity identity);
const char *trace_full_name(enum trace_full full);
const char *trace_names_name(enum trace_names names);
const char *trace_data_name(enum trace_data data);

/* Prints the help on standard output. */
void options_help(void);

#endif
