// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/self/mountinfo: one line a mount, paths with octal escapes. */
#include "config.h"

#include "weirfs/mountinfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cleanup.h"

/* Replaces \040 and the like in place. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		if (at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] >= '0' && at[2] <= '7' &&
		    at[3] >= '0' && at[3] <= '7') {
			*to++ = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
			at += 3;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
}

static bool parse_device(const char *text, struct mountinfo *info)
{
	char *end;

	info->major = (unsigned int)strtoul(text, &end, 10);
	if (end == text || *end != ':')
		return false;
	text = end + 1;
	info->minor = (unsigned int)strtoul(text, &end, 10);
	return end != text && !*end;
}

/* Fields: id parent major:minor root mountpoint options [optional ...] - type source super. */
static bool parse_line(char *line, const char *path, struct mountinfo *ret_info)
{
	char *save = NULL, *field = strtok_r(line, " ", &save);
	struct mountinfo info = {0};

	for (int i = 0; field && i < 5; i++) {
		if (i == 2 && !parse_device(field, &info))
			return false;
		if (i == 4) {
			unescape(field);
			if (strcmp(field, path) != 0)
				return false;
		}
		field = strtok_r(NULL, " ", &save);
	}
	while (field && strcmp(field, "-") != 0)
		field = strtok_r(NULL, " ", &save);
	field = field ? strtok_r(NULL, " ", &save) : NULL;
	if (!field)
		return false;
	info.is_weirfs = !strcmp(field, "fuse.weirfs");
	*ret_info = info;
	return true;
}

int mountinfo_find_in(const char *table, const char *path, struct mountinfo *ret_info)
{
	FILE *file = fopen(table, "re");
	scoped_free char *line = NULL;
	size_t room = 0;
	int err = -ENOENT;

	if (!file)
		return -errno;
	/* Later lines are mounted on top of earlier ones. */
	while (getline(&line, &room, file) > 0) {
		if (parse_line(line, path, ret_info))
			err = 0;
	}
	fclose(file);
	return err;
}

int mountinfo_find(const char *path, struct mountinfo *ret_info)
{
	return mountinfo_find_in("/proc/self/mountinfo", path, ret_info);
}
