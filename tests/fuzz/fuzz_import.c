// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every importer over any bytes: the first byte (A, B ..) says which, the second (@ + bits) how
 * (two inputs, --below, a second pass). What it gives must be what the writer may be given.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tools/import_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HOW_TWO = 1, HOW_BELOW = 2, HOW_MEASURE = 4, HOW_MANUAL = 8, HOW_UNIT = 16 };

struct memory {
	const uint8_t *at;
	size_t left;
	size_t chunk; /* reads give no more at a time */
};

static ssize_t read_memory(void *arg, void *data, size_t room)
{
	struct memory *memory = arg;
	size_t n = room < memory->chunk ? room : memory->chunk;

	if (n > memory->left)
		n = memory->left;
	memcpy(data, memory->at, n);
	memory->at += n;
	memory->left -= n;
	return (ssize_t)n;
}

static uint64_t last_file;

static int check_file(void *arg, const struct trace_file *file)
{
	assert(file->id && file->path.len && file->path.len <= TRACE_TEXT_MAX);
	assert(file->path.data[0] == '/' || file->path.data[0] == '?');
	assert(file->mode);
	if (file->id > last_file)
		last_file = file->id;
	return 0;
}

static void check_argument(const struct trace_op *op, enum trace_number number)
{
	if (op->have & TRACE_HAVE(number))
		assert(op->value[number] && op->value[number] <= last_file);
}

static int check_op(void *arg, const struct trace_op *op)
{
	assert(op->op.kind < OP_KINDS);
	assert(op->op.arrive_ns);
	assert(!op->op.done_ns || op->op.done_ns >= op->op.arrive_ns);
	assert(op->op.file <= last_file);
	check_argument(op, TRACE_PARENT);
	check_argument(op, TRACE_NEW_PARENT);
	check_argument(op, TRACE_TO_FILE);
	for (unsigned int i = 0; i < TRACE_TEXTS; i++) {
		uint8_t sum = 0;

		if (!(op->have & TRACE_HAVE_TEXT(i)))
			continue;
		assert(op->text[i].len <= TRACE_TEXT_MAX);
		/* Its bytes must still be there. */
		for (size_t at = 0; at < op->text[i].len; at++)
			sum = (uint8_t)(sum + op->text[i].data[at]);
		*(volatile uint8_t *)arg = sum;
	}
	return 0;
}

static int check_handle(void *arg, const struct trace_handle *handle)
{
	assert(handle->id && handle->file && handle->file <= last_file);
	return 0;
}

static int check_property(void *arg, const char *name, const char *value)
{
	assert(*name && *value);
	return 0;
}

static void age(void *arg)
{
}

static void run(struct import *import, const uint8_t *data, size_t size, bool two)
{
	size_t first = two ? size / 2 : size;
	struct memory memory[2] = {{data, first, 7}, {data + first, size - first, SIZE_MAX}};
	struct import_source sources[2] = {{.name = "one.12"}, {.name = "two"}};
	size_t count = two ? 2 : 1;

	if (!two)
		memory[0].chunk = SIZE_MAX;
	for (size_t i = 0; i < count; i++)
		assert(!feed_init(&sources[i].feed, read_memory, &memory[i]));
	import_run(import, sources, count);
	assert(import_lines_used(&import->counts) <= import->counts.lines);
	for (size_t i = 0; i < count; i++)
		feed_done(&sources[i].feed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t sum;
	const struct import_sink sink = {&sum,         check_file,     check_op,
					 check_handle, check_property, age};
	struct import_options options = {.heat_op = OP_READ};
	const struct import_format *format;
	struct diag diag = {0};
	struct import import;
	size_t formats = 0;
	uint8_t how;

	if (size < 2)
		return 0;
	while (import_formats[formats])
		formats++;
	format = import_formats[(uint8_t)(data[0] - 'A') % formats];
	how = data[1];
	import_guess_format((struct slice){(const char *)data + 2, size - 2});
	if (how & HOW_BELOW)
		options.below = slice_of("/d");
	if (how & HOW_MANUAL)
		options.iolog_wait = IMPORT_WAIT_MANUAL;
	if (how & HOW_UNIT)
		options.ts_unit_ns = 1000000;
	last_file = 0;
	assert(!import_init(&import, format, &options, &sink, &diag));
	if (how & HOW_MEASURE && format->flags & IMPORT_F_BLOCK) {
		import.measuring = true;
		run(&import, data + 2, size - 2, how & HOW_TWO);
		import_measured(&import);
	}
	run(&import, data + 2, size - 2, how & HOW_TWO);
	import_done(&import);
	return 0;
}
