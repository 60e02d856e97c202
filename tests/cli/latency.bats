#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weir latency on snapshots whose numbers are known.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # bats and tool.bash set and use them

bats_require_minimum_version 1.5.0
load tool

setup() {
	snapshots awkward held empty
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "the bars are as they should be, to the letter" {
	weir latency --op lookup,write awkward.snap >got
	cat >wanted <<'END'
write: 50 operations, total time p50 2.51 ms, p99 ~5.00 ms, p99.9 ~5.00 ms, max 5.00 ms
                   range :        count  |distribution                            |
   65.5 us -> 131 us     :            1  |*                                       |
    131 us -> 262 us     :            1  |*                                       |
    262 us -> 524 us     :            3  |*****                                   |
    524 us -> 1.05 ms    :            5  |*********                               |
   1.05 ms -> 2.10 ms    :           10  |*******************                     |
   2.10 ms -> 4.19 ms    :           21  |****************************************|
   4.19 ms -> 8.39 ms    :            9  |*****************                       |

lookup: 5 operations, total time p50 5.98 us, p99 ~10.0 us, p99.9 ~10.0 us, max 10.0 us
                   range :        count  |distribution                            |
   1.02 us -> 2.05 us    :            1  |********************                    |
   2.05 us -> 4.10 us    :            1  |********************                    |
   4.10 us -> 8.19 us    :            2  |****************************************|
   8.19 us -> 16.4 us    :            1  |********************                    |
END
	diff -u wanted got
}

@test "the longest bar is full and none that counts is empty" {
	weir latency --op read awkward.snap >got
	grep -qE '\|\*{40}\|' got
	run ! bash -c "awk '/->/ && \$7 > 0' got | grep -F '|  '"
}

@test "rows add up to the samples, coarse and fine" {
	for option in "" --fine; do
		# shellcheck disable=SC2086 # perhaps none
		weir latency $option --json awkward.snap >latency.json
		jq -e '.schema == 1 and (.histograms | length) == 3' latency.json
		jq -e 'all(.histograms[]; (.rows | map(.[2]) | add) == .total_samples)' latency.json
		jq -e 'all(.histograms[].rows[]; .[0] < .[1])' latency.json
	done
	[ "$(weir latency --fine --json awkward.snap | jq '.histograms[0].rows | length')" -gt \
		"$(weir latency --json awkward.snap | jq '.histograms[0].rows | length')" ]
}

@test "each row holds exactly the operations of its range" {
	# The reads took 1, 2, .. 1000 us: those of [2^k, 2^(k+1)) ns can be counted.
	weir latency --op read --json awkward.snap >latency.json
	jq -r '.histograms[0].rows[] | map(tostring) | join(" ")' latency.json | while read -r lower upper count; do
		first=$(((lower + 999) / 1000)) last=$(((upper - 1) / 1000))
		((first >= 1)) || first=1
		((last <= 1000)) || last=1000
		[ "$count" -eq $((last - first + 1)) ]
	done
}

@test "the durations are told apart" {
	weir latency --op read --duration hold held.snap | grep -q '1000 operations, hold time p50 20.0 ms'
	weir latency --op read --duration service --json held.snap | jq -e '.histograms[0].service_max_ns == 500000'
	run -0 weir latency --op write --duration hold held.snap
	[ "$output" = "no operations with a hold time" ]
}

@test "one file is shown by class" {
	weir latency --file /plain.db --json awkward.snap >latency.json
	jq -e '.path == "/plain.db" and [.histograms[] | [.class, .total_samples]] == [["read", 100], ["write", 4]]' latency.json
	weir latency --file plain.db --op write --json awkward.snap |
		jq -e '[.histograms[].class] == ["write"]'
	weir latency --file $'/two\nlines' awkward.snap | grep -q '^read: 90 operations'
	weir latency --file $'/not\xff\xfeutf8' --json awkward.snap | jq -e .path_hex
	run -1 --separate-stderr weir latency --file /nothing awkward.snap
	[[ $stderr == *"/nothing"* ]]
}

@test "an empty snapshot has nothing to show" {
	run -0 weir latency empty.snap
	[ "$output" = "no operations with a total time" ]
}
