#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weir stat, latency and top on a trace give what a mount would have given.
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

# The tables of operations and errors, without what depends on their order of equals.
operations() {
	jq -S '{ops: (.ops | sort_by(.op)), errors: (.errors | sort_by(.op, .errno))}' "$1"
}

@test "histograms, counts, sizes and errors are those that were counted outside, bucket for bucket" {
	for words in "ops=50000" "ops=50000 hold=40000" "ops=30000 threads=64 servers=2 drop=11"; do
		# shellcheck disable=SC2086 # words
		generate $words snapshot=g.snap g.wt
		weir stat --json -n 0 g.wt >by_trace.json
		weir stat --json -n 0 g.snap >by_count.json
		cmp <(operations by_trace.json) <(operations by_count.json)
		[ "$(jq '[.ops[] | .total_bins[][1]] | add' by_trace.json)" -gt 20000 ]
		weir latency --fine --json g.wt | jq .histograms >latency_trace
		weir latency --fine --json g.snap | jq .histograms >latency_count
		cmp latency_trace latency_count
	done
}

@test "the table of files adds up, also when there are more than are kept apart" {
	generate ops=1000000 files=105000 g.wt
	weir stat --json -n 50 g.wt >stat.json
	jq -e '.files | length == 50' stat.json
	jq -e '.other.files >= 104950' stat.json
	# Those without a file: lookups of names that aren't there.
	jq -e '([.files[].ops] | add) + .other.ops + (.errors[] | select(.op == "lookup") | .count)
		== ([.ops[].ops] | add)' stat.json
	jq -e '([.files[].bytes] | add) + .other.bytes == ([.ops[].bytes] | add)' stat.json
	jq -e '([.files[].total_sum_ns] | add) + .other.total_sum_ns + 0
		<= ([.ops[].total_sum_ns] | add)' stat.json
}

@test "one file's row is what happened to it" {
	generate ops=20000 files=40 g.wt
	weir dump --json g.wt >dump.json
	weir stat --json --all g.wt >stat.json
	file=$(jq .files[3].id stat.json)
	jq -s "map(select(.event == \"op\" and .file == $file))" dump.json >its.json
	jq -e --slurpfile its its.json '.files[3] as $f | $its[0] as $ops |
		($ops | length) == $f.ops and ($ops | map(.result_bytes) | add) == $f.bytes
		and ($ops | map(select(.op == "open" and .errno == 0)) | length) == $f.opens
		and ($ops | map(.total_ns) | add) == $f.total_sum_ns
		and ($ops | map(.total_ns) | max) == $f.total_max_ns
		and ($ops | map(.service_ns) | min) == $f.service_min_ns' stat.json
	# Sequential: it began where the one before of the same open file had ended, and not at 0.
	jq -e --slurpfile its its.json '.files[3].sequential_ops as $said |
		[$its[0] | map(select((.op == "read" or .op == "write") and .errno == 0)) |
			group_by(.handle)[] | sort_by(.backed_ns) |
			. as $h | range(1; length) |
			select($h[. - 1].offset_bytes + $h[. - 1].result_bytes == $h[.].offset_bytes
				and $h[.].offset_bytes != 0)] | length == $said and $said > 0' stat.json
	path=$(jq -r .files[3].path stat.json)
	weir latency --json --file "$path" g.wt >latency.json
	jq -e --slurpfile its its.json '[.histograms[].total_samples] | add == ($its[0] | length)' latency.json
}

