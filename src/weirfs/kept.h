/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a parked request points to, out of the kernel's message before that is gone. */
#ifndef WEIRFS_KEPT_H
#define WEIRFS_KEPT_H

struct request;

/*
 * Gives a copy of a request copies of its names (and, when the trace hashes data, the hashes of
 * what it writes), in request->kept. Returns 0 or -ENOMEM.
 */
int request_keep(struct request *copy);

#endif
