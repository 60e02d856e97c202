// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of weirfs: one table of options, parsed strictly. */
#include "config.h"

#include "weirfs/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/units.h"

static const char *const cache_names[] = {
#define X(id, name, help) name,
	CACHE_TABLE(X)
#undef X
		NULL};
static const char *const data_names[] = {
#define X(id, name, help) name,
	DATA_TABLE(X)
#undef X
		NULL};
static const char *const locks_names[] = {
#define X(id, name, help) name,
	LOCKS_TABLE(X)
#undef X
		NULL};
static const char *const identity_names[] = {
#define X(id, name, help) name,
	IDENTITY_TABLE(X)
#undef X
		"auto",
	NULL};
static const char *const log_names[] = {
#define X(id, name) name,
	LOG_LEVEL_TABLE(X)
#undef X
		NULL};
static const char *const switch_names[] = {"off", "on", NULL};

const char *cache_name(enum cache_mode mode)
{
	return cache_names[mode];
}

const char *data_name(enum data_mode mode)
{
	return data_names[mode];
}

const char *locks_name(enum locks_mode mode)
{
	return locks_names[mode];
}

const char *identity_name(enum identity identity)
{
	return identity_names[identity];
}

enum option_type {
	OPTION_FLAG,    /* no value: sets a bool */
	OPTION_CHOICE,  /* one of a list: an enum */
	OPTION_SWITCH,  /* on or off: a bool */
	OPTION_SECONDS, /* double */
	OPTION_COUNT,   /* uint64_t within min..max */
	OPTION_SIZE,    /* uint64_t bytes */
	OPTION_DELAY,   /* rules; may go on in the next items */
	OPTION_FUSE,    /* handed on to libfuse and the kernel */
	OPTION_IGNORE,  /* fstab words that mean nothing here */
};

struct option {
	const char *name;
	enum option_type type;
	size_t offset;
	const char *const *choices;
	uint64_t min;
	uint64_t max;
	const char *value;
	const char *help;
};

#define FIELD(name) offsetof(struct options, name)

