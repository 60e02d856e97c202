# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # status, stderr: set by run --separate-stderr
# For the tests of weir: snapshots of the fixture, and a mount that is only a line and a socket.

fixture=${abs_top_builddir:?run by make check}/tests/cli/fixture

# Writes snapshots of these names into the test's directory.
snapshots() {
	local name
	for name; do
		"$fixture" snapshot "$name" >"$BATS_TEST_TMPDIR/$name.snap"
	done
}

# Pretends that weirfs is mounted at PATH (as mountinfo writes it) and leaves its socket's path in
# $socket. The mount of the last call is the one of $socket.
fake_mount() {
	local directory=/run/weirfs uid
	uid=$(id -u)
	if ((uid)); then
		directory=/run/user/$uid/weirfs
		mkdir -p "$directory" 2>/dev/null || directory=/tmp/weirfs-$uid
	fi
	mkdir -p "$directory"
	export WEIR_MOUNTINFO=$BATS_TEST_TMPDIR/mountinfo
	[[ -e $WEIR_MOUNTINFO ]] ||
		echo '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw' >"$WEIR_MOUNTINFO"
	minor=$((900000 + RANDOM * 4 + ${minor:-0} % 4 + 1))
	socket=$directory/0:$minor.sock
	printf '%s 22 0:%s / %s rw,nosuid shared:9 - fuse.weirfs %s rw,user_id=%s,group_id=0\n' \
		"$minor" "$minor" "$1" '/real\040dir' "$uid" >>"$WEIR_MOUNTINFO"
}

wait_for() {
	local deadline=$((SECONDS + 10))
	until "$@"; do
		((SECONDS < deadline)) || {
			echo "waited in vain for: $*"
			return 1
		}
		sleep 0.02
	done
}

# Plays the daemon of the last fake mount with the snapshots of these names, one an answer.
fake_daemon() {
	local name files=()
	for name; do
		files+=("$BATS_TEST_TMPDIR/$name.snap")
	done
	"$fixture" serve "$socket" "$BATS_TEST_TMPDIR/requests" "${files[@]}" 3>&- &
	daemons+=("$!")
	wait_for test -S "$socket"
}

# For teardown.
end_daemons() {
	local pid
	for pid in "${daemons[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[[ -z ${socket:-} ]] || rm -f "$socket" "$socket.new"
}

# The status is 2 and there is one line on stderr that ends in a hint.
is_usage_error() {
	local hint=$1
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"(try '$hint')" ]]
}
