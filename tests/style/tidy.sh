#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# clang-tidy with the checks of .clang-tidy.
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

need clang-tidy "clang-tidy finds nothing"

if [[ -z ${STYLE_CPPFLAGS:-} ]]; then
	skip "clang-tidy finds nothing" "run by make check-style, which knows the flags"
	finish
fi
read -ra flags <<<"$STYLE_CPPFLAGS"

# shellcheck disable=SC2317 # called by xargs
check_one() {
	local -a checks=()
	# The analyzer takes seconds a file; tests are run under the sanitizers anyway.
	[[ $1 != tests/* ]] || checks=('--checks=-clang-analyzer-*')
	clang-tidy --quiet "${checks[@]}" "$1" -- -std=c11 "${@:2}" 2>/dev/null | grep -E ': (warning|error): '
	return 0
}
export -f check_one

for directory in src/core src/trace src/model src/weirfs tools tests/unit tests/fuzz; do
	[[ -d $directory ]] || continue
	wrong=$(c_files "$directory" | grep '\.c$' |
		xargs -r -P "$(nproc)" -I{} bash -c 'check_one "$@"' _ {} "${flags[@]}" | sort -u)
	verdict "clang-tidy finds nothing in $directory" "$wrong"
done
finish
