# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What tests of live mounts share. Everything that a test makes lies below $tmp, and what undoes it
# is registered where it is made: nothing is left behind when a test fails half way.

# Where the programs are: automake says so; a run by hand takes ./build.
top=${abs_top_srcdir:-$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)}
build=${abs_top_builddir:-$top/build}
weirfs=$build/weirfs
lib=$build/tests/lib
PATH=$build:$lib:$PATH
export PATH LC_ALL=C.UTF-8

# Live mounts share the machine with whatever else runs there: a test that fails gets one more try.
# shellcheck disable=SC2034 # read by bats
BATS_TEST_RETRIES=${WEIR_RETRIES-1}

# ---- the frame: every test file has setup() { weir_setup; } and teardown() { weir_teardown; }

weir_setup() {
	tmp=$BATS_TEST_TMPDIR
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* "$tmp" # other users take part
	: >"$tmp/.undo"
	ls -A "$build/sanitizer" >"$tmp/.reports" 2>/dev/null || true
	cd "$tmp" || return
}

weir_teardown() {
	local failed=0
	if [[ -z ${BATS_TEST_COMPLETED:-} ]]; then
		tail -n 40 "$tmp"/*.log 2>/dev/null || true
	fi
	cd / || return
	undo_all
	new_sanitizer_reports || failed=1
	return "$failed"
}

# defer COMMAND...: runs it at the end of the test; the last one first.
defer() {
	printf '%q ' "$@" >>"$tmp/.undo"
	echo >>"$tmp/.undo"
}

undo_all() {
	local line
	while read -r line; do
		eval "$line" || true
	done < <(tac "$tmp/.undo") >/dev/null 2>&1
	: >"$tmp/.undo"
}

# Daemons have no terminal: what sanitizers find in them is in files.
new_sanitizer_reports() {
	local report found=0
	for report in "$build"/sanitizer/*; do
		[[ -s $report ]] || continue
		grep -qxF "${report##*/}" "$tmp/.reports" && continue
		echo "sanitizer: $report"
		head -n 60 "$report"
		found=1
	done
	return "$found"
}

# ---- conditions

# wait_for SECONDS COMMAND...: until the command succeeds, or the time is over.
wait_for() {
	local deadline=$((SECONDS + $1 + 1))
	shift
	until "$@"; do
		if ((SECONDS >= deadline)); then
			echo "waited too long for: $*"
			return 1
		fi
		sleep 0.05
	done
}

# Ended: what nobody has waited for yet counts too.
gone() {
	! kill -0 "$1" 2>/dev/null || [[ $(ps -o stat= -p "$1") == Z* ]]
}

milliseconds() {
	date +%s%3N
}

# ---- assertions

fail() {
	printf '%s\n' "$*"
	return 1
}

# assert_equal GOT WANTED [WHAT]
assert_equal() {
	[[ $1 == "$2" ]] || fail "${3:-value}: got '$1', not '$2'"
}

# assert_less GOT LIMIT [WHAT]: numbers, which may have fractions
assert_less() {
	awk -v a="$1" -v b="$2" 'BEGIN {exit !(a < b)}' || fail "${3:-value}: $1 is not below $2"
}

assert_contains() {
	[[ $1 == *"$2"* ]] || fail "no '$2' in: $1"
}

# "!" does not end a test that is not over.
refute() {
	if "$@"; then
		fail "should not be so: $*"
	fi
}

# assert_fails [WORDS] COMMAND...: it must fail, and say WORDS
assert_fails() {
	local words=$1 said
	shift
	if said=$("$@" 2>&1 3>&-); then
		fail "should have failed: $*"
	fi
	assert_contains "$said" "$words"
}

# The same names, types, modes, owners, sizes, times, targets, links and contents on both sides.
assert_same_trees() {
	diff <(describe_tree "$1") <(describe_tree "$2") || fail "$1 and $2 differ"
}

describe_tree() {
	(
		cd "$1" || exit
		find . -printf '%p %y %m %U %G %n %l ' \
			\( -type d -printf '\n' -o -type l -printf '%s %T@\n' -o -printf '%s %T@\n' \) | sort
		find . -type f -print0 | sort -z | xargs -0r sha256sum
		# XFS shows ACLs a second time under a name of its own
		find . -print0 | sort -z | xargs -0r getfattr -h -d -m - 2>/dev/null | grep -v SGI_ACL
		find . ! -type l -print0 | xargs -0r getfacl -p -s 2>/dev/null | awk -v RS= '{gsub(/\n/, " "); print}' | sort
	)
}

# Running it again may do: for bounds in time on a machine that others use too.
within_tries() {
	local tries=$1 try
	shift
	for ((try = 1; try <= tries; try++)); do
		"$@" && return
		echo "try $try of $tries: not within the bounds"
	done
	return 1
}

# ---- file systems

