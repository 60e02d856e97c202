/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compression of one piece of bytes at a time with zstd, for formats that hold such pieces. */
#ifndef TRACE_COMPRESS_H
#define TRACE_COMPRESS_H

#include "core/bytes.h"

struct compress;

/* level as zstd's. Returns 0 or -ENOMEM. */
int compress_new(int level, struct compress **ret_compress);
void compress_free(struct compress *compress);

/* Appends one zstd frame that holds the data. Returns 0 or -ENOMEM. */
int compress_put(struct compress *compress, const void *data, size_t len, struct bytes *out);

#endif
