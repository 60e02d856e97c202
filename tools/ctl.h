/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Talking to a live mount: one request, one answer, by the rules of core/control.h. */
#ifndef TOOLS_CTL_H
#define TOOLS_CTL_H

#include <stdint.h>

#include "core/bytes.h"
#include "core/diag.h"
#include "tools/mounts.h"

#define CTL_TIMEOUT_NS UINT64_C(5000000000)

/*
 * Sends a request (without its newline) and waits for the whole answer, at most timeout_ns for
 * each next piece of it. What follows the "ok" line goes to ret_payload (bytes_done() it; NULL
 * when nothing is expected).
 *
 * Returns 0; -ENOENT or -ECONNREFUSED: no daemon serves the mount; -ETIMEDOUT: it doesn't answer;
 * -EACCES: it answers its owner only; -EBADMSG: the daemon refused, diag has its message;
 * -EPROTO: not our protocol; or another -errno.
 */
int ctl_request(const struct mount *mount, const char *request, uint64_t timeout_ns,
		struct bytes *ret_payload, struct diag *diag);

#endif
