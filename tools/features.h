/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this build's libfuse had and lacked, by the names that configure probes. */
#ifndef TOOLS_FEATURES_H
#define TOOLS_FEATURES_H

#define FEATURE_YES(name) " " name
#define FEATURE_NO(name) ""

#ifdef HAVE_FUSE_DIRECT_IO_ALLOW_MMAP
#define FEATURE_MMAP FEATURE_YES
#else
#define FEATURE_MMAP FEATURE_NO
#endif
#ifdef HAVE_FUSE_IO_URING
#define FEATURE_URING FEATURE_YES
#else
#define FEATURE_URING FEATURE_NO
#endif
#ifdef HAVE_FUSE_KILLPRIV_V2
#define FEATURE_KILLPRIV FEATURE_YES
#else
#define FEATURE_KILLPRIV FEATURE_NO
#endif
#ifdef HAVE_FUSE_PARALLEL_DIRECT_WRITES
#define FEATURE_PARALLEL FEATURE_YES
#else
#define FEATURE_PARALLEL FEATURE_NO
#endif
#ifdef HAVE_FUSE_PASSTHROUGH
#define FEATURE_PASSTHROUGH FEATURE_YES
#else
#define FEATURE_PASSTHROUGH FEATURE_NO
#endif
#ifdef HAVE_FUSE_STATX
#define FEATURE_STATX FEATURE_YES
#else
#define FEATURE_STATX FEATURE_NO
#endif
#ifdef HAVE_FUSE_SYNCFS
#define FEATURE_SYNCFS FEATURE_YES
#else
#define FEATURE_SYNCFS FEATURE_NO
#endif
#ifdef HAVE_FUSE_TMPFILE
#define FEATURE_TMPFILE FEATURE_YES
#else
#define FEATURE_TMPFILE FEATURE_NO
#endif

/* "" or " NAME NAME ..": a string literal. */
#define FUSE_FEATURES                              \
	FEATURE_URING("io_uring")                  \
	FEATURE_KILLPRIV("killpriv_v2")            \
	FEATURE_MMAP("mmap_in_direct_io")          \
	FEATURE_PARALLEL("parallel_direct_writes") \
	FEATURE_PASSTHROUGH("passthrough")         \
	FEATURE_STATX("statx")                     \
	FEATURE_SYNCFS("syncfs")                   \
	FEATURE_TMPFILE("tmpfile")

#endif
