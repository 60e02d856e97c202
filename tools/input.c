// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening one part after the other, and adding up what their readers say. */
#include "config.h"

#include "tools/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "tools/args.h"
#include "tools/parts.h"
#include "tools/utf8.h"

#define IDS 64 /* traces whose counts are kept apart */

struct id_counts {
	uint8_t id[TRACE_ID];
	struct trace_counts counts;
};

struct input {
	struct parts parts;
	size_t next; /* part to open */
	struct diag *diag;
	int fd;
	struct trace_reader *reader; /* NULL between parts */
	uint64_t start_ns;
	bool started;
	bool follow;
	bool windowed;
	bool at_end;    /* the present part was read to its end */
	bool next_seen; /* following: the part after this one is there */
	uint64_t from_ns;
	uint64_t to_ns;
	struct trace_damage damage; /* of parts that were read */
	char *damaged;              /* the first part with damage */
	struct trace_position position;
	struct trace_counts counts; /* of traces no longer in ids */
	struct id_counts ids[IDS];
	size_t id_count;
};

/* --- parts ---------------------------------------------------------------------------------- */

static const char *part_name(const struct input *input, size_t index)
{
	return index < input->parts.count ? input->parts.path[index] : "-";
}

const char *input_name(const struct input *input)
{
	return part_name(input, input->next ? input->next - 1 : 0);
}

static int open_part(const char *path)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);

	if (fd < 0)
		return -errno;
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return fd;
}

/* Opens the next part. Returns 1, 0 when there is none, or -errno. */
static int begin_part(struct input *input)
{
	int err;

	if (input->next == input->parts.count)
		return 0;
	input->diag->file = part_name(input, input->next++);
	input->next_seen = false;
	input->at_end = false;
	input->fd = open_part(input->diag->file);
	if (input->fd < 0)
		return diag_set(input->diag, input->fd, "%s", strerror(-input->fd));
	err = trace_reader_new(input->fd, input->diag, &input->reader);
	if (err) {
		close(input->fd);
		input->fd = -1;
		return err;
	}
	if (input->windowed)
		trace_reader_window(input->reader, input->from_ns, input->to_ns);
	if (input->follow)
		trace_reader_follow(input->reader);
	return 1;
}

static void add_damage(struct trace_damage *sum, const struct trace_damage *part)
{
	if (!sum->places)
		sum->first_offset = part->first_offset;
	sum->bytes += part->bytes;
	sum->places += part->places;
	sum->unknown_ops += part->unknown_ops;
	sum->blocks_missing += part->blocks_missing;
	sum->torn |= part->torn;
	sum->ended = part->ended;
}

static void add_position(struct trace_position *sum, const struct trace_position *part)
{
	sum->offset += part->offset;
	sum->size += part->size;
	sum->blocks += part->blocks;
	sum->content += part->content;
	sum->ops += part->ops;
}

/*
 * What the reader of the present part says. That there is no end is known only there; and a part
 * that others follow is whole without one.
 */
static void damage_of(const struct input *input, struct trace_damage *ret_damage)
{
	trace_reader_damage(input->reader, ret_damage);
	if (!input->at_end || (!ret_damage->bytes && input->next < input->parts.count))
		ret_damage->torn = false;
}

static void end_part(struct input *input)
{
	struct trace_damage damage;
	struct trace_position position;

	if (!input->reader)
		return;
	damage_of(input, &damage);
	if (!input->damaged && (damage.bytes || damage.blocks_missing || damage.torn))
		input->damaged = strdup(input_name(input));
	add_damage(&input->damage, &damage);
	trace_reader_position(input->reader, &position);
	add_position(&input->position, &position);
	trace_reader_free(input->reader);
	input->reader = NULL;
	close(input->fd);
	input->fd = -1;
}

