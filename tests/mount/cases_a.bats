#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Problems that people reported of file systems like this one: POSIX semantics (group A).
# Those over NFS (A11, A12, A14 and parts of A30) are in tests/testbeds/nfs.bats, A24 in postgres.bats.

# shellcheck disable=SC2016,SC2030,SC2031,SC2317 # every test is a process of its own; conditions are called by name
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"

setup() {
	weir_setup
}

teardown() {
	weir_teardown
}

@test "A1: a name that is replaced by rename is always there, 100,000 opens by four threads" {
	local mode
	in_place ext4
	renameopen 25000 4 "$m"
	unmount_weirfs "$m"
	for mode in none always; do
		mount_weirfs "$m" "$m" "cache=$mode,entry_timeout=0"
		renameopen 5000 4 "$m"
		unmount_weirfs "$m"
	done
}

@test "A3: rename over an open, unlinked target: right data, nothing hidden, only the real operations" {
	over ext4 cache=none
	mkdir "$m/d"
	echo A >"$m/d/a"
	echo B >"$m/d/b"
	weir ctl "$m" reset
	exec 5<>"$m/d/a" 6<>"$m/d/b"
	rm "$m/d/b"
	mv "$m/d/a" "$m/d/b"
	assert_equal "$(cat <&5)" A
	assert_equal "$(cat <&6)" B
	echo more >&5
	echo lost >&6
	assert_equal "$(find "$b/d" -mindepth 1 -printf '%f\n')" b "names while open"
	exec 5>&- 6>&-
	assert_equal "$(cat "$b/d/b")" $'A\nmore'
	rm "$m/d/b"
	rmdir "$m/d"
	assert_equal "$(op_count "$m" rename)" 1
	assert_equal "$(op_count "$m" unlink)" 2
	assert_equal "$(op_count "$m" link)" 0
}

@test "A4: a second hard link shows the new size and mode at once" {
	over ext4
	echo first >"$m/f1"
	ln "$m/f1" "$m/f2"
	stat "$m/f1" "$m/f2" >/dev/null
	echo more >>"$m/f1"
	assert_equal "$(stat -c '%i %s %h' "$m/f2")" "$(stat -c '%i %s %h' "$m/f1")"
	assert_equal "$(stat -c %s "$m/f2")" 11
	chmod 444 "$m/f2"
	assert_equal "$(stat -c %a "$m/f1")" 444
}

dropping() {
	while sleep 0.2; do
		echo 2 >/proc/sys/vm/drop_caches
	done
}

# What is left belongs to the 16 rows of the file table: those files and the directories on the paths
# of all their names. One more for each: removed directories have the paths of others.
only_rows_left() {
	echo 3 >/proc/sys/vm/drop_caches
	stat_json "$m" '
		([.files[].path | split("/") | [range(1; length + 1) as $n | .[:$n]] | .[]] | unique | length)
		+ ([.files[] | ([.names - 1, 0] | max) * (.path | split("/") | length - 1)] | add)
		+ 16 >= .counters.inodes' | grep -qx true
}

@test "A7: look-ups race with forgets for a long time; the daemon lives and forgets everything" {
	local dropper
	over ext4 max_files=16
	dropping 3>&- &
	dropper=$!
	defer kill "$dropper"
	fsstorm 16 3000 1 "$m"
	kill "$dropper"
	diff <(cd "$m" && find . -printf '%p %y %s %n\n' | sort) <(cd "$b" && find . -printf '%p %y %s %n\n' | sort)
	wait_for 20 only_rows_left
	unmount_weirfs "$m"
}

@test "A8: an old file handle is opened or refused after caches and daemon are gone, never a crash" {
	local said
	over ext4
	echo content >"$m/f"
	handles save "$m/f" kept
	assert_equal "$(handles open kept "$m")" content
	drop_caches
	said=$(handles open kept "$m")
	[[ $said == content || $said == ESTALE ]]
	unmount_weirfs "$m"
	mount_weirfs "$b" "$m"
	said=$(handles open kept "$m")
	[[ $said == content* || $said == ESTALE || $said == EOPNOTSUPP ]] || fail "$said"
	rm "$m/f"
	drop_caches
	assert_equal "$(handles open kept "$m")" ESTALE
	gone "$daemon" && fail "the daemon is gone"
	is_weirfs "$m"
}

