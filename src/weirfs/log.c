// SPDX-License-Identifier: GPL-2.0-or-later
/* What the daemon says, and how loud. */
#include "config.h"

#include "weirfs/log.h"

#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

static const char *const names[LOG_LEVELS] = {
#define X(id, name) [LOG_LEVEL_##id] = name,
	LOG_LEVEL_TABLE(X)
#undef X
};

static const int priorities[LOG_LEVELS] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};

static enum log_level current = LOG_LEVEL_INFO;
static bool use_syslog;
static char fuse_reason[200];

void log_set_level(enum log_level level)
{
	__atomic_store_n(&current, level, __ATOMIC_RELAXED);
}

enum log_level log_get_level(void)
{
	return __atomic_load_n(&current, __ATOMIC_RELAXED);
}

const char *log_level_name(enum log_level level)
{
	return names[level];
}

int log_parse_level(const char *name, enum log_level *ret_level)
{
	for (unsigned int i = 0; i < LOG_LEVELS; i++) {
		if (!strcmp(names[i], name)) {
			*ret_level = (enum log_level)i;
			return 0;
		}
	}
	return -ENOENT;
}

void log_to_syslog(void)
{
	openlog("weirfs", LOG_PID, LOG_DAEMON);
	__atomic_store_n(&use_syslog, true, __ATOMIC_RELAXED);
}

void log_at(enum log_level level, const char *format, ...)
{
	char line[1024];
	va_list args;

	if (level > log_get_level())
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (__atomic_load_n(&use_syslog, __ATOMIC_RELAXED))
		syslog(priorities[level], "%s", line);
	else
		fprintf(stderr, "weirfs: %s\n", line);
}

static void on_fuse_log(enum fuse_log_level level, const char *format, va_list args)
{
	char line[200];
	const char *text = line;

	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = '\0';
	if (!strncmp(line, "fuse: ", 6))
		text += 6;
	if (level <= FUSE_LOG_WARNING)
		snprintf(fuse_reason, sizeof(fuse_reason), "%s", text);
	log_debug("libfuse: %s", text);
}

void log_take_fuse(void)
{
	fuse_set_log_func(on_fuse_log);
}

const char *log_fuse_reason(const char *otherwise)
{
	return *fuse_reason ? fuse_reason : otherwise;
}
