// SPDX-License-Identifier: GPL-2.0-or-later
/* Inodes: references, and one object for each identity. */
#include "config.h"

#include "weirfs/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "core/clock.h"
#include "weirfs/handle.h"

#define VISIBLE_INO_SHIFT 48

const char rcu_order = 0;

struct identity {
	uint64_t dev;
	uint64_t ino;
	uint64_t birth_ns;
	uint32_t type;
};

uint64_t statx_dev(const struct statx *stx)
{
	return makedev(stx->stx_dev_major, stx->stx_dev_minor);
}

uint64_t statx_birth_ns(const struct statx *stx)
{
	if (!(stx->stx_mask & STATX_BTIME))
		return 0;
	return (uint64_t)stx->stx_btime.tv_sec * NS_PER_S + stx->stx_btime.tv_nsec;
}

static struct identity identity_of(const struct statx *stx)
{
	return (struct identity){
		.dev = statx_dev(stx),
		.ino = stx->stx_ino,
		.birth_ns = statx_birth_ns(stx),
		.type = stx->stx_mode & S_IFMT,
	};
}

static bool same(const struct inode *inode, const struct identity *id)
{
	return inode->ino == id->ino && inode->dev == id->dev && inode->birth_ns == id->birth_ns &&
	       inode->type == id->type && !inode_has(inode, INODE_F_GONE);
}

bool inode_is(const struct inode *inode, const struct statx *stx)
{
	return inode->ino == stx->stx_ino && inode->dev == statx_dev(stx) &&
	       inode->birth_ns == statx_birth_ns(stx) && inode->type == (stx->stx_mode & S_IFMT);
}

static unsigned long identity_hash(uint64_t dev, uint64_t ino)
{
	uint64_t h = (ino ^ (dev << 40)) * UINT64_C(0x9e3779b97f4a7c15);

	return (unsigned long)(h ^ (h >> 29));
}

static int match_identity(struct cds_lfht_node *node, const void *key)
{
	rcu_node_seen(node);
	return same(caa_container_of(node, struct inode, node), key);
}

struct inode *inode_get(struct inode *inode)
{
	__atomic_fetch_add(&inode->refs, 1, __ATOMIC_RELAXED);
	return inode;
}

struct inode *inode_get_live(struct inode *inode)
{
	uint64_t refs = __atomic_load_n(&inode->refs, __ATOMIC_RELAXED);

