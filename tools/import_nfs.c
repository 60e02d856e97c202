// SPDX-License-Identifier: GPL-2.0-or-later
/* Pairing calls with replies, and what they are as operations. */
#include "config.h"

#include "tools/import_nfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>

#include "tools/import_nfs_handles.h"

/* Calls without a reply that are remembered; more have lost theirs. */
#define PENDING_MAX 65536
#define BUCKETS 16384

/* What is kept of a call: its record with a copy of the bytes that it borrows. */
struct pending {
	TAILQ_ENTRY(pending) by_age;
	LIST_ENTRY(pending) by_hash;
	uint64_t time_ns;
	uint64_t xid;
	uint64_t client;
	uint32_t address;
	struct nfs_call call;
	char text[];
};

TAILQ_HEAD(pending_queue, pending);
LIST_HEAD(pending_bucket, pending);

struct nfs_state {
	struct nfs_handles handles;
	struct pending_queue queue;
	struct pending_bucket buckets[BUCKETS];
	size_t count;
};

struct nfs_state *nfs_new(void)
{
	struct nfs_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	TAILQ_INIT(&state->queue);
	if (nfs_handles_init(&state->handles)) {
		free(state);
		return NULL;
	}
	return state;
}

static void forget(struct nfs_state *state, struct pending *pending)
{
	TAILQ_REMOVE(&state->queue, pending, by_age);
	LIST_REMOVE(pending, by_hash);
	state->count--;
	free(pending);
}

void nfs_free(struct nfs_state *state)
{
	if (!state)
		return;
	while (!TAILQ_EMPTY(&state->queue))
		forget(state, TAILQ_FIRST(&state->queue));
	nfs_handles_done(&state->handles);
	free(state);
}

/* --- fields -------------------------------------------------------------------------------- */

static struct slice field(const struct nfs_record *record, const char *key)
{
	for (size_t i = 0; i < record->count; i++) {
		if (slice_is(record->fields[i].key, key))
			return record->fields[i].value;
	}
	return (struct slice){"", 0};
}

/* The number of a field. Returns false when it isn't there, or is none. */
static bool number(const struct nfs_record *record, const char *key, uint64_t *ret_value)
{
	struct slice text = field(record, key);

	slice_skip(&text, "0x");
	if (!text.len)
		return false;
	return !(record->hex ? slice_hex(text, ret_value) : slice_uint(text, ret_value));
}

static const struct {
	const char *name;
	enum op_kind kind;
} functions[] = {
	{"getattr", OP_GETATTR}, {"setattr", OP_SETATTR},      {"lookup", OP_LOOKUP},
	{"access", OP_ACCESS},   {"readlink", OP_READLINK},    {"read", OP_READ},
	{"write", OP_WRITE},     {"create", OP_CREATE},        {"mkdir", OP_MKDIR},
	{"symlink", OP_SYMLINK}, {"mknod", OP_MKNOD},          {"remove", OP_UNLINK},
	{"rmdir", OP_RMDIR},     {"rename", OP_RENAME},        {"link", OP_LINK},
	{"readdir", OP_READDIR}, {"readdirp", OP_READDIRPLUS}, {"readdirplus", OP_READDIRPLUS},
	{"fsstat", OP_STATFS},   {"statfs", OP_STATFS},        {"commit", OP_FSYNC},
};

static int find_kind(struct slice name, enum op_kind *ret_kind)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (slice_is(name, functions[i].name)) {
			*ret_kind = functions[i].kind;
			return 0;
		}
	}
	return -ENOENT;
}

/* What the arguments of a call are. Version 2 has other names for some. */
static void take_arguments(const struct nfs_record *record, struct nfs_call *call)
{
	static const struct {
		const char *key;
		enum nfs_argument argument;
	} keys[] = {
		{"off", NFS_OFFSET},   {"offset", NFS_OFFSET},   {"count", NFS_COUNT},
		{"tcount", NFS_COUNT}, {"maxcnt", NFS_COUNT},    {"mode", NFS_MODE},
		{"uid", NFS_UID},      {"gid", NFS_GID},         {"size", NFS_SIZE},
		{"acc", NFS_ACCESS},   {"euid", NFS_CALLER_UID}, {"egid", NFS_CALLER_GID},
	};
	uint64_t value;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!number(record, keys[i].key, &value))
			continue;
		call->have |= 1u << keys[i].argument;
		call->value[keys[i].argument] = value;
	}
	call->text[NFS_FH] = field(record, "fh");
	call->text[NFS_NAME] = field(record, "name");
	if (!call->text[NFS_NAME].len)
		call->text[NFS_NAME] = field(record, "fn");
	call->text[NFS_FH2] = field(record, "fh2");
	call->text[NFS_NAME2] = field(record, "name2");
	if (!call->text[NFS_NAME2].len)
		call->text[NFS_NAME2] = field(record, "fn2");
	call->text[NFS_TARGET] = field(record, "sdata");
}

