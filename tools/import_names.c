// SPDX-License-Identifier: GPL-2.0-or-later
/* Names by (directory, name) in a hash table; files by reference count. */
#include "config.h"

#include "tools/import_names.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/cleanup.h"
#include "trace/event.h"

#define FIRST_BUCKETS 256

struct import_name {
	struct import_name *next;     /* in the bucket */
	struct import_name *next_own; /* of the same file */
	struct import_file *parent;   /* a reference */
	struct import_file *file;
	bool linked; /* in the table: holds a reference on the file */
	size_t len;
	char text[];
};

static uint64_t hash(uint64_t parent, struct slice name)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325) ^ parent * UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = 0; i < name.len; i++)
		value = (value ^ (unsigned char)name.at[i]) * UINT64_C(0x100000001b3);
	return value ^ value >> 32;
}

static struct slice text_of(const struct import_name *name)
{
	return (struct slice){name->text, name->len};
}

static struct import_name **bucket_of(const struct import_names *names, uint64_t parent,
				      struct slice name)
{
	return &names->buckets[hash(parent, name) & (names->bucket_count - 1)];
}

static struct import_file *new_file(struct import_names *names)
{
	struct import_file *file = calloc(1, sizeof(*file));

	if (!file) {
		errno = ENOMEM;
		return NULL;
	}
	file->id = ++names->last_id;
	file->mode = S_IFREG;
	file->refs = 1;
	return file;
}

int names_init(struct import_names *names)
{
	*names = (struct import_names){.bucket_count = FIRST_BUCKETS, .era = 1};
	names->buckets = calloc(FIRST_BUCKETS, sizeof(names->buckets[0]));
	names->root = names->buckets ? new_file(names) : NULL;
	if (!names->root) {
		free(names->buckets);
		names->buckets = NULL;
		return -ENOMEM;
	}
	names->root->mode = S_IFDIR;
	names->root->exists = true;
	return 0;
}

void names_get(struct import_file *file)
{
	file->refs++;
}

void names_put(struct import_file *file)
{
	while (file && --file->refs == 0) {
		/* No name is linked any more: each would be a reference. One is left at most. */
		struct import_name *last = file->names;
		struct import_file *parent = last ? last->parent : NULL;

		if (parent)
			parent->children--;
		free(last);
		free(file);
		file = parent;
	}
}

void names_done(struct import_names *names)
{
	for (size_t i = 0; names->buckets && i < names->bucket_count; i++) {
		while (names->buckets[i]) {
			struct import_name *name = names->buckets[i];

			names_remove(names, name->parent, text_of(name));
		}
	}
	names_put(names->root);
	free(names->buckets);
	*names = (struct import_names){0};
}

static int grow(struct import_names *names)
{
	size_t count = names->bucket_count * 2;
	struct import_name **buckets = calloc(count, sizeof(buckets[0]));

	if (!buckets)
		return -ENOMEM;
	for (size_t i = 0; i < names->bucket_count; i++) {
		while (names->buckets[i]) {
			struct import_name *name = names->buckets[i];
			size_t to = hash(name->parent->id, text_of(name)) & (count - 1);

			names->buckets[i] = name->next;
			name->next = buckets[to];
			buckets[to] = name;
		}
	}
	free(names->buckets);
	names->buckets = buckets;
	names->bucket_count = count;
	return 0;
}

static struct import_name **find(const struct import_names *names, uint64_t parent,
				 struct slice name)
{
	struct import_name **at = bucket_of(names, parent, name);

	while (*at && ((*at)->parent->id != parent || (*at)->len != name.len ||
		       memcmp((*at)->text, name.at, name.len) != 0))
		at = &(*at)->next;
	return at;
}

struct import_file *names_find(const struct import_names *names, const struct import_file *parent,
			       struct slice name)
{
	const struct import_name *found = *find(names, parent->id, name);

	return found ? found->file : NULL;
}

