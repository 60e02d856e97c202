// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that move data, or make sure of it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/import_strace.h"

/* --- read and write ------------------------------------------------------------------------ */

enum {
	IO_WRITE = 1 << 0,
	IO_AT = 1 << 1,    /* the offset is the fourth argument */
	IO_VECTOR = 1 << 2 /* the second argument is an array of buffers */
};

static int io_size(const struct strace_call *call, unsigned int variant, uint64_t *ret_size)
{
	if (!(variant & IO_VECTOR))
		return slice_c_number(strace_arg(call, 2), ret_size);
	/* A list that is cut tells nothing but what came of it. */
	if (strace_iov_bytes(strace_arg(call, 1), ret_size))
		*ret_size = call->error ? 0 : call->result;
	return 0;
}

/* Where it begins, and where the descriptor stands behind it. */
static int io_offset(const struct strace_call *call, unsigned int variant, struct strace_open *open,
		     uint64_t *ret_offset)
{
	uint64_t offset = 0;
	int err = variant & IO_AT ? slice_c_number(strace_arg(call, 3), &offset) : 0;

	if (err)
		return err;
	/* preadv2() and pwritev2() take -1 for the descriptor's own. */
	if (!(variant & IO_AT) || offset == UINT64_MAX) {
		if (open->append && variant & IO_WRITE)
			open->offset = open->size;
		offset = open->offset;
		open->offset += call->result;
	}
	if (offset > INT64_MAX || call->result > INT64_MAX)
		return -ERANGE;
	if (variant & IO_WRITE && offset + call->result > open->size)
		open->size = offset + call->result;
	*ret_offset = offset;
	return 0;
}

static int use_io(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, variant & IO_WRITE ? OP_WRITE : OP_READ);
	struct strace_open *open;
	int n = strace_find_open(strace, 0, &open);

	if (n <= 0)
		return n;
	n = io_size(call, variant, &op.op.size);
	if (!n)
		n = io_offset(call, variant, open, &op.op.offset);
	if (n)
		return strace_bad(strace, n);
	op.op.result = call->result;
	return strace_give_open(strace, &op, open);
}

/* --- from file to file --------------------------------------------------------------------- */

/*
 * An offset argument of sendfile, splice and copy_file_range: NULL (the descriptor's own), or
 * "[BEFORE]", "[BEFORE] => [AFTER]".
 */
static int pair_offset(struct slice text, struct strace_open *open, uint64_t moved,
		       uint64_t *ret_offset)
{
	struct slice number = slice_from(text, slice_find(text, "[") + 1);

	if (slice_is(text, "NULL")) {
		*ret_offset = open->offset;
		open->offset += moved;
		return 0;
	}
	number.len = slice_find(number, "]");
	return slice_c_number(number, ret_offset);
}

static int use_copy_range(struct strace *strace, const struct strace_call *call,
			  unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_COPY_FILE_RANGE);
	struct strace_open *from, *to;
	uint64_t to_offset = 0;
	int n = strace_find_open(strace, 0, &from);

	if (n > 0)
		n = strace_find_open(strace, 2, &to);
	if (n <= 0)
		return n;
	n = pair_offset(strace_arg(call, 1), from, call->result, &op.op.offset);
	if (!n)
		n = pair_offset(strace_arg(call, 3), to, call->result, &to_offset);
	if (!n)
		n = slice_c_number(strace_arg(call, 4), &op.op.size);
	if (n)
		return strace_bad(strace, n);
	op.op.result = call->result;
	import_set(&op, TRACE_TO_FILE, to->file->id);
	import_set(&op, TRACE_TO_HANDLE, to->handle);
	import_set(&op, TRACE_TO_OFFSET, to_offset);
	n = import_define(strace->import, to->file);
	return n ? n : strace_give_open(strace, &op, from);
}

/* One side of a transfer, if it is a file: a read or a write of what was moved. */
static int use_side(struct strace *strace, const struct strace_call *call, enum op_kind kind,
		    unsigned int fd_arg, unsigned int offset_arg, unsigned int size_arg)
{
	struct trace_op op = strace_new_op(strace, kind);
	struct strace_open *open;
	struct slice offset =
		offset_arg == STRACE_NO_ARG ? slice_of("NULL") : strace_arg(call, offset_arg);
	int n = strace_find_open(strace, fd_arg, &open);

	if (n <= 0)
		return n;
	n = pair_offset(offset, open, call->result, &op.op.offset);
	if (!n)
		n = slice_c_number(strace_arg(call, size_arg), &op.op.size);
	if (n)
		return strace_bad(strace, n);
	op.op.result = call->result;
	n = strace_give_open(strace, &op, open);
	return n ? n : 1;
}

enum { TRANSFER_SENDFILE, TRANSFER_SPLICE };

