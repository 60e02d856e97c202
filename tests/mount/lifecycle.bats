#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Mounting, unmounting, being killed: problems that people reported (group B), and more of the kind.

# shellcheck disable=SC2030,SC2031,SC2317 # every test is a process of its own; conditions are called by name
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"

setup() {
	weir_setup
	mkdir src mnt
}

teardown() {
	weir_teardown
}

# In the background, as mount(8) and people start it; its process is found by the mount's own word.
start_in_background() {
	defer umount -l "$tmp/mnt"
	"$weirfs" "$tmp/src" "$tmp/mnt" 3>&-
	daemon=$(stat_json "$tmp/mnt" .counters.pid)
	defer_stop "$daemon"
}

@test "B1: mounted over its own source ls, du, find, df and findmnt work" {
	in_place ext4
	mkdir -p "$m/a/b"
	echo x >"$m/a/b/f"
	timeout 10 ls -lR "$m" >/dev/null
	timeout 10 du -s "$m" >/dev/null
	timeout 10 find "$m" -name f | grep -q f
	timeout 10 df "$m" >/dev/null
	assert_equal "$(timeout 10 findmnt -n -o FSTYPE -M "$m" | tail -1)" fuse.weirfs
	assert_same_trees "$m" "$b"
}

@test "B1: mounted over a tree that holds the mount point, the mount is not found in itself" {
	mkdir -p src/sub/point
	echo x >src/f
	mount_weirfs src src/sub/point
	assert_equal "$(cat src/sub/point/f)" x
	timeout 10 find src -name f >found
	timeout 10 ls src/sub/point/sub >/dev/null
	assert_less "$(wc -l <found)" 3 "how often the file is found"
	timeout 10 du -s src >/dev/null
}

@test "B1: the whole machine's root can be mounted" {
	mount_weirfs / mnt
	timeout 10 ls mnt >/dev/null
	assert_equal "$(timeout 10 ls "mnt$tmp/mnt" 2>/dev/null)" "" "the mount in itself"
	timeout 10 cat mnt/etc/hostname | cmp - /etc/hostname
	timeout 10 ls mnt/proc >/dev/null
	unmount_weirfs "$tmp/mnt"
}

@test "B3: fstab lines with words for others work with mount -a" {
	cat >fstab <<-END
		$tmp/src $tmp/mnt fuse.weirfs defaults,_netdev,nofail,noauto,x-systemd.automount,x-gvfs-hide,user,cache=none 0 0
		weirfs#$tmp/src $tmp/mnt2 fuse nonempty,auto,nofail,allow_other,noatime 0 0
	END
	mkdir mnt2 sbin
	touch mnt2/not-empty
	# the helper mount.fuse finds weirfs by PATH; in a mount namespace of its own
	cat >inside <<-'END'
		set -e
		mount -T fstab mnt
		mount -T fstab -a
		echo x >mnt/f
		cat mnt2/f
		grep -c fuse.weirfs /proc/self/mountinfo
		findmnt -n -o OPTIONS mnt2
		umount mnt mnt2
	END
	weirfs=$weirfs PATH=$build:/usr/sbin:/usr/bin:/sbin:/bin run unshare -m sh inside
	assert_equal "$status" 0 "exit status of: $output"
	assert_contains "$output" x
	[[ -s src/f ]]
}

@test "B3: mount -t fuse.weirfs mounts with ro and remounts" {
	mount_through_helper() {
		mount -t fuse.weirfs -o "$1" "$tmp/src" "$tmp/mnt" 3>&-
	}
	defer umount -l "$tmp/mnt"
	echo x >src/f
	PATH=$build:$PATH mount_through_helper ro
	daemon=$(stat_json "$tmp/mnt" .counters.pid)
	defer_stop "$daemon"
	assert_fails "Read-only file system" touch mnt/new
	assert_equal "$(cat mnt/f)" x
	umount mnt
	wait_for 10 gone "$daemon"
}

@test "B4: a mount that fails exits non-zero with one clear line, in the foreground and background" {
	local flag
	for flag in '' -f; do
		assert_fails "cache" "$weirfs" src mnt -o cache=nonsense $flag
		assert_fails "nowhere" "$weirfs" nowhere mnt $flag
		assert_fails "nowhere" "$weirfs" src nowhere $flag
		assert_fails "" "$weirfs" src $flag
		assert_fails "" "$weirfs" src mnt -o no_such_option=1 $flag
		touch file
		assert_fails "" "$weirfs" file mnt $flag
	done
	run "$weirfs" src mnt -o cache=nonsense 3>&-
	assert_equal "${#lines[@]}" 1 "lines of the message"
	assert_equal "$status" 2 "exit status of a usage error"
	refute is_weirfs "$tmp/mnt"
}

