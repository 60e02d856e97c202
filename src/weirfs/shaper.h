/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The models in force: when an operation may be answered.
 *
 * A change is seen by every operation that arrives after shaper_set() has returned.
 */
#ifndef WEIRFS_SHAPER_H
#define WEIRFS_SHAPER_H

#include <pthread.h>
#include <stdint.h>

#include "core/diag.h"

struct delay;
struct request;
struct tree;

struct shaper {
	struct delay *delay; /* NULL: nothing is delayed; read under RCU */
	struct tree *tree;
	uint64_t era; /* of rules, so that matches remembered for files are known to be old */
	pthread_mutex_t change_lock;
};

void shaper_init(struct shaper *shaper, struct tree *tree);
void shaper_done(struct shaper *shaper);

/* The time at which the models let the operation be answered; its arrival when none binds. */
uint64_t shaper_admit(struct shaper *shaper, struct request *request);

/* Replaces the delay rules; NULL removes them. Returns 0, -EINVAL (diag says why) or -ENOMEM. */
int shaper_set_delay(struct shaper *shaper, const char *rules, struct diag *diag);
/* The rules in force, on the heap ("" when there are none); NULL when memory is short. */
char *shaper_delay_text(struct shaper *shaper);

#endif
