// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line: every option arrives, and every mistake is named in one line. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weirfs/options.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WORDS 12

/* Parses words separated by blanks, as a shell would hand them on. */
static int parse(const char *line, struct options *options, struct diag *diag)
{
	char text[512], *save = NULL, *argv[WORDS] = {(char[]){"weirfs"}};
	int argc = 1;

	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		assert_true(argc < WORDS);
		argv[argc++] = word;
	}
	*diag = (struct diag){.text = ""};
	options_init(options);
	return options_parse(options, argc, argv, diag);
}

static struct options good(const char *line)
{
	struct options options;
	struct diag diag;
	int err = parse(line, &options, &diag);

	assert_string_equal(diag.text, "");
	assert_int_equal(err, 0);
	return options;
}

/* With SOURCE and MOUNTPOINT, and these options. */
static struct options with(const char *list)
{
	char line[256];

	snprintf(line, sizeof(line), "/src /mnt -o %s", list);
	return good(line);
}

/* An error in one line that has all the words; they are separated by "|". */
static void bad(const char *line, const char *words)
{
	char text[128], *save = NULL;
	struct options options;
	struct diag diag;

	assert_int_equal(parse(line, &options, &diag), -EINVAL);
	assert_string_not_equal(diag.text, "");
	assert_null(strchr(diag.text, '\n'));
	snprintf(text, sizeof(text), "%s", words);
	for (char *word = strtok_r(text, "|", &save); word; word = strtok_r(NULL, "|", &save)) {
		if (!strstr(diag.text, word))
			fail_msg("no '%s' in: %s", word, diag.text);
	}
	options_done(&options);
}

static void bad_option(const char *list, const char *words)
{
	char line[256];

	snprintf(line, sizeof(line), "/src /mnt -o %s", list);
	bad(line, words);
}

/* --- the words of the command line ---------------------------------------------------------- */

static void places_are_taken(void **state)
{
	static const char *const lines[] = {
		"/src /mnt",       "-f /src /mnt",         "/src -f /mnt",
		"/src /mnt -o ro", "-o ro,suid /src /mnt", "-- /src /mnt",
		"weirfs#/src /mnt"};

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct options options = good(lines[i]);

		assert_string_equal(options.source, "/src");
		assert_string_equal(options.mountpoint, "/mnt");
		options_done(&options);
	}
}

static void names_may_begin_with_a_dash_after_two(void **state)
{
	struct options options = good("-- -src -o");

	assert_string_equal(options.source, "-src");
	assert_string_equal(options.mountpoint, "-o");
	options_done(&options);
}

static void flags_are_taken(void **state)
{
	struct options options = good("/src /mnt");

	assert_false(options.foreground || options.debug || options.show_help);
	options_done(&options);
	options = good("-f /src /mnt");
	assert_true(options.foreground && !options.debug);
	options_done(&options);
	options = good("-d /src /mnt");
	assert_true(options.foreground && options.debug && options.log == LOG_LEVEL_DEBUG);
	options_done(&options);
	options = good("-fs /src /mnt");
	assert_true(options.foreground && options.workers == 1);
	options_done(&options);
}

static void help_and_version_need_no_places(void **state)
{
	static const char *const helps[] = {"--help", "-h"}, *const versions[] = {"--version",
										  "-V"};

	for (size_t i = 0; i < 2; i++) {
		struct options options = good(helps[i]);

		assert_true(options.show_help && !options.show_version);
		options_done(&options);
		options = good(versions[i]);
		assert_true(options.show_version && !options.show_help);
		options_done(&options);
	}
}

/* mount(8) calls mount.fuse3, which calls us with its own flags; systemd and autofs do the same. */
static void flags_of_mount_helpers_mean_nothing(void **state)
{
	struct options options =
		good("/src /mnt -n -v -t fuse.weirfs -N /proc/1/ns/mnt -o rw,noauto");

	assert_string_equal(options.source, "/src");
	assert_string_equal(options.mountpoint, "/mnt");
	assert_false(options.foreground);
	assert_int_equal(options.workers, 64);
	assert_null(options.fuse_options);
	options_done(&options);
}