@test "B4: without /dev/fuse it says so" {
	run unshare -m sh -c "mount -t tmpfs tmpfs /dev && mknod /dev/null c 1 3 && exec '$weirfs' src mnt 3>&-"
	[[ $status != 0 ]]
	assert_contains "$output" fuse
	run unshare -m sh -c "mount -t tmpfs tmpfs /dev && mknod /dev/null c 1 3 && exec '$weirfs' src mnt -f 3>&-"
	[[ $status != 0 ]]
}

@test "in the background it returns when the mount is live, and leaves no open standard files" {
	start_in_background
	is_weirfs "$tmp/mnt"
	echo x >mnt/f
	assert_equal "$(cat src/f)" x
	assert_equal "$(readlink "/proc/$daemon/fd/1")" /dev/null
	umount mnt
	wait_for 10 gone "$daemon"
}

@test "B5: SIGTERM and SIGINT end an idle mount within 2 s, although a descriptor is open" {
	local signal start
	for signal in TERM INT; do
		start_in_background
		exec 6>mnt/open
		start=$(milliseconds)
		kill "-$signal" "$daemon"
		wait_for 5 gone "$daemon"
		assert_less $(($(milliseconds) - start)) 2000 "until SIG$signal ended it (ms)"
		exec 6>&-
		refute is_weirfs "$tmp/mnt"
	done
}

@test "B6: after a lazy unmount everything that dd writes arrives, then the daemon ends" {
	local writer
	mount_weirfs src mnt
	mkfifo feed
	dd if=feed of=mnt/f bs=64k status=none 3>&- &
	writer=$!
	exec 7>feed
	head -c 1000000 /dev/zero >&7
	written() { [[ -s src/f ]]; }
	wait_for 5 written
	umount -l mnt
	refute gone "$daemon"
	head -c 1000000 /dev/zero >&7
	exec 7>&-
	wait "$writer"
	assert_equal "$(stat -c %s src/f)" 2000000
	wait_for 10 gone "$daemon"
}

@test "B8: after kill -9 the next start cleans up and says so" {
	start_in_background
	exec 6>mnt/open
	kill -KILL "$daemon"
	wait_for 5 gone "$daemon"
	run ls mnt
	[[ $status != 0 ]]
	"$weirfs" "$tmp/src" "$tmp/mnt" >again.log 2>&1 3>&-
	daemon=$(stat_json "$tmp/mnt" .counters.pid)
	defer_stop "$daemon"
	grep -i -E 'stale|dead|killed|left' again.log
	echo x >mnt/f
	assert_equal "$(cat src/f)" x
	exec 6>&- || true
	assert_equal "$(grep -c " $tmp/mnt " /proc/self/mountinfo)" 1 "mounts there"
	umount mnt
}

@test "B8: in place the next start recovers too, and the data is there" {
	in_place ext4
	echo x >"$m/f"
	kill -KILL "$daemon"
	wait_for 5 gone "$daemon"
	mount_weirfs "$m" "$m"
	assert_equal "$(cat "$m/f")" x
	unmount_weirfs "$m"
	assert_equal "$(cat "$m/f")" x
}

@test "B12: a log below the mount point neither blocks nor loops" {
	make_fs ext4 300M
	m=$fs
	defer umount -l "$m"
	"$weirfs" "$m" "$m" -f -o log=debug >"$m/weirfs.out" 2>&1 3>&- </dev/null &
	daemon=$!
	defer_stop "$daemon"
	wait_for 20 live_or_dead "$daemon" "$m"
	for ((i = 0; i < 100; i++)); do
		echo x >"$m/f$i"
	done
	timeout 20 ls -l "$m" >/dev/null
	assert_less "$(stat -c %s "$m/weirfs.out")" 10000000 "bytes of log"
	timeout 20 cat "$m/weirfs.out" >/dev/null
}

@test "B15: data=kernel falls back silently where the kernel can't, and weir stat says so" {
	# over a FUSE mount
	mount_weirfs src mnt
	mkdir mnt2 ovl up work
	mount_weirfs mnt mnt2 data=kernel
	echo deep >mnt2/f
	assert_equal "$(cat src/f)" deep
	[[ $(stat_json "$tmp/mnt2" .properties.data) =~ user|kernel ]]
	umount mnt2
	# over overlayfs
	make_fs tmpfs 100M upper
	mkdir "$fs/up" "$fs/work"
	mount -t overlay overlay -o "lowerdir=$tmp/src,upperdir=$fs/up,workdir=$fs/work" ovl
	defer umount -l "$tmp/ovl"
	mount_weirfs ovl mnt2 data=kernel
	echo over >mnt2/g
	cat mnt2/f mnt2/g >/dev/null
	assert_equal "$(cat ovl/g)" over
	fsoracle 1 500 "$tmp/mnt2/o"
}

