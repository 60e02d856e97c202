// SPDX-License-Identifier: GPL-2.0-or-later
/* File ids to names, and names to what is known of them. */
#include "config.h"

#include "tools/iolog_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void iolog_files_done(struct iolog_files *files)
{
	stringset_done(&files->names);
	stringset_done(&files->ids);
	free(files->file_of_id);
	free(files->file);
}

uint32_t iolog_files_count(const struct iolog_files *files)
{
	return (uint32_t)files->names.count;
}

struct iolog_file *iolog_files_at(struct iolog_files *files, uint32_t number)
{
	return &files->file[number];
}

const uint8_t *iolog_files_name(const struct iolog_files *files, uint32_t number, size_t *ret_len)
{
	return stringset_get(&files->names, number, ret_len);
}

/* --- names ---------------------------------------------------------------------------------- */

static void put_escaped(struct bytes *out, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	char text[3] = {'%', digits[byte >> 4], digits[byte & 15]};

	bytes_put(out, text, sizeof(text));
}

/* A component that would lead elsewhere. */
static bool is_dots(const uint8_t *at, size_t len)
{
	return (len == 1 && at[0] == '.') || (len == 2 && at[0] == '.' && at[1] == '.');
}

static size_t put_component(struct bytes *out, const uint8_t *at, size_t len)
{
	bool dots = is_dots(at, len);
	size_t escaped = 0;

	for (size_t i = 0; i < len; i++) {
		if (dots || at[i] <= ' ' || at[i] == 0x7f || at[i] == '%') {
			put_escaped(out, at[i]);
			escaped++;
		} else {
			bytes_put(out, &at[i], 1);
		}
	}
	return escaped;
}

size_t iolog_name(struct bytes *out, struct trace_bytes path)
{
	size_t escaped = 0, at = 0;

	out->len = 0;
	while (at < path.len) {
		const uint8_t *slash = memchr(path.data + at, '/', path.len - at);
		size_t end = slash ? (size_t)(slash - path.data) : path.len;

		if (end > at) {
			if (out->len)
				bytes_put(out, "/", 1);
			escaped += put_component(out, path.data + at, end - at);
		}
		at = end + 1;
	}
	return escaped;
}

/* The name for a file of the trace that is new here. */
static int name_file(struct bytes *out, struct export *export, const struct trace_event *event)
{
	const struct trace_file *file = event->file;
	char text[48];
	bool known = file && file->path.len && file->path.data[0] == '/';
	size_t escaped;

	if (known) {
		escaped = iolog_name(out, file->path);
		if (out->failed)
			return -ENOMEM;
		if (out->len && out->len <= IOLOG_NAME_MAX) {
			if (escaped)
				export_note(export,
					    "files with blanks, controls or % in their "
					    "names, written as %XX",
					    1);
			return 0;
		}
	}
	if (known && out->len)
		export_note(export, "files with names above 256 bytes, called weirfs-file-N", 1);
	else
		export_note(export, "files without a name, called weirfs-file-N", 1);
	snprintf(text, sizeof(text), "weirfs-file-%" PRIu64, event->op->op.file);
	out->len = 0;
	bytes_put(out, text, strlen(text));
	return out->failed ? -ENOMEM : 0;
}

/* --- numbers -------------------------------------------------------------------------------- */

/* Makes the array have room for one more than count elements, the new ones zero. */
static void *reserve(void *array, size_t *room, size_t count, size_t size)
{
	size_t wanted = *room ? *room * 2 : 64;
	char *grown;

	if (count < *room)
		return array;
	grown = realloc(array, wanted * size);
	if (!grown)
		return NULL;
	memset(grown + *room * size, 0, (wanted - *room) * size);
	*room = wanted;
	return grown;
}

static int reserve_both(struct iolog_files *files)
{
	void *grown;

	grown = reserve(files->file_of_id, &files->id_room, files->ids.count,
			sizeof(files->file_of_id[0]));
	if (!grown)
		return -ENOMEM;
	files->file_of_id = grown;
	grown = reserve(files->file, &files->room, files->names.count, sizeof(files->file[0]));
	if (!grown)
		return -ENOMEM;
	files->file = grown;
	return 0;
}

int iolog_files_number(struct iolog_files *files, struct export *export,
		       const struct trace_event *event, uint32_t *ret_number)
{
	uint64_t id[2] = {export->trace, event->op->op.file};
	uint32_t place;
	int added;

	if (reserve_both(files))
		return -ENOMEM;
	added = stringset_put(&files->ids, id, sizeof(id), &place);
	if (added < 0)
		return added;
	if (added) {
		int err = name_file(&export->scratch, export, event);

		if (!err && stringset_put(&files->names, export->scratch.data, export->scratch.len,
					  &files->file_of_id[place]) < 0)
			err = -ENOMEM;
		if (err)
			return err;
	}
	*ret_number = files->file_of_id[place];
	return 0;
}
