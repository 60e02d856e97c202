// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output of strace -f -ttt -T -y: stamps of all kinds, calls split over two lines, and the table
 * of what each call means.
 */
#include "config.h"

#include "tools/import_strace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "tools/import_formats.h"

enum strace_clock { CLOCK_UNKNOWN, CLOCK_EPOCH, CLOCK_DELTA, CLOCK_DAY, CLOCK_NONE };

#define DAY_NS (UINT64_C(24) * 3600 * NS_PER_S)
/* Less than three years after 1970 is no date: stamps of -r. */
#define EPOCH_MIN_NS (UINT64_C(100000000) * NS_PER_S)

/* --- stamps -------------------------------------------------------------------------------- */

/* HH:MM:SS[.fraction] */
static int parse_day_time(struct slice text, uint64_t *ret_ns)
{
	uint64_t hours, minutes, rest_ns;
	struct slice part;

	if (!slice_field(&text, ':', &part) || slice_uint(part, &hours) || hours > 23 ||
	    !slice_field(&text, ':', &part) || slice_uint(part, &minutes) || minutes > 59 ||
	    slice_scaled(text, NS_PER_S, &rest_ns) || rest_ns > 61 * NS_PER_S)
		return -EINVAL;
	*ret_ns = (hours * 3600 + minutes * 60) * NS_PER_S + rest_ns;
	return 0;
}

static int read_stamp(struct slice text, enum strace_clock *ret_clock, uint64_t *ret_ns)
{
	if (!text.len) {
		*ret_clock = CLOCK_NONE;
		return 0;
	}
	if (slice_find(text, ":") < text.len) {
		*ret_clock = CLOCK_DAY;
		return parse_day_time(text, ret_ns);
	}
	*ret_clock = CLOCK_EPOCH;
	if (slice_scaled(text, NS_PER_S, ret_ns))
		return -EINVAL;
	if (*ret_ns < EPOCH_MIN_NS)
		*ret_clock = CLOCK_DELTA;
	return 0;
}

static void note_clock(struct import *import, enum strace_clock clock)
{
	import->absolute = clock == CLOCK_EPOCH;
	if (clock == CLOCK_DELTA)
		import->notes = "time stamps are taken as differences to the line before "
				"(strace -r)";
	else if (clock == CLOCK_DAY)
		import->notes = "time stamps have no date: they count from the midnight before";
	else if (clock == CLOCK_NONE)
		import->notes = "there are no time stamps (strace -ttt): only the order is right, "
				"lines are 1 ns apart";
}

/* The line's time into *ret_ns. Returns 0 or -EINVAL. */
static int take_stamp(struct strace *strace, struct slice text, uint64_t *ret_ns)
{
	struct import_source *source = strace->import->source;
	enum strace_clock clock;
	uint64_t ns = 0;
	int err = read_stamp(text, &clock, &ns);

	if (err)
		return err;
	if (strace->clock == CLOCK_UNKNOWN) {
		strace->clock = (int)clock;
		note_clock(strace->import, clock);
	}
	if (strace->clock != (int)clock)
		return -EINVAL;
	switch (clock) {
	case CLOCK_DELTA:
		if (__builtin_add_overflow(source->clock_ns, ns, &source->clock_ns))
			return -EINVAL;
		*ret_ns = import_relative(source->clock_ns);
		return 0;
	case CLOCK_DAY:
		ns += source->version * DAY_NS;
		/* Backwards by half a day is the next day; by less, lines of several threads. */
		if (ns + DAY_NS / 2 < source->clock_ns) {
			source->version++;
			ns += DAY_NS;
		}
		source->clock_ns = ns;
		*ret_ns = import_relative(ns);
		return 0;
	case CLOCK_NONE:
		*ret_ns = ++strace->order;
		return 0;
	default:
		*ret_ns = ns;
		return 0;
	}
}

static bool strace_stamp(const struct import *import, struct slice text, uint64_t *ret_ns)
{
	struct strace_line line;
	enum strace_clock clock;

	return !strace_parse_line(text, &line) && !read_stamp(line.stamp, &clock, ret_ns) &&
	       clock != CLOCK_NONE && clock != CLOCK_DELTA;
}

/* --- calls --------------------------------------------------------------------------------- */

/* Those that move data without saying so. */
static const char *const hidden[] = {"io_submit", "io_getevents", "io_pgetevents", "io_uring_enter",
				     NULL};

static const struct strace_rule *find_rule(struct slice name)
{
	static const struct strace_rule *const tables[] = {strace_rules_data, strace_rules_attr,
							   strace_rules_name, strace_rules_fd};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (const struct strace_rule *rule = tables[i]; rule->name; rule++) {
			if (slice_is(name, rule->name))
				return rule;
		}
	}
	return NULL;
}