int input_open(char *const *words, size_t count, struct diag *diag, struct input **ret_input)
{
	struct input *input = calloc(1, sizeof(*input));
	int err;

	if (!input) {
		diag_set(diag, -ENOMEM, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	err = parts_find(words, count, &input->parts, diag);
	if (!err) {
		input->fd = -1;
		input->diag = diag;
		err = begin_part(input);
		/* The name of the part goes with the input. */
		if (err < 0)
			diag->file = words[0];
	}
	if (err < 0) {
		input_close(input);
		return err;
	}
	*ret_input = input;
	return 0;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	end_part(input);
	parts_done(&input->parts);
	free(input->damaged);
	free(input);
}

/* --- events --------------------------------------------------------------------------------- */

static uint64_t event_time(const struct trace_event *event)
{
	if (event->kind == TRACE_EV_OP)
		return event->op->op.arrive_ns;
	return event->kind == TRACE_EV_MARK ? event->mono_ns : 0;
}

static void note_start(struct input *input, const struct trace_event *event)
{
	uint64_t time_ns = event_time(event);

	if (!time_ns)
		return;
	input->start_ns = time_ns + event->wall_offset_ns;
	input->started = true;
}

/* Looks into a file for the first event with a time, by a reader of its own. */
static void find_start(struct input *input)
{
	const char *path = part_name(input, 0);
	const struct trace_event *event;
	struct trace_reader *reader;
	struct diag diag = {0};
	struct stat st;
	scoped_fd int fd = strcmp(path, "-") ? open_part(path) : -1;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	if (trace_reader_new(fd, &diag, &reader))
		return;
	while (!input->started && trace_read(reader, &event) == 1)
		note_start(input, event);
	trace_reader_free(reader);
}

int input_start(struct input *input, uint64_t *ret_unix_ns)
{
	if (!input->started)
		find_start(input);
	if (!input->started)
		return -EAGAIN;
	*ret_unix_ns = input->start_ns;
	return 0;
}

void input_window(struct input *input, uint64_t from_ns, uint64_t to_ns)
{
	input->windowed = true;
	input->from_ns = from_ns;
	input->to_ns = to_ns;
	if (input->reader)
		trace_reader_window(input->reader, from_ns, to_ns);
}

void input_follow(struct input *input)
{
	input->follow = true;
	if (input->reader)
		trace_reader_follow(input->reader);
}

static void add_counts(struct trace_counts *sum, const struct trace_counts *counts)
{
	for (int i = 0; i < OP_KINDS; i++) {
		sum->written[i] += counts->written[i];
		sum->dropped[i] += counts->dropped[i];
		sum->filtered[i] += counts->filtered[i];
	}
}

/* Counts are those of a whole trace so far: of each the last ones count. */
static void note_counts(struct input *input, const struct trace_counts *counts)
{
	const uint8_t *id = trace_reader_id(input->reader);
	size_t i = 0;

	while (i < input->id_count && memcmp(input->ids[i].id, id, TRACE_ID) != 0)
		i++;
	if (i == IDS) {
		add_counts(&input->counts, &input->ids[0].counts);
		memmove(&input->ids[0], &input->ids[1], (IDS - 1) * sizeof(input->ids[0]));
		i--;
		input->id_count--;
	}
	if (i == input->id_count) {
		input->id_count++;
		memcpy(input->ids[i].id, id, TRACE_ID);
	}
	input->ids[i].counts = *counts;
}

/* Following at the end of a part: is there another one? Returns 1 to read on, 0 or -errno. */
static int follow_on(struct input *input)
{
	int err;

	if (input->next_seen) {
		/* It was there before this one was read to its end. */
		end_part(input);
		return 1;
	}
	err = parts_refresh(&input->parts, input->next);
	if (err)
		return err;
	input->next_seen = input->next < input->parts.count;
	return input->next_seen;
}

int input_next(struct input *input, const struct trace_event **ret_event)
{
	for (;;) {
		int err = input->reader ? 1 : begin_part(input);

		if (err <= 0)
			return err;
		err = trace_read(input->reader, ret_event);
		if (err < 0)
			return err;
		if (err) {
			if (!input->started)
				note_start(input, *ret_event);
			if ((*ret_event)->kind == TRACE_EV_COUNTS)
				note_counts(input, (*ret_event)->counts);
			return 1;
		}
		err = 1;
		input->at_end = !input->follow;
		if (input->follow)
			err = follow_on(input);
		else
			end_part(input);
		if (err <= 0)
			return err;
	}
}

const struct trace_file *input_file(const struct input *input, uint64_t id)
{
	return input->reader && id ? trace_reader_file(input->reader, id) : NULL;
}

size_t input_files(const struct input *input, const struct trace_file **ret_files)
{
	*ret_files = NULL;
	return input->reader ? trace_reader_files(input->reader, ret_files) : 0;
}

uint64_t input_blocks(const struct input *input)
{
	struct trace_position position = {0};

	if (input->reader)
		trace_reader_position(input->reader, &position);
	return input->position.blocks + position.blocks;
}

const uint8_t *input_id(const struct input *input)
{
	return trace_reader_id(input->reader);
}

bool input_ended(const struct input *input)
{
	struct trace_damage damage;

	input_damage(input, &damage);
	return damage.ended && input->next == input->parts.count && !input->parts.directory;
}

/* --- sums ----------------------------------------------------------------------------------- */

size_t input_parts(const struct input *input)
{
	return input->next;
}

void input_damage(const struct input *input, struct trace_damage *ret_damage)
{
	struct trace_damage part;

	*ret_damage = input->damage;
	if (!input->reader)
		return;
	damage_of(input, &part);
	add_damage(ret_damage, &part);
}

void input_position(const struct input *input, struct trace_position *ret_position)
{
	struct trace_position part;

	*ret_position = input->position;
	if (!input->reader)
		return;
	trace_reader_position(input->reader, &part);
	add_position(ret_position, &part);
}

void input_counts(const struct input *input, struct trace_counts *ret_counts)
{
	*ret_counts = input->counts;
	for (size_t i = 0; i < input->id_count; i++)
		add_counts(ret_counts, &input->ids[i].counts);
}

static void append(char *text, size_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *text, size_t room, const char *format, ...)
{
	size_t len = strlen(text);
	va_list list;

	va_start(list, format);
	vsnprintf(text + len, room - len, format, list);
	va_end(list);
}

bool input_damage_text(const struct input *input, char *text, size_t room)
{
	struct trace_damage damage;

	input_damage(input, &damage);
	*text = '\0';
	if (damage.bytes)
		append(text, room,
		       "%" PRIu64 " bytes are damaged (%" PRIu64 " %s from byte %" PRIu64 ")",
		       damage.bytes, damage.places, damage.places == 1 ? "place" : "places",
		       damage.first_offset);
	if (damage.blocks_missing)
		append(text, room, "%s%" PRIu64 " %s missing", *text ? ", " : "",
		       damage.blocks_missing, damage.blocks_missing == 1 ? "block" : "blocks");
	if (damage.unknown_ops)
		append(text, room, "%s%" PRIu64 " operations of kinds that only a newer weir knows",
		       *text ? ", " : "", damage.unknown_ops);
	if (damage.torn)
		append(text, room, "%sit has no end: cut off, or still being written",
		       *text ? ", " : "");
	return *text;
}

int input_warn(const struct input *input, const char *command)
{
	char text[512];
	scoped_free char *name = utf8_escape(input->damaged ? input->damaged : input_name(input));

	if (!input_damage_text(input, text, sizeof(text)))
		return EXIT_DONE;
	fprintf(stderr, "weir %s: %s: %s; all that is whole was read\n", command, name ? name : "?",
		text);
	return EXIT_FAILED;
}
