/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two forms of `weir stat`: both print the numbers of tools/view.h. */
#ifndef TOOLS_STAT_H
#define TOOLS_STAT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/summary.h"
#include "tools/select.h"
#include "tools/show.h"

struct stat_options {
	struct show show;
	uint64_t ops;       /* mask of the operations to show */
	enum sort_key sort; /* of the files */
	size_t files;       /* how many */
	bool all;           /* every counter and property, and (JSON) the files' histograms */
};

/* Print it all. Return 0 or -ENOMEM. point: the mount point or file, as found. */
int stat_text(const struct stat_options *options, const char *point, const struct summary *summary,
	      FILE *out);
int stat_json(const struct stat_options *options, const char *point, const struct summary *summary,
	      FILE *out);

#endif
