/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes synthetic traces: threads that look files up, open, read, write, close and rename them,
 * on a machine with so many servers. The same seed gives the same bytes.
 *
 * tracegen [WORD=VALUE]... OUT      OUT is a file, or - for the standard output
 *   ops=N       operations (100000)       files=N    files that exist before (1000)
 *   seed=N      (1)                       threads=N  (8)
 *   servers=N   that work at a time, the others queue; 0 = any number (0)
 *   service=NS  of every operation instead of a spread of its own
 *   think=NS    between two operations of a thread instead of 1 to 200 us
 *   hold=NS     what a model adds to each read
 *   drop=N      each N-th operation is not written but counted as dropped
 *   level=N     of zstd (1)               block=N    bytes of a block (1 MiB)
 *   begin=S     wall clock of the start (1767225600: 2026-01-01)
 *   mount=PATH  (/mnt/gen)                end=0      leave the end away, as after a kill
 *   snapshot=FILE  a summary of all operations, counted here, for weir stat
 */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bytes.h"
#include "core/clock.h"
#include "core/summary.h"
#include "tests/lib/tool.h"
#include "tests/lib/tracegen.h"
#include "trace/part.h"
#include "trace/snapshot.h"

#define SERVERS_MAX 1024
#define AGE_OPS 262144 /* files not used for so long are defined anew */

struct run {
	struct gen gen;
	struct part part;
	struct trace_writer *writer;
	struct summary summary;
	uint64_t server_ns[SERVERS_MAX]; /* free from then on */
	uint64_t servers;
	uint64_t service_ns;
	uint64_t think_ns;
	uint64_t hold_ns;
	uint64_t drop;
	uint64_t end;
	uint64_t level;
	uint64_t block;
	uint64_t begin_s;
	const char *mount;
	const char *snapshot;
};

static void check(int err, const char *what)
{
	if (!err)
		return;
	errno = -err;
	die(what);
}

/* Between low and high, every octave equally likely. */
static uint64_t spread(struct rng *rng, uint64_t low, uint64_t high)
{
	unsigned int octaves = 63u - (unsigned int)__builtin_clzll(high / low);
	uint64_t base = low << rng_below(rng, octaves + 1);

	return base + rng_below(rng, base);
}

static uint64_t service_of(struct run *run, const struct op *op)
{
	struct rng *rng = &run->gen.rng;

	if (run->service_ns)
		return run->service_ns - run->service_ns / 20 +
		       rng_below(rng, run->service_ns / 10 + 1);
	switch (op_class((enum op_kind)op->kind)) {
	case OP_CLASS_READ:
		/* One of eight isn't cached. */
		return rng_below(rng, 8) ? spread(rng, 4000, 16000) : spread(rng, 60000, 4000000);
	case OP_CLASS_WRITE:
		return spread(rng, 8000, 64000);
	case OP_CLASS_SYNC:
		return spread(rng, 100000, 8000000);
	default:
		return spread(rng, 800, 12000);
	}
}

/* The first server that is free. */
static uint64_t *server_of(struct run *run)
{
	uint64_t *best = &run->server_ns[0];

	for (uint64_t i = 1; i < run->servers; i++) {
		if (run->server_ns[i] < *best)
			best = &run->server_ns[i];
	}
	return best;
}

static void stamp(struct run *run, struct gen_thread *thread)
{
	struct rng *rng = &run->gen.rng;
	struct op *op = &thread->op.op;
	uint64_t *server = server_of(run);

	op->arrive_ns =
		thread->now_ns + (run->think_ns ? run->think_ns : spread(rng, 1000, 200000));
	op->issued_ns = op->arrive_ns + 300 + rng_below(rng, 900);
	if (run->servers && *server > op->issued_ns)
		op->issued_ns = *server;
	op->backed_ns = op->issued_ns + service_of(run, op);
	if (run->servers)
		*server = op->backed_ns;
	op->due_ns = op->arrive_ns;
	op->done_ns = op->backed_ns + 200 + rng_below(rng, 600);
	if (run->hold_ns && op->kind == OP_READ) {
		op->due_ns = op->arrive_ns + run->hold_ns;
		if (op->due_ns > op->backed_ns)
			op->done_ns = op->due_ns + 2000 + rng_below(rng, 4000);
	}
	thread->now_ns = op->done_ns;
	op->seq = ++run->gen.seq;
}

