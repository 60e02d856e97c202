// SPDX-License-Identifier: GPL-2.0-or-later
/* Summaries as bytes: an encoder and a decoder that trusts nothing. */
#include "config.h"

#include "trace/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SNAPSHOT_VERSION 1

static const uint8_t magic[8] = {'W', 'E', 'I', 'R', 'S', 'N', 'A', 'P'};

/* Kinds of records; never renumbered. */
enum snapshot_kind {
	SNAP_END = 0,
	SNAP_PROPERTY = 1,
	SNAP_COUNTER = 2,
	SNAP_OP = 3,
	SNAP_ERROR = 4,
	SNAP_FILE = 5,
};

/* --- encoding ------------------------------------------------------------------------------ */

static void put_hist(struct bytes *out, const struct hist *hist)
{
	uint32_t used = 0, last = 0;

	for (uint32_t i = 0; i < hist->buckets; i++)
		used += hist->bucket[i] != 0;
	bytes_put_varint(out, hist->bits);
	bytes_put_varint(out, hist->sum);
	bytes_put_varint(out, hist->min);
	bytes_put_varint(out, hist->max);
	bytes_put_varint(out, used);
	for (uint32_t i = 0; i < hist->buckets; i++) {
		if (!hist->bucket[i])
			continue;
		bytes_put_varint(out, i - last);
		bytes_put_varint(out, hist->bucket[i]);
		last = i;
	}
}

static void put_durations(struct bytes *out, struct hist *const dur[DURATIONS])
{
	unsigned int used = 0;

	for (int i = 0; i < DURATIONS; i++)
		used += dur[i] != NULL;
	bytes_put_varint(out, used);
	for (unsigned int i = 0; i < DURATIONS; i++) {
		if (!dur[i])
			continue;
		bytes_put_varint(out, i);
		put_hist(out, dur[i]);
	}
}

static void put_sizes(struct bytes *out, const uint64_t size[SUMMARY_SIZE_BUCKETS])
{
	bytes_put_varint(out, SUMMARY_SIZE_BUCKETS);
	for (int i = 0; i < SUMMARY_SIZE_BUCKETS; i++)
		bytes_put_varint(out, size[i]);
}

static void put_op(struct bytes *out, unsigned int kind, const struct op_summary *op)
{
	bytes_put_string(out, op_name(kind));
	bytes_put_varint(out, op->ops);
	bytes_put_varint(out, op->errors);
	bytes_put_varint(out, op->bytes);
	put_sizes(out, op->size);
	put_durations(out, op->dur);
}

static void put_file(struct bytes *out, const struct file_summary *file)
{
	bytes_put_varint(out, file->id);
	bytes_put_varint(out, file->dev);
	bytes_put_varint(out, file->ino);
	bytes_put_varint(out, file->generation);
	bytes_put_varint(out, file->flags);
	bytes_put_varint(out, file->names);
	bytes_put_string(out, file->path ? file->path : "");
	bytes_put_varint(out, file->first_ns);
	bytes_put_varint(out, file->last_ns);
	bytes_put_varint(out, file->sequential);
	bytes_put_varint(out, file->opens);
	bytes_put_varint(out, file->files);
	put_sizes(out, file->size);
	bytes_put_varint(out, OP_CLASSES);
	for (int i = 0; i < OP_CLASSES; i++) {
		bytes_put_varint(out, file->class[i].ops);
		bytes_put_varint(out, file->class[i].errors);
		bytes_put_varint(out, file->class[i].bytes);
		put_durations(out, file->class[i].dur);
	}
}

/* Sends a finished payload off as a record and empties it for the next. */
static void put_record(struct bytes *out, enum snapshot_kind kind, struct bytes *payload)
{
	bytes_put_varint(out, kind);
	bytes_put_blob(out, payload->data, payload->len);
	if (payload->failed)
		out->failed = true;
	payload->len = 0;
}

