# SPDX-License-Identifier: GPL-2.0-or-later
# Tests on live mounts (bats): root, /dev/fuse, loop devices. One line each, sorted.

mount_tests =
mount_tests += tests/mount/cases_a.bats
mount_tests += tests/mount/delay.bats
mount_tests += tests/mount/lifecycle.bats
mount_tests += tests/mount/passthrough.bats
mount_tests += tests/mount/trace.bats
mount_tests += tests/mount/trace_loss.bats
mount_tests += tests/mount/truth.bats

# Those that take minutes, or need guests and containers.
slow_mount_tests =
slow_mount_tests += tests/mount/apps.bats
slow_mount_tests += tests/mount/limits.bats
slow_mount_tests += tests/mount/postgres.bats
slow_mount_tests += tests/mount/stress.bats
slow_mount_tests += tests/testbeds/container.bats
slow_mount_tests += tests/testbeds/nfs.bats

testbeds =
testbeds += tests/testbeds/container-inside.sh
testbeds += tests/testbeds/guest-init.sh
testbeds += tests/testbeds/guest.sh
testbeds += tests/testbeds/nfs-inside.bash
testbeds += tests/testbeds/nfs-server.bash
EXTRA_DIST += $(mount_tests) $(slow_mount_tests) $(testbeds)

# One at a time: they measure.
check-mount: all
	+$(MAKE) -j1 $(AM_MAKEFLAGS) check TESTS='$(mount_tests) $(slow_mount_tests)' TEST_SUITE_LOG=mount-suite.log

# What tells whether a build works at all.
quick_mount_tests = tests/mount/lifecycle.bats tests/mount/passthrough.bats tests/mount/truth.bats

check-mount-quick: all
	+$(MAKE) -j1 $(AM_MAKEFLAGS) check TESTS='$(quick_mount_tests)' TEST_SUITE_LOG=mount-suite.log

# For sanitizer builds: what threads and memory can go wrong in, without what measures time or is
# about the world outside of the daemon.
sanitized_tests = tests/mount/cases_a.bats tests/mount/delay.bats tests/mount/passthrough.bats tests/mount/stress.bats tests/mount/trace.bats tests/mount/trace_loss.bats
sanitized_names = ^(A1|A7|A22|B10|E8):|^A30: with locks|on ext4, mounted in place|with (data=kernel|locks|few)|for an ordinary|an ordinary user mounts|random|while they do|held writes|replies (are|that are) held|carry their arguments|begun and ended|together are the whole|operations wait and none|a full disk costs|flight recorder

check-mount-sanitized: all
	+$(MAKE) -j1 $(AM_MAKEFLAGS) check TESTS='$(sanitized_tests)' TEST_SUITE_LOG=mount-suite.log \
		BATS_LOG_FLAGS="--filter '$(sanitized_names)'"
