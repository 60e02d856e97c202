#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weir stat on snapshots whose numbers are known.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # bats and tool.bash set and use them

bats_require_minimum_version 1.5.0
load tool

setup() {
	snapshots awkward held empty many
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "the tables are as they should be, to the letter" {
	weir stat - <awkward.snap >got
	sed 's/ *$//' got >trimmed
	cat >wanted <<'END'
mount     -
source    /real \xff\x0a
daemon    weirfs 9.9.9, pid 4242
up        1 d 02:03:04, counted for the last 1 d 02:03:04
mode      cache auto
now       3 in flight, 2 held (8.00 KiB)

                                ---- service ----  ------------------- total -------------------
op       ops  errors     bytes      p50       p99      p50      p95       p99     p99.9      max  time%
read    1000       0  3.91 MiB   251 us    494 us   502 us   946 us    987 us   1.00 ms  1.00 ms   79.7
write     50       3  3.12 MiB  1.25 ms  ~2.50 ms  2.51 ms  4.82 ms  ~5.00 ms  ~5.00 ms  5.00 ms   20.3
lookup     5       3       0 B  2.99 us  ~5.00 us  5.98 us  10.0 us  ~10.0 us  ~10.0 us  10.0 us    0.0

op      error   count  meaning
lookup  ENOENT      3  No such file or directory
write   ENOSPC      2  No space left on device
write   3999        1

 ops    bytes  reads  writes  seq%       p99     time  errors  file
 104  656 KiB    100       4    48   1.00 ms  4.50 ms       3  /plain.db
  90  360 KiB     90       0    50  ~5.00 us   450 us       0  /two\x0alines (deleted)
  80  320 KiB     80       0    50  ~5.00 us   400 us       0  /not\xff\xfeutf8 (3 names)
  70  280 KiB     70       0    50  ~5.00 us   350 us       0  /say "hi"
  60  240 KiB     60       0    50  ~5.00 us   300 us       0  /back\\slash
  50  200 KiB     50       0    50  ~5.00 us   250 us       0  /esc\x1b[31mred\x07\x7f
  40  160 KiB     40       0    50  ~5.00 us   200 us       0  /grüß
  30  120 KiB     30       0    50  ~5.00 us   150 us       0  /\xe2\x80\xaegpj
2000      0 B      0       0     -   7.00 us  14.0 ms       0  (other: 1234 files)

~ p99 of fewer than 100 samples, p99.9 of fewer than 1,000
END
	diff -u wanted trimmed
}

@test "the tables hold no control character but the newline" {
	run bash -c "weir stat --all awkward.snap | LC_ALL=C tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]'"
	[ "$output" = 0 ]
}

@test "awkward names come through JSON byte by byte" {
	weir stat --json awkward.snap >stat.json
	# Valid UTF-8 round trips by itself, other bytes as hexadecimal.
	jq -e '.files[] | select(.path == "/two\nlines")' stat.json >/dev/null
	jq -e '.files[] | select(.path == "/say \"hi\"")' stat.json >/dev/null
	jq -e '.files[] | select(.path == "/back\\slash")' stat.json >/dev/null
	jq -e '.files[] | select(.path == "/esc\u001b[31mred\u0007\u007f")' stat.json >/dev/null
	jq -e '.files[] | select(.path == "/gr\u00fc\u00df")' stat.json >/dev/null
	jq -e '.files[] | select(.path == "/\u202egpj")' stat.json >/dev/null
	hex=$(jq -r '.files[] | select(.path_hex) | .path_hex' stat.json)
	[ "$hex" = "$(printf '/not\xff\xfeutf8' | od -An -tx1 | tr -d ' \n')" ]
	[ "$(jq -r '.properties.source_hex' stat.json)" = "$(printf '/real \xff\n' | od -An -tx1 | tr -d ' \n')" ]
	[ "$(jq '[.files[] | select(.path_hex)] | length' stat.json)" -eq 1 ]
	iconv -f UTF-8 -t UTF-8 stat.json >/dev/null
}

@test "JSON is one object, with units in its keys and whole 64 bit numbers" {
	weir stat --json awkward.snap >stat.json
	[ "$(jq -s length stat.json)" -eq 1 ]
	jq -e '.schema == 1' stat.json
	jq -e '.counters.uptime_ns == 93784000000000' stat.json
	grep -q '"large": 18446744073709551615' stat.json
	jq -e '.ops[0] | .op == "read" and .class == "read" and .ops == 1000 and .bytes == 4096000' stat.json
	jq -e '.ops[0] | .total_samples == 1000 and .total_sum_ns == 500500000 and .total_min_ns == 1000
		and .total_max_ns == 1000000 and .total_mean_ns == 500500' stat.json
	jq -e '.ops[0].sizes == [[4096, 1000]]' stat.json
	jq -e '.ops[1].total_marked == ["p99", "p999"] and .ops[0].total_marked == []' stat.json
	jq -e '.errors == [{op: "lookup", errno: 2, name: "ENOENT", count: 3},
		{op: "write", errno: 28, name: "ENOSPC", count: 2},
		{op: "write", errno: 3999, name: null, count: 1}]' stat.json
}

@test "bins add up to the samples and hold them to 1/64" {
	weir stat --json awkward.snap >stat.json
	jq -e 'all(.ops[]; (.total_bins | map(.[1]) | add) == .total_samples)' stat.json
	# The value of the bin of each percentile is not above it by more than a bucket.
	jq -e 'all(.ops[]; .total_p50_ns as $p | .total_bins | any(.[0] <= $p and $p <= .[0] * 1.016 + 1))' stat.json
}

@test "percentiles are those of the samples within the error of a bucket" {
	weir stat --json awkward.snap >stat.json
	# The reads took 1, 2, .. 1000 us: the percentile of rank r took r us.
	jq -e '.ops[0] | all(([.total_p50_ns, 500000], [.total_p95_ns, 950000], [.total_p99_ns, 990000],
		[.total_p999_ns, 999000]); (.[0] - .[1] | fabs) <= .[1] / 128 + 1)' stat.json
}

