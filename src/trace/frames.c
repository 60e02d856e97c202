// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames out of a file that may be torn, damaged or hostile. */
#include "config.h"

#include "trace/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "trace/format.h"

#define READ_MIN ((size_t)128 << 10)
#define FRAME_MAX ZSTD_COMPRESSBOUND((size_t)BLOCK_CONTENT_MAX)
/* Bytes that may be looked at in vain beyond what good frames have earned. */
#define BUDGET (UINT64_C(512) << 20)

int frames_init(struct frames *frames, int fd)
{
	struct stat st;

	*frames = (struct frames){.fd = fd, .budget = BUDGET};
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		off_t at = lseek(fd, 0, SEEK_CUR);

		frames->size = (uint64_t)st.st_size;
		frames->offset = at > 0 ? (uint64_t)at : 0;
	}
	frames->zstd = ZSTD_createDCtx();
	return frames->zstd ? 0 : -ENOMEM;
}

void frames_done(struct frames *frames)
{
	ZSTD_freeDCtx(frames->zstd);
	free(frames->data);
	free(frames->content);
	free(frames->wanted);
	*frames = (struct frames){.fd = -1};
}

static size_t available(const struct frames *frames)
{
	return frames->end - frames->at;
}

static int make_room(struct frames *frames, size_t need)
{
	size_t have = available(frames), room = frames->room ? frames->room : READ_MIN;
	uint8_t *data;

	if (frames->at && (frames->room < need || frames->room - frames->at < need)) {
		memmove(frames->data, frames->data + frames->at, have);
		frames->at = 0;
		frames->end = have;
	}
	while (room < need)
		room *= 2;
	if (room == frames->room)
		return 0;
	data = realloc(frames->data, room);
	if (!data)
		return -ENOMEM;
	frames->data = data;
	frames->room = room;
	return 0;
}

/* Reads until `need` bytes are there or the file ends. */
static int fill(struct frames *frames, size_t need)
{
	int err = 0;

	if (available(frames) >= need)
		return 0;
	err = make_room(frames, need > READ_MIN ? need : READ_MIN);
	while (!err && available(frames) < need && (!frames->eof || frames->follow)) {
		ssize_t n =
			read(frames->fd, frames->data + frames->end, frames->room - frames->end);

		frames->eof = n == 0;
		if (n > 0)
			frames->end += (size_t)n;
		else if (n == 0)
			break;
		else if (errno != EINTR)
			err = -errno;
	}
	return err;
}

static void pass(struct frames *frames, size_t n)
{
	frames->at += n;
	frames->offset += n;
}

/* --- damage --------------------------------------------------------------------------------- */

static void damaged(struct frames *frames, size_t n)
{
	struct trace_damage *damage = &frames->damage;

	if (!n)
		return;
	if (!frames->in_damage) {
		if (!damage->places)
			damage->first_offset = frames->offset;
		damage->places++;
	}
	frames->in_damage = true;
	damage->bytes += n;
	pass(frames, n);
}

static void tried(struct frames *frames, uint64_t bytes)
{
	frames->budget -= bytes < frames->budget ? bytes : frames->budget;
}

/* Passes over bytes until something looks like the beginning of a zstd frame. */
static void scan(struct frames *frames)
{
	static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	const uint8_t *from = frames->data + frames->at, *end = frames->data + frames->end;
	const uint8_t *found = NULL;

	if (frames->budget && end - from > 4)
		found = memmem(from + 1, (size_t)(end - from) - 1, magic, sizeof(magic));
	if (found)
		damaged(frames, (size_t)(found - from));
	else if (frames->eof && !frames->follow)
		damaged(frames, (size_t)(end - from));
	else /* the last three bytes may be the beginning of one */
		damaged(frames, end - from > 4 ? (size_t)(end - from) - 3 : 1);
}

void frames_reject(struct frames *frames)
{
	struct trace_damage *damage = &frames->damage;

	damage->places++;
	if (damage->places == 1)
		damage->first_offset = frames->offset;
}

/* --- frames --------------------------------------------------------------------------------- */

static uint32_t word(const struct frames *frames, size_t at)
{
	return (uint32_t)get_le(frames->data + frames->at + at, 4);
}

static bool is_skippable(uint32_t magic)
{
	return (magic & 0xfffffff0u) == SKIPPABLE_MAGIC;
}

