#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Many files: descriptors and memory stay bounded, totals exact. WEIRFS_LONG=1 takes the full numbers.

# shellcheck disable=SC2030,SC2031,SC2317 # every test is a process of its own; conditions are called by name
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"

setup() {
	weir_setup
	many=100000 churn=100000
	[[ -z ${WEIRFS_LONG:-} ]] || many=1000000 churn=3000000
}

teardown() {
	weir_teardown
}

@test "A9: 200,000 files are walked by a daemon of 1,024 descriptors" {
	MKFS_OPTIONS="-N 250000" make_fs ext4 600M
	b=$fs/b m=$tmp/m
	mkdir "$b" "$m"
	manyfiles make 200000 "$b"
	start_weirfs prlimit --nofile=1024:1024 "$weirfs" "$b" "$m" -f
	defer umount -l "$m"
	wait_for 20 live_or_dead "$daemon" "$m"
	manyfiles walk 200000 "$m"
	assert_less "$(descriptors "$daemon")" 1024 descriptors
	assert_equal "$(find "$m" -type f | wc -l)" 200000
	assert_equal "$(stat_json "$m" '[.errors[] | select(.name == "EMFILE" or .name == "ENFILE")] | length')" 0 "EMFILE"
	unmount_weirfs "$m"
}

falls_below() {
	echo 3 >/proc/sys/vm/drop_caches
	[[ $(resident_kib "$daemon") -lt "$1" ]]
}

@test "memory is bounded while very many files are walked, and falls when the kernel forgets them" {
	local start high
	MKFS_OPTIONS="-N $((many * 11 / 10))" make_fs ext4 "$((many / 2000 + 400))M"
	b=$fs/b m=$tmp/m
	mkdir "$b" "$m"
	manyfiles make "$many" "$b"
	mount_weirfs "$b" "$m" max_files=1000
	start=$(resident_kib "$daemon")
	manyfiles walk "$many" "$m"
	high=$(resident_kib "$daemon")
	echo "# $many files: $start KiB before, $high KiB after the walk" >&3
	# less than 1 KiB a file that the kernel knows
	assert_less $((high - start)) $((many + 20000)) "KiB more"
	wait_for 60 falls_below $((start + (high - start) / 2 + 8000))
	echo "# $(resident_kib "$daemon") KiB once the kernel has forgotten them" >&3
	assert_equal "$(stat_json "$m" '.counters.files_tracked <= 1000')" true "rows in the file table"
	assert_equal "$(stat_json "$m" '([.files[].ops, .other.ops] | add) <= ([.ops[].ops] | add)')" true "sums"
}

@test "C6: files that come and go are counted exactly, in bounded memory" {
	local before after
	over ext4 max_files=1000
	manyfiles churn 20000 "$m"
	before=$(resident_kib "$daemon")
	weir ctl "$m" reset
	manyfiles churn "$churn" "$m"
	after=$(resident_kib "$daemon")
	echo "# $churn files: $before KiB before, $after KiB after" >&3
	assert_less "$after" $((before * 2 + 30000)) "KiB"
	assert_equal "$(op_count "$m" create)" "$churn"
	assert_equal "$(op_count "$m" unlink)" "$churn"
	assert_equal "$(stat_json "$m" '[.files[].opens, .other.opens] | add')" "$churn" "opens over all files, evicted ones too"
	[[ $(stat_json "$m" .counters.files_evicted) -gt $((churn - 2000)) ]]
	assert_equal "$(stat_json "$m" .counters.values_lost)" 0
}
