/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The session with the kernel: libfuse's options, mounting, serving until the end. */
#ifndef WEIRFS_SESSION_H
#define WEIRFS_SESSION_H

#include "core/diag.h"

struct weirfs;

/* Makes the session and mounts. Returns 0 or -errno with diag. */
int session_mount(struct weirfs *fs, struct diag *diag);
/* Starts all threads. Returns 0 or -errno with diag. */
int session_start(struct weirfs *fs, struct diag *diag);
/*
 * Waits for the end: unmounted by others, or a signal that asks for it. Leaves within a bounded
 * time whatever the clients do.
 */
void session_wait(struct weirfs *fs);
/* Ends threads and session; unmounts if it is still mounted. */
void session_end(struct weirfs *fs);

#endif