/* Frees the name that is in no table any more, out of the list of its file. */
static void forget_name(struct import_name *name)
{
	struct import_name **at = &name->file->names;

	while (*at != name)
		at = &(*at)->next_own;
	*at = name->next_own;
	name->parent->children--;
	names_put(name->parent);
	free(name);
}

/* Puts a name into the table and behind the file's others; the reference is the caller's. */
static int add_name(struct import_names *names, struct import_file *file,
		    struct import_file *parent, struct slice text)
{
	struct import_name *name = malloc(sizeof(*name) + text.len);
	struct import_name **bucket, **last;

	if (!name || (names->count >= names->bucket_count && grow(names))) {
		free(name);
		return -ENOMEM;
	}
	/* A name that was only kept to call a nameless file something. */
	if (file->names && !file->names->linked)
		forget_name(file->names);
	bucket = bucket_of(names, parent->id, text);
	*name = (struct import_name){.next = *bucket,

				     .parent = parent,
				     .file = file};
	name->linked = true;
	name->len = text.len;
	memcpy(name->text, text.at, text.len);
	*bucket = name;
	for (last = &file->names; *last; last = &(*last)->next_own)
		continue;
	*last = name;
	file->flags &= ~(uint32_t)TRACE_FILE_F_DELETED;
	file->defined = 0;
	names_get(parent);
	parent->children++;
	names->count++;
	return 0;
}

static void remove_found(struct import_names *names, struct import_name **at)
{
	struct import_name *name = *at;
	struct import_file *file;

	assert(name);
	file = name->file;
	*at = name->next;
	names->count--;
	name->linked = false;
	if (name->next_own || file->names != name) {
		forget_name(name);
	} else {
		file->flags |= TRACE_FILE_F_DELETED;
		file->exists = false;
	}
	file->defined = 0;
	names_put(file);
}

/*
 * A directory has one name: with two, moving what is above one of them below the other would make
 * a ring. Nothing but a contradictory input gives it two.
 */
static void become_directory(struct import_names *names, struct import_file *file)
{
	while (file->names && file->names->next_own)
		remove_found(names, find(names, file->names->next_own->parent->id,
					 text_of(file->names->next_own)));
	if (file->mode != S_IFDIR) {
		file->mode = S_IFDIR;
		file->defined = 0;
	}
}

/* A copy that can be one component. */
static char *safe_name(struct slice *name)
{
	char *safe = malloc(name->len + 1);

	if (!safe)
		return NULL;
	memcpy(safe, name->at, name->len);
	for (size_t i = 0; i < name->len; i++) {
		if (safe[i] == '/' || !safe[i])
			safe[i] = '_';
	}
	if (!name->len || slice_is(*name, ".") || slice_is(*name, ".."))
		safe[0] = '_';
	*name = (struct slice){safe, name->len ? name->len : 1};
	return safe;
}

struct import_file *names_child(struct import_names *names, struct import_file *parent,
				struct slice name)
{
	scoped_free char *safe = NULL;
	struct import_file *file;

	if (name.len > TRACE_TEXT_MAX) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	file = names_find(names, parent, name);
	if (file)
		return file;
	errno = ENOMEM;
	safe = safe_name(&name);
	/* What was written over may have become a name that there is. */
	file = safe ? names_find(names, parent, name) : NULL;
	if (!safe || file)
		return file;
	become_directory(names, parent);
	file = new_file(names);
	if (file && add_name(names, file, parent, name)) {
		names_put(file);
		file = NULL;
	}
	return file;
}

struct import_file *names_parent(const struct import_file *file)
{
	return file->names ? file->names->parent : NULL;
}

struct slice names_last(const struct import_file *file)
{
	return file->names ? text_of(file->names) : (struct slice){"", 0};
}

struct import_file *names_walk(struct import_names *names, struct import_file *from,
			       struct slice path)
{
	struct import_file *at = from && !slice_begins(path, "/") ? from : names->root;

