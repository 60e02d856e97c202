#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Finding a mount and speaking with its daemon: a mountinfo of our own and a daemon that is played.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # bats and tool.bash set and use them

bats_require_minimum_version 1.5.0
load tool

setup() {
	daemons=()
	cd "$BATS_TEST_TMPDIR" || return 1
	snapshots awkward later latest
}

teardown() {
	end_daemons
}

requests() {
	cat "$BATS_TEST_TMPDIR/requests"
}

has_lines() {
	(($(wc -l <"$1") >= $2))
}

@test "a mount is found by its mount point, by what is below it, and through links" {
	fake_mount /weir/mnt
	mkdir real
	ln -s /weir/mnt real/link
	ln -s "$BATS_TEST_TMPDIR/real" around
	fake_daemon awkward awkward awkward awkward awkward awkward
	for path in /weir/mnt /weir/mnt/ /weir/mnt/deep/file /weir//./mnt/x/.. real/link/x around/link; do
		run -0 weir stat --files 0 "$path"
		[[ ${lines[0]} == "mount     /weir/mnt" ]]
	done
}

@test "a path beside a mount point is not below it" {
	fake_mount /weir/mnt
	run -1 --separate-stderr weir stat /weir/mntx
	[[ $stderr == *"No such file"* ]]
	run -1 --separate-stderr weir stat /weir
	run -1 --separate-stderr weir top /weir/mntx
	[[ $stderr == *"not a weirfs mount"* ]]
}

@test "the deepest of nested mounts is meant, and of stacked ones the last" {
	fake_mount /weir
	fake_mount /weir/inner
	fake_mount /weir/inner
	fake_daemon awkward
	run -0 weir stat --files 0 /weir/inner/file
	[[ ${lines[0]} == "mount     /weir/inner" ]]
}

@test "mount points with blanks and newlines are found and printed safely" {
	fake_mount '/we\040ir\134\012x'
	fake_daemon awkward awkward
	run -0 weir stat --files 0 $'/we ir\\\nx'
	[[ ${lines[0]} == 'mount     /we ir\\\x0ax' ]]
	[ "$(weir stat --json $'/we ir\\\nx' | jq -r .mount)" = $'/we ir\\\nx' ]
}

@test "a path below the mount is never looked at" {
	# The mount point is a directory whose entries can't be: a look would say so.
	mkdir mnt
	ln -s loop mnt/loop
	fake_mount "$BATS_TEST_TMPDIR/mnt"
	fake_daemon awkward
	run -0 weir stat --files 0 mnt/loop/file
	[[ ${lines[0]} == "mount     $BATS_TEST_TMPDIR/mnt" ]]
}

@test "only the rows that are shown are asked for when they are those of most time" {
	fake_mount /weir/mnt
	fake_daemon awkward awkward awkward awkward
	weir stat --files 7 /weir/mnt >/dev/null
	weir stat --files 7 --sort ops /weir/mnt >/dev/null
	weir latency /weir/mnt >/dev/null
	weir latency --file /weir/mnt/plain.db /weir/mnt | grep -q '^read: 100 operations'
	[ "$(requests)" = $'snapshot files=7\nsnapshot\nsnapshot files=0\nsnapshot' ]
}

@test "requests reach the daemon word by word" {
	fake_mount /weir/mnt
	fake_daemon awkward
	run -0 weir ctl /weir/mnt reset
	[ -z "$output" ]
	run -0 weir ctl /weir/mnt delay set 'read@*.db:20ms:30%,write:1s'
	run -0 weir ctl /weir/mnt delay off
	run -0 weir ctl /weir/mnt ping
	[[ $output == "answered in "* ]]
	[ "$(requests)" = $'reset\ndelay set read@*.db:20ms:30%,write:1s\ndelay off\nping' ]
}

@test "what the daemon refuses is told in its words" {
	fake_mount /weir/mnt
	fake_daemon awkward
	run -1 --separate-stderr weir ctl /weir/mnt delay set bad:1ms
	[ -z "$output" ]
	[ "$stderr" = "weir ctl: /weir/mnt: rule 1: no operation 'bad'" ]
	run -1 --separate-stderr weir ctl /weir/mnt log debug
	[ "$stderr" = "weir ctl: /weir/mnt: Operation not permitted" ]
}

@test "a request is one line of limited length" {
	fake_mount /weir/mnt
	run --separate-stderr weir ctl /weir/mnt delay set $'read:1ms\nreset'
	is_usage_error "weir ctl --help"
	run --separate-stderr weir ctl /weir/mnt delay set "$(printf '%05000d' 1)"
	is_usage_error "weir ctl --help"
}

@test "a mount without its daemon is reported with what to do" {
	fake_mount /weir/mnt
	for command in "stat /weir/mnt" "latency /weir/mnt" "top /weir/mnt" "ctl /weir/mnt ping"; do
		# shellcheck disable=SC2086 # words
		run -1 --separate-stderr weir $command
		[[ $stderr == *"no daemon serves this mount"* ]]
	done
}

@test "a daemon that doesn't answer is reported after its time" {
	fake_mount /weir/mnt
	"$fixture" hang "$socket" 3>&- &
	daemons+=("$!")
	wait_for test -S "$socket"
	SECONDS=0
	run -1 --separate-stderr weir ctl /weir/mnt ping
	[[ $stderr == *"doesn't answer"* ]]
	((SECONDS >= 4 && SECONDS < 20))
}