@test "text and JSON tell the same numbers" {
	weir stat --exact --op read - <awkward.snap >text
	weir stat --json - <awkward.snap >json
	from_text=$(awk '$1 == "read" {print $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12}' text)
	from_json=$(jq -r '.ops[0] | [.ops, .errors, .bytes, .service_p50_ns, .service_p99_ns, .total_p50_ns,
		.total_p95_ns, .total_p99_ns, .total_p999_ns, .total_max_ns, .time_percent] | map(tostring) | join(" ")' json)
	[ "${from_text% *}" = "${from_json% *}" ]
	[ "${from_text##* }" = "$(printf '%.1f' "${from_json##* }")" ]
	from_text=$(awk '$NF == "/plain.db" {print $1, $2, $3, $4, $6, $7, $8}' text)
	from_json=$(jq -r '.files[0] | [.ops, .bytes, .reads, .writes, .total_p99_ns, .total_sum_ns, .errors] | map(tostring) | join(" ")' json)
	[ "$from_text" = "$from_json" ]
}

@test "the files that are not shown are summed exactly" {
	for sort in time p99 bytes ops errors; do
		weir stat --json --files 3 --sort "$sort" awkward.snap >some.json
		weir stat --json awkward.snap >all.json
		[ "$(jq '.files | length' some.json)" -eq 3 ]
		for key in ops bytes reads writes errors total_sum_ns total_samples; do
			some=$(jq "[.files[].$key, .other.$key] | add" some.json)
			all=$(jq "[.files[].$key, .other.$key] | add" all.json)
			[ "$some" = "$all" ]
		done
		[ "$(jq .other.files some.json)" -eq $((1234 + 5)) ]
	done
}

@test "files are in the order that was asked for" {
	for sort in time:total_sum_ns p99:total_p99_ns bytes:bytes ops:ops errors:errors; do
		weir stat --json --sort "${sort%:*}" awkward.snap >stat.json
		jq -e "[.files[].${sort#*:}] | . == (sort | reverse)" stat.json
	done
}

@test "the number of files is 20 by default, all of them with --all, none with 0" {
	rows() {
		grep -c '/dir/file-'
	}
	[ "$(weir stat many.snap | rows)" -eq 20 ]
	[ "$(weir stat --files 7 many.snap | rows)" -eq 7 ]
	[ "$(weir stat --all many.snap | rows)" -eq 5000 ]
	run bash -c "weir stat --files 0 many.snap | grep -c /dir/"
	[ "$output" = 0 ]
	[ "$(weir stat many.snap | grep -c '(other: 4980 files)')" -eq 1 ]
	[ "$(weir stat --json many.snap | jq '.files | length')" -eq 5000 ]
}

@test "operations are selected by name and by class" {
	[ "$(weir stat --json --op read,lookup awkward.snap | jq -c '[.ops[].op]')" = '["read","lookup"]' ]
	[ "$(weir stat --json --op meta awkward.snap | jq -c '[.ops[].op]')" = '["lookup"]' ]
	[ "$(weir stat --json --op meta awkward.snap | jq -c '[.errors[].op]')" = '["lookup"]' ]
}

@test "hold is shown only where something was held" {
	run -0 weir stat held.snap
	[[ $output == *"- hold -"* ]]
	[[ $output == *"20.0 ms  20.0 ms"* ]]
	run -0 weir stat awkward.snap
	[[ $output != *"- hold -"* ]]
}

@test "all shows every property and counter" {
	run -0 weir stat --all --files 0 awkward.snap
	[[ $output =~ large\ +18446744073709551615 ]]
	[[ $output =~ mountpoint\ +/fixture ]]
}

@test "all adds the files' histograms to JSON" {
	jq -e 'all(.files[].classes[]; .total_bins == null)' < <(weir stat --json awkward.snap)
	jq -e 'all(.files[].classes[]; (.total_bins | map(.[1]) | add) == .total_samples)' \
		< <(weir stat --json --all awkward.snap)
}

@test "an empty snapshot is shown as such" {
	run -0 weir stat empty.snap
	[[ $output == *"no operations yet"* ]]
	[ "$(weir stat --json empty.snap | jq -c '[.ops, .errors, .files]')" = '[[],[],[]]' ]
}

@test "saving a snapshot gives the same bytes again" {
	weir stat --save copy.snap awkward.snap
	cmp copy.snap awkward.snap
	weir stat --save - awkward.snap | cmp - awkward.snap
	run -1 --separate-stderr weir stat --save /nowhere/copy awkward.snap
	[[ $stderr == *"/nowhere/copy"* ]]
}

@test "what is no snapshot or was cut short is refused with its place" {
	head -c 200 awkward.snap >torn.snap
	run -1 --separate-stderr weir stat torn.snap
	[ -z "$output" ]
	[[ $stderr == *"torn.snap"*"byte"* ]]
	run -1 --separate-stderr weir stat /dev/null
	[[ $stderr == *"not a snapshot"* ]]
	echo "some text that is no snapshot at all" >text
	run -1 --separate-stderr weir stat --json text
	[ -z "$output" ]
}

@test "colour comes when it is asked for, and never by itself into a file" {
	esc=$'\e'
	[[ $(weir stat --color=always awkward.snap) == *"$esc"* ]]
	[[ $(weir stat awkward.snap) != *"$esc"* ]]
	[[ $(CLICOLOR_FORCE=1 weir stat awkward.snap) == *"$esc"* ]]
	[[ $(CLICOLOR_FORCE=1 NO_COLOR=1 weir stat awkward.snap) != *"$esc"* ]]
}

@test "on a narrow terminal columns go before the path does" {
	command -v script >/dev/null || skip "no script(1)"
	COLUMNS=60 TERM=dumb script -qec "weir stat many.snap" /dev/null | tr -d '\r' >narrow
	run ! bash -c "grep -v ^mount narrow | grep -E '.{61}'"
	grep -q '/dir/file-04999$' narrow
	grep -q '(other: 4980 files)$' narrow
	grep -qE '^ *ops +bytes .* file$' narrow
	COLUMNS=44 TERM=dumb script -qec "weir stat --all many.snap" /dev/null | tr -d '\r' | grep -q '…'
}
