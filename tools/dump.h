/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms in which `weir dump` prints events. */
#ifndef TOOLS_DUMP_H
#define TOOLS_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/filter.h"
#include "tools/input.h"
#include "tools/outbuf.h"
#include "tools/term.h"

struct dump {
	struct input *input;
	struct outbuf out;
	struct filter filter;
	uint64_t start_ns;     /* on the wall clock, what times are relative to */
	uint64_t limit;        /* operations to print, 0 = all */
	uint64_t printed;      /* operations */
	uint64_t dropped_said; /* so many were reported as lost */
	uint8_t id[TRACE_ID];  /* of the last event's trace */
	bool started;          /* start_ns is known */
	bool any;              /* an event was printed */
	bool titled;           /* the titles of the columns were */
	bool exact;            /* plain nanoseconds */
	bool all;              /* every argument, property, handle */
};

/* One form: what comes first, and what is made of an event (of operations, only wanted ones). */
struct dump_form {
	void (*begin)(struct dump *dump);
	void (*event)(struct dump *dump, const struct trace_event *event);
};

extern const struct dump_form dump_text, dump_json, dump_csv;

/* Does the event come from another trace than the one before? Notes it. */
bool dump_new_trace(struct dump *dump);

/* A path, or a directory's and a name in it. */
struct dump_path {
	struct trace_bytes directory; /* path of the parent, or of the file itself */
	struct trace_bytes name;      /* empty when directory is all */
};

/* Where the operation was: the name it was given, else the file; "?" when neither is known. */
struct dump_path dump_path_of(const struct dump *dump, const struct trace_event *event);
struct dump_path dump_new_path_of(const struct dump *dump, const struct trace_event *event);

/* `weir dump --stat`: reads the input to its end. Returns 0 or -errno, with diag of the input. */
int dump_stat(struct dump *dump, const char *word, bool json, enum term_colour colour);

#endif
