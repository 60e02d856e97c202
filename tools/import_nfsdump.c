// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of nfsdump: a line a call or reply, fields as NAME VALUE, numbers in hex. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "tools/import_nfs.h"

struct nfsdump_state {
	struct nfs_state *nfs;
};

/* "iaddr.port", both hex. */
static bool parse_address(struct slice text, uint32_t *ret_address, uint64_t *ret_both)
{
	size_t dot = slice_find_last(text, '.');
	uint64_t address, port;

	if (slice_hex((struct slice){text.at, dot}, &address) || address > UINT32_MAX ||
	    slice_hex(slice_from(text, dot + 1), &port) || port > UINT16_MAX)
		return false;
	*ret_address = (uint32_t)address;
	*ret_both = address << 16 | port;
	return true;
}

/* A value may be in quotes, with blanks in it. */
static struct slice take_value(struct slice *rest)
{
	struct slice value;
	size_t end;

	*rest = slice_trim(*rest);
	if (!slice_begins(*rest, "\""))
		return slice_word(rest);
	value = slice_from(*rest, 1);
	end = slice_find(value, "\"");
	*rest = slice_from(value, end + 1);
	value.len = end;
	return value;
}

/* What the program adds for its own debugging begins at "con" or "status". */
static void take_fields(struct slice rest, struct nfs_record *record)
{
	while (record->count < NFS_FIELDS) {
		struct nfs_field field = {.key = slice_word(&rest)};

		if (!field.key.len || slice_is(field.key, "con") ||
		    slice_begins(field.key, "status="))
			return;
		field.value = take_value(&rest);
		record->fields[record->count++] = field;
	}
}

/* Returns 0, or the reason (> 0) why it can't be used. */
static int parse(struct slice line, struct nfs_record *record)
{
	struct slice source, destination, version, status;
	uint64_t function;

	if (slice_scaled(slice_word(&line), NS_PER_S, &record->time_ns) || !record->time_ns)
		return IMPORT_TIME;
	source = slice_word(&line);
	destination = slice_word(&line);
	slice_word(&line); /* T or U */
	version = slice_word(&line);
	if (version.len != 2 || (version.at[0] != 'C' && version.at[0] != 'R'))
		return IMPORT_SYNTAX;
	record->call = version.at[0] == 'C';
	if (!parse_address(record->call ? source : destination, &record->address, &record->client))
		return IMPORT_NUMBER;
	if (slice_hex(slice_word(&line), &record->xid) || slice_hex(slice_word(&line), &function))
		return IMPORT_NUMBER;
	record->function = slice_word(&line);
	if (!record->function.len)
		return IMPORT_FIELDS;
	if (!record->call) {
		status = slice_word(&line);
		if (!slice_is(status, "OK") && slice_hex(status, &record->status))
			return status.len ? IMPORT_NUMBER : IMPORT_FIELDS;
	}
	take_fields(line, record);
	return 0;
}

static int nfsdump_line(struct import *import, void *state, struct slice line)
{
	struct nfs_record record = {.hex = true};
	struct nfsdump_state *own = state;
	int reason;

	if (line.at[0] == '#')
		return import_unused(import, IMPORT_NOTHING);
	if (slice_find(line, "SHORT PACKET") < line.len)
		return import_unused(import, IMPORT_FIELDS);
	if (!own->nfs)
		own->nfs = nfs_new();
	if (!own->nfs)
		return -ENOMEM;
	reason = parse(line, &record);
	if (reason)
		return import_unused(import, (enum import_reason)reason);
	return nfs_record(import, own->nfs, &record);
}

static bool nfsdump_stamp(const struct import *import, struct slice line, uint64_t *ret_ns)
{
	return !slice_scaled(slice_word(&line), NS_PER_S, ret_ns);
}

static int nfsdump_finish(struct import *import, void *state)
{
	struct nfsdump_state *own = state;

	return own->nfs ? nfs_finish(import, own->nfs) : 0;
}

static void nfsdump_done(void *state)
{
	struct nfsdump_state *own = state;

	nfs_free(own->nfs);
}

const struct import_format import_nfsdump = {
	.name = "nfsdump",
	.summary = "nfsdump text (s since 1970, bytes in hex)",
	.flags = IMPORT_F_ABSOLUTE,
	.state_bytes = sizeof(struct nfsdump_state),
	.line = nfsdump_line,
	.stamp = nfsdump_stamp,
	.finish = nfsdump_finish,
	.done = nfsdump_done,
};
