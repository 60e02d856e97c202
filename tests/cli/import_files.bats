#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weir import: traces of files (strace, NFS), and what can't be used.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # bats and import.bash set and use them

bats_require_minimum_version 1.5.0
load import

setup() {
	options=()
}

@test "strace: split calls, descriptors with their files, offsets and names" {
	input <<-'END'
		3893  1796053700.100000 openat(AT_FDCWD</d>, "f0", O_RDWR|O_CREAT, 0644) = 14</d/f0> <0.000010>
		3893  1796053700.200000 pwrite64(14</d/f0>, ""..., 4096, 8192 <unfinished ...>
		3894  1796053700.200500 getpid() = 3894 <0.000001>
		3893  1796053700.201000 <... pwrite64 resumed>) = 4096 <0.000743>
		3893  1796053700.300000 read(14</d/f0>, ""..., 100) = 60 <0.000002>
		3893  1796053700.300100 read(14</d/f0>, ""..., 100) = 0 <0.000002>
		3893  1796053700.300200 lseek(14</d/f0>, -10, SEEK_END) = 12278 <0.000001>
		3893  1796053700.300300 writev(14</d/f0>, [{iov_base=""..., iov_len=6}, {iov_base=""..., iov_len=10}], 2) = 16 <0.000002>
		3893  1796053700.400000 fdatasync(14</d/f0>) = 0 <0.000461>
		3893  1796053700.500000 rename("/d/f0", "/e/f 1") = 0 <0.000005>
		3893  1796053700.500100 fstat(14</e/f 1>, {st_mode=S_IFREG|0644, st_size=12294, ...}) = 0 <0.000001>
		3893  1796053700.600000 stat("/e/none", 0x7ffe) = -1 ENOENT (No such file or directory) <0.000004>
		3893  1796053700.700000 close(14</e/f 1>) = 0 <0.000001>
		3893  1796053700.800000 +++ exited with 0 +++
	END
	since=1796053700000000000 import auto
	[[ $said == *"taken as strace"* ]]
	expect <<-'END'
		property clock=realtime
		create /d/f0 at=100000000 issued=100000000 backed=100010000 done=100010000 pid=3893 handle=1 parent=/d flags=66 mode=420 name=f0
		write /d/f0 at=200000000 issued=200000000 backed=200743000 done=200743000 off=8192 size=4096 result=4096 pid=3893 handle=1
		read /d/f0 at=300000000 issued=300000000 backed=300002000 done=300002000 off=0 size=100 result=60 pid=3893 handle=1
		read /d/f0 at=300100000 issued=300100000 backed=300102000 done=300102000 off=60 size=100 pid=3893 handle=1
		lseek /d/f0 at=300200000 issued=300200000 backed=300201000 done=300201000 off=18446744073709551606 result=12278 pid=3893 handle=1 flags=2
		write /d/f0 at=300300000 issued=300300000 backed=300302000 done=300302000 off=12278 size=16 result=16 pid=3893 handle=1
		fsync /d/f0 at=400000000 issued=400000000 backed=400461000 done=400461000 pid=3893 handle=1 datasync=1
		rename /d/f0 at=500000000 issued=500000000 backed=500005000 done=500005000 pid=3893 parent=/d new_parent=/e name=f0 new_name=f\x201
		getattr /e/f\x201 at=500100000 issued=500100000 backed=500101000 done=500101000 pid=3893 handle=1 attr_mode=33188 attr_size_bytes=12294
		lookup - at=600000000 issued=600000000 backed=600004000 done=600004000 error=2 pid=3893 parent=/e name=none
		release /e/f\x201 at=700000000 issued=700000000 backed=700001000 done=700001000 pid=3893 handle=1
		end
	END
}

