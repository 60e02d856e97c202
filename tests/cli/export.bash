# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154 # the tests', and bats'
# For the tests of weir export: traces, and the programs that read what it writes.

load ../lib/npm.bash

formats=(fio-iolog fio-json hlog hgrm heatmap chrome perfetto parquet)

setup() {
	export PATH=${abs_top_builddir:?run by make check}:$abs_top_builddir/tests/lib:$PATH
	readers=${abs_top_srcdir:?}/tests/cli/export
	cd "$BATS_TEST_TMPDIR" || return 1
}

need() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

cases() {
	tracecases cases.wt
}

# A load of queues and holds: gen NAME [WORD=VALUE]..
gen() {
	tracegen files=300 servers=4 hold=300000 "${@:2}" "$1"
}
