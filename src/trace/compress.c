// SPDX-License-Identifier: GPL-2.0-or-later
/* One zstd context, used again and again. */
#include "config.h"

#include "trace/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

/* Room for the end of a piece that is cut, beyond zstd's bound. */
#define CUT_BYTES 16

struct compress {
	ZSTD_CCtx *context;
};

int compress_new(int level, bool checksum, struct compress **ret_compress)
{
	struct compress *compress = calloc(1, sizeof(*compress));

	if (!compress)
		return -ENOMEM;
	compress->context = ZSTD_createCCtx();
	if (!compress->context) {
		free(compress);
		return -ENOMEM;
	}
	ZSTD_CCtx_setParameter(compress->context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(compress->context, ZSTD_c_checksumFlag, checksum);
	*ret_compress = compress;
	return 0;
}

void compress_free(struct compress *compress)
{
	if (!compress)
		return;
	ZSTD_freeCCtx(compress->context);
	free(compress);
}

int compress_put(struct compress *compress, const void *data, size_t len, const size_t *cut,
		 unsigned int cuts, struct bytes *out)
{
	size_t bound = ZSTD_compressBound(len) + (size_t)cuts * CUT_BYTES, left = 0;
	ZSTD_inBuffer in = {data, 0, 0};
	ZSTD_outBuffer to;

	if (ZSTD_isError(ZSTD_compressBound(len)) || !bytes_reserve(out, bound))
		return -ENOMEM;
	to = (ZSTD_outBuffer){out->data + out->len, bound, 0};
	ZSTD_CCtx_reset(compress->context, ZSTD_reset_session_only);
	ZSTD_CCtx_setPledgedSrcSize(compress->context, len);
	for (unsigned int i = 0; i < cuts && !left; i++) {
		in.size = cut[i];
		left = ZSTD_compressStream2(compress->context, &to, &in, ZSTD_e_flush);
	}
	in.size = len;
	if (!left)
		left = ZSTD_compressStream2(compress->context, &to, &in, ZSTD_e_end);
	/* There is room for all: anything but 0 is an error. */
	if (left)
		return -ENOMEM;
	out->len += to.pos;
	return 0;
}
