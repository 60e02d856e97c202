/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that the kernel or the statistics know: one struct inode a backing inode, however
 * many names it has, found by identity (device, inode number, birth time) and by name.
 *
 * A node id is the address of a struct inode; it lives while `refs` > 0. Each lookup that the
 * kernel was told of is a reference (also counted in `lookups`), and so is each child's name, open
 * file, statistics row and running request. Identity is a lock-free liburcu hash; names, lists of
 * open files and what they point to are under tree->lock, which is never held across a system call
 * to the backing file system.
 */
#ifndef WEIRFS_TREE_H
#define WEIRFS_TREE_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "weirfs/rcu.h"

struct file;
struct file_stats;
struct lock_owner;
struct handle;

enum inode_flags {
	INODE_F_GONE = 1 << 0,     /* its last name went: a file with its number is another one */
	INODE_F_LOCKED = 1 << 1,   /* has seen a POSIX lock (locks.c) */
	INODE_F_IN_CLOCK = 1 << 2, /* its descriptor is on the cache's clock */
	INODE_F_PARENT = 1 << 3    /* names have been seen in it (names.c) */
};

struct inode {
	struct cds_lfht_node node; /* in tree->by_identity */
	struct rcu_head rcu;
	uint64_t dev; /* makedev() of the backing file system */
	uint64_t ino;
	uint64_t birth_ns; /* 0 where the file system has none */
	uint64_t id;       /* unique in this mount: file identity and node generation */
	uint64_t refs;
	uint64_t lookups;
	struct link *links;             /* names; the first is the one that paths are made of */
	struct file *files;             /* open files */
	struct lock_owner *lock_owners; /* processes with POSIX locks on it (locks.c) */
	struct file_stats *stats;       /* its row in the file table (files.h), or NULL */
	struct handle *handle;          /* to reopen it by, or NULL: set once (fdcache.c) */
	int fd;                         /* cached O_PATH descriptor or -1 (fdcache.c) */
	uint32_t pins;
	uint32_t clock_slot;
	uint32_t type;          /* S_IFMT bits */
	uint32_t nlink;         /* as last seen */
	uint32_t flags;         /* enum inode_flags, atomic */
	uint32_t releasing;     /* RELEASE requests under way */
	int backing_id;         /* of kernel passthrough while backing_users > 0 */
	uint32_t backing_users; /* (kernel_data.c) */
	uint32_t rule_bits;     /* delay rules whose glob matches its path ... */
	uint64_t rule_era;      /* ... as of this era of rules and names (shaper.c) */
	uint64_t trace_stamp;   /* when the trace was last told what it is (recorder.c) ... */
	uint64_t trace_told_ns; /* ... and at which time; atomic */
	uint64_t trace_match;   /* whether the trace's path filter takes it, and as of when */
	uint64_t seen_mtime_ns; /* what the kernel's cached pages are known to agree with */
	uint64_t seen_size;
};

/* A name: an entry in the hash by (parent, name) and in the inode's list. */
struct link {
	struct cds_lfht_node node;
	struct rcu_head rcu;
	struct link *next; /* further names of the same inode */
	struct inode *parent;
	struct inode *inode;
	char name[];
};

struct tree {
	struct cds_lfht *by_identity;
	struct cds_lfht *by_name;
	pthread_mutex_t lock;
	struct inode *root;
	uint64_t last_id;
	uint64_t last_handle; /* of open files and directory streams */
	uint64_t inodes;      /* alive */
	uint64_t names_era;   /* grows when a name moves: paths may have changed */
	uint64_t devs[64];    /* backing devices seen, the root's first */
	uint32_t dev_count;
	void (*on_forgotten)(struct inode *inode, void *arg); /* lookups fell to 0 */
	void (*on_free)(struct inode *inode, void *arg);
	void *arg;
};

/* Returns 0 or -ENOMEM. root_stx describes the source directory. */
int tree_init(struct tree *tree, const struct statx *root_stx);
/* Frees everything, whatever the kernel still held. Returns how many inodes had been alive. */
uint64_t tree_done(struct tree *tree);

/* --- references ---------------------------------------------------------------------------- */

struct inode *inode_get(struct inode *inode);
/* A reference unless the last one has just gone: then NULL. The memory must be held by RCU or lock.
 */