/* --- what came out, counted without the tool ------------------------------------------------ */

static void record(struct hist **slot, uint64_t ns)
{
	if (!*slot)
		*slot = must_have(hist_new(HIST_OP_BITS));
	hist_record(*slot, ns);
}

static void count_error(struct summary *summary, const struct op *op)
{
	struct error_summary *row;

	for (size_t i = 0; i < summary->error_count; i++) {
		row = &summary->errors[i];
		if (row->kind == op->kind && row->error == op->error) {
			row->count++;
			return;
		}
	}
	row = must_have(summary_add_error(summary));
	*row = (struct error_summary){op->kind, op->error, 1};
}

static void count(struct summary *summary, const struct op *op)
{
	struct op_summary *sum = &summary->op[op->kind];
	enum op_class class = op_class((enum op_kind)op->kind);
	bool held = op->due_ns > op->backed_ns;

	sum->ops++;
	sum->bytes += op->result;
	if (op->error) {
		sum->errors++;
		count_error(summary, op);
	}
	if (class == OP_CLASS_READ || class == OP_CLASS_WRITE)
		sum->size[summary_size_bucket(op->size)]++;
	record(&sum->dur[DUR_SERVICE], op->backed_ns - op->issued_ns);
	record(&sum->dur[DUR_TOTAL], op->done_ns - op->arrive_ns);
	if (held)
		record(&sum->dur[DUR_HOLD], op->done_ns - op->backed_ns);
}

static void save_snapshot(const struct run *run)
{
	struct bytes out = {0};
	int fd = must(open(run->snapshot, O_WRONLY | O_CREAT | O_TRUNC, 0666), run->snapshot);

	snapshot_encode(&run->summary, &out);
	if (out.failed || write(fd, out.data, out.len) != (ssize_t)out.len || close(fd))
		die(run->snapshot);
	bytes_done(&out);
}

/* --- the trace ------------------------------------------------------------------------------ */

static void define(void *arg, const struct trace_file *file)
{
	struct run *run = arg;

	check(trace_write_file(run->writer, file), "write");
}

static struct gen_thread *first_done(struct gen *gen)
{
	struct gen_thread *best = &gen->thread[0];

	for (uint64_t i = 1; i < gen->threads; i++) {
		if (gen->thread[i].op.op.done_ns < best->op.op.done_ns)
			best = &gen->thread[i];
	}
	return best;
}

static void emit(struct run *run, uint64_t i, const struct trace_op *op)
{
	if (run->drop && (i + 1) % run->drop == 0) {
		trace_writer_dropped(run->writer, op->op.kind, 1);
		return;
	}
	count(&run->summary, &op->op);
	check(trace_write_op(run->writer, op), "write");
}

static void generate(struct run *run)
{
	struct gen *gen = &run->gen;

	for (uint64_t i = 0; i < gen->threads; i++) {
		gen_next(gen, &gen->thread[i]);
		stamp(run, &gen->thread[i]);
	}
	for (uint64_t i = 0; i < gen->ops; i++) {
		struct gen_thread *thread = first_done(gen);

		emit(run, i, &thread->op);
		gen_next(gen, thread);
		stamp(run, thread);
		if (i % AGE_OPS == AGE_OPS - 1)
			trace_writer_age(run->writer);
	}
}