static const struct option table[] = {
	{"cache", OPTION_CHOICE, FIELD(cache), cache_names, 0, 0, "MODE",
	 "what the kernel may keep: auto, none or always [auto]"},
	{"data", OPTION_CHOICE, FIELD(data), data_names, 0, 0, "PATH",
	 "who reads and writes data: user or kernel [user]"},
	{"locks", OPTION_CHOICE, FIELD(locks), locks_names, 0, 0, "WHERE",
	 "POSIX locks: auto, local or backing [auto]"},
	{"identity", OPTION_CHOICE, FIELD(identity), identity_names, 0, 0, "WHO",
	 "act as the caller: auto, none, local or full [auto]"},
	{"delay", OPTION_DELAY, FIELD(delay), NULL, 0, 0, "RULES",
	 "OP[@GLOB]:TIME[:SHARE%][,...]: hold replies"},
	{"attr_timeout", OPTION_SECONDS, FIELD(attr_timeout), NULL, 0, 0, "SECONDS",
	 "how long the kernel keeps attributes [1]"},
	{"entry_timeout", OPTION_SECONDS, FIELD(entry_timeout), NULL, 0, 0, "SECONDS",
	 "how long the kernel keeps names [1]"},
	{"negative_timeout", OPTION_SECONDS, FIELD(negative_timeout), NULL, 0, 0, "SECONDS",
	 "how long it keeps that a name does not exist [0]"},
	{"max_files", OPTION_COUNT, FIELD(max_files), NULL, 16, 10000000, "N",
	 "rows in the file table [100000]"},
	{"max_fds", OPTION_COUNT, FIELD(max_fds), NULL, 8, 1000000, "N",
	 "descriptors kept for inodes [a quarter of the limit]"},
	{"workers", OPTION_COUNT, FIELD(workers), NULL, 1, 256, "N", "threads at most [64]"},
	{"hold_max", OPTION_SIZE, FIELD(hold_max), NULL, 0, 0, "SIZE",
	 "memory for data of held replies [1GiB]"},
	{"measure", OPTION_SWITCH, FIELD(measure), switch_names, 0, 0, "on|off",
	 "record statistics [on]"},
	{"log", OPTION_CHOICE, FIELD(log), log_names, 0, 0, "LEVEL",
	 "error, warning, info or debug [info]"},
	{"noxattr", OPTION_FLAG, FIELD(no_xattr), NULL, 0, 0, NULL,
	 "no extended attributes, so no questions for them"},
	{"io_uring", OPTION_FLAG, FIELD(io_uring), NULL, 0, 0, NULL,
	 "talk to the kernel through io_uring where both can"},
	{"allow_other", OPTION_FLAG, FIELD(allow_other), NULL, 0, 0, NULL,
	 "other users may use the mount (root's default)"},
	{"no_allow_other", OPTION_FLAG, FIELD(no_allow_other), NULL, 0, 0, NULL,
	 "only the mounting user may"},
	{"ro", OPTION_FLAG, FIELD(read_only), NULL, 0, 0, NULL, "read-only"},
	{"suid", OPTION_FUSE, FIELD(suid_given), NULL, 0, 0, NULL, NULL},
	{"nosuid", OPTION_FUSE, FIELD(suid_given), NULL, 0, 0, NULL, NULL},
	{"dev", OPTION_FUSE, FIELD(dev_given), NULL, 0, 0, NULL, NULL},
	{"nodev", OPTION_FUSE, FIELD(dev_given), NULL, 0, 0, NULL, NULL},
	{"exec", OPTION_FUSE, FIELD(exec_given), NULL, 0, 0, NULL, NULL},
	{"noexec", OPTION_FUSE, FIELD(exec_given), NULL, 0, 0, NULL, NULL},
	{"sync", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"async", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"dirsync", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"atime", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"noatime", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"auto_unmount", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, NULL, NULL},
	{"allow_root", OPTION_FUSE, FIELD(no_allow_other), NULL, 0, 0, NULL, NULL},
	{"io_uring_q_depth", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, "N", NULL},
	{"context", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, "LABEL", NULL},
	{"fscontext", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, "LABEL", NULL},
	{"defcontext", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, "LABEL", NULL},
	{"rootcontext", OPTION_FUSE, FIELD(fuse_given), NULL, 0, 0, "LABEL", NULL},
	{"rw", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"default_permissions", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"defaults", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"nonempty", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"_netdev", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"nofail", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"auto", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"noauto", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"user", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"users", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"nouser", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"owner", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"group", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"diratime", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"nodiratime", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"lazytime", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"strictatime", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"relatime", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
	{"remount", OPTION_IGNORE, 0, NULL, 0, 0, NULL, NULL},
};

#define TABLE_SIZE (sizeof(table) / sizeof(table[0]))

void options_init(struct options *options)
{
	memset(options, 0, sizeof(*options));
	options->identity = IDENTITY_AUTO;
	options->log = LOG_LEVEL_INFO;
	options->measure = true;
	options->attr_timeout = -1;
	options->entry_timeout = -1;
	options->negative_timeout = -1;
	options->max_files = 100000;
	options->workers = 64;
	options->hold_max = UINT64_C(1) << 30;
}

void options_done(struct options *options)
{
	free(options->source);
	free(options->mountpoint);
	free(options->delay);
	free(options->fuse_options);
}

static int append(char **list, const char *item)
{
	char *grown = NULL;

	if (asprintf(&grown, "%s%s%s", *list ? *list : "", *list ? "," : "", item) < 0)
		return -ENOMEM;
	free(*list);
	*list = grown;
	return 0;
}

static const struct option *find_option(const char *name, size_t len)
{
	for (size_t i = 0; i < TABLE_SIZE; i++) {
		if (strlen(table[i].name) == len && !memcmp(table[i].name, name, len))
			return &table[i];
	}
	return NULL;
}

static int set_choice(const struct option *option, int *slot, const char *value, struct diag *diag)
{
	char list[128] = "";

	for (int i = 0; option->choices[i]; i++) {
		size_t len = strlen(list);

		/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): never NULL */
		if (!strcmp(option->choices[i], value)) {
			*slot = i;
			return 0;
		}
		snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "", option->choices[i]);
	}
	return diag_set(diag, -EINVAL, "option %s=%s: use one of %s", option->name, value, list);
}

