// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of options, and the words of those that choose. */
#include "config.h"

#include "weirfs/options_table.h"

#include <stddef.h>

#include "core/clock.h"
#include "weirfs/options.h"

static const char *const cache_names[] = {
#define X(id, name, help) name,
	CACHE_TABLE(X)
#undef X
		NULL};
static const char *const data_names[] = {
#define X(id, name, help) name,
	DATA_TABLE(X)
#undef X
		NULL};
static const char *const locks_names[] = {
#define X(id, name, help) name,
	LOCKS_TABLE(X)
#undef X
		NULL};
static const char *const identity_names[] = {
#define X(id, name, help) name,
	IDENTITY_TABLE(X)
#undef X
		"auto",
	NULL};
static const char *const log_names[] = {
#define X(id, name) name,
	LOG_LEVEL_TABLE(X)
#undef X
		NULL};
static const char *const trace_full_names[] = {
#define X(id, name, help) name,
	TRACE_FULL_TABLE(X)
#undef X
		NULL};
static const char *const trace_names_names[] = {
#define X(id, name, help) name,
	TRACE_NAMES_TABLE(X)
#undef X
		NULL};
static const char *const trace_data_names[] = {
#define X(id, name, help) name,
	TRACE_DATA_TABLE(X)
#undef X
		NULL};
static const char *const switch_names[] = {"off", "on", NULL};
static const char *const inside_names[] = {"refuse", "allow", NULL};

const char *cache_name(enum cache_mode mode)
{
	return cache_names[mode];
}

const char *data_name(enum data_mode mode)
{
	return data_names[mode];
}

const char *locks_name(enum locks_mode mode)
{
	return locks_names[mode];
}

const char *identity_name(enum identity identity)
{
	return identity_names[identity];
}

const char *trace_full_name(enum trace_full full)
{
	return trace_full_names[full];
}

const char *trace_names_name(enum trace_names names)
{
	return trace_names_names[names];
}

const char *trace_data_name(enum trace_data data)
{
	return trace_data_names[data];
}

#define FIELD(name) offsetof(struct options, name)

