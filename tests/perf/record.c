// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the recorder costs, without kernel and file system: the thread that answers an operation,
 * the tracer, and how much both can take.
 *
 *   make tests/perf/record && tests/perf/record DIRECTORY [OPERATIONS]
 *
 * Traces go to DIRECTORY, and are removed. For each kind of operation: ns that recording adds (the
 * median of turns with and without a trace, taken alternately), ns of the tracer and of the writing
 * thread a record, bytes a record, and how many records a second go through when operations wait
 * for room instead of being dropped.
 */
#include "config.h"

#include "tests/lib/tool.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.h"
#include "weirfs/log.h"
#include "weirfs/request.h"
#include "weirfs/tracer.h"
#include "weirfs/tracing.h"
#include "weirfs/weirfs.h"

#define TURNS 15
#define FILES 1000u

static struct weirfs fs;
static struct inode *file_inode[FILES];
static struct file *open_file[FILES];
static struct statx stx;
static pid_t process;

/* --- a mount without a kernel --------------------------------------------------------------- */

static void set_up(const char *directory, char *trace)
{
	char text[64];

	options_init(&fs.options);
	fs.options.source = must_have(strdup(directory));
	fs.options.mountpoint = must_have(strdup("/nowhere"));
	fs.options.trace = trace;
	fs.options.trace_inside = true;
	fs.backing_name = "none";
	fs.root_fd = must(open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC), directory);
	must(statx(fs.root_fd, "", AT_EMPTY_PATH, TREE_STATX_MASK, &stx), directory);
	handle_mounts_init(&fs.mounts, fs.root_fd);
	stats_init(&fs.stats);
	locks_init(&fs.locks, &fs);
	if (tree_init(&fs.tree, &stx) ||
	    fdcache_init(&fs.fdcache, &fs.tree, &fs.mounts, fs.root_fd, 64) ||
	    files_init(&fs.files, &fs.tree, 1000) || delayq_init(&fs.delayq, 0) ||
	    delayq_init(&fs.waitq, 0) || recorder_init(&fs.recorder, &fs))
		die("set up");
	shaper_init(&fs.shaper, &fs.tree);
	stx.stx_mode = S_IFREG | 0644;
	for (unsigned int i = 0; i < FILES; i++) {
		stx.stx_ino = 1000000 + i;
		file_inode[i] = must_have(tree_inode(&fs.tree, &stx));
		snprintf(text, sizeof(text), "some-file-%u.dat", i);
		if (tree_link(&fs.tree, fs.tree.root, text, file_inode[i]))
			die("link");
		open_file[i] = must_have(file_new(&fs.tree, file_inode[i], -1, O_RDWR));
	}
}

static void one_op(enum op_kind kind, uint64_t i)
{
	struct inode *inode = file_inode[i % FILES];
	struct request request;

	memset(&request, 0, offsetof(struct request, reply.stx));
	memset(&request.reply.fi, 0, sizeof(request) - offsetof(struct request, reply.fi));
	request.fs = &fs;
	request.op.kind = (uint8_t)kind;
	request.op.pid = (uint32_t)process;
	request.caller.pid = process;
	request.inode = inode;
	if (kind == OP_LOOKUP) {
		request.inode = fs.tree.root;
		request.about = inode;
		request.arg.make.name = "some-file-0.dat";
		request.reply.kind = REPLY_ENTRY;
	} else if (kind == OP_GETATTR) {
		request.reply.kind = REPLY_ATTR;
	} else {
		request.file = open_file[i % FILES];
		request.op.offset = i * 4096;
		request.op.size = request.op.result = 4096;
	}
	if (request.reply.kind)
		request.reply.stx = stx;
	request.op.seq = i;
	request.op.arrive_ns = request.op.due_ns = clock_mono_ns();
	if (recorder_is_on(&fs.recorder))
		recorder_begin(&request);
	request.op.issued_ns = request.op.backed_ns = request.op.done_ns = clock_mono_ns();
	if (request.traced)
		recorder_end(&request);
}

/* Time of the processor: whatever else the machine does. */
static double time_ops(enum op_kind kind, uint64_t count)
{
	uint64_t begin_ns = clock_ns_of(CLOCK_THREAD_CPUTIME_ID);

	for (uint64_t i = 0; i < count; i++)
		one_op(kind, i);
	return (double)(clock_ns_of(CLOCK_THREAD_CPUTIME_ID) - begin_ns) / (double)count;
}