static int set_number(const struct option *option, void *slot, const char *value, struct diag *diag)
{
	uint64_t number;

	if (option->type == OPTION_SECONDS) {
		if (units_parse_time(value, NS_PER_S, &number) || number > 86400 * 365 * NS_PER_S)
			return diag_set(diag, -EINVAL,
					"option %s=%s: use a time in seconds, up to a year",
					option->name, value);
		*(double *)slot = (double)number / (double)NS_PER_S;
		return 0;
	}
	if (option->type == OPTION_SIZE) {
		if (units_parse_size(value, &number))
			return diag_set(diag, -EINVAL, "option %s=%s: use a size, as 64MiB",
					option->name, value);
	} else if (units_parse_uint(value, option->min, option->max, &number)) {
		return diag_set(diag, -EINVAL, "option %s=%s: use a number from %llu to %llu",
				option->name, value, (unsigned long long)option->min,
				(unsigned long long)option->max);
	}
	*(uint64_t *)slot = number;
	return 0;
}

static int set_option(struct options *options, const struct option *option, const char *item,
		      const char *value, struct diag *diag)
{
	void *slot = (char *)options + option->offset;
	int choice = 0, err;

	if (option->value && (!value || !*value))
		return diag_set(diag, -EINVAL, "option %s needs a value: %s=%s", option->name,
				option->name, option->value);
	if (!option->value && value && option->type != OPTION_IGNORE)
		return diag_set(diag, -EINVAL, "option %s takes no value", option->name);
	switch (option->type) {
	case OPTION_IGNORE:
		return 0;
	case OPTION_FLAG:
		*(bool *)slot = true;
		return 0;
	case OPTION_FUSE:
		*(bool *)slot = true;
		return append(&options->fuse_options, item);
	case OPTION_DELAY:
		return append(slot, value);
	case OPTION_CHOICE:
	case OPTION_SWITCH:
		err = set_choice(option, &choice, value, diag);
		if (!err && option->type == OPTION_SWITCH)
			*(bool *)slot = choice;
		else if (!err)
			memcpy(slot, &choice, sizeof(choice));
		return err;
	default:
		return set_number(option, slot, value, diag);
	}
}

/* "read:20ms,write:5ms": the items after delay= that look like a rule belong to it. */
static bool is_more_delay(const char *item)
{
	return strchr(item, ':') && !strchr(item, '=') && item[0] != '/';
}

static int parse_item(struct options *options, const char *item, bool *in_delay, struct diag *diag)
{
	const char *value = strchr(item, '=');
	size_t len = value ? (size_t)(value - item) : strlen(item);
	const struct option *option = find_option(item, len);

	if (*in_delay && !option && is_more_delay(item))
		return append(&options->delay, item);
	*in_delay = option && option->type == OPTION_DELAY;
	if (option)
		return set_option(options, option, item, value ? value + 1 : NULL, diag);
	if (!strncmp(item, "x-", 2) || !strncmp(item, "X-", 2) || !strncmp(item, "comment=", 8))
		return 0;
	return diag_set(diag, -EINVAL, "unknown option %s; try 'weirfs --help'", item);
}

/* Splits at commas; "\," is a comma in a value. */
static int parse_list(struct options *options, const char *list, struct diag *diag)
{
	scoped_free char *item = malloc(strlen(list) + 1);
	bool in_delay = false;
	int err = 0;

	if (!item)
		return -ENOMEM;
	while (*list && !err) {
		size_t len = 0;

		for (; *list && *list != ','; list++) {
			if (*list == '\\' && list[1])
				list++;
			item[len++] = *list;
		}
		item[len] = '\0';
		if (*list)
			list++;
		if (len)
			err = parse_item(options, item, &in_delay, diag);
	}
	return err;
}

