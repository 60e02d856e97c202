// SPDX-License-Identifier: GPL-2.0-or-later
/* Names: which inode a parent's entry is, as far as the mount has seen, and paths made of them. */
#include "config.h"

#include "weirfs/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Parents whose references are to be put after unlocking. */
struct dropped {
	struct inode *parent[8];
	unsigned int count;
};

struct name_key {
	const struct inode *parent;
	const char *name;
};

static void drop(struct dropped *dropped, struct inode *parent)
{
	if (parent)
		dropped->parent[dropped->count++] = parent;
}

static void put_dropped(struct tree *tree, const struct dropped *dropped)
{
	for (unsigned int i = 0; i < dropped->count; i++)
		inode_put(tree, dropped->parent[i]);
}

static unsigned long name_hash(const struct inode *parent, const char *name)
{
	uint64_t h = (uint64_t)(uintptr_t)parent * UINT64_C(0x9e3779b97f4a7c15);

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return (unsigned long)(h ^ (h >> 31));
}

static int match_name(struct cds_lfht_node *node, const void *key)
{
	const struct link *link = caa_container_of(node, struct link, node);
	const struct name_key *want = key;

	rcu_node_seen(node);
	return link->parent == want->parent && !strcmp(link->name, want->name);
}

/* The caller holds tree->lock, so that the link stays. */
static struct link *find_link(struct tree *tree, const struct inode *parent, const char *name)
{
	struct name_key key = {parent, name};
	struct cds_lfht_node *node;

	rcu_begin();
	node = rcu_find(tree->by_name, name_hash(parent, name), match_name, &key);
	rcu_end();
	return node ? caa_container_of(node, struct link, node) : NULL;
}

static void free_link(struct rcu_head *head)
{
	rcu_passed();
	free(caa_container_of(head, struct link, rcu));
}

static void hash_link(struct tree *tree, struct link *link)
{
	rcu_begin();
	rcu_add(tree->by_name, name_hash(link->parent, link->name), &link->node);
	rcu_end();
}

static void unhash_link(struct tree *tree, struct link *link)
{
	rcu_begin();
	cds_lfht_del(tree->by_name, &link->node);
	rcu_end();
}

static void detach(struct link *link)
{
	struct link **slot = &link->inode->links;

	while (*slot != link)
		slot = &(*slot)->next;
	*slot = link->next;
}

/*
 * Takes a link out of hash and list and gives back the parent whose reference the caller drops
 * after unlocking. A last name that is to be kept stays in the list, out of the hash.
 */
static struct inode *remove_link(struct tree *tree, struct link *link, bool keep_last)
{
	struct inode *parent = link->parent;

	if (!cds_lfht_is_node_deleted(&link->node))
		unhash_link(tree, link);
	if (keep_last && link->inode->links == link && !link->next)
		return NULL;
	detach(link);
	rcu_later(&link->rcu, free_link);
	return parent;
}

struct inode *tree_drop_name(struct tree *tree, struct inode *inode)
{
	struct inode *parent;

	pthread_mutex_lock(&tree->lock);
	parent = inode->links ? remove_link(tree, inode->links, false) : NULL;
	pthread_mutex_unlock(&tree->lock);
	return parent;
}

void tree_drop_names(struct tree *tree, struct inode *inode)
{
	struct inode *parent;

	while ((parent = tree_drop_name(tree, inode)))
		inode_put(tree, parent);
}

/*
 * A directory whose name says that it is below another one that is about to be above it has an old
 * name. It goes, so that names never make a circle of references.
 */
static void cut_circle(struct tree *tree, struct inode *parent, const struct inode *inode,
		       struct dropped *dropped)
{
	struct inode *at = parent;

	if (!inode_has(inode, INODE_F_PARENT))
		return;
	while (at->links && at->links->parent != inode)
		at = at->links->parent;
	if (at->links)
		drop(dropped, remove_link(tree, at->links, false));
}

