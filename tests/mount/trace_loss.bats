#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The trace when it can't be written: slow readers, full disks, daemons that are killed. Nothing is
# lost that isn't counted, and the file system goes on.

# shellcheck disable=SC2030,SC2031,SC2094,SC2317 # every test is a process of its own; traces are only read
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"
# shellcheck source=tests/lib/trace.bash
. "$BATS_TEST_DIRNAME/../lib/trace.bash"

setup() {
	weir_setup
}

teardown() {
	weir_teardown
}

# Many small writes, one operation each.
hammer() {
	dd if=/dev/zero of="$1" bs=512 count="${2:-60000}" conv=notrunc status=none
}

# start_stalled OPTIONS: traces into a pipe whose reader takes nothing until $tmp/go is there.
start_stalled() {
	mkdir -p b m
	m=$tmp/m
	mkfifo fifo
	sh -c 'exec <fifo; until [ -e go ]; do sleep 0.05; done; exec cat >t.wt' 3>&- &
	reader=$!
	defer touch "$tmp/go"
	mount_weirfs b m "trace=$tmp/fifo,trace_ring=64KiB,trace_buffer=16KiB,trace_flush=20ms,$1"
}

has_dropped() {
	(($(counter trace_dropped) > 0))
}

@test "C2: with a stalled reader and trace_full=drop, what is lost is counted" {
	start_stalled trace_full=drop
	hammer m/file
	wait_for 20 has_dropped
	touch go
	hammer m/file 1000
	unmount_weirfs "$m"
	wait "$reader"
	assert_accounted t.wt
	assert_less 0 "$(sums t.wt .ops.write.dropped)"
	assert_less 0 "$(sums t.wt .ops.write.written)"
	assert_equal "$(sums t.wt .ops.write.performed)" 61000
}

# Operations stand still: the same number of them at two looks.
stands_still() {
	local before
	before=$(performed)
	sleep 0.5
	(($(performed) == before && before > 5000))
}

@test "C2: with a stalled reader and trace_full=block, operations wait and none is lost" {
	start_stalled trace_full=block
	hammer m/file 200000 3>&- &
	local load=$!
	wait_for 60 stands_still
	kill -0 "$load"
	touch go
	wait "$load"
	unmount_weirfs "$m"
	wait "$reader"
	assert_accounted t.wt
	assert_equal "$(sums t.wt '[.ops[].dropped] | add')" 0
	assert_equal "$(sums t.wt '"\(.same_hists) \(.ops.write.written)"')" 'true 200000'
}

@test "a reader that never comes back holds up neither the end nor the file system" {
	start_stalled trace_full=block
	hammer m/file 200000 3>&- &
	local load=$!
	wait_for 60 stands_still
	kill -TERM "$daemon"
	wait_for 30 gone "$daemon"
	wait "$load" || true
	assert_contains "$(cat "$daemon_log")" 'ended'
	refute grep -q 'does not come back' "$daemon_log"
	assert_contains "$(cat "$daemon_log")" 'nobody reads it any more'
}

@test "when the reader is gone, what follows is dropped, and it is said once" {
	start_stalled trace_full=block
	touch m/a
	kill "$reader"
	wait "$reader" || true
	hammer m/file 20000
	hammer m/file 20000
	wait_for 20 has_dropped
	assert_equal "$(grep -c 'nobody reads' "$daemon_log")" 1
	assert_contains "$(stat_json "$m" .properties.trace_state)" pipe
	local before
	before=$(performed)
	weir ctl "$m" trace stop
	assert_less "$before" "$(($(counter trace_written) + $(counter trace_dropped) + 1))"
	unmount_weirfs "$m"
}

