// SPDX-License-Identifier: GPL-2.0-or-later
/* A command line of any words, one a line: refused in one line that says why, or usable. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "weirfs/options.h"

#define WORDS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(const struct diag *diag)
{
	assert(diag->text[0]);
	for (const char *at = diag->text; *at; at++)
		assert((unsigned char)*at >= ' ' && *at != 0x7f);
}

static void check_options(struct options *options)
{
	options_finish(options);
	assert(options->show_help || options->show_version ||
	       (options->source && options->mountpoint));
	assert(options->workers >= 1 && options->workers <= 256);
	assert(options->max_files >= 16 && options->max_files <= 10000000);
	assert(!options->max_fds || options->max_fds >= 8);
	assert(options->attr_timeout >= 0 && options->entry_timeout >= 0 &&
	       options->negative_timeout >= 0);
	assert(cache_name(options->cache) && data_name(options->data));
	assert(locks_name(options->locks) && identity_name(options->identity));
	assert(log_level_name(options->log));
	assert(!options->delay || options->delay[0]);
	assert(!options->fuse_options || options->fuse_options[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char program[] = "weirfs", *argv[WORDS] = {program}, *text = malloc(size + 1), *end;
	struct options options;
	struct diag diag = {.text = ""};
	int argc = 1, err;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	for (char *word = text; word && argc < WORDS - 1; word = end) {
		end = strchr(word, '\n');
		if (end)
			*end++ = '\0';
		argv[argc++] = word;
	}
	options_init(&options);
	err = options_parse(&options, argc, argv, &diag);
	assert(err == 0 || err == -EINVAL || err == -ENOMEM);
	if (err == -EINVAL)
		check_message(&diag);
	if (!err)
		check_options(&options);
	options_done(&options);
	free(text);
	return 0;
}
