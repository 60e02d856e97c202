/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A heat map: how many operations ended when, and how long they had taken. */
#ifndef TOOLS_HEAT_H
#define TOOLS_HEAT_H

#include <stdio.h>

#include "core/hist.h"
#include "core/op.h"
#include "tools/jsonw.h"
#include "tools/show.h"

#define HEAT_COLUMNS_MAX 1024

/* Columns of equal time; when time goes on, two and two become one. */
struct heat {
	struct hist *column[OP_CLASSES][HEAT_COLUMNS_MAX]; /* HIST_FILE_BITS; NULL = empty */
	unsigned int columns;                              /* that there may be */
	unsigned int used;
	uint64_t start_ns; /* wall clock at which the first column begins; 0 = empty */
	uint64_t width_ns; /* of a column */
};

/* columns: 2..HEAT_COLUMNS_MAX, an even number. */
void heat_init(struct heat *heat, unsigned int columns);
void heat_done(struct heat *heat);

/* Adds an operation that ended then. Returns 0 or -ENOMEM. */
int heat_add(struct heat *heat, enum op_class class, uint64_t unix_ns, uint64_t value_ns);

/* One panel a class, latency upwards; fine: two rows an octave instead of one. */
void heat_print(const struct heat *heat, const struct show *show, const char *duration, bool fine,
		FILE *out);

/* "start_unix_ns", "column_ns" and "panels": counts as [column, lower_ns, upper_ns, count]. */
void heat_json(const struct heat *heat, struct jsonw *json);

#endif
