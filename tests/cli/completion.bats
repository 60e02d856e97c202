#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash offers to complete for weir and weirfs.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # bats and tool.bash set and use them

load tool

setup() {
	daemons=()
	# shellcheck source=../../data/completions/weir
	. "$abs_top_srcdir/data/completions/weir"
	# shellcheck source=../../data/completions/weirfs
	. "$abs_top_srcdir/data/completions/weirfs"
}

# Leaves in $offered what is offered at the end of the line.
complete_line() {
	COMP_LINE=$1
	COMP_POINT=${#1}
	read -ra COMP_WORDS <<<"$1"
	[[ $1 != *' ' ]] || COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	"_${COMP_WORDS[0]}" 2>/dev/null || true
	offered="${COMPREPLY[*]}"
}

@test "commands are offered, and they are those of the help" {
	complete_line 'weir '
	for word in $offered; do
		[[ $word == -* || $word == help ]] || weir help "$word" >/dev/null
	done
	for command in $(weir --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
		[[ " $offered " == *" $command "* ]]
	done
}

@test "every long option that is offered is one that the command has" {
	for command in stat latency top dump export import merge salvage ctl list doctor; do
		complete_line "weir $command --"
		for option in $offered; do
			weir "$command" --help | grep -q -e "$option"
		done
		for option in $(weir "$command" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -e '--[a-z-]+'); do
			[[ " $offered " == *" $option "* ]]
		done
	done
}

@test "operations are completed comma by comma, and each is one" {
	complete_line 'weir stat --op read,get'
	[ "$offered" = 'read,getattr read,getxattr read,getlk' ]
	complete_line 'weir latency -o '
	snapshots empty
	weir stat --op "${offered// /,}" "$BATS_TEST_TMPDIR/empty.snap" >/dev/null
}

@test "requests are completed word by word" {
	complete_line 'weir ctl /mnt '
	[ "$offered" = 'reset delay log trace ping' ]
	complete_line 'weir ctl /mnt delay '
	[ "$offered" = 'set off' ]
	complete_line 'weir ctl /mnt log w'
	[ "$offered" = 'warning' ]
}

@test "mount points are offered, quoted for the shell" {
	fake_mount '/weir/a\040b'
	complete_line 'weir stat /we'
	[ "$offered" = '/weir/a\ b' ]
}

@test "options of weirfs are completed comma by comma" {
	complete_line 'weirfs / /mnt -o ca'
	[ "$offered" = 'cache=' ]
	complete_line 'weirfs -o cache='
	[ "$offered" = 'auto none always' ]
	complete_line 'weirfs -o cache=auto,lo'
	[ "$offered" = 'auto,locks= auto,log=' ]
	complete_line 'weirfs -o cache=auto,log=w'
	[ "$offered" = 'warning' ]
}

@test "options of weirfs are those that its help has" {
	command -v weirfs >/dev/null || skip "no weirfs was built"
	complete_line 'weirfs -o '
	for option in $(weirfs --help | sed -n '/^Options/,$s/^  \([a-z_]*=\{0,1\}\).*/\1/p'); do
		[[ " $offered " == *" $option "* ]]
	done
}

@test "formats of imports are those that the command has" {
	complete_line 'weir import --from '
	[ "${offered#auto }" = "$(weir import --help | sed -n '/^Formats/,$s/^  \([a-z0-9]*\) .*/\1/p' | tr '\n' ' ' | sed 's/ $//')" ]
}