/*
 * Length of the frame that begins here. 0: it is none, or the file ends before it does.
 */
static int frame_length(struct frames *frames, size_t *ret_len)
{
	size_t size;
	int err;

	*ret_len = 0;
	/* What was the end when we looked last need not be it any more. */
	frames->eof = frames->eof && !frames->follow;
	for (;;) {
		size = ZSTD_findFrameCompressedSize(frames->data + frames->at, available(frames));
		if (!ZSTD_isError(size)) {
			*ret_len = size;
			return 0;
		}
		if (ZSTD_getErrorCode(size) != ZSTD_error_srcSize_wrong || frames->eof ||
		    available(frames) >= FRAME_MAX)
			return 0;
		err = fill(frames,
			   available(frames) * 2 > READ_MIN ? available(frames) * 2 : READ_MIN);
		if (err)
			return err;
	}
}

/* Decompresses the frame that begins here. Returns 1, 0 (no block) or -ENOMEM. */
static int decompress(struct frames *frames, size_t len, size_t *ret_len)
{
	const uint8_t *from = frames->data + frames->at;
	unsigned long long size = ZSTD_getFrameContentSize(from, len);
	size_t got;

	if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ||
	    size > BLOCK_CONTENT_MAX || size < BLOCK_HEADER)
		return 0;
	if (size > frames->content_room) {
		uint8_t *content = realloc(frames->content, size);

		if (!content)
			return -ENOMEM;
		frames->content = content;
		frames->content_room = size;
	}
	got = ZSTD_decompressDCtx(frames->zstd, frames->content, size, from, len);
	if (ZSTD_isError(got) || got != size || memcmp(frames->content, BLOCK_MAGIC, 4) != 0)
		return 0;
	*ret_len = got;
	return 1;
}

/* What follows a damaged frame of this length looks like a frame, or is the end. */
static bool length_is_right(struct frames *frames, size_t len)
{
	uint32_t magic;

	if (fill(frames, len + 4))
		return false;
	if (available(frames) < len + 4)
		return available(frames) == len;
	magic = word(frames, len);
	return magic == ZSTD_FRAME_MAGIC || is_skippable(magic);
}

/* Returns 1 with content, 0 when there was none (some bytes were passed over), or -errno. */
static int take_frame(struct frames *frames, const uint8_t **ret_content, size_t *ret_len)
{
	size_t len;
	int err = frame_length(frames, &len);

	if (err)
		return err;
	if (!len) {
		if (frames->eof && frames->follow)
			return -EAGAIN;
		tried(frames, available(frames) / 1024 + 1);
		scan(frames);
		return 0;
	}
	err = decompress(frames, len, ret_len);
	if (err < 0)
		return err;
	if (!err) {
		tried(frames, len);
		if (length_is_right(frames, len))
			damaged(frames, len);
		else
			scan(frames);
		return 0;
	}
	frames->in_damage = false;
	*ret_content = frames->content;
	pass(frames, len);
	return 1;
}

/* Passes over a frame without content. Returns 0 or -errno. */
static int skip_frame(struct frames *frames)
{
	uint64_t left = 8 + (uint64_t)word(frames, 4);
	int err = 0;

	if (frames->size && frames->offset + left > frames->size && !frames->follow) {
		scan(frames);
		return 0;
	}
	if (frames->follow && left <= FRAME_MAX) {
		err = fill(frames, (size_t)left);
		if (err || available(frames) < left)
			return err ? err : -EAGAIN;
	}
	frames->in_damage = false;
	while (left && !err) {
		size_t n = available(frames) < left ? available(frames) : (size_t)left;

		pass(frames, n);
		left -= n;
		if (!left)
			break;
		err = fill(frames, left < READ_MIN ? (size_t)left : READ_MIN);
		if (!err && !available(frames))
			break;
	}
	if (left && !err)
		frames->damage.torn = true;
	return err;
}

/* --- the window ----------------------------------------------------------------------------- */

struct frames_span {
	uint64_t from;
	uint64_t to;
};

