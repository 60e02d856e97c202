# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests share. One line each, sorted.

lib_scripts =
lib_scripts += tests/lib/common.bash
lib_scripts += tests/lib/npm.bash
lib_scripts += tests/lib/strace-counts.sh
lib_scripts += tests/lib/trace.bash
lib_scripts += tests/lib/workload.sh
lib_scripts += tests/lib/wtread.py

EXTRA_DIST += $(lib_scripts) tests/lib/lsan.supp tests/lib/tsan.supp

# Programs that the tests run; only those that write or read traces need the library.
lib_programs =
lib_programs += tests/lib/appendrace
lib_programs += tests/lib/fsoracle
lib_programs += tests/lib/fsstorm
lib_programs += tests/lib/handles
lib_programs += tests/lib/heldreaders
lib_programs += tests/lib/knownload
lib_programs += tests/lib/lockstorm
lib_programs += tests/lib/manyfiles
lib_programs += tests/lib/posixcheck
lib_programs += tests/lib/renameopen
lib_programs += tests/lib/traceall
lib_programs += tests/lib/tracecases
lib_programs += tests/lib/tracecheck
lib_programs += tests/lib/tracegen

check_PROGRAMS += $(lib_programs)

tests_lib_appendrace_SOURCES = tests/lib/appendrace.c tests/lib/tool.h
tests_lib_appendrace_LDADD =
tests_lib_fsoracle_SOURCES = tests/lib/fsoracle.c tests/lib/tool.h
tests_lib_fsoracle_LDADD =
tests_lib_fsstorm_SOURCES = tests/lib/fsstorm.c tests/lib/tool.h
tests_lib_fsstorm_LDADD =
tests_lib_handles_SOURCES = tests/lib/handles.c tests/lib/tool.h
tests_lib_handles_LDADD =
tests_lib_heldreaders_SOURCES = tests/lib/heldreaders.c tests/lib/tool.h
tests_lib_heldreaders_LDADD =
tests_lib_knownload_SOURCES = tests/lib/knownload.c tests/lib/tool.h
tests_lib_knownload_LDADD =
tests_lib_lockstorm_SOURCES = tests/lib/lockstorm.c tests/lib/tool.h
tests_lib_lockstorm_LDADD =
tests_lib_manyfiles_SOURCES = tests/lib/manyfiles.c tests/lib/tool.h
tests_lib_manyfiles_LDADD =
tests_lib_posixcheck_SOURCES = $(posixcheck_sources)
tests_lib_posixcheck_LDADD =
tests_lib_renameopen_SOURCES = tests/lib/renameopen.c tests/lib/tool.h
tests_lib_renameopen_LDADD =
tests_lib_traceall_SOURCES = tests/lib/traceall.c tests/lib/tool.h
tests_lib_traceall_LDADD = $(libweir_LIBS)
tests_lib_tracecases_SOURCES = tests/lib/tracecases.c tests/lib/tool.h
tests_lib_tracecases_LDADD = $(libweir_LIBS)
tests_lib_tracecheck_SOURCES = tests/lib/tracecheck.c tests/lib/tool.h
tests_lib_tracecheck_LDADD = $(libweir_LIBS)
tests_lib_tracegen_SOURCES = tests/lib/tracegen.c tests/lib/tracegen.h tests/lib/tracegen_load.c tests/lib/tool.h
tests_lib_tracegen_LDADD = $(libweir_LIBS)

posixcheck_sources =
posixcheck_sources += tests/lib/check.c tests/lib/check.h
posixcheck_sources += tests/lib/posix_acl.c
posixcheck_sources += tests/lib/posix_alloc.c
posixcheck_sources += tests/lib/posix_dir.c
posixcheck_sources += tests/lib/posix_file.c
posixcheck_sources += tests/lib/posix_link.c
posixcheck_sources += tests/lib/posix_lock.c
posixcheck_sources += tests/lib/posix_mmap.c
posixcheck_sources += tests/lib/posix_name.c
posixcheck_sources += tests/lib/posix_owner.c
posixcheck_sources += tests/lib/posix_rename.c
posixcheck_sources += tests/lib/posix_setid.c
posixcheck_sources += tests/lib/posix_special.c
posixcheck_sources += tests/lib/posix_time.c
posixcheck_sources += tests/lib/posix_xattr.c
posixcheck_sources += tests/lib/posixcheck.c
