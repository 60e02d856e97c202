#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/architecture.md names what is there: every module, real functions, every mutex. Links in
# pages lead somewhere.
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

page=docs/architecture.md

# The words of the tree's lines below a directory's: "tree inode names    inodes by ...".
listed() {
	awk -v room="$1" '
		/^```/ {inside = 0}
		/^[a-z]/ {inside = (index($0, room "/") == 1); next}
		inside && /^ / {
			sub(/^ +/, "")
			sub(/  +.*/, "")
			print
		}' "$page" | tr ' ' '\n' | sed 's/[():].*//' | grep .
}

for room in src/core src/trace src/model src/weirfs tools; do
	modules=$(c_files "$room" | sed -E 's|.*/([a-z0-9_]+)\.[ch]$|\1|' | sort -u)
	wrong=$(comm -23 <(printf '%s\n' "$modules") <(listed "$room" | sort -u) | sed 's/$/ is not in the tree/')
	verdict "$page has every module of $room" "$wrong"
	wrong=$(comm -13 <(printf '%s\n' "$modules") <(listed "$room" | sort -u) | sed 's/$/ is in the tree, but not a module/')
	verdict "$page has no other modules of $room" "$wrong"
done

wrong=$(grep -oE '\b[a-z][a-z0-9_]*\(\)' "$page" | sort -u | while read -r name; do
	grep -rqE "\b${name%()}\(" src tools --include='*.[ch]' || printf '%s is no function\n' "$name"
done)
verdict "the functions that $page names exist" "$wrong"

wrong=$(grep -hoE 'pthread_mutex_lock\(&[a-z_>.-]+\)' -r src --include='*.c' |
	sed -E -e 's/.*&(.*)\)/\1/' -e 's/^request->//' -e 's/^rows\[i\]/row/' | sort -u |
	while read -r mutex; do
		grep -qE "^\| \`$mutex\`" "$page" || printf '%s is not in the table of locks\n' "$mutex"
	done)
verdict "$page has every mutex" "$wrong"

wrong=$(for file in README.md HACKING.md NEWS.md docs/*.md; do
	grep -oE '\]\([^)#:]+\)' "$file" | sed -E 's/\]\((.*)\)/\1/' | while read -r link; do
		[[ -e $(dirname "$file")/$link ]] || printf '%s: %s is not there\n' "$file" "$link"
	done
done)
verdict "links between pages lead somewhere" "$wrong"
finish
