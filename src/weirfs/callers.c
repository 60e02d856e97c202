// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes and names of the threads that ask. */
#include "config.h"

#include "weirfs/callers.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/clock.h"

#define KNOWN_FOR_NS NS_PER_S
/* Name and Tgid are in the first lines. */
#define STATUS_ROOM 512

static int unescaped(const char **at)
{
	char c = *(*at)++;

	if (c != '\\' || (**at != 'n' && **at != '\\'))
		return (unsigned char)c;
	return *(*at)++ == 'n' ? '\n' : '\\';
}

void callers_parse(const char *status, struct caller_name *ret_name)
{
	static const char name_word[] = "Name:\t", tgid_word[] = "\nTgid:";
	const char *tgid = strstr(status, tgid_word);

	memset(ret_name, 0, sizeof(*ret_name));
	if (tgid)
		ret_name->process = (uint32_t)strtoul(tgid + strlen(tgid_word), NULL, 10);
	if (strncmp(status, name_word, strlen(name_word)) != 0)
		return;
	status += strlen(name_word);
	for (size_t i = 0; i < CALLER_NAME && *status && *status != '\n'; i++)
		ret_name->comm[i] = (char)unescaped(&status);
}

static void look(pid_t thread, struct caller_name *ret_name)
{
	char path[48], text[STATUS_ROOM] = "";
	scoped_fd int fd = -1;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	text[len > 0 ? len : 0] = '\0';
	callers_parse(text, ret_name);
}

void callers_find(struct callers *callers, pid_t thread, uint64_t now_ns,
		  struct caller_name *ret_name)
{
	size_t i = ((uint32_t)thread * 2654435761u) >> 24;

	if (callers->row[i].thread != thread || callers->row[i].until_ns <= now_ns) {
		if (!thread) {
			memset(ret_name, 0, sizeof(*ret_name));
			return;
		}
		look(thread, &callers->row[i].name);
		callers->row[i].thread = thread;
		callers->row[i].until_ns = now_ns + KNOWN_FOR_NS;
		__atomic_store_n(&callers->looked, callers->looked + 1, __ATOMIC_RELAXED);
	}
	*ret_name = callers->row[i].name;
}

_Static_assert(CALLERS_ROOM == 256, "the index is eight bits of the hash");
