#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weir dump: what is in a trace comes out of it, whatever the names and whatever happened to it.
# shellcheck disable=SC2059,SC2128,SC2178,SC2317,SC2030,SC2031,SC2034,SC2154 # bats and tool.bash set and use them

bats_require_minimum_version 1.5.0
load tool

setup() {
	export PATH=$abs_top_builddir:$PATH
	daemons=()
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	end_daemons
}

generate() {
	"$abs_top_builddir/tests/lib/tracegen" "$@"
}

# Operations that jq finds by a condition, as their numbers.
chosen_by_jq() {
	jq -r "select(.event == \"op\" and ($1)) | .seq" all.json
}

chosen_by_weir() {
	weir dump --json "$@" g.wt | jq -r 'select(.event == "op") | .seq'
}

same_choice() {
	local condition=$1
	shift
	chosen_by_jq "$condition" >wanted
	chosen_by_weir "$@" >got
	[ -s wanted ]
	[ "$(wc -l <wanted)" -lt 20000 ]
	cmp wanted got
}

@test "the lines are as they should be, to the letter" {
	generate ops=9 files=3 threads=2 hold=20000 g.wt
	weir dump g.wt >got
	cat >wanted <<'END'
# trace 59518516f74879ac08e3b6fdeac59cf7
# begins 2026-01-01T00:00:00.000000000Z
#      time/s op               service     hold    total  thread   uid       offset     size       result path
# 0.000000 mark start tracegen
# 0.006185 mark stop tracegen
     0.000001 lookup            1.03us        -   2.00us    4001  1000            -        -           ok /d0000/f0000001
     0.000020 lookup            2.57us        -   4.05us    4000  1000            -        -           ok /d0000/f0000000
     0.000030 getattr           10.2us        -   11.1us    4001  1000            -        -           ok /d0000/f0000001
     0.000036 getattr           4.94us        -   6.11us    4000  1000            -        -           ok /d0000/f0000000
     0.000148 open              3.96us        -   5.62us    4001  1000            -        -           ok /d0000/f0000001
     0.000159 open              1.52us        -   2.85us    4000  1000            -        -           ok /d0000/f0000000
     0.000260 read              4.09us   17.4us   22.5us    4000  1000      8830976   131072       131072 /d0000/f0000000
     0.000333 read              28.9us        -   29.9us    4000  1000     13811712     4096         4096 /d0000/f0000000
     0.000402 getattr           10.8us        -   12.2us    4000  1000            -        -           ok /d0000/f0000000
END
	diff -u wanted got
}

@test "every line of text has the same columns, whatever the names" {
	"$abs_top_builddir/tests/lib/traceall" all.wt
	weir dump all.wt | grep -v '^#' >got
	[ "$(wc -l <got)" -eq 411 ]
	# Ten columns and the path; "-> NEW", "target=" and "xattr=" may follow.
	run ! grep -vE '^ *-?[0-9]+\.[0-9]{6} [a-z_]+ +([0-9.]+[num]?s|-) +([0-9.]+[num]?s|-) +([0-9.]+[num]?s|-) +[0-9]+ +[0-9]+ +([0-9]+|-) +([0-9]+|-) +([A-Za-z0-9=]+) [^ ]+( -> [^ ]+)?( target=[^ ]*)?( xattr=[^ ]*)?( -> [^ ]+)?$' got
	LC_ALL=C run ! grep -P '[^\x20-\x7e\xc3\xa9]' got
}

@test "JSON is valid for any bytes, and they can be taken back from all forms" {
	"$abs_top_builddir/tests/lib/traceall" all.wt
	weir dump --json all.wt >all.json
	jq -es 'length > 400' all.json
	weir dump --csv all.wt >all.csv
	python3 - <<'END'
import csv, json, re

def bytes_of(event, key):
    if key + "_hex" in event:
        return bytes.fromhex(event[key + "_hex"])
    return event.get(key, "").encode()

def back(text):
    raw = text.encode("utf-8")
    return re.sub(rb"\\(\\|x[0-9a-f]{2})",
                  lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1][1:], 16)]), raw)

