#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weir doctor: what can be told on any machine.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # bats and tool.bash set and use them

bats_require_minimum_version 1.5.0
load tool

setup() {
	daemons=()
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir dir
}

teardown() {
	end_daemons
}

# The status tells whether something fails; both are fine on an unknown machine.
doctor() {
	weir doctor --json "$@" >doctor.json || [ $? -eq 1 ]
}

verdict() {
	jq -r --arg name "$1" '.checks[] | select(.name == $name) | .verdict' doctor.json
}

@test "the exit status says whether a check fails" {
	status=0
	weir doctor --json dir >doctor.json || status=$?
	if jq -e 'any(.checks[]; .verdict == "fail")' doctor.json >/dev/null; then
		[ "$status" -eq 1 ]
		jq -e '.ok == false' doctor.json
	else
		[ "$status" -eq 0 ]
		jq -e '.ok == true' doctor.json
	fi
}

@test "the machine and the directory are looked at, each check with a verdict" {
	doctor dir
	for name in /dev/fuse mounting fusermount3 allow_other kernel io_uring libfuse descriptors \
		"file system" handles; do
		[[ $(verdict "$name") =~ ^(ok|note|fail)$ ]]
	done
	run weir doctor dir
	[ "${#lines[@]}" -ge "$(jq '.checks | length' doctor.json)" ]
}

@test "nothing is left in the directory" {
	doctor dir
	[ -z "$(ls -A dir)" ]
}

@test "the verdict on file handles and xattr is what the file system really does" {
	doctor dir
	touch dir/file
	if setfattr -n user.test -v 1 dir/file 2>/dev/null; then
		[ "$(verdict xattr)" = ok ]
	elif command -v setfattr >/dev/null; then
		[ "$(verdict xattr)" = note ]
	fi
	if cp --reflink=always dir/file dir/copy 2>/dev/null; then
		[ "$(verdict reflink)" = ok ]
	else
		[ "$(verdict reflink)" = note ]
	fi
}

@test "a directory that isn't there, or is none, fails" {
	for path in nothing doctor.json; do
		run -1 weir doctor "$path"
		[[ $output =~ FAIL\ +directory ]]
	done
}

@test "a directory that can't be written is noted, not failed" {
	(($(id -u))) || skip "root may write everywhere"
	chmod 500 dir
	doctor dir
	[ "$(verdict writing)" = note ]
}

@test "a stale weirfs mount fails, with how to take it away" {
	fake_mount "$BATS_TEST_TMPDIR/dir"
	run -1 weir doctor dir
	[[ $output =~ FAIL\ +mount ]]
	[[ $output == *"fusermount3 -uz DIR"* ]]
}

@test "a live weirfs mount is noted" {
	snapshots awkward
	fake_mount "$BATS_TEST_TMPDIR/dir"
	fake_daemon awkward
	doctor dir
	[ "$(verdict mount)" = note ]
}
