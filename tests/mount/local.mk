# SPDX-License-Identifier: GPL-2.0-or-later
# Tests on live mounts (bats): root, /dev/fuse, loop devices. One line each, sorted.

mount_tests =

# Those that take minutes, or need guests and containers: only run on the plain build.
slow_mount_tests =

EXTRA_DIST += $(mount_tests) $(slow_mount_tests)

# One at a time: they measure.
check-mount: all
	+$(MAKE) -j1 $(AM_MAKEFLAGS) check TESTS='$(mount_tests) $(slow_mount_tests)' TEST_SUITE_LOG=mount-suite.log

check-mount-quick: all
	+$(MAKE) -j1 $(AM_MAKEFLAGS) check TESTS='$(mount_tests)' TEST_SUITE_LOG=mount-suite.log