@test "A10: at the limit of descriptors listings are complete, errors honest, and it recovers" {
	local holder held n
	make_fs ext4 600M
	b=$fs/b m=$tmp/m
	mkdir "$b" "$m"
	manyfiles make 1000 "$b"
	start_weirfs prlimit --nofile=128:128 "$weirfs" "$b" "$m" -f
	defer umount -l "$m"
	wait_for 20 live_or_dead "$daemon" "$m"
	mkfifo go
	manyfiles hold 1000 "$m" <go >held 3>&- &
	holder=$!
	exec 7>go
	wait_for 20 grep -q held held
	held=$(<held)
	echo "# $held" >&3
	# either all could be held, or the error says why not
	[[ $held == *all || $held == *"Too many open files"* ]]
	n=$(find "$m/d000000" -type f 2>/dev/null | wc -l)
	if [[ $n != 1000 ]]; then
		# a listing that can't be opened may fail, but not be short and silent
		assert_fails "Too many open files" find "$m/d000000" -type f
	fi
	exec 7>&-
	wait "$holder"
	assert_equal "$(find "$m" -type f | wc -l)" 1000 "files listed afterwards"
	cat "$m"/d000000/f* >/dev/null
}

@test "A11: a file that is replaced underneath is read anew" {
	local mode
	over ext4 attr_timeout=0.2,entry_timeout=0.2
	for ((i = 0; i < 20; i++)); do
		echo "old $i" >"$b/f"
		shows_old() { [[ $(cat "$m/f") == "old $i" ]]; }
		wait_for 3 shows_old
		echo "new and longer $i" >"$b/tmp"
		mv "$b/tmp" "$b/f"
		shows_new() { [[ $(cat "$m/f") == "new and longer $i" ]]; }
		wait_for 3 shows_new
	done
}

@test "A12: nothing keeps a removed directory busy" {
	over ext4
	for ((i = 0; i < 50; i++)); do
		mkdir "$m/d"
		touch "$m/d/f"
		cat "$m/d/f"
		rm "$m/d/f"
		rmdir "$m/d"
	done
	assert_equal "$(ls -A "$b")" ""
	# the space of removed files is given back although the daemon knew them
	dd if=/dev/zero of="$m/big" bs=1M count=100 status=none
	rm "$m/big"
	freed() { sync && [[ $(df --output=avail -m "$b" | tail -1) -gt 400 ]]; }
	wait_for 10 freed
}

@test "A15: the caller's supplementary groups count" {
	over ext4
	mkdir "$b/d"
	chown 0:40010 "$b/d"
	chmod 2775 "$b/d"
	setpriv --reuid 40001 --regid 40001 --groups 40010 -- sh -c \
		"mkdir '$m/d/sub' && : >'$m/d/f' && mv '$m/d/f' '$m/d/sub/g'"
	assert_equal "$(stat -c '%u %g' "$b/d/sub/g")" "40001 40010"
	assert_fails "Permission denied" setpriv --reuid 40001 --regid 40001 --clear-groups -- touch "$m/d/x"
}

@test "A16: with a default ACL the umask is not applied, as on the backing file system" {
	local where
	over ext4
	for where in "$m" "$b"; do
		mkdir "$where/${where##*/}-d"
		setfacl -d -m u:40001:rwx,g::rwx,o::rwx "$where/${where##*/}-d"
		(umask 077 && touch "$where/${where##*/}-d/f" && mkdir "$where/${where##*/}-d/s")
	done
	assert_equal "$(cd "$m/m-d" && getfacl f s)" "$(cd "$b/b-d" && getfacl f s)"
	assert_contains "$(getfacl -c "$m/m-d/f")" "user:40001:rwx"
}

