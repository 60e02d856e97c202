/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NFS calls and replies, from whatever text they were read: paired, named, and given as
 * operations.
 *
 * A file handle is a file. What it is called is learned from lookups and what makes names; until
 * then it is /fh/HANDLE. NFS knows no opens: a handle of before the trace stands for the file. The
 * client's address is the process and thread.
 */
#ifndef TOOLS_IMPORT_NFS_H
#define TOOLS_IMPORT_NFS_H

#include "tools/import_formats.h"

#define NFS_FIELDS 128

struct nfs_field {
	struct slice key;
	struct slice value;
};

struct nfs_record {
	uint64_t time_ns;
	bool call;
	uint64_t xid;
	uint64_t client; /* address and port, as one number */
	uint32_t address;
	struct slice function;
	uint64_t status; /* reply: 0 = ok */
	bool hex;        /* how numbers are written */
	struct nfs_field fields[NFS_FIELDS];
	size_t count;
};

struct nfs_state;

/* Returns NULL when memory is short. */
struct nfs_state *nfs_new(void);
void nfs_free(struct nfs_state *state);
/* Takes a record: 0 (used, or counted as unused) or -errno. */
int nfs_record(struct import *import, struct nfs_state *state, const struct nfs_record *record);
/* Gives the calls that no reply came to, with their arrival only. */
int nfs_finish(struct import *import, struct nfs_state *state);

#endif
