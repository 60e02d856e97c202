#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who may include whom: the table of rooms.
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

# room | project headers it may include | system headers that belong to some rooms or files only
rooms='
src/core   | core
src/trace  | core trace
src/model  | core model
src/weirfs | core trace model weirfs
tools      | core trace model tools
tests/unit | core trace model weirfs tools
tests/fuzz | core trace model weirfs tools
'

# header | the files that may include it
owners='
zstd.h           | src/trace/ tests/unit/
ini.h            | src/model/profile.c
urcu.*           | src/weirfs/
fuse.*           | src/weirfs/ tests/unit/
cap-ng.h         | src/weirfs/privs.c
zlib.h           | tools/
n?curses.*       | tools/screen.c
cmocka.h         | tests/unit/
'

# path:header of every include in quotes or angle brackets below a directory.
quoted() {
	c_files "$1" | xargs -r grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"[^"]+"' |
		sed -E 's/:[^"]*"([^"]+)"/:\1/'
}

angled() {
	c_files src tools tests | xargs -r grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]+<[^>]+>' |
		sed -E 's/:[^<]*<([^>]+)>/:\1/'
}

while IFS='|' read -r room allowed; do
	room=${room// /}
	[[ $room ]] || continue
	[[ -d $room ]] || continue
	pattern=$(printf '%s' "$allowed" | xargs | tr ' ' '|')
	wrong=$(quoted "$room" | grep -vE ":((config|fake|fake_fuse|test)\.h|($pattern)/[a-z0-9_]+\.h)$")
	verdict "$room includes only from its own and lower rooms ($(xargs <<<"$allowed"))" "$wrong"
done <<<"$rooms"

while IFS='|' read -r header files; do
	header=${header// /}
	[[ $header ]] || continue
	pattern=$(printf '%s' "$files" | xargs | tr ' ' '|')
	wrong=$(angled | grep -E ":([a-z0-9_+-]+/)?$header$" | grep -vE "^($pattern)")
	verdict "<$header> is included only by $(xargs <<<"$files")" "$wrong"
done <<<"$owners"

wrong=$(c_files src tools tests/unit tests/fuzz | grep '\.c$' | while read -r file; do
	first=$(grep -m 1 -E '^[[:space:]]*#[[:space:]]*include' "$file")
	[[ -z $first || $first == '#include "config.h"' ]] || printf '%s: %s\n' "$file" "$first"
done)
verdict 'every C file includes "config.h" first' "$wrong"

wrong=$(c_files src tools tests | xargs -r grep -L 'SPDX-License-Identifier: ')
verdict "every C file names its licence" "$wrong"
finish
