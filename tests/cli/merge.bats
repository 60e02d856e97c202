#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weir merge: parts one after the other, several traces by the clock.
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

ops() {
	weir dump --json "$1" | jq -c 'select(.event == "op")'
}

# What must survive of an operation, whatever ids and clocks.
essence() {
	jq -c '[.op, .arrive_unix_ns, .service_ns, .hold_ns, .total_ns, .path, .name, .new_name,
		.parent_path, .new_parent_path, .offset_bytes, .size_bytes, .result_bytes, .errno, .thread]'
}

@test "parts of a trace become one, in the order of time whatever they are called" {
	generate ops=40000 files=200 block=65536 whole.wt
	frame=$(LC_ALL=C grep -obUaP '\x28\xb5\x2f\xfd' whole.wt | cut -d: -f1 | sed -n 4p)
	head -c "$frame" whole.wt >z.wt
	tail -c +$((frame + 1)) whole.wt >a.wt
	weir merge -o out.wt a.wt z.wt
	ops out.wt >got
	ops whole.wt | cmp - got
	[ "$(weir dump out.wt | sed -n 1p)" = "$(weir dump whole.wt | sed -n 1p)" ]
	# A directory is in the order of its names.
	mkdir parts
	mv z.wt parts/t.9
	mv a.wt parts/t.10
	weir merge parts >out2.wt
	ops out2.wt | cmp - got
}

@test "traces of several mounts are sorted by the wall clock and kept apart" {
	generate ops=20000 seed=1 mount=/mnt/a block=65536 a.wt
	generate ops=15000 seed=2 mount=/mnt/b hold=30000 b.wt
	weir merge -o out.wt a.wt b.wt
	weir dump --json out.wt >all.json
	jq -c 'select(.event == "op")' all.json >merged
	[ "$(wc -l <merged)" -eq 35000 ]
	jq -r .done_ns merged | sort -nc
	# Each half is what it was, but for the prefix.
	for mount in a b; do
		grep "\"/mnt/${mount}[/\"]" merged | sed "s|\"/mnt/$mount/|\"/|g; s|\"/mnt/$mount\"|\"/\"|g" |
			essence >got
		ops $mount.wt | essence | cmp - got
	done
	# Ids never meet: a file of one path has one id, and the reverse.
	jq -r 'select(.file != 0) | "\(.file) \(.path[0:6])"' merged | sort -u | cut -d' ' -f1 | uniq -d >twice
	[ ! -s twice ]
	jq -r 'select(.handle) | "\(.handle) \(.path[0:6])"' merged | sort -u | cut -d' ' -f1 | uniq -d >twice
	[ ! -s twice ]
	[ "$(jq -r .seq merged | sort | uniq -d | wc -l)" -eq 0 ]
	jq -es 'any(.[]; .event == "property" and .name == "1.mountpoint" and .value == "/mnt/b")' all.json
	jq -es 'any(.[]; .event == "mark" and .text == "[/mnt/a] tracegen")' all.json
}

@test "histograms of the merged trace are the sum of those of its parts" {
	generate ops=20000 seed=1 drop=10 a.wt
	generate ops=15000 seed=2 drop=7 b.wt
	weir merge -o out.wt a.wt b.wt
	for trace in a b out; do
		weir stat --json -n 0 $trace.wt >$trace.json
	done
	jq -s '[.[0].ops[], .[1].ops[]] | group_by(.op) | map({op: .[0].op, ops: (map(.ops) | add),
		bins: ([.[].total_bins[]] | group_by(.[0]) | map([.[0][0], (map(.[1]) | add)]))})' a.json b.json >sum
	jq '.ops | sort_by(.op) | map({op, ops, bins: .total_bins})' out.json >merged
	cmp sum merged
	[ "$(jq .counters.trace_dropped_ops out.json)" -eq $((2000 + 2142)) ]
}

