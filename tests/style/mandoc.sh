#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Manual pages: what mandoc warns of fails, and no line is wider than a terminal.
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

need mandoc "mandoc finds nothing"
pages=$(find man -name '*.[1-9]' | sort)
[[ $pages ]] || skip "mandoc finds nothing" "no page is written yet"
for page in $pages; do
	wrong=$(mandoc -T lint -W warning "$page" 2>&1)
	verdict "mandoc finds nothing in $page" "$wrong"
	wrong=$(mandoc -T ascii -O width=80 "$page" | col -b | awk 'length($0) > 80 {print NR ": " $0}')
	verdict "$page fits 80 columns" "$wrong"
done
finish
