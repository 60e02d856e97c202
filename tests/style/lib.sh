# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# TAP for the style checks. Source it; call ok, bad or skip once a check, and finish at the end.

top=${abs_top_srcdir:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$top" || exit 99
tests=0 failures=0

ok() {
	printf 'ok %d - %s\n' "$((++tests))" "$1"
}

# bad NAME [DETAIL...]: the details, a line each, become TAP comments.
bad() {
	printf 'not ok %d - %s\n' "$((++tests))" "$1"
	((++failures))
	shift
	(($# == 0)) || printf '%s\n' "$@" | sed 's/^/# /'
}

# verdict NAME DETAILS: ok when there are no details.
verdict() {
	if [[ $2 ]]; then
		bad "$1" "$2"
	else
		ok "$1"
	fi
}

skip() {
	printf 'ok %d - %s # SKIP %s\n' "$((++tests))" "$1" "$2"
}

finish() {
	printf '1..%d\n' "$tests"
	exit $((failures > 0))
}

# Leaves with one skipped test when a tool is missing.
need() {
	command -v "$1" >/dev/null && return
	skip "$2" "$1 is not installed"
	finish
}

# Our own C files below the given directories, sorted.
c_files() {
	find "$@" -name '*.[ch]' -not -path '*/vendor/*' | sort
}

# Our own shell scripts.
shell_files() {
	{
		find tests tools data .ci -type f \( -name '*.sh' -o -name '*.bash' -o -name '*.bats' \)
		grep -rlIE '^#!.*\b(ba)?sh$' quickstart autogen.sh .ci tests tools data 2>/dev/null
	} | grep -v /vendor/ | sort -u
}
