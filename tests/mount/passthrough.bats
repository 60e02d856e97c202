#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# POSIX through the passthrough: whatever holds on the backing file system holds on the mount.

# shellcheck disable=SC2030,SC2031,SC2317 # every test is a process of its own; conditions are called by name
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"

setup() {
	weir_setup
}

teardown() {
	weir_teardown
}

# What is compared lies side by side on both ways to the same file system.
compare() {
	mkdir -p "$m/dir" "$b/ref"
	if maps_refused; then
		set -- -s "$@"
	fi
	posix "$@" "$m/dir" "$b/ref"
}

@test "the checks themselves pass on native ext4" {
	make_fs ext4 600M
	posix -l "$fs"
}

@test "everything of POSIX holds on ext4, mounted elsewhere" {
	over ext4
	compare
	unmount_weirfs "$m"
}

@test "everything of POSIX holds on ext4, mounted in place" {
	in_place ext4
	compare -l
	unmount_weirfs "$m"
}

@test "everything of POSIX holds on XFS, mounted in place" {
	in_place xfs
	compare
	unmount_weirfs "$m"
}

@test "everything of POSIX holds on btrfs, mounted in place" {
	in_place btrfs
	compare
	unmount_weirfs "$m"
}

@test "everything of POSIX holds on tmpfs, mounted elsewhere" {
	over tmpfs
	compare
}

@test "everything of POSIX holds with cache=none" {
	in_place ext4 cache=none
	compare
}

@test "everything of POSIX holds with cache=always" {
	in_place ext4 cache=always
	compare
}

@test "everything of POSIX holds with data=kernel" {
	# Stores through maps pass the mount by, so that what it keeps of attributes is old.
	in_place xfs data=kernel,attr_timeout=0
	compare
}

@test "everything of POSIX holds with locks on the backing file system" {
	over ext4 locks=backing
	compare
}

@test "everything of POSIX holds with few descriptors and without kept attributes" {
	over ext4 max_fds=8,attr_timeout=0,entry_timeout=0
	compare
}

@test "everything of POSIX holds for an ordinary user of root's mount" {
	in_place ext4
	install -d -o 1000 -g 1000 "$b/dir" "$b/ref"
	as_user 1000 posixcheck "$m/dir" "$b/ref" >posix.out || { grep -B2 '^not ok' posix.out; false; }
}

@test "an ordinary user mounts his own tree, and everything of POSIX holds there" {
	make_fs ext4 600M
	b=$fs/b m=$tmp/m
	install -d -o 1000 -g 1000 "$b" "$m" "$b/dir" "$b/ref"
	chmod 666 /dev/fuse
	start_weirfs setpriv --reuid 1000 --regid 1000 --clear-groups "$weirfs" "$b" "$m" -f
	defer umount -l "$m"
	wait_for 20 live_or_dead "$daemon" "$m"
	is_weirfs "$m"
	as_user 1000 posixcheck "$m/dir" "$b/ref" >posix.out || { grep -B2 '^not ok' posix.out; false; }
	# nobody else gets in, root neither: that is what fusermount3 promises
	assert_fails "Permission denied" ls "$m"
	as_user 1000 fusermount3 -u "$m"
	wait_for 10 gone "$daemon"
}

@test "random operations on a file give what the same ones in memory give, in every cache mode" {
	local mode fs_kind
	for mode in auto none always; do
		for fs_kind in ext4 xfs; do
			in_place "$fs_kind" "cache=$mode"
			unset ORACLE_UNMAPPED
			maps_refused && export ORACLE_UNMAPPED=1
			fsoracle 1 3000 "$m/file"
			ORACLE_DROP=1 fsoracle 2 500 "$m/file"
			cmp "$m/file" "$b/file"
			unmount_weirfs "$m"
			undo_all
			rm -rf "$fs" "$b" "$fs.img"
		done
	done
}

@test "random operations on a file come out right with data=kernel" {
	in_place xfs data=kernel
	fsoracle 3 3000 "$m/file"
	cmp "$m/file" "$b/file"
}
