/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of `weir latency`. */
#ifndef TOOLS_LATENCY_H
#define TOOLS_LATENCY_H

#include <stdbool.h>

#include "tools/show.h"
#include "tools/source.h"

struct heat_options {
	struct show show;
	enum duration duration;
	bool fine;
	bool json;
};

/* Prints the heat map of a trace. Returns 0 or -errno, with the diag of the source. */
int latency_heat(const struct heat_options *options, struct source *source);

#endif
