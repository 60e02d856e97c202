/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a writer knows, so that each block can define those that it speaks of.
 *
 * A hash table by id; what was not used for two generations is forgotten.
 */
#ifndef TRACE_DICT_H
#define TRACE_DICT_H

#include "trace/event.h"

struct dict_file {
	struct trace_file file; /* its path lies behind the struct */
	uint32_t generation;    /* of the last use */
	uint32_t block;         /* number + 1 of the block that it was last defined in */
	uint32_t place;         /* in that block, from 1 */
	uint64_t expected;      /* where a sequential operation would begin */
	uint8_t path[];
};

struct dict {
	struct dict_file **slot;
	size_t slots; /* a power of two, or 0 */
	size_t used;
	uint32_t generation;
};

void dict_done(struct dict *dict);
/* The file of an id, or NULL. Counts as a use. */
struct dict_file *dict_find(struct dict *dict, uint64_t id);
/* Remembers a definition, instead of an earlier one. Returns NULL when memory is short. */
struct dict_file *dict_define(struct dict *dict, const struct trace_file *file);
/* A new generation; forgets what was not used in the last two. */
void dict_age(struct dict *dict);

#endif
