// SPDX-License-Identifier: GPL-2.0-or-later
/* The grammar of strace's lines and arguments. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/import_strace.h"

static void prefixes_of_all_kinds(void **state)
{
	static const struct {
		const char *line;
		enum strace_line_kind kind;
		uint32_t pid;
		const char *stamp;
		const char *text;
	} cases[] = {
		{"3893  1796053700.947242 close(3) = 0", STRACE_CALL, 3893, "1796053700.947242",
		 "close(3) = 0"},
		{"1796053700.947242 close(3) = 0", STRACE_CALL, 0, "1796053700.947242",
		 "close(3) = 0"},
		{"[pid  1234] 10:11:12.5 close(3) = 0", STRACE_CALL, 1234, "10:11:12.5",
		 "close(3) = 0"},
		{"12<cat> 1.5 close(3) = 0", STRACE_CALL, 12, "1.5", "close(3) = 0"},
		{"     0.000123 close(3) = 0", STRACE_CALL, 0, "0.000123", "close(3) = 0"},
		{"close(3) = 0", STRACE_CALL, 0, "", "close(3) = 0"},
		{"77 close(3) = 0", STRACE_CALL, 77, "", "close(3) = 0"},
		{"77 1.0 read(3,  <unfinished ...>", STRACE_UNFINISHED, 77, "1.0", "read(3,  "},
		{"77 1.0 <... read resumed>\"\", 5) = 0", STRACE_RESUMED, 77, "1.0",
		 "\"\", 5) = 0"},
		{"77 1.0 +++ exited with 0 +++", STRACE_EXIT, 77, "1.0", "+++ exited with 0 +++"},
		{"77 1.0 --- SIGCHLD {si_signo=SIGCHLD} ---", STRACE_NOISE, 77, "1.0",
		 "--- SIGCHLD {si_signo=SIGCHLD} ---"},
		{"strace: Process 5 attached", STRACE_NOISE, 0, "", "strace: Process 5 attached"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strace_line line;

		assert_int_equal(strace_parse_line(slice_of(cases[i].line), &line), 0);
		assert_int_equal(line.kind, cases[i].kind);
		assert_int_equal(line.pid, cases[i].pid);
		assert_true(slice_is(line.stamp, cases[i].stamp));
		assert_true(slice_is(line.text, cases[i].text));
	}
}

static struct strace_call parse(const char *text)
{
	struct strace_call call;

	assert_int_equal(strace_parse_call(slice_of(text), &call), 0);
	return call;
}

static void arguments_hold_anything(void **state)
{
	struct strace_call call = parse("openat(AT_FDCWD</a, b)>, \"x, \\\"y)\\\\\", {a=[1, 2], "
					"b=f(3, 4)}, 0 /* , ) */)   = 3</p=q <r> <0.000123>");

	assert_int_equal(call.arg_count, 4);
	assert_true(slice_is(call.args[0], "AT_FDCWD</a, b)>"));
	assert_true(slice_is(call.args[1], "\"x, \\\"y)\\\\\""));
	assert_true(slice_is(call.args[2], "{a=[1, 2], b=f(3, 4)}"));
	assert_int_equal(call.result, 3);
	assert_true(call.timed);
	assert_int_equal(call.duration_ns, 123000);
}

static void results_of_all_kinds(void **state)
{
	struct strace_call call;

	call = parse("close(3) = 0");
	assert_true(call.returned && !call.timed && !call.error && call.result == 0);
	call = parse("close(3) = -1 EBADF (Bad file descriptor) <0.000001>");
	assert_true(call.returned && call.error == EBADF && call.duration_ns == 1000);
	call = parse("mmap(NULL, 1, 2) = 0x7f00");
	assert_true(call.result == 0x7f00);
	call = parse("exit_group(0) = ?");
	assert_false(call.returned);
	call = parse("read(0, 0x7f, 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)");
	assert_false(call.returned);
	call = parse("poll([{fd=3}], 1, 5) = 1 ([{fd=3, revents=POLLIN}])");
	assert_true(call.result == 1);
	call = parse("sync() = 0 <0.000000001>");
	assert_true(call.arg_count == 0 && call.duration_ns == 1);
}

