#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What weir stat shows is what was done, exactly.

# shellcheck disable=SC2030,SC2031,SC2317 # every test is a process of its own; conditions are called by name
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"

setup() {
	weir_setup
}

teardown() {
	weir_teardown
}

# The mount's counts in the words of knownload.
counted() {
	weir stat "$1" --json --files 100000 | jq -r '
		(.ops[] | ["op", .op, .ops, .errors, .bytes]),
		(.errors[] | ["error", .op, .errno, .count]),
		(.files[] | .path[1:] as $p | .classes | to_entries[] |
			["file", $p, .key, .value.ops, .value.errors, .value.bytes]) | @tsv'
}

# Every line of knownload (but for files that copies touch) must be among the mount's.
known_load_is_counted() {
	knownload "$m" | grep -v -P '^file\tsource\t' | sort >expected
	counted "$m" | sort >counts
	[[ -s expected ]]
	comm -23 expected counts >missing
	if [[ -s missing ]]; then
		echo "expected, not counted so:"
		cat missing
		echo "counted of the same:"
		cut -f1-2 missing | sort -u | grep -F -f - counts
		return 1
	fi
}

@test "a known load is counted exactly: operations, errors, bytes, and those of files" {
	over xfs cache=none
	known_load_is_counted
}

@test "a known load is counted exactly in place, on ext4" {
	in_place ext4 cache=none
	known_load_is_counted
}

@test "after a reset the same load is counted the same" {
	over xfs cache=none
	knownload "$m" >/dev/null
	rm -r "${m:?}"/*
	weir ctl "$m" reset
	known_load_is_counted
}

@test "sums over files are the sums over operations, whatever the size of the file table" {
	local classes
	over ext4 cache=none,max_files=16
	manyfiles make 300 "$m"
	find "$m" -type f -exec cp /etc/hostname {} \;
	find "$m" -type f -exec cat {} + >/dev/null
	for classes in read write; do
		assert_equal "$(stat_json "$m" "[.files[], .other | .classes.$classes.bytes // 0] | add")" \
			"$(op_count "$m" "$classes" bytes)" "bytes of $classes"
		assert_equal "$(stat_json "$m" "[.files[], .other | .classes.$classes.ops // 0] | add")" \
			"$(op_count "$m" "$classes")" "operations of $classes"
	done
	[[ $(stat_json "$m" '.counters.files_evicted') -gt 0 ]]
	assert_equal "$(stat_json "$m" '.counters.values_lost')" 0
}

# far_off DURATION PERCENTS: percentiles of reads that are further from a sort than a bucket is wide.
# Each file was read once, so that its exact sum is the duration of that read.
far_off() {
	stat_json "$m" "
		([.files[].classes.read | select(.ops == 1) | .${1}_sum_ns] | sort) as \$sorted
		| (.ops[] | select(.op == \"read\")) as \$read
		| $2[] as \$percent
		| \$sorted[(\$percent * (\$sorted | length) / 100 | ceil) - 1] as \$truth
		| (\$read[\"${1}_p\(\$percent | tostring | sub(\"[.]\"; \"\"))_ns\"] // 0) as \$shown
		| select((\$sorted | length) != 600 or (\$shown - \$truth | fabs) > \$truth / 128)
		| \"$1 p\(\$percent): \(\$shown) ns, by a sort of \(\$sorted | length): \(\$truth) ns\""
}

@test "percentiles are those of a sort of all durations, within a bucket" {
	over ext4 cache=none
	for ((i = 0; i < 600; i++)); do echo "$i" >"$b/f$i"; done
	weir ctl "$m" delay set read:2ms:50%
	(cd "$m" && head -qc 1 f*) >/dev/null
	assert_equal "$(op_count "$m" read)" 600
	assert_equal "$(far_off total '[50, 95, 99, 99.9]')" ""
	assert_equal "$(far_off service '[50, 99]')" ""
}

@test "a file keeps its counts over renames, hard links share one row, deleted files keep theirs" {
	over ext4 cache=none
	echo first >"$m/a"
	mv "$m/a" "$m/b"
	ln "$m/b" "$m/c"
	echo second >>"$m/c"
	echo gone >"$m/gone"
	rm "$m/gone"
	assert_equal "$(stat_json "$m" '[.files[] | select(.path == "/b" or .path == "/c")] | length')" 1
	assert_equal "$(stat_json "$m" '.files[] | select(.path == "/b" or .path == "/c") | .classes.write.ops')" 2
	assert_equal "$(stat_json "$m" '.files[] | select(.path == "/b" or .path == "/c") | .names')" 2
	assert_equal "$(stat_json "$m" '.files[] | select(.path == "/gone") | .deleted')" true
	assert_equal "$(stat_json "$m" '.files[] | select(.path == "/gone") | .classes.write.bytes')" 5
}

@test "samples, counts and errors of an operation agree, and nothing is lost with many writers" {
	over ext4 cache=none
	appendrace 8 2000 "$m/log"
	assert_equal "$(op_count "$m" write)" 16000
	assert_equal "$(op_count "$m" write bytes)" $((16000 * 96))
	assert_equal "$(op_count "$m" write total_samples)" 16000
	assert_equal "$(op_count "$m" write service_samples)" 16000
	assert_equal "$(stat_json "$m" '[.ops[] | select(.op == "write") | .total_bins[][1]] | add')" 16000
	assert_equal "$(stat_json "$m" '.counters.inflight')" 0
}

@test "names of any bytes leave the JSON valid" {
	local name
	over ext4
	for name in $'a\nb' $'\xff\xfe' '"' "\\" $'\x1b[31m' $'\xc3\x28'; do
		echo x >"$m/$name"
	done
	weir stat "$m" --json --files 100 | jq -e '.files | length >= 6' >/dev/null
}

@test "an strace of a day's programs counts what weirfs counts" {
	local calls
	over xfs cache=none
	calls=$("$top/tests/lib/strace-counts.sh" calls)
	strace -f -y -qq -o trace -e trace="$calls" "$top/tests/lib/workload.sh" "$m" "$top"
	weir stat "$m" --json >stat.json
	jq '.ops |= (map({key: .op, value: .}) | from_entries)' stat.json >by-name.json
	"$top/tests/lib/strace-counts.sh" compare trace "$m" by-name.json
}
