/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files a list of words names: a directory stands for the traces in it. */
#ifndef TOOLS_PARTS_H
#define TOOLS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/diag.h"

struct parts {
	char **path;
	size_t count;
	char *directory; /* of the last word, when it was one */
};

/* Returns 0 or -errno with diag, which names the word: a directory without traces is -ENOENT. */
int parts_find(char *const *words, size_t count, struct parts *ret_parts, struct diag *diag);
void parts_done(struct parts *parts);

/*
 * Looks into the directory anew, if the last word was one, and appends what came after the first
 * `known` paths. Returns 0 or -errno.
 */
int parts_refresh(struct parts *parts, size_t known);

/* Whether what can be read there begins like a trace; nothing is consumed. A pipe is waited for. */
bool parts_is_trace(int fd);

#endif
