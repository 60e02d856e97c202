#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cppcheck on every room.
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

need cppcheck "cppcheck finds nothing"
# memleak: version 2.10 loses track of pointers in compound literals; the address sanitizer looks.
# uninitvar: it does not see through liburcu's iteration macros; gcc and clang-tidy look.
build=${abs_top_builddir:-$top/build}
for directory in src/core src/trace src/model src/weirfs tools; do
	mapfile -t files < <(c_files "$directory" 2>/dev/null | grep '\.c$')
	((${#files[@]})) || continue
	wrong=$(cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
		--suppress=missingIncludeSystem --suppress=memleak --suppress=uninitvar --suppress=unknownMacro --suppress=normalCheckLevelMaxBranches \
		-DFUSE_USE_VERSION=314 -Isrc -I. "-I$build" --template=gcc "${files[@]}" 2>&1)
	verdict "cppcheck finds nothing in $directory" "$wrong"
done
finish