@test "strace without -y: descriptors are followed through dup, fork and exec" {
	input <<-'END'
		10 1796053700.0 openat(AT_FDCWD, "/d/a", O_WRONLY|O_CREAT|O_APPEND, 0600) = 3
		10 1796053700.1 openat(AT_FDCWD, "/d/b", O_RDONLY|O_CLOEXEC) = 4
		10 1796053700.2 dup2(3, 1) = 1
		10 1796053700.3 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD <unfinished ...>
		11 1796053700.4 write(1, "x"..., 100) = 100
		10 1796053700.5 <... clone resumed>) = 11
		11 1796053700.6 execve("/bin/tool", ["tool"], 0x7ff /* 3 vars */) = 0
		11 1796053700.7 write(3, "x"..., 50) = 50
		11 1796053700.8 read(4, "x"..., 50) = -1 EBADF (Bad file descriptor)
		11 1796053700.9 +++ exited with 0 +++
		10 1796053701.0 close(1) = 0
		10 1796053701.1 read(4, "x"..., 50) = 50
		10 1796053701.2 socket(AF_UNIX, SOCK_STREAM, 0) = 5
		10 1796053701.3 write(5, "x"..., 50) = 50
		10 1796053701.4 write(7, "x"..., 50) = 50
		10 1796053701.5 +++ exited with 0 +++
	END
	since=1796053700000000000 import strace
	[[ $said == *"2 lines passed over: about sockets"* ]]
	[[ $said == *"2 lines unused: use a descriptor that was opened out of sight; the first is "*"/in:9: 11 "* ]]
	expect <<-'END'
		property clock=realtime
		create /d/a at=0 pid=10 handle=1 parent=/d flags=1089 mode=384 name=a
		open /d/b at=100000000 pid=10 handle=2 parent=/d flags=524288 name=b
		write /d/a at=400000000 off=0 size=100 result=100 pid=11 handle=1
		write /d/a at=700000000 off=100 size=50 result=50 pid=11 comm=tool handle=1
		flush /d/a at=1000000000 pid=10 handle=1
		read /d/b at=1100000000 off=0 size=50 result=50 pid=10 handle=2
		release /d/b at=1500000000 pid=10 handle=2
		release /d/a at=1500000000 pid=10 handle=1
		end
	END
}

@test "what strace really prints of known calls are these calls" {
	strace -o /dev/null true || skip "strace may not trace here"
	root=$BATS_TEST_TMPDIR/root
	mkdir "$root"
	# shellcheck disable=SC2016 # expanded by the inner shell
	strace -f -ttt -T -y -o "$BATS_TEST_TMPDIR/in" sh -c '
		cd "$1" && echo hello >a && mkdir d && mv a "d/b c" && ln "d/b c" h && rm h &&
		dd if="d/b c" of=e bs=2 conv=fsync && chmod 600 e && truncate -s 99 e && ln -s e s' _ "$root" 2>/dev/null
	options=(--below "$root")
	import auto
	calls=$(grep -vE '^(getattr|lookup|handle|property|open|flush|access|statx|end|lseek)' <<<"$output" |
		sed -E 's/ (at|issued|backed|done|pid|comm|process|handle|flags)=[^ ]*//g')
	diff - <(printf '%s\n' "$calls") <<-'END'
		create /a parent=/ mode=438 name=a
		write /a off=0 size=6 result=6
		release /a
		mkdir /d parent=/ mode=511 name=d
		rename /a parent=/ new_parent=/d name=a new_name=b\x20c
		link /d/b\x20c parent=/d new_parent=/ name=b\x20c new_name=h
		unlink /d/b\x20c parent=/ name=h
		create /e parent=/ mode=438 name=e
		read /d/b\x20c off=0 size=2 result=2
		write /e off=0 size=2 result=2
		read /d/b\x20c off=2 size=2 result=2
		write /e off=2 size=2 result=2
		read /d/b\x20c off=4 size=2 result=2
		write /e off=4 size=2 result=2
		read /d/b\x20c off=6 size=2
		fsync /e
		release /d/b\x20c
		release /e
		setattr /e parent=/ mode=384 set=1 name=e
		setattr /e set=8 set_size_bytes=99
		release /e
		symlink /s parent=/ name=s target=e
	END
}

@test "stamps of strace: differences, times of day across midnight, none" {
	printf '0.5 mkdir("/a", 0777) = 0\n0.25 mkdir("/b", 0777) = 0\n' | input
	import strace
	[[ $said == *"strace -r"* ]]
	[[ $output == *"mkdir /a at=500000001 "*"mkdir /b at=750000001 "* ]]
	printf '5 23:59:59 mkdir("/a", 0777) = 0\n5 00:00:01 mkdir("/b", 0777) = 0\n' | input
	import strace
	[[ $said == *"no date"* ]]
	[[ $output == *"mkdir /a at=86399000000001 "*"mkdir /b at=86401000000001 "* ]]
	printf 'mkdir("/a", 0777) = 0\nmkdir("/b", 0777) = 0\n' | input
	import strace
	[[ $said == *"only the order is right"* ]]
	[[ $output == *"mkdir /a at=1 "*"mkdir /b at=2 "* ]]
}

