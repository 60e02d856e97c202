/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the daemon says: one line a message, to stderr in the foreground, else to syslog. */
#ifndef WEIRFS_LOG_H
#define WEIRFS_LOG_H

#include <stdbool.h>

#define LOG_LEVEL_TABLE(X)    \
	X(ERROR, "error")     \
	X(WARNING, "warning") \
	X(INFO, "info")       \
	X(DEBUG, "debug")

enum log_level {
#define X(id, name) LOG_LEVEL_##id,
	LOG_LEVEL_TABLE(X)
#undef X
		LOG_LEVELS
};

void log_set_level(enum log_level level);
enum log_level log_get_level(void);
const char *log_level_name(enum log_level level);
/* Returns 0 or -ENOENT. */
int log_parse_level(const char *name, enum log_level *ret_level);
/* From now on messages go to syslog: the daemon has left its terminal. */
void log_to_syslog(void);

/* libfuse's messages come here too; at level debug, since errors are explained by whoever fails. */
void log_take_fuse(void);
/* Its last complaint, or `otherwise` when there was none. */
const char *log_fuse_reason(const char *otherwise);

void log_at(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_at(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_at(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...) log_at(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_at(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
