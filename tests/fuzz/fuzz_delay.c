// SPDX-License-Identifier: GPL-2.0-or-later
/* Delay rules from any text: refused with a reason, or usable. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/delay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct delay *delay = NULL;
	struct diag diag = {0};

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (delay_new(text, &delay, &diag)) {
		assert(!delay);
		assert(diag.text[0]);
	} else {
		struct op op = {.seq = 1, .kind = OP_READ};

		assert(!strcmp(delay_text(delay), text));
		assert(delay_schedule(delay, &op, delay_match(delay, "/a/b"), 1000) >= 1000);
		assert(delay_schedule(delay, &op, delay_match(delay, NULL), 1000) >= 1000);
	}
	delay_free(delay);
	free(text);
	return 0;
}
