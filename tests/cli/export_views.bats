#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weir export to timelines and tables: what jq, protoc, hyparquet and DuckDB read of it.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # bats and export.bash set and use them

bats_require_minimum_version 1.5.0
load export.bash

parquet_readers=(hyparquet@1.33.0 hyparquet-compressors@1.1.2)

# ---- timelines

# Overlaps of slices on one lane of a Chrome trace, in ns; nested ones (stages) are none.
overlaps() {
	jq -r '.traceEvents[] | select(.ph == "X" and .cat) | "\(.pid) \(.tid) \(.ts * 1000 | round) \((.ts + .dur) * 1000 | round)"' "$1" |
		sort -k1,1n -k2,2n -k3,3n -k4,4n | awk '$1 == pid && $2 == tid && $3 < end {print} {pid = $1; tid = $2; end = $4}'
}

@test "Chrome's events are valid, whole, and don't overlap on a lane" {
	need jq
	gen long.wt ops=20000 threads=16
	weir export --to chrome long.wt >long.json
	jq -e . long.json >/dev/null
	[ "$(jq '[.traceEvents[] | select(.ph == "X")] | length' long.json)" -eq 20000 ]
	[ -z "$(overlaps long.json)" ]
	# more than one lane was needed, and each has a name
	jq -e '[.traceEvents[] | select(.ph == "X") | {pid, tid}] | unique | length > 4' long.json
	jq -e '([.traceEvents[] | select(.ph == "X") | {pid, tid}] | unique)
		== ([.traceEvents[] | select(.ph == "M" and .name == "thread_name") | {pid, tid}] | unique)' long.json
	# 16 threads: never more in flight
	jq -e '[.traceEvents[] | select(.ph == "C") | .args.ops] | max > 4 and max <= 16' long.json
	jq -e '[.traceEvents[] | select(.ph == "C")] | sort_by(.ts) | last.args.ops == 0' long.json
}

@test "stages lie inside their operation" {
	need jq
	gen long.wt ops=5000
	weir export --to chrome --stages long.wt >long.json
	jq -e '[.traceEvents[] | select(.ph == "X" and .name == "hold")] | length > 100' long.json
	jq -r '.traceEvents[] | select(.ph == "X") | "\(.pid) \(.tid) \(.ts * 1000 | round) \((.ts + .dur) * 1000 | round) \(.name)"' long.json |
		awk '$5 == "service" || $5 == "hold" {if ($1 != pid || $2 != tid || $3 < from || $4 > to) exit 1; from = $4; next}
			{pid = $1; tid = $2; from = $3; to = $4}'
}

@test "Chrome's events say the awkward cases, and the bytes of names can be had back" {
	need jq
	cases
	weir export --to chrome cases.wt >cases.json
	jq -e '.otherData.mountpoint == "/mnt/\"cases\"\\xff" and .otherData.begin_unix_ns == "1700000000000000000"' cases.json
	[ "$(jq -r '[.traceEvents[].args.path_hex // empty][0]' cases.json)" = 2f6279746573fffe ]
	jq -e '[.traceEvents[] | select(.args.path == "/back\\slash \"quoted\"\n")] | length == 3' cases.json
	jq -e '[.traceEvents[] | select(.ph == "i") | .name] == ["start", "model"]' cases.json
	jq -e '[.traceEvents[] | select(.ph == "M" and .name == "process_name") | .args.name] | index("kernel") and index("worker \"1\"")' cases.json
	jq -e '.traceEvents[] | select(.args.seq == 34) | .ts == 2000 and .dur == 100 and .args.hold_ns == 80000' cases.json
}

@test "Chrome's events stop at a number of events, with a note, and stay valid" {
	need jq
	gen long.wt ops=20000
	run --separate-stderr weir export --to chrome --max-events 1000 -o cut.json long.wt
	[ "$status" -eq 0 ]
	[[ $stderr == *"stopped after"*"--max-events"* ]]
	[ "$(jq '[.traceEvents[] | select(.ph != "M")] | length' cut.json)" -eq 1000 ]
	run --separate-stderr weir export --to chrome --max-events 0 -o all.json long.wt
	[ -z "$stderr" ]
	[ "$(jq '[.traceEvents[] | select(.ph == "X")] | length' all.json)" -eq 20000 ]
}

