// SPDX-License-Identifier: GPL-2.0-or-later
/* weir list: every weirfs mount that this process can see, and whether its daemon lives. */
#include "config.h"

#include "tools/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "tools/args.h"
#include "tools/ctl.h"
#include "tools/jsonw.h"
#include "tools/mounts.h"
#include "tools/show.h"
#include "tools/source.h"
#include "tools/table.h"
#include "tools/utf8.h"

/* A daemon that hangs should not make the list of the others wait long. */
#define LIST_TIMEOUT_NS (2 * NS_PER_S)

static const char help[] =
	"usage: weir list [--json]\n"
	"\n"
	"Lists the weirfs mounts that are in sight: where, of what, who mounted it, and\n"
	"whether its daemon answers.\n"
	"\n"
	"  live             the daemon answers\n"
	"  not answering    it is there but doesn't answer within 2 s\n"
	"  not permitted    it answers only the user who mounted it, and root\n"
	"  dead             no daemon; `fusermount3 -uz MNT` or `umount -l MNT` cleans up\n"
	"  failed           it answered with an error or in another protocol\n"
	"\n"
	"  -j, --json       JSON\n"
	"      --color WHEN  auto (default), always, never\n"
	"  -h, --help       this text\n";

struct entry {
	const struct mount *mount;
	const char *state;
	bool known; /* the three below */
	uint64_t pid;
	uint64_t uptime_ns;
	uint64_t ops;
};

static void fill_state(struct entry *entry, int err)
{
	static const struct {
		int err;
		const char *state;
	} states[] = {
		{0, "live"},
		{-ENOENT, "dead"},
		{-ECONNREFUSED, "dead"},
		{-ETIMEDOUT, "not answering"},
		{-EACCES, "not permitted"},
	};

	entry->state = "failed";
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (states[i].err == err)
			entry->state = states[i].state;
	}
}

static void fill_numbers(struct entry *entry, const struct summary *summary)
{
	entry->known = true;
	entry->pid = summary_counter(summary, "pid");
	entry->uptime_ns = summary_counter(summary, "uptime_ns");
	for (int i = 0; i < OP_KINDS; i++)
		entry->ops += summary->op[i].ops;
}

static void ask(struct entry *entry)
{
	struct summary summary;
	struct diag diag = {0};
	int err = source_ask(entry->mount, 0, LIST_TIMEOUT_NS, &summary, &diag);

	fill_state(entry, err);
	if (err)
		return;
	fill_numbers(entry, &summary);
	summary_done(&summary);
}

/* Name of a user, or the number. */
static const char *user_name(uid_t uid, char number[16])
{
	const struct passwd *user = getpwuid(uid);

	snprintf(number, 16, "%u", (unsigned int)uid);
	return user ? user->pw_name : number;
}

static void print_text(const struct entry *entries, size_t count, const struct term *term)
{
	static const struct column columns[] = {
		{"state", NULL, true, 0}, {"pid", NULL, false, 2}, {"owner", NULL, true, 3},
		{"up", NULL, false, 4},   {"ops", NULL, false, 1}, {"source", NULL, true, 5},
		{"mount", NULL, true, 0},
	};
	struct table table;
	char text[SHOW_TEXT], number[16];

	if (!count) {
		puts("no weirfs mounts");
		return;
	}
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &entries[i];
		scoped_free char *source = utf8_escape(entry->mount->source);
		scoped_free char *point = utf8_escape(entry->mount->point);

		table_add(&table, "%s", entry->state);
		if (entry->known) {
			table_add(&table, "%" PRIu64, entry->pid);
			table_add(&table, "%s", user_name(entry->mount->owner, number));
			table_add(&table, "%s", show_uptime(text, entry->uptime_ns));
			table_add(&table, "%" PRIu64, entry->ops);
		} else {
			table_add(&table, "-");
			table_add(&table, "%s", user_name(entry->mount->owner, number));
			table_add(&table, "-");
			table_add(&table, "-");
		}
		table_add(&table, "%s", source ? source : "?");
		table_add(&table, "%s", point ? point : "?");
	}
	table_print(&table, stdout, term);
	table_done(&table);
}

static void print_json(const struct entry *entries, size_t count)
{
	struct jsonw json;

	jsonw_init(&json, stdout, false);
	jsonw_object(&json, NULL);
	jsonw_uint(&json, "schema", 1);
	jsonw_array(&json, "mounts");
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &entries[i];

		jsonw_object(&json, NULL);
		jsonw_string(&json, "mount", entry->mount->point);
		jsonw_string(&json, "source", entry->mount->source);
		jsonw_string(&json, "state", entry->state);
		jsonw_uint(&json, "owner_uid", entry->mount->owner);
		jsonw_uint(&json, "major", entry->mount->major);
		jsonw_uint(&json, "minor", entry->mount->minor);
		if (entry->known) {
			jsonw_uint(&json, "pid", entry->pid);
			jsonw_uint(&json, "uptime_ns", entry->uptime_ns);
			jsonw_uint(&json, "ops", entry->ops);
		}
		jsonw_end(&json);
	}
	jsonw_end(&json);
	jsonw_end(&json);
}

static int list(bool as_json, const struct term *term)
{
	struct mounts mounts;
	struct diag diag = {0};
	scoped_free struct entry *entries = NULL;
	size_t count = 0;

	if (mounts_read(NULL, &mounts, &diag))
		return args_failed("list", "mounts", &diag);
	entries = calloc(mounts.count + 1, sizeof(*entries));
	for (size_t i = 0; entries && i < mounts.count; i++) {
		if (!mounts.list[i].weirfs)
			continue;
		entries[count].mount = &mounts.list[i];
		ask(&entries[count++]);
	}
	if (as_json)
		print_json(entries, count);
	else
		print_text(entries, count, term);
	mounts_done(&mounts);
	return entries ? EXIT_DONE : EXIT_FAILED;
}

int cmd_list(int argc, char **argv)
{
	static const struct option longs[] = {{"json", no_argument, NULL, 'j'}, ARGS_COMMON};
	struct args args = {.command = "list", .help = help, .shorts = ":jh", .longs = longs};
	struct term term;
	bool as_json = false;
	int option;

	while ((option = args_next(&args, argc, argv)) != ARGS_END) {
		if (option == ARGS_STOP)
			return args.status;
		as_json = true;
	}
	if (argc > optind)
		return args_error("list", "takes no operand, not '%s'", argv[optind]);
	term_init(&term, stdout, args.colour);
	return list(as_json, &term);
}
