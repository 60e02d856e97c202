// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What darshan-dxt-parser prints of a Darshan log with extended tracing.
 *
 * Its times have a resolution of 100 us. Rows of MPI-IO are told again by POSIX rows. A rank is
 * the process and thread of its operations, its host their name.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "tools/import_formats.h"

struct dxt_state {
	struct import_file *file; /* of the rows that come; a reference, or NULL */
	bool outside;             /* they are about a file that isn't wanted */
	char host[TRACE_COMM];
	uint64_t start_ns; /* of the job, since 1970; 0 = unknown */
};

/* "# start_time: 1536956103" stands in the head of the log. */
static void take_start(struct import *import, struct dxt_state *state, struct slice rest)
{
	uint64_t start_ns;

	if (import->counts.ops || slice_scaled(slice_trim(rest), NS_PER_S, &start_ns))
		return;
	state->start_ns = start_ns;
	import->absolute = start_ns > 0;
}

static int take_file(struct import *import, struct dxt_state *state, struct slice rest)
{
	struct import_file *file = NULL;
	size_t name = slice_find(rest, "file_name: ");
	int n;

	if (name == rest.len)
		return import_unused(import, IMPORT_FIELDS);
	rest = slice_trim(slice_from(rest, name + strlen("file_name: ")));
	names_put(state->file);
	state->file = NULL;
	n = import_path(import, rest, &file);
	state->outside = n == 0;
	if (n <= 0)
		return n;
	names_get(file);
	state->file = file;
	return 0;
}

static int take_comment(struct import *import, struct dxt_state *state, struct slice rest)
{
	struct slice host;

	if (slice_skip(&rest, "# start_time:"))
		take_start(import, state, rest);
	else if (slice_begins(rest, "# DXT, file_id:"))
		return take_file(import, state, rest);
	else if (slice_skip(&rest, "# DXT, rank:")) {
		host = slice_trim(slice_from(rest, slice_find(rest, "hostname: ") + 10));
		memset(state->host, 0, sizeof(state->host));
		if (host.len)
			memcpy(state->host, host.at,
			       host.len < TRACE_COMM ? host.len : TRACE_COMM - 1);
	}
	return import_unused(import, IMPORT_NOTHING);
}

/* RANK, then behind the operation: SEGMENT OFFSET LENGTH START END. */
static int parse_numbers(struct slice rank_text, struct slice rest, struct trace_op *op,
			 uint64_t *ret_latency_ns)
{
	uint64_t rank, segment, start_ns, end_ns;
	int err = slice_uint(rank_text, &rank);

	if (!err)
		err = slice_uint(slice_word(&rest), &segment);
	if (!err)
		err = slice_uint(slice_word(&rest), &op->op.offset);
	if (!err)
		err = slice_uint(slice_word(&rest), &op->op.size);
	if (!err)
		err = slice_scaled(slice_word(&rest), NS_PER_S, &start_ns);
	if (!err)
		err = slice_scaled(slice_word(&rest), NS_PER_S, &end_ns);
	if (!err && (rank > UINT32_MAX || end_ns < start_ns))
		err = -ERANGE;
	if (err)
		return err;
	op->op.pid = (uint32_t)rank;
	op->op.arrive_ns = start_ns;
	op->op.result = op->op.size;
	*ret_latency_ns = end_ns - start_ns;
	return 0;
}

static int dxt_line(struct import *import, void *state, struct slice line)
{
	struct slice rest = slice_trim(line), module, rank, kind;
	struct dxt_state *own = state;
	struct trace_op op = import_new_op(OP_READ, 0);
	uint64_t latency_ns;
	int err;

	if (rest.at[0] == '#')
		return take_comment(import, own, rest);
	module = slice_word(&rest);
	if (slice_is(module, "X_MPIIO"))
		return import_unused(import, IMPORT_REPEAT);
	if (!slice_is(module, "X_POSIX"))
		return import_unused(import, IMPORT_SYNTAX);
	rank = slice_word(&rest);
	kind = slice_word(&rest);
	if (!slice_is(kind, "read") && !slice_is(kind, "write"))
		return import_unused(import, IMPORT_OP);
	op.op.kind = slice_is(kind, "read") ? OP_READ : OP_WRITE;
	err = parse_numbers(rank, rest, &op, &latency_ns);
	if (err)
		return import_unused_number(import, err);
	if (!own->file)
		return import_unused(import, own->outside ? IMPORT_OUTSIDE : IMPORT_SYNTAX);
	if (own->start_ns &&
	    __builtin_add_overflow(op.op.arrive_ns, own->start_ns, &op.op.arrive_ns))
		return import_unused(import, IMPORT_RANGE);
	if (!own->start_ns)
		op.op.arrive_ns = import_relative(op.op.arrive_ns);
	import_set_latency(&op, latency_ns);
	memcpy(op.comm, own->host, sizeof(op.comm));
	err = import_about_open(import, &op, own->file);
	return err ? err : import_op(import, &op);
}

static void dxt_done(void *state)
{
	struct dxt_state *own = state;

	names_put(own->file);
}

const struct import_format import_dxt = {
	.name = "dxt",
	.summary = "darshan-dxt-parser text (s from the job's start, bytes)",
	.state_bytes = sizeof(struct dxt_state),
	.line = dxt_line,
	.done = dxt_done,
};
