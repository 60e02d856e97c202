// SPDX-License-Identifier: GPL-2.0-or-later
/* Where each open file was left: a bounded hash by handle. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/fold_files.h"

#define SLOTS_FIRST 1024
#define SLOTS_MAX (1u << 22) /* handles whose release was lost make no endless table */

struct fold_place {
	uint64_t key; /* handle * 2, or file * 2 + 1 in traces without handles; 0 = free */
	uint64_t next;
};

int fold_places_init(struct fold_places *places)
{
	places->slots = SLOTS_FIRST;
	places->used = 0;
	places->place = calloc(SLOTS_FIRST, sizeof(struct fold_place));
	return places->place ? 0 : -ENOMEM;
}

void fold_places_done(struct fold_places *places)
{
	free(places->place);
}

static size_t home_of(const struct fold_places *places, uint64_t key)
{
	key *= UINT64_C(0x9e3779b97f4a7c15);
	return (key ^ key >> 32) & (places->slots - 1);
}

static struct fold_place *find(const struct fold_places *places, uint64_t key)
{
	size_t at = home_of(places, key);

	while (places->place[at].key && places->place[at].key != key)
		at = (at + 1) & (places->slots - 1);
	return &places->place[at];
}

/* Twice the room; when that is too much, or memory is short, all is forgotten instead. */
static void grow(struct fold_places *places)
{
	struct fold_places grown = {.slots = places->slots * 2};

	if (grown.slots <= SLOTS_MAX)
		grown.place = calloc(grown.slots, sizeof(struct fold_place));
	if (!grown.place) {
		memset(places->place, 0, places->slots * sizeof(struct fold_place));
		places->used = 0;
		return;
	}
	for (size_t i = 0; i < places->slots; i++) {
		if (places->place[i].key)
			*find(&grown, places->place[i].key) = places->place[i];
	}
	grown.used = places->used;
	free(places->place);
	*places = grown;
}

static void drop(struct fold_places *places, struct fold_place *place)
{
	size_t mask = places->slots - 1, at = (size_t)(place - places->place), next = at;

	if (!place->key)
		return;
	places->used--;
	for (;;) {
		places->place[at].key = 0;
		do {
			next = (next + 1) & mask;
			if (!places->place[next].key)
				return;
		} while (((next - home_of(places, places->place[next].key)) & mask) <
			 ((next - at) & mask));
		places->place[at] = places->place[next];
		at = next;
	}
}

bool fold_places_note(struct fold_places *places, const struct trace_op *op)
{
	bool handle = op->have & TRACE_HAVE(TRACE_HANDLE);
	uint64_t key = handle ? op->value[TRACE_HANDLE] << 1 : op->op.file << 1 | 1;
	struct fold_place *place;
	bool sequential;

	if (op->op.kind == OP_RELEASE)
		drop(places, find(places, key));
	if ((op->op.kind != OP_READ && op->op.kind != OP_WRITE) || op->op.error || !key)
		return false;
	place = find(places, key);
	if (!place->key) {
		if (places->used >= places->slots / 2) {
			grow(places);
			place = find(places, key);
		}
		places->used++;
		*place = (struct fold_place){key, 0};
	}
	sequential = place->next == op->op.offset && place->next != 0;
	place->next = op->op.offset + op->op.result;
	return sequential;
}
