// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading an input through one buffer. */
#include "config.h"

#include "tools/import_feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (2 * FEED_LINE_MAX)

ssize_t feed_read_fd(void *arg, void *data, size_t room)
{
	const int *fd = arg;
	ssize_t n;

	do
		n = read(*fd, data, room);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

int feed_init(struct feed *feed, feed_read read, void *arg)
{
	*feed = (struct feed){.read = read, .arg = arg, .buffer = malloc(BUFFER_BYTES)};
	return feed->buffer ? 0 : -ENOMEM;
}

void feed_done(struct feed *feed)
{
	free(feed->buffer);
	feed->buffer = NULL;
}

void feed_rewind(struct feed *feed)
{
	feed->begin = feed->end = 0;
	feed->bytes = feed->line = 0;
	feed->eof = false;
}

/* Reads more behind what there is. Returns 0 (also at the end) or -errno. */
static int fill(struct feed *feed)
{
	ssize_t n;

	if (feed->begin) {
		memmove(feed->buffer, feed->buffer + feed->begin, feed->end - feed->begin);
		feed->end -= feed->begin;
		feed->begin = 0;
	}
	n = feed->read(feed->arg, feed->buffer + feed->end, BUFFER_BYTES - feed->end);
	if (n < 0)
		return (int)n;
	feed->eof = n == 0;
	feed->end += (size_t)n;
	return 0;
}

static void take(struct feed *feed, size_t n)
{
	feed->begin += n;
	feed->bytes += n;
}

/* Passes over the rest of a line that is too long, keeping its beginning in front. */
static int skip_rest(struct feed *feed)
{
	const char *found = NULL;

	while (!found) {
		char *rest = feed->buffer + FEED_LINE_MAX;
		ssize_t n = feed->read(feed->arg, rest, FEED_LINE_MAX);

		if (n < 0)
			return (int)n;
		if (n == 0) {
			feed->eof = true;
			feed->begin = feed->end;
			return 0;
		}
		found = memchr(rest, '\n', (size_t)n);
		feed->bytes += found ? (size_t)(found + 1 - rest) : (size_t)n;
		feed->end = FEED_LINE_MAX + (size_t)n;
	}
	feed->begin = (size_t)(found + 1 - feed->buffer);
	return 0;
}

/* A line of which FEED_LINE_MAX bytes without an end lie in the buffer. */
static int long_line(struct feed *feed, struct slice *ret_line)
{
	const char *end;

	memmove(feed->buffer, feed->buffer + feed->begin, feed->end - feed->begin);
	feed->end -= feed->begin;
	feed->begin = 0;
	*ret_line = (struct slice){feed->buffer, FEED_LINE_MAX};
	end = memchr(feed->buffer + FEED_LINE_MAX, '\n', feed->end - FEED_LINE_MAX);
	if (end) {
		take(feed, (size_t)(end + 1 - feed->buffer));
		return 0;
	}
	take(feed, feed->end);
	return skip_rest(feed);
}

int feed_line(struct feed *feed, struct slice *ret_line, enum feed_how *ret_how)
{
	size_t looked = 0;
	int err;

	for (;;) {
		const char *at = feed->buffer + feed->begin;
		size_t len = feed->end - feed->begin;
		const char *end = memchr(at + looked, '\n', len - looked);

		if (end && end - at <= FEED_LINE_MAX) {
			*ret_line = (struct slice){at, (size_t)(end - at)};
			*ret_how = FEED_WHOLE;
			take(feed, ret_line->len + 1);
			break;
		}
		if (len > FEED_LINE_MAX) {
			err = long_line(feed, ret_line);
			if (err)
				return err;
			*ret_how = FEED_LONG;
			break;
		}
		if (feed->eof) {
			if (!len)
				return 0;
			*ret_line = (struct slice){at, len};
			*ret_how = FEED_UNENDED;
			take(feed, len);
			break;
		}
		looked = len;
		err = fill(feed);
		if (err)
			return err;
	}
	feed->line++;
	return 1;
}

int feed_peek(struct feed *feed, size_t len, struct slice *ret_data)
{
	while (feed->end - feed->begin < len && !feed->eof) {
		int err = fill(feed);

		if (err)
			return err;
	}
	if (len > feed->end - feed->begin)
		len = feed->end - feed->begin;
	*ret_data = (struct slice){feed->buffer + feed->begin, len};
	return 0;
}

int feed_bytes(struct feed *feed, size_t len, const void **ret_data)
{
	struct slice data;
	int err = feed_peek(feed, len, &data);

	if (err)
		return err;
	if (data.len < len)
		return data.len ? -EPROTO : 0;
	*ret_data = data.at;
	take(feed, len);
	return 1;
}
