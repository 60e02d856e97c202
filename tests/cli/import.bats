#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weir import: each format, operation by operation.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # bats and tool.bash set and use them

bats_require_minimum_version 1.5.0
load import

setup() {
	options=()
}

@test "fio logs of version 3: microseconds, paths with blanks" {
	input <<-'END'
		fio version 3 iolog
		0 /data/a b add
		1767 /data/a b open
		1778 /data/a b read 12288 4096
		5732 /data/a b write 122880 4096
		6000 /data/a b trim 0 65536
		7496 /data/a b sync 208896 0
		7497 /data/a b datasync 208896 0
		22811 /data/a b close
	END
	import auto
	[[ $said == *"taken as iolog"* ]]
	expect <<-'END'
		property clock=relative
		open /data/a\x20b at=1767001 handle=1 parent=/data flags=2 name=a\x20b
		read /data/a\x20b at=1778001 off=12288 size=4096 result=4096 handle=1
		write /data/a\x20b at=5732001 off=122880 size=4096 result=4096 handle=1
		fallocate /data/a\x20b at=6000001 size=65536 handle=1 flags=3
		fsync /data/a\x20b at=7496001 handle=1
		fsync /data/a\x20b at=7497001 handle=1 datasync=1
		release /data/a\x20b at=22811001 handle=1
		end
	END
	options=(--ts-unit ms)
	import iolog
	[[ $output == *"read /data/a\\x20b at=1778000001 "* ]]
}

@test "fio logs of version 2: waits as fio takes them, or as its manual says" {
	input <<-'END'
		fio version 2 iolog
		/d/f add
		/d/f open
		/d/f wait 2000 0
		/d/f read 0 512
		/d/f wait 3000 0
		/d/f syncfs 0 0
	END
	import iolog
	[[ $said == *"--iolog-wait=fio|manual"* ]]
	expect <<-'END'
		property clock=relative
		open /d/f at=1 handle=1 parent=/d flags=2 name=f
		read /d/f at=2000000001 off=0 size=512 result=512 handle=1
		syncfs /d/f at=3000000001 handle=1
		end
	END
	options=(--iolog-wait manual)
	import iolog
	[[ $said != *"--iolog-wait"* ]]
	[[ $output == *"read /d/f at=2000002 "* ]]
	[[ $output == *"syncfs /d/f at=5000003 "* ]]
}

@test "a log that fio itself wrote becomes the operations that it did" {
	command -v fio >/dev/null || skip "no fio"
	fio --name=j --directory="$BATS_TEST_TMPDIR" --size=64k --bs=4k --rw=randrw --fsync=4 --randseed=3 \
		--ioengine=psync --write_iolog="$BATS_TEST_TMPDIR/in" --thread >/dev/null
	import auto
	[[ $said != *"at fault"* ]]
	for kind in read write sync; do
		wanted=$(grep -c " $kind " "$BATS_TEST_TMPDIR/in")
		[ "$(grep -c "^${kind/sync/fsync} " <<<"$output")" -eq "$wanted" ]
	done
	# Offsets and lengths, one by one.
	diff <(awk '$3 == "read" || $3 == "write" {print $3, $4, $5}' "$BATS_TEST_TMPDIR/in") \
		<(sed -nE 's/^(read|write) .* off=([0-9]+) size=([0-9]+) .*/\1 \2 \3/p' <<<"$output")
}

@test "blkparse text: queued, issued and completed; its summary is passed over" {
	input <<-'END'
		Input file sda.blktrace.0 added
		259,0    1        2     0.000000184 21279  Q  RA 2348060440 + 8 [fi [o]]
		259,0    1        3     0.000001184 21279  G  RA 2348060440 + 8 [fi [o]]
		259,0    1        4     0.000002184 21279  D  RA 2348060440 + 8 [fi [o]]
		  8,16   5        1     0.000003000 18615  A   R 1444645666 + 256 <- (8,17) 1444645632
		259,0    1        7     0.000056992     0  C  RA 2348060440 + 8 [0]
		  8,16   5        2     0.100000000     1  Q FWS [jbd2]
		  8,16   5        3     0.200000000     1  C FWS 0 [65531]
		  8,16   5        3     0.300000000     1  Q  WFS 8 + 8 [(null)]
		CPU0 (sda):
		 Reads Queued:           1,        4KiB
	END
	import auto
	[[ $said == *"taken as blkparse"* ]]
	[[ $said == *"6 of 11 lines used"* ]]
	expect <<-'END'
		handle 1 of /259:0[1202206949376]
		handle 2 of /8:16[8192]
		property clock=relative
		read /259:0[1202206949376] at=185 issued=2185 backed=56993 done=56993 off=1202206945280 size=4096 result=4096 pid=21279 comm=fi [o] handle=1 device=271581184
		fsync /8:16[8192] at=100000001 issued=100000001 backed=200000001 done=200000001 error=5 pid=1 comm=jbd2 handle=2 device=8388624
		write /8:16[8192] at=300000001 off=4096 size=4096 pid=1 handle=2 flags=4096 device=8388624
		end
	END
}

