// SPDX-License-Identifier: GPL-2.0-or-later
/* Formatting by hand: printf() would be most of the time of a dump. */
#include "config.h"

#include "tools/outbuf.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "core/clock.h"
#include "tools/utf8.h"

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

int out_init(struct outbuf *out, FILE *file)
{
	*out = (struct outbuf){.file = file, .data = malloc(OUTBUF_ROOM)};
	return out->data ? 0 : -ENOMEM;
}

void out_done(struct outbuf *out)
{
	free(out->data);
	*out = (struct outbuf){0};
}

void out_drain(struct outbuf *out)
{
	if (!out->err && out->len && fwrite(out->data, 1, out->len, out->file) != out->len)
		out->err = errno ? -errno : -EIO;
	out->len = 0;
}

int out_flush(struct outbuf *out)
{
	out_drain(out);
	if (!out->err && fflush(out->file))
		out->err = errno ? -errno : -EIO;
	return out->err;
}

/* --- numbers -------------------------------------------------------------------------------- */

void out_uint(struct outbuf *out, uint64_t value)
{
	char text[20];
	size_t at = sizeof(text);

	while (value >= 100) {
		at -= 2;
		memcpy(text + at, pairs + 2 * (value % 100), 2);
		value /= 100;
	}
	if (value >= 10) {
		at -= 2;
		memcpy(text + at, pairs + 2 * value, 2);
	} else {
		text[--at] = (char)('0' + value);
	}
	out_put(out, text + at, sizeof(text) - at);
}

void out_digits(struct outbuf *out, uint64_t value, unsigned int digits)
{
	char *text = out->data + out->len;

	out->len += digits;
	while (digits > 0) {
		text[--digits] = (char)('0' + value % 10);
		value /= 10;
	}
}

/* value / unit with three digits, when it has not more before the point. */
static int three_digits(struct outbuf *out, uint64_t value, uint64_t unit)
{
	uint64_t scaled = (value * 100 + unit / 2) / unit;
	unsigned int decimals = 2;

	if (scaled >= 1000) {
		scaled = (value * 10 + unit / 2) / unit;
		decimals = 1;
	}
	if (decimals == 1 && scaled >= 1000) {
		scaled = (value + unit / 2) / unit;
		decimals = 0;
	}
	if (scaled >= 1000)
		return -ERANGE;
	if (decimals == 2) {
		out_char(out, (char)('0' + scaled / 100));
		out_char(out, '.');
		out_put(out, pairs + 2 * (scaled % 100), 2);
	} else if (decimals == 1) {
		out_uint(out, scaled / 10);
		out_char(out, '.');
		out_char(out, (char)('0' + scaled % 10));
	} else {
		out_uint(out, scaled);
	}
	return 0;
}

void out_time(struct outbuf *out, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{NS_PER_US, "us"}, {NS_PER_MS, "ms"}, {NS_PER_S, "s"}};

	if (ns < NS_PER_US) {
		out_uint(out, ns);
		out_literal(out, "ns");
		return;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns * 1000 && !three_digits(out, ns, units[i].ns)) {
			out_string(out, units[i].name);
			return;
		}
	}
	out_uint(out, ns / NS_PER_S);
	out_char(out, 's');
}

void out_seconds(struct outbuf *out, int64_t ns, unsigned int decimals)
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		out_char(out, '-');
	out_uint(out, size / NS_PER_S);
	out_char(out, '.');
	if (decimals == 9)
		out_digits(out, size % NS_PER_S, 9);
	else
		out_digits(out, size % NS_PER_S / NS_PER_US, 6);
}

void out_iso(struct outbuf *out, uint64_t unix_ns)
{
	time_t s = (time_t)(unix_ns / NS_PER_S);
	struct tm tm;

	if (!gmtime_r(&s, &tm)) {
		out_char(out, '?');
		return;
	}
	out_digits(out, (uint64_t)tm.tm_year + 1900, 4);
	out_char(out, '-');
	out_digits(out, (uint64_t)tm.tm_mon + 1, 2);
	out_char(out, '-');
	out_digits(out, (uint64_t)tm.tm_mday, 2);
	out_char(out, 'T');
	out_digits(out, (uint64_t)tm.tm_hour, 2);
	out_char(out, ':');
	out_digits(out, (uint64_t)tm.tm_min, 2);
	out_char(out, ':');
	out_digits(out, (uint64_t)tm.tm_sec, 2);
	out_char(out, '.');
	out_digits(out, unix_ns % NS_PER_S, 9);
	out_char(out, 'Z');
}

