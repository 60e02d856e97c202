/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Micro-benchmarks of directories that lead to the same file system by several ways.
 *
 * A load is what one thread does over and over; a lane is one thread of it on one way (target). The
 * targets take turns slot by slot, so that whatever else the machine does meets all of them.
 */
#ifndef TESTS_PERF_BENCH_H
#define TESTS_PERF_BENCH_H

#include "tests/lib/tool.h"

#define MIB (UINT64_C(1) << 20)
#define DATA_SIZE (64 * MIB)
#define MANY_FILES 10000u

struct load;

struct lane {
	const struct load *load;
	const char *dir;  /* as the target shows it */
	const char *back; /* the same directory natively */
	bool native;
	int dir_fd;
	int fd;
	char *buffer;
	struct rng rng;
	uint64_t serial;  /* the next name or place */
	uint32_t limit;   /* operations in a slot at most */
	uint32_t done;    /* operations of this slot */
	uint64_t slot_ns; /* a slot ends after this, unless the load is whole */
	uint64_t *sample; /* their durations */
};

struct load {
	const char *name;
	uint32_t threads;
	uint32_t limit; /* operations a slot at most */
	bool whole;     /* a slot is all of them, however long it takes */
	uint64_t size;  /* bytes of one operation */
	int flags;      /* of open(2) for the data file */
	bool random;
	void (*start)(struct lane *lane);
	void (*before)(struct lane *lane); /* each slot, not timed */
	void (*op)(struct lane *lane, uint32_t i);
	void (*after)(struct lane *lane);
};

/* Ends with NULL in .name. */
extern const struct load loads[];

/* A load that runs shell commands with $D as the directory. */
struct commands {
	const char *before;
	const char *run;
	const char *after;
};
extern struct commands commands;
extern const struct load command_load;

#endif
