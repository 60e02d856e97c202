#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The file format: golden files of each version stay readable, and a reader that was written from
# weir-trace(5) alone reads the same out of them as weir does.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets them

bats_require_minimum_version 1.5.0

setup() {
	export PATH=${abs_top_builddir:?run by make check}:$PATH
	source=${abs_top_srcdir:?}
	golden=$source/tests/data/trace
	cd "$BATS_TEST_TMPDIR" || return 1
}

# What weir reads out of a trace, and what the independent reader does, in one form.
both_read() {
	weir dump --json --all "$1" >dumped
	"$source/tests/lib/wtread.py" --as-read dumped >by_weir
	"$source/tests/lib/wtread.py" "$1" >by_page
	[ -s by_page ]
	cmp by_weir by_page
}

@test "golden files are read as on the day when they were written" {
	for trace in "$golden"/*.wt; do
		both_read "$trace"
		xz -dc "${trace%.wt}.jsonl.xz" | cmp - by_page
	done
}

@test "what is written today reads as the golden file of this version" {
	"$abs_top_builddir/tests/lib/traceall" now.wt
	both_read now.wt
	xz -dc "$golden/all-1.0.jsonl.xz" | cmp - by_page
}

@test "a reader that knows only the page reads a long trace as weir does" {
	"$abs_top_builddir/tests/lib/tracegen" ops=60000 files=2000 block=65536 long.wt
	both_read long.wt
	[ "$(grep -c '"event": "op"' by_page)" -eq 60000 ]
}

@test "zstd takes every trace for a file of its own, and its seek table too" {
	"$abs_top_builddir/tests/lib/tracegen" ops=60000 block=65536 long.wt
	zstd -tq long.wt
	# frames in the table: the blocks and the index
	blocks=$(zstd -dcq long.wt | grep -c -a 'WTRB')
	frames=$(tail -c 9 long.wt | od -An -tu4 -N4 | tr -d ' ')
	[ "$frames" -eq $((blocks + 1)) ]
	[ "$(tail -c 4 long.wt | od -An -tx4 | tr -d ' ')" = 8f92eab1 ]
}