static void what_is_no_call_is_refused(void **state)
{
	static const char *const bad[] = {
		"",        "close",      "close(3",        "close(3)",     "close(3) =",
		"(3) = 0", "a b(3) = 0", "close(\"3) = 0", "close(3) = x", "close(3</a) = 0"};
	struct strace_call call;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(strace_parse_call(slice_of(bad[i]), &call), -EINVAL);
}

static void strings_are_unescaped(void **state)
{
	struct bytes out = {0};

	assert_int_equal(strace_string(slice_of("\"a\\n\\303\\274\\\"\\\\\\x41\\0\""), &out), 0);
	assert_int_equal(out.len, 8);
	assert_memory_equal(out.data, "a\n\303\274\"\\A\0", 8);
	assert_int_equal(strace_string(slice_of("\"abc\"..."), &out), -ENAMETOOLONG);
	assert_int_equal(strace_string(slice_of("\"abc"), &out), -EINVAL);
	assert_int_equal(strace_string(slice_of("\"abc\\"), &out), -EINVAL);
	assert_int_equal(strace_string(slice_of("0x7ffc"), &out), -EINVAL);
	assert_int_equal(strace_string(slice_of("NULL"), &out), -EINVAL);
	bytes_done(&out);
}

static void words_are_flags(void **state)
{
	uint64_t flags = 0;

	assert_int_equal(strace_flags(slice_of("O_RDWR|O_CREAT|O_APPEND"), &flags), 0);
	assert_true(flags == (O_RDWR | O_CREAT | O_APPEND));
	assert_int_equal(strace_flags(slice_of("S_IFREG|0644"), &flags), 0);
	assert_true(flags == (S_IFREG | 0644));
	assert_int_equal(strace_flags(slice_of("0x800 /* O_??? */"), &flags), 0);
	assert_true(flags == 0x800);
	assert_int_equal(strace_flags(slice_of("O_SOMETHING"), &flags), -EINVAL);
	assert_int_equal(strace_flags(slice_of(""), &flags), -EINVAL);
}

static void descriptors_are_decorated_or_not(void **state)
{
	struct slice what;
	int32_t fd;

	assert_int_equal(strace_descriptor(slice_of("3</a b>"), &fd, &what), 0);
	assert_true(fd == 3 && slice_is(what, "/a b"));
	assert_int_equal(strace_descriptor(slice_of("3</a>(deleted)"), &fd, &what), 0);
	assert_true(slice_is(what, "/a"));
	assert_int_equal(strace_descriptor(slice_of("AT_FDCWD"), &fd, &what), 0);
	assert_true(fd == STRACE_CWD && !what.len);
	assert_int_equal(strace_descriptor(slice_of("-1"), &fd, &what), 0);
	assert_int_equal(fd, -1);
	assert_int_equal(strace_descriptor(slice_of("x"), &fd, &what), -EINVAL);
}

static void vectors_are_summed_when_whole(void **state)
{
	uint64_t bytes = 0;

	assert_int_equal(strace_iov_bytes(slice_of("[{iov_base=\"a\", iov_len=1}, "
						   "{iov_base=\"b\", iov_len=20}]"),
					  &bytes),
			 0);
	assert_int_equal(bytes, 21);
	assert_int_equal(strace_iov_bytes(slice_of("[{iov_base=\"a\", iov_len=1}, ...]"), &bytes),
			 -EINVAL);
	assert_int_equal(strace_iov_bytes(slice_of("[...]"), &bytes), -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("lines have prefixes and stamps of all kinds", prefixes_of_all_kinds),
		TEST("arguments may hold commas, brackets and quotes", arguments_hold_anything),
		TEST("results are numbers, descriptors, errors or nothing", results_of_all_kinds),
		TEST("what is no whole call is refused", what_is_no_call_is_refused),
		TEST("strings are unescaped, cut ones refused", strings_are_unescaped),
		TEST("words with | between are flags", words_are_flags),
		TEST("descriptors may tell their file", descriptors_are_decorated_or_not),
		TEST("vectors are summed when all of them is shown", vectors_are_summed_when_whole),
	};

	return RUN(tests);
}
