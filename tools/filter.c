// SPDX-License-Identifier: GPL-2.0-or-later
/* Choosing operations by what they are, of whom, when and how long. */
#include "config.h"

#include "tools/filter.h"

#include <fnmatch.h>
#include <string.h>

#include "core/clock.h"
#include "core/units.h"
#include "tools/args.h"
#include "tools/select.h"

#define PATH_ROOM 8192 /* longer paths match as if they ended there */

static int parse_when(const char *command, const char *option, struct when *when)
{
	if (!when_parse(optarg, when))
		return EXIT_DONE;
	return args_error(command,
			  "%s is a time after the start ('10s') or a date "
			  "('2026-01-31T12:00:00Z'), not '%s'",
			  option, optarg);
}

static int parse_id(const char *command, const char *option, bool *by, uint32_t *ret_id)
{
	uint64_t value;

	if (args_uint(command, option, optarg, 0, UINT32_MAX, &value))
		return EXIT_USAGE;
	*by = true;
	*ret_id = (uint32_t)value;
	return EXIT_DONE;
}

int filter_option(struct filter *filter, const char *command, int option)
{
	struct diag diag = {0};

	switch (option) {
	case FILTER_OP:
		if (!select_parse_ops(optarg, &filter->ops, &diag))
			return EXIT_DONE;
		return args_error(command, "%s", diag.text);
	case FILTER_PATH:
		filter->path = optarg;
		return EXIT_DONE;
	case FILTER_PID:
		return parse_id(command, "--pid", &filter->by_pid, &filter->pid);
	case FILTER_UID:
		return parse_id(command, "--uid", &filter->by_uid, &filter->uid);
	case FILTER_FROM:
		return parse_when(command, "--from", &filter->from);
	case FILTER_TO:
		return parse_when(command, "--to", &filter->to);
	case FILTER_MIN:
		if (!units_parse_time(optarg, 0, &filter->min_ns))
			return EXIT_DONE;
		return args_error(command, "--min is a time like '10ms', not '%s'", optarg);
	default: /* FILTER_ERRORS */
		filter->errors = true;
		return EXIT_DONE;
	}
}

bool filter_any(const struct filter *filter)
{
	return filter->ops || filter->path || filter->by_pid || filter->by_uid || filter->errors ||
	       filter->min_ns || filter->from.given || filter->to.given;
}

static void set_window(struct filter *filter, uint64_t start_ns)
{
	filter->from_ns = when_unix_ns(&filter->from, start_ns);
	filter->to_ns = filter->to.given ? when_unix_ns(&filter->to, start_ns) : UINT64_MAX;
	filter->windowed = true;
}

void filter_begin(struct filter *filter, struct input *input)
{
	uint64_t start_ns = 0;

	if (!filter->from.given) {
		/* Since ever, not since the start: an operation may have begun a little earlier. */
		filter->from.ns = 0;
		filter->from.relative = false;
	}
	if (!filter->from.given && !filter->to.given)
		return;
	if ((filter->from.relative || filter->to.relative) && input_start(input, &start_ns))
		return;
	set_window(filter, start_ns);
	input_window(input, filter->from_ns, filter->to_ns);
}

/* PATH, or PATH/NAME, against the glob; * matches slashes too, as in the rules of a delay. */
static bool matches(const struct filter *filter, const struct trace_file *file,
		    const struct trace_bytes *name)
{
	char path[PATH_ROOM];
	size_t len;

	if (!file)
		return false;
	len = file->path.len < sizeof(path) - 1 ? file->path.len : sizeof(path) - 1;
	memcpy(path, file->path.data, len);
	if (name && len < sizeof(path) - 2) {
		size_t room = sizeof(path) - 2 - len;

		if (!len || path[len - 1] != '/')
			path[len++] = '/';
		room = name->len < room ? name->len : room;
		memcpy(path + len, name->data, room);
		len += room;
	}
	path[len] = '\0';
	return !fnmatch(filter->path, path, 0);
}

static bool matches_any(const struct filter *filter, const struct input *input,
			const struct trace_event *event)
{
	const struct trace_op *op = event->op;

	if (matches(filter, event->file, NULL))
		return true;
	if ((op->have & TRACE_HAVE_TEXT(TRACE_NAME)) && (op->have & TRACE_HAVE(TRACE_PARENT)) &&
	    matches(filter, input_file(input, op->value[TRACE_PARENT]), &op->text[TRACE_NAME]))
		return true;
	if ((op->have & TRACE_HAVE_TEXT(TRACE_NEW_NAME)) &&
	    (op->have & TRACE_HAVE(TRACE_NEW_PARENT)) &&
	    matches(filter, input_file(input, op->value[TRACE_NEW_PARENT]),
		    &op->text[TRACE_NEW_NAME]))
		return true;
	return (op->have & TRACE_HAVE(TRACE_TO_FILE)) &&
	       matches(filter, input_file(input, op->value[TRACE_TO_FILE]), NULL);
}

static bool in_window(struct filter *filter, struct input *input, const struct trace_event *event)
{
	uint64_t at_ns = event->op->op.arrive_ns + event->wall_offset_ns, start_ns;

	if (!filter->windowed) {
		if (!filter->from.given && !filter->to.given)
			return true;
		if (input_start(input, &start_ns))
			return false;
		set_window(filter, start_ns);
	}
	return at_ns >= filter->from_ns && at_ns < filter->to_ns;
}

bool filter_wants(struct filter *filter, struct input *input, const struct trace_event *event)
{
	const struct op *op = &event->op->op;

	if (filter->ops && !(filter->ops >> op->kind & 1))
		return false;
	if (filter->errors && !op->error)
		return false;
	if (filter->by_pid && op->pid != filter->pid && event->op->process != filter->pid)
		return false;
	if (filter->by_uid && op->uid != filter->uid)
		return false;
	if (filter->min_ns) {
		uint64_t duration_ns[DURATIONS];

		op_durations(op, duration_ns);
		if (duration_ns[DUR_TOTAL] < filter->min_ns)
			return false;
	}
	return in_window(filter, input, event) &&
	       (!filter->path || matches_any(filter, input, event));
}
