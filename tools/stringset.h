/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Byte strings, each kept once and numbered from 0 in the order they came: the files, processes
 * and texts that an export has met.
 */
#ifndef TOOLS_STRINGSET_H
#define TOOLS_STRINGSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stringset {
	uint8_t *text; /* the strings one after the other */
	size_t text_len;
	size_t text_room;
	size_t *end; /* of each string in text */
	size_t count;
	size_t room;
	uint32_t *slot; /* hash table: number + 1, 0 = free */
	size_t slots;   /* a power of two */
};

void stringset_done(struct stringset *set);
/* Forgets all strings, keeps the memory. */
void stringset_clear(struct stringset *set);

/*
 * The number of a string, which is added when it is new. Returns 1 when it is, 0 when it was
 * there, -ENOMEM.
 */
int stringset_put(struct stringset *set, const void *data, size_t len, uint32_t *ret_number);

/* The string with a number; valid until the next stringset_put(). */
const uint8_t *stringset_get(const struct stringset *set, uint32_t number, size_t *ret_len);

#endif
