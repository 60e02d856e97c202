#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weir salvage: what is whole in a damaged trace becomes a whole one.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # bats and tool.bash set and use them

bats_require_minimum_version 1.5.0
load tool

setup() {
	export PATH=$abs_top_builddir:$PATH
	cd "$BATS_TEST_TMPDIR" || return 1
}

generate() {
	"$abs_top_builddir/tests/lib/tracegen" "$@"
}

# Everything but the ends and counts, which are made anew.
events() {
	weir dump --json "$1" | jq -c 'select(.event != "counts" and .event != "end")' || true
}

@test "a whole trace comes out as it was" {
	"$abs_top_builddir/tests/lib/traceall" all.wt
	generate ops=50000 files=500 drop=100 g.wt
	for trace in all g; do
		run --separate-stderr weir salvage $trace.wt $trace.new
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[[ $output == *"operations salvaged; nothing was damaged" ]]
		weir dump $trace.new >/dev/null
		zstd -tq $trace.new
		events $trace.wt | jq -c 'select(.event != "mark")' | sort >wanted
		events $trace.new | jq -c 'select(.event != "mark")' | sort >got
		cmp wanted got
		[ "$(events $trace.new | jq -c 'select(.event == "mark" and .name == "salvage")' | wc -l)" -eq 1 ]
		[ "$(weir dump --stat --json $trace.new | jq .counters.trace_dropped_ops)" -eq \
			"$(weir dump --stat --json $trace.wt | jq .counters.trace_dropped_ops)" ]
	done
}

@test "of a damaged trace every whole block comes out, and the result is whole" {
	generate ops=50000 files=500 block=65536 g.wt
	size=$(stat -c %s g.wt)
	{
		head -c $((size / 3)) g.wt
		head -c 500 /dev/zero
		tail -c +$((size / 2)) g.wt | head -c $((size / 3))
	} >bad.wt
	run ! weir dump bad.wt
	run --separate-stderr weir salvage bad.wt good.wt
	[ "$status" -eq 0 ]
	[[ $output == *"damaged"*"missing"* ]]
	weir dump good.wt >text
	events bad.wt | jq -c 'select(.event == "op")' >wanted
	events good.wt | jq -c 'select(.event == "op")' >got
	cmp wanted got
	[ "$(wc -l <got)" -gt 20000 ]
	# Exactly as many are counted as lost as the blocks behind them tell.
	weir dump --stat --json good.wt >stat.json
	jq -e '.counters | .trace_dropped_ops > 1000 and .trace_damaged_bytes == 0' stat.json
	events good.wt | jq -es 'any(.[]; .event == "mark" and .name == "salvage" and (.text | test("missing")))'
}

@test "what is missing in the middle is counted to the last operation" {
	generate ops=50000 files=500 block=65536 g.wt
	frames=$(LC_ALL=C grep -obUaP '\x28\xb5\x2f\xfd' g.wt | cut -d: -f1 | head -n 4)
	# shellcheck disable=SC2086 # words
	set -- $frames
	{
		head -c "$3" g.wt
		tail -c +$(($4 + 1)) g.wt
	} >hole.wt
	weir salvage hole.wt good.wt
	jq -s '.[0].counters.trace_ops + .[1].counters.trace_dropped_ops' \
		<(weir dump --stat --json hole.wt 2>/dev/null) <(weir dump --stat --json good.wt) >sum
	[ "$(cat sum)" -eq 50000 ]
}

@test "it goes through pipes, and what it has to say then goes to standard error" {
	generate ops=5000 g.wt
	# shellcheck disable=SC2002 # a pipe is wanted
	cat g.wt | weir salvage - - 2>said >out.wt
	grep -q '^5000 operations salvaged' said
	weir dump out.wt | grep -v '^#' | cmp - <(weir dump g.wt | grep -v '^#')
}

@test "nothing is written over, and a failure leaves nothing" {
	generate ops=500 g.wt
	echo precious >kept
	run --separate-stderr weir salvage g.wt kept
	[ "$status" -eq 1 ]
	[[ $stderr == *"kept: File exists"* ]]
	[ "$(cat kept)" = precious ]
	echo nonsense >bad.wt
	run --separate-stderr weir salvage bad.wt out.wt
	[ "$status" -eq 1 ]
	[ ! -e out.wt ]
	run --separate-stderr weir salvage g.wt
	is_usage_error "weir salvage --help"
	[ -c /dev/full ] || return 0
	run --separate-stderr bash -c 'weir salvage g.wt - >/dev/full'
	[ "$status" -eq 1 ]
}
