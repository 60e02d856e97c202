#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The trace of a live mount: everything is in it or counted, whatever happens.

# shellcheck disable=SC2030,SC2031,SC2094,SC2317 # every test is a process of its own; traces are only read
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"
# shellcheck source=tests/lib/trace.bash
. "$BATS_TEST_DIRNAME/../lib/trace.bash"

setup() {
	weir_setup
}

teardown() {
	weir_teardown
}

# The operations that are traced: over a tree, some data, names and failures.
some_load() {
	local i
	mkdir -p "$1/d"
	for ((i = 0; i < ${2:-20}; i++)); do
		echo "file $i" >"$1/d/f$i"
		mv "$1/d/f$i" "$1/d/g$i"
		cat "$1/d/g$i" "$1/d/none$i" >/dev/null 2>&1 || true
	done
	ls -lR "$1" >/dev/null
	rm -r "$1/d"
}

# ---- counting

@test "what is written, dropped and filtered is what was performed, and histograms are the mount's" {
	over ext4 "trace=$tmp/t.wt"
	some_load "$m"
	knownload "$m"
	drop_names
	unmount_weirfs "$m"
	assert_whole t.wt
	assert_accounted t.wt
	assert_equal "$(sums t.wt '"\(.same_hists) \(.unnamed)"')" 'true 0'
	assert_equal "$(sums t.wt '[.ops[].dropped] | add')" 0
	zstd -tq t.wt
}

@test "what weir stat shows is what is in the trace" {
	local op
	over ext4 "trace=$tmp/t.wt"
	some_load "$m"
	weir stat "$m" --json >stat.json
	weir ctl "$m" trace stop
	assert_whole t.wt
	# what the kernel does by itself may have come in between
	for op in $(jq -r '.ops[].op' stat.json | grep -vxE 'forget|getattr|release|statfs'); do
		assert_equal "$(sums t.wt ".ops.$op.written")" "$(jq ".ops[] | select(.op == \"$op\") | .ops" stat.json)" "$op"
	done
	assert_equal "$(counter trace_written)" "$(sums t.wt '[.ops[].written] | add')"
	assert_equal "$(counter trace_dropped)" 0
	assert_equal "$(stat_json "$m" .properties.trace)" off
}

@test "a trace gives the tables that the mount gave, file by file and bucket for bucket" {
	over ext4 "trace=$tmp/t.wt"
	some_load "$m"
	knownload "$m"
	dd if=/dev/zero of="$m/data" bs=64k count=16 status=none
	dd if="$m/data" of=/dev/null bs=4k iflag=direct status=none
	weir stat "$m" --json --all >mount.json
	weir ctl "$m" trace stop
	weir stat t.wt --json --all >trace.json
	# what the kernel does by itself may have come in between
	for from in mount trace; do
		jq -S '.files | map({id, bytes, opens, reads, writes, sizes,
			read: .classes.read, write: .classes.write}) | sort_by(.id)' $from.json >$from.files
		jq -S '.ops | map(select(.op | test("^(read|write|create|open|unlink|rename|fsync|mkdir)$"))) |
			map(del(.time_percent)) | sort_by(.op)' $from.json >$from.ops
	done
	cmp mount.files trace.files
	cmp mount.ops trace.ops
	# where operations on one open file overlap, the trace has them by their ends
	for from in mount trace; do
		jq '.files[] | select(.path == "/data") | .sequential_ops' $from.json >$from.sequential
	done
	cmp mount.sequential trace.sequential
	[ "$(cat trace.sequential)" -ge 255 ]
}

@test "without statistics there is a trace all the same" {
	over ext4 "measure=off,trace=$tmp/t.wt"
	some_load "$m"
	unmount_weirfs "$m"
	assert_equal "$(sums t.wt .ops.rename.written)" 20
	assert_equal "$(sums t.wt .ops.rename.performed)" 0
}