/* What is known of an inode's names makes room for one that holds: a directory has only one. */
static void make_room(struct tree *tree, struct inode *inode, struct dropped *dropped)
{
	struct link *link = inode->links;

	if (link && (S_ISDIR(inode->type) || cds_lfht_is_node_deleted(&link->node)))
		drop(dropped, remove_link(tree, link, false));
}

static struct link *new_link(struct inode *parent, const char *name, struct inode *inode)
{
	size_t len = strlen(name) + 1;
	struct link *link = malloc(sizeof(*link) + len);

	if (!link)
		return NULL;
	cds_lfht_node_init(&link->node);
	link->parent = inode_get(parent);
	inode_set(parent, INODE_F_PARENT);
	link->inode = inode;
	memcpy(link->name, name, len);
	return link;
}

/* The caller holds tree->lock. */
static int add_link(struct tree *tree, struct inode *parent, const char *name, struct inode *inode,
		    struct dropped *dropped)
{
	struct link *link = find_link(tree, parent, name);

	if (link && link->inode == inode)
		return 0;
	if (link)
		drop(dropped, remove_link(tree, link, true));
	link = new_link(parent, name, inode);
	if (!link)
		return -ENOMEM;
	make_room(tree, inode, dropped);
	cut_circle(tree, parent, inode, dropped);
	link->next = inode->links;
	inode->links = link;
	hash_link(tree, link);
	return 0;
}

int tree_link_since(struct tree *tree, struct inode *parent, const char *name, struct inode *inode,
		    const uint64_t *era)
{
	struct dropped dropped = {.count = 0};
	int err;

	if (inode == tree->root || inode == parent)
		return 0;
	pthread_mutex_lock(&tree->lock);
	if (era && tree_era(tree) != *era)
		err = -EAGAIN;
	else
		err = add_link(tree, parent, name, inode, &dropped);
	pthread_mutex_unlock(&tree->lock);
	put_dropped(tree, &dropped);
	return err;
}

int tree_link(struct tree *tree, struct inode *parent, const char *name, struct inode *inode)
{
	return tree_link_since(tree, parent, name, inode, NULL);
}

struct inode *tree_find(struct tree *tree, struct inode *parent, const char *name)
{
	struct inode *inode = NULL;
	struct link *link;

	pthread_mutex_lock(&tree->lock);
	link = find_link(tree, parent, name);
	if (link)
		inode = inode_get_live(link->inode);
	pthread_mutex_unlock(&tree->lock);
	return inode;
}

void tree_unlink(struct tree *tree, struct inode *parent, const char *name, bool keep_last)
{
	struct inode *dropped = NULL;
	struct link *link;

	pthread_mutex_lock(&tree->lock);
	link = find_link(tree, parent, name);
	if (link)
		dropped = remove_link(tree, link, keep_last);
	pthread_mutex_unlock(&tree->lock);
	inode_put(tree, dropped);
}

/* Gives the inode of a name its new one; its place in the list of names stays. */
static void move_link(struct tree *tree, struct link *link, struct inode *parent, const char *name,
		      struct dropped *dropped)
{
	struct link *moved = new_link(parent, name, link->inode);
	struct link **slot = &link->inode->links;

	if (!moved) {
		drop(dropped, remove_link(tree, link, false));
		return;
	}
	while (*slot != link)
		slot = &(*slot)->next;
	moved->next = link->next;
	*slot = moved;
	unhash_link(tree, link);
	hash_link(tree, moved);
	drop(dropped, link->parent);
	rcu_later(&link->rcu, free_link);
	cut_circle(tree, parent, moved->inode, dropped);
}

uint64_t tree_era(const struct tree *tree)
{
	return __atomic_load_n(&tree->names_era, __ATOMIC_ACQUIRE);
}

void tree_renaming(struct tree *tree)
{
	__atomic_fetch_add(&tree->names_era, 1, __ATOMIC_ACQ_REL);
}

/*
 * A look-up that came between rename(2) and this has seen the new name already: then only the old
 * one is left to be dropped. (The kernel doesn't rename one name of a file to another of it.)
 */
