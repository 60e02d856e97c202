/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was measured, summed up: the fold over ops that a live mount, a trace and the simulator
 * share, and that every table, histogram and JSON output is made of.
 */
#ifndef CORE_SUMMARY_H
#define CORE_SUMMARY_H

#include "core/hist.h"
#include "core/op.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUMMARY_SIZE_BUCKETS \
	22 /* reads and writes by power of two: <= 1 B, <= 2 B, .. <= 1 MiB, more */

/* One kind of operation. */
struct op_summary {
	uint64_t ops;
	uint64_t errors;
	uint64_t bytes;                      /* moved by those that succeeded */
	struct hist *dur[DURATIONS];         /* HIST_OP_BITS; NULL when there was none */
	uint64_t size[SUMMARY_SIZE_BUCKETS]; /* reads and writes by size asked for */
};

/* One class of operations on one file. */
struct class_summary {
	uint64_t ops;
	uint64_t errors;
	uint64_t bytes;
	struct hist *dur[DURATIONS]; /* HIST_FILE_BITS; NULL when there was none */
};

enum file_flags {
	FILE_F_OTHER = 1 << 0,   /* the sum of the files that are no longer kept apart */
	FILE_F_DELETED = 1 << 1, /* no name is left; path is the last one */
	FILE_F_DIR = 1 << 2,
};

struct file_summary {
	uint64_t id;  /* unique in this mount, never used again */
	uint64_t dev; /* of the backing file system */
	uint64_t ino;
	uint64_t generation; /* birth time in ns where the file system has it, else 0 */
	uint32_t flags;      /* enum file_flags */
	uint32_t names;      /* hard links known by name */
	char *path;          /* below the mount point, begins with "/"; bytes, perhaps not UTF-8 */
	uint64_t first_ns;   /* wall clock of the first and last operation */
	uint64_t last_ns;
	uint64_t sequential; /* reads and writes that began where the one before ended */
	uint64_t opens;
	uint64_t files; /* 1, or how many files were folded into this row */
	uint64_t size[SUMMARY_SIZE_BUCKETS];
	struct class_summary class[OP_CLASSES];
};

/* One count of errors: operation, errno, how many. */
struct error_summary {
	uint32_t kind;
	uint32_t error;
	uint64_t count;
};

/* A named number or text about the mount: see weirfs(8), STATISTICS. */
struct counter {
	char *name;
	uint64_t value;
};

struct property {
	char *name;
	char *value;
};

struct summary {
	struct op_summary op[OP_KINDS];
	struct error_summary *errors;
	size_t error_count;
	struct file_summary *files;
	size_t file_count;
	struct counter *counters;
	size_t counter_count;
	struct property *properties;
	size_t property_count;
};

void summary_init(struct summary *summary);
void summary_done(struct summary *summary);

/* Appends an empty row. Return NULL when memory is short. */
struct file_summary *summary_add_file(struct summary *summary);
struct error_summary *summary_add_error(struct summary *summary);

/* Appends a copy. Return 0 or -ENOMEM. */
int summary_add_counter(struct summary *summary, const char *name, uint64_t value);
int summary_add_property(struct summary *summary, const char *name, const char *value);

/* The value of a counter (0 when there is none) or property (NULL when there is none). */
uint64_t summary_counter(const struct summary *summary, const char *name);
const char *summary_property(const struct summary *summary, const char *name);

/* Frees what a row holds, not the row. */
void file_summary_done(struct file_summary *file);

/*
 * Adds one row's numbers to another's (not its names). Returns 0, -ENOMEM, or -EINVAL when the
 * geometries of their histograms differ.
 */
int file_summary_merge(struct file_summary *into, const struct file_summary *from);

/* Over all classes of a file. */
uint64_t file_summary_ops(const struct file_summary *file);
uint64_t file_summary_errors(const struct file_summary *file);
uint64_t file_summary_bytes(const struct file_summary *file);
uint64_t file_summary_time(const struct file_summary *file, enum duration duration);
/* Merges the classes' histograms of one duration into an empty one of HIST_FILE_BITS. */
void file_summary_hist(const struct file_summary *file, enum duration duration, struct hist *into);

/* Bucket of the size arrays: the power of two that the size fits in (4096 -> 12), capped. */
unsigned int summary_size_bucket(uint64_t bytes);

#endif
