// SPDX-License-Identifier: GPL-2.0-or-later
/* Looking into the inputs of a merge before it begins. */
#include "config.h"

#include "tools/merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cleanup.h"

/* Reads the beginning of a word's trace: up to the first operation. */
static int look(struct merge_word *word, struct diag *diag)
{
	const struct trace_event *event;
	struct input *input;
	int err;

	if (!strcmp(word->word, "-"))
		return 0;
	err = input_open(&word->word, 1, diag, &input);
	if (err)
		return err;
	memcpy(word->id, input_id(input), TRACE_ID);
	if (input_start(input, &word->start_ns))
		word->start_ns = 0;
	while ((err = input_next(input, &event)) == 1 && event->kind != TRACE_EV_OP) {
		static const char key[] = "mountpoint";

		if (event->kind == TRACE_EV_PROPERTY && !word->mount &&
		    event->name.len == sizeof(key) - 1 &&
		    !memcmp(event->name.data, key, sizeof(key) - 1))
			word->mount = strndup((const char *)event->value.data, event->value.len);
	}
	input_close(input);
	diag->file = word->word;
	return err < 0 ? err : 0;
}

static int by_start(const void *a, const void *b)
{
	const struct merge_word *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Words of the same trace get the same stream; what comes by a pipe is one of its own. */
static void group(struct merge *merge)
{
	for (size_t i = 0; i < merge->words; i++) {
		struct merge_word *word = &merge->word[i];

		word->stream = merge->streams;
		for (size_t k = 0; k < i && strcmp(word->word, "-") != 0; k++) {
			if (!memcmp(merge->word[k].id, word->id, TRACE_ID) &&
			    strcmp(merge->word[k].word, "-") != 0)
				word->stream = merge->word[k].stream;
		}
		if (word->stream == merge->streams)
			merge->streams++;
	}
}

static int open_stream(struct merge *merge, size_t index, char **words)
{
	struct stream *stream = &merge->stream[index];
	struct diag *diag = &merge->diag[index];
	size_t count = 0;

	for (size_t i = 0; i < merge->words; i++) {
		if (merge->word[i].stream != index)
			continue;
		words[count++] = merge->word[i].word;
		if (merge->word[i].offset_ns)
			stream->offset_ns = merge->word[i].offset_ns;
	}
	stream->index = index;
	return input_open(words, count, diag, &stream->input);
}

/* --- labels --------------------------------------------------------------------------------- */

static const char *mount_of(const struct merge *merge, size_t stream)
{
	for (size_t i = 0; i < merge->words; i++) {
		if (merge->word[i].stream == stream && merge->word[i].mount)
			return merge->word[i].mount;
	}
	return NULL;
}

static bool mounts_differ(const struct merge *merge)
{
	for (size_t i = 0; i < merge->streams; i++) {
		const char *mount = mount_of(merge, i);

		if (!mount || mount[0] != '/')
			return false;
		for (size_t k = 0; k < i; k++) {
			if (!strcmp(mount, mount_of(merge, k)))
				return false;
		}
	}
	return true;
}

static char *label_of(const struct merge *merge, size_t stream, enum merge_prefix prefix)
{
	const char *mount = mount_of(merge, stream);
	char *label = NULL;

	if (prefix == MERGE_PREFIX_NONE)
		return strdup("");
	if (prefix == MERGE_PREFIX_MOUNT && mount && mount[0] == '/')
		return strdup(mount[1] ? mount : "");
	return asprintf(&label, "/%zu", stream) < 0 ? NULL : label;
}

static int set_labels(struct merge *merge, enum merge_prefix prefix)
{
	if (prefix == MERGE_PREFIX_AUTO && merge->streams == 1)
		prefix = MERGE_PREFIX_NONE;
	if (prefix == MERGE_PREFIX_AUTO)
		prefix = mounts_differ(merge) ? MERGE_PREFIX_MOUNT : MERGE_PREFIX_INDEX;
	for (size_t i = 0; i < merge->streams; i++) {
		merge->label[i] = label_of(merge, i, prefix);
		if (!merge->label[i])
			return -ENOMEM;
		merge->stream[i].label = merge->label[i];
	}
	return 0;
}

int merge_open(struct merge *merge, enum merge_prefix prefix, struct diag *diag)
{
	scoped_free char **words = calloc(merge->words, sizeof(char *));
	int err = words ? 0 : -ENOMEM;

	for (size_t i = 0; i < merge->words && !err; i++)
		err = look(&merge->word[i], diag);
	if (err)
		return err;
	/* Parts of a trace come in the order of time, however they were named. */
	qsort(merge->word, merge->words, sizeof(merge->word[0]), by_start);
	group(merge);
	merge->stream = calloc(merge->streams, sizeof(*merge->stream));
	merge->label = calloc(merge->streams, sizeof(*merge->label));
	merge->diag = calloc(merge->streams, sizeof(*merge->diag));
	if (!merge->stream || !merge->label || !merge->diag)
		return -ENOMEM;
	for (size_t i = 0; i < merge->streams && !err; i++) {
		err = open_stream(merge, i, words);
		if (err)
			*diag = merge->diag[i];
	}
	return err ? err : set_labels(merge, prefix);
}

void merge_done(struct merge *merge)
{
	for (size_t i = 0; i < merge->streams; i++) {
		if (merge->stream)
			input_close(merge->stream[i].input);
		if (merge->label)
			free(merge->label[i]);
	}
	for (size_t i = 0; i < merge->words; i++)
		free(merge->word[i].mount);
	free(merge->word);
	free(merge->stream);
	free(merge->label);
	free(merge->diag);
}
