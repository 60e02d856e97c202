// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Block traces with one request a line and a number of fixed columns: one parser and a map of the
 * columns for each of the published collections.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "tools/import_formats.h"

#define SECTOR 512

enum column {
	COL_SKIP,
	COL_TIME,
	COL_LATENCY,
	COL_HOST,
	COL_DISK,
	COL_MAJOR,
	COL_MINOR,
	COL_OP,
	COL_OFFSET,
	COL_SIZE,
	COL_PID,
	COL_COMM,
	COLUMNS,
};

#define COLUMNS_MAX 10

/* How an operation is written. */
enum op_code {
	CODE_WORD,  /* R, W, Read, Write .. */
	CODE_01,    /* 0 read, 1 write */
	CODE_SCSI,  /* the command's code in hex */
	CODE_FLAGS, /* bit 0: read */
};

struct csv_map {
	char separator;
	uint8_t columns[COLUMNS_MAX];
	uint8_t needed; /* columns that a line has at least */
	enum op_code code;
	const char *prefix; /* of the device's name */
	uint64_t time_unit_ns;
	uint64_t epoch; /* taken off the stamp, in its unit */
	uint64_t latency_unit_ns;
	uint64_t offset_unit;
	uint64_t size_unit;
};

typedef struct slice csv_fields[COLUMNS];

/* Returns how many columns there are. */
static unsigned int split(const struct csv_map *map, struct slice line, csv_fields fields)
{
	struct slice field;
	unsigned int n = 0;

	memset(fields, 0, sizeof(csv_fields));
	for (; n < COLUMNS_MAX && slice_field(&line, map->separator, &field); n++)
		fields[map->columns[n]] = field;
	return n;
}

static int parse_time(const struct import *import, const struct csv_map *map, struct slice text,
		      uint64_t *ret_ns)
{
	uint64_t unit =
		import->options->ts_unit_ns ? import->options->ts_unit_ns : map->time_unit_ns;
	uint64_t value;
	int err;

	if (map->epoch) {
		err = slice_uint(text, &value);
		if (!err && value < map->epoch)
			err = -ERANGE;
		if (!err && __builtin_mul_overflow(value - map->epoch, unit, ret_ns))
			err = -ERANGE;
	} else {
		err = slice_scaled(text, unit, ret_ns);
	}
	if (!err && !(import->format->flags & IMPORT_F_ABSOLUTE))
		*ret_ns = import_relative(*ret_ns);
	return err ? err : *ret_ns ? 0 : -ERANGE;
}

static bool csv_stamp(const struct import *import, struct slice line, uint64_t *ret_ns)
{
	const struct csv_map *map = import->format->detail;
	csv_fields fields;

	split(map, line, fields);
	return !parse_time(import, map, fields[COL_TIME], ret_ns);
}

/* Returns 0, -ENOENT (unknown) or -EINVAL (no number). */
static int parse_scsi(struct slice text, enum op_kind *ret_kind)
{
	uint64_t code;

	slice_skip(&text, "0x");
	if (slice_hex(text, &code))
		return -EINVAL;
	return import_scsi_kind(code, ret_kind);
}

static int parse_op(enum op_code code, struct slice text, enum op_kind *ret_kind)
{
	uint64_t number;

	switch (code) {
	case CODE_WORD:
		if (slice_is(text, "R") || slice_is(text, "r") || slice_is(text, "Read") ||
		    slice_is(text, "read"))
			*ret_kind = OP_READ;
		else if (slice_is(text, "W") || slice_is(text, "w") || slice_is(text, "Write") ||
			 slice_is(text, "write"))
			*ret_kind = OP_WRITE;
		else
			return -ENOENT;
		return 0;
	case CODE_01:
		if (!slice_is(text, "0") && !slice_is(text, "1"))
			return -ENOENT;
		*ret_kind = text.at[0] == '0' ? OP_READ : OP_WRITE;
		return 0;
	case CODE_SCSI:
		return parse_scsi(text, ret_kind);
	default:
		if (slice_uint(text, &number))
			return -EINVAL;
		*ret_kind = number & 1 ? OP_READ : OP_WRITE;
		return 0;
	}
}