@test "strace -ff: a file a thread, merged by time" {
	printf '1796053700.0 mkdir("/a", 0777) = 0\n1796053702.0 mkdir("/c", 0777) = 0\n' >"$BATS_TEST_TMPDIR/t.100"
	printf '1796053701.0 mkdir("/b", 0777) = 0\n' >"$BATS_TEST_TMPDIR/t.101"
	import strace "$BATS_TEST_TMPDIR"/t.*
	[ "$(sed -nE 's/^mkdir (.*) at=.* pid=([0-9]+) .*/\1 \2/p' <<<"$output" | tr '\n' ' ')" = '/a 100 /b 101 /c 100 ' ]
}

@test "io_uring and aio are said to hide their data" {
	printf '5 1796053700.0 mkdir("/a", 0777) = 0\n5 1796053700.0 io_uring_enter(3, 1, 0, 0, NULL, 8) = 1\n' | input
	import strace
	[[ $said == *"1 line passed over: submit I/O that such a trace doesn't show (io_uring, aio)"* ]]
}

@test "nfsdump: calls and replies, names from lookups" {
	input <<-'END'
		1006231504.285023 32.03fd 30.0801 T C3 1cf0d105 6 read fh cfbc off 0 count 2000 con = XXX len = XXX
		1006231504.294708 30.0801 32.03fd T R3 1cf0d105 6 read OK ftype 1 mode 180 nlink 1 uid 0 gid 0 size 72520 count 2000 eof 0 status=XXX pl = XXX
		1006231504.300000 32.03fd 30.0801 T C3 2 3 lookup fh aa name "a b" con = XXX len = XXX
		1006231504.300000 32.03fd 30.0801 T C3 2 3 lookup fh aa name "a b" con = XXX len = XXX
		1006231504.300100 30.0801 32.03fd T R3 2 3 lookup OK fh cfbc ftype 1 mode 1a4 size 72520 status=XXX
		1006231504.310000 32.03fd 30.0801 T C3 3 8 create fh aa name "new" how U mode 1a4 con = XXX
		1006231504.310100 30.0801 32.03fd T R3 3 8 create OK fh dd ftype 1 mode 1a4 size 0 status=XXX
		1006231504.320000 32.03fd 30.0801 T C3 4 7 write fh dd off 1000 count 200 stable U con = XXX
		1006231504.320100 30.0801 32.03fd T R3 4 7 write OK count 200 status=XXX
		1006231504.330000 32.03fd 30.0801 T C3 5 e rename fh aa name "new" fh2 aa name2 "old"
		1006231504.330100 30.0801 32.03fd T R3 5 e rename OK
		1006231504.340000 32.03fd 30.0801 T C3 6 3 lookup fh aa name "none"
		1006231504.340100 30.0801 32.03fd T R3 6 3 lookup 2
		1006231504.350000 32.03fd 30.0801 T C3 7 c remove fh aa name "old"
		1006231504.350100 30.0801 32.03fd T R3 7 c remove OK
		1006231504.360000 32.03fd 30.0801 T C3 8 1 getattr fh aa
		1006231504.370000 30.0801 32.03fd T R3 66 3 lookup 2
	END
	since=1006231504000000000 import auto
	[[ $said == *"1 line unused: complete something that was not seen begin"* ]]
	[[ $said == *"1 line passed over: repeat"* ]]
	expect <<-'END'
		handle 1 of /fh/cfbc
		property clock=realtime
		read /fh/cfbc at=285023000 issued=285023000 backed=294708000 done=294708000 off=0 size=8192 result=8192 pid=50 handle=1
		lookup /fh/aa/a\x20b at=300000000 issued=300000000 backed=300100000 done=300100000 pid=50 parent=/fh/aa attr_mode=33188 attr_size_bytes=468256 name=a\x20b
		create /fh/aa/new at=310000000 issued=310000000 backed=310100000 done=310100000 pid=50 handle=2 parent=/fh/aa flags=66 mode=420 attr_mode=33188 attr_size_bytes=0 name=new
		write /fh/aa/new at=320000000 issued=320000000 backed=320100000 done=320100000 off=4096 size=512 result=512 pid=50 handle=2
		rename /fh/aa/new at=330000000 issued=330000000 backed=330100000 done=330100000 pid=50 parent=/fh/aa new_parent=/fh/aa name=new new_name=old
		lookup - at=340000000 issued=340000000 backed=340100000 done=340100000 error=2 pid=50 parent=/fh/aa name=none
		unlink /fh/aa/old at=350000000 issued=350000000 backed=350100000 done=350100000 pid=50 parent=/fh/aa name=old
		getattr /fh/aa at=360000000 pid=50
		end
	END
}

