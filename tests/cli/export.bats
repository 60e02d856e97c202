#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weir export, and what fio and HdrHistogram read of it, held against weir dump and stat.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # bats and export.bash set and use them

bats_require_minimum_version 1.5.0
load export.bash

# ---- the command

@test "a format that isn't there, two durations and no trace are errors of usage" {
	cases
	for words in "cases.wt" "--to nothing cases.wt" "--to hlog" "--to hgrm -d total,hold cases.wt" \
		"--to hgrm -d long cases.wt" "--to hlog --interval 0 cases.wt" "--to chrome --max-events x cases.wt"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr weir export $words
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == *"(try 'weir export --help')" ]]
	done
}

@test "every format is in --help, the page and the completion" {
	for format in "${formats[@]}"; do
		weir export --help | grep -qE "^  $format  "
		grep -qE "^\.It Cm $format\$" "$abs_top_srcdir/man/weir.1"
		grep -qw -- "$format" "$abs_top_srcdir/data/completions/weir"
	done
}

@test "binary formats don't go to a terminal" {
	need script
	cases
	for format in perfetto parquet; do
		run script -qec "weir export --to $format cases.wt" /dev/null
		[ "$status" -eq 2 ]
		[[ $output == *"say -o FILE"* ]]
	done
}

@test "an empty trace, and one that is damaged, give valid files" {
	need jq
	tracegen ops=0 empty.wt
	gen whole.wt ops=30000 block=65536
	head -c 300000 whole.wt >cut.wt
	for format in "${formats[@]}"; do
		weir export --to "$format" -o "empty.$format" empty.wt
		run --separate-stderr weir export --to "$format" -o "cut.$format" cut.wt
		[ "$status" -eq 1 ]
		[[ $stderr == *cut.wt* ]]
		[ -s "cut.$format" ]
	done
	jq -e '.traceEvents | length > 1000' cut.chrome
	jq -e '.traceEvents | length < 10' empty.chrome
	jq -e '.jobs[0].read.total_ios > 1000' cut.fio-json
	jq -e '.jobs[0].read.total_ios == 0' empty.fio-json
	for file in empty cut; do
		[ "$(head -c 4 $file.parquet)" = PAR1 ]
		[ "$(tail -c 4 $file.parquet)" = PAR1 ]
	done
}

@test "any numbers and names give valid files" {
	need jq
	traceall all.wt
	for format in "${formats[@]}"; do
		weir export --to "$format" -o "all.$format" --stages all.wt
	done
	jq -e '[.traceEvents[] | select(.ph == "X" and .cat)] | length == 411' all.chrome
	jq -e '.jobs[0].write.total_ios > 0' all.fio-json
	[ "$(wc -l <all.heatmap)" -eq 401 ] # 10 are forgets
}

@test "the output replaces a file when it is whole, and goes to pipes" {
	cases
	echo old >out
	run --separate-stderr weir export --to heatmap -o out not-there.wt
	[ "$status" -eq 1 ]
	[ "$(cat out)" = old ]
	weir export --to heatmap -o out cases.wt
	weir export --to heatmap - <cases.wt | cmp - out
	weir export --to heatmap -o - cases.wt | cmp - out
	weir export --to heatmap -o /dev/stdout cases.wt | cmp - out
	[ ! -e out.part ]
	# over the trace itself
	weir export --to heatmap -o cases.wt cases.wt
	cmp cases.wt out
	run --separate-stderr weir export --to heatmap -o no/where out
	[ "$status" -eq 1 ]
	[[ $stderr == *no/where* ]] || [[ $stderr == *out* ]]
}

@test "a full disk is said, and a closed pipe isn't" {
	[ -c /dev/full ] || skip "there is no /dev/full"
	gen long.wt ops=30000
	for format in "${formats[@]}"; do
		run --separate-stderr weir export --to "$format" -o /dev/full long.wt
		[ "$status" -eq 1 ]
		[[ $stderr == *"No space left on device"* ]]
		weir export --to "$format" long.wt 2>said | head -c 100 >/dev/null
		run ! grep -q -i pipe said
	done
}

@test "filters choose operations for every format" {
	need jq
	gen long.wt ops=20000
	wanted=$(weir dump --json --op read --min 1ms --from 10ms --to 1s long.wt | grep -c '"event": "op"')
	((wanted > 10))
	words=(--op read --min 1ms --from 10ms --until 1s)
	[ "$(weir export --to heatmap "${words[@]}" long.wt | wc -l)" -eq "$wanted" ]
	[ "$(weir export --to heatmap --op read --min 1ms --from 10ms --to 1s long.wt | wc -l)" -eq "$wanted" ]
	[ "$(weir export --to chrome "${words[@]}" long.wt | jq '[.traceEvents[] | select(.ph == "X")] | length')" -eq "$wanted" ]
	weir export --to hgrm "${words[@]}" long.wt | grep -qE "Total count += +$wanted\]"
}

# ---- fio's I/O log

