/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traceall OUT: a trace with everything in it that the format can say, always the same: each kind
 * of operation, each argument, each record, names of any bytes, numbers of any size.
 */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bytes.h"
#include "core/summary.h"
#include "tests/lib/tool.h"
#include "trace/part.h"
#include "trace/snapshot.h"
#include "trace/writer.h"

static const char *const names[] = {
	"plain",    "a\nb",    "\xff\xfe", "quo\"te",  "back\\slash",
	"\x1b[31m", "blank s", "t\tab",    "\xc3\xa9", "",
};
#define NAMES (sizeof(names) / sizeof(names[0]))

static struct trace_bytes bytes_of(const char *text)
{
	return (struct trace_bytes){(const uint8_t *)text, strlen(text)};
}

static void write_files(struct trace_writer *writer)
{
	char path[64];

	for (unsigned int i = 0; i < NAMES; i++) {
		struct trace_file file = {
			.id = i * i + 1,
			.dev = 2049,
			.ino = UINT64_MAX - i,
			.generation = i ? UINT64_C(1700000000123456789) : 0,
			.size = UINT64_C(1) << (i * 6),
			.mode = (i & 1 ? S_IFREG : S_IFDIR) | 0640,
			.nlink = i,
			.flags = i & 15,
		};

		snprintf(path, sizeof(path), "/d/%s", names[i]);
		file.path = bytes_of(path);
		must(trace_write_file(writer, &file), "file");
	}
}

/* The i-th operation; each argument appears with small, large and repeated values. */
static void write_op(struct trace_writer *writer, unsigned int i)
{
	static const uint8_t hash[16] = {1,   2,   3,   4,   5,   6,   7,   8,
					 255, 254, 253, 252, 251, 250, 249, 248};
	uint64_t at = 1000000 + i * 12345;
	struct trace_op op = {
		.op = {.seq = i + 1,
		       .kind = (uint8_t)(i % OP_KINDS),
		       .arrive_ns = i % 7 ? at : at - 9999,
		       .issued_ns = i % 11 ? at + 100 : 0,
		       .backed_ns = i % 13 ? at + 5000 + i : 0,
		       .due_ns = i % 5 ? at : at + 20000000,
		       .done_ns = at + 9000 + i,
		       .file = i % 17 ? (i % NAMES) * (i % NAMES) + 1 : 0,
		       .offset = i % 3 ? (uint64_t)i * 4096 : (UINT64_C(1) << 40) + i,
		       .size = i % 2 ? 4096 : i,
		       .result = i % 4 ? (i % 2 ? 4096 : i) : 0,
		       .error = (uint16_t)(i % 19 ? 0 : 5),
		       .flags = (uint8_t)(i & 15),
		       .pid = 4000 + i % 3,
		       .uid = i % 23 ? 1000 : 0,
		       .gid = UINT32_MAX},
		.process = 4000,
		.comm = "sixteen letters!",
	};

	if (i % 3 == 1)
		memcpy(op.comm, "a\nb\xff\0\0\0\0\0\0\0\0\0\0\0\0", TRACE_COMM);
	for (unsigned int n = 0; n < TRACE_NUMBERS; n++) {
		if ((i + n) % 4)
			continue;
		op.have |= TRACE_HAVE(n);
		op.value[n] = i % 9 ? i * n : UINT64_MAX >> (n + i) % 64;
	}
	op.value[TRACE_PARENT] = 1;
	op.value[TRACE_NEW_PARENT] = i % 29 ? 5 : 777777;
	op.value[TRACE_TO_FILE] = i % 3;
	for (unsigned int n = 0; n < TRACE_TEXTS; n++) {
		if ((i + n) % 3)
			continue;
		op.have |= TRACE_HAVE_TEXT(n);
		op.text[n] = n == TRACE_HASH ? (struct trace_bytes){hash, sizeof(hash)}
					     : bytes_of(names[(i + n) % NAMES]);
	}
	must(trace_write_op(writer, &op), "op");
}

static void write_summary(struct trace_writer *writer)
{
	struct summary summary;
	struct bytes bytes = {0};

	summary_init(&summary);
	must(summary_add_property(&summary, "source", "/srv\n"), "property");
	must(summary_add_counter(&summary, "inflight", 3), "counter");
	summary.op[OP_READ].ops = 5;
	snapshot_encode(&summary, &bytes);
	must(trace_write_summary(writer, bytes.data, bytes.len), "summary");
	bytes_done(&bytes);
	summary_done(&summary);
}

int main(int argc, char **argv)
{
	struct trace_writer_options options = {.wall_offset_ns = UINT64_C(1700000000000000000),
					       .block_bytes = 4096};
	struct trace_writer *writer;
	struct part part;
	int fd;

	if (argc != 2)
		return 2;
	memset(options.id, 0xa5, TRACE_ID);
	fd = must(open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0644), argv[1]);
	part_init(&part, fd);
	must(trace_writer_new(&options, part_sink, &part, &writer), "writer");
	must(trace_write_property(writer, "host", "a\nb\xff"), "property");
	must(trace_write_mark(writer, 999999, "start", "for \"good\""), "mark");
	write_files(writer);
	must(trace_write_handle(writer, &(struct trace_handle){7, 5, 0100002}), "handle");
	for (unsigned int i = 0; i < 10 * OP_KINDS; i++)
		write_op(writer, i);
	trace_writer_dropped(writer, OP_WRITE, 3);
	trace_writer_filtered(writer, OP_SYNCFS, 1);
	must(trace_write_clock(writer, options.wall_offset_ns + 5), "clock");
	write_op(writer, 10 * OP_KINDS);
	write_summary(writer);
	must(trace_writer_end(writer), "end");
	must(part_finish(&part), "index");
	part_done(&part);
	trace_writer_free(writer);
	return close(fd) != 0;
}
