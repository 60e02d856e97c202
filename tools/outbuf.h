/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for millions of lines: a big buffer in front of a stream, with numbers, times and byte
 * strings put into it directly.
 */
#ifndef TOOLS_OUTBUF_H
#define TOOLS_OUTBUF_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "trace/event.h"

#define OUTBUF_ROOM (256u * 1024)
/* What out_room() may be asked for at once. */
#define OUTBUF_PIECE 4096u

struct outbuf {
	FILE *file;
	char *data;
	size_t len;
	int err; /* the first -errno: all later output goes nowhere */
};

/* Returns 0 or -ENOMEM. The stream is borrowed. */
int out_init(struct outbuf *out, FILE *file);
/* Frees it; what was not flushed is gone. */
void out_done(struct outbuf *out);
/* Hands everything to the stream and that to its reader. Returns 0 or -errno. */
int out_flush(struct outbuf *out);

/* Passes the buffer to the stream when less than OUTBUF_PIECE is left in it. */
void out_drain(struct outbuf *out);

/* Makes sure that OUTBUF_PIECE bytes fit: before the puts below, which don't look. */
static inline void out_room(struct outbuf *out)
{
	if (out->len > OUTBUF_ROOM - OUTBUF_PIECE)
		out_drain(out);
}

static inline void out_char(struct outbuf *out, char c)
{
	out->data[out->len++] = c;
}

static inline void out_put(struct outbuf *out, const char *text, size_t len)
{
	memcpy(out->data + out->len, text, len);
	out->len += len;
}

#define out_literal(out, text) out_put(out, text, sizeof(text) - 1)

static inline void out_string(struct outbuf *out, const char *text)
{
	out_put(out, text, strlen(text));
}

/* Decimal. */
void out_uint(struct outbuf *out, uint64_t value);
/* Exactly so many digits, with leading zeros; what is more is cut. */
void out_digits(struct outbuf *out, uint64_t value, unsigned int digits);
/* "24.1us": three digits and the unit without a blank. */
void out_time(struct outbuf *out, uint64_t ns);
/* Seconds with 6 or 9 decimals. */
void out_seconds(struct outbuf *out, int64_t ns, unsigned int decimals);
/* "2026-01-01T00:00:00.000000000Z" */
void out_iso(struct outbuf *out, uint64_t unix_ns);

/* Columns: blanks up to a place in the line, and what was put since, moved to the right. */
static inline size_t out_mark(const struct outbuf *out)
{
	return out->len;
}

/* What was put since the mark gets at least so many columns: blanks before or after it. */
void out_right(struct outbuf *out, size_t mark, size_t columns);
void out_left(struct outbuf *out, size_t mark, size_t columns);

/* Which characters besides those that could drive a terminal are written as \xNN. */
enum out_escape {
	OUT_LINE,  /* none: a line of text */
	OUT_WORD,  /* the blank too: a word of a line */
	OUT_FIELD, /* a field of CSV: none, but quotes are doubled */
};

/*
 * Bytes as text that can be taken back: a backslash as two; control characters, bytes that are no
 * UTF-8 and marks that turn the direction of text as \xNN. Of any length.
 */
void out_escaped(struct outbuf *out, struct trace_bytes bytes, enum out_escape how);

/* Bytes as hexadecimal, of any length. */
void out_hex(struct outbuf *out, struct trace_bytes bytes);

/*
 * "KEY": "..." of JSON: what is no UTF-8 as U+FFFD, and then all of it as hexadecimal under
 * "KEY_hex". Of any length; a comma and blank come first.
 */
void out_json(struct outbuf *out, const char *key, struct trace_bytes bytes);

#endif
