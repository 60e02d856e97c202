/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File handles of NFS as files, and a call with its answer as an operation on them. */
#ifndef TOOLS_IMPORT_NFS_HANDLES_H
#define TOOLS_IMPORT_NFS_HANDLES_H

#include "tools/import.h"

enum nfs_argument {
	NFS_OFFSET,
	NFS_COUNT,
	NFS_MODE,
	NFS_UID,
	NFS_GID,
	NFS_SIZE,
	NFS_ACCESS,
	NFS_CALLER_UID,
	NFS_CALLER_GID,
	NFS_ARGUMENTS,
};

enum nfs_text { NFS_FH, NFS_NAME, NFS_FH2, NFS_NAME2, NFS_TARGET, NFS_TEXTS };

struct nfs_call {
	enum op_kind kind;
	unsigned int have; /* bit: enum nfs_argument */
	uint64_t value[NFS_ARGUMENTS];
	struct slice text[NFS_TEXTS];
};

struct nfs_answer {
	uint64_t time_ns;
	uint16_t error;
	struct slice fh;     /* of what was looked up or made */
	struct slice target; /* of readlink */
	uint32_t type;       /* S_IF*, 0 = not told */
	uint32_t mode;       /* type and permissions, 0 = not told */
	bool has_size;
	bool has_links;
	bool has_count;
	uint64_t size;
	uint64_t links;
	uint64_t count;
	uint64_t fileid;
};

struct nfs_handle;

struct nfs_handles {
	struct nfs_handle **buckets;
	size_t bucket_count;
	size_t count;
};

/* Returns 0 or -ENOMEM. */
int nfs_handles_init(struct nfs_handles *handles);
void nfs_handles_done(struct nfs_handles *handles);

uint16_t nfs_errno(uint64_t status);

/*
 * Completes the operation and gives it; then names and handles are as it has left them. answer is
 * NULL when none was seen: then it changes nothing.
 */
int nfs_give(struct import *import, struct nfs_handles *handles, const struct nfs_call *call,
	     const struct nfs_answer *answer, struct trace_op *op);

#endif
