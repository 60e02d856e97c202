#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What shellcheck says of every script, bats files too.
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

need shellcheck "shellcheck finds nothing"
while read -r file; do
	wrong=$(shellcheck --external-sources --source-path=SCRIPTDIR --format=gcc "$file" 2>&1)
	verdict "shellcheck finds nothing in $file" "$wrong"
done < <(shell_files)
finish
