// SPDX-License-Identifier: GPL-2.0-or-later
/* The text that blkparse prints by default (not with -f). */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "tools/import_block.h"

struct blkparse_state {
	struct block_state block;
};

/* The summary behind the events has been reached; kept as the source's version. */
enum { IN_EVENTS, IN_SUMMARY };

struct rwbs {
	enum op_kind kind;
	bool flush;
	bool fua;
	bool data; /* reads, writes or discards */
};

/* Optional F (flush before), one of D W R N, then flags. Returns 0 or -ENOENT. */
static int parse_rwbs(struct slice text, struct rwbs *ret_rwbs)
{
	struct rwbs rwbs = {.kind = OP_FSYNC};

	if (text.len > 1 && slice_skip(&text, "F"))
		rwbs.flush = true;
	if (!text.len)
		return -ENOENT;
	switch (text.at[0]) {
	case 'R':
		rwbs.kind = OP_READ;
		break;
	case 'W':
		rwbs.kind = OP_WRITE;
		break;
	case 'D':
		rwbs.kind = OP_FALLOCATE;
		break;
	case 'F':
		rwbs.flush = true;
		break;
	case 'N':
		break;
	default:
		return -ENOENT;
	}
	rwbs.data = rwbs.kind != OP_FSYNC;
	rwbs.fua = slice_find(slice_from(text, 1), "F") < text.len - 1;
	*ret_rwbs = rwbs;
	return 0;
}

static int parse_device(struct slice text, uint32_t *ret_device)
{
	size_t comma = slice_find(text, ",");
	uint64_t major, minor;

	if (comma == text.len || slice_uint((struct slice){text.at, comma}, &major) ||
	    slice_uint(slice_from(text, comma + 1), &minor) || major > 0xfff || minor > 0xfffff)
		return -EINVAL;
	*ret_device = (uint32_t)(major << 20 | minor);
	return 0;
}

/* cpu, sequence, time and pid. Returns 0 or -EINVAL. */
static int parse_head(struct slice *rest, struct block_event *event)
{
	uint64_t cpu, sequence, pid = 0;
	int err = slice_uint(slice_word(rest), &cpu);

	if (!err)
		err = slice_uint(slice_word(rest), &sequence);
	if (!err)
		err = slice_scaled(slice_word(rest), NS_PER_S, &event->time_ns);
	if (!err)
		err = slice_uint(slice_word(rest), &pid);
	if (err || pid > UINT32_MAX)
		return -EINVAL;
	event->pid = (uint32_t)pid;
	event->time_ns = import_relative(event->time_ns);
	return 0;
}

/* SECTOR [+ NSECT], or nothing. Returns 0, -EINVAL or -ERANGE. */
static int parse_range(struct slice *rest, struct block_event *event)
{
	struct slice look = *rest, word = slice_word(&look);
	uint64_t sector, count = 0;
	int err;

	if (!word.len || word.at[0] == '[')
		return 0;
	err = slice_uint(word, &sector);
	if (err)
		return err;
	*rest = look;
	if (slice_is(slice_word(&look), "+")) {
		err = slice_uint(slice_word(&look), &count);
		*rest = look;
	}
	if (err)
		return err;
	if (sector > INT64_MAX / 512 || count > UINT32_MAX)
		return -ERANGE;
	event->offset = sector * 512;
	event->size = count * 512;
	return 0;
}

/* What stands between the first "[" and the last "]". */
static struct slice bracketed(struct slice rest)
{
	size_t begin = slice_find(rest, "["), end = slice_find_last(rest, ']');

	if (begin == rest.len || end == rest.len || end < begin)
		return (struct slice){"", 0};
	return (struct slice){rest.at + begin + 1, end - begin - 1};
}

/* A positive errno; also as a negative one, whole or cut to 16 bits. */
static int parse_error(struct slice text, uint16_t *ret_error)
{
	uint64_t value = 0;
	int err = slice_c_number(text, &value);

	if (err)
		return err;
	*ret_error = (uint16_t)(value > INT16_MAX ? 0 - value : value);
	return 0;
}

static int give_event(struct import *import, struct blkparse_state *state, struct slice rest,
		      const struct rwbs *rwbs, struct block_event *event)
{
	struct slice text;
	int err = parse_range(&rest, event);

	text = bracketed(rest);
	if (!err && event->what == BLOCK_COMPLETE)
		err = parse_error(text, &event->error);
	if (err)
		return import_unused_number(import, err);
	if (event->what != BLOCK_COMPLETE && !slice_is(text, "(null)"))
		memcpy(event->comm, text.at, text.len < TRACE_COMM - 1 ? text.len : TRACE_COMM - 1);
	event->kind = rwbs->kind;
	if (!event->size) {
		if (!rwbs->flush)
			return import_unused(import, IMPORT_NOTHING);
		event->kind = OP_FSYNC;
		event->offset = 0;
	} else if (!rwbs->data) {
		return import_unused(import, IMPORT_NOTHING);
	}
	event->flags = rwbs->fua ? BLOCK_F_FUA : 0;
	err = block_event(import, &state->block, event);
	if (err)
		return err < 0 ? err : 0;
	return import_unused(import, IMPORT_ORPHAN);
}

static int blkparse_line(struct import *import, void *state, struct slice line)
{
	struct block_event event = {0};
	struct slice rest = line, action, type;
	struct rwbs rwbs;

	if (import->source->version == IN_SUMMARY || slice_begins(line, "Input file"))
		return import_unused(import, IMPORT_NOTHING);
	if (parse_device(slice_word(&rest), &event.device)) {
		if (!slice_begins(line, "CPU") && !slice_begins(line, "Total"))
			return import_unused(import, IMPORT_SYNTAX);
		import->source->version = IN_SUMMARY;
		return import_unused(import, IMPORT_NOTHING);
	}
	if (parse_head(&rest, &event))
		return import_unused(import, IMPORT_NUMBER);
	action = slice_word(&rest);
	if (slice_is(action, "Q"))
		event.what = BLOCK_QUEUE;
	else if (slice_is(action, "D"))
		event.what = BLOCK_ISSUE;
	else if (slice_is(action, "C"))
		event.what = BLOCK_COMPLETE;
	else
		return import_unused(import, action.len ? IMPORT_NOTHING : IMPORT_FIELDS);
	type = slice_word(&rest);
	if (parse_rwbs(type, &rwbs))
		return import_unused(import, type.len ? IMPORT_OP : IMPORT_FIELDS);
	return give_event(import, state, rest, &rwbs, &event);
}

static bool blkparse_stamp(const struct import *import, struct slice line, uint64_t *ret_ns)
{
	struct block_event event;

	slice_word(&line);
	if (parse_head(&line, &event))
		return false;
	*ret_ns = event.time_ns;
	return true;
}

static int blkparse_finish(struct import *import, void *state)
{
	struct blkparse_state *own = state;

	return block_finish(import, &own->block);
}

static void blkparse_done(void *state)
{
	struct blkparse_state *own = state;

	block_done(&own->block);
}

const struct import_format import_blkparse = {
	.name = "blkparse",
	.summary = "blkparse's default text (s, sectors)",
	.flags = IMPORT_F_BLOCK,
	.state_bytes = sizeof(struct blkparse_state),
	.line = blkparse_line,
	.stamp = blkparse_stamp,
	.finish = blkparse_finish,
	.done = blkparse_done,
};
