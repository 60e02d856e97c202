// SPDX-License-Identifier: GPL-2.0-or-later
/* Names as keyed hashes. */
#include "config.h"

#include "weirfs/trace_hide.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "core/clock.h"
#include "core/hash.h"

#define DIGITS 16

void trace_hide_init(struct trace_hide *hide)
{
	memset(hide, 0, sizeof(*hide));
	if (getrandom(hide->key, sizeof(hide->key), 0) != sizeof(hide->key))
		hide->key[0] = clock_wall_ns();
}

void trace_hide_done(struct trace_hide *hide)
{
	bytes_done(&hide->path);
	for (int i = 0; i < TRACE_TEXTS; i++)
		bytes_done(&hide->text[i]);
}

static bool is_plain(const uint8_t *name, size_t len)
{
	return !len || (len == 1 && name[0] == '.') ||
	       (len == 2 && name[0] == '.' && name[1] == '.');
}

static void hide_bytes(const struct trace_hide *hide, struct bytes *out, struct trace_bytes *text)
{
	static const uint8_t unknown[] = {'?'};
	const uint8_t *at = text->data, *end = at + text->len;

	/* The path of a file that has none. */
	if (text->len == 1 && *at == '?')
		return;
	out->len = 0;
	out->failed = false;
	while (at < end) {
		const uint8_t *slash = memchr(at, '/', (size_t)(end - at));
		size_t len = (size_t)((slash ? slash : end) - at);
		char digits[DIGITS + 1];

		if (is_plain(at, len)) {
			bytes_put(out, at, len);
		} else {
			snprintf(digits, sizeof(digits), "%016llx",
				 (unsigned long long)hash_sip(at, len, hide->key));
			bytes_put(out, digits, DIGITS);
		}
		if (slash)
			bytes_put(out, "/", 1);
		at += len + (slash != NULL);
	}
	if (out->failed)
		*text = (struct trace_bytes){unknown, 1};
	else
		*text = (struct trace_bytes){out->data, out->len};
}

void trace_hide_file(struct trace_hide *hide, struct trace_file *file)
{
	hide_bytes(hide, &hide->path, &file->path);
	file->flags |= TRACE_FILE_F_HASHED;
}

void trace_hide_op(struct trace_hide *hide, struct trace_op *op)
{
	static const enum trace_text names[] = {TRACE_NAME, TRACE_NEW_NAME, TRACE_TARGET};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (op->have & TRACE_HAVE_TEXT(names[i]))
			hide_bytes(hide, &hide->text[names[i]], &op->text[names[i]]);
	}
}