static bool moved_already(struct tree *tree, struct link *from, const struct link *to,
			  const struct inode *moved, struct dropped *dropped)
{
	if (!to || (to->inode != moved && !(from && from->inode == to->inode)))
		return false;
	if (from && from != to && from->inode == to->inode &&
	    __atomic_load_n(&to->inode->nlink, __ATOMIC_RELAXED) <= 1)
		drop(dropped, remove_link(tree, from, false));
	return true;
}

void tree_rename(struct tree *tree, const struct inode *moved, struct inode *parent,
		 const char *name, struct inode *new_parent, const char *new_name, bool exchange)
{
	struct dropped dropped = {.count = 0};
	struct link *from, *to;

	pthread_mutex_lock(&tree->lock);
	from = find_link(tree, parent, name);
	to = find_link(tree, new_parent, new_name);
	if (!moved_already(tree, from, to, moved, &dropped)) {
		if (to && !exchange)
			drop(&dropped, remove_link(tree, to, true));
		if (from)
			move_link(tree, from, new_parent, new_name, &dropped);
		if (to && exchange)
			move_link(tree, to, parent, name, &dropped);
	}
	__atomic_fetch_add(&tree->names_era, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&tree->lock);
	put_dropped(tree, &dropped);
}

int tree_name(struct tree *tree, struct inode *inode, struct inode **ret_parent,
	      char ret_name[NAME_MAX + 1])
{
	const struct link *link;
	int err = -ENOENT;

	pthread_mutex_lock(&tree->lock);
	link = inode->links;
	if (link && !cds_lfht_is_node_deleted(&link->node) && strlen(link->name) <= NAME_MAX) {
		memcpy(ret_name, link->name, strlen(link->name) + 1);
		*ret_parent = inode_get(link->parent);
		err = 0;
	}
	pthread_mutex_unlock(&tree->lock);
	return err;
}

uint32_t tree_names(struct tree *tree, const struct inode *inode)
{
	uint32_t names = 0;

	pthread_mutex_lock(&tree->lock);
	for (const struct link *link = inode->links; link; link = link->next)
		names += !cds_lfht_is_node_deleted(&link->node);
	pthread_mutex_unlock(&tree->lock);
	return names;
}

/* The caller holds tree->lock. Length of the path; 0: there is none. */
static size_t path_length(const struct inode *inode)
{
	unsigned int depth = 0;
	size_t len = 0;

	for (const struct link *link = inode->links; link; link = link->parent->links) {
		len += strlen(link->name) + 1;
		if (++depth == TREE_DEPTH_MAX)
			return 0;
	}
	return len;
}

/* From the end to the beginning; the caller holds tree->lock. */
static void write_path(const struct inode *inode, char *path, size_t len)
{
	for (const struct link *link = inode->links; link; link = link->parent->links) {
		size_t part = strlen(link->name);

		len -= part;
		memcpy(path + len, link->name, part);
		path[--len] = '/';
	}
}

char *tree_path(struct tree *tree, const struct inode *inode)
{
	char *path;
	size_t len;

	pthread_mutex_lock(&tree->lock);
	len = inode == tree->root ? 0 : path_length(inode);
	if (!len) {
		pthread_mutex_unlock(&tree->lock);
		return strdup(inode == tree->root ? "/" : "?");
	}
	path = malloc(len + 1);
	if (path) {
		write_path(inode, path, len);
		path[len] = '\0';
	}
	pthread_mutex_unlock(&tree->lock);
	return path;
}

size_t tree_path_into(struct tree *tree, const struct inode *inode, char *buffer, size_t room)
{
	size_t len;

	pthread_mutex_lock(&tree->lock);
	len = inode == tree->root ? 0 : path_length(inode);
	if (len && len <= room)
		write_path(inode, buffer, len);
	pthread_mutex_unlock(&tree->lock);
	if (!len && room) {
		buffer[0] = inode == tree->root ? '/' : '?';
		len = 1;
	}
	return len <= room ? len : 0;
}