static void take_answer(const struct nfs_record *record, struct nfs_answer *answer)
{
	static const uint32_t types[] = {0,       S_IFREG, S_IFDIR,  S_IFBLK,
					 S_IFCHR, S_IFLNK, S_IFSOCK, S_IFIFO};
	uint64_t value;

	*answer = (struct nfs_answer){.time_ns = record->time_ns};
	/* Those of NFS below 10000 are those of BSD; few differ from ours. */
	answer->error = nfs_errno(record->status);
	answer->fh = field(record, "fh");
	if (!answer->fh.len)
		answer->fh = field(record, "fh2");
	answer->target = field(record, "sdata");
	if (number(record, "ftype", &value) && value < 8)
		answer->type = types[value];
	if (number(record, "mode", &value) && answer->type)
		answer->mode = answer->type | ((uint32_t)value & 07777);
	answer->has_size = number(record, "size", &answer->size);
	answer->has_links = number(record, "nlink", &answer->links);
	answer->has_count = number(record, "count", &answer->count);
	if (number(record, "fileid", &value))
		answer->fileid = value;
}

/* --- pairing ------------------------------------------------------------------------------- */

static struct pending_bucket *bucket_of(struct nfs_state *state, uint64_t client, uint64_t xid)
{
	uint64_t hash =
		(client ^ xid * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd1342543de82ef95);

	return &state->buckets[(hash >> 40) % BUCKETS];
}

static struct pending *find(struct nfs_state *state, uint64_t client, uint64_t xid)
{
	struct pending *pending;

	LIST_FOREACH(pending, bucket_of(state, client, xid), by_hash)
	{
		if (pending->client == client && pending->xid == xid)
			return pending;
	}
	return NULL;
}

static int give(struct import *import, struct nfs_state *state, struct pending *pending,
		const struct nfs_answer *answer)
{
	struct trace_op op = import_new_op(pending->call.kind, pending->time_ns);

	op.op.pid = pending->address;
	if (pending->call.have & 1u << NFS_CALLER_UID)
		op.op.uid = (uint32_t)pending->call.value[NFS_CALLER_UID];
	if (pending->call.have & 1u << NFS_CALLER_GID)
		op.op.gid = (uint32_t)pending->call.value[NFS_CALLER_GID];
	if (answer) {
		op.op.error = answer->error;
		import_set_latency(&op, answer->time_ns > pending->time_ns
						? answer->time_ns - pending->time_ns
						: 0);
	}
	return nfs_give(import, &state->handles, &pending->call, answer, &op);
}

static int take_call(struct import *import, struct nfs_state *state,
		     const struct nfs_record *record)
{
	struct nfs_call call = {0};
	struct pending *pending;
	size_t bytes = 0;
	char *at;
	int err = 0;

	if (find_kind(record->function, &call.kind))
		return import_unused(import, IMPORT_CALL);
	if (find(state, record->client, record->xid))
		return import_unused(import, IMPORT_REPEAT);
	take_arguments(record, &call);
	if (!call.text[NFS_FH].len)
		return import_unused(import, IMPORT_FIELDS);
	if (state->count == PENDING_MAX) {
		err = give(import, state, TAILQ_FIRST(&state->queue), NULL);
		forget(state, TAILQ_FIRST(&state->queue));
	}
	for (unsigned int i = 0; i < NFS_TEXTS; i++)
		bytes += call.text[i].len;
	pending = err ? NULL : calloc(1, sizeof(*pending) + bytes);
	if (!pending)
		return err ? err : -ENOMEM;
	at = pending->text;
	for (unsigned int i = 0; i < NFS_TEXTS; i++) {
		memcpy(at, call.text[i].at, call.text[i].len);
		call.text[i].at = at;
		at += call.text[i].len;
	}
	pending->call = call;
	pending->time_ns = record->time_ns;
	pending->xid = record->xid;
	pending->client = record->client;
	pending->address = record->address;
	LIST_INSERT_HEAD(bucket_of(state, record->client, record->xid), pending, by_hash);
	TAILQ_INSERT_TAIL(&state->queue, pending, by_age);
	state->count++;
	return 0;
}

int nfs_record(struct import *import, struct nfs_state *state, const struct nfs_record *record)
{
	struct nfs_answer answer;
	struct pending *pending;
	enum op_kind kind;
	int err;

	if (record->call)
		return take_call(import, state, record);
	pending = find(state, record->client, record->xid);
	if (!pending)
		return import_unused(import, find_kind(record->function, &kind) ? IMPORT_CALL
										: IMPORT_ORPHAN);
	take_answer(record, &answer);
	err = give(import, state, pending, &answer);
	forget(state, pending);
	return err;
}

int nfs_finish(struct import *import, struct nfs_state *state)
{
	int err = 0;

	while (!err && !TAILQ_EMPTY(&state->queue)) {
		err = give(import, state, TAILQ_FIRST(&state->queue), NULL);
		forget(state, TAILQ_FIRST(&state->queue));
	}
	return err;
}
