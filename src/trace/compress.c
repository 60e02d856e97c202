// SPDX-License-Identifier: GPL-2.0-or-later
/* One zstd context, used again and again. */
#include "config.h"

#include "trace/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

struct compress {
	ZSTD_CCtx *context;
};

int compress_new(int level, struct compress **ret_compress)
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

int compress_put(struct compress *compress, const void *data, size_t len, struct bytes *out)
{
	size_t bound = ZSTD_compressBound(len), n;

	if (ZSTD_isError(bound) || !bytes_reserve(out, bound))
		return -ENOMEM;
	n = ZSTD_compress2(compress->context, out->data + out->len, bound, data, len);
	if (ZSTD_isError(n))
		return -ENOMEM;
	out->len += n;
	return 0;
}
