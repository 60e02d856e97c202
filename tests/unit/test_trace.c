// SPDX-License-Identifier: GPL-2.0-or-later
/* Traces: what is written comes back, and what is damaged costs no more than itself. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/rng.h"
#include "trace/part.h"
#include "trace/reader.h"
#include "trace/writer.h"

#define WALL UINT64_C(1700000000000000000)
#define FILES 50
/* Sanitizers make it slow: then not at every byte. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CUT_STEP 13
#else
#define CUT_STEP 1
#endif
#define CUT_OPS 1000 /* somewhat more than 64 KiB */

static struct trace_op ops[20000];
static char names[20000][24];

static void make_op(struct rng *rng, unsigned int i)
{
	struct trace_op *op = &ops[i];
	uint64_t at = 1000000 + i * 1000 + rng_below(rng, 900);

	memset(op, 0, sizeof(*op));
	op->op.kind = (uint8_t)rng_below(rng, OP_KINDS);
	op->op.seq = i + 1;
	op->op.arrive_ns = at;
	op->op.issued_ns = at + rng_below(rng, 300);
	op->op.backed_ns = rng_below(rng, 10) ? op->op.issued_ns + rng_below(rng, 9000) : 0;
	op->op.due_ns = rng_below(rng, 5) ? at : at + 20000000;
	op->op.done_ns = op->op.issued_ns + rng_below(rng, 100000);
	op->op.file = 1 + rng_below(rng, FILES);
	op->op.offset = rng_below(rng, 4) ? rng_next(rng) >> 24 : 0;
	op->op.size = rng_below(rng, 1 << 20);
	op->op.result = rng_below(rng, 3) ? op->op.size : 0;
	op->op.error = rng_below(rng, 9) ? 0 : 5;
	op->op.flags = (uint8_t)rng_below(rng, 16);
	op->op.pid = 100 + (uint32_t)rng_below(rng, 7);
	op->process = 100;
	op->op.uid = 1000;
	op->op.gid = 100;
	memcpy(op->comm, "sixteen letters!", TRACE_COMM);
	/* About a quarter of the arguments. */
	op->have = rng_next(rng) & (TRACE_HAVE(TRACE_NUMBERS) - 1);
	op->have &= rng_next(rng);
	for (unsigned int n = 0; n < TRACE_NUMBERS; n++)
		op->value[n] = rng_next(rng) >> rng_below(rng, 64);
	op->value[TRACE_PARENT] = 1 + rng_below(rng, FILES);
	op->value[TRACE_NEW_PARENT] = rng_below(rng, FILES);
	op->value[TRACE_TO_FILE] = 1 + rng_below(rng, FILES);
	if (rng_below(rng, 2)) {
		op->have |= TRACE_HAVE_TEXT(TRACE_NAME);
		snprintf(names[i], sizeof(names[i]), "n\n\xff%u", i);
		op->text[TRACE_NAME] =
			(struct trace_bytes){(const uint8_t *)names[i], strlen(names[i])};
	}
}

static void assert_same(const struct trace_op *got, const struct trace_op *want)
{
	assert_memory_equal(&got->op, &want->op, sizeof(struct op));
	assert_int_equal(got->process, want->process);
	assert_memory_equal(got->comm, want->comm, TRACE_COMM);
	assert_int_equal(got->have, want->have);
	for (unsigned int n = 0; n < TRACE_NUMBERS; n++) {
		if (want->have & TRACE_HAVE(n))
			assert_int_equal(got->value[n], want->value[n]);
	}
	if (want->have & TRACE_HAVE_TEXT(TRACE_NAME)) {
		assert_int_equal(got->text[TRACE_NAME].len, want->text[TRACE_NAME].len);
		assert_memory_equal(got->text[TRACE_NAME].data, want->text[TRACE_NAME].data,
				    want->text[TRACE_NAME].len);
	}
}

static void define_files(struct trace_writer *writer)
{
	for (unsigned int i = 1; i <= FILES; i++) {
		char path[32];
		struct trace_file file = {.id = i, .dev = 5, .ino = 1000 + i, .mode = S_IFREG};

		snprintf(path, sizeof(path), "/d/\xfe%u", i);
		file.path = (struct trace_bytes){(const uint8_t *)path, strlen(path)};
		assert_int_equal(trace_write_file(writer, &file), 0);
	}
}