struct inode *inode_get_live(struct inode *inode);
void inode_put(struct tree *tree, struct inode *inode);
/* Counts a lookup that the kernel is told of (a reference too), or takes n of them back. */
void inode_looked_up(struct inode *inode);
void inode_forget(struct tree *tree, struct inode *inode, uint64_t n);

static inline bool inode_has(const struct inode *inode, enum inode_flags flag)
{
	return __atomic_load_n(&inode->flags, __ATOMIC_RELAXED) & flag;
}

static inline void inode_set(struct inode *inode, enum inode_flags flag)
{
	__atomic_fetch_or(&inode->flags, flag, __ATOMIC_RELAXED);
}

/* A number for an open file or directory stream, never used again. */
static inline uint64_t tree_new_handle(struct tree *tree)
{
	return __atomic_add_fetch(&tree->last_handle, 1, __ATOMIC_RELAXED);
}

/* --- identity ------------------------------------------------------------------------------ */

#define TREE_STATX_MASK (STATX_BASIC_STATS | STATX_BTIME)

uint64_t statx_dev(const struct statx *stx);
uint64_t statx_birth_ns(const struct statx *stx);
bool inode_is(const struct inode *inode, const struct statx *stx);

/* Finds or makes the inode that stx describes, with a new reference. NULL when memory is short. */
struct inode *tree_inode(struct tree *tree, const struct statx *stx);
/*
 * The inode number that callers see: the backing one, with files of file systems mounted below
 * the source kept apart from the source's own by the upper bits.
 */
uint64_t tree_visible_ino(struct tree *tree, uint64_t dev, uint64_t ino);

/*
 * The same for an inode that the kernel is going to be told of: the look-up is counted at once, so
 * that a forget that comes meanwhile doesn't take away what keeps it reachable.
 */
struct inode *tree_look_up(struct tree *tree, const struct statx *stx);
/* It was not told after all: takes look-up and reference back. */
void tree_not_told(struct tree *tree, struct inode *inode);

/* --- names --------------------------------------------------------------------------------- */

/*
 * Notes that (parent, name) is the inode; what was known of that name, and of a directory's former
 * one, is dropped, so that names never go in circles. 0 or -ENOMEM.
 */
int tree_link(struct tree *tree, struct inode *parent, const char *name, struct inode *inode);
/* The same; -EAGAIN when there were renames since *era, unless that is NULL. */
int tree_link_since(struct tree *tree, struct inode *parent, const char *name, struct inode *inode,
		    const uint64_t *era);
/* The inode known by that name with a new reference, or NULL. */
struct inode *tree_find(struct tree *tree, struct inode *parent, const char *name);
/* Drops one name; the last one is kept as the inode's last known path. */
void tree_unlink(struct tree *tree, struct inode *parent, const char *name, bool keep_last);
/* Changes with every rename, before and after it: names looked at between may be old. */
uint64_t tree_era(const struct tree *tree);
/* A rename is about to begin. */
void tree_renaming(struct tree *tree);
/* Moves a name, as rename(2) did; exchange swaps two. moved had the name before, or is NULL. */
void tree_rename(struct tree *tree, const struct inode *moved, struct inode *parent,
		 const char *name, struct inode *new_parent, const char *new_name, bool exchange);

/*
 * A name of the inode that still holds, with a reference on the parent.
 * Returns 0, or -ENOENT when none is known.
 */
int tree_name(struct tree *tree, struct inode *inode, struct inode **ret_parent,
	      char ret_name[NAME_MAX + 1]);

#define TREE_DEPTH_MAX 4096

/*
 * The path below the mount, "/" first, on the heap; of one that is gone its last, "?" of one that
 * never had a name (O_TMPFILE). NULL when memory is short.
 */
char *tree_path(struct tree *tree, const struct inode *inode);
/*
 * The same path without its end into a buffer. Returns how long it is, or 0 when there is no room.
 */
size_t tree_path_into(struct tree *tree, const struct inode *inode, char *buffer, size_t room);
/*
 * Drops one name. Returns the parent that it was in, whose reference is now the caller's, or NULL
 * when there was none.
 */
struct inode *tree_drop_name(struct tree *tree, struct inode *inode);
/* Drops all names: for the end of an inode. */
void tree_drop_names(struct tree *tree, struct inode *inode);
/* How many names are known. */
uint32_t tree_names(struct tree *tree, const struct inode *inode);

#endif
