#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What all commands have in common.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # bats and tool.bash set and use them

bats_require_minimum_version 1.5.0
load tool

commands='stat latency top dump export import merge salvage ctl list doctor'

@test "help goes to standard output, exits with 0 and fits 80 columns" {
	for command in $commands; do
		for way in "$command --help" "$command -h" "help $command"; do
			# shellcheck disable=SC2086 # two words
			run --separate-stderr weir $way
			[ "$status" -eq 0 ]
			[ -z "$stderr" ]
			[[ $output == "usage: weir $command"* ]]
			[ -z "$(awk 'length($0) > 80' <<<"$output")" ]
		done
	done
	run --separate-stderr weir --help
	[ "$status" -eq 0 ]
	[ -z "$(awk 'length($0) > 80' <<<"$output")" ]
}

@test "the general help names every command" {
	run weir help
	for command in $commands; do
		[[ $output == *"  $command "* ]]
	done
}

@test "the version tells how it was built" {
	run weir --version
	[ "$status" -eq 0 ]
	[[ ${lines[0]} =~ ^weir\ [0-9]+\.[0-9]+ ]]
	[[ $output == *libfuse* ]]
}

@test "every manual page entry and every command go together" {
	for command in $commands; do
		grep -q "^\.It Cm $command" "$abs_top_srcdir/man/weir.1"
	done
}

@test "wrong usage of weir itself is one line that says where help is" {
	for words in "" "nonsense" "--nonsense" "help nonsense"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr weir $words
		is_usage_error "weir --help"
	done
}

@test "wrong usage of a command is one line that says where help is" {
	for words in "stat" "stat a b" "stat --nonsense a" "stat -Z a" "stat --files" "stat --files x a" \
		"stat --files -1 a" "stat --sort x a" "stat --op nonsense a" "stat --json=1 a" \
		"stat --color=blue a" "latency" "latency a b" "latency --duration x a" "top" \
		"top a 0" "top a 1 0" "top a 1 2 3" "top a x" "top -o xml a" "ctl" "ctl a" \
		"ctl a nonsense" "ctl a delay" "ctl a delay set" "ctl a delay set x y" "ctl a reset x" \
		"list x" "list --nonsense" "doctor a b" "doctor -Z" \
		"import" "import x" "import --from nothing -o x y" "import --from msr y" "import --from msr -o x" \
		"import --from msr --ts-unit h -o x y" "import --iolog-wait x" "import --below x" "import --op x"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr weir $words
		is_usage_error "weir ${words%% *} --help"
	done
}

@test "what a usage error quotes can't drive the terminal" {
	run --separate-stderr weir $'\e[31m\nred'
	is_usage_error "weir --help"
	[[ $stderr == *'\x1b[31m\x0ared'* ]]
}

@test "a reader that had enough is no error" {
	snapshots many
	run bash -c 'set -o pipefail; weir stat --all - <"$1" | head -n 1' _ "$BATS_TEST_TMPDIR/many.snap"
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
}

@test "output that can't be written is an error" {
	[ -c /dev/full ] || skip "no /dev/full"
	snapshots many
	# shellcheck disable=SC2016 # expanded by the inner shell
	run --separate-stderr bash -c 'weir stat --all - <"$1" >/dev/full' _ "$BATS_TEST_TMPDIR/many.snap"
	[ "$status" -eq 1 ]
	[[ $stderr == *"No space left"* ]]
}

@test "a directory that is no weirfs mount, and a path that isn't there, are failures" {
	for command in stat latency; do
		run --separate-stderr weir "$command" "$BATS_TEST_TMPDIR"
		[ "$status" -eq 1 ]
		[[ $stderr == *"not a weirfs mount"* ]]
		run --separate-stderr weir "$command" "$BATS_TEST_TMPDIR/nothing"
		[ "$status" -eq 1 ]
		[[ $stderr == *"No such file"* ]]
	done
	run --separate-stderr weir top "$BATS_TEST_TMPDIR"
	[ "$status" -eq 1 ]
	run --separate-stderr weir ctl "$BATS_TEST_TMPDIR" ping
	[ "$status" -eq 1 ]
}
