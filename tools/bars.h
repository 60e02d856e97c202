/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A histogram as bars, in the manner of biolatency and its kin. */
#ifndef TOOLS_BARS_H
#define TOOLS_BARS_H

#include <stdio.h>

#include "core/hist.h"
#include "tools/jsonw.h"
#include "tools/show.h"

/* The value is the sub-bucket bits of the rows: a power of two, or eight rows an octave. */
enum bars_detail { BARS_OCTAVES = 0, BARS_FINE = 3 };

/* Prints a title with the percentiles, then a row for each range from the first to the last used.
 */
void bars_print(const struct show *show, const char *name, const char *duration,
		const struct hist *hist, enum bars_detail detail, FILE *out);

/* "rows": [[lower_ns, upper_ns, count], ...]; a value is >= lower and < upper. */
void bars_json(struct jsonw *json, const struct hist *hist, enum bars_detail detail);

#endif