const struct option option_table[] = {
	{"cache", OPTION_CHOICE, FIELD(cache), cache_names, 0, 0, "MODE",
	 "what the kernel may keep: auto, none or always [auto]"},
	{"data", OPTION_CHOICE, FIELD(data), data_names, 0, 0, "PATH",
	 "who reads and writes data: user or kernel [user]"},
	{"locks", OPTION_CHOICE, FIELD(locks), locks_names, 0, 0, "WHERE",
	 "POSIX locks: auto, local or backing [auto]"},
	{"identity", OPTION_CHOICE, FIELD(identity), identity_names, 0, 0, "WHO",
	 "act as the caller: auto, none, local or full [auto]"},
	{"delay", OPTION_DELAY, FIELD(delay), NULL, 0, 0, "RULES",
	 "OP[@GLOB]:TIME[:SHARE%][,...]: hold replies"},
	{"attr_timeout", OPTION_SECONDS, FIELD(attr_timeout), NULL, 0, 0, "SECONDS",
	 "how long the kernel keeps attributes [1]"},
	{"entry_timeout", OPTION_SECONDS, FIELD(entry_timeout), NULL, 0, 0, "SECONDS",
	 "how long the kernel keeps names [1]"},
	{"negative_timeout", OPTION_SECONDS, FIELD(negative_timeout), NULL, 0, 0, "SECONDS",
	 "how long it keeps that a name does not exist [0]"},
	{"max_files", OPTION_COUNT, FIELD(max_files), NULL, 16, 10000000, "N",
	 "rows in the file table [100000]"},
	{"max_fds", OPTION_COUNT, FIELD(max_fds), NULL, 8, 1000000, "N",
	 "descriptors kept for inodes [a quarter of the limit]"},
	{"workers", OPTION_COUNT, FIELD(workers), NULL, 1, 256, "N", "threads at most [64]"},
	{"hold_max", OPTION_SIZE, FIELD(hold_max), NULL, 0, 0, "SIZE",
	 "memory for data of held replies [1GiB]"},
	{"measure", OPTION_SWITCH, FIELD(measure), switch_names, 0, 0, "on|off",
	 "record statistics [on]"},
	{"trace", OPTION_TEXT, FIELD(trace), NULL, 0, 0, "PLACE",
	 "record every operation: file, directory, - (stdout)"},
	{"trace_full", OPTION_CHOICE, FIELD(trace_full), trace_full_names, 0, 0, "POLICY",
	 "no room in memory: drop, block or overwrite [drop]"},
	{"trace_flush", OPTION_TIME, FIELD(trace_flush_ns), NULL, 10 * NS_PER_MS, NS_PER_S * 3600,
	 "TIME", "what a crash may cost of the trace [1s]"},
	{"trace_buffer", OPTION_SIZE, FIELD(trace_buffer), NULL, 0, 0, "SIZE",
	 "memory for compressed blocks [64MiB]"},
	{"trace_ring", OPTION_SIZE, FIELD(trace_ring), NULL, 64 * 1024, UINT64_C(1) << 30, "SIZE",
	 "memory for operations, each thread [1MiB]"},
	{"trace_rotate", OPTION_ROTATE, FIELD(trace_rotate), NULL, 0, 0, "SIZE|TIME",
	 "begin another part: 1GiB, 1h [never]"},
	{"trace_keep", OPTION_COUNT, FIELD(trace_keep), NULL, 0, 1000000, "N",
	 "parts to keep, the oldest go [0: all]"},
	{"trace_ops", OPTION_TEXT, FIELD(trace_ops), NULL, 0, 0, "OP[+OP...]",
	 "only these operations or classes [all]"},
	{"trace_path", OPTION_TEXT, FIELD(trace_path), NULL, 0, 0, "GLOB",
	 "only files whose path below the mount matches"},
	{"trace_uid", OPTION_TEXT, FIELD(trace_uid), NULL, 0, 0, "UID",
	 "only operations of this user"},
	{"trace_min", OPTION_TIME, FIELD(trace_min_ns), NULL, 0, NS_PER_S * 86400, "TIME",
	 "only operations that took that long"},
	{"trace_names", OPTION_CHOICE, FIELD(trace_names), trace_names_names, 0, 0, "HOW",
	 "file names in the trace: plain or hash [plain]"},
	{"trace_data", OPTION_CHOICE, FIELD(trace_data), trace_data_names, 0, 0, "WHAT",
	 "of data in the trace: none or hash [none]"},
	{"trace_inside", OPTION_SWITCH, FIELD(trace_inside), inside_names, 0, 0, "WORD",
	 "a trace below the mount: refuse or allow [refuse]"},
	{"log", OPTION_CHOICE, FIELD(log), log_names, 0, 0, "LEVEL",
	 "error, warning, info or debug [info]"},
	{"noxattr", OPTION_FLAG, FIELD(no_xattr), NULL, 0, 0, NULL,
	 "no extended attributes, so no questions for them"},
	{"io_uring", OPTION_FLAG, FIELD(io_uring), NULL, 0, 0, NULL,
	 "talk to the kernel through io_uring where both can"},
	{"allow_other", OPTION_FLAG, FIELD(allow_other), NULL, 0, 0, NULL,
	 "other users may use the mount (root's default)"},
	{"no_allow_other", OPTION_FLAG, FIELD(no_allow_other), NULL, 0, 0, NULL,
	 "only the mounting user may"},
	{"ro", OPTION_FLAG, FIELD(read_only), NULL, 0, 0, NULL, "read-only"},
	{"suid", OPTION_FUSE, FIELD(suid_given), NULL, 0, 0, NULL, NULL},
	{"nosuid", OPTION_FUSE, FIELD(suid_given), NULL, 0, 0, NULL, NULL},
	{"dev", OPTION_FUSE, FIELD(dev_given), NULL, 0, 0, NULL, NULL},
	{"nodev", OPTION_FUSE, FIELD(dev_given), NULL, 0, 0, NULL, NULL},
	{"exec", OPTION_FUSE, FIELD(exec_given), NULL, 0, 0, NULL, NULL},
	{"noexec", OPTION_FUSE, FIELD(exec_given), NULL, 0, 0, NULL, NULL},
	{"sync", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"async", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"dirsync", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"atime", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"noatime", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"auto_unmount", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"allow_root", OPTION_FUSE, FIELD(no_allow_other), NULL, 0, 0, NULL, NULL},
	{"io_uring_q_depth", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, "N", NULL},
	{"context", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, "LABEL", NULL},
	{"fscontext", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, "LABEL", NULL},
	{"defcontext", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, "LABEL", NULL},
	{"rootcontext", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, "LABEL", NULL},
	{"rw", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"default_permissions", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"defaults", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"nonempty", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"_netdev", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"nofail", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"auto", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"noauto", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"user", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"users", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"nouser", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"owner", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"group", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"diratime", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"nodiratime", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"lazytime", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"strictatime", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"relatime", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"remount", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
};

const size_t option_count = sizeof(option_table) / sizeof(option_table[0]);
