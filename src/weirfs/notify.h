/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling the service manager how it goes: sd_notify(3)'s protocol, without its library. */
#ifndef WEIRFS_NOTIFY_H
#define WEIRFS_NOTIFY_H

/* Sends lines such as "READY=1\nSTATUS=..."; nothing happens where nobody listens. */
void notify_manager(const char *state);

#endif
