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

static bool parse_device(const char *text, struct mountinfo_entry *entry)
{
	char *end;

	entry->major = (unsigned int)strtoul(text, &end, 10);
	if (end == text || *end != ':')
		return false;
	text = end + 1;
	entry->minor = (unsigned int)strtoul(text, &end, 10);
	return end != text && !*end;
}

/* Fields: id parent major:minor root mountpoint options [optional ...] - type source super. */
static bool parse_line(char *line, struct mountinfo_entry *ret_entry)
{
	char *save = NULL, *field[5] = {NULL}, *word = strtok_r(line, " ", &save);
	struct mountinfo_entry entry = {0};

	for (int i = 0; word && i < 5; i++) {
		field[i] = word;
		word = strtok_r(NULL, " ", &save);
	}
	while (word && strcmp(word, "-") != 0)
		word = strtok_r(NULL, " ", &save);
	word = word ? strtok_r(NULL, " ", &save) : NULL;
	if (!word || !field[4] || !parse_device(field[2], &entry))
		return false;
	unescape(field[3]);
	unescape(field[4]);
	entry.root = field[3];
	entry.point = field[4];
	entry.is_weirfs = !strcmp(word, "fuse.weirfs");
	*ret_entry = entry;
	return true;
}

static int each_in(const char *table,
		   void (*on_entry)(const struct mountinfo_entry *entry, void *arg), void *arg)
{
	FILE *file = fopen(table, "re");
	scoped_free char *line = NULL;
	struct mountinfo_entry entry;
	size_t room = 0;

	if (!file)
		return -errno;
	while (getline(&line, &room, file) > 0) {
		if (parse_line(line, &entry))
			on_entry(&entry, arg);
	}
	fclose(file);
	return 0;
}

int mountinfo_each(void (*on_entry)(const struct mountinfo_entry *entry, void *arg), void *arg)
{
	return each_in("/proc/self/mountinfo", on_entry, arg);
}

struct search {
	const char *path;
	struct mountinfo *info;
	bool found;
};

/* Later lines are mounted on top of earlier ones. */
static void compare(const struct mountinfo_entry *entry, void *arg)
{
	struct search *search = arg;

	if (strcmp(entry->point, search->path) != 0)
		return;
	search->found = true;
	*search->info = (struct mountinfo){
		.major = entry->major,
		.minor = entry->minor,
		.is_weirfs = entry->is_weirfs,
	};
}

int mountinfo_find_in(const char *table, const char *path, struct mountinfo *ret_info)
{
	struct search search = {.path = path, .info = ret_info};
	int err = each_in(table, compare, &search);

	if (err)
		return err;
	return search.found ? 0 : -ENOENT;
}

int mountinfo_find(const char *path, struct mountinfo *ret_info)
{
	return mountinfo_find_in("/proc/self/mountinfo", path, ret_info);
}
