/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The byte ranges that a lock owner holds on a file, as fcntl(2) splits and merges them. */
#ifndef WEIRFS_LOCK_RANGES_H
#define WEIRFS_LOCK_RANGES_H

#include <fcntl.h>
#include <stdbool.h>

struct lock_range;

/* Applies an F_SETLK that has succeeded (l_whence SEEK_SET). Returns 0 or -ENOLCK: no memory. */
int lock_ranges_set(struct lock_range **ranges, const struct flock *lock);
/* Whether one of the ranges is in the way of another owner's lock. */
bool lock_ranges_conflict(const struct lock_range *ranges, const struct flock *want);
void lock_ranges_free(struct lock_range *ranges);

#endif