@test "protoc decodes Perfetto's packets: a beginning and an end for each operation, lane by lane" {
	need protoc
	gen long.wt ops=5000 threads=16
	weir export --to perfetto -o long.pftrace long.wt
	protoc --decode=Trace -I "$readers" perfetto.proto <long.pftrace >decoded
	run ! grep -qE '^ *[0-9]+[:{ ]' decoded # a field that Perfetto doesn't know
	[ "$(grep -c 'type: SLICE_BEGIN' decoded)" -eq 5000 ]
	[ "$(grep -c 'type: SLICE_END' decoded)" -eq 5000 ]
	# each packet has the sequence; the first one clears the state, all others need it
	[ "$(grep -c 'trusted_packet_sequence_id: 1' decoded)" -eq "$(grep -c '^packet' decoded)" ]
	[ "$(grep -m 1 sequence_flags decoded | tr -d ' ')" = sequence_flags:1 ]
	[ "$(grep -c 'sequence_flags: 2' decoded)" -eq $(($(grep -c '^packet' decoded) - 1)) ]
	# on each track: begin, end, begin, end, in time; awk's numbers are short of the first digits
	awk '/^packet/ {at = type = track = 0} /^  timestamp/ {at = substr($2, 6)} /^    type/ {type = $2} /^    track_uuid/ {track = $2}
		/^}/ && type ~ /SLICE/ {print track, at, type}' decoded >slices
	awk '{open = $3 == "SLICE_BEGIN"} open == is_open[$1] + 0 || $2 < last[$1] {bad = 1} {is_open[$1] = open; last[$1] = $2}
		END {exit bad}' slices
	# each track of a slice is described, below a process
	awk '/^  track_descriptor/ {uuid = parent = 0} /^    uuid/ {uuid = $2} /^    parent_uuid/ {print $2}' decoded | sort -u >parents
	awk '/^  track_descriptor/ {inside = 1} inside && /^    uuid/ {print $2} /^}/ {inside = 0}' decoded | sort -u >tracks
	[ -z "$(comm -23 parents tracks)" ]
	[ -z "$(comm -23 <(cut -d ' ' -f 1 slices | sort -u) tracks)" ]
	# lengths are those of weir dump
	awk '$3 == "SLICE_BEGIN" {at[$1] = $2} $3 == "SLICE_END" {printf "%.0f %.0f\n", at[$1], $2 - at[$1]}' slices | sort >lengths
	weir dump --csv long.wt | awk -F, 'NR > 1 {printf "%.0f %.0f\n", substr($3, 6), $11}' | sort | diff -q - lengths
}

@test "Perfetto's packets say the awkward cases" {
	need protoc
	cases
	weir export --to perfetto --stages cases.wt | protoc --decode=Trace -I "$readers" perfetto.proto >decoded
	grep -qF 'string_value: "/bytes\\xff\\xfe"' decoded
	grep -qF 'string_value: "/back\\\\slash \"quoted\"\\x0a"' decoded
	grep -qF 'name: "kernel"' decoded
	grep -qF 'process_name: "worker \"1\""' decoded
	# 41 operations; 40 with a service inside, one with a hold
	[ "$(grep -c 'type: SLICE_BEGIN' decoded)" -eq 82 ]
	[ "$(grep -c 'type: SLICE_END' decoded)" -eq 82 ]
	[ "$(grep -c 'type: INSTANT' decoded)" -eq 2 ]
}

# ---- Parquet

