#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The makefile fragments name every source, each once and in order.
# `fragments.sh write` brings the lists of the rooms up to date with their directories.
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

# The lines of a room's list: one a module, without the file of main().
lines_of() {
	local directory=$1 list=$2 module suffix line
	c_files "$directory" | grep -vxE 'src/weirfs/main\.c|tools/weir\.c' | sed 's/\.[ch]$//' | sort -u |
		while read -r module; do
			line="$list +="
			for suffix in c h; do
				[[ ! -f $module.$suffix ]] || line+=" $module.$suffix"
			done
			printf '%s\n' "$line"
		done
}

write_list() {
	local directory=$1 list=$2
	lines_of "$directory" "$list" >"$directory/local.mk.lines"
	awk -v list="$list" -v lines="$directory/local.mk.lines" '
		index($0, list " +=") == 1 {next}
		{print}
		$0 == list " =" {while ((getline line < lines) > 0) print line}
	' "$directory/local.mk" >"$directory/local.mk.new"
	rm "$directory/local.mk.lines"
	cmp -s "$directory/local.mk.new" "$directory/local.mk" || cp "$directory/local.mk.new" "$directory/local.mk"
	rm "$directory/local.mk.new"
}

if [[ ${1:-} == write ]]; then
	write_list src/core core_sources
	write_list src/trace trace_sources
	write_list src/model model_sources
	write_list src/weirfs daemon_sources
	write_list tools tool_sources
	exit
fi

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
