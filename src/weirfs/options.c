// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of weirfs: one table of options, parsed strictly. */
#include "config.h"

#include "weirfs/options.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/units.h"
#include "weirfs/options_table.h"

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
	options->trace_flush_ns = NS_PER_S;
	options->trace_buffer = UINT64_C(64) << 20;
	options->trace_ring = UINT64_C(1) << 20;
}

void options_done(struct options *options)
{
	free(options->source);
	free(options->mountpoint);
	free(options->delay);
	free(options->fuse_options);
	free(options->trace);
	free(options->trace_ops);
	free(options->trace_path);
	free(options->trace_uid);
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
	for (size_t i = 0; i < option_count; i++) {
		if (strlen(option_table[i].name) == len && !memcmp(option_table[i].name, name, len))
			return &option_table[i];
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

static int set_seconds(const struct option *option, double *slot, const char *value,
		       struct diag *diag)
{
	uint64_t number;

	if (units_parse_time(value, NS_PER_S, &number) || number > 86400 * 365 * NS_PER_S)
		return diag_set(diag, -EINVAL, "option %s=%s: use a time in seconds, up to a year",
				option->name, value);
	*slot = (double)number / (double)NS_PER_S;
	return 0;
}

static int set_time(const struct option *option, uint64_t *slot, const char *value,
		    struct diag *diag)
{
	char least[UNITS_TEXT], most[UNITS_TEXT];

	if (!units_parse_time(value, NS_PER_S, slot) && *slot >= option->min &&
	    *slot <= option->max)
		return 0;
	return diag_set(diag, -EINVAL, "option %s=%s: use a time from %s to %s", option->name,
			value, units_format_time(least, option->min),
			units_format_time(most, option->max));
}

static int set_size(const struct option *option, uint64_t *slot, const char *value,
		    struct diag *diag)
{
	char least[UNITS_TEXT], most[UNITS_TEXT];

	if (units_parse_size(value, slot))
		return diag_set(diag, -EINVAL, "option %s=%s: use a size, as 64MiB", option->name,
				value);
	if (option->max && (*slot < option->min || *slot > option->max))
		return diag_set(diag, -EINVAL, "option %s=%s: use a size from %s to %s",
				option->name, value, units_format_size(least, option->min),
				units_format_size(most, option->max));
	return 0;
}

/* Units of time and of size have no letter in common but "m" and "M". */
static int set_rotate(const struct option *option, struct trace_rotate *slot, const char *value,
		      struct diag *diag)
{
	struct trace_rotate rotate = {0};

	if (units_parse_time(value, 0, &rotate.ns)) {
		rotate.ns = 0;
		if (units_parse_size(value, &rotate.bytes))
			rotate.bytes = 0;
	}
	if ((!rotate.ns && !rotate.bytes) || (rotate.ns && rotate.ns < NS_PER_S))
		return diag_set(diag, -EINVAL,
				"option %s=%s: use a size, as 1GiB, or a time from 1s, as 1h",
				option->name, value);
	*slot = rotate;
	return 0;
}

static int set_text(char **slot, const char *value)
{
	char *copy;

	assert(value);
	copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(*slot);
	*slot = copy;
	return 0;
}

static int set_number(const struct option *option, uint64_t *slot, const char *value,
		      struct diag *diag)
{
	uint64_t number;

	if (units_parse_uint(value, option->min, option->max, &number))
		return diag_set(diag, -EINVAL, "option %s=%s: use a number from %llu to %llu",
				option->name, value, (unsigned long long)option->min,
				(unsigned long long)option->max);
	*slot = number;
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
	case OPTION_SECONDS:
		return set_seconds(option, slot, value, diag);
	case OPTION_TIME:
		return set_time(option, slot, value, diag);
	case OPTION_SIZE:
		return set_size(option, slot, value, diag);
	case OPTION_ROTATE:
		return set_rotate(option, slot, value, diag);
	case OPTION_TEXT:
		return set_text(slot, value);
	case OPTION_COUNT:
		return set_number(option, slot, value, diag);
	}
	return -EINVAL;
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
	for (size_t i = 0; i < option_count; i++) {
		char left[40];

		if (!option_table[i].help)
			continue;
		snprintf(left, sizeof(left), "%s%s%s", option_table[i].name,
			 option_table[i].value ? "=" : "",
			 option_table[i].value ? option_table[i].value : "");
		printf("  %-24s %s\n", left, option_table[i].help);
	}
	printf("\n"
	       "Of mount(8)'s: [no]suid, [no]dev, [no]exec, [no]atime, [a]sync, dirsync,\n"
	       "context=. The words of fstab (defaults, nofail, _netdev, x-...) are accepted.\n"
	       "weirfs(8) explains each.\n");
}