@test "A18: writes are not each preceded by a question for capabilities" {
	local asked
	over ext4
	: >"$m/f"
	weir ctl "$m" reset
	dd if=/dev/zero of="$m/f" bs=4k count=10000 conv=notrunc status=none
	asked=$(op_count "$m" getxattr)
	echo "# 10,000 writes, $asked questions" >&3
	assert_equal "$(op_count "$m" write)" 10000
	if [[ $(stat_json "$m" .properties.libfuse) == 3.1[0-6]* ]]; then
		return # this libfuse can't take the kernel's offer
	fi
	assert_less "$asked" 100 "questions for extended attributes"
}

@test "A20: sparse files stay sparse and end, for cp, tar and grep" {
	local copy
	FS_SIZE=900M over ext4
	truncate -s 1G "$m/sparse"
	printf 'needle' | dd of="$m/sparse" bs=1M seek=512 conv=notrunc status=none
	mkdir "$m/x"
	timeout 30 cp --sparse=always "$m/sparse" "$m/copy1"
	timeout 30 cp "$m/sparse" "$m/copy2"
	timeout 30 tar -C "$m" -Scf "$m/sparse.tar" sparse
	timeout 30 tar -C "$m/x" -xf "$m/sparse.tar"
	for copy in copy1 copy2 x/sparse; do
		assert_equal "$(stat -c %s "$m/$copy")" $((1 << 30))
		assert_less "$(du -k "$m/$copy" | cut -f1)" 1024 "KiB of $copy"
		timeout 60 cmp "$m/$copy" "$m/sparse"
	done
	timeout 60 grep -c needle "$m/sparse"
	assert_equal "$(du -k "$m/sparse" | cut -f1)" "$(du -k "$b/sparse" | cut -f1)" "du"
}

@test "A22: eight processes append, half through the mount and half underneath: every record whole" {
	local mode
	make_fs ext4 600M
	b=$fs/b m=$tmp/m
	mkdir "$b" "$m"
	for mode in auto none always; do
		mount_weirfs "$b" "$m" "cache=$mode"
		if [[ $mode == always ]]; then
			# What others append is not seen through such a mount: it is read underneath.
			appendrace 8 3000 "$b/log" "$m/log"
		else
			appendrace 8 3000 "$m/log" "$b/log"
		fi
		appendrace 8 3000 "$m/alone" "$m/alone"
		unmount_weirfs "$m"
	done
}

@test "A26: direct writes of 8 MiB work, and fio's of 512 B and 4 KiB where the device has them" {
	local sector device
	over ext4
	dd if=/dev/urandom of="$m/big" bs=8M count=2 oflag=direct status=none
	dd if="$m/big" of=copy bs=8M iflag=direct status=none
	cmp copy "$b/big"
	for sector in 512 4096; do
		fio --name=d --filename="$m/fio" --size=2M --bs=$sector --direct=1 --rw=randwrite --ioengine=psync \
			--verify=crc32c --verify_fatal=1 --output=fio.out || { cat fio.out; false; }
	done
	# a device of 4 KiB sectors refuses 512 B: so must we, cleanly, or do it
	truncate -s 300M k4.img
	device=$(losetup -f --show -b 4096 k4.img)
	mkdir k4
	mkfs.ext4 -q -F "$device"
	mount "$device" k4
	losetup -d "$device"
	defer umount -l "$tmp/k4"
	unmount_weirfs "$m"
	mount_weirfs "$tmp/k4" "$m"
	dd if=/dev/zero of="$m/f" bs=4k count=100 oflag=direct status=none
	dd if=/dev/zero of="$m/g" bs=512 count=8 oflag=direct status=none 2>dd.out || assert_contains "$(<dd.out)" "Invalid argument"
}

@test "A27: cloning and flags are passed on or refused cleanly, and programs fall back" {
	over xfs
	dd if=/dev/urandom of="$m/f" bs=64k count=10 status=none
	if ! cp --reflink=always "$m/f" "$m/g" 2>cp.out; then
		grep -E 'Operation not supported|Inappropriate ioctl' cp.out
	fi
	cp --reflink=auto "$m/f" "$m/h"
	cmp "$m/f" "$b/h"
	assert_equal "$(lsattr "$m/f" | cut -d' ' -f1)" "$(lsattr "$b/f" | cut -d' ' -f1)" lsattr
	chattr +i "$m/f"
	assert_contains "$(lsattr "$b/f")" i
	chattr -i "$m/f"
	fstrim "$m" 2>trim.out || grep -E 'not supported|Inappropriate ioctl' trim.out
}

