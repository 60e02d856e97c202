// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing points in time: ISO 8601 and spans. */
#include "config.h"

#include "tools/when.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "core/units.h"

/* Exactly so many digits. Returns what follows, or NULL. */
static const char *digits(const char *text, int count, int *ret_value)
{
	*ret_value = 0;
	for (; count > 0; count--, text++) {
		if (*text < '0' || *text > '9')
			return NULL;
		*ret_value = *ret_value * 10 + (*text - '0');
	}
	return text;
}

/* ".123": up to nine digits. Returns what follows, or NULL. */
static const char *fraction(const char *text, uint64_t *ret_ns)
{
	uint64_t unit_ns = NS_PER_S;

	*ret_ns = 0;
	if (*text != '.' && *text != ',')
		return text;
	text++;
	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		unit_ns /= 10;
		*ret_ns += unit_ns * (uint64_t)(*text - '0');
	}
	return text;
}

static const char *parse_date(const char *text, struct tm *tm)
{
	text = digits(text, 4, &tm->tm_year);
	if (!text || *text != '-')
		return NULL;
	text = digits(text + 1, 2, &tm->tm_mon);
	if (!text || *text != '-')
		return NULL;
	text = digits(text + 1, 2, &tm->tm_mday);
	if (!text || tm->tm_year < 1970 || tm->tm_mon < 1 || tm->tm_mon > 12 || tm->tm_mday < 1 ||
	    tm->tm_mday > 31)
		return NULL;
	tm->tm_year -= 1900;
	tm->tm_mon--;
	return text;
}

static const char *parse_clock(const char *text, struct tm *tm, uint64_t *ret_ns)
{
	text = digits(text, 2, &tm->tm_hour);
	if (!text || *text != ':')
		return NULL;
	text = digits(text + 1, 2, &tm->tm_min);
	if (!text)
		return NULL;
	if (*text == ':')
		text = digits(text + 1, 2, &tm->tm_sec);
	if (!text || tm->tm_hour > 23 || tm->tm_min > 59 || tm->tm_sec > 60)
		return NULL;
	return fraction(text, ret_ns);
}

/* "Z", "+01:00", "-0530", or nothing: local time. Returns what follows, or NULL. */
static const char *parse_zone(const char *text, struct tm *tm, time_t *ret_s)
{
	int hours, minutes, sign = *text == '-' ? -1 : 1;

	if (*text == '\0') {
		tm->tm_isdst = -1;
		*ret_s = mktime(tm);
		return text;
	}
	*ret_s = timegm(tm);
	if (*text == 'Z' || *text == 'z')
		return text + 1;
	if (*text != '+' && *text != '-')
		return NULL;
	text = digits(text + 1, 2, &hours);
	if (!text)
		return NULL;
	text = digits(*text == ':' ? text + 1 : text, 2, &minutes);
	*ret_s -= sign * (hours * 3600 + minutes * 60);
	return text;
}

static int parse_iso(const char *text, uint64_t *ret_ns)
{
	struct tm tm = {0};
	uint64_t ns = 0;
	time_t s;

	text = parse_date(text, &tm);
	if (text && (*text == 'T' || *text == 't' || *text == ' '))
		text = parse_clock(text + 1, &tm, &ns);
	if (text)
		text = parse_zone(text, &tm, &s);
	if (!text || *text || s < 0 || (uint64_t)s > UINT64_MAX / NS_PER_S - 1)
		return -EINVAL;
	*ret_ns = (uint64_t)s * NS_PER_S + ns;
	return 0;
}

int when_parse(const char *text, struct when *ret_when)
{
	struct when when = {.given = true};
	int unused, err;

	if (*text == '@') {
		err = units_parse_time(text + 1, NS_PER_S, &when.ns);
	} else if (digits(text, 4, &unused) && text[4] == '-') {
		err = parse_iso(text, &when.ns);
	} else {
		when.relative = true;
		err = units_parse_time(text, NS_PER_S, &when.ns);
	}
	if (err)
		return -EINVAL;
	*ret_when = when;
	return 0;
}

uint64_t when_unix_ns(const struct when *when, uint64_t start_unix_ns)
{
	if (!when->relative)
		return when->ns;
	return when->ns > UINT64_MAX - start_unix_ns ? UINT64_MAX : start_unix_ns + when->ns;
}
