/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places: the source below, the mount point above, and what else is known of them. */
#ifndef WEIRFS_MOUNTPOINT_H
#define WEIRFS_MOUNTPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"

struct weirfs;

/* /dev/fd/N: somebody has mounted already and hands the device over. */
bool mountpoint_is_fd(const char *mountpoint);

/*
 * Takes away what a killed weirfs left on the mount point; refuses one that is alive. The paths
 * become absolute. Returns 0 or -errno with diag.
 */
int mountpoint_prepare(struct weirfs *fs, struct diag *diag);

/*
 * Opens the source (never to be reached by its path again) and learns about its file system.
 * Returns 0 or -errno with diag.
 */
int mountpoint_open_source(struct weirfs *fs, struct diag *diag);

/* Logs which running programs have files below the source open: they go on beside the mount. */
void mountpoint_list_bypass(const struct weirfs *fs);

/* The device number of our mount, once it is there. Returns 0 or -ENOENT. */
int mountpoint_device(const struct weirfs *fs, unsigned int *ret_major, unsigned int *ret_minor);

/* Lets the kernel read ahead more than its default of 128 KiB; needs root. */
void mountpoint_read_ahead(unsigned int major, unsigned int minor, unsigned int kib);

/* Detaches the mount: it disappears now, open files go on until they are closed. 0 or -errno. */
int mountpoint_detach(const struct weirfs *fs);

#endif
