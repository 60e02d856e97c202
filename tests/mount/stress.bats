#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Load without mercy, judged by what it says went wrong. WEIRFS_LONG=1 makes it longer.

# shellcheck disable=SC2030,SC2031,SC2317 # every test is a process of its own; conditions are called by name
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"

setup() {
	weir_setup
	long=${WEIRFS_LONG:+10}
	long=${long:-1}
}

teardown() {
	weir_teardown
}

dropping() {
	while sleep 0.3; do
		echo 2 >/proc/sys/vm/drop_caches
	done
}

@test "stress-ng's file system stressors find nothing wrong" {
	FS_SIZE=1500M in_place ext4
	mkdir "$m/stress"
	# those that are left out fail without any mount too, or are about other file systems
	stress-ng --class filesystem --sequential 1 --timeout "${long}s" --temp-path "$m/stress" \
		--exclude bind-mount,fanotify,procfs,chroot,binderfs,verity,fiemap --oomable >stress.out 2>&1 || true
	grep -q 'run time\|completed' stress.out
	refute grep -E " fail: " stress.out
	is_weirfs "$m"
	ls "$m" >/dev/null
}

@test "many processes do random things while caches are dropped; both sides agree at the end" {
	local mode dropper
	make_fs ext4 600M
	b=$fs/b m=$tmp/m
	mkdir "$b" "$m"
	dropping 3>&- &
	dropper=$!
	defer kill "$dropper"
	for mode in auto none; do
		mount_weirfs "$b" "$m" "cache=$mode,max_files=64"
		fsstorm 12 $((3000 * long)) 7 "$m"
		diff <(cd "$m" && find . -printf '%p %y %s %n %m %U\n' | sort) <(cd "$b" && find . -printf '%p %y %s %n %m %U\n' | sort)
		unmount_weirfs "$m"
		rm -rf "${b:?}"/*
	done
}

@test "the same in place over XFS with few descriptors" {
	local dropper
	FS_SIZE=600M in_place xfs max_fds=8
	dropping 3>&- &
	dropper=$!
	defer kill "$dropper"
	fsstorm 8 $((3000 * long)) 11 "$m"
	assert_less "$(descriptors "$daemon")" 200 descriptors
	unmount_weirfs "$m"
}

@test "while they do, somebody reads the statistics and changes the rules" {
	local storm
	over ext4
	fsstorm 6 $((3000 * long)) 3 "$m" >storm.out 3>&- &
	storm=$!
	while ! gone "$storm"; do
		weir stat "$m" --json --files 50 | jq -e .ops >/dev/null
		weir ctl "$m" delay set meta:1ms:5%,write:1ms:10%
		weir ctl "$m" reset
		weir ctl "$m" delay off
	done
	wait "$storm" || { cat storm.out; false; }
	unmount_weirfs "$m"
}

@test "random operations on files of several at once come out right while caches are dropped" {
	local seed
	local -a pids=()
	over xfs
	for seed in 21 22 23 24; do
		ORACLE_DROP=1 fsoracle "$seed" $((1500 * long)) "$m/file$seed" >"oracle$seed" 3>&- &
		pids+=($!)
	done
	for seed in "${pids[@]}"; do
		wait "$seed" || { tail -n 40 oracle*; false; }
	done
	for seed in 21 22 23 24; do cmp "$m/file$seed" "$b/file$seed"; done
}
