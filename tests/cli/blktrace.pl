# SPDX-License-Identifier: GPL-2.0-or-later
# blktrace.pl le|be PREFIX: a small trace of two processors, PREFIX0 and PREFIX1.
use strict;
use warnings;

my ($order, $prefix) = @ARGV;
my ($u16, $u32, $u64) = $order eq 'be' ? ('n', 'N', 'Q>') : ('v', 'V', 'Q<');
my $device = 8 << 20 | 16;
my @out;
for my $cpu (0, 1) {
	open $out[$cpu], '>:raw', "$prefix$cpu" or die;
}

sub record {
	my ($cpu, $time, $sector, $bytes, $category, $what, $pid, $error, $payload) = @_;
	$payload //= '';
	print { $out[$cpu] } pack("$u32$u32$u64$u64$u32$u32$u32$u32$u32$u16$u16", 0x65617407, 1, $time, $sector,
		$bytes, 1 << (16 + $category) | $what, $pid, $device, $cpu, $error, length $payload), $payload;
}

my ($read, $write, $flush, $notify, $discard) = (0, 1, 2, 10, 13);
record(0, 1000, 0, 0, $notify, 1, 0, 0, pack("$u32$u32", 1700000000, 5000));
record(0, 1000, 0, 0, $notify, 0, 77, 0, "fio\0");
record(0, 2000, 100, 8192, $read, 1, 77, 0);     # Q
record(0, 3000, 100, 8192, $read, 7, 77, 0);     # D
record(1, 9000, 100, 4096, $read, 8, 0, 0);      # C of the first half
record(1, 9500, 108, 4096, $read, 8, 0, 0);      # .. and of the second
record(1, 9600, 0, 0, $flush, 1, 78, 0);
record(0, 9900, 0, 0, $flush, 8, 0, 5);
record(1, 10000, 200, 4096, $discard, 1, 77, 0); # never completes
