// SPDX-License-Identifier: GPL-2.0-or-later
/* Formatting of cells. */
#include "config.h"

#include "tools/show.h"

#include <inttypes.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/units.h"
#include "tools/utf8.h"

_Static_assert(SHOW_TEXT > UNITS_TEXT, "a mark and a unit fit");

char *show_time(const struct show *show, char text[SHOW_TEXT], uint64_t ns)
{
	if (show->exact) {
		snprintf(text, SHOW_TEXT, "%" PRIu64, ns);
		return text;
	}
	return units_format_time(text, ns);
}

char *show_size(const struct show *show, char text[SHOW_TEXT], uint64_t bytes)
{
	if (show->exact) {
		snprintf(text, SHOW_TEXT, "%" PRIu64, bytes);
		return text;
	}
	return units_format_size(text, bytes);
}

static char *no_samples(char text[SHOW_TEXT])
{
	snprintf(text, SHOW_TEXT, "-");
	return text;
}

char *show_percentile(const struct show *show, char text[SHOW_TEXT],
		      const struct duration_view *view, enum percentile percentile)
{
	if (!view->samples)
		return no_samples(text);
	text[0] = '~';
	show_time(show, text + view->marked[percentile], view->percentile_ns[percentile]);
	return text;
}

char *show_max(const struct show *show, char text[SHOW_TEXT], const struct duration_view *view)
{
	return view->samples ? show_time(show, text, view->max_ns) : no_samples(text);
}

char *show_uptime(char text[SHOW_TEXT], uint64_t ns)
{
	uint64_t s = ns / NS_PER_S, days = s / 86400;
	int n = 0;

	if (days)
		n = snprintf(text, SHOW_TEXT, "%" PRIu64 " d ", days);
	snprintf(text + n, SHOW_TEXT - (size_t)n, "%02u:%02u:%02u", (unsigned int)(s / 3600 % 24),
		 (unsigned int)(s / 60 % 60), (unsigned int)(s % 60));
	return text;
}

void show_bytes(FILE *out, const char *bytes)
{
	scoped_free char *safe = utf8_escape(bytes);

	fputs(safe ? safe : "?", out);
}
