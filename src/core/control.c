// SPDX-License-Identifier: GPL-2.0-or-later
/* Where control sockets are. */
#include "config.h"

#include "core/control.h"

#include <errno.h>
#include <stdio.h>

int control_directory(uid_t uid, unsigned int attempt, char ret_path[CONTROL_PATH_MAX])
{
	if (uid == 0) {
		if (attempt)
			return -ENOENT;
		snprintf(ret_path, CONTROL_PATH_MAX, "/run/weirfs");
		return 0;
	}
	if (attempt == 0)
		snprintf(ret_path, CONTROL_PATH_MAX, "/run/user/%u/weirfs", (unsigned int)uid);
	else if (attempt == 1)
		snprintf(ret_path, CONTROL_PATH_MAX, "/tmp/weirfs-%u", (unsigned int)uid);
	else
		return -ENOENT;
	return 0;
}

int control_socket_path(const char *directory, unsigned int major, unsigned int minor,
			char ret_path[CONTROL_PATH_MAX])
{
	int n = snprintf(ret_path, CONTROL_PATH_MAX, "%s/%u:%u.sock", directory, major, minor);

	return n < CONTROL_PATH_MAX ? 0 : -ENAMETOOLONG;
}