static int find_device(struct import *import, const struct csv_map *map, const csv_fields fields,
		       struct import_file **ret_file)
{
	struct slice host = fields[COL_HOST], disk = fields[COL_DISK];
	uint64_t major = 0, minor = 0;
	char name[256];
	int n;

	if (fields[COL_MAJOR].len && !slice_uint(fields[COL_MAJOR], &major) &&
	    !slice_uint(fields[COL_MINOR], &minor) && major < 4096 && minor < 1 << 20)
		return import_block_device(import, (uint32_t)(major << 20 | minor), ret_file);
	if (!disk.len)
		return import_input_device(import, ret_file);
	/* A name with a NUL in it ends there. */
	n = snprintf(name, sizeof(name), "%s%.*s%s%.*s", map->prefix,
		     (int)(host.len < 100 ? host.len : 100), host.len ? host.at : "",
		     host.len ? "." : "", (int)(disk.len < 100 ? disk.len : 100), disk.at);
	return import_device(import, (struct slice){name, (size_t)n}, 0, ret_file);
}

/* Numbers that may be times a unit. Returns 0, -EINVAL or -ERANGE. */
static int parse_scaled_uint(struct slice text, uint64_t unit, uint64_t *ret_value)
{
	uint64_t value;
	int err = slice_uint(text, &value);

	if (!err && __builtin_mul_overflow(value, unit, ret_value))
		err = -ERANGE;
	return err;
}

static int parse_numbers(const struct csv_map *map, const csv_fields fields, struct op *op)
{
	uint64_t pid = 0;
	int err = parse_scaled_uint(fields[COL_OFFSET], map->offset_unit, &op->offset);

	if (!err)
		err = parse_scaled_uint(fields[COL_SIZE], map->size_unit, &op->size);
	if (!err && fields[COL_PID].len)
		err = slice_uint(fields[COL_PID], &pid);
	if (!err && pid > UINT32_MAX)
		err = -ERANGE;
	op->pid = (uint32_t)pid;
	op->result = op->size;
	return err;
}

/* A first line whose stamp begins with a letter names the columns. */
static bool is_header(const struct import *import, const csv_fields fields)
{
	struct slice time = fields[COL_TIME];

	return import->source->feed.line == 1 && time.len &&
	       ((time.at[0] | 0x20) >= 'a' && (time.at[0] | 0x20) <= 'z');
}

static int csv_line(struct import *import, void *state, struct slice line)
{
	const struct csv_map *map = import->format->detail;
	struct trace_op op = import_new_op(OP_READ, 0);
	struct import_file *device;
	uint64_t latency_ns = 0;
	enum op_kind kind;
	csv_fields fields;
	unsigned int count = split(map, line, fields);
	int err;

	if (line.at[0] == '#' || is_header(import, fields))
		return import_unused(import, IMPORT_NOTHING);
	if (count < map->needed)
		return import_unused(import, IMPORT_FIELDS);
	if (parse_time(import, map, fields[COL_TIME], &op.op.arrive_ns))
		return import_unused(import, IMPORT_TIME);
	/* Some collections have lines without a type, for requests that were neither. */
	if (!fields[COL_OP].len)
		return import_unused(import, IMPORT_NOTHING);
	if (parse_op(map->code, fields[COL_OP], &kind))
		return import_unused(import, IMPORT_OP);
	op.op.kind = (uint8_t)kind;
	err = parse_numbers(map, fields, &op.op);
	if (!err && fields[COL_LATENCY].len)
		err = slice_scaled(fields[COL_LATENCY], map->latency_unit_ns, &latency_ns);
	if (err)
		return import_unused_number(import, err);
	if (fields[COL_LATENCY].len)
		import_set_latency(&op, latency_ns);
	import_set_comm(&op, fields[COL_COMM]);
	import_block_kind(&op);
	err = find_device(import, map, fields, &device);
	return err ? err : import_block_op(import, &op, device);
}

#define CSV_FORMAT(id, word, text, block_flags, ...)          \
	static const struct csv_map id##_map = {__VA_ARGS__}; \
	const struct import_format import_##id = {            \
		.name = word,                                 \
		.summary = text,                              \
		.flags = IMPORT_F_BLOCK | (block_flags),      \
		.detail = &id##_map,                          \
		.line = csv_line,                             \
		.stamp = csv_stamp,                           \
	}

