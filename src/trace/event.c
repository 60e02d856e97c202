// SPDX-License-Identifier: GPL-2.0-or-later
/* The names of arguments, from their tables. */
#include "config.h"

#include "trace/event.h"

static const char *const number_keys[] = {
#define X(id, key, help) key,
	TRACE_NUMBER_TABLE(X)
#undef X
};

static const char *const text_keys[] = {
#define X(id, key, help) key,
	TRACE_TEXT_TABLE(X)
#undef X
};

_Static_assert(TRACE_NUMBERS <= TRACE_TEXT_BIT, "numbers have the lower bits of `have`");
_Static_assert(TRACE_TEXTS <= 64 - TRACE_TEXT_BIT, "texts have the upper ones");

const char *trace_number_key(unsigned int number)
{
	return number < TRACE_NUMBERS ? number_keys[number] : "?";
}

const char *trace_text_key(unsigned int text)
{
	return text < TRACE_TEXTS ? text_keys[text] : "?";
}