@test "traces are begun and ended while it runs" {
	over ext4
	echo before >"$m/old"
	mkdir "$m/dir"
	exec 9<"$m/old"
	assert_fails 'no trace is on' weir ctl "$m" trace stop
	assert_fails 'where to' weir ctl "$m" trace start
	weir ctl "$m" trace start one.wt
	assert_fails 'on already' weir ctl "$m" trace start two.wt
	assert_equal "$(stat_json "$m" '.properties | "\(.trace) \(.trace_state)"')" "$tmp/one.wt on"
	dd bs=3 count=1 <&9 of=/dev/null 2>&1
	touch "$m/dir/new"
	mv "$m/dir" "$m/moved"
	touch "$m/moved/new"
	weir ctl "$m" trace stop
	touch "$m/later"
	weir ctl "$m" trace start two.wt
	touch "$m/last"
	exec 9<&-
	unmount_weirfs "$m"
	assert_whole one.wt
	assert_whole two.wt
	tracecheck ops one.wt >one
	tracecheck ops two.wt >two
	refute grep -E '^create .* name=(later|last)' one
	refute grep -E '^create .* name=(later|new)' two
	grep -q '^create.* name=last' two
	# a file that was there before, with its size before it was used; an open file of then
	grep -q '^read /old .*size_then=7' one
	tracecheck events one.wt | grep -qE '^handle [0-9]+ [0-9]+ 32768'
	# a directory's new name is that of what is in it
	grep -q '^create /dir/new' one
	grep -q '^setattr /moved/new' one
}

@test "filters leave out of the trace what they say, and count it" {
	over ext4 "trace=$tmp/t.wt,trace_ops=read+create+unlink,trace_path=*/keep/*,trace_uid=0"
	mkdir "$m/keep" "$m/other"
	chmod 777 "$m/keep"
	echo a >"$m/keep/a"
	echo b >"$m/other/b"
	cat "$m/keep/a" "$m/other/b" >/dev/null
	as_user 1234 touch "$m/keep/theirs"
	rm "$m/keep/a" "$m/other/b"
	unmount_weirfs "$m"
	assert_accounted t.wt
	assert_equal "$(sums t.wt '.same_hists | tostring')" false
	assert_equal "$(tracecheck ops t.wt | cut -d ' ' -f 1,2 | sort | xargs)" \
		'create /keep/a read /keep/a unlink /keep/a'
	assert_equal "$(sums t.wt '.ops.create | "\(.written) \(.filtered)"')" '1 2'
}

@test "short operations can be left out" {
	over ext4 "trace=$tmp/t.wt,trace_min=5ms,delay=write:10ms"
	echo slow >"$m/slow"
	unmount_weirfs "$m"
	assert_accounted t.wt
	assert_equal "$(sums t.wt .ops.write.written)" 1
	assert_less 0 "$(sums t.wt '[.ops[].filtered] | add')"
}

# ---- what an operation carries

@test "operations carry their arguments and who asked" {
	over ext4 "trace=$tmp/t.wt"
	as_user 0 sh -c "umask 027; mkdir -m 750 '$m/d'; echo x >'$m/d/f'"
	ln "$m/d/f" "$m/d/l"
	ln -s /some/where "$m/d/s"
	readlink "$m/d/s"
	mkfifo "$m/d/p"
	mknod "$m/d/n" c 1 3
	mv "$m/d/f" "$m/moved"
	setfattr -n user.word -v value "$m/moved"
	getfattr -n user.word "$m/moved" >/dev/null
	truncate -s 12345 "$m/moved"
	chown 7:8 "$m/moved"
	touch -d '2001-02-03 04:05:06 UTC' "$m/moved"
	fallocate -o 4096 -l 8192 "$m/moved"
	(cd "$m" && bash -c 'exec -a renamed dd if=moved of=/dev/null bs=4096 count=1 2>/dev/null')
	unmount_weirfs "$m"
	tracecheck ops t.wt >ops
	cat ops
	grep -qE '^mkdir /d .* parent=1 mode=488 umask=23 .*attr_mode=16872.* name=d' ops
	grep -qE '^create /d/f .* handle=[0-9]+ parent=2 flags=[0-9]+ mode=[0-9]+ umask=23 .* attr_size_bytes=0 attr_nlink=1 name=f' ops
	grep -qE '^link .* new_parent=2 attr_mode=33184 attr_size_bytes=2 attr_nlink=2 new_name=l' ops
	grep -qE '^symlink /d/s .* name=s target=/some/where' ops
	grep -qE '^readlink /d/s .* target=/some/where' ops
	grep -qE '^mknod /d/p .* mode=4[0-9]+ .* name=p' ops
	grep -qE '^mknod /d/n .* mode=8[0-9]+ umask=[0-9]+ rdev=259 .* name=n' ops
	grep -qE '^rename /d/[fl] .* parent=2 new_parent=1 flags=[01] name=f new_name=moved' ops
	grep -qE '^setxattr [^ ]* .* value_size_bytes=5 xattr=user.word' ops
	grep -qE '^getxattr [^ ]* .* value_size_bytes=5 xattr=user.word' ops
	grep -qE '^setattr [^ ]* .* set=[0-9]+ set_size_bytes=12345 ' ops
	grep -qE '^setattr [^ ]* .* set_uid=7 set_gid=8 ' ops
	grep -qE '^setattr [^ ]* .* set_atime_ns=981173106000000000 set_mtime_ns=981173106000000000' ops
	grep -qE '^fallocate [^ ]* error=0 offset=4096 size=8192 ' ops
	grep -qE '^read [^ ]* .* comm=dd .* handle=' ops
	# a process is that of its thread
	awk '/^(mkdir|rename|setxattr)/ {for (i = 1; i <= NF; i++) {split($i, a, "="); v[a[1]] = a[2]}
		if (v["pid"] != v["process"] || !v["pid"]) bad = 1} END {exit bad}' ops
}

