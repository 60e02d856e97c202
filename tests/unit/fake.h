/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inodes for tests that have no file system: statx() results made up of numbers. */
#ifndef TESTS_UNIT_FAKE_H
#define TESTS_UNIT_FAKE_H

#include <stdint.h>
#include <sys/stat.h>

/* What the tests' inodes are on. */
#define FAKE_MAJOR 8
#define FAKE_MINOR 1
#define FAKE_ROOT_INO 2

/* A file or directory of that number and birth time; nlink 1. */
static inline struct statx fake_stx(uint64_t ino, mode_t type, uint64_t birth_ns)
{
	struct statx stx = {
		.stx_mask = STATX_BASIC_STATS | STATX_BTIME,
		.stx_ino = ino,
		.stx_mode = (uint16_t)(type | 0755),
		.stx_nlink = 1,
		.stx_dev_major = FAKE_MAJOR,
		.stx_dev_minor = FAKE_MINOR,
	};

	stx.stx_btime.tv_sec = (int64_t)(birth_ns / 1000000000);
	stx.stx_btime.tv_nsec = (uint32_t)(birth_ns % 1000000000);
	return stx;
}

static inline struct statx fake_root(void)
{
	return fake_stx(FAKE_ROOT_INO, S_IFDIR, 1);
}

#endif
