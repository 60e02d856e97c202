// SPDX-License-Identifier: GPL-2.0-or-later
/* Parquet: one row an operation, in the order of the trace. */
#include "config.h"

#include "tools/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/units.h"
#include "tools/parquet.h"

/* X(identifier, column, type, what it is) */
#define COLUMN_TABLE(X)                                                                \
	X(TS_NS, "ts_ns", INT64, "arrival, ns since 1970")                             \
	X(TS, "ts", TIMESTAMP, "the same as a timestamp, to the microsecond")          \
	X(SEQ, "seq", INT64, "number of the operation since the mount")                \
	X(OP, "op", STRING, "its name")                                                \
	X(CLASS, "class", STRING, "read, write, meta or sync")                         \
	X(PATH, "path", STRING, "of the file, below the mount")                        \
	X(FILE, "file", INT64, "identity of the file in the trace")                    \
	X(HANDLE, "handle", INT64, "the open file; 0: none")                           \
	X(NAME, "name", STRING, "in the parent directory; empty: none")                \
	X(NEW_NAME, "new_name", STRING, "of rename and link; empty: none")             \
	X(OFFSET, "offset", INT64, "bytes, as asked for")                              \
	X(SIZE, "size", INT64, "bytes, as asked for")                                  \
	X(RESULT, "result", INT64, "bytes moved")                                      \
	X(ERRNO, "errno", INT32, "0: it succeeded")                                    \
	X(WAIT_NS, "wait_ns", INT64, "from its arrival until the storage was asked")   \
	X(SERVICE_NS, "service_ns", INT64, "what the real storage took")               \
	X(HOLD_NS, "hold_ns", INT64, "what models added")                              \
	X(TOTAL_NS, "total_ns", INT64, "from its arrival until its reply was sent")    \
	X(PID, "pid", INT32, "the calling process")                                    \
	X(TID, "tid", INT32, "the calling thread")                                     \
	X(UID, "uid", INT64, "its user")                                               \
	X(GID, "gid", INT64, "its group")                                              \
	X(COMM, "comm", STRING, "its name")                                            \
	X(FLAGS, "flags", INT64, "of open(2), rename and others; 0 where it has none") \
	X(MODE, "mode", INT32, "of the new file, or to be set")                        \
	X(OP_FLAGS, "op_flags", INT32, "1 injected, 2 interrupted, 4 direct, 8 stale")

enum column {
#define X(id, name, type, help) COLUMN_##id,
	COLUMN_TABLE(X)
#undef X
		COLUMNS
};

static const struct parquet_column columns[COLUMNS] = {
#define X(id, name, type, help) {name, PARQUET_##type},
	COLUMN_TABLE(X)
#undef X
};

static int begin(struct export *export)
{
	struct parquet *parquet;
	int err = parquet_new(export->out, columns, COLUMNS, &parquet);

	if (!err)
		export->state = parquet;
	return err;
}

static void done(struct export *export)
{
	parquet_free(export->state);
}

/* Engines have no good unsigned type for what is above: it is that. */
static int64_t wide(uint64_t value)
{
	return value < INT64_MAX ? (int64_t)value : INT64_MAX;
}

static struct trace_bytes text_of(const char *text)
{
	return (struct trace_bytes){(const uint8_t *)text, strlen(text)};
}

static void put_times(struct parquet *parquet, const struct trace_event *event)
{
	const struct op *op = &event->op->op;
	uint64_t ts_ns = op->arrive_ns + event->wall_offset_ns, ns[DURATIONS];

	op_durations(op, ns);
	parquet_int(parquet, COLUMN_TS_NS, wide(ts_ns));
	parquet_int(parquet, COLUMN_TS, wide(ts_ns / NS_PER_US));
	parquet_int(parquet, COLUMN_WAIT_NS,
		    op->issued_ns > op->arrive_ns ? wide(op->issued_ns - op->arrive_ns) : 0);
	/* All columns have values; 0 would be taken for a duration. */
	parquet_int(parquet, COLUMN_SERVICE_NS, op->done_ns ? wide(ns[DUR_SERVICE]) : -1);
	parquet_int(parquet, COLUMN_HOLD_NS, op->done_ns ? wide(ns[DUR_HOLD]) : -1);
	parquet_int(parquet, COLUMN_TOTAL_NS, op->done_ns ? wide(ns[DUR_TOTAL]) : -1);
}

static void put_who(struct export *export, struct parquet *parquet, const struct trace_op *op)
{
	parquet_int(parquet, COLUMN_PID, op->process);
	parquet_int(parquet, COLUMN_TID, op->op.pid);
	parquet_int(parquet, COLUMN_UID, op->op.uid);
	parquet_int(parquet, COLUMN_GID, op->op.gid);
	parquet_string(parquet, COLUMN_COMM, export_text(&export->scratch, export_comm(op)));
}

static int64_t number_of(const struct trace_op *op, enum trace_number number)
{
	return op->have & TRACE_HAVE(number) ? wide(op->value[number]) : 0;
}

static struct trace_bytes name_of(struct export *export, const struct trace_op *op,
				  enum trace_text text)
{
	if (!(op->have & TRACE_HAVE_TEXT(text)))
		return text_of("");
	return export_text(&export->scratch, op->text[text]);
}

static int put_op(struct export *export, const struct trace_event *event)
{
	const struct trace_op *op = event->op;
	struct parquet *parquet = export->state;

	put_times(parquet, event);
	put_who(export, parquet, op);
	parquet_int(parquet, COLUMN_SEQ, wide(op->op.seq));
	parquet_string(parquet, COLUMN_OP, text_of(op_name(op->op.kind)));
	parquet_string(parquet, COLUMN_CLASS,
		       text_of(op_class_name(op_class((enum op_kind)op->op.kind))));
	parquet_string(parquet, COLUMN_PATH, export_path(export, event));
	parquet_int(parquet, COLUMN_FILE, wide(op->op.file));
	parquet_int(parquet, COLUMN_HANDLE, number_of(op, TRACE_HANDLE));
	parquet_string(parquet, COLUMN_NAME, name_of(export, op, TRACE_NAME));
	parquet_string(parquet, COLUMN_NEW_NAME, name_of(export, op, TRACE_NEW_NAME));
	parquet_int(parquet, COLUMN_OFFSET, wide(op->op.offset));
	parquet_int(parquet, COLUMN_SIZE, wide(op->op.size));
	parquet_int(parquet, COLUMN_RESULT, wide(op->op.result));
	parquet_int(parquet, COLUMN_ERRNO, op->op.error);
	parquet_int(parquet, COLUMN_FLAGS, number_of(op, TRACE_FLAGS));
	parquet_int(parquet, COLUMN_MODE, number_of(op, TRACE_MODE));
	parquet_int(parquet, COLUMN_OP_FLAGS, op->op.flags);
	return parquet_row(parquet);
}

static int end(struct export *export)
{
	const char *pairs[2 * (EXPORT_PROPERTIES + 1)];
	char begin_ns[UNITS_TEXT];
	size_t count = 0;

	snprintf(begin_ns, sizeof(begin_ns), "%" PRIu64, export->origin_ns);
	pairs[count++] = "weir.begin_unix_ns";
	pairs[count++] = begin_ns;
	for (size_t i = 0; i < export->property_count; i++) {
		pairs[count++] = export->properties[i].name;
		pairs[count++] = export->properties[i].value;
	}
	return parquet_end(export->state, pairs, count / 2);
}

const struct export_format export_parquet = {
	.begin = begin,
	.op = put_op,
	.end = end,
	.done = done,
};