@test "B15: data=kernel of an ordinary user falls back" {
	chmod 666 /dev/fuse
	chown 1000:1000 src mnt
	start_weirfs setpriv --reuid 1000 --regid 1000 --clear-groups "$weirfs" "$tmp/src" "$tmp/mnt" -f -o data=kernel
	defer umount -l "$tmp/mnt"
	wait_for 20 live_or_dead "$daemon" "$tmp/mnt"
	as_user 1000 sh -c "echo x >mnt/f && cat mnt/f"
	assert_equal "$(as_user 1000 weir stat "$tmp/mnt" --json | jq -r .properties.data)" user
	as_user 1000 fusermount3 -u "$tmp/mnt"
	wait_for 10 gone "$daemon"
}

@test "B16: FIFOs, sockets and devices work below the mount, devices per option" {
	mount_weirfs src mnt dev
	mkfifo mnt/p
	echo through >mnt/p 3>&- &
	assert_equal "$(cat mnt/p)" through
	mknod mnt/null c 1 3
	echo x >mnt/null
	unmount_weirfs "$tmp/mnt"
	mount_weirfs src mnt nodev
	assert_fails "Permission denied" sh -c 'echo x >mnt/null'
}

@test "in place the options of the real mount stay: set-user-ID programs and devices work" {
	in_place ext4
	mknod "$m/null" c 1 3
	echo x >"$m/null"
	install -m 4755 /usr/bin/id "$m/id"
	assert_contains "$(as_user 1000 "$m/id")" "euid=0(root)"
}

@test "file systems mounted below the source are crossed and kept apart" {
	make_fs ext4 300M
	mkdir src/below
	echo x >"$fs/f"
	mount --bind "$fs" src/below
	defer umount -l "$tmp/src/below"
	mount_weirfs src mnt
	assert_equal "$(cat mnt/below/f)" x
	assert_fails "Invalid cross-device link" rename_across mnt/below/f mnt/f
	echo y >mnt/below/g
	assert_equal "$(cat "$fs/g")" y
	assert_equal "$(stat -f -c %b mnt/below)" "$(stat -f -c %b "$fs")"
	# the same inode number on both sides is not the same file
	for ((i = 0; i < 30; i++)); do
		echo "outside $i" >"mnt/n$i"
		echo "inside $i" >"mnt/below/n$i"
	done
	drop_names
	for ((i = 0; i < 30; i++)); do
		assert_equal "$(cat "mnt/n$i" "mnt/below/n$i")" $'outside '"$i"$'\ninside '"$i"
	done
}

# mv would copy instead.
rename_across() {
	ln "$1" "$2"
}

@test "a mount point that is handed over as a descriptor is served" {
	# shellcheck disable=SC2016 # for the inner shell
	start_weirfs unshare -m bash -c '
		exec 8<>/dev/fuse
		mount -i -t fuse -o fd=8,rootmode=40000,user_id=0,group_id=0,allow_other weirfs mnt &&
		exec "$0" src /dev/fd/8 -f' "$weirfs"
	ready() { nsenter -t "$daemon" -m ls "$tmp/mnt" >/dev/null 2>&1; }
	echo x >src/f
	wait_for 10 ready
	assert_equal "$(nsenter -t "$daemon" -m cat "$tmp/mnt/f")" x
}

@test "ro keeps everything as it is" {
	echo x >src/f
	mount_weirfs src mnt ro
	assert_fails "Read-only" touch mnt/g
	assert_fails "Read-only" rm mnt/f
	assert_fails "Read-only" chmod 600 mnt/f
	cat mnt/f
}

@test "a file system that becomes read-only or fails answers with its error, and the daemon stays" {
	over ext4
	echo x >"$m/f"
	mount -o remount,ro "$fs"
	assert_fails "Read-only file system" touch "$m/g"
	mount -o remount,rw "$fs"
	touch "$m/g"
	over_full
}

over_full() {
	dd if=/dev/zero of="$m/full" bs=1M 2>full.out || true
	assert_contains "$(<full.out)" "No space left on device"
	rm "$m/full"
	echo y >"$m/f"
	assert_equal "$(cat "$b/f")" y
}

@test "many mounts and unmounts leave nothing behind" {
	local before
	before=$(grep -c "$tmp" /proc/self/mountinfo) || true
	for ((i = 0; i < 15; i++)); do
		mount_weirfs src mnt
		echo "$i" >mnt/f
		unmount_weirfs "$tmp/mnt"
	done
	assert_equal "$(grep -c "$tmp" /proc/self/mountinfo)" "$before" mounts
}