@test "prefixes are as asked, and numbers where the mount points don't differ" {
	generate ops=100 seed=1 mount=/mnt/a a.wt
	generate ops=100 seed=2 mount=/mnt/a b.wt
	weir merge -o auto.wt a.wt b.wt
	ops auto.wt | jq -r .path | grep -v null | cut -c1-3 | sort -u | diff - <(printf '/0/\n/1/\n')
	weir merge --prefix mount -o mount.wt a.wt b.wt
	run ! grep -v '^/mnt/a/d' <(ops mount.wt | jq -r .path | grep -v null)
	weir merge --prefix none -o none.wt a.wt b.wt
	run ! grep -v '^/d' <(ops none.wt | jq -r .path | grep -v null)
}

@test "an offset moves a clock" {
	generate ops=1000 seed=1 a.wt
	generate ops=1000 seed=2 b.wt
	weir merge -o out.wt --offset b.wt=+2ms a.wt b.wt
	jq -s 'map(.arrive_unix_ns) | min' <(ops b.wt) >before
	jq -s 'map(select(.path // "" | startswith("/1")) | .arrive_unix_ns) | min' <(ops out.wt) >after
	# jq rounds to 53 bits: 256 ns here.
	moved=$(echo "$(cat after) - $(cat before)" | bc)
	((moved > 1990000 && moved < 2010000))
	weir merge -o one.wt --offset a.wt=-1h a.wt
	[ "$(weir dump one.wt | sed -n 2p)" = '# begins 2025-12-31T23:00:00.000000000Z' ]
	jq -r .done_ns <(ops out.wt) | sort -nc
}

@test "many traces at once stay sorted and complete" {
	words=()
	for i in $(seq 1 20); do
		generate ops=2000 files=50 seed="$i" mount="/m$i" block=8192 "t$i.wt"
		words+=("t$i.wt")
	done
	weir merge "${words[@]}" >out.wt
	ops out.wt >merged
	[ "$(wc -l <merged)" -eq 40000 ]
	jq -r .done_ns merged | sort -nc
	# Files stay known, however long ago their block began.
	run ! grep -F '"path": "?"' merged
	for i in 1 20; do
		grep -F "\"/m$i/" merged | sed "s|\"/m$i/|\"/|g" | essence >got
		ops "t$i.wt" | jq -c 'select(.path // .parent_path | test("^/[^/]+"))' | essence | cmp - got
	done
}

@test "every name and argument survives" {
	"$abs_top_builddir/tests/lib/traceall" all.wt
	generate ops=100 b.wt
	weir merge -o out.wt all.wt b.wt
	ops all.wt | jq -cS '[.name, .name_hex, .new_name_hex, .target, .xattr_hex, .hash, .comm, .mode, .flags,
		.set_mtime_ns, .lock_end, .count, .errno, .injected, .service_ns, .total_ns]' | sort >wanted
	ops out.wt | jq -cS 'select(.thread < 4003 and .comm != "load-4000") | [.name, .name_hex, .new_name_hex, .target, .xattr_hex,
		.hash, .comm, .mode, .flags, .set_mtime_ns, .lock_end, .count, .errno, .injected,
		.service_ns, .total_ns]' | sort >got
	cmp wanted got
}

@test "damage in one input is said, and the rest is merged" {
	generate ops=20000 seed=1 block=65536 a.wt
	generate ops=20000 seed=2 b.wt
	head -c 200000 a.wt >cut.wt
	run --separate-stderr weir merge -o out.wt cut.wt b.wt
	[ "$status" -eq 1 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *cut.wt*damaged* ]]
	weir dump out.wt >/dev/null
}

@test "bad usage is said in one line" {
	generate ops=100 a.wt
	for words in "" "--prefix x a.wt" "--offset a.wt a.wt" "--offset b.wt=1s a.wt" "--offset a.wt=x a.wt" "- -"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr weir merge $words
		is_usage_error "weir merge --help"
	done
	run --separate-stderr weir merge -o a.wt a.wt
	[ "$status" -eq 1 ]
	[[ $stderr == *"a.wt: File exists"* ]]
	run --separate-stderr weir merge a.wt nothing
	[ "$status" -eq 1 ]
	[[ $stderr == "weir merge: nothing: No such file"* ]]
}