/* --- tracing -------------------------------------------------------------------------------- */

static void start_trace(enum trace_full full)
{
	struct diag diag = {.text = ""};

	fs.options.trace_full = full;
	if (tracing_start_at(&fs, NULL, &diag))
		die(diag.text);
}

static void stop_trace(void)
{
	struct diag diag = {.text = ""};

	if (tracing_stop(&fs, &diag))
		die(diag.text);
	unlink(fs.options.trace);
}

static uint64_t cpu_ns(pthread_t thread)
{
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock))
		return 0;
	return clock_ns_of(clock);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values)
{
	qsort(values, TURNS, sizeof(*values), by_value);
	return values[TURNS / 2];
}

static uint64_t dropped(void)
{
	uint64_t sum = 0;

	for (unsigned int kind = 0; kind < OP_KINDS; kind++)
		sum += recorder_dropped(&fs.recorder, kind);
	return sum;
}

static void await_idle(void)
{
	tracer_ask(fs.recorder.tracer, TRACER_FLUSH);
	traceq_pin(&fs.recorder.tracer->queue, false);
	traceq_await_settled(&fs.recorder.tracer->queue, 60 * NS_PER_S);
}

struct load {
	enum op_kind kind;
	uint64_t count;
	pthread_t thread;
};

static void *run_load(void *arg)
{
	const struct load *load = arg;

	time_ops(load->kind, load->count);
	return NULL;
}

/* Records a second that so many threads get through. */
static double throughput(enum op_kind kind, uint64_t count, unsigned int threads)
{
	struct load load[8];
	uint64_t begin_ns;

	start_trace(TRACE_FULL_BLOCK);
	begin_ns = now_ns();
	for (unsigned int i = 0; i < threads; i++) {
		load[i] = (struct load){.kind = kind, .count = count / threads};
		must(-pthread_create(&load[i].thread, NULL, run_load, &load[i]), "thread");
	}
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(load[i].thread, NULL);
	await_idle();
	begin_ns = now_ns() - begin_ns;
	stop_trace();
	return (double)count * 1e9 / (double)begin_ns;
}

static void measure(enum op_kind kind, uint64_t count)
{
	double off[TURNS], on[TURNS];
	/* Few enough that a ring holds them all. */
	uint64_t turn = 4000, records, before, bytes;
	uint64_t tracer_ns, writer_ns;

	start_trace(TRACE_FULL_DROP);
	stop_trace();
	for (int i = 0; i < TURNS; i++) {
		off[i] = time_ops(kind, turn);
		start_trace(TRACE_FULL_DROP);
		/* What is done once a file and an epoch is not in it. */
		time_ops(kind, FILES);
		await_idle();
		on[i] = time_ops(kind, turn);
		stop_trace();
	}
	start_trace(TRACE_FULL_BLOCK);
	before = fs.recorder.written;
	bytes = fs.recorder.bytes;
	time_ops(kind, count);
	await_idle();
	tracer_ns = cpu_ns(fs.recorder.tracer->thread);
	writer_ns = cpu_ns(fs.recorder.tracer->out.thread);
	records = fs.recorder.written - before;
	bytes = fs.recorder.bytes - bytes;
	stop_trace();
	printf("%-8s %8.1f %8.1f %9.1f %9.1f %9.1f %7.2f %10.0f %10.0f %8" PRIu64 "\n",
	       op_name(kind), median(off), median(on), median(on) - median(off),
	       (double)tracer_ns / (double)records, (double)writer_ns / (double)records,
	       (double)bytes / (double)records, throughput(kind, count, 1),
	       throughput(kind, count, 2), dropped());
}

int main(int argc, char **argv)
{
	char trace[4096];
	uint64_t count = argc > 2 ? number(argv[2]) : 2000000;

	if (argc < 2)
		die("usage: record DIRECTORY [OPERATIONS]");
	snprintf(trace, sizeof(trace), "%s/record-%d.wt", argv[1], (int)getpid());
	process = getpid();
	log_set_level(LOG_LEVEL_WARNING);
	set_up("/", trace);
	printf("%-8s %8s %8s %9s %9s %9s %7s %10s %10s %8s\n", "op", "off ns", "on ns", "adds ns",
	       "tracer ns", "writer ns", "bytes", "rec/s x 1", "rec/s x 2", "dropped");
	measure(OP_GETATTR, count);
	measure(OP_WRITE, count);
	measure(OP_LOOKUP, count);
	return 0;
}
