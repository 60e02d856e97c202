/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces as one stream of events: files, directories with the parts of one, the standard input,
 * one after the other.
 */
#ifndef TOOLS_INPUT_H
#define TOOLS_INPUT_H

#include "core/diag.h"
#include "trace/reader.h"

struct input;

/*
 * Opens the first of the words: a file, a directory (its traces in the order of their names,
 * numbers by value), or "-". diag is kept for later errors and names the file (or the word, when
 * this fails). 0 or -errno.
 */
int input_open(char *const *words, size_t count, struct diag *diag, struct input **ret_input);
void input_close(struct input *input);

/*
 * When the trace begins, on the wall clock: its first mark or arrival. Returns 0, or -EAGAIN while
 * that is not known: of a pipe, before its first event.
 */
int input_start(struct input *input, uint64_t *ret_unix_ns);

/* As trace_reader_window(), for what is read from now on. */
void input_window(struct input *input, uint64_t from_ns, uint64_t to_ns);

/* 0 of input_next() is no end then: ask again later. Parts that come into a directory follow. */
void input_follow(struct input *input);

/* The next event. Returns 1, 0 at the end, or -errno with diag. */
int input_next(struct input *input, const struct trace_event **ret_event);

/* Of the last event's block. */
const struct trace_file *input_file(const struct input *input, uint64_t id);
/* All definitions of that block. Returns how many. */
size_t input_files(const struct input *input, const struct trace_file **ret_files);
/* How many blocks were begun: another number means another block. */
uint64_t input_blocks(const struct input *input);
const uint8_t *input_id(const struct input *input);
/* The file that is read. */
const char *input_name(const struct input *input);

/* Whether nothing more can come: the trace was ended, and it is in no directory. */
bool input_ended(const struct input *input);

/* Sums over all that was read. */
void input_damage(const struct input *input, struct trace_damage *ret_damage);
void input_position(const struct input *input, struct trace_position *ret_position);
void input_counts(const struct input *input, struct trace_counts *ret_counts);
/* Files that were read, and whether one of them was no trace at all inside. */
size_t input_parts(const struct input *input);

/*
 * After the end: one line on stderr about what was damaged. Returns an exit code: EXIT_FAILED when
 * something was.
 */
int input_warn(const struct input *input, const char *command);
/* The same as text, "" when nothing was. Returns whether something was. */
bool input_damage_text(const struct input *input, char *text, size_t room);

#endif
