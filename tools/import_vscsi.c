// SPDX-License-Identifier: GPL-2.0-or-later
/* Binary traces of VMware's vscsi, versions 1 and 2, as CloudPhysics published them. */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "tools/import_formats.h"

/* serial number, length, segments, command, version, block, time */
struct vscsi_v1 {
	uint32_t serial;
	uint32_t len;
	uint32_t segments;
	uint16_t command;
	uint16_t version;
	uint64_t block;
	uint64_t time_us;
};

struct vscsi_v2 {
	uint16_t command;
	uint16_t version;
	uint32_t serial;
	uint32_t len;
	uint32_t segments;
	uint64_t block;
	uint64_t time_us;
	uint64_t response_us;
};

_Static_assert(sizeof(struct vscsi_v1) == 32 && sizeof(struct vscsi_v2) == 40, "as in the file");

static int find_version(struct import *import, struct import_source *source)
{
	struct slice head;
	struct vscsi_v1 one;
	struct vscsi_v2 two;
	int err = feed_peek(&source->feed, sizeof(two), &head);

	if (err)
		return diag_set(import->diag, err, "%s: %s", source->name, strerror(-err));
	source->version = 0;
	if (head.len >= sizeof(one)) {
		memcpy(&one, head.at, sizeof(one));
		if (le16toh(one.version) >> 8 == 1)
			source->version = 1;
	}
	if (head.len >= sizeof(two)) {
		memcpy(&two, head.at, sizeof(two));
		if (le16toh(two.version) >> 8 == 2)
			source->version = 2;
	}
	if (!head.len || source->version)
		return 0;
	return import_refuse(import, "%s: no vscsi trace of version 1 or 2", source->name);
}

static struct vscsi_v2 widen(const struct vscsi_v1 *one)
{
	return (struct vscsi_v2){
		.command = one->command,
		.version = one->version,
		.serial = one->serial,
		.len = one->len,
		.segments = one->segments,
		.block = one->block,
		.time_us = one->time_us,
	};
}

static int take_record(struct import *import, unsigned int version, const struct vscsi_v2 *record)
{
	uint64_t block = le64toh(record->block), latency_ns = 0;
	struct trace_op op = import_new_op(OP_READ, 0);
	struct import_file *device;
	enum op_kind kind;
	int err;

	if (le16toh(record->version) >> 8 != (int)version)
		return import_unused_record(import, IMPORT_SYNTAX, record, sizeof(*record));
	if (import_scsi_kind(le16toh(record->command), &kind))
		return import_unused_record(import, IMPORT_OP, record, sizeof(*record));
	if (__builtin_mul_overflow(le64toh(record->time_us), NS_PER_US, &op.op.arrive_ns) ||
	    __builtin_mul_overflow(le64toh(record->response_us), NS_PER_US, &latency_ns) ||
	    block > INT64_MAX / 512)
		return import_unused_record(import, IMPORT_RANGE, record, sizeof(*record));
	op.op.kind = (uint8_t)kind;
	op.op.arrive_ns = import_relative(op.op.arrive_ns);
	op.op.offset = kind == OP_FSYNC ? 0 : block * 512;
	op.op.size = kind == OP_FSYNC ? 0 : le32toh(record->len);
	if (kind == OP_READ || kind == OP_WRITE)
		op.op.result = op.op.size;
	if (version == 2)
		import_set_latency(&op, latency_ns);
	import_block_kind(&op);
	err = import_input_device(import, &device);
	return err ? err : import_block_op(import, &op, device);
}

static int run_one(struct import *import, struct import_source *source)
{
	int err = find_version(import, source), n = 0;
	const void *raw;

	while (!err) {
		struct vscsi_v1 one;
		struct vscsi_v2 two;
		size_t len = source->version == 2 ? sizeof(two) : sizeof(one);

		n = feed_bytes(&source->feed, len, &raw);
		if (n <= 0)
			break;
		import->source = source;
		import->counts.lines++;
		source->feed.line++;
		if (source->version == 2) {
			memcpy(&two, raw, sizeof(two));
		} else {
			memcpy(&one, raw, sizeof(one));
			two = widen(&one);
		}
		err = take_record(import, source->version, &two);
	}
	if (n == -EPROTO)
		import->counts.torn = true;
	else if (!err && n < 0)
		err = diag_set(import->diag, n, "%s: %s", source->name, strerror(-n));
	if (source->version == 2)
		import->notes = "response times are taken as microseconds";
	return err;
}

static int vscsi_run(struct import *import, void *state, struct import_source *sources,
		     size_t count)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = run_one(import, &sources[i]);
	return err;
}

const struct import_format import_vscsi = {
	.name = "vscsi",
	.summary = "CloudPhysics vscsi binary, versions 1 and 2 (us, sectors)",
	.flags = IMPORT_F_BLOCK,
	.run = vscsi_run,
};
