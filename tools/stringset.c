// SPDX-License-Identifier: GPL-2.0-or-later
/* A set of strings: one arena of bytes, one open hash table of numbers. */
#include "config.h"

#include "tools/stringset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/wide.h"

void stringset_done(struct stringset *set)
{
	free(set->text);
	free(set->end);
	free(set->slot);
	memset(set, 0, sizeof(*set));
}

void stringset_clear(struct stringset *set)
{
	set->text_len = 0;
	set->count = 0;
	if (set->slots)
		memset(set->slot, 0, set->slots * sizeof(set->slot[0]));
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint128 product = (uint128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The address (which the system chooses) is in it: a trace can not be made of colliding strings. */
static uint64_t hash_of(const struct stringset *set, const uint8_t *data, size_t len)
{
	uint64_t hash = (uint64_t)(uintptr_t)set * UINT64_C(0x9e3779b97f4a7c15) ^ len, word;

	for (; len >= sizeof(word); data += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		hash = mix(hash ^ word, UINT64_C(0xa0761d6478bd642f));
	}
	word = 0;
	if (len)
		memcpy(&word, data, len);
	return mix(hash ^ word, UINT64_C(0xe7037ed1a0b428db));
}

const uint8_t *stringset_get(const struct stringset *set, uint32_t number, size_t *ret_len)
{
	size_t start = number ? set->end[number - 1] : 0;

	*ret_len = set->end[number] - start;
	return set->text + start;
}

/* The slot of a string, or the free one where it belongs. */
static uint32_t *find(const struct stringset *set, const uint8_t *data, size_t len)
{
	size_t at = (size_t)hash_of(set, data, len) & (set->slots - 1), have;

	for (; set->slot[at]; at = (at + 1) & (set->slots - 1)) {
		const uint8_t *text = stringset_get(set, set->slot[at] - 1, &have);

		if (have == len && (!len || !memcmp(text, data, len)))
			break;
	}
	return &set->slot[at];
}

static int grow_slots(struct stringset *set)
{
	size_t slots = set->slots ? set->slots * 2 : 64, len;
	uint32_t *slot = calloc(slots, sizeof(slot[0]));

	if (!slot)
		return -ENOMEM;
	free(set->slot);
	set->slot = slot;
	set->slots = slots;
	for (size_t i = 0; i < set->count; i++) {
		const uint8_t *text = stringset_get(set, (uint32_t)i, &len);

		*find(set, text, len) = (uint32_t)i + 1;
	}
	return 0;
}

/* Room for one more string. */
static int reserve(struct stringset *set, size_t len)
{
	size_t room;
	void *grown;

	if (set->count >= set->room) {
		room = set->room ? set->room * 2 : 64;
		grown = realloc(set->end, room * sizeof(set->end[0]));
		if (!grown)
			return -ENOMEM;
		set->end = grown;
		set->room = room;
	}
	if (!set->text || len > set->text_room - set->text_len) {
		room = set->text_room + set->text_room / 2 + len + 4096;
		grown = realloc(set->text, room);
		if (!grown)
			return -ENOMEM;
		set->text = grown;
		set->text_room = room;
	}
	return 0;
}

int stringset_put(struct stringset *set, const void *data, size_t len, uint32_t *ret_number)
{
	uint32_t *slot;

	if (set->count * 2 >= set->slots && (set->count >= UINT32_MAX - 1 || grow_slots(set)))
		return -ENOMEM;
	slot = find(set, data, len);
	if (*slot) {
		*ret_number = *slot - 1;
		return 0;
	}
	if (reserve(set, len))
		return -ENOMEM;
	if (len)
		memcpy(set->text + set->text_len, data, len);
	set->text_len += len;
	set->end[set->count] = set->text_len;
	*ret_number = (uint32_t)set->count++;
	*slot = *ret_number + 1;
	return 1;
}