@test "C1: names of any bytes come back as they were" {
	local -a names=($'a\nb' $'\xff\xfe' 'quo"te' 'back\slash' $'\e[31mred' $'tab\there' 'ünï')
	local name
	over ext4 "trace=$tmp/t.wt"
	for name in "${names[@]}"; do
		mkdir "$m/$name"
		ln -s "$name" "$m/$name/link"
	done
	unmount_weirfs "$m"
	tracecheck ops t.wt >ops
	# shellcheck disable=SC1003 # backslashes of the output
	for name in 'a\x0ab' '\xff\xfe' 'quo"te' 'back\x5cslash' '\x1b[31mred' 'tab\x09here' '\xc3\xbcn\xc3\xaf'; do
		grep -qF "mkdir /$name error=0 " ops
		grep -qF " name=link target=$name " ops
	done
}

@test "C10: large offsets are right, and nothing is asked of /proc for each operation" {
	over ext4 "trace=$tmp/t.wt"
	truncate -s 2T "$m/big" 2>/dev/null || truncate -s 1100G "$m/big"
	printf x | dd of="$m/big" bs=1 seek=$((3 << 30)) conv=notrunc,fsync status=none
	printf x | dd of="$m/big" bs=1 seek=$((1 << 40)) conv=notrunc status=none
	strace -f -qq -e trace=openat,open,fsync -o strace.log -p "$daemon" &
	local tracer=$!
	wait_for 10 grep -q . "/proc/$tracer/wchan"
	wait_for 10 sh -c "grep -qv '^TracerPid:.0\$' <(grep TracerPid /proc/$daemon/status)" || true
	dd if=/dev/zero of="$m/many" bs=512 count=2000 conv=fsync oflag=append status=none
	kill -INT "$tracer"
	wait "$tracer" || true
	unmount_weirfs "$m"
	tracecheck ops t.wt >ops
	grep -qE "^write /big error=0 offset=$((3 << 30)) size=1 result=1 " ops
	grep -qE "^write /big error=0 offset=$((1 << 40)) size=1 result=1 " ops
	assert_less 1999 "$(grep -c '^write /many' ops)"
	assert_less "$(grep -c '/proc/[0-9]' strace.log || true)" 100 'looks into /proc'
	grep -q 'fsync' strace.log
	grep -qE '^fsync /many .* datasync=0' ops
}

