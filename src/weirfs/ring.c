// SPDX-License-Identifier: GPL-2.0-or-later
/* Rings of records between two threads. */
#include "config.h"

#include "weirfs/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define RING_LEAST 4096
#define RECORD_HEAD sizeof(struct ring_record)

int ring_init(struct ring *ring, uint64_t bytes)
{
	uint64_t room = RING_LEAST;
	void *memory;

	memset(ring, 0, sizeof(*ring));
	while (room < bytes)
		room *= 2;
	memory = mmap(NULL, room, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	ring->memory = memory;
	ring->bytes = room;
	return 0;
}

void ring_done(struct ring *ring)
{
	if (ring->memory)
		munmap(ring->memory, ring->bytes);
	ring->memory = NULL;
}

static struct ring_record *record_at(const struct ring *ring, uint64_t place)
{
	return (struct ring_record *)(void *)(ring->memory + (place & (ring->bytes - 1)));
}

static uint64_t record_bytes(size_t data_bytes)
{
	return (RECORD_HEAD + data_bytes + 7) & ~UINT64_C(7);
}

bool ring_holds(const struct ring *ring, size_t data_bytes)
{
	/* Wherever it lands: behind what is skipped at the end, it takes less than twice its size.
	 */
	return data_bytes < ring->bytes && record_bytes(data_bytes) * 2 <= ring->bytes;
}

/* Whether all up to that place is free. */
static bool has_room(struct ring *ring, uint64_t until)
{
	if (until - ring->seen_tail <= ring->bytes)
		return true;
	ring->seen_tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	return until - ring->seen_tail <= ring->bytes;
}

void *ring_reserve(struct ring *ring, size_t data_bytes)
{
	uint64_t bytes = record_bytes(data_bytes), at = ring->head;
	uint64_t left = ring->bytes - (at & (ring->bytes - 1));
	struct ring_record *record;

	if (!ring_holds(ring, data_bytes))
		return NULL;
	if (!has_room(ring, at + (bytes <= left ? 0 : left) + bytes))
		return NULL;
	if (bytes > left) {
		record = record_at(ring, at);
		record->bytes = (uint32_t)left;
		record->kind = 0;
		at += left;
	}
	record = record_at(ring, at);
	record->bytes = (uint32_t)bytes;
	ring->reserved = at;
	return record->data;
}

void ring_commit(struct ring *ring, uint32_t kind)
{
	struct ring_record *record = record_at(ring, ring->reserved);

	record->kind = kind;
	__atomic_store_n(&ring->head, ring->reserved + record->bytes, __ATOMIC_RELEASE);
}

bool ring_calls(struct ring *ring)
{
	if (ring->head - ring->seen_tail < ring->bytes / 2)
		return false;
	ring->seen_tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	if (ring->head - ring->seen_tail < ring->bytes / 2)
		return false;
	return !__atomic_exchange_n(&ring->asked, 1, __ATOMIC_ACQ_REL);
}

uint64_t ring_limit(struct ring *ring)
{
	__atomic_store_n(&ring->asked, 0, __ATOMIC_RELEASE);
	return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
}

const struct ring_record *ring_peek(struct ring *ring, uint64_t limit)
{
	while (ring->tail != limit) {
		const struct ring_record *record = record_at(ring, ring->tail);

		if (record->kind)
			return record;
		ring_pass(ring, record);
	}
	return NULL;
}

void ring_pass(struct ring *ring, const struct ring_record *record)
{
	__atomic_store_n(&ring->tail, ring->tail + record->bytes, __ATOMIC_RELEASE);
}

bool ring_empty(const struct ring *ring)
{
	return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) ==
	       __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
}
