// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts of used and unused lines, and where the first of each kind was. */
#include "config.h"

#include "tools/import_report.h"

#include <inttypes.h>
#include <string.h>

#include "core/cleanup.h"
#include "core/units.h"
#include "tools/args.h"
#include "tools/utf8.h"

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Bytes as text that can be shown; a NUL as \x00. */
static char *show_bytes(const char *data, size_t len)
{
	struct bytes out = {0};
	char *text;

	for (size_t i = 0; i < len;) {
		size_t part = strnlen(data + i, len - i);
		scoped_free char *plain = strndup(data + i, part);
		scoped_free char *safe = plain ? utf8_escape(plain) : NULL;

		if (safe)
			bytes_put(&out, safe, strlen(safe));
		i += part;
		if (i < len)
			bytes_put(&out, "\\x00", 4);
		i++;
	}
	bytes_put(&out, "", 1);
	text = out.failed ? NULL : strdup((const char *)out.data);
	bytes_done(&out);
	return text;
}

static void tell_unused(const struct import *import, enum import_reason reason, FILE *out)
{
	const struct import_unused *unused = &import->counts.unused[reason];
	scoped_free char *text = show_bytes(unused->text, unused->text_len);
	scoped_free char *input = utf8_escape(unused->input);

	fprintf(out, "weir import: %" PRIu64 " %s%s %s: %s", unused->count,
		import->format->run ? "record" : "line", plural(unused->count),
		import_reason_at_fault(reason) ? "unused" : "passed over",
		import_reason_text(reason));
	if (reason != IMPORT_NOTHING)
		fprintf(out, "; the first is %s:%" PRIu64 ": %s%s", input ? input : "?",
			unused->line, text ? text : "?",
			unused->text_len == IMPORT_EXCERPT ? ".." : "");
	fputc('\n', out);
}

static void tell_counts(const struct import *import, const char *output, FILE *out)
{
	const struct import_counts *counts = &import->counts;
	const char *word = import->format->run ? "record" : "line";
	uint64_t files = import->names.last_id - 1, used = import_lines_used(counts);
	scoped_free char *safe = utf8_escape(output);
	char span[UNITS_TEXT];

	units_format_time(span, counts->last_ns - counts->first_ns);
	fprintf(out,
		"weir import: %s: %" PRIu64 " operation%s on %" PRIu64 " file%s over %s; %" PRIu64
		" of %" PRIu64 " %s%s used\n",
		safe ? safe : "?", counts->ops, plural(counts->ops), files, plural(files), span,
		used, counts->lines, word, plural(counts->lines));
	for (unsigned int i = 0; i < IMPORT_REASONS; i++) {
		if (counts->unused[i].count)
			tell_unused(import, (enum import_reason)i, out);
	}
	if (import->notes)
		fprintf(out, "weir import: %s\n", import->notes);
	if (counts->unended)
		fputs("weir import: the last line has no line end: perhaps it was cut\n", out);
}

int import_report(const struct import *import, const char *output, int err, FILE *out)
{
	const struct import_counts *counts = &import->counts;
	scoped_free char *text = utf8_escape(import->diag->text);

	if (err) {
		fprintf(out, "weir import: %s\n", text ? text : "?");
		return EXIT_FAILED;
	}
	tell_counts(import, output, out);
	if (!counts->ops) {
		fprintf(out, "weir import: nothing could be used: is it %s?\n",
			import->format->name);
		return EXIT_FAILED;
	}
	if (counts->torn) {
		fputs("weir import: an input ends in the middle of what it says: what was before is "
		      "imported\n",
		      out);
		return EXIT_FAILED;
	}
	if (import_lines_at_fault(counts) > import_lines_used(counts)) {
		fprintf(out, "weir import: most of it could not be used: is it %s?\n",
			import->format->name);
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}
