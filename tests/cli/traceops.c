// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints what is in a trace as the tests compare it: a line an event, everything that is set.
 *
 * Times are relative to the first argument (nanoseconds; 0 when not given). Read through the
 * library's reader, so that a test of an importer depends on no other command.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/reader.h"

static void print_bytes(struct trace_bytes bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		if (bytes.data[i] > ' ' && bytes.data[i] < 0x7f && bytes.data[i] != '\\')
			putchar(bytes.data[i]);
		else
			printf("\\x%02x", bytes.data[i]);
	}
}

static void print_path(const struct trace_file *file)
{
	if (!file) {
		putchar('-');
		return;
	}
	print_bytes(file->path);
	if (file->flags & TRACE_FILE_F_SIZE)
		printf("[%" PRIu64 "]", file->size);
	if (file->flags & TRACE_FILE_F_DELETED)
		fputs("(deleted)", stdout);
}

static void print_stamp(const char *name, uint64_t ns, uint64_t since)
{
	if (ns)
		printf(" %s=%" PRIu64, name, ns - since);
}

static void print_number(const char *name, uint64_t value)
{
	if (value)
		printf(" %s=%" PRIu64, name, value);
}

static bool is_file(unsigned int number)
{
	return number == TRACE_PARENT || number == TRACE_NEW_PARENT || number == TRACE_TO_FILE;
}

static void print_arguments(const struct trace_reader *reader, const struct trace_op *op)
{
	for (unsigned int i = 0; i < TRACE_NUMBERS; i++) {
		if (!(op->have & TRACE_HAVE(i)))
			continue;
		printf(" %s=", trace_number_key(i));
		if (is_file(i))
			print_path(trace_reader_file(reader, op->value[i]));
		else
			printf("%" PRIu64, op->value[i]);
	}
	for (unsigned int i = 0; i < TRACE_TEXTS; i++) {
		if (!(op->have & TRACE_HAVE_TEXT(i)))
			continue;
		printf(" %s=", trace_text_key(i));
		print_bytes(op->text[i]);
	}
}

static void print_op(const struct trace_reader *reader, const struct trace_event *event,
		     uint64_t since)
{
	const struct trace_op *op = event->op;

	printf("%s ", op_name(op->op.kind));
	print_path(event->file);
	printf(" at=%" PRIu64, op->op.arrive_ns + event->wall_offset_ns - since);
	print_stamp("issued", op->op.issued_ns, since);
	print_stamp("backed", op->op.backed_ns, since);
	print_stamp("done", op->op.done_ns, since);
	if (op->op.kind == OP_READ || op->op.kind == OP_WRITE || op->op.offset)
		printf(" off=%" PRIu64, op->op.offset);
	print_number("size", op->op.size);
	print_number("result", op->op.result);
	print_number("error", op->op.error);
	print_number("pid", op->op.pid);
	print_number("process", op->process != op->op.pid ? op->process : 0);
	print_number("uid", op->op.uid);
	if (op->comm[0])
		printf(" comm=%.*s", TRACE_COMM, op->comm);
	print_arguments(reader, op);
	putchar('\n');
}

static void print_event(const struct trace_reader *reader, const struct trace_event *event,
			uint64_t since)
{
	switch (event->kind) {
	case TRACE_EV_OP:
		print_op(reader, event, since);
		break;
	case TRACE_EV_PROPERTY:
		fputs("property ", stdout);
		print_bytes(event->name);
		putchar('=');
		print_bytes(event->value);
		putchar('\n');
		break;
	case TRACE_EV_HANDLE:
		printf("handle %" PRIu64 " of ", event->handle.id);
		print_path(trace_reader_file(reader, event->handle.file));
		putchar('\n');
		break;
	case TRACE_EV_END:
		puts("end");
		break;
	default:
		break;
	}
}

int main(int argc, char **argv)
{
	uint64_t since = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	const struct trace_event *event;
	struct trace_reader *reader;
	struct diag diag = {.file = "-"};
	int err = trace_reader_new(0, &diag, &reader);

	if (err) {
		fprintf(stderr, "traceops: %s\n", diag.text);
		return 1;
	}
	while ((err = trace_read(reader, &event)) > 0)
		print_event(reader, event, since);
	trace_reader_free(reader);
	return err ? 1 : 0;
}
