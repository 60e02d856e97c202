// SPDX-License-Identifier: GPL-2.0-or-later
/* A snapshot of any bytes: refused or decoded, and what was decoded encodes again. */
#include "config.h"

#include <assert.h>
#include <errno.h>

#include "trace/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct summary summary;
	struct diag diag = {0};
	struct bytes out = {0};
	int err;

	summary_init(&summary);
	err = snapshot_decode(data, size, &summary, &diag);
	assert(err == 0 || err == -EPROTO || err == -EPROTONOSUPPORT || err == -ENOMEM);
	if (!err) {
		struct summary again;

		snapshot_encode(&summary, &out);
		summary_init(&again);
		assert(out.failed || !snapshot_decode(out.data, out.len, &again, &diag));
		summary_done(&again);
		summary_done(&summary);
	}
	bytes_done(&out);
	return 0;
}
