/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The input of a reader, frame by frame: finds zstd frames in a file or pipe, decompresses them,
 * passes over what is damaged.
 */
#ifndef TRACE_FRAMES_H
#define TRACE_FRAMES_H

#include "trace/reader.h"

struct frames_span;

struct frames {
	int fd;
	uint8_t *data; /* what was read and not yet used is [at, end) */
	size_t at;
	size_t end;
	size_t room;
	uint64_t offset; /* in the file, of `at` */
	uint64_t size;   /* of a regular file, or 0 */
	bool eof;
	bool follow;
	uint8_t *content; /* of the last frame */
	size_t content_room;
	void *zstd;
	struct trace_damage damage;
	bool in_damage;  /* the bytes before `at` were damage */
	uint64_t budget; /* bytes that may still be tried in vain, against hostile input */
	struct frames_span *wanted; /* with an index and a window: what to read */
	size_t wanted_count;
	size_t wanted_next;
};

int frames_init(struct frames *frames, int fd);
void frames_done(struct frames *frames);

/*
 * The content of the next whole frame that begins like a block. Returns 1, 0 at the end (what is
 * left there is counted as torn), or -errno.
 */
int frames_next(struct frames *frames, const uint8_t **ret_content, size_t *ret_len);

/* The frame given last was no good after all. */
void frames_reject(struct frames *frames);

/* Restricts reading to blocks with arrivals in [from, to) of the wall clock, if there is an index.
 */
void frames_window(struct frames *frames, uint64_t from_ns, uint64_t to_ns);

#endif
