/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `weir doctor` found: a list of verdicts, each with how to put it right. */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/mounts.h"

enum verdict {
	VERDICT_OK,
	VERDICT_NOTE, /* works, with less than there could be */
	VERDICT_FAIL, /* weirfs can't do its work */
};

struct finding {
	enum verdict verdict;
	const char *name; /* static */
	char *text;
	const char *fix; /* static; NULL when there is nothing to do */
};

struct report {
	struct finding *findings;
	size_t count;
	bool failed; /* memory was short */
};

void report_done(struct report *report);

/* Adds a finding; text like printf. */
void report_add(struct report *report, enum verdict verdict, const char *name, const char *fix,
		const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Looks at the machine and at what this process may do. */
void doctor_machine(struct report *report);

/* Looks at a directory that is to be served. What it creates there has no name, or is removed. */
void doctor_directory(struct report *report, const struct mounts *mounts, const char *directory);

#endif