static void option_lists_may_touch_the_letter(void **state)
{
	struct options options = good("/src /mnt -oro,cache=none -o noxattr");

	assert_true(options.read_only && options.no_xattr);
	assert_int_equal(options.cache, CACHE_NONE);
	options_done(&options);
}

static void wrong_words_are_named(void **state)
{
	bad("", "SOURCE and MOUNTPOINT are missing|usage: weirfs SOURCE");
	bad("/src", "MOUNTPOINT is missing|usage: ");
	bad("/src /mnt /more", "\"/more\"|one argument too many|usage: ");
	bad("-x /src /mnt", "unknown option -x|--help");
	bad("-fx /src /mnt", "unknown option -x|--help");
	bad("--nonsense /src /mnt", "unknown option|--help");
	bad("/src /mnt -o", "unknown option -o|--help");
	bad("/src /mnt -t", "unknown option -t|--help");
}

/* --- options -------------------------------------------------------------------------------- */

static void defaults_are_as_documented(void **state)
{
	struct options options = good("/src /mnt");

	assert_int_equal(options.cache, CACHE_AUTO);
	assert_int_equal(options.data, DATA_USER);
	assert_int_equal(options.locks, LOCKS_AUTO);
	assert_int_equal(options.identity, IDENTITY_AUTO);
	assert_int_equal(options.log, LOG_LEVEL_INFO);
	assert_true(options.measure);
	assert_int_equal(options.max_files, 100000);
	assert_int_equal(options.max_fds, 0);
	assert_int_equal(options.workers, 64);
	assert_int_equal(options.hold_max, 1 << 30);
	assert_null(options.delay);
	assert_true(!options.trace && !options.trace_ops && !options.trace_path &&
		    !options.trace_uid);
	assert_true(options.trace_full == TRACE_FULL_DROP &&
		    options.trace_names == TRACE_NAMES_PLAIN &&
		    options.trace_data == TRACE_DATA_NONE);
	assert_true(options.trace_flush_ns == 1000000000 && options.trace_buffer == 64 << 20 &&
		    options.trace_ring == 1 << 20);
	assert_true(!options.trace_rotate.bytes && !options.trace_rotate.ns);
	assert_true(!options.trace_keep && !options.trace_min_ns && !options.trace_inside);
	options_finish(&options);
	assert_true(options.attr_timeout == 1.0 && options.entry_timeout == 1.0);
	assert_true(options.negative_timeout == 0.0);
	assert_int_equal(options.allow_other, geteuid() == 0);
	options_done(&options);
}

static void caching_always_keeps_for_a_day(void **state)
{
	struct options options = with("cache=always");

	options_finish(&options);
	assert_true(options.attr_timeout == 86400 && options.entry_timeout == 86400 &&
		    options.negative_timeout == 86400);
	options_done(&options);
	options = with("cache=always,attr_timeout=5,entry_timeout=0,negative_timeout=7");
	options_finish(&options);
	assert_true(options.attr_timeout == 5 && options.entry_timeout == 0 &&
		    options.negative_timeout == 7);
	options_done(&options);
}

static void nobody_else_may_when_told_so(void **state)
{
	struct options options = with("no_allow_other");

	options_finish(&options);
	assert_false(options.allow_other);
	options_done(&options);
	options = with("allow_other");
	options_finish(&options);
	assert_true(options.allow_other);
	options_done(&options);
}

#define CHECK(list, condition)                       \
	do {                                         \
		struct options options = with(list); \
		assert_true(condition);              \
		options_done(&options);              \
	} while (0)

