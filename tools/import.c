// SPDX-License-Identifier: GPL-2.0-or-later
/* Making operations of what the importers found, and counting what they could not use. */
#include "config.h"

#include "tools/import.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/cleanup.h"

/* How many operations later a definition that wasn't used again may be forgotten (at most twice).
 */
#define AGE_OPS (UINT64_C(1) << 20)

static const bool reason_at_fault[IMPORT_REASONS] = {
#define X(id, fault, text) [IMPORT_##id] = fault,
	IMPORT_REASON_TABLE(X)
#undef X
};

static const char *const reason_texts[IMPORT_REASONS] = {
#define X(id, fault, text) [IMPORT_##id] = text,
	IMPORT_REASON_TABLE(X)
#undef X
};

const char *import_reason_text(enum import_reason reason)
{
	return reason_texts[reason];
}

bool import_reason_at_fault(enum import_reason reason)
{
	return reason_at_fault[reason];
}

uint64_t import_lines_used(const struct import_counts *counts)
{
	uint64_t used = counts->lines;

	for (unsigned int i = 0; i < IMPORT_REASONS; i++)
		used -= counts->unused[i].count;
	return used;
}

uint64_t import_lines_at_fault(const struct import_counts *counts)
{
	uint64_t count = 0;

	for (unsigned int i = 0; i < IMPORT_REASONS; i++)
		count += reason_at_fault[i] ? counts->unused[i].count : 0;
	return count;
}

int import_init(struct import *import, const struct import_format *format,
		const struct import_options *options, const struct import_sink *sink,
		struct diag *diag)
{
	*import =
		(struct import){.format = format, .options = options, .sink = *sink, .diag = diag};
	import->absolute = format->flags & IMPORT_F_ABSOLUTE;
	return names_init(&import->names);
}

void import_done(struct import *import)
{
	for (size_t i = 0; i < import->device_count; i++)
		names_put(import->devices[i]);
	free(import->devices);
	names_done(&import->names);
	bytes_done(&import->path);
}

void import_measured(struct import *import)
{
	import->measuring = false;
	import->sizes_known = true;
	import->counts = (struct import_counts){0};
	import->next_handle = 0;
	for (size_t i = 0; i < import->device_count; i++)
		import->devices[i]->handle = 0;
}

/* --- what can't be used ------------------------------------------------------------------- */

static void count_unused(struct import *import, enum import_reason reason, const char *text,
			 size_t len)
{
	struct import_unused *unused = &import->counts.unused[reason];

	if (unused->count++)
		return;
	unused->line = import->source->feed.line;
	unused->input = import->source->name;
	unused->text_len = len < IMPORT_EXCERPT ? len : IMPORT_EXCERPT;
	if (unused->text_len)
		memcpy(unused->text, text, unused->text_len);
}

int import_unused(struct import *import, enum import_reason reason)
{
	count_unused(import, reason, import->line.at, import->line.len);
	return 0;
}

int import_unused_number(struct import *import, int err)
{
	if (err == -EINVAL)
		return import_unused(import, IMPORT_NUMBER);
	if (err == -ERANGE)
		return import_unused(import, IMPORT_RANGE);
	return err;
}

int import_unused_record(struct import *import, enum import_reason reason, const void *data,
			 size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *bytes = data;
	char text[IMPORT_EXCERPT];
	size_t at = 0;

	for (size_t i = 0; i < len && at + 3 <= sizeof(text); i++) {
		text[at++] = digits[bytes[i] >> 4];
		text[at++] = digits[bytes[i] & 15];
		if (i % 4 == 3)
			text[at++] = ' ';
	}
	count_unused(import, reason, text, at);
	return 0;
}

