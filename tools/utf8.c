// SPDX-License-Identifier: GPL-2.0-or-later
/* UTF-8 by the letter of RFC 3629, and escapes for everything that isn't meant for the eye. */
#include "config.h"

#include "tools/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

size_t utf8_decode(const uint8_t *at, size_t room, uint32_t *ret_point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t point = at[0];
	size_t len;

	if (point < 0x80) {
		*ret_point = point;
		return 1;
	}
	len = point >= 0xf0 ? 4 : point >= 0xe0 ? 3 : 2;
	if (point < 0xc2 || point > 0xf4 || len > room)
		return 0;
	point &= 0x7fu >> len;
	for (size_t i = 1; i < len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (at[i] & 0x3fu);
	}
	if (point < least[len] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return 0;
	*ret_point = point;
	return len;
}

size_t utf8_next(const char *text, uint32_t *ret_point)
{
	/* The NUL ends every character that it cuts short. */
	return utf8_decode((const uint8_t *)text, 4, ret_point);
}

bool utf8_valid(const char *text)
{
	uint32_t point;
	size_t len;

	for (; *text; text += len) {
		len = utf8_next(text, &point);
		if (!len)
			return false;
	}
	return true;
}

/* The next character's length and the columns that it takes; a bad byte takes none. */
static size_t next_columns(const char *text, size_t *ret_columns)
{
	uint32_t point;
	size_t len = utf8_next(text, &point);
	int width;

	*ret_columns = 0;
	if (!len)
		return 1;
	width = point < 0x80 ? 1 : wcwidth((wchar_t)point);
	*ret_columns = width < 0 ? 1 : (size_t)width;
	return len;
}

size_t utf8_columns(const char *text)
{
	size_t columns = 0, width;

	while (*text) {
		text += next_columns(text, &width);
		columns += width;
	}
	return columns;
}

size_t utf8_fitting(const char *text, size_t columns)
{
	size_t used = 0, width, at = 0;

	while (text[at]) {
		size_t len = next_columns(text + at, &width);

		if (used + width > columns)
			break;
		used += width;
		at += len;
	}
	return at;
}

/* C0 and C1 controls, line and paragraph separators, byte order mark, direction marks. */
bool utf8_unsafe(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x061c ||
	       (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
}

char *utf8_escape(const char *text)
{
	static const char digits[] = "0123456789abcdef";
	/* The worst case is four characters for a byte. */
	char *safe = calloc(strlen(text) + 1, 4), *out = safe;
	uint32_t point;
	size_t len;

	if (!safe)
		return NULL;
	for (; *text; text += len) {
		bool plain;

		len = utf8_next(text, &point);
		plain = len && !utf8_unsafe(point);
		len = len ? len : 1;
		if (*text == '\\')
			*out++ = '\\';
		for (size_t i = 0; i < len; i++) {
			unsigned char byte = (unsigned char)text[i];

			if (plain) {
				*out++ = (char)byte;
				continue;
			}
			*out++ = '\\';
			*out++ = 'x';
			*out++ = digits[byte >> 4];
			*out++ = digits[byte & 15];
		}
	}
	*out = '\0';
	return safe;
}
