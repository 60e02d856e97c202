// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows about files: FIU's network block workloads, bcc's ext4slower, points of a heat map. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "tools/import_formats.h"

/* Numbers below 2^32 of which one that isn't is out of range. */
static int parse_u32(struct slice text, uint32_t *ret_value)
{
	uint64_t value;
	int err = slice_uint(text, &value);

	if (!err && value > UINT32_MAX)
		err = -ERANGE;
	if (!err)
		*ret_value = (uint32_t)value;
	return err;
}

static bool first_field_stamp(const struct import *import, struct slice line, uint64_t *ret_ns)
{
	const char *separator = import->format->detail;
	struct slice field;

	return slice_field(&line, *separator, &field) && !slice_scaled(field, 1, ret_ns);
}

/* --- FIU nbw: seq ts op inode inode_size offset size HIT/MISS/APPEND ----------------------- */

enum { NBW_SEQ, NBW_TIME, NBW_OP, NBW_INODE, NBW_FILE_SIZE, NBW_OFFSET, NBW_SIZE, NBW_COLUMNS };

static int parse_kind(struct slice text, enum op_kind *ret_kind)
{
	if (slice_is(text, "R") || slice_is(text, "r") || slice_is(text, "read"))
		*ret_kind = OP_READ;
	else if (slice_is(text, "W") || slice_is(text, "w") || slice_is(text, "write"))
		*ret_kind = OP_WRITE;
	else
		return -ENOENT;
	return 0;
}

static int nbw_file(struct import *import, uint64_t ino, uint64_t size,
		    struct import_file **ret_file)
{
	struct import_file *file;
	char name[24];
	int n = snprintf(name, sizeof(name), "%llu", (unsigned long long)ino);

	file = names_child(&import->names, import->names.root, (struct slice){name, (size_t)n});
	if (!file)
		return -ENOMEM;
	/* The size is that of the first line about the file. */
	if (!file->ino) {
		file->ino = ino;
		file->size = size;
		file->flags |= TRACE_FILE_F_SIZE;
	}
	*ret_file = file;
	return 0;
}

static int nbw_line(struct import *import, void *state, struct slice line)
{
	struct trace_op op = import_new_op(OP_READ, 0);
	struct slice fields[NBW_COLUMNS];
	uint64_t ino = 0, size = 0, unit = import->options->ts_unit_ns;
	struct import_file *file;
	enum op_kind kind;
	int err;

	if (line.at[0] == '#')
		return import_unused(import, IMPORT_NOTHING);
	for (unsigned int i = 0; i < NBW_COLUMNS; i++) {
		if (!slice_field(&line, ' ', &fields[i]))
			return import_unused(import, IMPORT_FIELDS);
	}
	if (slice_scaled(fields[NBW_TIME], unit ? unit : 1, &op.op.arrive_ns))
		return import_unused(import, IMPORT_TIME);
	op.op.arrive_ns = import_relative(op.op.arrive_ns);
	if (parse_kind(fields[NBW_OP], &kind))
		return import_unused(import, IMPORT_OP);
	op.op.kind = (uint8_t)kind;
	err = slice_uint(fields[NBW_INODE], &ino);
	if (!err)
		err = slice_uint(fields[NBW_FILE_SIZE], &size);
	if (!err)
		err = slice_uint(fields[NBW_OFFSET], &op.op.offset);
	if (!err)
		err = slice_uint(fields[NBW_SIZE], &op.op.size);
	if (err)
		return import_unused_number(import, err);
	op.op.result = op.op.size;
	err = nbw_file(import, ino, size, &file);
	if (!err)
		err = import_about_open(import, &op, file);
	return err ? err : import_op(import, &op);
}

static bool nbw_stamp(const struct import *import, struct slice line, uint64_t *ret_ns)
{
	slice_word(&line);
	return !slice_scaled(slice_word(&line), 1, ret_ns);
}

const struct import_format import_nbw = {
	.name = "nbw",
	.summary = "FIU file-level text (ns, bytes)",
	.line = nbw_line,
	.stamp = nbw_stamp,
};

/* --- ext4slower -j: ENDTIME_us,TASK,PID,TYPE,BYTES,OFFSET_b,LATENCY_us,FILE ----------------- */

enum { SLOW_END, SLOW_TASK, SLOW_PID, SLOW_TYPE, SLOW_BYTES, SLOW_OFFSET, SLOW_LATENCY, SLOW_FILE };