@test "fio-iolog says the awkward cases in fio's words, to the letter, and what it left out" {
	cases
	weir export --to fio-iolog cases.wt >got 2>notes
	cat >wanted <<'END_OF_LOG'
fio version 3 iolog
0 with%20blank add
0 with%20blank open
0 with%20blank read 0 100
109 plain add
109 plain open
119 plain read 4096 4096
149 plain close
219 with%20blank read 4096 4096
309 100%25 add
309 100%25 open
319 100%25 read 4096 4096
349 100%25 close
409 bytesXX add
409 bytesXX open
419 bytesXX read 4096 4096
449 bytesXX close
509 back\slash%20"quoted"%0a add
509 back\slash%20"quoted"%0a open
519 back\slash%20"quoted"%0a read 4096 4096
549 back\slash%20"quoted"%0a close
609 weirfs-file-6 add
609 weirfs-file-6 open
619 weirfs-file-6 read 4096 4096
649 weirfs-file-6 close
709 weirfs-file-7 add
709 weirfs-file-7 open
719 weirfs-file-7 read 4096 4096
749 weirfs-file-7 close
999 new.tmp add
999 new.tmp open
1019 new.tmp write 0 512
1059 new.tmp write 512 512
1079 new.tmp datasync 0 0
1099 new.tmp sync 0 0
1199 plain open
1199 plain trim 65536 4096
1219 plain write 1 1073741824
1219 plain write 1073741825 1073741824
1219 plain write 2147483649 1073741824
1219 plain write 3221225473 1073741824
1219 plain write 4294967297 1073741824
1219 plain write 5368709121 7
1999 plain read 0 4096
2009 plain read 0 4096
2014 plain read 0 4096
2029 plain read 0 4096
2199 plain write 0 4096
2999 plain read 0 4096
2999 with%20blank close
2999 plain close
2999 new.tmp close
END_OF_LOG
	LC_ALL=C sed 's/bytes\xff\xfe/bytesXX/' got | diff -u wanted -
	cat >wanted <<'END_OF_NOTES'
weir export: left out, as the format has no word for them: 1 forget, 1 mkdir, 1 rename, 1 fallocate
weir export: files with blanks, controls or % in their names, written as %XX: 3
weir export: files with names above 256 bytes, called weirfs-file-N: 1
weir export: files without a name, called weirfs-file-N: 1
weir export: reads and writes of no bytes (at the end of a file), left out: 1
weir export: operations that failed, left out: 1
weir export: operations of 4 GiB and more, cut into pieces of 1 GiB: 1
END_OF_NOTES
	diff -u wanted notes
}

@test "files of different traces aren't taken for each other" {
	cases
	gen long.wt ops=2000
	weir export --to fio-iolog cases.wt long.wt >both 2>/dev/null
	weir export --to fio-iolog long.wt >long 2>/dev/null
	weir export --to fio-iolog cases.wt >short 2>/dev/null
	names() {
		awk 'FNR > 1 {print $2}' "$@" | sort -u
	}
	diff <(names long short) <(names both)
}

# Makes what the log at $1 reads or writes, so that fio finds it.
make_files() {
	awk 'NF == 3 {end[$2] += 0} NF == 5 && $4 + $5 > end[$2] {end[$2] = $4 + $5}
		END {for (name in end) printf "%s %d\n", name, end[name]}' "$1" |
		while read -r name size; do
			mkdir -p "$(dirname "target/$name")"
			truncate -s "$size" "target/$name"
		done
}

@test "fio replays the log: every read, write and sync, at the recorded times" {
	need fio
	need jq
	gen long.wt ops=4000
	weir export --to fio-iolog -o long.iolog long.wt 2>/dev/null
	make_files long.iolog
	(cd target && timeout 60 fio --name=replay --read_iolog=../long.iolog --ioengine=psync \
		--output-format=json --output=../fio.json)
	# as many as the log has, which are those that weir dump shows
	jq -r '.jobs[0] | .error, .read.total_ios, .read.io_bytes, .write.total_ios, .write.io_bytes, .sync.total_ios' \
		fio.json >got
	awk '{n[$3]++; bytes[$3] += $5}
		END {printf "0\n%d\n%d\n%d\n%d\n%d\n", n["read"], bytes["read"], n["write"], bytes["write"], n["sync"] + n["datasync"]}' \
		long.iolog >wanted
	diff wanted got
	weir dump --json long.wt | jq -s -r 'map(select(.event == "op" and .errno == 0 and .result_bytes > 0))
		| (map(select(.op == "read")) | length, (map(.result_bytes) | add)),
		  (map(select(.op == "write")) | length, (map(.result_bytes) | add))' >dumped
	diff <(sed -n 2,5p wanted) dumped
	# no faster than recorded
	last=$(awk 'END {print int($1 / 1000)}' long.iolog)
	[ "$(jq '.jobs[0].job_runtime' fio.json)" -ge $((last * 9 / 10)) ]
}

# ---- fio's report

