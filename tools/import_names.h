/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of an imported trace and their names: a tree that follows renames, links and removals.
 *
 * A file has one id however its name changes; a name that is used again after its removal gives
 * another file. Symbolic links aren't followed (nobody says where they lead), ".." is taken
 * lexically. Memory grows with the files that have a name or a user, not with operations.
 */
#ifndef TOOLS_IMPORT_NAMES_H
#define TOOLS_IMPORT_NAMES_H

#include "core/bytes.h"
#include "tools/import_text.h"

struct import_name;

struct import_file {
	uint64_t id;
	uint64_t refs;             /* names in the tree, children, users */
	uint64_t children;         /* names in it, also those that are kept after their removal */
	struct import_name *names; /* the first is the one that paths are made of */
	uint64_t size;             /* block: greatest end that was accessed */
	uint64_t ino;              /* 0 = unknown */
	uint64_t device;           /* block: major << 20 | minor, 0 = unknown */
	uint64_t handle;           /* that stands for it when no open was seen, 0 = none yet */
	uint64_t defined;          /* era of its last definition in the trace, 0 = none */
	uint32_t mode;             /* type; S_IFREG until something else is known */
	uint32_t flags;            /* enum trace_file_flags */
	bool exists;               /* an operation on it succeeded */
};

struct import_names {
	struct import_name **buckets;
	size_t bucket_count; /* a power of two */
	size_t count;
	uint64_t last_id;
	uint64_t era; /* raised when definitions grow old: a directory was renamed, .. */
	struct import_file *root;
};

/* Returns 0 or -ENOMEM. */
int names_init(struct import_names *names);
void names_done(struct import_names *names);

void names_get(struct import_file *file);
/* Drops a reference, and frees the file with the last; NULL is nothing. */
void names_put(struct import_file *file);

/*
 * The file at a path, made where it is not known: from a directory, or the root for a path that
 * begins with "/" (from NULL: the root too). Components in front become directories. The file is
 * borrowed: it lives while it has a name. NULL when memory is short, or a component is longer than
 * a name can be (errno says which: ENOMEM, ENAMETOOLONG).
 */
struct import_file *names_walk(struct import_names *names, struct import_file *from,
			       struct slice path);
/* One component, taken as it is ('/', NUL, "." and ".." are written over with '_'). */
struct import_file *names_child(struct import_names *names, struct import_file *parent,
				struct slice name);
/* The child if it is known, or NULL. */
struct import_file *names_find(const struct import_names *names, const struct import_file *parent,
			       struct slice name);
/* A file without a name (an open file that was not seen opened), with one reference. */
struct import_file *names_anonymous(struct import_names *names);

/* The first name: its directory (NULL for the root and the nameless) and its bytes. */
struct import_file *names_parent(const struct import_file *file);
struct slice names_last(const struct import_file *file);

/* Takes a name away; the file stays while it has other names or users. */
void names_remove(struct import_names *names, struct import_file *parent, struct slice name);
/* Gives a file one more name, in the place of another's. Returns 0 or -ENOMEM. */
int names_link(struct import_names *names, struct import_file *file, struct import_file *parent,
	       struct slice name);
/*
 * Moves a name; who had the new one loses it. Returns 0, -ENOMEM, or -EINVAL when a directory
 * would go below itself.
 */
int names_rename(struct import_names *names, struct import_file *parent, struct slice name,
		 struct import_file *new_parent, struct slice new_name);
/* Exchanges what two names stand for. */
void names_exchange(struct import_names *names, struct import_file *parent, struct slice name,
		    struct import_file *new_parent, struct slice new_name);

/* Puts the path, "/" first, or "?" when there is none or it is too long for a trace. */
void names_path(const struct import_file *file, struct bytes *out);

#endif