/* A trace of n operations in an unlinked file, at its beginning. */
static int make_trace(unsigned int n, size_t block_bytes)
{
	char path[] = "/tmp/weir-test-XXXXXX";
	int fd = mkstemp(path);
	struct trace_writer_options options = {.wall_offset_ns = WALL, .block_bytes = block_bytes};
	struct trace_writer *writer;
	struct rng rng = {.state = 42};
	struct part part;

	assert_true(fd >= 0);
	unlink(path);
	part_init(&part, fd);
	trace_new_id(options.id);
	assert_int_equal(trace_writer_new(&options, part_sink, &part, &writer), 0);
	assert_int_equal(trace_write_property(writer, "host", "a\nb"), 0);
	define_files(writer);
	assert_int_equal(trace_write_mark(writer, 1234, "start", "because"), 0);
	for (unsigned int i = 0; i < n; i++) {
		make_op(&rng, i);
		assert_int_equal(trace_write_op(writer, &ops[i]), 0);
	}
	trace_writer_dropped(writer, OP_READ, 7);
	assert_int_equal(trace_write_summary(writer, "snap", 4), 0);
	assert_int_equal(trace_writer_end(writer), 0);
	assert_int_equal(part_finish(&part), 0);
	trace_writer_free(writer);
	part_done(&part);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void what_is_written_comes_back(void **state)
{
	scoped_fd int fd = make_trace(20000, 0);
	const struct trace_event *event;
	struct trace_damage damage;
	struct trace_reader *reader;
	struct diag diag = {0};
	unsigned int n = 0, marks = 0, properties = 0, summaries = 0, ends = 0;
	uint64_t dropped = 0;
	int err;

	(void)state;
	assert_int_equal(trace_reader_new(fd, &diag, &reader), 0);
	while ((err = trace_read(reader, &event)) == 1) {
		assert_int_equal(event->wall_offset_ns, WALL);
		if (event->kind == TRACE_EV_OP) {
			const struct trace_file *file =
				trace_reader_file(reader, event->op->op.file);

			assert_same(event->op, &ops[n++]);
			assert_ptr_equal(file, event->file);
			assert_int_equal(file->ino, 1000 + event->op->op.file);
			assert_memory_equal(file->path.data, "/d/\xfe", 4);
		}
		marks += event->kind == TRACE_EV_MARK && event->mono_ns == 1234;
		properties += event->kind == TRACE_EV_PROPERTY;
		summaries += event->kind == TRACE_EV_SUMMARY && event->value.len == 4;
		ends += event->kind == TRACE_EV_END;
		if (event->kind == TRACE_EV_COUNTS)
			dropped = event->counts->dropped[OP_READ];
	}
	assert_int_equal(err, 0);
	assert_int_equal(n, 20000);
	assert_int_equal(marks, 1);
	assert_int_equal(properties, 1);
	assert_int_equal(summaries, 1);
	assert_int_equal(ends, 1);
	assert_int_equal(dropped, 7);
	trace_reader_damage(reader, &damage);
	assert_int_equal(damage.bytes, 0);
	assert_int_equal(damage.blocks_missing, 0);
	assert_false(damage.torn);
	trace_reader_free(reader);
}

/* Reads all; operations must be those written, perhaps with gaps. Returns how many. */
static unsigned int count_ops(int fd, struct trace_damage *ret_damage)
{
	const struct trace_event *event;
	struct trace_reader *reader;
	struct diag diag = {0};
	unsigned int n = 0;
	int err;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	err = trace_reader_new(fd, &diag, &reader);
	*ret_damage = (struct trace_damage){.torn = true};
	if (err) {
		assert_int_equal(err, -EPROTO);
		assert_true(diag.text[0]);
		return 0;
	}
	while ((err = trace_read(reader, &event)) == 1) {
		if (event->kind == TRACE_EV_OP) {
			const struct op *op = &event->op->op;

			/* Cheap: it is done many million times. */
			if (memcmp(op, &ops[op->seq - 1].op, sizeof(*op)) != 0)
				fail_msg("operation %llu differs", (unsigned long long)op->seq);
			n++;
		}
	}
	assert_int_equal(err, 0);
	trace_reader_damage(reader, ret_damage);
	trace_reader_free(reader);
	return n;
}

static void cut_anywhere_all_whole_blocks_are_read(void **state)
{
	scoped_fd int fd = make_trace(CUT_OPS, 4096);
	struct trace_damage damage;
	unsigned int n, last = CUT_OPS;
	off_t size = lseek(fd, 0, SEEK_END);

	(void)state;
	assert_true(size > 65536);
	assert_int_equal(count_ops(fd, &damage), CUT_OPS);
	assert_false(damage.torn);
	for (off_t at = size - 1; at > size - 65536; at -= CUT_STEP) {
		assert_int_equal(ftruncate(fd, at), 0);
		n = count_ops(fd, &damage);
		assert_true(n <= last);
		/* Nothing is lost but by blocks. */
		assert_true(last - n < 120);
		assert_true(at > size - 20000 || damage.torn);
		last = n;
	}
}

static void a_flipped_bit_costs_its_block(void **state)
{
	scoped_fd int fd = make_trace(3000, 4096);
	struct trace_damage damage;
	struct rng rng = {.state = 1};
	off_t size = lseek(fd, 0, SEEK_END);

	(void)state;
	for (int i = 0; i < 2000 / CUT_STEP; i++) {
		off_t at = (off_t)rng_below(&rng, (uint64_t)size);
		uint8_t byte, flipped;
		unsigned int n;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		flipped = (uint8_t)(byte ^ 1u << rng_below(&rng, 8));
		assert_int_equal(pwrite(fd, &flipped, 1, at), 1);
		n = count_ops(fd, &damage);
		assert_true(n >= 3000 - 120);
		assert_true(n == 3000 || damage.bytes || damage.blocks_missing);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
}

static void a_window_skips_what_lies_outside(void **state)
{
	scoped_fd int fd = make_trace(20000, 16384);
	const struct trace_event *event;
	struct trace_position position;
	struct trace_reader *reader;
	struct diag diag = {0};
	uint64_t from = 1000000 + 15000 * 1000, to = from + 100 * 1000;
	unsigned int n = 0, want = 0;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++)
		want += ops[i].op.arrive_ns >= from && ops[i].op.arrive_ns < to;
	assert_int_equal(trace_reader_new(fd, &diag, &reader), 0);
	trace_reader_window(reader, from + WALL, to + WALL);
	while (trace_read(reader, &event) == 1)
		n += event->kind == TRACE_EV_OP;
	assert_int_equal(n, want);
	assert_true(n >= 99 && n <= 101);
	trace_reader_position(reader, &position);
	assert_true(position.blocks < 10);
	trace_reader_free(reader);
}

static int fail_every_third(void *arg, const struct trace_frame *frame)
{
	unsigned int *calls = arg;

	return ++*calls % 3 ? 0 : -ENOSPC;
}

static void what_the_sink_refuses_is_counted(void **state)
{
	struct trace_writer_options options = {.block_bytes = 4096};
	const struct trace_counts *counts;
	struct trace_writer *writer;
	struct rng rng = {.state = 3};
	unsigned int calls = 0;
	uint64_t performed[OP_KINDS] = {0}, dropped = 0;

	(void)state;
	assert_int_equal(trace_writer_new(&options, fail_every_third, &calls, &writer), 0);
	for (unsigned int i = 0; i < 20000; i++) {
		int err;

		make_op(&rng, i);
		err = trace_write_op(writer, &ops[i]);
		assert_true(!err || err == -ENOSPC);
		performed[ops[i].op.kind]++;
	}
	trace_writer_flush(writer);
	counts = trace_writer_counts(writer);
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		assert_int_equal(performed[kind], counts->written[kind] + counts->dropped[kind]);
		dropped += counts->dropped[kind];
	}
	assert_true(dropped > 4000 && dropped < 10000);
	trace_writer_free(writer);
}

