/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracecases OUT: a short trace of what is awkward to say in other formats: names of any bytes,
 * a file that is renamed, a huge write, a hole, errors, a hold, operations at the same time, one
 * of two hours, one without a process, a file that was open before. Always the same.
 */
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/lib/tool.h"
#include "trace/part.h"
#include "trace/writer.h"

#define US UINT64_C(1000)
#define S UINT64_C(1000000000)
#define BEGIN S /* the monotonic clock when it begins */

enum { PLAIN = 1, BLANK, PERCENT, BYTES, QUOTES, LONG, NAMELESS, RENAMED, FILES = RENAMED };

static struct trace_bytes bytes_of(const char *text)
{
	return (struct trace_bytes){(const uint8_t *)text, strlen(text)};
}

static void define(struct trace_writer *writer, uint64_t id, const char *path)
{
	struct trace_file file = {
		.id = id, .ino = id, .mode = 0100644, .nlink = 1, .path = bytes_of(path)};

	must(trace_write_file(writer, &file), "file");
}

static void define_all(struct trace_writer *writer)
{
	static const char *const paths[] = {
		[PLAIN] = "/plain",
		[BLANK] = "/with blank",
		[PERCENT] = "/100%",
		[BYTES] = "/bytes\xff\xfe",
		[QUOTES] = "/back\\slash \"quoted\"\n",
		[NAMELESS] = "?",
		[RENAMED] = "/new.tmp",
	};
	char name[302];

	memset(name, 'n', sizeof(name));
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	for (uint64_t id = 1; id <= FILES; id++)
		define(writer, id, id == LONG ? name : paths[id]);
}

/* An operation of thread 4001 of process 4000 on a file, at so many us, for so many. */
static struct trace_op op_of(uint8_t kind, uint64_t file, uint64_t at_us, uint64_t us)
{
	static uint64_t seq;
	struct trace_op op = {
		.op = {.seq = ++seq,
		       .kind = kind,
		       .file = file,
		       .arrive_ns = BEGIN + at_us * US,
		       .issued_ns = BEGIN + at_us * US + 100,
		       .backed_ns = BEGIN + (at_us + us) * US - 200,
		       .due_ns = BEGIN + at_us * US,
		       .done_ns = BEGIN + (at_us + us) * US,
		       .pid = 4001,
		       .uid = 1000,
		       .gid = 100},
		.process = 4000,
		.comm = "worker \"1\"",
	};

	return op;
}

static void put(struct trace_writer *writer, const struct trace_op *op)
{
	must(trace_write_op(writer, op), "op");
}

static void put_io(struct trace_writer *writer, struct trace_op op, uint64_t offset, uint64_t size,
		   uint64_t result)
{
	op.op.offset = offset;
	op.op.size = size;
	op.op.result = result;
	put(writer, &op);
}

/* open, read, close of each file, whatever its name is. */
static void put_names(struct trace_writer *writer)
{
	for (uint64_t file = PLAIN; file <= NAMELESS; file++) {
		uint64_t at_us = 10 + file * 100;
		struct trace_op op = op_of(OP_OPEN, file, at_us, 5);

		op.have = TRACE_HAVE(TRACE_HANDLE) | TRACE_HAVE(TRACE_FLAGS);
		op.value[TRACE_HANDLE] = file;
		op.value[TRACE_FLAGS] = 0100002;
		put(writer, &op);
		put_io(writer, op_of(OP_READ, file, at_us + 10, 20), 4096, 8192, 4096);
		op = op_of(OP_RELEASE, file, at_us + 40, 1);
		put(writer, &op);
	}
}

static void put_renamed(struct trace_writer *writer)
{
	struct trace_op op = op_of(OP_CREATE, RENAMED, 1000, 10);

	put(writer, &op);
	put_io(writer, op_of(OP_WRITE, RENAMED, 1020, 10), 0, 512, 512);
	op = op_of(OP_RENAME, RENAMED, 1040, 10);
	op.have = TRACE_HAVE_TEXT(TRACE_NAME) | TRACE_HAVE_TEXT(TRACE_NEW_NAME);
	op.text[TRACE_NAME] = bytes_of("new.tmp");
	op.text[TRACE_NEW_NAME] = bytes_of("new\xff");
	put(writer, &op);
	define(writer, RENAMED, "/new\xff");
	put_io(writer, op_of(OP_WRITE, RENAMED, 1060, 10), 512, 512, 512);
	op = op_of(OP_FSYNC, RENAMED, 1080, 10);
	op.have = TRACE_HAVE(TRACE_DATASYNC);
	op.value[TRACE_DATASYNC] = 1;
	put(writer, &op);
	op = op_of(OP_FSYNC, RENAMED, 1100, 10);
	put(writer, &op);
}

