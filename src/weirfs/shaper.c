// SPDX-License-Identifier: GPL-2.0-or-later
/* The models in force. */
#include "config.h"

#include "weirfs/shaper.h"

#include <stdlib.h>
#include <string.h>

#include "model/delay.h"
#include "weirfs/rcu.h"
#include "weirfs/request.h"

void shaper_init(struct shaper *shaper, struct tree *tree)
{
	memset(shaper, 0, sizeof(*shaper));
	shaper->tree = tree;
	pthread_mutex_init(&shaper->change_lock, NULL);
}

void shaper_done(struct shaper *shaper)
{
	delay_free(shaper->delay);
	pthread_mutex_destroy(&shaper->change_lock);
}

/* Which rules match the file's path, remembered until rules or names change. */
static uint32_t matched(struct shaper *shaper, const struct delay *delay, struct inode *inode)
{
	uint64_t era = __atomic_load_n(&shaper->era, __ATOMIC_RELAXED) << 32;
	uint32_t bits;
	char *path;

	if (!delay_wants_path(delay) || !inode)
		return delay_match(delay, NULL);
	era += 1 + (__atomic_load_n(&shaper->tree->names_era, __ATOMIC_ACQUIRE) & UINT32_MAX);
	if (__atomic_load_n(&inode->rule_era, __ATOMIC_ACQUIRE) == era)
		return __atomic_load_n(&inode->rule_bits, __ATOMIC_RELAXED);
	path = tree_path(shaper->tree, inode);
	bits = delay_match(delay, path);
	free(path);
	__atomic_store_n(&inode->rule_bits, bits, __ATOMIC_RELAXED);
	__atomic_store_n(&inode->rule_era, era, __ATOMIC_RELEASE);
	return bits;
}

uint64_t shaper_admit(struct shaper *shaper, struct request *request)
{
	uint64_t due_ns = request->op.arrive_ns;
	const struct delay *delay;

	rcu_begin();
	delay = rcu_load(&shaper->delay);
	if (delay)
		due_ns = delay_schedule(delay, &request->op, matched(shaper, delay, request->inode),
					due_ns);
	rcu_end();
	return due_ns;
}

int shaper_set_delay(struct shaper *shaper, const char *rules, struct diag *diag)
{
	struct delay *fresh = NULL, *old;
	int err = rules ? delay_new(rules, &fresh, diag) : 0;

	if (err)
		return err;
	pthread_mutex_lock(&shaper->change_lock);
	__atomic_add_fetch(&shaper->era, 1, __ATOMIC_RELAXED);
	old = rcu_swap(&shaper->delay, fresh);
	rcu_wait();
	pthread_mutex_unlock(&shaper->change_lock);
	delay_free(old);
	return 0;
}

char *shaper_delay_text(struct shaper *shaper)
{
	const struct delay *delay;
	char *text;

	rcu_begin();
	delay = rcu_load(&shaper->delay);
	text = strdup(delay ? delay_text(delay) : "");
	rcu_end();
	return text;
}
