#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# weirfs --help, weirfs(8) and the completion tell of the same options, values and defaults; the
# page also of every counter and property that the daemon reports.
# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

page=man/weirfs.8
completion=data/completions/weirfs
program=${abs_top_builddir:-$top/build}/weirfs

# What stands in the first list only, and in the second only; nothing when they agree.
differences() {
	comm -23 <(sort -u <<<"$1") <(sort -u <<<"$2") | sed "s|^|only in $3: |"
	comm -13 <(sort -u <<<"$1") <(sort -u <<<"$2") | sed "s|^|only in $4: |"
}

# The lines of a section (.Sh) or subsection (.Ss) of the page.
section() {
	awk -v wanted="$1" '
		/^\.S[hs] / {inside = (substr($0, 5) == wanted); next}
		inside' "$page"
}

# The first words of the page's list items in a section: "cache=" with a value, "ro" without.
page_items() {
	section "$1" | sed -nE -e 's/^\.It Cm ([a-z_]+) Ns = .*/\1=/p' -e 's/^\.It Cm ([a-z_]+)$/\1/p'
}

# Is the word among the page's options, in a list or in passing?
in_page() {
	section 'Mount options' | grep -E '^\.(It )?Cm ' | grep -qE "[ ,]$1(=| |\$)"
}

# ---- weirfs --help

if [[ ! -x $program ]]; then
	skip "weirfs --help, weirfs(8) and completion agree" "$program is not built"
	finish
fi
help=$("$program" --help)
help_flags=$(sed -nE 's/^  (-[-a-z]+)  .*/\1/p' <<<"$help")
help_options=$(sed -nE -e '1,/^Options:/d' -e 's/^  ([a-z_]+=?)[^ ]* +.*/\1/p' <<<"$help")
[[ $help_flags && $help_options ]] || bad "weirfs --help lists flags and options" "$help"

# ---- weirfs(8)

page_flags=$(section OPTIONS | sed -nE 's/^\.It (Fl .*)/\1/p' | tr ',' '\n' |
	sed -nE -e 's/^ *(Fl )?-([a-z]+) *$/--\2/p' -e 's/^ *(Fl )?([a-zA-Z]) *$/-\2/p')
# Short forms of --help and --version, and -o itself, are only in the page.
verdict "weirfs(8) has the flags of --help" \
	"$(differences "$help_flags" "$(grep -vxE -- '-[hVo]' <<<"$page_flags")" --help "$page")"
verdict "weirfs(8) has the mount options of --help" \
	"$(differences "$help_options" "$(page_items 'Mount options')" --help "$page")"

# The text of an option in the page, without markup.
page_text() {
	section 'Mount options' |
		awk -v name="$1" '/^\.It / {inside = ($3 == name); next} inside' |
		sed -E 's/^\.[A-Z][a-z] //' | tr '\n' ' '
}

wrong=$(sed -nE 's/^  ([a-z_]+)=?[^ ]* +.*\[([^]]+)\]$/\1 \2/p' <<<"$help" |
	while read -r name default; do
		case $default in
		*\ *) continue ;; # "a quarter of the limit"
		*[KMG]iB) default=${default%[KMG]iB}\ ${default#"${default%[KMG]iB}"} ;;
		esac
		grep -qE "(^|[^a-z0-9])$default([^a-z0-9]|$)" <<<"$(page_text "$name")" ||
			printf '%s: the default %s is not in %s\n' "$name" "$default" "$page"
	done)
verdict "weirfs(8) has the defaults of --help" "$wrong"

# Words for mount(8) and libfuse are accepted without a line in --help.
wrong=$(sed -nE 's/^\t\{"([a-z_]+)", OPTION_.*/\1/p' src/weirfs/options_table.c |
	grep -vxFf <(tr -d = <<<"$help_options") |
	while read -r word; do
		in_page "$word" || printf '%s is accepted, but not in %s\n' "$word" "$page"
	done)
verdict "weirfs(8) has the words of others that weirfs accepts" "$wrong"

# ---- the completion

# shellcheck source=data/completions/weirfs
. "$completion"
# shellcheck disable=SC2154 # the completion's
complete_words=$(tr -s ' \t' '\n' <<<"$_weirfs_options" | grep .)

verdict "the completion has the mount options of --help" \
	"$(comm -23 <(sort -u <<<"$help_options") <(sort -u <<<"$complete_words"))"

wrong=$(grep -vxFf <(printf '%s\n' "$help_options") <<<"$complete_words" |
	while read -r word; do
		in_page "$word" || printf '%s is offered, but not in %s\n' "$word" "$page"
	done)
verdict "what else the completion offers is in weirfs(8)" "$wrong"

wrong=$(while read -r flag; do
	grep -qE -- "(^|[ (])$flag([ );]|$)" "$completion" || printf '%s\n' "$flag"
done <<<"$help_flags")
verdict "the completion has the flags of --help" "$wrong"

wrong=$(for option in $help_options; do
	for value in $(_weirfs_values "${option%=}"); do
		sed -nE "s/^  $option//p" <<<"$help" | grep -qw -- "$value" ||
			printf '%s%s is offered, but not in --help\n' "$option" "$value"
		page_text "${option%=}" | grep -qw -- "$value" || [[ $option == measure= ]] ||
			printf '%s%s is offered, but not in %s\n' "$option" "$value" "$page"
	done
done)
verdict "the values that the completion offers are in --help and weirfs(8)" "$wrong"

# ---- what the daemon reports

reported() {
	sed -n "/} $1\[\] = {/,/^\t};/p" src/weirfs/report.c | sed -nE 's/^\t\t\{"([a-z0-9_]+)".*/\1/p'
}

page_names() {
	section "$1" | sed -n 's/^\.It Va //p' | tr -s ' ,' '\n' | grep .
}

for list in properties counters; do
	verdict "weirfs(8) explains the $list that src/weirfs/report.c delivers" \
		"$(differences "$(reported $list)" "$(page_names "${list^}")" report.c "$page")"
done
finish