@test "fio-json has the keys of fio's own report, and its bins" {
	need fio
	need jq
	gen long.wt ops=20000
	weir export --to fio-json -o ours.json long.wt 2>/dev/null
	fio --name=small --directory=. --size=256k --rw=randrw --fsync=8 --output-format=json+ --output=theirs.json
	# shellcheck disable=SC2016 # jq's
	keys='del(.. | .bins?) | del(.jobs[]."job options") | del(.disk_util) | [paths(scalars) | map(tostring) | join("/")] | sort | .[]'
	diff <(jq -r "$keys" theirs.json) <(jq -r "$keys" ours.json | grep -vx 'written by')
	# the bins are fio's: by its formula, from the durations that weir dump shows
	weir dump --csv --op read long.wt |
		awk -F, 'NR > 1 && $17 == 0 {
			e = 0; v = $11
			while (v >= 128) {v = int(v / 2); e++}
			bins[e ? v * 2 ^ e + 2 ^ (e - 1) : v]++
		} END {for (bin in bins) printf "%d %d\n", bin, bins[bin]}' | sort -n >wanted
	jq -r '.jobs[0].read.clat_ns.bins | to_entries[] | "\(.key) \(.value)"' ours.json >got
	diff wanted got
	weir dump --csv --op read long.wt | awk -F, 'NR > 1 && $17 == 0 {n++; bytes += $16; ns += $11}
		END {printf "%d %d %.6f\n", n, bytes, ns / n}' >wanted
	jq -r '.jobs[0].read | "\(.total_ios) \(.io_bytes) \(.clat_ns.mean)"' ours.json | awk '{printf "%d %d %.6f\n", $1, $2, $3}' |
		diff wanted -
	jq -e '.jobs[0] | [.latency_ns, .latency_us, .latency_ms] | map(add) | add | . > 99.99 and . < 100.01' ours.json
	jq -e '.jobs[0].iodepth_level | add | . > 99.99 and . < 100.01' ours.json
}

@test "fio-json can be about another duration" {
	need jq
	gen long.wt ops=20000
	for duration in service hold total; do
		weir export --to fio-json -d $duration long.wt 2>/dev/null | jq '.jobs[0].write.clat_ns.max' >got
		[ "$(cat got)" = "$(weir dump --json --op write long.wt |
			jq -s "map(select(.event == \"op\" and .errno == 0).${duration}_ns) | max")" ]
	done
}

# ---- HdrHistogram

@test "HdrHistogram's reader finds every operation in the log, and the percentiles of hgrm" {
	need_npm hdr-histogram-js@3.0.1
	need jq
	gen long.wt ops=50000
	weir export --to hlog --interval 500ms long.wt >long.hlog
	weir export --to hgrm long.wt >long.hgrm
	[ "$(weir stat --json long.wt | jq '[.ops[].op] | index("forget")')" = null ] # hgrm has none
	node "$readers/histograms.js" long.hlog >by_js
	weir stat --json long.wt | jq -r '.ops[] | . as $op | ("service", "hold", "total")
		| select($op[. + "_samples"]) | "# \($op.op).\(.) \($op[. + "_samples"])"' | LC_ALL=C sort >wanted
	grep -E '^# [a-z_]+\.' by_js | LC_ALL=C sort | diff wanted -
	# The last digit of a percentile is rounded in other ways there: 12 decimals and 11.
	shorten='s/^( *[0-9.]+ [0-9]\.[0-9]{11})[0-9]/\1/'
	diff <(grep -v '^# ' by_js | sed -E "$shorten") <(sed -E "$shorten" long.hgrm) >differ || true
	# what differs, differs only there
	[ "$(grep -c '^[<>]' differ)" -le 4 ]
	diff <(grep -v '^# ' by_js | awk '{$2 = ""; print}') <(awk '{$2 = ""; print}' long.hgrm)
}

@test "the log has its head, and an interval for each that had operations" {
	cases
	weir export --to hlog -d total --op read cases.wt >got 2>notes
	sed -E 's/HIST.*/HIST/' got >short
	cat >wanted <<'END_OF_LOG'
#[Histogram log format version 1.3]
#[/mnt/"cases"\\xff]
#[weirfs: values in ns, 3 significant digits, an interval_max in ms; tags are OPERATION.DURATION]
#[StartTime: 1700000000.000 (seconds since epoch), Tue Nov 14 22:13:20 UTC 2023]
#[BaseTime: 1700000000.000 (seconds since epoch)]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
Tag=read.total,0.000,1.000,0.100,HIST
Tag=read.total,7200.000,0.003,3600000.000,HIST
END_OF_LOG
	diff -u wanted short
	grep -qE '^Tag=read.total,0.000,.*,HISTFAAA[A-Za-z0-9+/]+=*$' got
	[ "$(cat notes)" = "weir export: durations above an hour counted as an hour: 1" ]
}

# ---- heat map

@test "the heat map has two columns of microseconds" {
	cases
	weir export --to heatmap cases.wt >got
	[ "$(head -n 2 got | tr '\n' ';')" = "6.000 5.000;115.000 5.000;" ]
	[ "$(tail -n 1 got)" = "7200003000.000 7200000000.000" ]
	[ "$(wc -l <got)" -eq 40 ] # all but the forget
	[ "$(weir export --to heatmap -d hold cases.wt 2>notes)" = "2100.000 80.000" ]
	[ "$(cat notes)" = "weir export: operations without a reply, left out: 1" ]
}
