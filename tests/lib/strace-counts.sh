#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An independent count of what a workload did, out of an strace of it.
#
#   strace-counts.sh calls                    the system calls to trace, for strace -e trace=
#   strace-counts.sh count TRACE DIR          "operation successes bytes" of those below DIR
#   strace-counts.sh compare TRACE DIR JSON   the same beside what `weir stat --json` counted;
#                                             exit 1 when they differ
#
# Only operations that the kernel hands on one to one are counted: not those that caches answer.
# TRACE is made by strace -f -y -qq; relative paths are taken to be below DIR.
set -euo pipefail

calls=write,pwrite64,fsync,fdatasync,fallocate,copy_file_range
calls+=,mkdir,mkdirat,rmdir,unlink,unlinkat,rename,renameat,renameat2,symlink,symlinkat,link,linkat

count() {
	awk -v below="$2" '
	# Puts the halves of calls that other threads interrupted together again.
	/<unfinished \.\.\.>$/ {
		sub(/ *<unfinished \.\.\.>$/, "")
		half[$1] = $0
		next
	}
	/^[0-9]+ +<\.\.\. [a-z0-9_]+ resumed>/ {
		rest = $0
		sub(/^[0-9]+ +<\.\.\. [a-z0-9_]+ resumed>/, "", rest)
		$0 = half[$1] rest
	}
	{
		if (!match($0, /^[0-9]+ +[a-z0-9_]+\(/))
			next
		call = substr($0, RSTART, RLENGTH - 1)
		sub(/^[0-9]+ +/, "", call)
		arguments = substr($0, RLENGTH + 1)
		if (!match(arguments, /\) += -?[0-9]+[^)]*$/))
			next
		result = substr(arguments, RSTART)
		sub(/^\) += /, "", result)
		result += 0
		if (result < 0)
			next
		name = call
		if (call ~ /^(write|pwrite64|fsync|fdatasync|fallocate)$/) {
			# The descriptor with its path: 3</mnt/x>
			if (index(arguments, "<" below "/") == 0)
				next
			if (arguments !~ /^[0-9]+</)
				next
			if (call ~ /write/)
				name = "write"
			if (call ~ /sync/)
				name = "fsync"
		} else if (call == "copy_file_range") {
			if (result == 0 || index(arguments, "<" below "/") == 0)
				next
		} else {
			path = arguments
			if (path ~ /^AT_FDCWD(<[^>]*>)?, "\// || path ~ /^"\//) {
				sub(/^[^"]*"/, "", path)
				if (index(path, below "/") != 1 && call !~ /^symlink/)
					next
			}
			sub(/at2?$/, "", name)
			if (call == "unlinkat" && arguments ~ /AT_REMOVEDIR/)
				name = "rmdir"
		}
		ops[name]++
		if (name == "write" || name == "copy_file_range")
			bytes[name] += result
	}
	END {
		for (name in ops)
			printf "%s %d %d\n", name, ops[name], bytes[name]
	}' "$1" | sort
}

# Successes and bytes of one operation in the JSON of weir stat; fsync(2) of a directory is fsyncdir.
counted_by_weir() {
	jq -r --arg op "$2" '[.ops[] | select(.op == $op or ($op == "fsync" and .op == "fsyncdir"))] |
		"\(map(.ops - .errors) | add // 0) \(map(.bytes) | add // 0)"' "$1"
}

compare() {
	local name ops bytes weir_ops weir_bytes verdict differences=0
	printf '%-16s %12s %12s %16s %16s\n' operation strace weirfs 'strace, bytes' 'weirfs, bytes'
	while read -r name ops bytes; do
		read -r weir_ops weir_bytes < <(counted_by_weir "$3" "$name")
		verdict=' equal'
		# The kernel may cut a write at a page's end: then the bytes tell.
		if [[ $name == write ]]; then
			((weir_ops == ops)) || verdict=' equal in bytes: the kernel cuts some at the end of a page'
			((weir_ops >= ops && weir_bytes == bytes)) || verdict=' DIFFERS'
		elif [[ $weir_ops != "$ops" || ($bytes != 0 && $bytes != "$weir_bytes") ]]; then
			verdict=' DIFFERS'
		fi
		[[ $verdict != *DIFFERS ]] || differences=1
		[[ $bytes != 0 ]] || bytes='' weir_bytes=''
		printf '%-16s %12s %12s %16s %16s%s\n' "$name" "$ops" "$weir_ops" "$bytes" "$weir_bytes" "$verdict"
	done < <(count "$1" "$2")
	return "$differences"
}

case ${1:-} in
calls) printf '%s\n' "$calls" ;;
count) count "$2" "$3" ;;
compare) compare "$2" "$3" "$4" ;;
*)
	sed -n '3,12s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