static void every_choice_arrives(void **state)
{
	CHECK("cache=auto", options.cache == CACHE_AUTO);
	CHECK("cache=none", options.cache == CACHE_NONE);
	CHECK("cache=always", options.cache == CACHE_ALWAYS);
	CHECK("data=user", options.data == DATA_USER);
	CHECK("data=kernel", options.data == DATA_KERNEL);
	CHECK("locks=auto", options.locks == LOCKS_AUTO);
	CHECK("locks=local", options.locks == LOCKS_LOCAL);
	CHECK("locks=backing", options.locks == LOCKS_BACKING);
	CHECK("identity=auto", options.identity == IDENTITY_AUTO);
	CHECK("identity=none", options.identity == IDENTITY_NONE);
	CHECK("identity=local", options.identity == IDENTITY_LOCAL);
	CHECK("identity=full", options.identity == IDENTITY_FULL);
	CHECK("log=error", options.log == LOG_LEVEL_ERROR);
	CHECK("log=warning", options.log == LOG_LEVEL_WARNING);
	CHECK("log=info", options.log == LOG_LEVEL_INFO);
	CHECK("log=debug", options.log == LOG_LEVEL_DEBUG);
	CHECK("trace_full=drop", options.trace_full == TRACE_FULL_DROP);
	CHECK("trace_full=block", options.trace_full == TRACE_FULL_BLOCK);
	CHECK("trace_full=overwrite", options.trace_full == TRACE_FULL_OVERWRITE);
	CHECK("trace_names=hash,trace_data=hash",
	      options.trace_names == TRACE_NAMES_HASH && options.trace_data == TRACE_DATA_HASH);
	CHECK("trace_inside=allow", options.trace_inside);
	CHECK("measure=off", !options.measure);
	CHECK("measure=on", options.measure);
	/* The last one counts, as with mount(8). */
	CHECK("measure=off,measure=on,cache=none,cache=always",
	      options.measure && options.cache == CACHE_ALWAYS);
}

static void every_number_arrives(void **state)
{
	CHECK("attr_timeout=0", options.attr_timeout == 0);
	CHECK("attr_timeout=1.5", options.attr_timeout == 1.5);
	CHECK("entry_timeout=250ms", options.entry_timeout == 0.25);
	CHECK("negative_timeout=2h", options.negative_timeout == 7200);
	CHECK("max_files=16", options.max_files == 16);
	CHECK("max_files=10000000", options.max_files == 10000000);
	CHECK("max_fds=8", options.max_fds == 8);
	CHECK("workers=256", options.workers == 256);
	CHECK("hold_max=64MiB", options.hold_max == 64 << 20);
	CHECK("hold_max=0", options.hold_max == 0);
	CHECK("trace_flush=250ms", options.trace_flush_ns == 250000000);
	CHECK("trace_ring=64KiB", options.trace_ring == 1 << 16);
	CHECK("trace_keep=7", options.trace_keep == 7);
	CHECK("trace_min=1.5ms", options.trace_min_ns == 1500000);
	CHECK("trace_rotate=1GiB",
	      options.trace_rotate.bytes == 1 << 30 && !options.trace_rotate.ns);
	CHECK("trace_rotate=10M",
	      options.trace_rotate.bytes == 10 << 20 && !options.trace_rotate.ns);
	CHECK("trace_rotate=10m",
	      options.trace_rotate.ns == 600000000000 && !options.trace_rotate.bytes);
	CHECK("trace_rotate=1h,trace_rotate=1M",
	      options.trace_rotate.bytes && !options.trace_rotate.ns);
}

static void every_text_arrives(void **state)
{
	CHECK("trace=/var/tmp/t.wt", !strcmp(options.trace, "/var/tmp/t.wt"));
	CHECK("trace_ops=read+write", !strcmp(options.trace_ops, "read+write"));
	CHECK("trace_path=*.db", !strcmp(options.trace_path, "*.db"));
	CHECK("trace_uid=1000", !strcmp(options.trace_uid, "1000"));
}

static void every_flag_arrives(void **state)
{
	CHECK("noxattr", options.no_xattr);
	CHECK("io_uring", options.io_uring);
	CHECK("ro", options.read_only);
	CHECK("allow_other", options.allow_other);
	CHECK("no_allow_other", options.no_allow_other);
	CHECK("suid", options.suid_given);
	CHECK("nodev", options.dev_given);
	CHECK("noexec", options.exec_given);
	CHECK("allow_root", options.no_allow_other);
}