@test "replies that are held are recorded with their names, and with when they were due" {
	over ext4 "trace=$tmp/t.wt,trace_data=hash,delay=all:60ms"
	mkdir "$m/held"
	printf '%08192d' 0 >"$m/held/file"
	mv "$m/held/file" "$m/held/moved"
	ln -s "target of it" "$m/held/link"
	cat "$m/held/moved" >/dev/null
	rm "$m/held/moved"
	unmount_weirfs "$m"
	assert_accounted t.wt
	tracecheck ops t.wt >ops
	cat ops
	grep -qE '^mkdir /held .* hold_ns=[1-9][0-9]{6,} .* name=held' ops
	grep -qE '^create /held/file .* hold_ns=[1-9][0-9]{6,} .* name=file' ops
	grep -qE '^rename .* hold_ns=[1-9][0-9]{6,} .* name=file new_name=moved' ops
	grep -qE '^symlink .* hold_ns=[1-9][0-9]{6,} .* name=link target=target\\x20of\\x20it' ops
	grep -qE '^unlink /held/moved .* hold_ns=[1-9][0-9]{6,} .* name=moved' ops
	# the data's hashes, of what was written and of what was read
	assert_equal "$(grep '^write ' ops | sed -n 's/.* hash=\([0-9a-f]*\).*/\1/p' | tr -d '\n')" \
		"$(grep '^read ' ops | sed -n 's/.* hash=\([0-9a-f]*\).*/\1/p' | head -n 1)"
	grep -qE '^read .* hash=[0-9a-f]{32} ' ops
	assert_equal "$(sums t.wt .same_hists)" true
}

@test "hashed names are the same where the name is, and tell nothing" {
	over ext4 "trace=$tmp/t.wt,trace_names=hash"
	mkdir -p "$m/secret/secret"
	ln -s ../secret/other "$m/secret/link"
	mv "$m/secret/link" "$m/renamed"
	unmount_weirfs "$m"
	tracecheck ops t.wt >ops
	tracecheck events t.wt >>ops
	zstd -dcq t.wt >raw
	refute grep -E 'secret|renamed|/other|=link' ops
	refute grep -aE 'secret|renamed|other' raw
	# the name, and the path of both directories of that name
	local hash
	hash=$(sed -nE 's|^mkdir /([0-9a-f]{16}) .* name=([0-9a-f]{16}).*|\1|p' ops)
	grep -q "^mkdir /$hash/$hash .* name=$hash" ops
	grep -qE "^symlink .* target=\.\./$hash/[0-9a-f]{16}" ops
}

# ---- parts

