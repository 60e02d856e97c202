# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154 # used by those who load it; set by bats
# For the tests of weir import.

ops=${abs_top_builddir:?run by make check}/tests/cli/traceops

# Imports $BATS_TEST_TMPDIR/in, or the inputs named, and leaves the operations in $output, times
# since $since, and what was said in $said.
since=0
import() {
	local format=$1 status=0
	shift
	(($#)) || set -- "$BATS_TEST_TMPDIR/in"
	weir import --from "$format" "${options[@]}" -o "$BATS_TEST_TMPDIR/out" "$@" \
		2>"$BATS_TEST_TMPDIR/said" || status=$?
	said=$(<"$BATS_TEST_TMPDIR/said")
	output=
	[[ ! -e $BATS_TEST_TMPDIR/out ]] ||
		output=$("$ops" "$since" <"$BATS_TEST_TMPDIR/out" | grep -v '^property \(source\|import_format\)=')
	return "$status"
}

# The operations are exactly the lines of standard input.
expect() {
	diff <(cat) <(printf '%s\n' "$output") >&2
}

input() {
	cat >"$BATS_TEST_TMPDIR/in"
}
