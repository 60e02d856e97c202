#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weirfs over real NFS: a kernel's server and client in a guest. One guest does everything; each test
# here looks at its part of the results.

# shellcheck disable=SC2030,SC2031 # every test is a process of its own
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"

setup_file() {
	export share=$BATS_FILE_TMPDIR
	local program
	for program in linux.uml rpc.nfsd rpc.statd rpcbind; do
		[[ -n $(PATH=$PATH:/usr/sbin:/sbin command -v $program) ]] || fail "$program is missing: see tests/testbeds/guest.sh"
	done
	{
		printf 'export BUILD=%q TESTBEDS=%q\n' "$build" "$BATS_TEST_DIRNAME"
		cat "$BATS_TEST_DIRNAME/nfs-inside.bash"
	} >"$share/script"
	"$BATS_TEST_DIRNAME/guest.sh" "$share" script >"$share/guest.out" 2>&1 3>&- || true
	echo "# $(tail -n 1 "$share/guest.out")" >&3
}

# passed CHECK: in both versions, with what the check had to say when not.
passed() {
	local version failed=0
	[[ -s $share/results ]] || { cat "$share/guest.out" "$share/server.out"; return 1; }
	for version in 3 4; do
		if ! grep -qx "ok $1$version" "$share/results"; then
			echo "NFSv$version:"
			tail -n 30 "$share/$1$version.out" "$share/weirfs$version.log" 2>/dev/null || cat "$share/server.out"
			failed=1
		fi
	done
	return "$failed"
}

@test "weirfs mounts over NFSv3 and NFSv4.2" {
	passed mount
}

@test "files come and go on NFS" {
	passed basic_io
}

@test "A11: what the server replaces is read anew on NFS" {
	passed replaced_on_server
}

@test "A12: removed files leave no .nfs files and directories can go" {
	passed nothing_is_kept
}

@test "A14: with root_squash files belong to the caller" {
	passed owner_with_root_squash
}

@test "A30: locks exclude users of another NFS client" {
	passed locks_between_clients
}

@test "A30: locks exclude users of the mount over NFS" {
	passed locks_exclude
}

@test "random operations come out right on NFS" {
	passed oracle
}

@test "many processes do random things on NFS, and the server has the same tree" {
	passed storm
}

@test "whatever of POSIX holds on plain NFS holds through the mount" {
	passed posix_as_plain_nfs
}

@test "writers go on when the server comes back" {
	passed server_restart
}

@test "the mounts over NFS end well" {
	passed unmount
}
