/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Points in time as people type them. */
#ifndef TOOLS_WHEN_H
#define TOOLS_WHEN_H

#include <stdbool.h>
#include <stdint.h>

struct when {
	bool given;
	bool relative; /* to the start of what is read */
	uint64_t ns;   /* else since 1970 */
};

/*
 * "10s", "1.5h", "0": after the start, bare numbers are seconds; "2026-01-31T12:00:00.5Z" (or a
 * blank instead of the T; "+01:00" instead of the Z; without a zone local time; a date alone is
 * its midnight); "@1767225600.5": seconds since 1970. Returns 0 or -EINVAL.
 */
int when_parse(const char *text, struct when *ret_when);

/* On the wall clock. */
uint64_t when_unix_ns(const struct when *when, uint64_t start_unix_ns);

#endif
