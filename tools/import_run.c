// SPDX-License-Identifier: GPL-2.0-or-later
/* Feeding an importer: line after line, of several inputs merged by time. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/cleanup.h"
#include "tools/import.h"

/* What people have at hand, and no format of this table. */
static int refuse_known(struct import *import, struct slice line)
{
	const char *name = import->source->name;

	if (slice_begins(line, "DSv1"))
		return import_refuse(import,
				     "%s: a binary DataSeries file: give what ds2txt prints of it",
				     name);
	if (slice_begins(line, "$$TR_IOREC"))
		return import_refuse(import,
				     "%s: a binary SRT trace of HP: convert it to text first",
				     name);
	if (slice_begins(line, "\x1f\x8b"))
		return import_refuse(import,
				     "%s: compressed by gzip: zcat it and give - for the input",
				     name);
	if (slice_begins(line, "\x28\xb5\x2f\xfd"))
		return import_refuse(
			import, "%s: compressed by zstd, or a trace of ours: zstdcat it and give -",
			name);
	return 0;
}

static int use_line(struct import *import, void *state, struct import_source *source,
		    struct slice line, enum feed_how how)
{
	uint64_t before = import_lines_at_fault(&import->counts);
	int err;

	import->counts.lines++;
	import->source = source;
	import->line = line;
	if (source->feed.line == 1 && refuse_known(import, line))
		return -EPROTO;
	if (how == FEED_LONG)
		return import_unused(import, IMPORT_LONG);
	if (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	if (!slice_trim(line).len)
		return import_unused(import, IMPORT_NOTHING);
	err = import->format->line(import, state, line);
	if (how == FEED_UNENDED) {
		if (import_lines_at_fault(&import->counts) > before)
			import->counts.torn = true;
		else
			import->counts.unended = true;
	}
	return err;
}

/* The next line of a source, and what it is merged by. */
struct head {
	struct slice line;
	enum feed_how how;
	uint64_t stamp;
	bool there;
};

static int read_head(struct import *import, struct import_source *source, bool merge,
		     struct head *head)
{
	uint64_t stamp;
	int n = feed_line(&source->feed, &head->line, &head->how);

	head->there = n > 0;
	if (n < 0) {
		import->source = source;
		return diag_set(import->diag, n, "%s: %s", source->name, strerror(-n));
	}
	/* A line without a stamp goes with the one before. */
	if (n && merge && import->format->stamp &&
	    import->format->stamp(import, head->line, &stamp))
		head->stamp = stamp;
	return 0;
}

static int run_lines(struct import *import, void *state, struct import_source *sources,
		     size_t count)
{
	scoped_free struct head *heads = calloc(count, sizeof(*heads));
	int err = heads ? 0 : -ENOMEM;
	size_t next = 0;

	if (count == 1) {
		while (!err && !(err = read_head(import, sources, false, heads)) && heads[0].there)
			err = use_line(import, state, sources, heads[0].line, heads[0].how);
		return err;
	}
	for (size_t i = 0; !err && i < count; i++)
		err = read_head(import, &sources[i], true, &heads[i]);
	while (!err) {
		for (size_t i = next = 0; i < count; i++) {
			if (heads[i].there &&
			    (!heads[next].there || heads[i].stamp < heads[next].stamp))
				next = i;
		}
		if (!heads[next].there)
			break;
		err = use_line(import, state, &sources[next], heads[next].line, heads[next].how);
		if (!err)
			err = read_head(import, &sources[next], true, &heads[next]);
	}
	return err;
}

int import_run(struct import *import, struct import_source *sources, size_t count)
{
	const struct import_format *format = import->format;
	scoped_free void *state = calloc(1, format->state_bytes ? format->state_bytes : 1);
	int err = state ? 0 : -ENOMEM;

	if (!err && format->run)
		err = format->run(import, state, sources, count);
	else if (!err)
		err = run_lines(import, state, sources, count);
	if (!err && format->finish)
		err = format->finish(import, state);
	if (state && format->done)
		format->done(state);
	if (!err && !import->measuring)
		err = import_tell_sizes(import);
	if (err && !import->diag->text[0])
		diag_set(import->diag, err, "%s", strerror(-err));
	return err;
}
