#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The makefile fragments name every source, each once and in order.
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

fragments=$(find src tools tests man data docs -name local.mk | sort)

# Is the path, or the program made of it, named in some fragment?
listed() {
	local path=$1
	# shellcheck disable=SC2086 # a list of our own names
	grep -qE "(^|[[:space:]])${path//./\\.}([[:space:]]|$)" $fragments ||
		{ [[ $path == tests/*.c ]] && grep -qE "(^|[[:space:]])${path%.c}([[:space:]]|$)" $fragments; }
}

wrong=$({ c_files src tools tests; find tests -name '*.bats' -o -name '*.bash' -o -name '*.sh'; } |
	grep -vE '/corpus/|/perf/|/testbeds/' |
	while read -r file; do
		listed "$file" || printf '%s is in no local.mk\n' "$file"
	done)
verdict "every source is named in a fragment" "$wrong"

# shellcheck disable=SC2086
wrong=$(grep -hE '^[a-z_]+ \+= [a-z]+/' $fragments | sort | uniq -d)
verdict "nothing is named twice" "$wrong"

wrong=$(for fragment in $fragments; do
	sed -nE 's/^([a-z_]+ \+= [a-z]+\/.*)/\1/p' "$fragment" | awk -v file="$fragment" '
		$1 == last_list && $3 < last {print file ": " $3 " stands after " last}
		{last_list = $1; last = $3}'
done)
verdict "the lists are sorted" "$wrong"
finish
