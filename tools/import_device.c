// SPDX-License-Identifier: GPL-2.0-or-later
/* Block devices of imported traces: a file each, as large as what was accessed. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tools/import_formats.h"

int import_device(struct import *import, struct slice name, uint64_t device,
		  struct import_file **ret_file)
{
	struct import_file **devices, *file;

	if (name.len > NAME_MAX)
		name.len = NAME_MAX;
	file = names_child(&import->names, import->names.root, name);
	if (!file)
		return -ENOMEM;
	*ret_file = file;
	if (file->flags & TRACE_FILE_F_BLOCK)
		return 0;
	devices = reallocarray(import->devices, import->device_count + 1, sizeof(devices[0]));
	if (!devices)
		return -ENOMEM;
	import->devices = devices;
	devices[import->device_count++] = file;
	names_get(file);
	file->flags |= TRACE_FILE_F_BLOCK;
	file->device = device;
	return 0;
}

int import_block_op(struct import *import, struct trace_op *op, struct import_file *device)
{
	uint64_t end;
	int err;

	if (__builtin_add_overflow(op->op.offset, op->op.size, &end) || end > INT64_MAX)
		return import_unused(import, IMPORT_RANGE);
	if (end > device->size)
		device->size = end;
	if (import->sizes_known)
		device->flags |= TRACE_FILE_F_SIZE;
	if (device->device)
		import_set(op, TRACE_DEVICE, device->device);
	err = import_about_open(import, op, device);
	return err ? err : import_op(import, op);
}

/* The sizes that only the end of an input tells. */
int import_tell_sizes(struct import *import)
{
	char name[48], value[24];
	int err = 0;

	for (size_t i = 0; !err && i < import->device_count; i++) {
		struct import_file *device = import->devices[i];

		if (import->sizes_known)
			continue;
		device->flags |= TRACE_FILE_F_SIZE;
		device->defined = 0;
		snprintf(name, sizeof(name), "device_size:%" PRIu64, device->id);
		snprintf(value, sizeof(value), "%" PRIu64, device->size);
		err = import_define(import, device);
		if (!err)
			err = import->sink.property(import->sink.arg, name, value);
	}
	return err;
}

int import_scsi_kind(uint64_t code, enum op_kind *ret_kind)
{
	switch (code) {
	case 0x08: /* READ(6), (10), (16), (12) */
	case 0x28:
	case 0x88:
	case 0xa8:
		*ret_kind = OP_READ;
		return 0;
	case 0x0a: /* WRITE(6), (10), (16), (12) */
	case 0x2a:
	case 0x8a:
	case 0xaa:
		*ret_kind = OP_WRITE;
		return 0;
	case 0x42: /* UNMAP; WRITE SAME with its data left away */
		*ret_kind = OP_FALLOCATE;
		return 0;
	case 0x35: /* SYNCHRONIZE CACHE(10), (16) */
	case 0x91:
		*ret_kind = OP_FSYNC;
		return 0;
	default:
		return -ENOENT;
	}
}

/* The last component of the input's name stands for a device that has none. */
static struct slice input_name(const struct import *import)
{
	struct slice name = slice_of(import->source->name);
	size_t slash = slice_find_last(name, '/');

	if (slice_is(name, "-"))
		return slice_of("disk");
	return slash < name.len ? slice_from(name, slash + 1) : name;
}

int import_input_device(struct import *import, struct import_file **ret_file)
{
	return import_device(import, input_name(import), 0, ret_file);
}

int import_block_device(struct import *import, uint32_t device, struct import_file **ret_file)
{
	char name[24];
	int n = snprintf(name, sizeof(name), "%u:%u", device >> 20, device & 0xfffff);

	return import_device(import, (struct slice){name, (size_t)n}, device, ret_file);
}

void import_block_kind(struct trace_op *op)
{
	if (op->op.kind == OP_FALLOCATE)
		import_set(op, TRACE_FLAGS, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE);
}
