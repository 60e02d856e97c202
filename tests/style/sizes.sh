#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The hard ceilings: 500 lines a file, 100 a function, complexity 25 (above 15 is reported).
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

max_file=500 max_function=100 max_complexity=25 wished_complexity=15 wished_function=60

files=$( (c_files src tools tests; shell_files) | grep -v '/corpus/')
wrong=$(printf '%s\n' "$files" | xargs wc -l | awk -v max=$max_file '$2 != "total" && $1 > max {print $2 ": " $1 " lines"}')
verdict "no file has more than $max_file lines" "$wrong"

if ! command -v pmccabe >/dev/null; then
	skip "no function has more than $max_function lines" "pmccabe is not installed"
	skip "no function is more complex than $max_complexity" "pmccabe is not installed"
	finish
fi

# modified complexity (a switch counts once), complexity, statements, first line, lines, file(line): name
measured=$(c_files src tools tests | grep '\.c$' | xargs -r pmccabe)
wrong=$(awk -v max=$max_function '$5 > max {print $6 " " $7 ": " $5 " lines"}' <<<"$measured")
verdict "no function has more than $max_function lines" "$wrong"
wrong=$(awk -v max=$max_complexity '$1 > max {print $6 " " $7 ": complexity " $1}' <<<"$measured")
verdict "no function is more complex than $max_complexity, a switch counted once" "$wrong"

awk -v lines=$wished_function -v complexity=$wished_complexity \
	'$5 > lines || $1 > complexity {print "# consider splitting " $6 " " $7 ": " $5 " lines, complexity " $1}' <<<"$measured"
finish
