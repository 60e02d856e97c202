# SPDX-License-Identifier: GPL-2.0-or-later
# The daemon. All but main.c is a library, so that unit tests can link it.
# One line a module, sorted.

daemon_sources =

if BUILD_DAEMON
noinst_LIBRARIES += libdaemon.a
libdaemon_a_SOURCES = $(daemon_sources)
libdaemon_a_CFLAGS = $(AM_CFLAGS) $(FUSE3_CFLAGS) $(URCU_CFLAGS) $(CAP_NG_CFLAGS)
daemon_LIBS = libdaemon.a $(libweir_LIBS) $(FUSE3_LIBS) $(URCU_LIBS) $(CAP_NG_LIBS)

sbin_PROGRAMS += weirfs
weirfs_SOURCES = src/weirfs/main.c
weirfs_CFLAGS = $(libdaemon_a_CFLAGS)
weirfs_LDADD = $(daemon_LIBS)
endif
