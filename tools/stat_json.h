/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of JSON that several commands share. */
#ifndef TOOLS_STAT_JSON_H
#define TOOLS_STAT_JSON_H

#include "core/summary.h"
#include "tools/jsonw.h"

/* Raised when a key changes its meaning or goes; new keys may come at any time. */
#define STAT_JSON_SCHEMA 1

enum json_bins { JSON_NO_BINS, JSON_BINS };

/* NAME_samples, NAME_sum_ns .. NAME_p999_ns, NAME_bins for one duration; nothing when empty. */
void json_duration(struct jsonw *json, enum duration duration, const struct hist *hist,
		   enum json_bins bins);

/* An object for one kind of operation. */
void json_op(struct jsonw *json, const struct summary *summary, enum op_kind kind,
	     enum json_bins bins);

/* An object for one file. Returns 0 or -ENOMEM. */
int json_file(struct jsonw *json, const char *key, const struct file_summary *file,
	      enum json_bins bins);

/* The objects "properties" and "counters". */
void json_about(struct jsonw *json, const struct summary *summary);
/* The object "counters". */
void json_counters(struct jsonw *json, const struct summary *summary);

/* The array "errors": those of the operations of the mask. */
void json_errors(struct jsonw *json, const struct summary *summary, uint64_t mask);

#endif