@test "blktrace binary: both byte orders, processors merged, wall clock and names taken" {
	for order in le be; do
		perl "$abs_top_srcdir/tests/cli/blktrace.pl" $order "$BATS_TEST_TMPDIR/sdb.blktrace."
		since=1700000000000000000 import auto "$BATS_TEST_TMPDIR"/sdb.blktrace.*
		expect <<-'END'
			handle 1 of /8:16[106496]
			property clock=realtime
			read /8:16[106496] at=6000 issued=7000 backed=13500 done=13500 off=51200 size=8192 result=8192 pid=77 comm=fio handle=1 device=8388624
			fsync /8:16[106496] at=13600 issued=13600 backed=13900 done=13900 error=5 pid=78 handle=1 device=8388624
			fallocate /8:16[106496] at=14000 off=102400 size=4096 pid=77 comm=fio handle=1 flags=3 device=8388624
			end
		END
	done
	head -c 100 "$BATS_TEST_TMPDIR/sdb.blktrace.0" >"$BATS_TEST_TMPDIR/in"
	run ! import blktrace
	[[ $(<"$BATS_TEST_TMPDIR/said") == *"nothing could be used"* ]]
	printf 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz' | input
	run ! import blktrace
	[[ $(<"$BATS_TEST_TMPDIR/said") == *"no blktrace file"* ]]
}

@test "MSR Cambridge: FILETIME to the nanosecond, a file a disk of a host" {
	input <<-'END'
		128166477394345573,hm,1,Read,383496192,32768,113736
		128166477394345573,hm,0,Write,0,4096,0
		128166477394345574,hm,1,Read,0,512,10
	END
	since=1172174139434557300 import auto
	[[ $said == *"taken as msr"* ]]
	expect <<-'END'
		handle 1 of /hm.1[383528960]
		handle 2 of /hm.0[4096]
		property clock=realtime
		read /hm.1[383528960] at=0 issued=0 backed=11373600 done=11373600 off=383496192 size=32768 result=32768 handle=1
		write /hm.0[4096] at=0 issued=0 backed=0 done=0 off=0 size=4096 result=4096 handle=2
		read /hm.1[383528960] at=100 issued=100 backed=1100 done=1100 off=0 size=512 result=512 handle=1
		end
	END
}

@test "several inputs are merged by time" {
	printf '128166477394345573,a,0,Read,0,512,1\n128166477394345575,a,0,Read,0,512,1\n' >"$BATS_TEST_TMPDIR/1"
	printf '128166477394345574,b,0,Read,0,512,1\n128166477394345576,b,0,Read,0,512,1\n' >"$BATS_TEST_TMPDIR/2"
	since=1172174139434557300 import msr "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2"
	[ "$(sed -nE 's/^read .* at=([0-9]+) .*/\1/p' <<<"$output" | tr '\n' ' ')" = '0 100 200 300 ' ]
}

@test "a stream tells the sizes of devices at its end" {
	printf '128166477394345573,hm,1,Read,4096,512,1\n' | input
	# shellcheck disable=SC2016 # expanded by the inner shell
	run --separate-stderr bash -c 'weir import --from msr -o - - <"$1" | "$2"' _ <(cat "$BATS_TEST_TMPDIR/in") "$ops"
	[ "$status" -eq 0 ]
	[[ $output == *'property device_size:2=4608'* ]]
}

# One line of each of the other collections, and what it is.
one_line() {
	local format=$1 line=$2 wanted=$3
	printf '%s\n' "$line" | input
	import "$format"
	[ "$(grep -E '^(read|write|fsync|fallocate) ' <<<"$output")" = "$wanted" ] || {
		printf '%s: %s\nwanted: %s\n' "$format" "$output" "$wanted" >&2
		return 1
	}
}

