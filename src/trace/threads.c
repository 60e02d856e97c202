// SPDX-License-Identifier: GPL-2.0-or-later
/* The threads of a block: an array, and a hash of places in it. */
#include "config.h"

#include "trace/threads.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "trace/format.h"

#define ROOM_MIN 256u

void threads_done(struct threads *threads)
{
	bytes_done(&threads->records);
	free(threads->key);
	free(threads->slot);
	*threads = (struct threads){0};
}

void threads_reset(struct threads *threads)
{
	threads->records.len = 0;
	threads->records.failed = false;
	if (threads->count)
		memset(threads->slot, 0, (size_t)threads->room * 2 * sizeof(*threads->slot));
	threads->count = 0;
	threads->last = 0;
}

static uint32_t *slot_of(const struct threads *threads, const struct thread_key *key)
{
	uint32_t mask = threads->room * 2 - 1;
	uint32_t i = (uint32_t)hash_xxh64(key, sizeof(*key), 0) & mask;

	while (threads->slot[i] &&
	       memcmp(&threads->key[threads->slot[i] - 1], key, sizeof(*key)) != 0)
		i = (i + 1) & mask;
	return &threads->slot[i];
}

static bool make_room(struct threads *threads)
{
	uint32_t room = threads->room ? threads->room * 2 : ROOM_MIN;
	struct thread_key *key;
	uint32_t *slot;

	if (threads->count < threads->room)
		return true;
	slot = calloc((size_t)room * 2, sizeof(*slot));
	if (!slot)
		return false;
	key = realloc(threads->key, room * sizeof(*key));
	if (!key) {
		free(slot);
		return false;
	}
	free(threads->slot);
	threads->slot = slot;
	threads->key = key;
	threads->room = room;
	for (uint32_t i = 0; i < threads->count; i++)
		*slot_of(threads, &key[i]) = i + 1;
	return true;
}

static void define(struct threads *threads, const struct thread_key *key)
{
	size_t comm = strnlen(key->comm, TRACE_COMM);
	uint8_t room[5 * 10 + TRACE_COMM];
	struct bytes payload = {.data = room, .room = sizeof(room)};

	bytes_put_varint(&payload, key->tid);
	bytes_put_varint(&payload, key->process);
	bytes_put_varint(&payload, key->uid);
	bytes_put_varint(&payload, key->gid);
	bytes_put_blob(&payload, key->comm, comm);
	bytes_put_varint(&threads->records, BLOCK_THREAD);
	bytes_put_blob(&threads->records, payload.data, payload.len);
}

uint32_t threads_place(struct threads *threads, const struct trace_op *op)
{
	struct thread_key key = {op->op.pid, op->process, op->op.uid, op->op.gid, {0}};
	uint32_t *slot;

	memcpy(key.comm, op->comm, TRACE_COMM);
	if (threads->last && !memcmp(&threads->key[threads->last - 1], &key, sizeof(key)))
		return threads->last;
	if (!make_room(threads))
		return 0;
	slot = slot_of(threads, &key);
	if (!*slot) {
		define(threads, &key);
		if (threads->records.failed)
			return 0;
		threads->key[threads->count++] = key;
		*slot = threads->count;
	}
	threads->last = *slot;
	return *slot;
}