@test "hyparquet reads the rows that weir dump prints" {
	need_npm "${parquet_readers[@]}"
	need jq
	gen long.wt ops=20000
	cases
	for trace in long cases; do
		weir export --to parquet -o $trace.parquet $trace.wt
		node "$readers/hyparquet.js" $trace.parquet |
			jq -c '[.seq, .op, .file, .offset, .size, .result, .errno, .service_ns, .hold_ns, .total_ns, .pid, .tid, .uid, .gid, .comm, .handle, .flags]
				| map(tostring)' >rows
		weir dump --json $trace.wt | jq -c 'select(.event == "op") |
			[.seq, .op, .file, .offset_bytes, .size_bytes, .result_bytes, .errno, .service_ns // -1, .hold_ns // -1, .total_ns // -1,
			 .process, .thread, .uid, .gid, .comm, .handle // 0, .flags // 0] | map(tostring)' >wanted
		[ -s wanted ]
		diff -q wanted rows
	done
	# jq's numbers are too short for this one
	node "$readers/hyparquet.js" long.parquet | jq -r .ts_ns >rows
	weir dump --csv long.wt | awk -F, 'NR > 1 {print $3}' | diff -q - rows
	node "$readers/hyparquet.js" cases.parquet >rows
	[ "$(jq -r 'select(.seq == "12").path' rows)" = '/bytes\xff\xfe' ]
	[ "$(jq -r 'select(.seq == "15").path' rows)" = '/back\\slash "quoted"\x0a' ]
	[ "$(jq -r 'select(.seq == "25").new_name' rows)" = 'new\xff' ]
	[ "$(jq -r 'select(.seq == "1").ts' rows)" = 2023-11-14T22:13:20.000Z ]
}

@test "DuckDB counts, sums and ranks as weir stat does" {
	need_npm @duckdb/node-api@1.5.6-r.1
	need jq
	gen long.wt ops=100000 drop=0
	mkdir -p "out/host=a/rank=0"
	weir export --to parquet -o "out/host=a/rank=0/part-0.parquet" long.wt
	node "$readers/duckdb.js" \
		"SELECT op, count(*)::BIGINT, sum(total_ns)::BIGINT, sum(service_ns)::BIGINT, sum(hold_ns)::BIGINT, max(total_ns) FROM 'out/**/*.parquet' GROUP BY op ORDER BY op" \
		"SELECT op, quantile_disc(total_ns, 0.5), quantile_disc(total_ns, 0.99) FROM 'out/**/*.parquet' GROUP BY op ORDER BY op" \
		"SELECT DISTINCT host, rank, typeof(ts), typeof(ts_ns) FROM read_parquet('out/**/*.parquet', hive_partitioning = true)" \
		"SELECT count(*) FROM 'out/**/*.parquet' WHERE ts_ns // 1000 <> epoch_us(ts)" \
		"SELECT decode(value) FROM parquet_kv_metadata('out/**/*.parquet') WHERE decode(key) = 'mountpoint'" \
		"SELECT count(*) FROM 'out/**/*.parquet' WHERE op = 'read' AND path LIKE '/d%' AND total_ns > 1000000" >answers
	weir stat --json long.wt >stat.json
	jq -c '.ops | sort_by(.op) | map([.op, (.ops | tostring), (.total_sum_ns | tostring), (.service_sum_ns | tostring),
		(.hold_sum_ns // 0 | tostring), (.total_max_ns | tostring)])' stat.json | diff - <(sed -n 1p answers)
	# weir's are of buckets: within 1/64
	jq -r '.[] | @tsv' <(sed -n 2p answers) >theirs
	jq -r '.ops | sort_by(.op)[] | [.op, .total_p50_ns, .total_p99_ns] | @tsv' stat.json >ours
	paste theirs ours | awk '{for (i = 2; i <= 3; i++) if ($i > $(i + 3) * 65 / 64 || $i < $(i + 3) * 63 / 64) exit 1}'
	[ "$(sed -n 3p answers)" = '[["a","0","TIMESTAMP WITH TIME ZONE","BIGINT"]]' ]
	[ "$(sed -n 4p answers)" = '[["0"]]' ]
	[ "$(sed -n 5p answers)" = '[["/mnt/gen"]]' ]
	[ "$(sed -n 6p answers)" = "[[\"$(weir dump --json --op read --path '/d*' --min 1ms long.wt |
		jq -s 'map(select(.event == "op" and .total_ns > 1000000)) | length')\"]]" ]
}