@test "parts of a trace together are the whole" {
	local i
	over ext4 "trace=$tmp,trace_rotate=64KiB,trace_flush=50ms"
	for ((i = 0; i < 3; i++)); do
		some_load "$m" 300
		weir ctl "$m" trace rotate
	done
	unmount_weirfs "$m"
	ls -l
	local -a parts=("$tmp"/m-*.wt)
	assert_less 3 "${#parts[@]}"
	assert_accounted "${parts[@]}"
	assert_equal "$(sums "${parts[@]}" '"\(.same_hists) \(.unnamed)"')" 'true 0'
	for ((i = 0; i < ${#parts[@]}; i++)); do
		assert_whole "${parts[i]}"
		tracecheck events "${parts[i]}" >events
		grep -qx "property part $((i + 1))" events
		grep -q '^property mountpoint ' events
		grep -q '^end' events
		zstd -tq "${parts[i]}"
	done
	# one file read as one
	cat "${parts[@]}" >all.wt
	assert_equal "$(sums all.wt .ops)" "$(sums "${parts[@]}" .ops)"
}

@test "so many parts are kept as was said" {
	local i
	over ext4 "trace=$tmp,trace_keep=2"
	for ((i = 0; i < 5; i++)); do
		touch "$m/f$i"
		weir ctl "$m" trace rotate
	done
	unmount_weirfs "$m"
	assert_equal "$(find "$tmp" -maxdepth 1 -name 'm-*-000[56].wt' | wc -l)" 2
	assert_equal "$(find "$tmp" -maxdepth 1 -name 'm-*.wt' | wc -l)" 2
}

@test "on SIGHUP a trace that was moved away is opened anew" {
	over ext4 "trace=$tmp/t.wt"
	touch "$m/a"
	mv t.wt t.wt.1
	kill -HUP "$daemon"
	wait_for 10 test -s t.wt
	touch "$m/b"
	unmount_weirfs "$m"
	assert_whole t.wt.1
	assert_whole t.wt
	assert_accounted t.wt.1 t.wt
	tracecheck ops t.wt.1 | grep -q '^create /a '
	tracecheck ops t.wt | grep -q '^create /b '
}

# ---- where it goes

@test "a trace inside the mounted tree is refused, by whatever way it gets there" {
	make_fs ext4 100M
	b=$fs/b m=$tmp/m
	mkdir -p "$b/sub" "$m" "$tmp/bound" "$tmp/out"
	mount --bind "$b/sub" "$tmp/bound"
	defer umount -l "$tmp/bound"
	ln -s "$b/sub" "$tmp/link"
	for place in "$b/t.wt" "$b/sub" "$b/sub/t.wt" "$m/t.wt" "$tmp/bound/t.wt" "$tmp/link/t.wt" "$tmp/link"; do
		assert_fails 'inside the mounted tree' timeout 10 "$weirfs" "$b" "$m" -f -o "trace=$place"
		refute is_weirfs "$m"
	done
	mount_weirfs "$b" "$m"
	for place in "$b/t.wt" "$m/t.wt" "$m/sub" "$tmp/bound" "$tmp/link/t.wt"; do
		assert_fails 'inside the mounted tree' timeout 10 weir ctl "$m" trace start "$place"
	done
	weir ctl "$m" trace start "$tmp/out"
	unmount_weirfs "$m"
	assert_equal "$(find "$b" -name '*.wt' | wc -l)" 0
}

@test "who insists gets a trace inside the tree, without itself" {
	in_place ext4 "trace=$tmp/ext4/t.wt,trace_inside=allow,trace_flush=20ms"
	echo data >"$m/file"
	wait_for 10 test -s "$m/t.wt"
	cat "$m/t.wt" >/dev/null
	weir ctl "$m" trace stop
	weir ctl "$m" trace start "$m/u.wt"
	echo data >"$m/file"
	cat "$m/u.wt" >/dev/null
	unmount_weirfs "$m"
	assert_whole "$fs/u.wt"
	refute grep -q '/t.wt' <(tracecheck ops "$fs/t.wt")
	refute grep -qE '^(read|open|write) /u.wt' <(tracecheck ops "$fs/u.wt")
	assert_less 0 "$(sums "$fs/t.wt" .ops.read.filtered)"
}

@test "nothing is overwritten, and what can't be is said before anything is mounted" {
	mkdir b m dir
	echo precious >file
	assert_fails 'exists already' timeout 10 "$weirfs" b m -f -o "trace=$tmp/file"
	assert_fails 'No such file' timeout 10 "$weirfs" b m -f -o "trace=$tmp/nowhere/t.wt"
	assert_fails 'no operation' timeout 10 "$weirfs" b m -f -o "trace=$tmp/t.wt,trace_ops=reed"
	assert_fails 'add -f' timeout 10 "$weirfs" b m -o trace=-
	assert_equal "$(cat file)" precious
	refute is_weirfs "$tmp/m"
	assert_equal "$(find . -name '*.wt' | wc -l)" 0
	: >empty
	mount_weirfs b m "trace=$tmp/empty"
	touch m/f
	weir ctl m trace stop
	assert_fails 'exists already' weir ctl m trace start "$tmp/file"
	assert_fails 'exists already' weir ctl m trace start
	unmount_weirfs "$tmp/m"
	assert_whole empty
}

@test "a daemon in the background traces, too" {
	mkdir b m
	"$weirfs" b m -o trace=t.wt 3>&-
	defer umount -l "$tmp/m"
	touch m/f
	local pid
	pid=$(stat_json "$tmp/m" .counters.pid)
	umount m
	wait_for 10 gone "$pid"
	assert_whole t.wt
	assert_accounted t.wt
}

@test "a trace goes through a pipe" {
	mkdir b m
	start_weirfs sh -c "'$weirfs' '$tmp/b' '$tmp/m' -f -o trace=- | cat >'$tmp/t.wt'"
	defer umount -l "$tmp/m"
	wait_for 10 is_weirfs "$tmp/m"
	some_load m
	umount m
	wait_for 10 gone "$daemon"
	assert_accounted t.wt
	assert_equal "$(sums t.wt .same_hists)" true
	zstd -tq t.wt
	mkfifo fifo
	tracecheck sums fifo >sums.json 3>&- &
	local reader=$!
	mount_weirfs b m "trace=$tmp/fifo"
	some_load m
	unmount_weirfs "$tmp/m"
	wait "$reader"
	assert_equal "$(jq .same_hists sums.json)" true
	assert_equal "$(jq '[.ops[].dropped] | add' sums.json)" 0
}