static void open_trace(struct run *run, int fd)
{
	struct trace_writer_options options = {
		.wall_offset_ns = run->begin_s * NS_PER_S - GEN_START_NS,
		.level = (int)run->level,
		.block_bytes = run->block,
	};
	struct rng rng = {run->gen.rng.state ^ run->begin_s};

	for (size_t i = 0; i < TRACE_ID; i++)
		options.id[i] = (uint8_t)rng_next(&rng);
	part_init(&run->part, fd);
	check(trace_writer_new(&options, part_sink, &run->part, &run->writer), "writer");
	check(trace_write_property(run->writer, "mountpoint", run->mount), "write");
	check(trace_write_property(run->writer, "source", "/srv/gen"), "write");
	check(trace_write_property(run->writer, "version", PACKAGE_VERSION), "write");
	check(trace_write_mark(run->writer, GEN_START_NS, "start", "tracegen"), "write");
}

static void close_trace(struct run *run)
{
	uint64_t stop_ns = 0;

	for (uint64_t i = 0; i < run->gen.threads; i++) {
		if (run->gen.thread[i].now_ns > stop_ns)
			stop_ns = run->gen.thread[i].now_ns;
	}
	if (run->end) {
		check(trace_write_mark(run->writer, stop_ns, "stop", "tracegen"), "write");
		check(trace_writer_end(run->writer), "write");
		check(part_finish(&run->part), "write");
	} else {
		check(trace_writer_flush(run->writer), "write");
	}
	trace_writer_free(run->writer);
	part_done(&run->part);
}

struct word {
	const char *name;
	uint64_t *value;
	const char **text;
};

static void parse(struct run *run, char *word)
{
	struct gen *gen = &run->gen;
	const struct word words[] = {
		{"ops", &gen->ops, NULL},           {"files", &gen->files, NULL},
		{"seed", &gen->rng.state, NULL},    {"threads", &gen->threads, NULL},
		{"servers", &run->servers, NULL},   {"service", &run->service_ns, NULL},
		{"think", &run->think_ns, NULL},    {"hold", &run->hold_ns, NULL},
		{"drop", &run->drop, NULL},         {"end", &run->end, NULL},
		{"level", &run->level, NULL},       {"block", &run->block, NULL},
		{"begin", &run->begin_s, NULL},     {"mount", NULL, &run->mount},
		{"snapshot", NULL, &run->snapshot},
	};
	char *value = strchr(word, '=');

	for (size_t i = 0; value && i < sizeof(words) / sizeof(words[0]); i++) {
		if (strncmp(words[i].name, word, (size_t)(value - word)) != 0 ||
		    words[i].name[value - word])
			continue;
		if (words[i].text)
			*words[i].text = value + 1;
		else
			*words[i].value = number(value + 1);
		return;
	}
	errno = EINVAL;
	die(word);
}

int main(int argc, char **argv)
{
	struct run *run = must_have(calloc(1, sizeof(*run)));
	int fd = STDOUT_FILENO;

	*run = (struct run){
		.gen = {.ops = 100000, .files = 1000, .threads = 8, .rng = {1}},
		.end = 1,
		.begin_s = 1767225600,
		.mount = "/mnt/gen",
	};
	if (argc < 2)
		return 2;
	for (int i = 1; i < argc - 1; i++)
		parse(run, argv[i]);
	if (run->gen.threads < 1 || run->servers > SERVERS_MAX || run->gen.files < 1)
		return 2;
	if (strcmp(argv[argc - 1], "-") != 0)
		fd = must(open(argv[argc - 1], O_WRONLY | O_CREAT | O_TRUNC, 0666), argv[argc - 1]);
	summary_init(&run->summary);
	open_trace(run, fd);
	gen_init(&run->gen, define, run);
	generate(run);
	close_trace(run);
	if (run->snapshot)
		save_snapshot(run);
	gen_done(&run->gen);
	summary_done(&run->summary);
	must(close(fd), "close");
	free(run);
	return 0;
}