@test "A29: rm -rf and ls on 20,000 names lose none" {
	over ext4
	mkdir "$m/d"
	(cd "$m/d" && seq -f 'name-%05g' 20000 | xargs touch)
	assert_equal "$(find "$m/d" -type f | sort -u | wc -l)" 20000
	assert_equal "$(find "$m/d" -type f | sort | uniq -d | wc -l)" 0
	ls -lR "$m" >/dev/null 3>&- &
	rm -rf "$m/d"
	wait $! || true
	assert_equal "$(ls -A "$b")" ""
}

lock_storm() {
	lockstorm "$1" 64 3 "$m" >report
	echo "# $1: $(<report)" >&3
	assert_equal "$(jq .count report)" "$(jq .expected report)" "increments under the lock" || exit 1
	assert_less "$(jq .stat_p99_us report)" 50000 "p99 of stat elsewhere (us)"
}

@test "A30: 64 processes wait for a lock, which excludes, and stat elsewhere does not wait" {
	local where kind
	make_fs ext4 600M
	b=$fs/b m=$tmp/m
	mkdir "$b" "$m"
	for where in local backing; do
		mount_weirfs "$b" "$m" "locks=$where"
		for kind in flock record; do
			within_tries 3 lock_storm "$kind"
		done
		unmount_weirfs "$m"
	done
}

@test "A30: with locks=backing users of the mount and of the backing file exclude each other" {
	over ext4 locks=backing
	: >"$b/f"
	flock -n "$m/f" sh -c "flock -n '$b/f' true" && fail "both hold a flock"
	flock -n "$b/f" sh -c "flock -n '$m/f' true" && fail "both hold a flock"
	flock -n "$m/f" true
}

grows_within() {
	echo more >>"$b/f"
	sees_it() { [[ $(stat -c %s "$m/f") == $(stat -c %s "$b/f") ]]; }
	wait_for "$1" sees_it
}

@test "A31: what changes underneath is seen within the attribute timeout, and at once by who opens" {
	local mode
	make_fs ext4 600M
	b=$fs/b m=$tmp/m
	mkdir "$b" "$m"
	for mode in auto none; do
		mount_weirfs "$b" "$m" "cache=$mode"
		echo first >"$b/f"
		cat "$m/f" >/dev/null
		grows_within 3
		echo changed >"$b/f"
		opened_shows() { [[ $(cat "$m/f") == changed ]]; }
		wait_for 3 opened_shows
		ls "$m" >/dev/null
		: >"$b/new-$mode"
		listed() { find "$m" -name "new-$mode" | grep -q .; }
		wait_for 3 listed
		stat "$m/new-$mode" >/dev/null
		rm "$b/new-$mode"
		vanished() { ! stat "$m/new-$mode" >/dev/null 2>&1; }
		wait_for 3 vanished
		unmount_weirfs "$m"
	done
}

@test "A31: tail -f follows what is appended underneath" {
	local tail
	over ext4
	echo one >"$b/log"
	tail -s 0.2 -f "$m/log" >tail.out 3>&- &
	tail=$!
	defer kill "$tail"
	wait_for 5 grep -q one tail.out
	echo two >>"$b/log"
	wait_for 10 grep -q two tail.out
}

@test "A32: statfs shows the backing file system's figures, also under a delay" {
	local kind
	for kind in ext4 xfs btrfs; do
		in_place "$kind"
		sync
		same_figures() {
			[[ $(stat -f -c '%b %f %a %c %d %s %S %l' "$m") == $(stat -f -c '%b %f %a %c %d %s %S %l' "$b") ]] &&
				[[ $(df -i --output=itotal,iused "$m") == $(df -i --output=itotal,iused "$b") ]]
		}
		wait_for 5 same_figures
		weir ctl "$m" delay set all:20ms
		wait_for 5 same_figures
		unmount_weirfs "$m"
		undo_all
		rm -rf "$fs" "$b" "$fs.img"
	done
}