void out_left(struct outbuf *out, size_t mark, size_t columns)
{
	while (out->len - mark < columns)
		out_char(out, ' ');
}

void out_right(struct outbuf *out, size_t mark, size_t columns)
{
	size_t len = out->len - mark;

	if (len >= columns)
		return;
	memmove(out->data + mark + columns - len, out->data + mark, len);
	memset(out->data + mark, ' ', columns - len);
	out->len = mark + columns;
}

/* --- byte strings --------------------------------------------------------------------------- */

static const char hex[] = "0123456789abcdef";

/* ASCII that goes out as it is, in text and in JSON. */
static bool is_plain(uint8_t byte)
{
	return byte > ' ' && byte < 0x7f && byte != '\\' && byte != '"';
}

/* Puts the plain beginning; returns its length. */
static size_t put_plain(struct outbuf *out, const uint8_t *at, size_t len)
{
	size_t n = 0;

	if (len > OUTBUF_PIECE / 2)
		len = OUTBUF_PIECE / 2;
	while (n < len && is_plain(at[n]))
		n++;
	out_put(out, (const char *)at, n);
	return n;
}

static void put_hex(struct outbuf *out, const uint8_t *at, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		out_char(out, '\\');
		out_char(out, 'x');
		out_char(out, hex[at[i] >> 4]);
		out_char(out, hex[at[i] & 15]);
	}
}

void out_escaped(struct outbuf *out, struct trace_bytes bytes, enum out_escape how)
{
	const uint8_t *at = bytes.data, *end = at + bytes.len;

	out_room(out);
	while (at < end) {
		size_t len = put_plain(out, at, (size_t)(end - at));
		uint32_t point;

		at += len;
		out_room(out);
		if (at == end)
			break;
		len = utf8_decode(at, (size_t)(end - at), &point);
		if (!len || utf8_unsafe(point) || (point == ' ' && how == OUT_WORD))
			put_hex(out, at, len ? len : 1);
		else
			out_put(out, (const char *)at, len);
		if (*at == '\\' || (*at == '"' && how == OUT_FIELD))
			out_char(out, (char)*at);
		at += len ? len : 1;
	}
}

void out_hex(struct outbuf *out, struct trace_bytes bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		out_room(out);
		out_char(out, hex[bytes.data[i] >> 4]);
		out_char(out, hex[bytes.data[i] & 15]);
	}
	out_room(out);
}

static void put_json_point(struct outbuf *out, const uint8_t *at, size_t len, uint32_t point)
{
	if (point == '"' || point == '\\') {
		out_char(out, '\\');
		out_char(out, (char)point);
	} else if (point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 ||
		   point == 0x2029) {
		out_literal(out, "\\u");
		for (int shift = 12; shift >= 0; shift -= 4)
			out_char(out, hex[point >> shift & 15]);
	} else {
		out_put(out, (const char *)at, len);
	}
}

/* The characters of a string. Returns whether all of it was UTF-8. */
static bool put_json_text(struct outbuf *out, struct trace_bytes bytes)
{
	const uint8_t *at = bytes.data, *end = at + bytes.len;
	bool valid = true;

	out_room(out);
	while (at < end) {
		size_t len = put_plain(out, at, (size_t)(end - at));
		uint32_t point;

		at += len;
		out_room(out);
		if (at == end)
			break;
		len = utf8_decode(at, (size_t)(end - at), &point);
		if (len) {
			put_json_point(out, at, len, point);
		} else {
			valid = false;
			out_literal(out, "\\ufffd");
		}
		at += len ? len : 1;
	}
	return valid;
}

void out_json(struct outbuf *out, const char *key, struct trace_bytes bytes)
{
	bool valid;

	out_room(out);
	out_literal(out, ", \"");
	out_string(out, key);
	out_literal(out, "\": \"");
	valid = put_json_text(out, bytes);
	out_char(out, '"');
	if (valid)
		return;
	out_literal(out, ", \"");
	out_string(out, key);
	out_literal(out, "_hex\": \"");
	out_hex(out, bytes);
	out_char(out, '"');
}
