// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers with units from any text: no crash, and what is refused leaves the result alone. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/op.h"
#include "core/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	uint64_t value = 42, again = 0;
	uint32_t ppm = 0;
	char printed[UNITS_TEXT];

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (units_parse_time(text, 1000000, &value))
		assert(value == 42);
	units_format_time(printed, value);
	value = 42;
	if (units_parse_size(text, &value))
		assert(value == 42);
	units_format_size(printed, value);
	if (!units_parse_uint(text, 5, 500, &again))
		assert(again >= 5 && again <= 500);
	if (!units_parse_share(text, &ppm))
		assert(ppm <= 1000000);
	op_parse_mask(text, size, &value);
	free(text);
	return 0;
}
