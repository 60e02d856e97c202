/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of records between one thread that writes and one that reads, without locks.
 *
 * Records lie in one piece, eight bytes aligned, each behind its head. What doesn't fit before the
 * end of the memory begins again at the start, behind a record that is only skipped. The writer
 * sees the reader's place only when it needs room, so that its cache line stays where it is.
 */
#ifndef WEIRFS_RING_H
#define WEIRFS_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_record {
	uint32_t bytes; /* of the whole record, a multiple of 8 */
	uint32_t kind;  /* the writer's; 0 = skip */
	uint8_t data[];
};

struct ring {
	uint8_t *memory;
	uint64_t bytes; /* a power of two */
	/* The writer's. */
	uint64_t head __attribute__((aligned(64))); /* where the next record goes; atomic */
	uint64_t seen_tail;
	uint64_t reserved; /* where the record that was reserved begins */
	/* The reader's. */
	uint64_t tail __attribute__((aligned(64))); /* atomic */
	uint32_t asked; /* the reader has been told that it is half full; atomic */
};

/* Takes memory, touched beforehand; bytes is made a power of two. Returns 0 or -ENOMEM. */
int ring_init(struct ring *ring, uint64_t bytes);
void ring_done(struct ring *ring);

/* --- the writer ---------------------------------------------------------------------------- */

/* Room for a record with that much data, or NULL: it is full, or will never hold so much. */
void *ring_reserve(struct ring *ring, size_t data_bytes);
/* The reader may have what was reserved; kind > 0. */
void ring_commit(struct ring *ring, uint32_t kind);
/* Whether the reader should come now: once each time that the ring has become half full. */
bool ring_calls(struct ring *ring);
/* Whether so much data could ever fit. */
bool ring_holds(const struct ring *ring, size_t data_bytes);

/* --- the reader ---------------------------------------------------------------------------- */

/* What has been committed so far: a limit for ring_peek(). It may be called again from now on. */
uint64_t ring_limit(struct ring *ring);
/* The next record before the limit, or NULL. It stays until it is passed. */
const struct ring_record *ring_peek(struct ring *ring, uint64_t limit);
void ring_pass(struct ring *ring, const struct ring_record *record);
bool ring_empty(const struct ring *ring);

#endif
