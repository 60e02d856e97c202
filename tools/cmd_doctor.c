// SPDX-License-Identifier: GPL-2.0-or-later
/* weir doctor: says before the mount what would fail after it, and how to put it right. */
#include "config.h"

#include "tools/cmd.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/cleanup.h"
#include "tools/args.h"
#include "tools/doctor.h"
#include "tools/jsonw.h"

static const char help[] =
	"usage: weir doctor [--json] [DIR]\n"
	"\n"
	"Checks whether this machine, and the directory DIR, have what weirfs needs, and\n"
	"says how to put right what is missing. In DIR it writes a file that is gone when\n"
	"the command ends.\n"
	"\n"
	"  ok      as it should be\n"
	"  note    weirfs works, with less than there could be\n"
	"  FAIL    weirfs can't work; the exit status is 1\n"
	"\n"
	"  -j, --json        JSON\n"
	"      --color WHEN  auto (default), always, never\n"
	"  -h, --help        this text\n";

void report_done(struct report *report)
{
	for (size_t i = 0; i < report->count; i++)
		free(report->findings[i].text);
	free(report->findings);
	*report = (struct report){0};
}

void report_add(struct report *report, enum verdict verdict, const char *name, const char *fix,
		const char *format, ...)
{
	struct finding *findings =
		reallocarray(report->findings, report->count + 1, sizeof(*findings));
	char *text;
	va_list list;
	int n;

	if (!findings) {
		report->failed = true;
		return;
	}
	report->findings = findings;
	va_start(list, format);
	n = vasprintf(&text, format, list);
	va_end(list);
	if (n < 0) {
		report->failed = true;
		return;
	}
	report->findings[report->count++] = (struct finding){verdict, name, text, fix};
}

static const char *const verdict_names[] = {
	[VERDICT_OK] = "ok",
	[VERDICT_NOTE] = "note",
	[VERDICT_FAIL] = "FAIL",
};

static void print_text(const struct report *report, const struct term *term)
{
	static const enum term_look looks[] = {
		[VERDICT_OK] = LOOK_GOOD,
		[VERDICT_NOTE] = LOOK_NOTE,
		[VERDICT_FAIL] = LOOK_BAD,
	};

	for (size_t i = 0; i < report->count; i++) {
		const struct finding *finding = &report->findings[i];

		printf("%s%-4s%s  %-12s %s\n", term_look(term, looks[finding->verdict]),
		       verdict_names[finding->verdict], term_look(term, LOOK_PLAIN), finding->name,
		       finding->text);
		if (finding->fix && finding->verdict != VERDICT_OK)
			printf("      %-12s -> %s\n", "", finding->fix);
	}
}

static void print_json(const struct report *report, const char *directory, bool fails)
{
	static const char *const keys[] = {"ok", "note", "fail"};
	struct jsonw json;

	jsonw_init(&json, stdout, false);
	jsonw_object(&json, NULL);
	jsonw_uint(&json, "schema", 1);
	if (directory)
		jsonw_string(&json, "directory", directory);
	jsonw_bool(&json, "ok", !fails);
	jsonw_array(&json, "checks");
	for (size_t i = 0; i < report->count; i++) {
		const struct finding *finding = &report->findings[i];

		jsonw_object(&json, NULL);
		jsonw_string(&json, "name", finding->name);
		jsonw_string(&json, "verdict", keys[finding->verdict]);
		jsonw_string(&json, "text", finding->text);
		if (finding->fix && finding->verdict != VERDICT_OK)
			jsonw_string(&json, "fix", finding->fix);
		jsonw_end(&json);
	}
	jsonw_end(&json);
	jsonw_end(&json);
}

static int examine(const char *directory, bool as_json, const struct term *term)
{
	struct report report = {0};
	struct mounts mounts;
	struct diag diag = {0};
	bool fails;

	if (mounts_read(NULL, &mounts, &diag))
		return args_failed("doctor", "mounts", &diag);
	doctor_machine(&report);
	if (directory)
		doctor_directory(&report, &mounts, directory);
	fails = report.failed;
	for (size_t i = 0; i < report.count; i++)
		fails = fails || report.findings[i].verdict == VERDICT_FAIL;
	if (as_json)
		print_json(&report, directory, fails);
	else
		print_text(&report, term);
	report_done(&report);
	mounts_done(&mounts);
	return fails ? EXIT_FAILED : EXIT_DONE;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option longs[] = {{"json", no_argument, NULL, 'j'}, ARGS_COMMON};
	struct args args = {.command = "doctor", .help = help, .shorts = ":jh", .longs = longs};
	struct term term;
	bool as_json = false;
	int option;

	while ((option = args_next(&args, argc, argv)) != ARGS_END) {
		if (option == ARGS_STOP)
			return args.status;
		as_json = true;
	}
	if (argc - optind > 1)
		return args_error("doctor", "one directory at a time");
	term_init(&term, stdout, args.colour);
	return examine(argc > optind ? argv[optind] : NULL, as_json, &term);
}
