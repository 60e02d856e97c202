# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Packages of npm that tests read what we write with. They are fetched into the build directory,
# once; without npm or the network such a test is skipped.

npm_dir=${abs_top_builddir:?run by make check}/tests/npm

# Is NAME@VERSION there?
npm_has() {
	local name=${1%@*} version=${1##*@}
	grep -q "\"version\": \"$version\"" "$npm_dir/node_modules/$name/package.json" 2>/dev/null
}

# need_npm NAME@VERSION..: makes them available to node, or skips the test.
need_npm() {
	local package missing=()
	command -v npm >/dev/null || skip "npm is not installed"
	export NODE_PATH=$npm_dir/node_modules
	for package; do
		npm_has "$package" || missing+=("$package")
	done
	((${#missing[@]})) || return 0
	mkdir -p "$npm_dir"
	(
		flock 9
		timeout 180 npm install --prefix "$npm_dir" --no-audit --no-fund --ignore-scripts \
			--save-exact "${missing[@]}"
	) 9>"$npm_dir/.lock" >"$npm_dir/log" 2>&1 </dev/null ||
		skip "npm could not fetch ${missing[*]}: $(grep -m 1 -E 'ERR|error' "$npm_dir/log")"
}