static void files_that_age_are_defined_anew(void **state)
{
	char path[] = "/tmp/weir-test-XXXXXX";
	scoped_fd int fd = mkstemp(path);
	struct trace_writer_options options = {0};
	const struct trace_event *event;
	struct trace_writer *writer;
	struct trace_reader *reader;
	struct diag diag = {0};
	struct rng rng = {.state = 9};
	struct part part;
	unsigned int known = 0, unknown = 0;

	(void)state;
	unlink(path);
	part_init(&part, fd);
	assert_int_equal(trace_writer_new(&options, part_sink, &part, &writer), 0);
	define_files(writer);
	for (unsigned int i = 0; i < 6; i++) {
		make_op(&rng, i);
		ops[i].have = 0;
		ops[i].op.file = i == 5 ? 2 : 1; /* 2 is not used for long: forgotten */
		assert_int_equal(trace_write_op(writer, &ops[i]), 0);
		assert_int_equal(trace_writer_flush(writer), 0);
		trace_writer_age(writer);
	}
	trace_writer_free(writer);
	part_done(&part);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(trace_reader_new(fd, &diag, &reader), 0);
	while (trace_read(reader, &event) == 1) {
		if (event->kind != TRACE_EV_OP)
			continue;
		known += event->file->path.len > 1;
		unknown += event->file->path.len == 1 && event->file->path.data[0] == '?';
	}
	assert_int_equal(known, 5);
	assert_int_equal(unknown, 1);
	trace_reader_free(reader);
}

static void what_is_no_trace_is_refused(void **state)
{
	char path[] = "/tmp/weir-test-XXXXXX";
	scoped_fd int fd = mkstemp(path);
	struct trace_reader *reader;
	struct diag diag = {0};

	(void)state;
	unlink(path);
	assert_int_equal(trace_reader_new(fd, &diag, &reader), -EPROTO);
	assert_non_null(strstr(diag.text, "empty"));
	assert_int_equal(write(fd, "#!/bin/sh\necho hello, this is no trace\n", 39), 39);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(trace_reader_new(fd, &diag, &reader), -EPROTO);
	assert_non_null(strstr(diag.text, "not a trace"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("what is written comes back", what_is_written_comes_back),
		TEST("cut anywhere all whole blocks are read",
		     cut_anywhere_all_whole_blocks_are_read),
		TEST("a flipped bit costs its block", a_flipped_bit_costs_its_block),
		TEST("a window skips what lies outside", a_window_skips_what_lies_outside),
		TEST("what the sink refuses is counted", what_the_sink_refuses_is_counted),
		TEST("files that age are defined anew", files_that_age_are_defined_anew),
		TEST("what is no trace is refused", what_is_no_trace_is_refused),
	};

	return RUN(tests);
}
