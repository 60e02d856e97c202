#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What container.bats runs in a container: file systems on loop devices, weirfs over each, in place and
# elsewhere. $1 is where the programs are, $2 an empty directory of the host.
set -eu
build=$1 work=$2
PATH=$build:$build/tests/lib:/usr/sbin:/sbin:$PATH
cd "$work"

live() {
	tries=0
	until grep -q " $1 fuse.weirfs" /proc/mounts; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || { echo "$1 is not live"; exit 1; }
		sleep 0.05
	done
}

# Whoever serves it may need a moment to leave.
goes() {
	tries=0
	until umount "$1" 2>/dev/null; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || { echo "$1 stays"; exit 1; }
		sleep 0.05
	done
}

use() {
	echo content >"$1/f"
	[ "$(cat "$2/f")" = content ]
	dd if=/dev/urandom of="$1/data" bs=64k count=50 conv=fsync 2>/dev/null
	cmp "$1/data" "$2/data"
	mkdir "$1/dir"
	chmod 777 "$1/dir"
	setpriv --reuid 40001 --regid 40001 --clear-groups touch "$1/dir/mine"
	[ "$(stat -c %u "$2/dir/mine")" = 40001 ]
	fsoracle 5 500 "$1/oracle"
	posixcheck -m rename "$1/dir" >posix.out || { grep '^not' -B2 posix.out; exit 1; }
	weir stat "$1" --json | jq -e '[.ops[] | select(.op == "write")] | length == 1' >/dev/null
}

for kind in ext4 xfs; do
	truncate -s 400M image
	case $kind in
	ext4) mkfs.ext4 -q -F image ;;
	xfs) mkfs.xfs -q -f image ;;
	esac
	mkdir -p real view behind
	device=$(losetup -f --show image)
	[ -b "$device" ]
	mount "$device" real || { losetup -d "$device"; exit 1; }
	losetup -d "$device"
	mkdir real/sub
	weirfs real/sub view
	live "$work/view"
	use view real/sub
	goes view
	mount --bind real behind
	weirfs real real
	live "$work/real"
	use real behind
	goes real
	goes behind
	goes real
	rm image
	echo "done $kind"
done