# make_fs ext4|xfs|btrfs|tmpfs SIZE [NAME]: a fresh one; its directory is in $fs.
make_fs() {
	local kind=$1 size=$2 image device
	local -a extra
	fs=$tmp/${3:-$kind}
	mkdir "$fs"
	if [[ $kind == tmpfs ]]; then
		mount -t tmpfs -o "size=$size,mode=755" tmpfs "$fs"
		defer umount -l "$fs"
		return
	fi
	image=$fs.img
	truncate -s "$size" "$image"
	read -ra extra <<<"${MKFS_OPTIONS:-}"
	"mkfs.$kind" -q "${extra[@]}" "$([[ $kind == ext4 ]] && echo -F || echo -f)" "$image"
	device=$(losetup -f --show "$image")
	[[ -b $device ]] || fail "no loop device is free"
	# from now on the device goes with its last user
	if ! mount -t "$kind" "$device" "$fs"; then
		losetup -d "$device"
		return 1
	fi
	losetup -d "$device"
	defer umount -l "$fs"
}

drop_caches() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

drop_pages() {
	sync
	echo 1 >/proc/sys/vm/drop_caches
}

drop_names() {
	echo 2 >/proc/sys/vm/drop_caches
}

# ---- weirfs

mount_type() {
	awk -v at="$1" '$5 == at {for (i = 7; i < NF; i++) if ($i == "-") type = $(i + 1)} END {print type}' \
		/proc/self/mountinfo
}

is_weirfs() {
	[[ $(mount_type "$1") == fuse.weirfs ]]
}

live_or_dead() {
	is_weirfs "$2" || gone "$1"
}

# start_weirfs COMMAND...: in the foreground of a process of its own; its number is in $daemon.
start_weirfs() {
	daemon_log=$(mktemp "$tmp/weirfs-XXXX.log")
	"$@" >"$daemon_log" 2>&1 3>&- </dev/null &
	daemon=$!
	defer_stop "$daemon"
}

# When a process was started, in ticks: numbers of processes come round within minutes of builds.
born() {
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
}

# defer_stop PID: ends that process at the end of the test, and no later one of its number.
defer_stop() {
	defer stop_daemon "$1" "$(born "$1")"
}

ended() {
	gone "$1" || [[ $(born "$1") != "$2" ]]
}

stop_daemon() {
	ended "$1" "$2" && return
	kill -TERM "$1"
	wait_for 5 ended "$1" "$2" || kill -KILL "$1"
}

# mount_weirfs SOURCE MOUNTPOINT [OPTIONS]: live when it returns.
mount_weirfs() {
	local source=$1 point=$2 options=${3:-}
	point=$(realpath "$point")
	start_weirfs "$weirfs" "$source" "$point" -f ${options:+-o "$options"}
	defer umount -l "$point"
	wait_for 20 live_or_dead "$daemon" "$point"
	is_weirfs "$point" || { cat "$daemon_log"; fail "weirfs ended before it was live"; }
}

# Whether the mount refuses shared maps, which must have a reason: cache=none needs the kernel's and
# libfuse's help to allow them (README), and the daemon says so.
maps_refused() {
	grep -q '^#define HAVE_FUSE_DIRECT_IO_ALLOW_MMAP' "$build/config.h" && return 1
	grep -q 'cache=none: shared mmap is refused' "$daemon_log"
}

# The mount goes, and the daemon ends well.
unmount_weirfs() {
	local pid=${2:-$daemon} status=0
	wait_for 10 umount "$1"
	wait_for 10 gone "$pid"
	wait "$pid" || status=$?
	assert_equal "$status" 0 "the daemon's exit status"
}

# over FS [OPTIONS]: weirfs on $m over the directory $b of a fresh file system.
over() {
	make_fs "$1" "${FS_SIZE:-600M}"
	b=$fs/b m=$tmp/m
	mkdir "$b" "$m"
	mount_weirfs "$b" "$m" "${2:-}"
}

# in_place FS [OPTIONS]: weirfs on its own source $m; $b is the same by another way.
in_place() {
	make_fs "$1" "${FS_SIZE:-600M}"
	m=$fs b=$tmp/behind
	mkdir "$b"
	mount --bind "$m" "$b"
	defer umount -l "$b"
	mount_weirfs "$m" "$m" "${2:-}"
}

as_user() {
	local uid=$1
	shift
	setpriv --reuid "$uid" --regid "$uid" --clear-groups -- "$@"
}

# stat_json MNT FILTER: one value out of weir stat --json.
stat_json() {
	weir stat "$1" --json --files 100000 | jq -r "$2"
}

# op_count MNT OP [FIELD]: 0 when there was none.
op_count() {
	stat_json "$1" "([.ops[] | select(.op == \"$2\") | .${3:-ops}] | add) // 0"
}

descriptors() {
	find "/proc/$1/fd" -mindepth 1 -maxdepth 1 | wc -l
}

resident_kib() {
	awk '/^VmRSS/ {print $2}' "/proc/$1/status"
}

# Bash's messages about ended jobs are no part of a test.
set +m

# posix DIR REF: runs posixcheck, shows what failed.
posix() {
	posixcheck "$@" >"$tmp/posix.out" || {
		grep -B2 '^not ok' "$tmp/posix.out"
		return 1
	}
	grep -A1 'skip:' "$tmp/posix.out" | grep -v '^--' || true
}