static void what_libfuse_wants_is_handed_on(void **state)
{
	static const char list[] = "nosuid,dev,exec,noatime,dirsync,auto_unmount,allow_root,"
				   "io_uring_q_depth=4";
	struct options options = with(list);

	assert_string_equal(options.fuse_options, list);
	options_done(&options);
	options = with("ro,sync,defaults,async");
	assert_string_equal(options.fuse_options, "sync,async");
	options_done(&options);
	/* The comma belongs to the label. */
	options = with("context=system_u:object_r:tmp_t:s0\\,c1,ro");
	assert_string_equal(options.fuse_options, "context=system_u:object_r:tmp_t:s0,c1");
	assert_true(options.read_only);
	options_done(&options);
}

static void the_words_of_fstab_mean_nothing(void **state)
{
	struct options options =
		with("rw,defaults,auto,noauto,nofail,_netdev,nonempty,user,users,nouser,owner,"
		     "group,relatime,strictatime,lazytime,diratime,nodiratime,remount,"
		     "default_permissions,x-systemd.automount,x-gvfs-hide,X-mount.mkdir=0755,"
		     "comment=why:not");

	assert_null(options.fuse_options);
	assert_null(options.delay);
	assert_false(options.read_only);
	options_done(&options);
}

static void empty_items_are_skipped(void **state)
{
	CHECK(",ro,,noxattr,", options.read_only && options.no_xattr);
}

static void delay_rules_go_on_behind_commas(void **state)
{
	CHECK("delay=read:20ms", !strcmp(options.delay, "read:20ms"));
	CHECK("delay=read:20ms,write:5ms,ro",
	      !strcmp(options.delay, "read:20ms,write:5ms") && options.read_only);
	CHECK("ro,delay=read:20ms,write@*.db:5ms:30%,noxattr,cache=none",
	      !strcmp(options.delay, "read:20ms,write@*.db:5ms:30%") && options.no_xattr &&
		      options.cache == CACHE_NONE);
	CHECK("delay=read:1ms,delay=write:2ms", !strcmp(options.delay, "read:1ms,write:2ms"));
	CHECK("delay=read:20ms\\,write:5ms,ro",
	      !strcmp(options.delay, "read:20ms,write:5ms") && options.read_only);
	CHECK("delay=read:20ms+write:5ms", !strcmp(options.delay, "read:20ms+write:5ms"));
	/* Only right behind it. */
	bad_option("delay=read:20ms,ro,write:5ms", "unknown option write:5ms|--help");
	bad_option("write:5ms", "unknown option write:5ms|--help");
}

static void wrong_values_are_named(void **state)
{
	bad_option("cache=some", "cache=some|auto, none, always");
	bad_option("data=disk", "data=disk|user, kernel");
	bad_option("locks=on", "locks=on|auto, local, backing");
	bad_option("identity=root", "identity=root|none, local, full, auto");
	bad_option("log=all", "log=all|error, warning, info, debug");
	bad_option("measure=yes", "measure=yes|off, on");
	bad_option("attr_timeout=soon", "attr_timeout=soon|seconds");
	bad_option("entry_timeout=-1", "entry_timeout=-1|seconds");
	bad_option("negative_timeout=400d", "negative_timeout=400d|up to a year");
	bad_option("max_files=15", "max_files=15|from 16 to 10000000");
	bad_option("max_files=many", "max_files=many|from 16 to 10000000");
	bad_option("max_fds=7", "max_fds=7|from 8 to 1000000");
	bad_option("workers=0", "workers=0|from 1 to 256");
	bad_option("workers=257", "workers=257|from 1 to 256");
	bad_option("workers=1e1", "workers=1e1|from 1 to 256");
	bad_option("trace_inside=yes", "trace_inside=yes|refuse, allow");
	bad_option("trace_flush=1ms", "trace_flush=1ms|a time from 10.0 ms to");
	bad_option("trace_min=long", "trace_min=long|a time from 0 ns to");
	bad_option("trace_ring=1KiB", "trace_ring=1KiB|a size from 64.0 KiB to");
	bad_option("trace_rotate=10ms", "trace_rotate=10ms|from 1s");
	bad_option("trace_rotate=daily", "trace_rotate=daily|as 1GiB|as 1h");
	bad_option("hold_max=big", "hold_max=big|as 64MiB");
	bad_option("hold_max=99999999999999999999", "hold_max=|as 64MiB");
}

