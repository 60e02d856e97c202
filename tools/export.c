// SPDX-License-Identifier: GPL-2.0-or-later
/* What all formats share: the table, names, durations, notes. */
#include "config.h"

#include "tools/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/utf8.h"

#define PUNCH_HOLE 2 /* FALLOC_FL_PUNCH_HOLE: traces have Linux' numbers anywhere */

const struct export_format *export_find(const char *name, bool *ret_binary)
{
	static const struct {
		const char *name;
		const struct export_format *format;
		bool binary;
	} formats[] = {
#define X(id, name, blanks, binary, help) {name, &export_##id, binary},
		EXPORT_TABLE(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i].name, name) != 0)
			continue;
		*ret_binary = formats[i].binary;
		return formats[i].format;
	}
	return NULL;
}

void export_done(struct export *export)
{
	bytes_done(&export->scratch);
	for (size_t i = 0; i < export->property_count; i++) {
		free(export->properties[i].name);
		free(export->properties[i].value);
	}
	export->property_count = 0;
}

void export_note(struct export *export, const char *text, uint64_t count)
{
	for (size_t i = 0; i < export->note_count; i++) {
		if (export->notes[i].text == text) {
			export->notes[i].count += count;
			return;
		}
	}
	if (export->note_count < EXPORT_NOTES)
		export->notes[export->note_count++] = (struct export_note){text, count};
}

/* --- properties ----------------------------------------------------------------------------- */

const char *export_property(const struct export *export, const char *name)
{
	for (size_t i = 0; i < export->property_count; i++) {
		if (!strcmp(export->properties[i].name, name))
			return export->properties[i].value;
	}
	return NULL;
}

/* Properties come again in every part of a trace: the last value is kept. */
static int keep_property(struct export *export, const struct trace_event *event)
{
	struct trace_bytes text = export_text(&export->scratch, event->value);
	char *value = strndup((const char *)text.data, text.len), *name;
	size_t i;

	text = export_text(&export->scratch, event->name);
	name = strndup((const char *)text.data, text.len);
	if (!name || !value) {
		free(name);
		free(value);
		return -ENOMEM;
	}
	for (i = 0; i < export->property_count; i++) {
		if (!strcmp(export->properties[i].name, name))
			break;
	}
	if (i == EXPORT_PROPERTIES) {
		free(name);
		free(value);
		return 0;
	}
	if (i == export->property_count) {
		export->property_count++;
	} else {
		free(export->properties[i].name);
		free(export->properties[i].value);
	}
	export->properties[i].name = name;
	export->properties[i].value = value;
	return 0;
}

const char *export_title(const struct export *export)
{
	const char *mount = export_property(export, "mountpoint");

	return mount ? mount : export->options->input;
}

/* --- events --------------------------------------------------------------------------------- */

static int take_op(struct export *export, const struct export_format *format,
		   const struct trace_event *event)
{
	uint64_t end_ns = export_op_end(&event->op->op) + event->wall_offset_ns;

	if (!export->origin_ns)
		export->origin_ns = event->op->op.arrive_ns + event->wall_offset_ns;
	if (end_ns > export->end_ns)
		export->end_ns = end_ns;
	export->ops++;
	return format->op(export, event);
}

int export_event(struct export *export, const struct export_format *format,
		 const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_EV_OP:
		return take_op(export, format, event);
	case TRACE_EV_PROPERTY:
		return keep_property(export, event);
	case TRACE_EV_MARK:
		if (!export->origin_ns)
			export->origin_ns = event->mono_ns + event->wall_offset_ns;
		return format->mark ? format->mark(export, event) : 0;
	default:
		return 0;
	}
}

/* --- operations ----------------------------------------------------------------------------- */

uint64_t export_op_end(const struct op *op)
{
	const uint64_t stamps[] = {op->done_ns, op->backed_ns, op->issued_ns};

	for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++) {
		if (stamps[i])
			return stamps[i] > op->arrive_ns ? stamps[i] : op->arrive_ns;
	}
	return op->arrive_ns;
}

bool export_was_awaited(struct export *export, const struct op *op)
{
	if (op->kind != OP_FORGET && op->done_ns)
		return true;
	export_note(export, "operations without a reply, left out", 1);
	return false;
}

enum duration export_duration(const struct export *export, enum duration otherwise)
{
	for (unsigned int i = 0; i < DURATIONS; i++) {
		if (export->options->durations >> i & 1)
			return (enum duration)i;
	}
	return otherwise;
}

bool export_is_trim(const struct trace_op *op)
{
	return op->op.kind == OP_FALLOCATE && (op->have & TRACE_HAVE(TRACE_FLAGS)) &&
	       (op->value[TRACE_FLAGS] & PUNCH_HOLE);
}

/* --- output --------------------------------------------------------------------------------- */

void export_put(struct outbuf *out, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		size_t n = len < OUTBUF_PIECE ? len : OUTBUF_PIECE;

		out_room(out);
		out_put(out, at, n);
		at += n;
		len -= n;
	}
}

void export_us(struct outbuf *out, uint64_t ns)
{
	out_uint(out, ns / 1000);
	out_char(out, '.');
	out_digits(out, ns % 1000, 3);
}

/* Printable ASCII without a backslash: what nearly all names are. */
static bool is_plain(struct trace_bytes name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (name.data[i] < 0x20 || name.data[i] >= 0x7f || name.data[i] == '\\')
			return false;
	}
	return true;
}

static void put_hex(struct bytes *out, const uint8_t *at, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		char escaped[4] = {'\\', 'x', digits[at[i] >> 4], digits[at[i] & 15]};

		bytes_put(out, escaped, sizeof(escaped));
	}
}

struct trace_bytes export_text(struct bytes *scratch, struct trace_bytes name)
{
	if (!name.len || is_plain(name))
		return name.len ? name : (struct trace_bytes){(const uint8_t *)"", 0};
	scratch->len = 0;
	for (size_t i = 0, len; i < name.len; i += len ? len : 1) {
		uint32_t point;

		len = utf8_decode(name.data + i, name.len - i, &point);
		if (name.data[i] == '\\')
			bytes_put(scratch, "\\\\", 2);
		else if (!len || utf8_unsafe(point))
			put_hex(scratch, name.data + i, len ? len : 1);
		else
			bytes_put(scratch, name.data + i, len);
	}
	return (struct trace_bytes){scratch->data, scratch->len};
}

struct trace_bytes export_path(struct export *export, const struct trace_event *event)
{
	if (!event->file)
		return (struct trace_bytes){(const uint8_t *)"?", 1};
	return export_text(&export->scratch, event->file->path);
}

struct trace_bytes export_comm(const struct trace_op *op)
{
	return (struct trace_bytes){(const uint8_t *)op->comm, strnlen(op->comm, TRACE_COMM)};
}