void snapshot_encode(const struct summary *summary, struct bytes *out)
{
	struct bytes payload = {0};

	bytes_put(out, magic, sizeof(magic));
	bytes_put_varint(out, SNAPSHOT_VERSION);
	for (size_t i = 0; i < summary->property_count; i++) {
		bytes_put_string(&payload, summary->properties[i].name);
		bytes_put_string(&payload, summary->properties[i].value);
		put_record(out, SNAP_PROPERTY, &payload);
	}
	for (size_t i = 0; i < summary->counter_count; i++) {
		bytes_put_string(&payload, summary->counters[i].name);
		bytes_put_varint(&payload, summary->counters[i].value);
		put_record(out, SNAP_COUNTER, &payload);
	}
	for (unsigned int i = 0; i < OP_KINDS; i++) {
		if (!summary->op[i].ops)
			continue;
		put_op(&payload, i, &summary->op[i]);
		put_record(out, SNAP_OP, &payload);
	}
	for (size_t i = 0; i < summary->error_count; i++) {
		bytes_put_string(&payload, op_name(summary->errors[i].kind));
		bytes_put_varint(&payload, summary->errors[i].error);
		bytes_put_varint(&payload, summary->errors[i].count);
		put_record(out, SNAP_ERROR, &payload);
	}
	for (size_t i = 0; i < summary->file_count; i++) {
		put_file(&payload, &summary->files[i]);
		put_record(out, SNAP_FILE, &payload);
	}
	put_record(out, SNAP_END, &payload);
	bytes_done(&payload);
}

/* --- decoding ------------------------------------------------------------------------------ */

/* A histogram of another geometry than ours can't be added to anything: -EDOM. */
static int get_hist(struct cursor *in, uint32_t our_bits, struct hist **ret_hist)
{
	uint64_t bits = cursor_varint(in), index = 0, used;
	struct hist *hist;

	if (in->failed)
		return -EPROTO;
	if (bits != our_bits)
		return -EDOM;
	hist = hist_new(our_bits);
	if (!hist)
		return -ENOMEM;
	*ret_hist = hist;
	hist->sum = cursor_varint(in);
	hist->min = cursor_varint(in);
	hist->max = cursor_varint(in);
	used = cursor_varint(in);
	for (uint64_t i = 0; i < used; i++) {
		uint64_t step = cursor_varint(in), n = cursor_varint(in);

		if (in->failed || step >= hist->buckets || index + step >= hist->buckets)
			return -EPROTO;
		index += step;
		hist_add(hist, (uint32_t)index, n);
	}
	return in->failed ? -EPROTO : 0;
}

static int get_durations(struct cursor *in, uint32_t bits, struct hist *dur[DURATIONS])
{
	uint64_t used = cursor_varint(in);

	for (uint64_t i = 0; i < used; i++) {
		uint64_t which = cursor_varint(in);
		int err;

		if (in->failed || which >= DURATIONS || dur[which])
			return -EPROTO;
		err = get_hist(in, bits, &dur[which]);
		if (err)
			return err;
	}
	return in->failed ? -EPROTO : 0;
}

static int get_sizes(struct cursor *in, uint64_t size[SUMMARY_SIZE_BUCKETS])
{
	uint64_t n = cursor_varint(in);

	if (n != SUMMARY_SIZE_BUCKETS)
		return -EPROTO;
	for (int i = 0; i < SUMMARY_SIZE_BUCKETS; i++)
		size[i] = cursor_varint(in);
	return in->failed ? -EPROTO : 0;
}

/* Finds the operation that a record names; -ENOENT for one this program doesn't know. */
static int get_kind(struct cursor *in, enum op_kind *ret_kind)
{
	char *name = cursor_string(in);
	int err = name ? op_parse(name, ret_kind) : -EPROTO;

	free(name);
	return err;
}

static int get_op(struct cursor *in, struct summary *summary)
{
	struct op_summary *op;
	enum op_kind kind;
	int err = get_kind(in, &kind);

	if (err)
		return err == -ENOENT ? 0 : err;
	op = &summary->op[kind];
	if (op->ops)
		return -EPROTO;
	op->ops = cursor_varint(in);
	op->errors = cursor_varint(in);
	op->bytes = cursor_varint(in);
	err = get_sizes(in, op->size);
	return err ? err : get_durations(in, HIST_OP_BITS, op->dur);
}

static int get_error(struct cursor *in, struct summary *summary)
{
	struct error_summary *error;
	enum op_kind kind;
	int err = get_kind(in, &kind);

	if (err)
		return err == -ENOENT ? 0 : err;
	error = summary_add_error(summary);
	if (!error)
		return -ENOMEM;
	error->kind = kind;
	error->error = (uint32_t)cursor_varint(in);
	error->count = cursor_varint(in);
	return in->failed ? -EPROTO : 0;
}

