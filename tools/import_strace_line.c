// SPDX-License-Identifier: GPL-2.0-or-later
/* The grammar of strace's lines: prefixes, calls whole and split, noise. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "tools/import_strace.h"

#define PID_MAX (1u << 22)

static bool is_stamp(struct slice word)
{
	if (!word.len || !isdigit((unsigned char)word.at[0]))
		return false;
	for (size_t i = 0; i < word.len; i++) {
		if (!isdigit((unsigned char)word.at[i]) && word.at[i] != '.' && word.at[i] != ':')
			return false;
	}
	return true;
}

/* "[pid  1234]", "1234" or "1234<comm>". */
static void take_pid(struct slice *rest, struct strace_line *line)
{
	struct slice look = *rest, word = slice_word(&look);
	uint64_t pid;

	if (slice_is(word, "[pid")) {
		word = slice_word(&look);
		if (!slice_ends(word, "]"))
			return;
		word.len--;
	}
	word.len = slice_find(word, "<");
	if (slice_uint(word, &pid) || pid > PID_MAX)
		return;
	line->pid = (uint32_t)pid;
	line->has_pid = true;
	*rest = look;
}

int strace_parse_line(struct slice text, struct strace_line *ret_line)
{
	static const char mark[] = "<unfinished ...>";
	struct strace_line line = {.kind = STRACE_CALL};
	struct slice rest = text, look, word;

	take_pid(&rest, &line);
	look = rest;
	word = slice_word(&look);
	if (is_stamp(word)) {
		line.stamp = word;
		rest = look;
	}
	rest = slice_trim(rest);
	if (slice_begins(rest, "+++ exited") || slice_begins(rest, "+++ killed")) {
		line.kind = STRACE_EXIT;
	} else if (slice_begins(rest, "+++") || slice_begins(rest, "---") ||
		   slice_begins(rest, "strace: ")) {
		line.kind = STRACE_NOISE;
	} else if (slice_skip(&rest, "<... ")) {
		line.kind = STRACE_RESUMED;
		line.name = slice_word(&rest);
		if (slice_find(rest, ">") == rest.len)
			return -EINVAL;
		rest = slice_from(rest, slice_find(rest, ">") + 1);
	} else if (slice_ends(rest, mark)) {
		line.kind = STRACE_UNFINISHED;
		rest.len -= sizeof(mark) - 1;
	}
	line.text = rest;
	*ret_line = line;
	return 0;
}

/* Where a quoted string that begins at `at` ends: behind the closing quote. */
static size_t skip_string(struct slice text, size_t at)
{
	for (at++; at < text.len && text.at[at] != '"'; at++) {
		if (text.at[at] == '\\')
			at++;
	}
	return at + 1;
}

static size_t skip_to(struct slice text, size_t at, const char *end)
{
	return at + slice_find(slice_from(text, at), end) + strlen(end);
}

/* What "3<", "AT_FDCWD<" begin: a descriptor's file, which may hold commas and brackets. */
static bool begins_file(struct slice text, size_t at)
{
	char before = at ? text.at[at - 1] : ' ';

	return (isdigit((unsigned char)before) || before == 'D') && at + 1 < text.len &&
	       text.at[at + 1] != '<';
}

/* Behind what begins at `at` and hides commas and brackets; `at` itself if nothing does. */
static size_t skip_hidden(struct slice text, size_t at)
{
	if (text.at[at] == '"')
		return skip_string(text, at);
	if (text.at[at] == '/' && at + 1 < text.len && text.at[at + 1] == '*')
		return skip_to(text, at, "*/");
	if (text.at[at] == '<' && begins_file(text, at))
		return skip_to(text, at, ">");
	return at;
}

static void add_arg(struct strace_call *call, struct slice arg, bool last)
{
	arg = slice_trim(arg);
	if (call->arg_count < STRACE_ARGS && (arg.len || !last))
		call->args[call->arg_count++] = arg;
}

/* Cuts the arguments; returns where the closing bracket is, or the length. */
static size_t split_args(struct slice text, size_t at, struct strace_call *call)
{
	size_t begin = at, depth = 0, next;

	for (; at < text.len; at = next) {
		char byte = text.at[at];

		next = skip_hidden(text, at);
		if (next > at)
			continue;
		next = at + 1;
		if (strchr("([{", byte) && byte) {
			depth++;
		} else if (depth) {
			depth -= byte == ')' || byte == ']' || byte == '}';
		} else if (byte == ',' || byte == ')') {
			add_arg(call, (struct slice){text.at + begin, at - begin}, byte == ')');
			if (byte == ')')
				return at;
			begin = next;
		}
	}
	return text.len;
}

/* "<0.000123>" at the end. */
static void take_duration(struct slice *rest, struct strace_call *call)
{
	size_t open = slice_find_last(*rest, '<');

	if (!slice_ends(*rest, ">") || open == rest->len)
		return;
	if (slice_scaled((struct slice){rest->at + open + 1, rest->len - open - 2}, NS_PER_S,
			 &call->duration_ns))
		return;
	call->timed = true;
	*rest = slice_trim((struct slice){rest->at, open});
}

/* What stands behind "=": "?", "3</path>", "0x7f..", "-1 ENOENT (..)", "? ERESTARTSYS (..)". */
static int take_result(struct slice rest, struct strace_call *call)
{
	struct slice word, number;

	take_duration(&rest, call);
	call->result_text = rest;
	word = slice_word(&rest);
	if (slice_is(word, "?"))
		return 0;
	number = (struct slice){word.at, slice_find(word, "<")};
	call->returned = true;
	if (slice_is(number, "-1") && slice_begins(slice_trim(rest), "E")) {
		call->error = strace_errno(slice_word(&rest));
		return 0;
	}
	return slice_c_number(number, &call->result);
}

int strace_parse_call(struct slice text, struct strace_call *ret_call)
{
	struct strace_call call = {0};
	struct slice rest;
	size_t open = slice_find(text, "("), close;

	if (!open || open == text.len)
		return -EINVAL;
	for (size_t i = 0; i < open; i++) {
		if (!isalnum((unsigned char)text.at[i]) && text.at[i] != '_')
			return -EINVAL;
	}
	call.name = (struct slice){text.at, open};
	close = split_args(text, open + 1, &call);
	if (close >= text.len)
		return -EINVAL;
	rest = slice_trim(slice_from(text, close + 1));
	if (!slice_skip(&rest, "="))
		return -EINVAL;
	if (take_result(slice_trim(rest), &call))
		return -EINVAL;
	*ret_call = call;
	return 0;
}
