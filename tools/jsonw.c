// SPDX-License-Identifier: GPL-2.0-or-later
/* A JSON writer: RFC 8259, no state but the nesting. */
#include "config.h"

#include "tools/jsonw.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "tools/utf8.h"

void jsonw_init(struct jsonw *json, FILE *out, bool flat)
{
	memset(json, 0, sizeof(*json));
	json->out = out;
	json->flat = flat ? 0 : JSONW_DEPTH_MAX + 1;
}

static void new_line(struct jsonw *json)
{
	if (json->depth >= json->flat)
		return;
	fprintf(json->out, "\n%*s", (int)json->depth, "");
}

static void put_point(FILE *out, const char *text, size_t len, uint32_t point)
{
	if (point == '"' || point == '\\')
		fprintf(out, "\\%c", (char)point);
	else if (point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 ||
		 point == 0x2029)
		fprintf(out, "\\u%04" PRIx32, point);
	else
		fwrite(text, 1, len, out);
}

/* The characters of a string, without the quotes. Returns whether all of it was UTF-8. */
static bool put_text(FILE *out, const char *text)
{
	bool valid = true;
	uint32_t point;
	size_t len;

	for (; *text; text += len) {
		len = utf8_next(text, &point);
		if (len) {
			put_point(out, text, len, point);
			continue;
		}
		valid = false;
		len = 1;
		fputs("\\ufffd", out);
	}
	return valid;
}

/* What comes before a value: comma, line, key. */
static void begin(struct jsonw *json, const char *key)
{
	if (json->used[json->depth])
		fputs(json->depth >= json->flat ? ", " : ",", json->out);
	json->used[json->depth] = true;
	if (json->depth)
		new_line(json);
	if (key) {
		fputc('"', json->out);
		put_text(json->out, key);
		fputs("\": ", json->out);
	}
}

static void nest(struct jsonw *json, const char *key, char open, char close)
{
	begin(json, key);
	fputc(open, json->out);
	assert(json->depth < JSONW_DEPTH_MAX);
	json->depth++;
	json->used[json->depth] = false;
	json->close[json->depth] = close;
}

void jsonw_object(struct jsonw *json, const char *key)
{
	nest(json, key, '{', '}');
}

void jsonw_array(struct jsonw *json, const char *key)
{
	nest(json, key, '[', ']');
}

static void flatten(struct jsonw *json)
{
	if (json->flat > json->depth)
		json->flat = json->depth;
}

void jsonw_flat_object(struct jsonw *json, const char *key)
{
	jsonw_object(json, key);
	flatten(json);
}

void jsonw_flat_array(struct jsonw *json, const char *key)
{
	jsonw_array(json, key);
	flatten(json);
}

void jsonw_end(struct jsonw *json)
{
	char close = json->close[json->depth];
	bool used = json->used[json->depth];

	assert(json->depth > 0);
	/* The outermost flat level of a tree that isn't flat as a whole ends here. */
	if (json->flat == json->depth && json->flat > 0) {
		json->flat = JSONW_DEPTH_MAX + 1;
		json->depth--;
	} else {
		json->depth--;
		if (used)
			new_line(json);
	}
	fputc(close, json->out);
	if (!json->depth) {
		fputc('\n', json->out);
		json->used[0] = false;
	}
}

void jsonw_uint(struct jsonw *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void jsonw_decimals(struct jsonw *json, const char *key, double value, int decimals)
{
	begin(json, key);
	fprintf(json->out, "%.*f", decimals, value);
}

void jsonw_real(struct jsonw *json, const char *key, double value)
{
	jsonw_decimals(json, key, value, 2);
}

void jsonw_bool(struct jsonw *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

void jsonw_null(struct jsonw *json, const char *key)
{
	begin(json, key);
	fputs("null", json->out);
}

void jsonw_string(struct jsonw *json, const char *key, const char *value)
{
	bool valid;

	if (!value) {
		jsonw_null(json, key);
		return;
	}
	begin(json, key);
	fputc('"', json->out);
	valid = put_text(json->out, value);
	fputc('"', json->out);
	if (valid || !key)
		return;
	begin(json, NULL);
	fputc('"', json->out);
	put_text(json->out, key);
	fputs("_hex\": \"", json->out);
	for (; *value; value++)
		fprintf(json->out, "%02x", (unsigned char)*value);
	fputc('"', json->out);
}