static int get_classes(struct cursor *in, struct file_summary *file)
{
	uint64_t n = cursor_varint(in);

	if (n != OP_CLASSES)
		return -EPROTO;
	for (int i = 0; i < OP_CLASSES; i++) {
		int err;

		file->class[i].ops = cursor_varint(in);
		file->class[i].errors = cursor_varint(in);
		file->class[i].bytes = cursor_varint(in);
		err = get_durations(in, HIST_FILE_BITS, file->class[i].dur);
		if (err)
			return err;
	}
	return 0;
}

static int get_file(struct cursor *in, struct summary *summary)
{
	struct file_summary *file = summary_add_file(summary);
	int err;

	if (!file)
		return -ENOMEM;
	file->id = cursor_varint(in);
	file->dev = cursor_varint(in);
	file->ino = cursor_varint(in);
	file->generation = cursor_varint(in);
	file->flags = (uint32_t)cursor_varint(in);
	file->names = (uint32_t)cursor_varint(in);
	file->path = cursor_string(in);
	if (!file->path)
		return in->failed ? -EPROTO : -ENOMEM;
	file->first_ns = cursor_varint(in);
	file->last_ns = cursor_varint(in);
	file->sequential = cursor_varint(in);
	file->opens = cursor_varint(in);
	file->files = cursor_varint(in);
	err = get_sizes(in, file->size);
	return err ? err : get_classes(in, file);
}

static int get_counter(struct cursor *in, struct summary *summary)
{
	char *name = cursor_string(in);
	uint64_t value = cursor_varint(in);
	int err = name && !in->failed ? summary_add_counter(summary, name, value) : -EPROTO;

	free(name);
	return err;
}

static int get_property(struct cursor *in, struct summary *summary)
{
	char *name = cursor_string(in);
	char *value = cursor_string(in);
	int err = name && value ? summary_add_property(summary, name, value) : -EPROTO;

	free(name);
	free(value);
	return err;
}

static int get_record(uint64_t kind, struct cursor *payload, struct summary *summary)
{
	switch (kind) {
	case SNAP_PROPERTY:
		return get_property(payload, summary);
	case SNAP_COUNTER:
		return get_counter(payload, summary);
	case SNAP_OP:
		return get_op(payload, summary);
	case SNAP_ERROR:
		return get_error(payload, summary);
	case SNAP_FILE:
		return get_file(payload, summary);
	default:
		return 0; /* of a later minor version */
	}
}

static int get_records(struct cursor *in, const uint8_t *start, struct summary *summary,
		       struct diag *diag)
{
	for (;;) {
		size_t offset = (size_t)(in->at - start);
		uint64_t kind = cursor_varint(in), len = cursor_varint(in);
		struct cursor payload = cursor_sub(in, len);
		int err;

		if (in->failed)
			return diag_set(diag, -EPROTO, "snapshot is cut short at byte %zu", offset);
		if (kind == SNAP_END)
			return 0;
		err = get_record(kind, &payload, summary);
		if (err == -EDOM)
			return diag_set(diag, -EPROTO,
					"snapshot record at byte %zu: a histogram of another "
					"geometry; use the weir of the release that wrote it",
					offset);
		if (err)
			return diag_set(diag, err, "snapshot record of kind %llu at byte %zu: %s",
					(unsigned long long)kind, offset, strerror(-err));
	}
}

int snapshot_decode(const void *data, size_t len, struct summary *ret_summary, struct diag *diag)
{
	struct cursor in = cursor_of(data, len);
	uint64_t version;
	int err;

	if (len < sizeof(magic) || memcmp(data, magic, sizeof(magic)) != 0)
		return diag_set(diag, -EPROTO, "not a snapshot (no magic at byte 0)");
	in.at += sizeof(magic);
	version = cursor_varint(&in);
	if (version != SNAPSHOT_VERSION)
		return diag_set(diag, -EPROTONOSUPPORT,
				"snapshot of version %llu, this program reads version %d: "
				"use the weir of the same release as weirfs",
				(unsigned long long)version, SNAPSHOT_VERSION);
	summary_init(ret_summary);
	err = get_records(&in, data, ret_summary, diag);
	if (err)
		summary_done(ret_summary);
	return err;
}