int import_refuse(struct import *import, const char *format, ...)
{
	char text[sizeof(import->diag->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return diag_set(import->diag, -EPROTO, "%s", text);
}

/* --- operations --------------------------------------------------------------------------- */

struct trace_op import_new_op(enum op_kind kind, uint64_t arrive_ns)
{
	struct trace_op op = {0};

	op.op.kind = (uint8_t)kind;
	op.op.arrive_ns = arrive_ns;
	return op;
}

void import_set(struct trace_op *op, enum trace_number number, uint64_t value)
{
	op->have |= TRACE_HAVE(number);
	op->value[number] = value;
}

void import_set_text(struct trace_op *op, enum trace_text text, struct slice value)
{
	op->have |= TRACE_HAVE_TEXT(text);
	op->text[text] =
		(struct trace_bytes){(const uint8_t *)value.at,
				     value.len < TRACE_TEXT_MAX ? value.len : TRACE_TEXT_MAX};
}

void import_set_comm(struct trace_op *op, struct slice comm)
{
	size_t len = comm.len < TRACE_COMM - 1 ? comm.len : TRACE_COMM - 1;

	memset(op->comm, 0, sizeof(op->comm));
	if (len)
		memcpy(op->comm, comm.at, len);
}

void import_set_latency(struct trace_op *op, uint64_t latency_ns)
{
	uint64_t end;

	if (__builtin_add_overflow(op->op.arrive_ns, latency_ns, &end))
		end = UINT64_MAX;
	if (!op->op.issued_ns)
		op->op.issued_ns = op->op.arrive_ns;
	op->op.backed_ns = end;
	op->op.due_ns = op->op.arrive_ns;
	op->op.done_ns = end;
}

int import_define(struct import *import, struct import_file *file)
{
	struct trace_file definition = {
		.id = file->id,
		.ino = file->ino,
		.mode = file->mode,
		.flags = file->flags,
	};

	if (import->measuring || file->defined == import->names.era)
		return 0;
	import->path.len = 0;
	names_path(file, &import->path);
	if (import->path.failed)
		return -ENOMEM;
	definition.path = (struct trace_bytes){import->path.data, import->path.len};
	if (file->flags & (TRACE_FILE_F_BLOCK | TRACE_FILE_F_SIZE)) {
		definition.mode |= 0600;
		definition.nlink = 1;
		definition.size = file->size;
	}
	file->defined = import->names.era;
	return import->sink.file(import->sink.arg, &definition);
}

int import_about(struct import *import, struct trace_op *op, struct import_file *file)
{
	if (!file)
		return 0;
	op->op.file = file->id;
	return import_define(import, file);
}

int import_about_name(struct import *import, struct trace_op *op, struct import_file *file)
{
	struct import_file *parent = names_parent(file);
	int err = 0;

	if (parent) {
		import_set(op, TRACE_PARENT, parent->id);
		import_set_text(op, TRACE_NAME, names_last(file));
		err = import_define(import, parent);
	}
	return err ? err : import_about(import, op, file);
}

int import_new_name(struct import *import, struct trace_op *op, struct import_file *parent,
		    struct slice name)
{
	import_set(op, TRACE_NEW_PARENT, parent->id);
	import_set_text(op, TRACE_NEW_NAME, name);
	return import_define(import, parent);
}

uint64_t import_new_handle(struct import *import)
{
	return ++import->next_handle;
}

int import_about_open(struct import *import, struct trace_op *op, struct import_file *file)
{
	struct trace_handle handle = {.file = file->id, .flags = O_RDWR};
	int err = import_about(import, op, file);

	if (!err && !file->handle) {
		file->handle = import_new_handle(import);
		handle.id = file->handle;
		if (file->mode == S_IFDIR)
			handle.flags = O_RDONLY | O_DIRECTORY;
		if (!import->measuring)
			err = import->sink.handle(import->sink.arg, &handle);
	}
	import_set(op, TRACE_HANDLE, file->handle);
	return err;
}

int import_op(struct import *import, struct trace_op *op)
{
	struct import_counts *counts = &import->counts;

	op->op.seq = ++counts->ops;
	if (!op->process)
		op->process = op->op.pid;
	if (counts->ops == 1 || op->op.arrive_ns < counts->first_ns)
		counts->first_ns = op->op.arrive_ns;
	if (op->op.arrive_ns > counts->last_ns)
		counts->last_ns = op->op.arrive_ns;
	if (import->measuring)
		return 0;
	if (counts->ops % AGE_OPS == 0) {
		import->sink.age(import->sink.arg);
		import->names.era++;
	}
	return import->sink.op(import->sink.arg, op);
}

/* --- paths -------------------------------------------------------------------------------- */

void import_put_normal(struct slice path, struct bytes *out)
{
	while (path.len) {
		struct slice part = {path.at, slice_find(path, "/")};

		path = slice_from(path, part.len + 1);
		if (slice_is(part, "..")) {
			while (out->len && out->data[--out->len] != '/')
				continue;
		} else if (part.len && !slice_is(part, ".")) {
			bytes_put(out, "/", 1);
			bytes_put(out, part.at, part.len);
		}
	}
}

int import_path(struct import *import, struct slice path, struct import_file **ret_file)
{
	struct slice below = import->options->below, normal;

	import->path.len = 0;
	import_put_normal(path, &import->path);
	if (import->path.failed)
		return -ENOMEM;
	normal = (struct slice){(const char *)import->path.data, import->path.len};
	if (below.len) {
		if (normal.len < below.len || memcmp(normal.at, below.at, below.len) != 0 ||
		    (normal.len > below.len && normal.at[below.len] != '/'))
			return import_unused(import, IMPORT_OUTSIDE);
		normal = slice_from(normal, below.len);
	}
	*ret_file = names_walk(&import->names, NULL, normal);
	if (*ret_file)
		return 1;
	return errno == ENAMETOOLONG ? import_unused(import, IMPORT_NAME) : -ENOMEM;
}

void import_full_path(const struct import *import, const struct import_file *file,
		      struct bytes *out)
{
	if (import->options->below.len)
		bytes_put(out, import->options->below.at, import->options->below.len);
	names_path(file, out);
}