/* Either side may be a socket or pipe: the line is unused only if both are. */
static int use_transfer(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct import_counts *counts = &strace->import->counts, before = *counts;
	int from, to;

	if (variant == TRANSFER_SENDFILE) {
		from = use_side(strace, call, OP_READ, 1, 2, 3);
		to = from < 0 ? from : use_side(strace, call, OP_WRITE, 0, STRACE_NO_ARG, 3);
	} else {
		from = use_side(strace, call, OP_READ, 0, 1, 4);
		to = from < 0 ? from : use_side(strace, call, OP_WRITE, 2, 3, 4);
	}
	if (to < 0)
		return to;
	/* A line counts once. */
	for (unsigned int i = 0; (from || to) && i < IMPORT_REASONS; i++)
		counts->unused[i] = before.unused[i];
	if (!from && !to) {
		for (unsigned int i = 0; i < IMPORT_REASONS; i++)
			counts->unused[i] = before.unused[i];
		return import_unused(strace->import, IMPORT_OTHER);
	}
	return 0;
}

/* --- durability, space, position ----------------------------------------------------------- */

enum { SYNC_FILE, SYNC_DATA, SYNC_FS };

static int use_sync(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, variant == SYNC_FS ? OP_SYNCFS : OP_FSYNC);
	struct strace_open *open;
	int n = strace_find_open(strace, 0, &open);

	if (n <= 0)
		return n;
	if (variant != SYNC_FS && open->directory)
		op.op.kind = OP_FSYNCDIR;
	if (variant == SYNC_DATA)
		import_set(&op, TRACE_DATASYNC, 1);
	return strace_give_open(strace, &op, open);
}

static int use_sync_all(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_SYNCFS);
	int err = import_about(strace->import, &op, strace->import->names.root);

	return err ? err : import_op(strace->import, &op);
}

static int use_fallocate(struct strace *strace, const struct strace_call *call,
			 unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_FALLOCATE);
	struct strace_open *open;
	uint64_t flags = 0;
	int n = strace_find_open(strace, 0, &open);

	if (n <= 0)
		return n;
	n = strace_flags(strace_arg(call, 1), &flags);
	if (!n)
		n = slice_c_number(strace_arg(call, 2), &op.op.offset);
	if (!n)
		n = slice_c_number(strace_arg(call, 3), &op.op.size);
	if (n)
		return strace_bad(strace, n);
	import_set(&op, TRACE_FLAGS, flags);
	return strace_give_open(strace, &op, open);
}

static int use_lseek(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_LSEEK);
	struct strace_open *open;
	uint64_t whence = 0;
	int n = strace_find_open(strace, 0, &open);

	if (n <= 0)
		return n;
	n = slice_c_number(strace_arg(call, 1), &op.op.offset);
	if (!n)
		n = strace_flags(strace_arg(call, 2), &whence);
	if (n)
		return strace_bad(strace, n);
	if (!call->error)
		open->offset = call->result;
	if (!call->error && whence == SEEK_END)
		open->size = call->result > op.op.offset ? call->result - op.op.offset : 0;
	op.op.result = call->result;
	import_set(&op, TRACE_FLAGS, whence);
	return strace_give_open(strace, &op, open);
}

static int use_getdents(struct strace *strace, const struct strace_call *call, unsigned int variant)
{
	struct trace_op op = strace_new_op(strace, OP_READDIR);
	struct slice comment = strace_arg(call, 1);
	struct strace_open *open;
	uint64_t count;
	int n = strace_find_open(strace, 0, &open);

	if (n <= 0)
		return n;
	open->directory = true;
	if (open->file->mode != S_IFDIR) {
		open->file->mode = S_IFDIR;
		open->file->defined = 0;
	}
	n = slice_c_number(strace_arg(call, 2), &op.op.size);
	if (n)
		return strace_bad(strace, n);
	/* The pointer has a comment behind it that counts the entries. */
	comment = slice_from(comment, slice_find(comment, "/* ") + 3);
	if (!slice_uint(slice_word(&comment), &count))
		import_set(&op, TRACE_COUNT, count);
	op.op.result = call->result;
	return strace_give_open(strace, &op, open);
}

const struct strace_rule strace_rules_data[] = {
	{"read", use_io, 0},
	{"write", use_io, IO_WRITE},
	{"pread64", use_io, IO_AT},
	{"pwrite64", use_io, IO_AT | IO_WRITE},
	{"readv", use_io, IO_VECTOR},
	{"writev", use_io, IO_VECTOR | IO_WRITE},
	{"preadv", use_io, IO_VECTOR | IO_AT},
	{"pwritev", use_io, IO_VECTOR | IO_AT | IO_WRITE},
	{"preadv2", use_io, IO_VECTOR | IO_AT},
	{"pwritev2", use_io, IO_VECTOR | IO_AT | IO_WRITE},
	{"copy_file_range", use_copy_range, 0},
	{"sendfile", use_transfer, TRANSFER_SENDFILE},
	{"sendfile64", use_transfer, TRANSFER_SENDFILE},
	{"splice", use_transfer, TRANSFER_SPLICE},
	{"fsync", use_sync, SYNC_FILE},
	{"fdatasync", use_sync, SYNC_DATA},
	{"sync_file_range", use_sync, SYNC_DATA},
	{"syncfs", use_sync, SYNC_FS},
	{"sync", use_sync_all, 0},
	{"fallocate", use_fallocate, 0},
	{"lseek", use_lseek, 0},
	{"_llseek", use_lseek, 0},
	{"getdents64", use_getdents, 0},
	{"getdents", use_getdents, 0},
	{NULL, NULL, 0},
};