int strace_use_call(struct strace *strace, const struct strace_call *call)
{
	const struct strace_rule *rule = find_rule(call->name);

	strace->call = call;
	if (!rule) {
		for (size_t i = 0; hidden[i]; i++) {
			if (slice_is(call->name, hidden[i]))
				return import_unused(strace->import, IMPORT_HIDDEN);
		}
		return import_unused(strace->import, IMPORT_CALL);
	}
	/* It never came back: nobody knows what it did. */
	if (!call->returned)
		return import_unused(strace->import, IMPORT_NOTHING);
	return rule->handler(strace, call, rule->variant);
}

static int use_text(struct strace *strace, struct slice text, uint32_t pid, uint64_t start_ns)
{
	struct strace_call call;

	if (strace_parse_call(text, &call))
		return import_unused(strace->import, IMPORT_SYNTAX);
	call.pid = pid;
	call.start_ns = start_ns;
	return strace_use_call(strace, &call);
}

static bool makes_task(struct slice text)
{
	return slice_begins(text, "clone") || slice_begins(text, "fork") ||
	       slice_begins(text, "vfork");
}

static int keep_unfinished(struct strace *strace, const struct strace_line *line, uint64_t ns)
{
	struct strace_task *task = strace->task;
	char *text = malloc(line->text.len + 1);

	if (!text)
		return -ENOMEM;
	memcpy(text, line->text.at, line->text.len);
	free(task->text);
	task->text = text;
	task->text_len = line->text.len;
	task->start_ns = ns;
	if (makes_task(line->text))
		strace->tasks.cloner = task->pid;
	return 0;
}

static int use_resumed(struct strace *strace, const struct strace_line *line)
{
	struct strace_task *task = strace->task;
	struct slice begin = {task->text, task->text_len};
	struct bytes *joined = &strace->joined;

	if (!task->text)
		return import_unused(strace->import, IMPORT_ORPHAN);
	joined->len = 0;
	bytes_put(joined, begin.at, begin.len);
	bytes_put(joined, line->text.at, line->text.len);
	free(task->text);
	task->text = NULL;
	if (joined->failed)
		return -ENOMEM;
	return use_text(strace, (struct slice){(const char *)joined->data, joined->len}, task->pid,
			task->start_ns);
}

/* strace -ff writes a file a thread, FILE.PID, without the pid in its lines. */
static uint32_t pid_of_name(const char *name)
{
	const char *dot = strrchr(name, '.');
	uint64_t pid;

	if (!dot || slice_uint(slice_of(dot + 1), &pid) || pid > UINT32_MAX)
		return 0;
	return (uint32_t)pid;
}

static int use_line(struct strace *strace, struct strace_line *line, uint64_t ns)
{
	struct import *import = strace->import;
	int err = strace_task(&strace->tasks, line->pid, &strace->task);

	if (err == -ENOSPC)
		return import_refuse(import, "%s: more than %d threads at a time",
				     import->source->name, STRACE_TASKS_MAX);
	if (err)
		return err;
	switch (line->kind) {
	case STRACE_UNFINISHED:
		return keep_unfinished(strace, line, ns);
	case STRACE_RESUMED:
		return use_resumed(strace, line);
	case STRACE_EXIT:
		err = strace_exit_task(strace, line->pid, ns);
		strace->task = NULL;
		return err ? err : import_unused(import, IMPORT_NOTHING);
	case STRACE_NOISE:
		return import_unused(import, IMPORT_NOTHING);
	default:
		return use_text(strace, line->text, line->pid, ns);
	}
}

static int strace_line(struct import *import, void *state, struct slice text)
{
	struct strace *strace = state;
	struct strace_line line;
	uint64_t ns;

	strace->import = import;
	if (strace_parse_line(text, &line))
		return import_unused(import, IMPORT_SYNTAX);
	if (!line.has_pid)
		line.pid = pid_of_name(import->source->name);
	/* What strace says to the terminal has no stamp. */
	if (line.kind == STRACE_NOISE && !line.stamp.len)
		return import_unused(import, IMPORT_NOTHING);
	if (take_stamp(strace, line.stamp, &ns))
		return import_unused(import, IMPORT_TIME);
	return use_line(strace, &line, ns);
}

static void strace_done(void *state)
{
	struct strace *strace = state;

	strace_tasks_done(&strace->tasks);
	bytes_done(&strace->joined);
	bytes_done(&strace->text);
	bytes_done(&strace->what);
	bytes_done(&strace->value);
	bytes_done(&strace->base);
	bytes_done(&strace->path[0]);
	bytes_done(&strace->path[1]);
}

const struct import_format import_strace = {
	.name = "strace",
	.summary = "strace -f -ttt -T -y -o FILE (s)",
	.state_bytes = sizeof(struct strace),
	.line = strace_line,
	.stamp = strace_stamp,
	.done = strace_done,
};