@test "ds2txt: columns by their names, other extents counted" {
	input <<-'END'
		# Extent, type='Trace::NFS::Ellard'
		time source_ip source_port dest_ip dest_port is_udp is_call nfs_version rpc_transaction_id rpc_function_id rpc_function return_value fh name off count size
		1006231504285023 50 1021 -48 2049 TCP call 3 -5 6 read null cfbc null 0 8192 null
		1006231504294708 -48 2049 50 1021 TCP reply 3 -5 6 read 0 null null null 4096 72520
		# Extent, type='Trace::NFS::mount'
		a b
		1 2
	END
	since=1006231504000000000 import auto
	[[ $said == *"of an extent type that can't be imported; the first is "*"/in:7: 1 2" ]]
	expect <<-'END'
		handle 1 of /fh/cfbc
		property clock=realtime
		read /fh/cfbc at=285023000 issued=285023000 backed=294708000 done=294708000 off=0 size=8192 result=4096 pid=50 handle=1
		end
	END
}

@test "lines that can't be used are counted by reason, and the first of each is shown safely" {
	{
		for i in 1 2 3 4 5 6; do echo "12816647739434557$i,hm,1,Read,0,512,1"; done
		printf '12816647739434557,h\x1b[31m\x00m,1,Read\n128166477394345570,hm,1,Read,x,512,1\n128166477394345570,hm,1,Read,x,512,1\n'
		printf '128166477394345570,hm,1,Read,99999999999999999999,512,1\nnow,hm,1,Read,0,512,1\n'
		head -c 100000 /dev/zero | tr '\0' x
		echo
		echo '128166477394345577,hm,1,Read,0,512,1'
	} | input
	import msr
	in=$BATS_TEST_TMPDIR/in
	[[ $said == *"7 of 13 lines used"* ]]
	[[ $said == *"1 line unused: too few fields; the first is $in:7: 12816647739434557,h\\x1b[31m\\x00m,1,Read"* ]]
	[[ $said == *"2 lines unused: something else where a number has to be; the first is $in:8: "* ]]
	[[ $said == *"1 line unused: a number that is out of range; the first is $in:10: "* ]]
	[[ $said == *"1 line unused: no time stamp that can be used; the first is $in:11: "* ]]
	[[ $said == *"1 line unused: longer than 64 KiB; the first is $in:12: xxx"* ]]
}

@test "exit codes: torn, of no use, mostly unused, unreadable" {
	printf '128166477394345573,hm,1,Read,0,512,1\n128166477394345573,hm,1,Re' | input
	run ! import msr
	[[ $(<"$BATS_TEST_TMPDIR/said") == *"ends in the middle"* ]]
	"$ops" <"$BATS_TEST_TMPDIR/out" | grep -q '^read '
	printf '128166477394345573,hm,1,Read,0,512,1\n128166477394345573,hm,1,Read,0,512,1' | input
	import msr
	[[ $said == *"no line end"* ]]
	rm "$BATS_TEST_TMPDIR/out"
	echo nonsense | input
	run ! import msr
	[[ $(<"$BATS_TEST_TMPDIR/said") == *"nothing could be used"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/out" ]
	printf '128166477394345573,hm,1,Read,0,512,1\na\nb\n' | input
	run ! import msr
	[[ $(<"$BATS_TEST_TMPDIR/said") == *"most of it could not be used"* ]]
	run ! import msr "$BATS_TEST_TMPDIR/none"
	[[ $(<"$BATS_TEST_TMPDIR/said") == *"No such file"* ]]
	run ! import msr "$BATS_TEST_TMPDIR"
	[[ $(<"$BATS_TEST_TMPDIR/said") == *"is a directory"* ]]
}

@test "an output that is an input is refused, and the input stays" {
	printf '128166477394345573,hm,1,Read,0,512,1\n' | input
	run -1 weir import --from msr -o "$BATS_TEST_TMPDIR/in" "$BATS_TEST_TMPDIR/in"
	[[ $output == *"is an input, too"* ]]
	[ -s "$BATS_TEST_TMPDIR/in" ]
}

@test "auto guesses only what nothing else can be, and names what it can't read" {
	for line in '0.5 3 100 8 1' '1,2,3,4,5' '1538323199,105352,40,1,1063' '100 20' 'nonsense'; do
		echo "$line" | input
		run ! import auto
		[[ $(<"$BATS_TEST_TMPDIR/said") == *"could be several formats, or none"* ]]
	done
	printf 'DSv1xxxx' | input
	run ! import ds2txt
	[[ $(<"$BATS_TEST_TMPDIR/said") == *"ds2txt prints"* ]]
	printf '\x1f\x8bxxxx' | input
	run ! import msr
	[[ $(<"$BATS_TEST_TMPDIR/said") == *"compressed by gzip"* ]]
}