events = [json.loads(line) for line in open("all.json", encoding="utf-8")]
ops = [event for event in events if event["event"] == "op"]
rows = list(csv.DictReader(open("all.csv", newline="", encoding="utf-8")))
assert len(ops) == len(rows) == 411
seen = set()
for op, row in zip(ops, rows):
    for key in ("path", "name", "new_name", "target", "xattr", "comm"):
        assert bytes_of(op, key) == back(row[key]), (op, row)
        seen.add(bytes_of(op, key))
    for key, value in row.items():
        if key in op and isinstance(op[key], int) and not isinstance(op[key], bool):
            assert str(op[key]) == value, (key, op, row)
for name in (b"a\nb", b"\xff\xfe", b'quo"te', b"back\\slash", b"\x1b[31m", b"blank s", b"t\tab"):
    assert name in seen, name
END
}

@test "names are taken back from the text too" {
	"$abs_top_builddir/tests/lib/traceall" all.wt
	weir dump --op getattr,getxattr all.wt | grep -v '^#' | awk '{print $11}' | sort -u >paths
	grep -qxF '/d/a\x0ab' paths
	grep -qxF '/d/\xff\xfe' paths
	grep -qxF '/d/quo"te' paths
	grep -qxF '/d/back\\slash' paths
	grep -qxF '/d/\x1b[31m' paths
	grep -qxF '/d/blank\x20s' paths
}

@test "every argument is in the JSON, in the CSV and in the text with --all" {
	"$abs_top_builddir/tests/lib/traceall" all.wt
	weir dump --csv all.wt | head -n 1 | tr , '\n' | sort >columns
	weir dump --json all.wt | jq -r 'select(.event == "op") | keys[]' | sort -u >keys
	sed -n 's/^	X([A-Z_]*, "\([a-z_]*\)".*/\1/p' "$abs_top_srcdir/src/trace/event.h" | sort >arguments
	[ "$(wc -l <arguments)" -ge 34 ]
	[ -z "$(comm -23 arguments keys)" ]
	[ -z "$(comm -23 arguments columns)" ]
	weir dump --all all.wt >text
	while read -r argument; do
		grep -q " $argument=" text || [[ $argument == name || $argument == new_name ]]
	done <arguments
	grep -qxF '# property host a\x0ab\xff' text
	grep -q '^# open before: handle=7 ' text
}

@test "each filter chooses what it says" {
	generate ops=20000 files=300 hold=30000 g.wt
	weir dump --json g.wt >all.json
	same_choice '.op == "lookup" or .op == "write"' --op lookup,write
	same_choice '.op | test("^(flush|fsync|fsyncdir|syncfs)$")' --op sync
	same_choice '.thread == 4003' --pid 4003
	same_choice '.process == 4004' --pid 4004
	same_choice '.error != null' --errors
	same_choice '.total_ns >= 1000000' --min 1ms
	same_choice '.total_ns >= 40000 and .op == "read" and .thread == 4001' --min 40us --op read --pid 4001
	same_choice '(.path // "" | test("f000001[^/]$")) or (.name // "" | test("^f000001.$"))' --path '*/f000001?'
	[ -z "$(chosen_by_weir --uid 0)" ]
	[ "$(chosen_by_weir --uid 1000 | wc -l)" -eq 20000 ]
}

@test "new names and names that aren't there match a path as well" {
	generate ops=20000 files=300 g.wt
	weir dump --json g.wt >all.json
	same_choice '.name == "nothing"' --path '*/nothing'
	same_choice '(.new_name // "" | startswith("new")) or (.name // "" | startswith("new"))' --path '*/new*'
}

