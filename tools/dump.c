// SPDX-License-Identifier: GPL-2.0-or-later
/* What the forms of a dump share. */
#include "config.h"

#include "tools/dump.h"

#include <string.h>

bool dump_new_trace(struct dump *dump)
{
	const uint8_t *id = input_id(dump->input);

	if (dump->any && !memcmp(dump->id, id, TRACE_ID))
		return false;
	memcpy(dump->id, id, TRACE_ID);
	dump->any = true;
	dump->dropped_said = 0;
	return true;
}

static struct dump_path path_of(const struct dump *dump, const struct trace_event *event,
				enum trace_number parent, enum trace_text name)
{
	static const uint8_t unknown[] = {'?'};
	const struct trace_op *op = event->op;
	const struct trace_file *directory = NULL;
	struct dump_path path = {.directory = {unknown, 1}};

	if ((op->have & TRACE_HAVE_TEXT(name)) && op->text[name].len) {
		path.name = op->text[name];
		if (op->have & TRACE_HAVE(parent))
			directory = input_file(dump->input, op->value[parent]);
		if (directory)
			path.directory = directory->path;
	} else if (event->file) {
		path.directory = event->file->path;
	}
	return path;
}

struct dump_path dump_path_of(const struct dump *dump, const struct trace_event *event)
{
	return path_of(dump, event, TRACE_PARENT, TRACE_NAME);
}

struct dump_path dump_new_path_of(const struct dump *dump, const struct trace_event *event)
{
	return path_of(dump, event, TRACE_NEW_PARENT, TRACE_NEW_NAME);
}
