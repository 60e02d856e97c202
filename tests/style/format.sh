#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The layout of the C sources, as .clang-format has it.
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

need clang-format "C files are laid out as .clang-format says"
for directory in src/core src/trace src/model src/weirfs tools tests; do
	[[ -d $directory ]] || continue
	wrong=$(c_files "$directory" | xargs -r clang-format --dry-run 2>&1 |
		sed -n 's/^\([^ :]*\):\([0-9]*\):.*clang-format-violations.*/\1:\2/p' |
		awk -F: '{count[$1]++; if (!($1 in line)) line[$1] = $2}
			END {for (file in count) printf "%s: %d places, the first in line %d: clang-format -i %s\n",
				file, count[file], line[file], file}' | sort)
	verdict "C files in $directory are laid out as .clang-format says" "$wrong"
done

wrong=$(git ls-files 2>/dev/null | grep -vE '/vendor/|^COPYING$|/corpus/|/data/' |
	xargs -r -d '\n' grep -nIE '[[:space:]]+$' -- 2>/dev/null | cut -c1-100 | head -n 40)
verdict "no line ends with blanks" "$wrong"
finish