@test "a window is the same by seconds, by date, by stamp, and out of a pipe" {
	generate ops=20000 files=300 begin=1767225600 g.wt
	weir dump --json g.wt >all.json
	start=1767225600000000000
	same_choice ".arrive_ns >= 1000100000000 and .arrive_ns < 1000250000000" --from 100ms --to 250ms
	for window in '0.1 0.25s' '2026-01-01T00:00:00.1Z 2026-01-01T01:00:00.25+01:00' \
		'@1767225600.1 @1767225600.25'; do
		chosen_by_weir --from "${window% *}" --to "${window#* }" >got
		cmp wanted got
	done
	weir dump --json --from 0.1 --to 0.25 - <g.wt | jq -r 'select(.event == "op") | .seq' >got
	cmp wanted got
	# shellcheck disable=SC2002 # a pipe is wanted
	cat g.wt | weir dump --json --from 0.1 --to 0.25 - | jq -r 'select(.event == "op") | .seq' >got
	cmp wanted got
	TZ=UTC-3 chosen_by_weir --from '2026-01-01 03:00:00.1' --to '2026-01-01 03:00:00.25' >got
	cmp wanted got
	# Before and behind it is the rest.
	[ $(($(chosen_by_weir --to 100ms | wc -l) + $(wc -l <wanted) + $(chosen_by_weir --from 250ms | wc -l))) -eq 20000 ]
}

@test "a limit ends it without a word about what comes behind" {
	generate ops=1000 end=0 g.wt
	run --separate-stderr weir dump --limit 5 g.wt
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$(grep -vc '^#' <<<"$output")" -eq 5 ]
}

@test "a reader that had enough is no error" {
	generate ops=20000 g.wt
	run bash -c 'set -o pipefail; weir dump g.wt | head -n 3; weir dump --json g.wt | head -n 3'
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 6 ]
}

@test "output that can't be written is an error" {
	[ -c /dev/full ] || skip "no /dev/full"
	generate ops=20000 g.wt
	run --separate-stderr bash -c 'weir dump g.wt >/dev/full'
	[ "$status" -eq 1 ]
	[[ $stderr == *"No space left"* ]]
}

@test "the parts of a directory come in order, and what is no trace is passed over" {
	mkdir parts
	generate ops=3000 seed=1 parts/t.9.wt
	generate ops=3000 seed=2 begin=1767229200 parts/t.10.wt
	echo nothing >parts/notes.txt
	: >parts/t.11.wt
	weir dump parts >got
	weir dump parts/t.9.wt parts/t.10.wt >wanted
	cmp wanted got
	[ "$(grep -c '^# trace' got)" -eq 2 ]
	# shellcheck disable=SC2002 # as one stream
	cat parts/t.9.wt parts/t.10.wt | weir dump - | cmp wanted -
	[ "$(weir dump --stat --json parts | jq .counters.trace_parts)" -eq 2 ]
}

@test "--stat tells of sizes and losses" {
	generate ops=10000 drop=7 g.wt
	weir dump --stat --json g.wt >stat.json
	jq -e '.counters | .trace_ops == 8572 and .trace_chosen_ops == 8572 and .trace_written_ops == 8572
		and .trace_dropped_ops == 1428 and .trace_filtered_ops == 0 and .trace_damaged_bytes == 0
		and .trace_missing_blocks == 0' stat.json
	[ "$(jq .counters.trace_bytes stat.json)" -eq "$(stat -c %s g.wt)" ]
	[ "$(jq '[.ops[].ops] | add' stat.json)" -eq 8572 ]
	weir dump --stat g.wt >text
	grep -q '8572 in these blocks, 1428 lost' text
	# by operation: as many as were dropped
	[ "$(awk '/left out *lost%/ {on = 1; next} on {sum += $3} END {print sum}' text)" -eq 1428 ]
	[ "$(weir dump --stat --json --op read g.wt | jq '.ops | length')" -eq 1 ]
}

@test "a trace that grows is followed to its end" {
	generate ops=60000 block=65536 g.wt
	half=$(($(stat -c %s g.wt) / 2))
	head -c "$half" g.wt >grows.wt
	timeout -k 1 30 weir dump --tail grows.wt >got 3>&- &
	follower=$!
	has_lines() { [ "$(wc -l <got)" -gt 20000 ]; }
	wait_for has_lines
	# By pieces that end in the middle of blocks, and of the index.
	for ((at = half; at < $(stat -c %s g.wt); at += 100001)); do
		tail -c +$((at + 1)) g.wt | head -c 100001 >>grows.wt
	done
	wait "$follower"
	weir dump g.wt | cmp - got
}

