/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of other programs become ours: what all importers share.
 *
 * A format is a row of import_formats[]: it takes line after line (or runs through the bytes
 * itself), and gives operations to import_op(). A line that can't be used is counted by reason and
 * never stops an import; the first of each reason is kept to be shown.
 *
 * Stamps are nanoseconds since 1970 where the format has the date (wall_offset_ns stays 0), else
 * since the source's own zero, plus one, so that none is 0. Where a format tells no latency, only
 * arrive_ns is set: the other stamps are 0, "did not happen", and no duration can be taken of it.
 * Where it tells one, issued_ns is arrive_ns (unless it is known better), and backed_ns and done_ns
 * are its end: all of it was service.
 *
 * A block trace is one file a device with TRACE_FILE_F_BLOCK. When all inputs are regular files
 * they are read twice, and the first pass finds the sizes (greatest offset + size); else the file
 * is defined anew at the end, and a property device_size:ID tells the final size.
 */
#ifndef TOOLS_IMPORT_H
#define TOOLS_IMPORT_H

#include "core/diag.h"
#include "tools/import_feed.h"
#include "tools/import_names.h"
#include "trace/event.h"

/* Why a line was not used. X(identifier, is that the input's fault, what is said of
 * such lines). */
#define IMPORT_REASON_TABLE(X)                                                        \
	X(NOTHING, false, "no operation (headers, comments, marks)")                  \
	X(CALL, false, "calls that stand for no operation of a file")                 \
	X(OTHER, false, "about sockets, pipes and the like, not about files")         \
	X(OUTSIDE, false, "about files that are not below the directory of --below")  \
	X(REPEAT, false, "repeat what other lines tell")                              \
	X(HIDDEN, false, "submit I/O that such a trace doesn't show (io_uring, aio)") \
	X(SYNTAX, true, "not as lines of this format are")                            \
	X(FIELDS, true, "too few fields")                                             \
	X(NUMBER, true, "something else where a number has to be")                    \
	X(RANGE, true, "a number that is out of range")                               \
	X(TIME, true, "no time stamp that can be used")                               \
	X(OP, true, "an operation that is not known")                                 \
	X(NAME, true, "an argument that was cut, or a name that is too long")         \
	X(EXTENT, true, "of an extent type that can't be imported")                   \
	X(LONG, true, "longer than 64 KiB")                                           \
	X(UNSEEN, true, "use a descriptor that was opened out of sight")              \
	X(ORPHAN, true, "complete something that was not seen begin")

enum import_reason {
#define X(id, fault, text) IMPORT_##id,
	IMPORT_REASON_TABLE(X)
#undef X
		IMPORT_REASONS
};

#define IMPORT_EXCERPT 120

/* The lines (or records) that were not used for one reason. */
struct import_unused {
	uint64_t count;
	uint64_t line; /* of the first: number of the line or record from 1 */
	const char *input;
	char text[IMPORT_EXCERPT]; /* its beginning, any bytes */
	size_t text_len;
};

struct import_counts {
	uint64_t lines;
	uint64_t ops;
	uint64_t first_ns; /* least and greatest arrive_ns */
	uint64_t last_ns;
	bool torn;    /* an input ended in the middle */
	bool unended; /* an input's last line was used, but had no line end */
	struct import_unused unused[IMPORT_REASONS];
};

enum import_wait { IMPORT_WAIT_UNSAID, IMPORT_WAIT_FIO, IMPORT_WAIT_MANUAL };

struct import_options {
	enum import_wait iolog_wait;
	uint64_t ts_unit_ns;  /* 0 = as the format has it */
	enum op_kind heat_op; /* what the lines of a heat map are */
	struct slice below;   /* absolute path; empty = everything */
};

/* Where it goes. Each returns 0 or -errno; any may be called from any importer. */
struct import_sink {
	void *arg;
	int (*file)(void *arg, const struct trace_file *file);
	int (*op)(void *arg, const struct trace_op *op);
	int (*handle)(void *arg, const struct trace_handle *handle);
	int (*property)(void *arg, const char *name, const char *value);
	void (*age)(void *arg); /* files that were not used for long may be forgotten */
};

struct import_source {
	const char *name;
	struct feed feed;
	/* For the importer's own use. */
	unsigned int version;
	uint64_t clock_ns;
};

struct import {
	const struct import_format *format;
	const struct import_options *options;
	struct import_sink sink;
	struct diag *diag; /* of an error that ends the import */
	struct import_names names;
	struct import_counts counts;
	struct bytes path; /* room to make one in */
	uint64_t next_handle;
	struct import_file **devices; /* of a block trace, references */
	size_t device_count;
	bool measuring;   /* the first pass: sizes only, nothing goes to the sink */
	bool absolute;    /* stamps are since 1970 */
	uint64_t wall_ns; /* an importer's: wall clock minus its clock, kept from the first pass */
	bool wall_known;
	bool sizes_known;             /* there was one */
	const char *notes;            /* what was assumed, to be told once; NULL = nothing */
	struct import_source *source; /* that the line is from */
	struct slice line;
};