static void put_ranges(struct trace_writer *writer)
{
	struct trace_op op = op_of(OP_FALLOCATE, PLAIN, 1200, 10);

	op.have = TRACE_HAVE(TRACE_FLAGS);
	op.value[TRACE_FLAGS] = 3; /* punch a hole, keep the size */
	put_io(writer, op, 65536, 4096, 0);
	op.value[TRACE_FLAGS] = 1; /* only keep the size: no hole */
	put_io(writer, op, 0, 4096, 0);
	put_io(writer, op_of(OP_WRITE, PLAIN, 1220, 10), 1, (UINT64_C(5) << 30) + 7,
	       (UINT64_C(5) << 30) + 7);
	put_io(writer, op_of(OP_READ, PLAIN, 1240, 10), UINT64_C(6) << 30, 4096, 0);
	op = op_of(OP_READ, PLAIN, 1260, 10);
	op.op.error = 5;
	put_io(writer, op, 0, 4096, 0);
	op = op_of(OP_MKDIR, PLAIN, 1280, 10);
	put(writer, &op);
}

/* At the same time; in the order in which they were answered. */
static void put_overlaps(struct trace_writer *writer)
{
	struct trace_op op = op_of(OP_READ, PLAIN, 2000, 100);

	put_io(writer, op_of(OP_READ, PLAIN, 2010, 10), 0, 4096, 4096);
	put_io(writer, op_of(OP_READ, PLAIN, 2015, 15), 0, 4096, 4096);
	put_io(writer, op_of(OP_READ, PLAIN, 2030, 10), 0, 4096, 4096);
	op.op.backed_ns = BEGIN + 2020 * US;
	op.op.due_ns = BEGIN + 2099 * US;
	put_io(writer, op, 0, 4096, 4096);
	op = op_of(OP_WRITE, PLAIN, 2200, 50);
	op.process = op.op.pid = 0;
	memset(op.comm, 0, sizeof(op.comm));
	put_io(writer, op, 0, 4096, 4096);
	op = op_of(OP_FORGET, PLAIN, 2300, 10);
	op.op.issued_ns = op.op.backed_ns = op.op.due_ns = op.op.done_ns = 0;
	put(writer, &op);
}

int main(int argc, char **argv)
{
	struct trace_writer_options options = {.wall_offset_ns = UINT64_C(1700000000) * S - BEGIN};
	struct trace_writer *writer;
	struct part part;
	int fd;

	if (argc != 2)
		return 2;
	memset(options.id, 0x5a, TRACE_ID);
	fd = must(open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0644), argv[1]);
	part_init(&part, fd);
	must(trace_writer_new(&options, part_sink, &part, &writer), "writer");
	must(trace_write_property(writer, "mountpoint", "/mnt/\"cases\"\xff"), "property");
	must(trace_write_property(writer, "no \"key\"", "of JSON"), "property");
	must(trace_write_mark(writer, BEGIN, "start", ""), "mark");
	define_all(writer);
	put_io(writer, op_of(OP_READ, BLANK, 1, 5), 0, 100, 100); /* open before the trace */
	put_names(writer);
	put_renamed(writer);
	must(trace_write_mark(writer, BEGIN + 1150 * US, "model", "set \"x\"\n"), "mark");
	put_ranges(writer);
	put_overlaps(writer);
	put_io(writer, op_of(OP_READ, PLAIN, 3000, 7200 * UINT64_C(1000000)), 0, 4096, 4096);
	must(trace_writer_end(writer), "end");
	must(part_finish(&part), "finish");
	trace_writer_free(writer);
	part_done(&part);
	return 0;
}
