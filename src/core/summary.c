// SPDX-License-Identifier: GPL-2.0-or-later
/* Measurements summed up: rows that grow, merge and free themselves. */
#include "config.h"

#include "core/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void summary_init(struct summary *summary)
{
	memset(summary, 0, sizeof(*summary));
}

static void free_hists(struct hist *hists[DURATIONS])
{
	for (int i = 0; i < DURATIONS; i++) {
		free(hists[i]);
		hists[i] = NULL;
	}
}

void file_summary_done(struct file_summary *file)
{
	for (int i = 0; i < OP_CLASSES; i++)
		free_hists(file->class[i].dur);
	free(file->path);
	file->path = NULL;
}

void summary_done(struct summary *summary)
{
	for (int i = 0; i < OP_KINDS; i++)
		free_hists(summary->op[i].dur);
	for (size_t i = 0; i < summary->file_count; i++)
		file_summary_done(&summary->files[i]);
	for (size_t i = 0; i < summary->counter_count; i++)
		free(summary->counters[i].name);
	for (size_t i = 0; i < summary->property_count; i++) {
		free(summary->properties[i].name);
		free(summary->properties[i].value);
	}
	free(summary->errors);
	free(summary->files);
	free(summary->counters);
	free(summary->properties);
	summary_init(summary);
}

/* Appends a zeroed element; the array doubles at each power of two. */
static void *grow(void *array_slot, size_t *count, size_t size)
{
	void **array = array_slot;
	void *element;

	if (!(*count & (*count - 1))) {
		void *grown = reallocarray(*array, *count ? *count * 2 : 1, size);

		if (!grown)
			return NULL;
		*array = grown;
	}
	element = (char *)*array + *count * size;
	memset(element, 0, size);
	++*count;
	return element;
}

struct file_summary *summary_add_file(struct summary *summary)
{
	return grow(&summary->files, &summary->file_count, sizeof(*summary->files));
}

struct error_summary *summary_add_error(struct summary *summary)
{
	return grow(&summary->errors, &summary->error_count, sizeof(*summary->errors));
}

int summary_add_counter(struct summary *summary, const char *name, uint64_t value)
{
	char *copy = strdup(name);
	struct counter *counter;

	counter = copy ? grow(&summary->counters, &summary->counter_count, sizeof(*counter)) : NULL;
	if (!counter) {
		free(copy);
		return -ENOMEM;
	}
	*counter = (struct counter){copy, value};
	return 0;
}

int summary_add_property(struct summary *summary, const char *name, const char *value)
{
	char *name_copy = strdup(name);
	char *value_copy = strdup(value);
	struct property *property = NULL;

	if (name_copy && value_copy)
		property = grow(&summary->properties, &summary->property_count, sizeof(*property));
	if (!property) {
		free(name_copy);
		free(value_copy);
		return -ENOMEM;
	}
	*property = (struct property){name_copy, value_copy};
	return 0;
}

uint64_t summary_counter(const struct summary *summary, const char *name)
{
	for (size_t i = 0; i < summary->counter_count; i++) {
		if (!strcmp(summary->counters[i].name, name))
			return summary->counters[i].value;
	}
	return 0;
}

const char *summary_property(const struct summary *summary, const char *name)
{
	for (size_t i = 0; i < summary->property_count; i++) {
		if (!strcmp(summary->properties[i].name, name))
			return summary->properties[i].value;
	}
	return NULL;
}

static int merge_class(struct class_summary *into, const struct class_summary *from)
{
	into->ops += from->ops;
	into->errors += from->errors;
	into->bytes += from->bytes;
	for (int i = 0; i < DURATIONS; i++) {
		int err;

		if (!from->dur[i])
			continue;
		if (!into->dur[i])
			into->dur[i] = hist_new(from->dur[i]->bits);
		if (!into->dur[i])
			return -ENOMEM;
		err = hist_merge(into->dur[i], from->dur[i]);
		if (err)
			return err;
	}
	return 0;
}

int file_summary_merge(struct file_summary *into, const struct file_summary *from)
{
	int err = 0;

	if (!into->first_ns || (from->first_ns && from->first_ns < into->first_ns))
		into->first_ns = from->first_ns;
	if (from->last_ns > into->last_ns)
		into->last_ns = from->last_ns;
	into->sequential += from->sequential;
	into->opens += from->opens;
	into->files += from->files;
	for (int i = 0; i < SUMMARY_SIZE_BUCKETS; i++)
		into->size[i] += from->size[i];
	for (int i = 0; i < OP_CLASSES && !err; i++)
		err = merge_class(&into->class[i], &from -> class[i]);
	return err;
}

uint64_t file_summary_ops(const struct file_summary *file)
{
	uint64_t ops = 0;

	for (int i = 0; i < OP_CLASSES; i++)
		ops += file->class[i].ops;
	return ops;
}

uint64_t file_summary_errors(const struct file_summary *file)
{
	uint64_t errors = 0;

	for (int i = 0; i < OP_CLASSES; i++)
		errors += file->class[i].errors;
	return errors;
}

uint64_t file_summary_bytes(const struct file_summary *file)
{
	uint64_t bytes = 0;

	for (int i = 0; i < OP_CLASSES; i++)
		bytes += file->class[i].bytes;
	return bytes;
}

uint64_t file_summary_time(const struct file_summary *file, enum duration duration)
{
	uint64_t ns = 0;

	for (int i = 0; i < OP_CLASSES; i++) {
		if (file->class[i].dur[duration])
			ns += file->class[i].dur[duration]->sum;
	}
	return ns;
}

void file_summary_hist(const struct file_summary *file, enum duration duration, struct hist *into)
{
	for (int i = 0; i < OP_CLASSES; i++) {
		if (file->class[i].dur[duration])
			hist_merge(into, file->class[i].dur[duration]);
	}
}

unsigned int summary_size_bucket(uint64_t bytes)
{
	unsigned int bucket = bytes > 1 ? 64u - (unsigned int)__builtin_clzll(bytes - 1) : 0;

	return bucket < SUMMARY_SIZE_BUCKETS ? bucket : SUMMARY_SIZE_BUCKETS - 1;
}