/* 100 ns since 1601: FILETIME of Windows. */
CSV_FORMAT(msr, "msr", "MSR Cambridge CSV (FILETIME, bytes, 100 ns)", IMPORT_F_ABSOLUTE,
	   .separator = ',', .needed = 7, .prefix = "",
	   .columns = {COL_TIME, COL_HOST, COL_DISK, COL_OP, COL_OFFSET, COL_SIZE, COL_LATENCY},
	   .time_unit_ns = 100, .epoch = UINT64_C(116444736000000000), .latency_unit_ns = 100,
	   .offset_unit = 1, .size_unit = 1);
CSV_FORMAT(systor, "systor", "SYSTOR '17 CSV (s since 1970, bytes)", IMPORT_F_ABSOLUTE,
	   .separator = ',', .needed = 6, .prefix = "lun",
	   .columns = {COL_TIME, COL_LATENCY, COL_OP, COL_DISK, COL_OFFSET, COL_SIZE},
	   .time_unit_ns = NS_PER_S, .latency_unit_ns = NS_PER_S, .offset_unit = 1, .size_unit = 1);
CSV_FORMAT(alibaba, "alibaba", "Alibaba 2020 CSV (us since 1970, bytes)", IMPORT_F_ABSOLUTE,
	   .separator = ',', .needed = 5, .prefix = "dev",
	   .columns = {COL_DISK, COL_OP, COL_OFFSET, COL_SIZE, COL_TIME}, .time_unit_ns = NS_PER_US,
	   .offset_unit = 1, .size_unit = 1);
CSV_FORMAT(tencent, "tencent", "Tencent CBS CSV (s since 1970, sectors)", IMPORT_F_ABSOLUTE,
	   .separator = ',', .needed = 5, .code = CODE_01, .prefix = "vol",
	   .columns = {COL_TIME, COL_OFFSET, COL_SIZE, COL_OP, COL_DISK}, .time_unit_ns = NS_PER_S,
	   .offset_unit = SECTOR, .size_unit = SECTOR);
CSV_FORMAT(spc, "spc", "UMass SPC (s from the start, sectors, bytes)", 0, .separator = ',',
	   .needed = 5, .prefix = "asu",
	   .columns = {COL_DISK, COL_OFFSET, COL_SIZE, COL_OP, COL_TIME}, .time_unit_ns = NS_PER_S,
	   .offset_unit = SECTOR, .size_unit = 1);
CSV_FORMAT(fiu, "fiu", "FIU SRCMap text (ns, sectors)", 0, .separator = ' ', .needed = 8,
	   .prefix = "",
	   .columns = {COL_TIME, COL_PID, COL_COMM, COL_OFFSET, COL_SIZE, COL_OP, COL_MAJOR,
		       COL_MINOR},
	   .time_unit_ns = 1, .offset_unit = SECTOR, .size_unit = SECTOR);
CSV_FORMAT(cloudphysics, "cloudphysics", "CloudPhysics CSV (s, bytes, sectors)", 0,
	   .separator = ',', .needed = 5, .code = CODE_SCSI, .prefix = "",
	   .columns = {COL_SKIP, COL_TIME, COL_OP, COL_SIZE, COL_OFFSET}, .time_unit_ns = NS_PER_S,
	   .offset_unit = SECTOR, .size_unit = 1);
CSV_FORMAT(disksim, "disksim", "DiskSim ASCII (ms, sectors)", 0, .separator = ' ', .needed = 5,
	   .code = CODE_FLAGS, .prefix = "dev",
	   .columns = {COL_TIME, COL_DISK, COL_OFFSET, COL_SIZE, COL_OP}, .time_unit_ns = NS_PER_MS,
	   .offset_unit = SECTOR, .size_unit = SECTOR);
CSV_FORMAT(mqsim, "mqsim", "MQSim ASCII (ns, sectors)", 0, .separator = ' ', .needed = 5,
	   .code = CODE_FLAGS, .prefix = "dev",
	   .columns = {COL_TIME, COL_DISK, COL_OFFSET, COL_SIZE, COL_OP}, .time_unit_ns = 1,
	   .offset_unit = SECTOR, .size_unit = SECTOR);
