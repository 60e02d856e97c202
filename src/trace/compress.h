/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compression of one piece of bytes at a time into zstd frames: blocks of traces, pages of Parquet.
 */
#ifndef TRACE_COMPRESS_H
#define TRACE_COMPRESS_H

#include "core/bytes.h"

struct compress;

/* level as zstd's; checksum: frames end with one of their content. Returns 0 or -ENOMEM. */
int compress_new(int level, bool checksum, struct compress **ret_compress);
void compress_free(struct compress *compress);

/*
 * Appends one zstd frame that holds the data. What lies between two of the cuts (offsets that
 * grow) is compressed with tables of its own. Returns 0 or -ENOMEM.
 */
int compress_put(struct compress *compress, const void *data, size_t len, const size_t *cut,
		 unsigned int cuts, struct bytes *out);

#endif
