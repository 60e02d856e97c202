// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace of any bytes: read to its end or refused, in bounded memory.
 *
 * The first byte chooses: even, the rest is the content of a block (checksums would keep a fuzzer
 * out); odd, it is a whole file.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/decode.h"
#include "trace/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t sum;

/* Looks at every byte that an event points to. */
static void look(const struct trace_bytes *bytes)
{
	for (size_t i = 0; i < bytes->len; i++)
		sum ^= bytes->data[i];
}

static void look_at(const struct trace_event *event)
{
	look(&event->name);
	look(&event->value);
	if (event->file)
		look(&event->file->path);
	for (unsigned int i = 0; event->op && i < TRACE_TEXTS; i++) {
		if (event->op->have & TRACE_HAVE_TEXT(i))
			look(&event->op->text[i]);
	}
	if (event->op)
		assert(event->op->op.kind < OP_KINDS);
}

static void decode(const uint8_t *data, size_t size)
{
	struct decoder decoder = {0};
	int err = decoder_begin(&decoder, data, size);

	while (!err && (err = decoder_next(&decoder)) == 1) {
		look_at(&decoder.event);
		if (decoder.event.op)
			decoder_file(&decoder, decoder.event.op->op.file);
		err = 0;
	}
	assert(err <= 0);
	decoder_done(&decoder);
}

static void read_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	const struct trace_event *event;
	struct trace_reader *reader;
	struct trace_damage damage;
	struct diag diag = {0};
	int err;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	lseek(fd, 0, SEEK_SET);
	err = trace_reader_new(fd, &diag, &reader);
	if (!err) {
		trace_reader_window(reader, size % 3 ? 0 : 1000, UINT64_MAX);
		while ((err = trace_read(reader, &event)) == 1)
			look_at(event);
		trace_reader_damage(reader, &damage);
		assert(damage.bytes <= size);
		trace_reader_free(reader);
	}
	assert(!err || diag.text[0]);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 1)
		read_file(data + 1, size - 1);
	else
		decode(data + 1, size - 1);
	return 0;
}
