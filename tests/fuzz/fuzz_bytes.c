// SPDX-License-Identifier: GPL-2.0-or-later
/* A cursor over any bytes: the first byte of each step says what is read next. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>

#include "core/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void step(struct cursor *in)
{
	struct cursor sub;
	const uint8_t *blob;
	size_t len;
	uint64_t kind = cursor_varint(in);

	switch (kind % 5) {
	case 0:
		cursor_varint(in);
		break;
	case 1:
		cursor_signed(in);
		break;
	case 2:
		blob = cursor_blob(in, &len);
		assert(!blob || blob + len <= in->end);
		break;
	case 3:
		free(cursor_string(in));
		break;
	default:
		sub = cursor_sub(in, kind / 5);
		assert(sub.failed || sub.end <= in->end);
		cursor_varint(&sub);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor in = cursor_of(data, size);

	while (cursor_left(&in)) {
		size_t before = cursor_left(&in);

		step(&in);
		assert(cursor_left(&in) < before);
	}
	return 0;
}