	while (refs) {
		if (__atomic_compare_exchange_n(&inode->refs, &refs, refs + 1, true,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return inode;
	}
	return NULL;
}

static void free_inode(struct rcu_head *head)
{
	struct inode *inode = caa_container_of(head, struct inode, rcu);

	rcu_passed();
	handle_free(inode->handle);
	free(inode);
}

/* Ends an inode. Returns a parent of it whose reference is now the caller's to put, or NULL. */
static struct inode *end_inode(struct tree *tree, struct inode *inode)
{
	struct inode *last = NULL, *parent;

	rcu_begin();
	cds_lfht_del(tree->by_identity, &inode->node);
	rcu_end();
	while ((parent = tree_drop_name(tree, inode))) {
		inode_put(tree, last);
		last = parent;
	}
	if (tree->on_free)
		tree->on_free(inode, tree->arg);
	__atomic_fetch_sub(&tree->inodes, 1, __ATOMIC_RELAXED);
	rcu_later(&inode->rcu, free_inode);
	return last;
}

/* The last of a chain of directories takes all of them along: a loop, however long it is. */
void inode_put(struct tree *tree, struct inode *inode)
{
	while (inode && !__atomic_sub_fetch(&inode->refs, 1, __ATOMIC_ACQ_REL))
		inode = end_inode(tree, inode);
}

void inode_looked_up(struct inode *inode)
{
	__atomic_fetch_add(&inode->lookups, 1, __ATOMIC_RELAXED);
	inode_get(inode);
}

void inode_forget(struct tree *tree, struct inode *inode, uint64_t n)
{
	uint64_t left = __atomic_sub_fetch(&inode->lookups, n, __ATOMIC_RELAXED);

	if (!left && tree->on_forgotten)
		tree->on_forgotten(inode, tree->arg);
	/* All but one in one step, the last by the door that frees. */
	if (n > 1)
		__atomic_fetch_sub(&inode->refs, n - 1, __ATOMIC_RELEASE);
	if (n)
		inode_put(tree, inode);
}

static struct inode *new_inode(struct tree *tree, const struct identity *id)
{
	struct inode *inode = calloc(1, sizeof(*inode));

	if (!inode)
		return NULL;
	cds_lfht_node_init(&inode->node);
	inode->dev = id->dev;
	inode->ino = id->ino;
	inode->birth_ns = id->birth_ns;
	inode->type = id->type;
	inode->id = __atomic_add_fetch(&tree->last_id, 1, __ATOMIC_RELAXED);
	inode->refs = 1;
	inode->fd = -1;
	return inode;
}

struct inode *tree_inode(struct tree *tree, const struct statx *stx)
{
	struct identity id = identity_of(stx);
	unsigned long hash = identity_hash(id.dev, id.ino);
	struct inode *fresh = NULL, *inode = NULL;

	rcu_begin();
	while (!inode) {
		struct cds_lfht_node *node = rcu_find(tree->by_identity, hash, match_identity, &id);

		if (!node) {
			if (!fresh)
				fresh = new_inode(tree, &id);
			if (!fresh)
				break;
			node = rcu_add_unique(tree->by_identity, hash, match_identity, &id,
					      &fresh->node);
			if (node == &fresh->node) {
				__atomic_fetch_add(&tree->inodes, 1, __ATOMIC_RELAXED);
				inode = fresh;
				fresh = NULL;
				break;
			}
		}
		inode = caa_container_of(node, struct inode, node);
		if (!inode_get_live(inode)) {
			/* On its way out: what comes now is another. */
			inode_set(inode, INODE_F_GONE);
			inode = NULL;
		}
	}
	rcu_end();
	free(fresh);
	if (inode)
		__atomic_store_n(&inode->nlink, stx->stx_nlink, __ATOMIC_RELAXED);
	return inode;
}

struct inode *tree_look_up(struct tree *tree, const struct statx *stx)
{
	struct inode *inode = tree_inode(tree, stx);

	if (inode)
		inode_looked_up(inode);
	return inode;
}

void tree_not_told(struct tree *tree, struct inode *inode)
{
	inode_forget(tree, inode, 1);
	inode_put(tree, inode);
}

/* Index of a backing device, the root's is 0; the list only grows. */
static uint32_t device_index(struct tree *tree, uint64_t dev)
{
	uint32_t count = __atomic_load_n(&tree->dev_count, __ATOMIC_ACQUIRE);
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (tree->devs[i] == dev)
			return i;
	}
	pthread_mutex_lock(&tree->lock);
	for (i = 0; i < tree->dev_count && tree->devs[i] != dev; i++)
		;
	if (i == tree->dev_count && i < sizeof(tree->devs) / sizeof(tree->devs[0])) {
		tree->devs[i] = dev;
		__atomic_store_n(&tree->dev_count, i + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&tree->lock);
	return i;
}

uint64_t tree_visible_ino(struct tree *tree, uint64_t dev, uint64_t ino)
{
	if (dev == tree->devs[0])
		return ino;
	return ino ^ ((uint64_t)device_index(tree, dev) << VISIBLE_INO_SHIFT);
}

/*
 * Tables grow and shrink by the number of their nodes. Without the accounting liburcu only goes by
 * the length of chains, which a resize that lags behind makes long: a table of a million nodes
 * then gets 64 million buckets, a gigabyte, and takes a minute to be torn down.
 */
static struct cds_lfht *new_table(void)
{
	return cds_lfht_new(4096, 4096, 0, CDS_LFHT_AUTO_RESIZE | CDS_LFHT_ACCOUNTING, NULL);
}

int tree_init(struct tree *tree, const struct statx *root_stx)
{
	memset(tree, 0, sizeof(*tree));
	pthread_mutex_init(&tree->lock, NULL);
	tree->by_identity = new_table();
	tree->by_name = new_table();
	if (!tree->by_identity || !tree->by_name)
		return -ENOMEM;
	tree->devs[0] = statx_dev(root_stx);
	tree->dev_count = 1;
	tree->root = tree_inode(tree, root_stx);
	return tree->root ? 0 : -ENOMEM;
}

/* Breaks the cycle of references that names make: every inode loses its names first. */
uint64_t tree_done(struct tree *tree)
{
	uint64_t alive = __atomic_load_n(&tree->inodes, __ATOMIC_RELAXED);
	struct cds_lfht_iter iter;
	struct inode *inode;

	if (!tree->by_identity || !tree->by_name)
		return 0;
	rcu_begin();
	cds_lfht_for_each_entry(tree->by_identity, &iter, inode, node) {
		/* The extra reference keeps its children from freeing it once more. */
		if (!inode_get_live(inode))
			continue;
		cds_lfht_del(tree->by_identity, &inode->node);
		tree_drop_names(tree, inode);
		if (tree->on_free)
			tree->on_free(inode, tree->arg);
		rcu_later(&inode->rcu, free_inode);
	}
	rcu_end();
	rcu_barrier();
	cds_lfht_destroy(tree->by_identity, NULL);
	cds_lfht_destroy(tree->by_name, NULL);
	pthread_mutex_destroy(&tree->lock);
	return alive;
}
