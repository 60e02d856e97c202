/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control socket: requests of core/control.h, answered one at a time by a thread. */
#ifndef WEIRFS_CONTROL_H
#define WEIRFS_CONTROL_H

#include <pthread.h>
#include <stdbool.h>

#include "core/control.h"

struct bytes;
struct weirfs;

struct control {
	struct weirfs *fs;
	char path[CONTROL_PATH_MAX]; /* "" = no socket */
	int listen_fd;
	int stop_fd; /* eventfd */
	pthread_t thread;
	bool started;
};

/* Listens for the mount with this device number. Returns 0 or -errno (the mount goes on without).
 */
int control_start(struct control *control, struct weirfs *fs, unsigned int major,
		  unsigned int minor);
void control_stop(struct control *control);
/* Answers one request, a line without its end, which is cut up. What did not fit sets `failed`. */
void control_answer(struct weirfs *fs, char *line, struct bytes *answer);

#endif