@test "intervals add up to the whole, whatever their length" {
	generate ops=30000 hold=100000 g.wt
	weir stat --json -n 0 g.wt >stat.json
	for interval in 50ms 137ms 1s 1h; do
		weir top -o json -n 5 g.wt "$interval" >top.jsonl
		jq -s '[.[] | select(.report == "interval") | .ops[]] | group_by(.op) |
			map({op: .[0].op, ops: (map(.ops) | add), errors: (map(.errors) | add),
			     bytes: (map(.bytes) | add), total: (map(.total_samples) | add),
			     time: (map(.total_sum_ns) | add), held: (map(.hold_samples // 0) | add)})' top.jsonl >sums
		jq '[.ops | sort_by(.op)[] | {op, ops, errors, bytes, total: .total_samples,
			time: .total_sum_ns, held: (.hold_samples // 0)}]' stat.json >whole
		cmp sums whole
		jq -s '[.[] | select(.report == "final") | .ops | sort_by(.op)[] |
			{op, ops, errors, bytes, total: .total_samples, time: .total_sum_ns,
			 held: (.hold_samples // 0)}]' top.jsonl >final
		cmp final whole
		jq -es '([.[] | select(.report == "interval") | .interval_ns] | add) ==
			(.[] | select(.report == "final") | .interval_ns)' top.jsonl
	done
}

@test "a count ends it, and a stretch without operations is one interval" {
	generate ops=100 threads=1 files=2 think=10000000 seed=1 a.wt
	[ "$(weir top -o json a.wt 100ms 3 | wc -l)" -eq 3 ]
	generate ops=100 threads=1 files=2 begin=1767229200 seed=2 b.wt
	cat a.wt b.wt >far.wt
	weir top -o json far.wt 100ms >top.jsonl
	[ "$(wc -l <top.jsonl)" -lt 40 ]
	jq -es '[.[] | select(.interval_ns > 3000000000000 and .report == "interval")] | length == 1' top.jsonl
	jq -es '[.[] | select(.report == "interval") | .ops[].ops] | add == 200' top.jsonl
	run weir top a.wt 200ms
	[ "$status" -eq 0 ]
	[[ $output == *"in flight on average"* ]]
	[[ $output == *"all that was watched"* ]]
}

@test "a queue shows in the total time, and not in the service time" {
	for threads in 1 64; do
		generate ops=20000 threads=$threads servers=1 service=100000 think=1000 g$threads.wt
		weir stat --json -n 0 g$threads.wt >$threads.json
	done
	p50() { jq ".ops[] | select(.op == \"read\") | .$2" "$1.json"; }
	alone=$(p50 1 service_p50_ns) crowd=$(p50 64 service_p50_ns)
	((crowd > alone * 95 / 100 && crowd < alone * 105 / 100))
	alone=$(p50 1 total_p50_ns) crowd=$(p50 64 total_p50_ns)
	((alone < 110000))
	((crowd > alone * 50 && crowd < alone * 70))
	# As many as there are threads are under way.
	weir top g64.wt 1s | grep -E ', 6[34]\.[0-9] in flight'
}

@test "windows divide a trace without a rest" {
	generate ops=20000 g.wt
	all=0
	for window in "--to 100ms" "--from 100ms --to 0.3" "--from 300ms"; do
		# shellcheck disable=SC2086 # words
		n=$(weir stat --json -n 0 $window g.wt | jq '[.ops[].ops] | add')
		((n > 0))
		all=$((all + n))
		# shellcheck disable=SC2086 # words
		[ "$(weir latency --json $window g.wt | jq '[.histograms[].total_samples] | add')" -eq "$n" ]
		# shellcheck disable=SC2086 # words
		[ "$(weir top -o json -n 0 $window g.wt | jq -s '.[-1].ops | map(.ops) | add')" -eq "$n" ]
	done
	[ "$all" -eq 20000 ]
}

@test "the heat map has every operation once" {
	generate ops=30000 hold=40000 g.wt
	for columns in 30 80 200; do
		COLUMNS=$columns weir latency --heat --json g.wt >heat.json
		jq -e '[.panels[].cells[][3]] | add == 30000' heat.json
		jq -e '.columns as $n | all(.panels[].cells[]; .[0] < $n and (.[2] == null or .[1] < .[2]))' heat.json
	done
	[ "$(weir latency --heat --duration hold --json g.wt | jq '[.panels[].cells[][3]] | add')" -eq \
		"$(weir stat --json g.wt | jq '[.ops[].hold_samples // 0] | add')" ]
	NO_COLOR=1 weir latency --heat g.wt >text
	# By rows as well: the numbers behind them.
	[ "$(sed -n 's/.*| \([0-9]*\)$/\1/p' text | paste -sd+ | bc)" -eq 30000 ]
	weir latency --heat --op read --color=always g.wt | grep -q $'\e\[48;5;'
	[ "$(weir latency --heat --op read g.wt | grep -c 'operations by total time')" -eq 1 ]
}

@test "a trace is known by its bytes, in a file, a directory and a pipe" {
	generate ops=5000 g.wt
	mkdir parts
	cp g.wt parts/odd.name
	weir stat --json g.wt | jq .ops >wanted
	weir stat --json parts | jq .ops | cmp wanted -
	weir stat --json - <g.wt | jq .ops | cmp wanted -
	# shellcheck disable=SC2002 # a pipe is wanted
	cat g.wt | weir stat --json - | jq .ops | cmp wanted -
	weir stat --save - g.wt | weir stat --json - | jq .ops | cmp wanted -
	weir stat g.wt >text
	grep -q '^trace     .*/g.wt, of /mnt/gen$' text
	grep -qE '^size      .* bytes an operation$' text
}

@test "what is damaged is left out, and said" {
	generate ops=30000 block=65536 g.wt
	head -c $(($(stat -c %s g.wt) - 70000)) g.wt >cut.wt
	for command in stat latency top "latency --heat"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr weir $command cut.wt
		[ "$status" -eq 1 ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == *"damaged"* ]]
		[[ $output == *read* ]]
	done
}

@test "windows and heat maps are refused where there is no trace" {
	snapshots empty
	for words in "stat --from 1s" "latency --to 1s" "latency --heat"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr weir $words empty.snap
		is_usage_error "weir ${words%% *} --help"
	done
}
