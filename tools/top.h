/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of `weir top`: samples of a mount, and how an interval is shown. */
#ifndef TOOLS_TOP_H
#define TOOLS_TOP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/diag.h"
#include "core/summary.h"
#include "tools/select.h"
#include "tools/show.h"
#include "tools/source.h"

/* Rows that are asked for: more than anybody looks at, fewer than weigh on the daemon. */
#define TOP_ROWS 2000

struct top_options {
	struct show show;
	uint64_t interval_ns;
	uint64_t count; /* reports to make, 0 = until stopped */
	size_t files;   /* to list */
	enum sort_key sort;
	bool json;
	bool skip_first; /* no report of all since the mount */
};

struct sample {
	struct summary summary;
	uint64_t wall_ns;
	uint64_t mono_ns;
};

/* What a report is about. */
enum report_kind { REPORT_SINCE_MOUNT, REPORT_INTERVAL, REPORT_FINAL };

struct interval {
	enum report_kind kind;
	struct summary summary; /* the difference */
	uint64_t wall_ns;       /* of its end */
	uint64_t length_ns;
};

/* Asks the mount. Returns as source_read(). */
int sample_take(const struct source *source, struct sample *ret_sample, struct diag *diag);
void sample_done(struct sample *sample);

/* The interval between two samples; before NULL: all since the mount or reset. 0 or -ENOMEM. */
int interval_make(const struct sample *before, const struct sample *after, enum report_kind kind,
		  struct interval *ret_interval);
void interval_done(struct interval *interval);

/* What may end the wait for the next sample, besides the signals' own numbers. */
enum { WAKE_TIME = 0, WAKE_INPUT = -1 };

struct stopper {
	int fd;    /* signalfd of SIGINT and SIGTERM, which are blocked */
	int input; /* a terminal whose keys count, or -1 */
};

int stopper_init(struct stopper *stopper);
void stopper_done(struct stopper *stopper);
/* Waits until the time, a key, a new size of the terminal or a signal. See above. */
int stopper_wait(const struct stopper *stopper, uint64_t until_mono_ns);

/* One report as a block of text; each part alone for the screen. Return 0 or -ENOMEM. */
int top_text(const struct top_options *options, const char *point, const struct interval *interval,
	     FILE *out);
void top_text_head(const struct top_options *options, const char *point,
		   const struct interval *interval, FILE *out);
void top_text_ops(const struct top_options *options, const struct interval *interval, FILE *out);
int top_text_files(const struct top_options *options, const struct interval *interval, FILE *out);

/* One report as a line of JSON. Returns 0 or -ENOMEM. */
int top_json(const struct top_options *options, const char *point, const struct interval *interval,
	     FILE *out);

/*
 * Prints the intervals of a trace until its end or options->count, and a report of all at the end.
 * Returns 0 or -errno, with the diag of the source.
 */
int top_trace(const struct top_options *options, struct source *source);

/*
 * The full screen, until a key (ret_signal 0) or a signal ends it. `first` was taken before.
 * Returns 0, -ENOSYS when the terminal can't do it (nothing was shown), -ENOMEM, or as
 * sample_take() with diag.
 */
int top_screen(const struct top_options *options, const struct source *source,
	       const struct stopper *stopper, const struct sample *first, int *ret_signal,
	       struct diag *diag);

#endif