@test "the list tells live, hung and dead mounts apart" {
	fake_mount '/weir/live'
	fake_daemon awkward awkward
	live=$socket
	fake_mount '/weir/ha\040ng'
	"$fixture" hang "$socket" 3>&- &
	daemons+=("$!")
	wait_for test -S "$socket"
	hung=$socket
	fake_mount /weir/dead
	weir list --json >list.json
	jq -e '[.mounts[] | [.mount, .state]] == [["/weir/live", "live"], ["/weir/ha ng", "not answering"],
		["/weir/dead", "dead"]]' list.json
	jq -e '.mounts[0] | .pid == 4242 and .ops == 1055 and .source == "/real dir"' list.json
	run -0 weir list
	[[ ${lines[1]} =~ ^live\ .*\ 4242\ .*1\ d\ 02:03:04\ .*1055\ .*/weir/live$ ]]
	[[ ${lines[3]} =~ ^dead\ .*/weir/dead$ ]]
	rm -f "$live" "$hung"
}

@test "a machine without mounts has an empty list" {
	export WEIR_MOUNTINFO=/dev/null
	run -0 weir list
	[ "$output" = "no weirfs mounts" ]
	[ "$(weir list --json | jq -c .mounts)" = '[]' ]
}

@test "top shows the difference of snapshots, and ends when the mount goes away" {
	fake_mount /weir/mnt
	fake_daemon awkward later latest latest
	run -0 --separate-stderr weir top -o json /weir/mnt 50ms
	[ "${#lines[@]}" -eq 4 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"the mount is gone" ]]
	jq -e '.report == "since_mount" and .ops[0].ops == 1000' <<<"${lines[0]}"
	for i in 1 2; do
		# 200 reads of 50, 100, .. 10000 us in the interval, on one file.
		jq -e '.report == "interval" and .interval_ns == 2000000000 and (.ops | length) == 1' <<<"${lines[$i]}"
		jq -e '.ops[0] | .op == "read" and .ops == 200 and .bytes == 819200 and .total_samples == 200
			and (.total_p99_ns - 9900000 | fabs) < 9900000 / 64' <<<"${lines[$i]}"
		jq -e '[.files[] | [.path_hex, .ops]] == [["2f6e6f74fffe75746638", 200]]' <<<"${lines[$i]}"
		jq -e '.errors == []' <<<"${lines[$i]}"
	done
	jq -e '.ops == [] and .files == []' <<<"${lines[3]}"
}

@test "top counts its reports, and leaves out the first on demand" {
	fake_mount /weir/mnt
	fake_daemon awkward later latest latest latest latest latest
	[ "$(weir top -o json /weir/mnt 20ms 2 | jq -r .report | xargs)" = "since_mount interval" ]
	[ "$(weir top -y -o json /weir/mnt 20ms 2 | jq -r .report | xargs)" = "interval interval" ]
}

@test "top prints a block an interval where there is no terminal" {
	fake_mount /weir/mnt
	fake_daemon awkward later latest
	run -0 weir top /weir/mnt 20ms 2
	[[ $output != *$'\e'* ]]
	[[ $output == *"since mount or reset, 1 d 02:03:04"* ]]
	[[ $output =~ last\ 2\.00\ s ]]
	[[ $output =~ 100\ ops/s,\ 400\ KiB/s,\ 3\ in\ flight,\ 2\ held ]]
	[[ $output =~ read\ +100\.0\ +400\.0\ +4\.00\ KiB ]]
	[[ $output == *'100.0  400.0  50.0 us  10.0 ms       0  /not\xff\xfeutf8'* ]]
}

@test "top sums up what was watched when it is interrupted" {
	fake_mount /weir/mnt
	# shellcheck disable=SC2046 # words
	fake_daemon awkward later $(printf 'latest %.0s' {1..200})
	# A job in the background ignores SIGINT unless told otherwise.
	env --default-signal=INT weir top -o json /weir/mnt 100ms >top.json 3>&- &
	pid=$!
	wait_for has_lines top.json 3
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 130 ]
	tail -n 1 top.json | jq -e '.report == "final" and .ops[0].ops == 400'
}

@test "top restarts its count after a reset" {
	fake_mount /weir/mnt
	fake_daemon latest awkward awkward
	run -0 weir top -y -o json /weir/mnt 20ms 1
	jq -e '.ops[0] | .op == "read" and .ops == 1000' <<<"$output"
}

@test "the screen of top shows both panes and gives the terminal back" {
	command -v script >/dev/null || skip "no script(1)"
	weir --version | grep -q 'screen *ncurses' || skip "built without ncurses"
	fake_mount /weir/mnt
	fake_daemon awkward later latest latest latest latest latest latest latest latest latest
	(
		sleep 1
		printf s
		sleep 0.3
		printf q
	) | TERM=xterm COLUMNS=100 LINES=30 script -qec "weir top /weir/mnt 100ms" /dev/null >screen 3>&-
	grep -q 'weir/mnt' screen
	grep -q 'plain.db' screen
	grep -q 'order: p99\|p99' screen
	# The last word to the terminal is to leave the alternate screen.
	grep -q $'\e\\[?1049l' screen
}
