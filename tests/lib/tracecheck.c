// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads traces, parts of one in their order, and prints what tests compare.
 *
 *   tracecheck ops FILE...      one line an operation: name, path, result, "key=value" of each
 *                               argument; bytes that are no plain ASCII as \xNN
 *   tracecheck sums FILE...     JSON: by operation how many there are and how many were counted as
 *                               written, dropped and filtered; whether the histograms of the
 *                               operations are those of the summary at the end; damage
 *   tracecheck events FILE...   properties, marks and handles, one a line
 */
#include "config.h"

#include "tests/lib/tool.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/hist.h"
#include "core/summary.h"
#include "trace/reader.h"
#include "trace/snapshot.h"

static struct {
	uint64_t seen[OP_KINDS];
	struct trace_counts counts;
	struct hist *hist[OP_KINDS][DURATIONS];
	struct summary summary;
	bool summed;
	struct trace_damage damage;
	uint64_t unordered; /* operations that ended before the one in front of them */
	uint64_t unnamed;   /* operations on files without a path */
	uint64_t last_ns;
} all;

static void print_bytes(struct trace_bytes bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		if (bytes.data[i] > ' ' && bytes.data[i] < 127 && bytes.data[i] != '\\')
			putchar(bytes.data[i]);
		else
			printf("\\x%02x", bytes.data[i]);
	}
}

static void print_hash(struct trace_bytes bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		printf("%02x", bytes.data[i]);
}

static void print_op(const struct trace_event *event)
{
	const struct trace_op *op = event->op;
	uint64_t duration_ns[DURATIONS];

	op_durations(&op->op, duration_ns);
	printf("%s ", op_name(op->op.kind));
	if (event->file)
		print_bytes(event->file->path);
	else
		printf("-");
	printf(" error=%u offset=%llu size=%llu result=%llu pid=%u process=%u uid=%u file=%llu "
	       "comm=",
	       op->op.error, (unsigned long long)op->op.offset, (unsigned long long)op->op.size,
	       (unsigned long long)op->op.result, op->op.pid, op->process, op->op.uid,
	       (unsigned long long)op->op.file);
	print_bytes((struct trace_bytes){(const uint8_t *)op->comm, strnlen(op->comm, TRACE_COMM)});
	printf(" hold_ns=%llu total_ns=%llu", (unsigned long long)duration_ns[DUR_HOLD],
	       (unsigned long long)duration_ns[DUR_TOTAL]);
	for (unsigned int i = 0; i < TRACE_NUMBERS; i++) {
		if (op->have & TRACE_HAVE(i))
			printf(" %s=%llu", trace_number_key(i), (unsigned long long)op->value[i]);
	}
	for (unsigned int i = 0; i < TRACE_TEXTS; i++) {
		if (!(op->have & TRACE_HAVE_TEXT(i)))
			continue;
		printf(" %s=", trace_text_key(i));
		if (i == TRACE_HASH)
			print_hash(op->text[i]);
		else
			print_bytes(op->text[i]);
	}
	if (event->file)
		printf(" size_then=%lld mode_then=%o",
		       event->file->flags & TRACE_FILE_F_SIZE ? (long long)event->file->size : -1,
		       event->file->mode);
	putchar('\n');
}

static void add_op(const struct trace_event *event)
{
	const struct op *op = &event->op->op;
	uint64_t duration_ns[DURATIONS];

	op_durations(op, duration_ns);
	all.seen[op->kind]++;
	for (int i = 0; i < DURATIONS; i++) {
		if (i == DUR_HOLD && !duration_ns[i])
			continue;
		if (!all.hist[op->kind][i])
			all.hist[op->kind][i] = hist_new(HIST_OP_BITS);
		hist_record(all.hist[op->kind][i], duration_ns[i]);
	}
	all.unordered += op->done_ns < all.last_ns;
	all.last_ns = op->done_ns;
	all.unnamed +=
		!event->file || (event->file->path.len == 1 && event->file->path.data[0] == '?');
}

static void add_summary(const struct trace_event *event)
{
	struct diag diag = {.text = ""};

	if (all.summed)
		summary_done(&all.summary);
	if (snapshot_decode(event->value.data, event->value.len, &all.summary, &diag))
		die(diag.text);
	all.summed = true;
}

