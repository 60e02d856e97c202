// SPDX-License-Identifier: GPL-2.0-or-later
/* Copies of the arguments of parked requests. */
#include "config.h"

#include "weirfs/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "weirfs/record.h"
#include "weirfs/recorder.h"
#include "weirfs/request.h"
#include "weirfs/weirfs.h"

/* The pointers to names of an operation's arguments. Returns how many. */
static unsigned int name_slots(struct request *request, const char **ret_slot[2])
{
	switch (request->op.kind) {
	case OP_LOOKUP:
	case OP_MKNOD:
	case OP_MKDIR:
	case OP_SYMLINK:
	case OP_UNLINK:
	case OP_RMDIR:
	case OP_CREATE:
		ret_slot[0] = &request->arg.make.name;
		ret_slot[1] = &request->arg.make.target;
		return 2;
	case OP_RENAME:
	case OP_LINK:
		ret_slot[0] = &request->arg.rename.name;
		ret_slot[1] = &request->arg.rename.new_name;
		return 2;
	case OP_SETXATTR:
	case OP_GETXATTR:
	case OP_REMOVEXATTR:
		ret_slot[0] = &request->arg.xattr.name;
		return 1;
	default:
		return 0;
	}
}

/* What must not be followed any more. */
static void forget_data(struct request *copy)
{
	if (copy->op.kind == OP_WRITE)
		copy->arg.write.data = NULL;
	else if (copy->op.kind == OP_SETXATTR)
		copy->arg.xattr.value = NULL;
	else if (copy->op.kind == OP_IOCTL)
		copy->arg.ioctl.in = NULL;
}

int request_keep(struct request *copy)
{
	const char **slot[2];
	unsigned int names = name_slots(copy, slot);
	size_t size = 0, hashes = 0;
	char *at;

	if (copy->op.kind == OP_WRITE && recorder_wants_hash(copy))
		hashes = record_hash_size(copy->op.result);
	size = hashes;
	for (unsigned int i = 0; i < names; i++)
		size += *slot[i] ? strlen(*slot[i]) + 1 : 0;
	if (size) {
		copy->kept = malloc(size);
		if (!copy->kept)
			return -ENOMEM;
	}
	if (hashes)
		record_hash(copy->arg.write.data, copy->op.result, copy->kept);
	copy->kept_hash_bytes = hashes;
	at = (char *)copy->kept + hashes;
	for (unsigned int i = 0; i < names; i++) {
		if (!*slot[i])
			continue;
		*slot[i] = memcpy(at, *slot[i], strlen(*slot[i]) + 1);
		at += strlen(at) + 1;
	}
	forget_data(copy);
	return 0;
}