enum import_format_flags {
	IMPORT_F_BLOCK = 1 << 0,    /* devices: a first pass finds their sizes */
	IMPORT_F_ABSOLUTE = 1 << 1, /* stamps are since 1970 */
};

struct import_format {
	const char *name;
	const char *summary; /* for the help: fits the line */
	unsigned int flags;
	size_t state_bytes; /* of zeroed memory for the format's own state */
	const void *detail; /* for families of formats */
	/* One of these two. They return 0, or -errno for what ends the import (diag says why). */
	int (*line)(struct import *import, void *state, struct slice line);
	int (*run)(struct import *import, void *state, struct import_source *sources, size_t count);
	/* The stamp that a line is merged by when there are several inputs; false: it has none. */
	bool (*stamp)(const struct import *import, struct slice line, uint64_t *ret_ns);
	/* What was kept back; also frees what the state holds. Both may be NULL. */
	int (*finish)(struct import *import, void *state);
	void (*done)(void *state);
};

extern const struct import_format *const import_formats[];
const struct import_format *import_find_format(const char *name);
/* By the first bytes of an input. NULL when more than one, or none, is possible. */
const struct import_format *import_guess_format(struct slice head);

/* Returns 0 or -ENOMEM. */
int import_init(struct import *import, const struct import_format *format,
		const struct import_options *options, const struct import_sink *sink,
		struct diag *diag);
void import_done(struct import *import);
/*
 * Reads the sources to their ends, merged by time. Returns 0 (also when an input is torn, or lines
 * were not used: the counts tell), or -errno with diag set.
 */
int import_run(struct import *import, struct import_source *sources, size_t count);
/* At the end of a pass that had none before it: the sizes of the devices. */
int import_tell_sizes(struct import *import);
/* Ends the first pass: sizes are kept, counts begin anew. */
void import_measured(struct import *import);

/* The lines that were used; and those of all reasons that are the input's fault. */
uint64_t import_lines_used(const struct import_counts *counts);
uint64_t import_lines_at_fault(const struct import_counts *counts);
const char *import_reason_text(enum import_reason reason);
bool import_reason_at_fault(enum import_reason reason);

/* --- for importers ------------------------------------------------------------------------ */

/* Counts the present line as not used. Returns 0. */
int import_unused(struct import *import, enum import_reason reason);
/* The same for -EINVAL, -ERANGE (of a number); what else ends the import comes back. */
int import_unused_number(struct import *import, int err);
/* Counts a record of a format that has no lines: its beginning stands in hex. */
int import_unused_record(struct import *import, enum import_reason reason, const void *data,
			 size_t len);

/* Ends the import: nobody can go on. Returns -EPROTO with diag set. */
int import_refuse(struct import *import, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A new operation, all zero but its kind, number and arrival. */
struct trace_op import_new_op(enum op_kind kind, uint64_t arrive_ns);
void import_set(struct trace_op *op, enum trace_number number, uint64_t value);
void import_set_text(struct trace_op *op, enum trace_text text, struct slice value);
void import_set_comm(struct trace_op *op, struct slice comm);
/* It took so long: sets the other stamps. */
void import_set_latency(struct trace_op *op, uint64_t latency_ns);

/* Tells the sink of a file, unless it knows it as it is. */
int import_define(struct import *import, struct import_file *file);
/* The operation is about the file, which is defined if need be. NULL: about none that is known. */
int import_about(struct import *import, struct trace_op *op, struct import_file *file);
/* ... by its name: sets PARENT and NAME too. */
int import_about_name(struct import *import, struct trace_op *op, struct import_file *file);
/* The new name of a rename or link: sets NEW_PARENT and NEW_NAME. */
int import_new_name(struct import *import, struct trace_op *op, struct import_file *parent,
		    struct slice name);
/* ... through the handle that stands for opens out of sight; says that it was open before. */
int import_about_open(struct import *import, struct trace_op *op, struct import_file *file);
uint64_t import_new_handle(struct import *import);
/* Numbers it and gives it to the sink. */
int import_op(struct import *import, struct trace_op *op);

/* An operation of a block device: about it, through its handle; moves its end. */
int import_block_op(struct import *import, struct trace_op *op, struct import_file *device);

/* The file of a block device. Returns 0 or -ENOMEM. */
int import_device(struct import *import, struct slice name, uint64_t device,
		  struct import_file **ret_file);
/* Puts an absolute path without ".", ".." (taken lexically) and empty components; "" is the root.
 */
void import_put_normal(struct slice path, struct bytes *out);
/*
 * The file at an absolute path, below the directory of the options. Returns 1; 0 when the line is
 * of no use (counted: outside, or the name is too long); or -ENOMEM.
 */
int import_path(struct import *import, struct slice path, struct import_file **ret_file);
/* Puts the path of a file as the source has it: that of --below in front. */
void import_full_path(const struct import *import, const struct import_file *file,
		      struct bytes *out);

/* A stamp that is never 0, of a source that counts from a zero of its own. */
static inline uint64_t import_relative(uint64_t ns)
{
	return ns == UINT64_MAX ? ns : ns + 1;
}

#endif