/* Goes to the next place that is wanted. Returns 1, 0 when there is none, or -errno. */
static int seek_wanted(struct frames *frames)
{
	const struct frames_span *span;

	if (!frames->wanted)
		return 1;
	while (frames->wanted_next < frames->wanted_count &&
	       frames->offset >= frames->wanted[frames->wanted_next].to)
		frames->wanted_next++;
	if (frames->wanted_next == frames->wanted_count)
		return 0;
	span = &frames->wanted[frames->wanted_next];
	if (frames->offset >= span->from)
		return 1;
	if (lseek(frames->fd, (off_t)span->from, SEEK_SET) < 0)
		return -errno;
	frames->at = 0;
	frames->end = 0;
	frames->eof = false;
	frames->offset = span->from;
	return 1;
}

static bool pread_whole(int fd, void *data, size_t len, uint64_t offset)
{
	return pread(fd, data, len, (off_t)offset) == (ssize_t)len;
}

/* Reads the index at the end of the file: entries to free, or NULL. */
static uint8_t *read_index(const struct frames *frames, uint32_t *ret_count, uint64_t *ret_end)
{
	uint8_t footer[9], trailer[INDEX_TRAILER];
	uint64_t table, index;
	uint32_t count;
	uint8_t *entries;

	if (frames->size < sizeof(footer) ||
	    !pread_whole(frames->fd, footer, sizeof(footer), frames->size - sizeof(footer)) ||
	    get_le(footer + 5, 4) != SEEK_FOOTER_MAGIC)
		return NULL;
	table = get_le(footer, 4) * 8 + 8 + 9;
	if (table + sizeof(trailer) > frames->size)
		return NULL;
	table = frames->size - table;
	if (!pread_whole(frames->fd, trailer, sizeof(trailer), table - sizeof(trailer)) ||
	    memcmp(trailer + 8, INDEX_MAGIC, 4) != 0 || get_le(trailer + 4, 4) != INDEX_VERSION)
		return NULL;
	count = (uint32_t)get_le(trailer, 4);
	index = (uint64_t)count * INDEX_ENTRY + INDEX_TRAILER + 8;
	if (!count || index > table)
		return NULL;
	entries = malloc((size_t)count * INDEX_ENTRY);
	if (entries &&
	    !pread_whole(frames->fd, entries, (size_t)count * INDEX_ENTRY, table - index + 8)) {
		free(entries);
		return NULL;
	}
	*ret_count = count;
	*ret_end = table - index;
	return entries;
}

static bool overlaps(const uint8_t *entry, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t wall = get_le(entry + 24, 8);

	/* A block without operations says things about the whole. */
	return !get_le(entry + 36, 4) ||
	       (get_le(entry + 8, 8) + wall < to_ns && get_le(entry + 16, 8) + wall >= from_ns);
}

void frames_window(struct frames *frames, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t end = 0, at = frames->offset;
	uint32_t count = 0;
	uint8_t *entries = read_index(frames, &count, &end);
	struct frames_span *span;

	span = entries ? calloc(count, sizeof(*span)) : NULL;
	for (uint32_t i = 0; span && i < count; i++) {
		const uint8_t *entry = entries + (size_t)i * INDEX_ENTRY;
		uint64_t from = get_le(entry, 8);
		uint64_t to = i + 1 < count ? get_le(entry + INDEX_ENTRY, 8) : end;

		/* An index that is not in order is no index. */
		if (to <= from || to > end || (i && from < get_le(entry - INDEX_ENTRY, 8))) {
			free(span);
			span = NULL;
		} else if (to > at && (overlaps(entry, from_ns, to_ns) || i + 1 == count)) {
			span[frames->wanted_count++] = (struct frames_span){from, to};
		}
	}
	if (span)
		frames->wanted = span;
	else
		frames->wanted_count = 0;
	free(entries);
}

int frames_next(struct frames *frames, const uint8_t **ret_content, size_t *ret_len)
{
	for (;;) {
		uint32_t magic;
		int err = seek_wanted(frames);

		if (err <= 0)
			return err;
		err = fill(frames, 8);
		if (err)
			return err;
		if (available(frames) < 8) {
			if (frames->follow)
				return 0;
			if (available(frames) || frames->in_damage)
				frames->damage.torn = true;
			damaged(frames, available(frames));
			return 0;
		}
		magic = word(frames, 0);
		if (magic == ZSTD_FRAME_MAGIC) {
			err = take_frame(frames, ret_content, ret_len);
		} else if (is_skippable(magic)) {
			err = skip_frame(frames);
		} else {
			scan(frames);
		}
		/* The rest of the frame is still to be written. */
		if (err == -EAGAIN && frames->follow)
			return 0;
		if (err)
			return err;
	}
}