static void print_event(const struct trace_event *event)
{
	static const char *const words[] = {[TRACE_EV_PROPERTY] = "property",
					    [TRACE_EV_MARK] = "mark",
					    [TRACE_EV_HANDLE] = "handle",
					    [TRACE_EV_END] = "end",
					    [TRACE_EV_SUMMARY] = "summary"};

	if (event->kind == TRACE_EV_OP || event->kind == TRACE_EV_COUNTS)
		return;
	printf("%s ", words[event->kind]);
	if (event->kind == TRACE_EV_HANDLE)
		printf("%llu %llu %llu", (unsigned long long)event->handle.id,
		       (unsigned long long)event->handle.file,
		       (unsigned long long)event->handle.flags);
	if (event->kind == TRACE_EV_PROPERTY || event->kind == TRACE_EV_MARK) {
		print_bytes(event->name);
		putchar(' ');
		print_bytes(event->value);
	}
	putchar('\n');
}

static void read_part(const char *path, const char *what)
{
	struct diag diag = {.file = path, .text = ""};
	int fd = strcmp(path, "-") ? must(open(path, O_RDONLY | O_CLOEXEC), path) : 0, got;
	const struct trace_event *event;
	struct trace_reader *reader;
	struct trace_damage damage;

	if (trace_reader_new(fd, &diag, &reader))
		die(diag.text);
	while ((got = trace_read(reader, &event)) > 0) {
		if (event->kind == TRACE_EV_COUNTS)
			all.counts = *event->counts;
		else if (event->kind == TRACE_EV_SUMMARY)
			add_summary(event);
		if (event->kind == TRACE_EV_OP)
			add_op(event);
		if (!strcmp(what, "ops") && event->kind == TRACE_EV_OP)
			print_op(event);
		else if (!strcmp(what, "events"))
			print_event(event);
	}
	if (got < 0)
		die(diag.text);
	trace_reader_damage(reader, &damage);
	all.damage.bytes += damage.bytes;
	all.damage.blocks_missing += damage.blocks_missing;
	all.damage.torn |= damage.torn;
	all.damage.ended = damage.ended;
	trace_reader_free(reader);
	close(fd);
}

/* Whether each bucket holds the same. */
static bool same_hist(const struct hist *a, const struct hist *b)
{
	if (!a || !b)
		return (a ? a->count : 0) == (b ? b->count : 0);
	if (a->count != b->count || a->bits != b->bits)
		return false;
	for (unsigned int i = 0; i < hist_buckets(a->bits); i++) {
		if (a->bucket[i] != b->bucket[i])
			return false;
	}
	return true;
}

static bool same_hists(unsigned int kind)
{
	for (int i = 0; all.summed && i < DURATIONS; i++) {
		if (!same_hist(all.hist[kind][i], all.summary.op[kind].dur[i]))
			return false;
	}
	return true;
}

static void print_sums(void)
{
	const char *comma = "";
	bool same = all.summed;

	printf("{\"ops\": {");
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		uint64_t performed = all.summed ? all.summary.op[kind].ops : 0;
		uint64_t written = all.counts.written[kind];

		same = same && same_hists(kind);
		if (!(all.seen[kind] | written | performed | all.counts.dropped[kind] |
		      all.counts.filtered[kind]))
			continue;
		printf("%s\n\"%s\": {\"read\": %llu, \"written\": %llu, \"dropped\": %llu, "
		       "\"filtered\": %llu, \"performed\": %llu, \"same_hist\": %s}",
		       comma, op_name(kind), (unsigned long long)all.seen[kind],
		       (unsigned long long)written, (unsigned long long)all.counts.dropped[kind],
		       (unsigned long long)all.counts.filtered[kind], (unsigned long long)performed,
		       same_hists(kind) ? "true" : "false");
		comma = ",";
	}
	printf("},\n\"same_hists\": %s, \"unordered\": %llu, \"unnamed\": %llu, \"torn\": %s, "
	       "\"ended\": %s, \"damaged_bytes\": %llu, \"blocks_missing\": %llu}\n",
	       same ? "true" : "false", (unsigned long long)all.unordered,
	       (unsigned long long)all.unnamed, all.damage.torn ? "true" : "false",
	       all.damage.ended ? "true" : "false", (unsigned long long)all.damage.bytes,
	       (unsigned long long)all.damage.blocks_missing);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		die("usage: tracecheck ops|sums|events FILE...");
	for (int i = 2; i < argc; i++)
		read_part(argv[i], argv[1]);
	if (!strcmp(argv[1], "sums"))
		print_sums();
	return 0;
}