static void missing_and_surplus_values_are_named(void **state)
{
	bad_option("cache", "option cache needs a value|cache=MODE");
	bad_option("cache=", "option cache needs a value|cache=MODE");
	bad_option("delay", "option delay needs a value|delay=RULES");
	bad_option("workers", "option workers needs a value|workers=N");
	bad_option("context", "option context needs a value|context=LABEL");
	bad_option("ro=1", "option ro takes no value");
	bad_option("nosuid=yes", "option nosuid takes no value");
	bad_option("io_uring=on", "option io_uring takes no value");
	bad_option("nonsense", "unknown option nonsense|--help");
	bad_option("nonsense=1", "unknown option nonsense=1|--help");
	bad_option("Cache=none", "unknown option Cache=none|--help");
	bad_option("cach=none", "unknown option cach=none|--help");
}

static void messages_stay_in_one_line(void **state)
{
	char *const argv[] = {(char[]){"weirfs"}, (char[]){"-o"}, (char[]){"a\nb\x1b[1m\t\x7f"}};
	struct options options;
	struct diag diag;

	options_init(&options);
	assert_int_equal(options_parse(&options, 3, argv, &diag), -EINVAL);
	for (const char *at = diag.text; *at; at++)
		assert_true((unsigned char)*at >= ' ' && *at != 0x7f);
	options_done(&options);
}

/* The help comes from the table: what it lists must be known to the tests above. */
static void the_help_lists_what_is_tested(void **state)
{
	static const char known[] =
		" cache data locks identity delay attr_timeout entry_timeout negative_timeout"
		" max_files max_fds workers hold_max measure log noxattr io_uring allow_other"
		" no_allow_other ro trace trace_full trace_flush trace_buffer trace_ring trace_rotate"
		" trace_keep trace_ops trace_path trace_uid trace_min trace_names trace_data"
		" trace_inside ";
	char line[256], name[40], wanted[48];
	FILE *file = tmpfile();
	int out = dup(STDOUT_FILENO), listed = 0;
	bool in_options = false;

	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	options_help();
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		/* A terminal's width and the line's end. */
		assert_true(strlen(line) <= 81);
		if (!strncmp(line, "Options:", 8))
			in_options = true;
		else if (in_options && sscanf(line, "  %39[a-z_]", name) == 1) {
			snprintf(wanted, sizeof(wanted), " %s ", name);
			if (!strstr(known, wanted))
				fail_msg("option %s is not tested", name);
			listed++;
		} else
			in_options = false;
	}
	fclose(file);
	assert_int_equal(listed, 33);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("source and mount point are taken in any place", places_are_taken),
		TEST("after -- names may begin with a dash", names_may_begin_with_a_dash_after_two),
		TEST("flags are taken", flags_are_taken),
		TEST("help and version need no places", help_and_version_need_no_places),
		TEST("the flags of mount helpers mean nothing",
		     flags_of_mount_helpers_mean_nothing),
		TEST("a list may touch the letter o", option_lists_may_touch_the_letter),
		TEST("wrong words are named in one line, with what to do", wrong_words_are_named),
		TEST("defaults are as documented", defaults_are_as_documented),
		TEST("caching always keeps for a day unless told", caching_always_keeps_for_a_day),
		TEST("nobody else may when told so", nobody_else_may_when_told_so),
		TEST("every choice arrives", every_choice_arrives),
		TEST("every number arrives", every_number_arrives),
		TEST("every text arrives", every_text_arrives),
		TEST("every flag arrives", every_flag_arrives),
		TEST("what libfuse wants is handed on", what_libfuse_wants_is_handed_on),
		TEST("the words of fstab mean nothing", the_words_of_fstab_mean_nothing),
		TEST("empty items are skipped", empty_items_are_skipped),
		TEST("delay rules go on behind commas", delay_rules_go_on_behind_commas),
		TEST("wrong values are named with the right ones", wrong_values_are_named),
		TEST("missing and surplus values are named", missing_and_surplus_values_are_named),
		TEST("messages stay in one line whatever was given", messages_stay_in_one_line),
		TEST("the help lists what is tested here", the_help_lists_what_is_tested),
	};

	return RUN(tests);
}
