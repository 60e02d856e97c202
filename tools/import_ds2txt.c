// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What ds2txt prints of a DataSeries file with extents of the type Trace::NFS::Ellard: a line of
 * column names behind each title of an extent, then rows; null is no value.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "tools/import_nfs.h"

#define COLUMNS_MAX NFS_FIELDS
#define NAMES_MAX 8192

struct ds_state {
	struct nfs_state *nfs;
	bool wanted; /* the extent is of the type that we know */
	bool names_next;
	char names[NAMES_MAX]; /* the column names' bytes */
	struct slice columns[COLUMNS_MAX];
	size_t count;
};

static int take_names(struct import *import, struct ds_state *state, struct slice line)
{
	struct slice rest;

	state->names_next = false;
	state->count = 0;
	if (line.len > NAMES_MAX)
		return import_unused(import, IMPORT_NAME);
	memcpy(state->names, line.at, line.len);
	rest = (struct slice){state->names, line.len};
	slice_skip(&rest, "#");
	while (state->count < COLUMNS_MAX) {
		struct slice name = slice_word(&rest);

		if (!name.len)
			break;
		state->columns[state->count++] = name;
	}
	return import_unused(import, IMPORT_NOTHING);
}

static int take_title(struct import *import, struct ds_state *state, struct slice line)
{
	struct slice type = slice_from(line, slice_find(line, "type='") + 6);

	type.len = slice_find(type, "'");
	state->wanted = slice_is(type, "Trace::NFS::Ellard");
	state->names_next = true;
	return import_unused(import, IMPORT_NOTHING);
}

static struct slice value_of(const struct nfs_record *record, const char *key)
{
	for (size_t i = 0; i < record->count; i++) {
		if (slice_is(record->fields[i].key, key))
			return record->fields[i].value;
	}
	return (struct slice){"", 0};
}

/* Returns 0, or the reason (> 0). */
static int take_row(const struct ds_state *state, struct slice line, struct nfs_record *record)
{
	for (size_t i = 0; i < state->count; i++) {
		struct slice value = slice_word(&line);

		if (!value.len)
			return IMPORT_FIELDS;
		if (!slice_is(value, "null"))
			record->fields[record->count++] =
				(struct nfs_field){state->columns[i], value};
	}
	return slice_trim(line).len ? IMPORT_SYNTAX : 0;
}

static bool is_true(struct slice text, const char *word)
{
	return slice_is(text, word) || slice_is(text, "true") || slice_is(text, "on") ||
	       slice_is(text, "1");
}

static int read_head(struct nfs_record *record)
{
	uint64_t address, port;

	record->call = is_true(value_of(record, "is_call"), "call");
	record->function = value_of(record, "rpc_function");
	if (slice_scaled(value_of(record, "time"), NS_PER_US, &record->time_ns) || !record->time_ns)
		return IMPORT_TIME;
	if (!record->function.len)
		return IMPORT_FIELDS;
	/* Integers of 32 bits are signed there. */
	if (slice_c_number(value_of(record, record->call ? "source_ip" : "dest_ip"), &address) ||
	    slice_c_number(value_of(record, record->call ? "source_port" : "dest_port"), &port) ||
	    slice_c_number(value_of(record, "rpc_transaction_id"), &record->xid))
		return IMPORT_NUMBER;
	record->address = (uint32_t)address;
	record->client = (uint64_t)record->address << 16 | (port & 0xffff);
	if (!record->call && slice_c_number(value_of(record, "return_value"), &record->status))
		return IMPORT_NUMBER;
	return 0;
}

static int ds_line(struct import *import, void *state, struct slice line)
{
	struct nfs_record record = {0};
	struct ds_state *own = state;
	int reason;

	if (slice_begins(line, "# Extent, type='"))
		return take_title(import, own, line);
	if (own->names_next)
		return take_names(import, own, line);
	if (line.at[0] == '#' || line.at[0] == '<')
		return import_unused(import, IMPORT_NOTHING);
	if (!own->wanted)
		return import_unused(import, own->count ? IMPORT_EXTENT : IMPORT_SYNTAX);
	reason = take_row(own, line, &record);
	if (!reason)
		reason = read_head(&record);
	if (reason)
		return import_unused(import, (enum import_reason)reason);
	if (!own->nfs)
		own->nfs = nfs_new();
	return own->nfs ? nfs_record(import, own->nfs, &record) : -ENOMEM;
}

static int ds_finish(struct import *import, void *state)
{
	struct ds_state *own = state;

	return own->nfs ? nfs_finish(import, own->nfs) : 0;
}

static void ds_done(void *state)
{
	struct ds_state *own = state;

	nfs_free(own->nfs);
}

const struct import_format import_ds2txt = {
	.name = "ds2txt",
	.summary = "ds2txt of Trace::NFS::Ellard (us since 1970, bytes)",
	.flags = IMPORT_F_ABSOLUTE,
	.state_bytes = sizeof(struct ds_state),
	.line = ds_line,
	.finish = ds_finish,
	.done = ds_done,
};