@test "the CSV and text collections: units, columns and devices of each" {
	one_line systor '1456095145.133076000,0.000806000,R,0,899056122368,131072' \
		'read /lun0[899056253440] at=1456095145133076000 issued=1456095145133076000 backed=1456095145133882000 done=1456095145133882000 off=899056122368 size=131072 result=131072 handle=1'
	one_line alibaba '419,W,8792731648,16384,1577808144360767' \
		'write /dev419[8792748032] at=1577808144360767000 off=8792731648 size=16384 result=16384 handle=1'
	one_line tencent '1538323199,105352,40,1,1063' \
		'write /vol1063[53960704] at=1538323199000000000 off=53940224 size=20480 result=20480 handle=1'
	one_line spc '0,20941264,8192,W,0.551706' \
		'write /asu0[10721935360] at=551706001 off=10721927168 size=8192 result=8192 handle=1'
	one_line fiu '7 4892 syslogd 904265560 8 W 6 1 531e779c' \
		'write /6:1[462983970816] at=8 off=462983966720 size=4096 result=4096 pid=4892 comm=syslogd handle=1 device=6291457'
	one_line nbw '1 100 R 77 8192 0 4096 MISS' \
		'read /77[8192] at=101 off=0 size=4096 result=4096 handle=1'
	one_line cloudphysics '1,5.5,2a,4096,100' \
		'write /in[55296] at=5500000001 off=51200 size=4096 result=4096 handle=1'
	one_line disksim '0.5 3 100 8 1' \
		'read /dev3[55296] at=500001 off=51200 size=4096 result=4096 handle=1'
	one_line mqsim '500 3 100 8 0' \
		'write /dev3[55296] at=501 off=51200 size=4096 result=4096 handle=1'
	one_line heatmap '100 20.5' \
		'read /unknown at=100001 issued=100001 backed=120501 done=120501 off=0 handle=1'
	one_line ext4slower '1000,dd,12,W,4096,8192,30,a,b' \
		'write /a,b at=970001 issued=970001 backed=1000001 done=1000001 off=8192 size=4096 result=4096 pid=12 comm=dd handle=1'
}

@test "vscsi: both versions of its records" {
	perl -e 'print pack("VVVvvQ<Q<", 1, 4096, 1, 0x28, 0x100, 100, 5000)' | input
	one_line_of='read /in[55296] at=5000001 off=51200 size=4096 result=4096 handle=1'
	import vscsi
	[ "$(grep '^read' <<<"$output")" = "$one_line_of" ]
	perl -e 'print pack("vvVVVQ<Q<Q<", 0x8a, 0x200, 1, 4096, 1, 100, 5000, 70)' | input
	import vscsi
	[[ $said == *"taken as microseconds"* ]]
	[ "$(grep '^write' <<<"$output")" = \
		'write /in[55296] at=5000001 issued=5000001 backed=5070001 done=5070001 off=51200 size=4096 result=4096 handle=1' ]
	perl -e 'print pack("vvVVVQ<Q<Q<", 0x8a, 0x200, 1, 4096, 1, 100, 5000, 70), "torn"' | input
	run ! import vscsi
	[[ $(<"$BATS_TEST_TMPDIR/said") == *"ends in the middle"* ]]
}

@test "Darshan: POSIX rows of each file, MPI-IO rows only counted" {
	input <<-'END'
		# start_time: 1536956103
		# DXT, file_id: 1, file_name: /scratch/out
		# DXT, rank: 3, hostname: node7
		# DXT, write_count: 1, read_count: 1
		 X_MPIIO 3 write 0 0 4096 0.0010 0.0020
		 X_POSIX 3 write 0 0 4096 0.0010 0.0020
		 X_POSIX 3 read 1 4096 4096 0.0030 0.0045 [1234]
	END
	since=1536956103000000000 import auto
	[[ $said == *"1 line passed over: repeat what other lines tell"* ]]
	expect <<-'END'
		handle 1 of /scratch/out
		property clock=realtime
		write /scratch/out at=1000000 issued=1000000 backed=2000000 done=2000000 off=0 size=4096 result=4096 pid=3 comm=node7 handle=1
		read /scratch/out at=3000000 issued=3000000 backed=4500000 done=4500000 off=4096 size=4096 result=4096 pid=3 comm=node7 handle=1
		end
	END
}

@test "what a format doesn't tell is no duration of 0" {
	printf '419,W,8192,16384,1577808144360767\n' | input
	import alibaba
	run weir dump "$BATS_TEST_TMPDIR/out"
	[[ ${lines[-1]} =~ ^\ +0\.000000\ write\ +-\ +-\ +-\  ]]
	run weir latency "$BATS_TEST_TMPDIR/out"
	[[ $output == *"no operations with a total time"* ]]
	run weir dump --json "$BATS_TEST_TMPDIR/out"
	[[ $output == *'"done_ns": 0'* || $output == *'"done_ns":0'* ]]
	[[ $output != *total_ns* ]]
}