@test "parts that come into a directory are followed until a signal" {
	mkdir parts
	generate ops=20000 seed=1 block=65536 end=0 parts/t.9.wt
	weir dump --tail parts >got 3>&- &
	daemons+=("$!")
	has_lines() { [ "$(wc -l <got)" -ge "$1" ]; }
	wait_for has_lines 20000
	generate ops=20000 seed=2 parts/new
	mv parts/new parts/t.10.wt
	wait_for has_lines 40000
	kill -INT "${daemons[0]}"
	status=0
	wait "${daemons[0]}" || status=$?
	[ "$status" -eq 130 ]
	daemons=()
	[ "$(grep -vc '^#' got)" -eq 40000 ]
}

@test "cut anywhere, all whole blocks are printed, with one warning" {
	generate ops=3000 files=50 block=4096 g.wt
	weir dump g.wt >whole
	size=$(stat -c %s g.wt) last=0
	for ((at = 100; at < size; at += size / 150 + 1)); do
		head -c "$at" g.wt >cut.wt
		status=0
		timeout -k 1 10 weir dump cut.wt >got 2>errors || status=$?
		[ "$status" -eq 1 ]
		[ "$(wc -l <errors)" -eq 1 ]
		lines=$(wc -l <got)
		# The last mark stands before the last block.
		head -n "$lines" whole | cmp -s - got
		((lines >= last))
		last=$lines
	done
	((last > 2500))
}

@test "flipped bits cost their block, with one warning" {
	generate ops=3000 files=50 block=4096 g.wt
	weir dump --csv g.wt | sort >whole
	size=$(stat -c %s g.wt)
	cp g.wt flipped.wt
	for ((i = 0; i < 100; i++)); do
		at=$(((i * 7919 + 13) * 104729 % size))
		byte=$(od -An -tu1 -j "$at" -N 1 g.wt)
		printf "\\x$(printf %02x $((byte ^ 1 << i % 8)))" | dd of=flipped.wt bs=1 seek="$at" conv=notrunc status=none
		status=0
		timeout -k 1 10 weir dump --csv flipped.wt >got 2>errors || status=$?
		[ "$status" -le 1 ]
		[ "$(wc -l <errors)" -eq "$status" ]
		sort got >ops
		[ -z "$(comm -13 whole ops)" ]
		lost=$(comm -23 whole ops | wc -l)
		((lost < 200))
		# Nothing is lost without a word.
		((lost == 0 || status == 1))
		printf "\\x$(printf %02x "$byte")" | dd of=flipped.wt bs=1 seek="$at" conv=notrunc status=none
	done
	cmp g.wt flipped.wt
}

@test "garbage in the middle is passed over, and the warning says where and how much" {
	generate ops=20000 block=65536 g.wt
	at=$(($(stat -c %s g.wt) / 2))
	{
		head -c "$at" g.wt
		head -c 1000 /dev/zero
		tail -c +$((at + 1)) g.wt
	} >bad.wt
	run --separate-stderr weir dump bad.wt
	[ "$status" -eq 1 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr =~ bad.wt:\ [0-9]+\ bytes\ are\ damaged.*byte\ [0-9]+.*1\ block\ missing ]]
}

@test "what is no trace is refused in one line" {
	echo hello >text
	: >empty
	mkdir directory
	echo hello >directory/file
	for word in text empty directory nothing; do
		for command in dump "dump --stat" "dump --json"; do
			# shellcheck disable=SC2086 # words
			run --separate-stderr weir $command "$word"
			[ "$status" -eq 1 ]
			[ "${#stderr_lines[@]}" -eq 1 ]
			[[ $stderr == "weir dump: $word: "* ]]
		done
	done
	generate ops=100 g.wt
	run --separate-stderr weir dump g.wt nothing
	[ "$status" -eq 1 ]
}

@test "bad filters are usage errors" {
	for words in "--op x" "--pid x" "--pid -1" "--uid 4294967296" "--from x" "--to 2026-13-01" \
		"--from 2026-01-01T25:00" "--min 10" "--min x" "--limit 0" "--json --csv" "--stat --tail" \
		"--stat --csv"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr weir dump $words a.wt
		is_usage_error "weir dump --help"
	done
	run --separate-stderr weir dump
	is_usage_error "weir dump --help"
}
