/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lies in the rings of the recorder: operations, definitions of files and handles, packed.
 *
 * An operation is its struct op, who asked, and the arguments that its kind has, in the order of
 * trace/event.h; they are gathered first, so that the size is known, and copied once.
 */
#ifndef WEIRFS_RECORD_H
#define WEIRFS_RECORD_H

#include "trace/event.h"
#include "weirfs/ring.h"

struct request;

enum record_kind { RECORD_OP = 1, RECORD_FILE, RECORD_HANDLE };

/* The arguments of one operation; the texts are borrowed. */
struct record_args {
	uint64_t have;
	unsigned int numbers;
	uint64_t value[TRACE_NUMBERS]; /* those that it has, one after the other */
	struct trace_bytes text[TRACE_TEXTS];
	const void *data; /* to be hashed into TRACE_HASH: that much */
	size_t data_len;
};

/*
 * Gathers what the request has; with_hash also finds the data to be hashed. Nothing is taken that
 * the kernel may take away once it has its answer.
 */
void record_gather(const struct request *request, bool with_hash, struct record_args *ret_args);
/* Bytes that the packed operation takes. */
size_t record_op_size(const struct record_args *args);
void record_put_op(void *to, const struct request *request, const struct record_args *args);

/* The id of the file that the operation counts for; 0 = none. */
uint64_t record_file_of(const struct request *request);

size_t record_file_size(size_t path_len);
void record_put_file(void *to, const struct trace_file *file, uint64_t time_ns);
size_t record_handle_size(void);
void record_put_handle(void *to, const struct trace_handle *handle, uint64_t time_ns);

/* --- reading: what is given points into the record ------------------------------------------ */

void record_get_op(const struct ring_record *record, struct trace_op *ret_op);
/*
 * What records of several rings are merged by: twice the time at which an operation was answered,
 * or a definition made, which comes before operations of the same time. It never falls within a
 * ring.
 */
uint64_t record_key(const struct ring_record *record);
void record_get_file(const struct ring_record *record, struct trace_file *ret_file);
void record_get_handle(const struct ring_record *record, struct trace_handle *ret_handle);

/* XXH64 of each 4 KiB: how many bytes that makes, and making them. */
size_t record_hash_size(size_t data_len);
void record_hash(const void *data, size_t len, uint8_t *to);

#endif
