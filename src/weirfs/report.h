/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a live mount as a summary: what `weir stat` shows. */
#ifndef WEIRFS_REPORT_H
#define WEIRFS_REPORT_H

#include <stdint.h>

#include "core/summary.h"

struct weirfs;

/* Fills an empty summary, with the `files` file rows of most time. Returns 0 or -ENOMEM. */
int report_fill(struct weirfs *fs, uint64_t files, struct summary *ret_summary);

#endif