static int slow_kind(struct slice type, enum op_kind *ret_kind)
{
	if (slice_is(type, "O"))
		*ret_kind = OP_OPEN;
	else if (slice_is(type, "S"))
		*ret_kind = OP_FSYNC;
	else
		return parse_kind(type, ret_kind);
	return 0;
}

/* Returns 0, or -errno of a number. */
static int slow_numbers(const struct slice fields[SLOW_FILE], struct op *op)
{
	uint64_t end_ns = 0, latency_ns = 0;
	int err = slice_scaled(fields[SLOW_END], NS_PER_US, &end_ns);

	if (!err)
		err = parse_u32(fields[SLOW_PID], &op->pid);
	if (!err)
		err = slice_uint(fields[SLOW_BYTES], &op->size);
	if (!err)
		err = slice_uint(fields[SLOW_OFFSET], &op->offset);
	if (!err)
		err = slice_scaled(fields[SLOW_LATENCY], NS_PER_US, &latency_ns);
	if (!err && latency_ns > end_ns)
		err = -ERANGE;
	if (err)
		return err;
	op->arrive_ns = import_relative(end_ns - latency_ns);
	op->done_ns = latency_ns;
	if (op->kind == OP_READ || op->kind == OP_WRITE)
		op->result = op->size;
	else
		op->size = op->offset = 0;
	return 0;
}

static int slow_line(struct import *import, void *state, struct slice line)
{
	struct trace_op op = import_new_op(OP_READ, 0);
	struct slice fields[SLOW_FILE];
	struct import_file *file;
	enum op_kind kind;
	int err;

	if (slice_begins(line, "ENDTIME_us,"))
		return import_unused(import, IMPORT_NOTHING);
	for (unsigned int i = 0; i < SLOW_FILE; i++) {
		if (!slice_field(&line, ',', &fields[i]))
			return import_unused(import, IMPORT_FIELDS);
	}
	/* The name is the rest: it may hold commas. */
	if (!line.len)
		return import_unused(import, IMPORT_FIELDS);
	if (slow_kind(fields[SLOW_TYPE], &kind))
		return import_unused(import, IMPORT_OP);
	op.op.kind = (uint8_t)kind;
	err = slow_numbers(fields, &op.op);
	if (err)
		return import_unused_number(import, err);
	import_set_latency(&op, op.op.done_ns);
	import_set_comm(&op, fields[SLOW_TASK]);
	/* The tool has the last component only. */
	file = names_child(&import->names, import->names.root, line);
	if (!file)
		return errno == ENAMETOOLONG ? import_unused(import, IMPORT_NAME) : -ENOMEM;
	if (kind == OP_OPEN) {
		import_set(&op, TRACE_HANDLE, import_new_handle(import));
		err = import_about_name(import, &op, file);
	} else {
		err = import_about_open(import, &op, file);
	}
	return err ? err : import_op(import, &op);
}

const struct import_format import_ext4slower = {
	.name = "ext4slower",
	.summary = "bcc's ext4slower -j and its siblings (us, bytes)",
	.detail = ",",
	.line = slow_line,
	.stamp = first_field_stamp,
};

/* --- heat map: TIME_us LATENCY_us ---------------------------------------------------------- */

static int heat_line(struct import *import, void *state, struct slice line)
{
	struct trace_op op = import_new_op(import->options->heat_op, 0);
	uint64_t unit = import->options->ts_unit_ns, latency_ns;
	struct slice time = slice_word(&line), latency = slice_word(&line);
	struct import_file *file;
	int err;

	if (!unit)
		unit = NS_PER_US;
	if (!latency.len)
		return import_unused(import, IMPORT_FIELDS);
	err = slice_scaled(time, unit, &op.op.arrive_ns);
	if (err && import->source->feed.line == 1)
		return import_unused(import, IMPORT_NOTHING);
	if (err)
		return import_unused(import, IMPORT_TIME);
	err = slice_scaled(latency, NS_PER_US, &latency_ns);
	if (err)
		return import_unused_number(import, err);
	op.op.arrive_ns = import_relative(op.op.arrive_ns);
	import_set_latency(&op, latency_ns);
	file = names_child(&import->names, import->names.root, slice_of("unknown"));
	if (!file)
		return -ENOMEM;
	err = import_about_open(import, &op, file);
	return err ? err : import_op(import, &op);
}

const struct import_format import_heatmap = {
	.name = "heatmap",
	.summary = "two columns, TIME LATENCY (us); ops as --op says",
	.detail = " ",
	.line = heat_line,
	.stamp = first_field_stamp,
};
