/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of an I/O log of fio: names that its parser can read. */
#ifndef TOOLS_IOLOG_FILES_H
#define TOOLS_IOLOG_FILES_H

#include "tools/export.h"
#include "tools/stringset.h"

#define IOLOG_NAME_MAX 256 /* bytes: fio reads "%256s" */

struct iolog_file {
	uint32_t opens; /* by the trace's own opens, at this line of the log */
	bool added;
};

struct iolog_files {
	struct stringset names; /* by number of the file */
	struct stringset ids;   /* of the trace's files */
	uint32_t *file_of_id;
	size_t id_room;
	struct iolog_file *file;
	size_t room;
};

void iolog_files_done(struct iolog_files *files);

/* The number of the event's file in the log. Returns 0 or -ENOMEM. */
int iolog_files_number(struct iolog_files *files, struct export *export,
		       const struct trace_event *event, uint32_t *ret_number);

uint32_t iolog_files_count(const struct iolog_files *files);
struct iolog_file *iolog_files_at(struct iolog_files *files, uint32_t number);
/* Valid until the next number is asked for. */
const uint8_t *iolog_files_name(const struct iolog_files *files, uint32_t number, size_t *ret_len);

/*
 * Replaces *out by a path as a name of the log: relative; blanks, controls and the percent sign as
 * %XX, "." and ".." as components too. Returns how many bytes were escaped.
 */
size_t iolog_name(struct bytes *out, struct trace_bytes path);

#endif