	while (path.len) {
		struct slice part = {path.at, slice_find(path, "/")};

		path = slice_from(path, part.len + 1);
		if (!part.len || slice_is(part, "."))
			continue;
		/* There is something below it. */
		become_directory(names, at);
		if (slice_is(part, "..")) {
			if (names_parent(at))
				at = names_parent(at);
			continue;
		}
		at = names_child(names, at, part);
		if (!at)
			return NULL;
	}
	return at;
}

struct import_file *names_anonymous(struct import_names *names)
{
	return new_file(names);
}

void names_remove(struct import_names *names, struct import_file *parent, struct slice name)
{
	struct import_name **at = find(names, parent->id, name);

	if (*at)
		remove_found(names, at);
}

/* Gives a file one more name, in the place of another's. */
static int link_name(struct import_names *names, struct import_file *file,
		     struct import_file *parent, struct slice name)
{
	struct import_name **old;
	char copy[TRACE_TEXT_MAX];
	int err;

	if (!name.len || name.len > sizeof(copy))
		return -EINVAL;
	/* The caller may have it from the name that goes. */
	memcpy(copy, name.at, name.len);
	name.at = copy;
	become_directory(names, parent);
	names_get(parent);
	names_get(file);
	old = find(names, parent->id, name);
	if (*old)
		remove_found(names, old);
	err = add_name(names, file, parent, name);
	if (err)
		names_put(file);
	names_put(parent);
	return err;
}

/* Deeper than a path can say is as good as a ring: nobody can go there by name. */
static bool is_below(const struct import_file *file, const struct import_file *directory)
{
	for (unsigned int depth = 0; file; file = names_parent(file), depth++) {
		if (file == directory || depth > TRACE_TEXT_MAX / 2)
			return true;
	}
	return false;
}

int names_link(struct import_names *names, struct import_file *file, struct import_file *parent,
	       struct slice name)
{
	if (names_find(names, parent, name) == file)
		return 0;
	if (file->mode == S_IFDIR || file->children || is_below(parent, file))
		return -EINVAL;
	return link_name(names, file, parent, name);
}

int names_rename(struct import_names *names, struct import_file *parent, struct slice name,
		 struct import_file *new_parent, struct slice new_name)
{
	struct import_name **old = find(names, parent->id, name);
	struct import_file *file = *old ? (*old)->file : NULL;
	int err;

	if (!file || names_find(names, new_parent, new_name) == file)
		return 0;
	if (is_below(new_parent, file))
		return -EINVAL;
	names_get(file);
	err = link_name(names, file, new_parent, new_name);
	if (!err)
		names_remove(names, parent, name);
	/* What lies below has another path now. */
	if (file->mode == S_IFDIR)
		names->era++;
	names_put(file);
	return err;
}

void names_exchange(struct import_names *names, struct import_file *parent, struct slice name,
		    struct import_file *new_parent, struct slice new_name)
{
	struct import_file *one = names_find(names, parent, name);
	struct import_file *other = names_find(names, new_parent, new_name);

	if (!one || !other || is_below(new_parent, one) || is_below(parent, other))
		return;
	names_get(one);
	names_get(other);
	if (!link_name(names, one, new_parent, new_name))
		link_name(names, other, parent, name);
	names->era++;
	names_put(one);
	names_put(other);
}

void names_path(const struct import_file *file, struct bytes *out)
{
	char path[TRACE_TEXT_MAX];
	size_t at = sizeof(path);

	if (!names_parent(file)) {
		bytes_put(out, file->id == 1 ? "/" : "?", 1);
		return;
	}
	for (; names_parent(file); file = names_parent(file)) {
		struct slice name = names_last(file);

		if (name.len + 1 > at) {
			bytes_put(out, "?", 1);
			return;
		}
		at -= name.len;
		memcpy(path + at, name.at, name.len);
		path[--at] = '/';
	}
	bytes_put(out, path + at, sizeof(path) - at);
}
