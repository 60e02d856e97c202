# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What tests of traces share; after common.bash.
# shellcheck disable=SC2154 # the tests set m

# sums FILE... FILTER: out of tracecheck's sums
sums() {
	tracecheck sums "${@:1:$#-1}" | jq -r "${*: -1}"
}

# Everything performed is written, dropped or filtered; what is written is there.
assert_accounted() {
	local wrong
	wrong=$(sums "$@" '.ops | to_entries[] | select(.value.written + .value.dropped + .value.filtered
		!= .value.performed or .value.read != .value.written) | "\(.key) \(.value)"')
	[[ -z $wrong ]] || fail "not accounted for: $wrong"
}

assert_whole() {
	assert_equal "$(sums "$@" '"\(.torn) \(.ended) \(.damaged_bytes) \(.blocks_missing)"')" \
		'false true 0 0' 'torn, ended, damaged bytes, missing blocks'
}

counter() {
	stat_json "$m" ".counters.$1"
}

# All operations so far.
performed() {
	stat_json "$m" '[.ops[].ops] | add'
}
