# SPDX-License-Identifier: GPL-2.0-or-later
# The daemon. All but main.c is a library, so that unit tests can link it.
# One line a module, sorted.

daemon_sources =
daemon_sources += src/weirfs/back.h
daemon_sources += src/weirfs/back_attr.c
daemon_sources += src/weirfs/back_data.c
daemon_sources += src/weirfs/back_dir.c
daemon_sources += src/weirfs/back_lock.c
daemon_sources += src/weirfs/back_name.c
daemon_sources += src/weirfs/back_open.c
daemon_sources += src/weirfs/back_xattr.c
daemon_sources += src/weirfs/control.c src/weirfs/control.h
daemon_sources += src/weirfs/delayq.c src/weirfs/delayq.h
daemon_sources += src/weirfs/fdcache.c src/weirfs/fdcache.h
daemon_sources += src/weirfs/file.c src/weirfs/file.h
daemon_sources += src/weirfs/files.c src/weirfs/files.h
daemon_sources += src/weirfs/front.c src/weirfs/front.h
daemon_sources += src/weirfs/front_data.c
daemon_sources += src/weirfs/front_meta.c
daemon_sources += src/weirfs/handle.c src/weirfs/handle.h
daemon_sources += src/weirfs/ident.c src/weirfs/ident.h
daemon_sources += src/weirfs/inode.c
daemon_sources += src/weirfs/kernel_data.c src/weirfs/kernel_data.h
daemon_sources += src/weirfs/lock_ranges.c src/weirfs/lock_ranges.h
daemon_sources += src/weirfs/locks.c src/weirfs/locks.h
daemon_sources += src/weirfs/log.c src/weirfs/log.h
daemon_sources += src/weirfs/mountinfo.c src/weirfs/mountinfo.h
daemon_sources += src/weirfs/mountpoint.c src/weirfs/mountpoint.h
daemon_sources += src/weirfs/names.c
daemon_sources += src/weirfs/notify.c src/weirfs/notify.h
daemon_sources += src/weirfs/options.c src/weirfs/options.h
daemon_sources += src/weirfs/probe.c src/weirfs/probe.h
daemon_sources += src/weirfs/rcu.h
daemon_sources += src/weirfs/reply.c src/weirfs/reply.h
daemon_sources += src/weirfs/report.c src/weirfs/report.h
daemon_sources += src/weirfs/request.c src/weirfs/request.h
daemon_sources += src/weirfs/session.c src/weirfs/session.h
daemon_sources += src/weirfs/shaper.c src/weirfs/shaper.h
daemon_sources += src/weirfs/stats.c src/weirfs/stats.h
daemon_sources += src/weirfs/tree.h
daemon_sources += src/weirfs/weirfs.h
daemon_sources += src/weirfs/workers.c src/weirfs/workers.h

noinst_LIBRARIES += libdaemon.a
libdaemon_a_SOURCES = $(daemon_sources)
libdaemon_a_CFLAGS = $(AM_CFLAGS) $(FUSE3_CFLAGS) $(URCU_CFLAGS)
daemon_LIBS = libdaemon.a $(libweir_LIBS) $(FUSE3_LIBS) $(URCU_LIBS)

sbin_PROGRAMS += weirfs
weirfs_SOURCES = src/weirfs/main.c
weirfs_CFLAGS = $(libdaemon_a_CFLAGS)
weirfs_LDADD = $(daemon_LIBS)
