/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An input, read once from begin to end: as lines of bounded length, or as bytes. */
#ifndef TOOLS_IMPORT_FEED_H
#define TOOLS_IMPORT_FEED_H

#include <sys/types.h>

#include "tools/import_text.h"

/* A longer line is passed over whole, and said to be too long. */
#define FEED_LINE_MAX 65536

/* Like read(2), but -errno: tests and fuzzers read from memory. */
typedef ssize_t (*feed_read)(void *arg, void *data, size_t room);

struct feed {
	feed_read read;
	void *arg;
	char *buffer;
	size_t begin; /* what is not yet given */
	size_t end;
	uint64_t bytes; /* given so far */
	uint64_t line;  /* number of the last one given */
	bool eof;
};

/* Returns 0 or -ENOMEM. */
int feed_init(struct feed *feed, feed_read read, void *arg);
void feed_done(struct feed *feed);
/* The input begins again. */
void feed_rewind(struct feed *feed);
/* An feed_read of a descriptor; arg points to an int. */
ssize_t feed_read_fd(void *arg, void *data, size_t room);

/* How a line came. */
enum feed_how { FEED_WHOLE, FEED_LONG, FEED_UNENDED };

/*
 * The next line without its end, valid until the next call; of one that is too long the beginning.
 * FEED_UNENDED is the last one, if no line end follows. Returns 1, 0 at the end, or -errno.
 */
int feed_line(struct feed *feed, struct slice *ret_line, enum feed_how *ret_how);

/* Exactly len bytes, at most FEED_LINE_MAX, valid until the next call. Returns 1, 0 at the end,
 * -EPROTO when it ends before, or -errno. */
int feed_bytes(struct feed *feed, size_t len, const void **ret_data);
/* The same, but they stay to be read again; fewer at the end of the input. */
int feed_peek(struct feed *feed, size_t len, struct slice *ret_data);

#endif