/* The flags of mount(8)'s direct helpers are taken and mean nothing here: -n -s -v. */
static int parse_flag(struct options *options, const char *flag, struct diag *diag)
{
	for (flag++; *flag; flag++) {
		switch (*flag) {
		case 'f':
			options->foreground = true;
			break;
		case 'd':
			options->debug = true;
			options->log = LOG_LEVEL_DEBUG;
			options->foreground = true;
			break;
		case 's':
			options->workers = 1;
			break;
		case 'h':
			options->show_help = true;
			break;
		case 'V':
			options->show_version = true;
			break;
		case 'n':
		case 'v':
			break;
		default:
			return diag_set(diag, -EINVAL, "unknown option -%c; try 'weirfs --help'",
					*flag);
		}
	}
	return 0;
}

static int parse_place(struct options *options, const char *word, struct diag *diag)
{
	char **slot = !options->source       ? &options->source
		      : !options->mountpoint ? &options->mountpoint
					     : NULL;

	if (!slot)
		return diag_set(diag, -EINVAL,
				"\"%s\" is one argument too many; usage: weirfs SOURCE "
				"MOUNTPOINT [-o OPTIONS]",
				word);
	/* `mount -t fuse weirfs#/data /data` names the program too. */
	*slot = strdup(!strncmp(word, "weirfs#", 7) ? word + 7 : word);
	return *slot ? 0 : -ENOMEM;
}

int options_parse(struct options *options, int argc, char *const argv[], struct diag *diag)
{
	bool only_places = false;
	int err = 0;

	for (int i = 1; i < argc && !err; i++) {
		const char *word = argv[i];

		if (only_places || word[0] != '-' || !word[1])
			err = parse_place(options, word, diag);
		else if (!strcmp(word, "--"))
			only_places = true;
		else if (!strcmp(word, "--help"))
			options->show_help = true;
		else if (!strcmp(word, "--version"))
			options->show_version = true;
		else if (!strncmp(word, "-o", 2) && word[2])
			err = parse_list(options, word + 2, diag);
		else if (!strcmp(word, "-o") && i + 1 < argc)
			err = parse_list(options, argv[++i], diag);
		else if ((!strcmp(word, "-t") || !strcmp(word, "-N")) && i + 1 < argc)
			i++;
		else
			err = parse_flag(options, word, diag);
	}
	if (!err && !options->show_help && !options->show_version &&
	    (!options->source || !options->mountpoint))
		err = diag_set(diag, -EINVAL,
			       "%s missing; usage: weirfs SOURCE MOUNTPOINT [-o OPTIONS]",
			       options->source ? "MOUNTPOINT is" : "SOURCE and MOUNTPOINT are");
	return err;
}

void options_finish(struct options *options)
{
	double keep = options->cache == CACHE_ALWAYS ? 86400.0 : 1.0;

	if (options->attr_timeout < 0)
		options->attr_timeout = keep;
	if (options->entry_timeout < 0)
		options->entry_timeout = keep;
	if (options->negative_timeout < 0)
		options->negative_timeout = options->cache == CACHE_ALWAYS ? keep : 0.0;
	if (geteuid() == 0 && !options->no_allow_other)
		options->allow_other = true;
}

void options_help(void)
{
	printf("usage: weirfs SOURCE MOUNTPOINT [-f] [-d] [-o OPTION[,OPTION...]]\n"
	       "\n"
	       "Mounts SOURCE at MOUNTPOINT (both may be the same directory) and measures every\n"
	       "operation. See the measurements with `weir stat MOUNTPOINT`; end with\n"
	       "`umount MOUNTPOINT`.\n"
	       "\n"
	       "  -f          stay in the foreground, messages to standard error\n"
	       "  -d          print libfuse's debugging output too\n"
	       "  -s          one worker thread\n"
	       "  --help      this text\n"
	       "  --version   version, libfuse and features\n"
	       "\n"
	       "Options:\n");
	for (size_t i = 0; i < TABLE_SIZE; i++) {
		char left[40];

		if (!table[i].help)
			continue;
		snprintf(left, sizeof(left), "%s%s%s", table[i].name, table[i].value ? "=" : "",
			 table[i].value ? table[i].value : "");
		printf("  %-24s %s\n", left, table[i].help);
	}
	printf("\n"
	       "Of mount(8)'s: [no]suid, [no]dev, [no]exec, [no]atime, [a]sync, dirsync,\n"
	       "context=. The words of fstab (defaults, nofail, _netdev, x-...) are accepted.\n"
	       "weirfs(8) explains each.\n");
}
