/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the tool and a live mount find and speak to each other.
 *
 * Each mount listens on a Unix stream socket named after the device number of the mount:
 * /run/weirfs/MAJOR:MINOR.sock for root, /run/user/UID/weirfs/... (or /tmp/weirfs-UID/... where
 * there is no such directory) for other users. A connection carries one request: a line of text
 * of at most CONTROL_REQUEST_MAX bytes. The answer is a line, "ok" or "error ERRNO MESSAGE"
 * (MESSAGE may be empty), then, for "snapshot", a snapshot (trace/snapshot.h) until the end of
 * the stream. When the answer has come, the new rule holds for the next operation.
 *
 * Requests:
 *   ping                    nothing; is it alive?
 *   snapshot [files=N]      everything measured, with the N files of most time (default all)
 *   reset                   all histograms, counts and file rows back to zero
 *   delay set RULES         replaces the delay rules (model/delay.h)
 *   delay off               removes them; replies held by them are released
 *   log LEVEL               error, warning, info or debug
 *   trace start [FILE]      begins a trace: a file or directory; default: the option trace=
 *   trace stop              ends it
 *   trace rotate            begins another part of it
 *   trace dump FILE         writes what trace_full=overwrite keeps in memory
 */
#ifndef CORE_CONTROL_H
#define CORE_CONTROL_H

#include <stdint.h>
#include <sys/types.h>

#define CONTROL_REQUEST_MAX 4096
#define CONTROL_PATH_MAX 104 /* fits sockaddr_un */

/*
 * Directory of the sockets of a user's mounts. `attempt` counts the places from 0, in the order
 * to look; returns 0, or -ENOENT after the last one.
 */
int control_directory(uid_t uid, unsigned int attempt, char ret_path[CONTROL_PATH_MAX]);

/* Path of the socket below such a directory; -ENAMETOOLONG when it doesn't fit. */
int control_socket_path(const char *directory, unsigned int major, unsigned int minor,
			char ret_path[CONTROL_PATH_MAX]);

#endif
