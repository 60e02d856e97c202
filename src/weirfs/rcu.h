/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * liburcu, and what ThreadSanitizer has to be told of it.
 *
 * liburcu is not built with the sanitizer, which therefore doesn't see that a grace period orders
 * readers before the callback, or that a hash table hands nodes over between threads. The marks
 * say so; in other builds they are nothing.
 */
#ifndef WEIRFS_RCU_H
#define WEIRFS_RCU_H

#include <urcu-bp.h>
#include <urcu/rculfhash.h>

#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define rcu_mark_seen(address) __tsan_acquire((void *)(uintptr_t)(address))
#define rcu_mark_done(address) __tsan_release((void *)(uintptr_t)(address))
#else
#define rcu_mark_seen(address) ((void)(address))
#define rcu_mark_done(address) ((void)(address))
#endif

/* What all read sections and grace periods are ordered by: its address is all that counts. */
extern const char rcu_order; /* inode.c */
#define RCU_ORDER (&rcu_order)

static inline void rcu_begin(void)
{
	rcu_read_lock();
}

static inline void rcu_end(void)
{
	rcu_mark_done(RCU_ORDER);
	rcu_read_unlock();
}

/* Publishing and reading pointers: plain moves on x86, and the sanitizer understands them. */
#define rcu_load(slot) __atomic_load_n(slot, __ATOMIC_ACQUIRE)
#define rcu_store(slot, value) __atomic_store_n(slot, value, __ATOMIC_RELEASE)
#define rcu_swap(slot, value) __atomic_exchange_n(slot, value, __ATOMIC_ACQ_REL)

/* Calls back after a grace period; the callback begins with rcu_passed(). */
static inline void rcu_later(struct rcu_head *head, void (*callback)(struct rcu_head *head))
{
	rcu_mark_done(RCU_ORDER);
	call_rcu(head, callback);
}

static inline void rcu_passed(void)
{
	rcu_mark_seen(RCU_ORDER);
}

static inline void rcu_wait(void)
{
	synchronize_rcu();
	rcu_passed();
}

/* --- hash tables: in a read section ---------------------------------------------------------- */

/* What a match function begins with: whoever has added the node has filled it before. */
static inline void rcu_node_seen(struct cds_lfht_node *node)
{
	rcu_mark_seen(node);
}

static inline struct cds_lfht_node *rcu_find(struct cds_lfht *table, unsigned long hash,
					     cds_lfht_match_fct match, const void *key)
{
	struct cds_lfht_iter iter;

	rcu_mark_seen(table);
	cds_lfht_lookup(table, hash, match, key, &iter);
	rcu_mark_seen(table);
	return cds_lfht_iter_get_node(&iter);
}

static inline void rcu_add(struct cds_lfht *table, unsigned long hash, struct cds_lfht_node *node)
{
	rcu_mark_done(node);
	rcu_mark_done(table);
	cds_lfht_add(table, hash, node);
}

static inline struct cds_lfht_node *rcu_add_unique(struct cds_lfht *table, unsigned long hash,
						   cds_lfht_match_fct match, const void *key,
						   struct cds_lfht_node *node)
{
	struct cds_lfht_node *found;

	rcu_mark_done(node);
	rcu_mark_done(table);
	found = cds_lfht_add_unique(table, hash, match, key, node);
	rcu_mark_seen(table);
	return found;
}

#endif
