// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace file being written: frames, then the index, then the seek table. */
#include "config.h"

#include "trace/part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bytes.h"
#include "trace/format.h"

struct part_entry {
	uint64_t offset;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t wall_offset_ns;
	uint32_t number;
	uint32_t ops;
	uint32_t len;
	uint32_t content;
};

void part_init(struct part *part, int fd)
{
	struct stat st;
	off_t at = lseek(fd, 0, SEEK_CUR);

	*part = (struct part){.fd = fd};
	part->can_cut = at >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
	if (part->can_cut)
		part->bytes = (uint64_t)at;
}

void part_done(struct part *part)
{
	free(part->entries);
	*part = (struct part){.fd = -1};
}

/* Writes all of it, or takes back what was written. */
static int put_whole(struct part *part, const uint8_t *data, size_t len)
{
	size_t done = 0;
	int err = 0;

	while (done < len && !err) {
		ssize_t n = write(part->fd, data + done, len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			err = -EIO;
		else if (errno != EINTR)
			err = -errno;
	}
	if (!err) {
		part->bytes += len;
		return 0;
	}
	if (part->can_cut && done) {
		if (ftruncate(part->fd, (off_t)part->bytes) ||
		    lseek(part->fd, (off_t)part->bytes, SEEK_SET) < 0)
			part->bytes += done; /* a torn frame stays: readers pass over it */
	} else {
		part->bytes += done;
	}
	return err;
}

static struct part_entry *add_entry(struct part *part)
{
	struct part_entry *entries;

	if (part->count == part->room) {
		size_t room = part->room ? part->room * 2 : 64;

		entries = realloc(part->entries, room * sizeof(*entries));
		if (!entries)
			return NULL;
		part->entries = entries;
		part->room = room;
	}
	return &part->entries[part->count];
}

int part_sink(void *arg, const struct trace_frame *frame)
{
	struct part *part = arg;
	struct part_entry *entry = add_entry(part);
	uint64_t offset = part->bytes;
	int err = entry ? put_whole(part, frame->data, frame->len) : -ENOMEM;

	if (err)
		return err;
	*entry = (struct part_entry){
		.offset = offset,
		.first_ns = frame->first_ns,
		.last_ns = frame->last_ns,
		.wall_offset_ns = frame->wall_offset_ns,
		.number = frame->number,
		.ops = frame->ops,
		.len = (uint32_t)frame->len,
		.content = (uint32_t)frame->content,
	};
	part->count++;
	return 0;
}

static void put_u(struct bytes *out, unsigned int bytes, uint64_t value)
{
	uint8_t room[8];

	put_le(room, bytes, value);
	bytes_put(out, room, bytes);
}

static void put_index(const struct part *part, struct bytes *out)
{
	put_u(out, 4, INDEX_FRAME_MAGIC);
	put_u(out, 4, part->count * INDEX_ENTRY + INDEX_TRAILER);
	for (size_t i = 0; i < part->count; i++) {
		const struct part_entry *entry = &part->entries[i];

		put_u(out, 8, entry->offset);
		put_u(out, 8, entry->first_ns);
		put_u(out, 8, entry->last_ns);
		put_u(out, 8, entry->wall_offset_ns);
		put_u(out, 4, entry->number);
		put_u(out, 4, entry->ops);
	}
	put_u(out, 4, part->count);
	put_u(out, 4, INDEX_VERSION);
	bytes_put(out, INDEX_MAGIC, 4);
}

/* The seekable format of zstd's contrib directory: the index counts as a frame without content. */
static void put_seek_table(const struct part *part, struct bytes *out, size_t index_len)
{
	put_u(out, 4, SEEK_TABLE_MAGIC);
	put_u(out, 4, (part->count + 1) * 8 + 9);
	for (size_t i = 0; i < part->count; i++) {
		put_u(out, 4, part->entries[i].len);
		put_u(out, 4, part->entries[i].content);
	}
	put_u(out, 4, index_len);
	put_u(out, 4, 0);
	put_u(out, 4, part->count + 1);
	put_u(out, 1, 0);
	put_u(out, 4, SEEK_FOOTER_MAGIC);
}

/* Frames must lie one after the other for the table; after a torn one it would say wrong things. */
static bool contiguous(const struct part *part)
{
	uint64_t at = part->count ? part->entries[0].offset : 0;

	for (size_t i = 0; i < part->count; i++) {
		if (part->entries[i].offset != at)
			return false;
		at += part->entries[i].len;
	}
	return at == part->bytes || !part->count;
}

int part_finish(struct part *part)
{
	struct bytes out = {0};
	int err = 0;

	if (!part->count || part->count > UINT32_MAX / INDEX_ENTRY - 1 || !contiguous(part) ||
	    (part->can_cut && part->entries[0].offset))
		return 0;
	put_index(part, &out);
	put_seek_table(part, &out, out.len);
	err = out.failed ? -ENOMEM : put_whole(part, out.data, out.len);
	bytes_done(&out);
	return err;
}