@test "a full disk costs the trace its blocks, counted, and the file system nothing" {
	make_fs tmpfs 16M trace
	local place=$fs
	mkdir b m
	m=$tmp/m
	mount_weirfs b m "trace=$place/t.wt,trace_flush=50ms"
	head -c 32M /dev/zero >"$place/filler" 2>/dev/null || true
	hammer m/file 100000
	wait_for 20 has_dropped
	assert_equal "$(stat_json "$m" .properties.trace_state)" 'No space left on device'
	hammer m/file 1000
	rm "$place/filler"
	# it goes on by itself
	touch m/after
	wait_for 20 trace_is_on
	touch m/later
	unmount_weirfs "$m"
	assert_equal "$(grep -c 'No space left' "$daemon_log")" 1
	assert_equal "$(grep -c ': it is written again' "$daemon_log")" 1
	assert_accounted "$place/t.wt"
	assert_equal "$(sums "$place/t.wt" '"\(.torn) \(.ended) \(.damaged_bytes)"')" 'false true 0'
	assert_less 0 "$(sums "$place/t.wt" .ops.write.dropped)"
	assert_equal "$(sums "$place/t.wt" .ops.write.performed)" 101000
	tracecheck ops "$place/t.wt" | grep -q ' name=later'
	zstd -tq "$place/t.wt"
}

trace_is_on() {
	touch "$m/probe"
	[[ $(stat_json "$m" .properties.trace_state) == on ]]
}

@test "a disk that stays full leaves a trace that can be read as far as it got" {
	make_fs tmpfs 4M trace
	local place=$fs
	mkdir b m
	m=$tmp/m
	mount_weirfs b m "trace=$place/t.wt,trace_flush=50ms"
	hammer m/file 1000
	wait_for 10 written_some
	head -c 32M /dev/zero >"$place/filler" 2>/dev/null || true
	hammer m/file 50000
	unmount_weirfs "$m"
	assert_equal "$(sums "$place/t.wt" .damaged_bytes)" 0
	assert_less 0 "$(sums "$place/t.wt" '[.ops[].read] | add')"
}

written_some() {
	(($(counter trace_written) > 900))
}

# Everything up to now is in the file.
caught_up() {
	(($(counter trace_written) >= $1))
}

@test "C3: a daemon that is killed leaves all but what was last flushed" {
	local rounds=${WEIRFS_LONG:+50} round
	mkdir b m
	m=$tmp/m
	for ((round = 1; round <= ${rounds:-4}; round++)); do
		mount_weirfs b m "trace=$tmp/$round.wt,trace_flush=30ms"
		hammer m/file 1000000 2>/dev/null 3>&- &
		local load=$!
		touch "m/mark$round"
		wait_for 20 caught_up "$(performed)"
		# somewhere in the middle of things
		hammer m/other $((RANDOM % 3000))
		kill -KILL "$daemon"
		wait_for 10 gone "$daemon"
		umount -l "$m"
		wait "$load" || true
		tracecheck ops "$round.wt" >ops
		grep -q "^create .* name=mark$round" ops
		assert_equal "$(sums "$round.wt" '"\(.torn) \(.blocks_missing)"')" 'true 0' "round $round"
		assert_equal "$(sums "$round.wt" '[.ops[].read] | add')" \
			"$(sums "$round.wt" '[.ops[].written] | add')"
	done
}

@test "a flight recorder has the latest, on demand and at the end" {
	mkdir b m
	m=$tmp/m
	mount_weirfs b m "trace=$tmp/end.wt,trace_full=overwrite,trace_buffer=128KiB,trace_flush=20ms"
	touch m/first
	hammer m/file 100000
	touch m/last
	assert_fails 'being written already' weir ctl m trace dump end.wt
	weir ctl m trace dump dump.wt
	assert_fails 'no parts' weir ctl m trace rotate
	assert_accounted dump.wt
	assert_whole dump.wt
	tracecheck ops dump.wt >ops
	grep -q '^create .* name=last' ops
	refute grep -q ' name=first' ops
	assert_equal "$(sums dump.wt .unnamed)" 0
	assert_less 0 "$(sums dump.wt .ops.write.dropped)"
	assert_less "$(stat -c %s dump.wt)" 262144
	tracecheck events dump.wt >events
	grep -q '^property mountpoint ' events
	hammer m/file 1000
	touch m/very-last
	unmount_weirfs "$m"
	assert_accounted end.wt
	assert_whole end.wt
	tracecheck ops end.wt | grep -q ' name=very-last'
	zstd -tq end.wt
}
