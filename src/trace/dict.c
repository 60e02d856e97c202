// SPDX-License-Identifier: GPL-2.0-or-later
/* The files that a writer knows: open addressing, linear probing. */
#include "config.h"

#include "trace/dict.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

#define SLOTS_MIN 256

void dict_done(struct dict *dict)
{
	for (size_t i = 0; i < dict->slots; i++)
		free(dict->slot[i]);
	free(dict->slot);
	*dict = (struct dict){0};
}

/* The slot of an id: its file, or the empty one where it would be. */
static struct dict_file **slot_of(const struct dict *dict, uint64_t id)
{
	size_t mask = dict->slots - 1, i = hash_number(id) & mask;

	while (dict->slot[i] && dict->slot[i]->file.id != id)
		i = (i + 1) & mask;
	return &dict->slot[i];
}

struct dict_file *dict_find(struct dict *dict, uint64_t id)
{
	struct dict_file *file = dict->slots ? *slot_of(dict, id) : NULL;

	if (file)
		file->generation = dict->generation;
	return file;
}

/* Moves what is younger than `oldest` to a table of another size. */
static bool rebuild(struct dict *dict, size_t slots, uint32_t oldest)
{
	struct dict old = *dict;
	struct dict_file **slot = calloc(slots, sizeof(struct dict_file *));

	if (!slot)
		return false;
	dict->slot = slot;
	dict->slots = slots;
	dict->used = 0;
	for (size_t i = 0; i < old.slots; i++) {
		struct dict_file *file = old.slot[i];

		if (file && file->generation >= oldest) {
			*slot_of(dict, file->file.id) = file;
			dict->used++;
		} else {
			free(file);
		}
	}
	free(old.slot);
	return true;
}

static bool make_room(struct dict *dict)
{
	if (dict->used < dict->slots / 2)
		return true;
	return rebuild(dict, dict->slots ? dict->slots * 2 : SLOTS_MIN, 0);
}

struct dict_file *dict_define(struct dict *dict, const struct trace_file *file)
{
	struct dict_file *made, **slot;

	if (!make_room(dict))
		return NULL;
	made = calloc(1, sizeof(*made) + file->path.len);
	if (!made)
		return NULL;
	made->file = *file;
	made->generation = dict->generation;
	if (file->path.len)
		memcpy(made->path, file->path.data, file->path.len);
	made->file.path.data = made->path;
	slot = slot_of(dict, file->id);
	if (*slot)
		free(*slot);
	else
		dict->used++;
	*slot = made;
	return made;
}

void dict_age(struct dict *dict)
{
	size_t slots = SLOTS_MIN;

	dict->generation++;
	if (dict->generation < 2 || !dict->used)
		return;
	while (slots / 2 <= dict->used)
		slots *= 2;
	/* Without memory for the move all are kept: next time. */
	rebuild(dict, slots, dict->generation - 1);
}
