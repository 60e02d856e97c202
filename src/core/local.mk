# SPDX-License-Identifier: GPL-2.0-or-later
# One line a module, sorted.

core_sources =
core_sources += src/core/bytes.c src/core/bytes.h
core_sources += src/core/cleanup.h
core_sources += src/core/clock.h
core_sources += src/core/control.c src/core/control.h
core_sources += src/core/diag.c src/core/diag.h
core_sources += src/core/file_counts.c src/core/file_counts.h
core_sources += src/core/hash.c src/core/hash.h
core_sources += src/core/hist.c src/core/hist.h
core_sources += src/core/op.c src/core/op.h
core_sources += src/core/rng.h
core_sources += src/core/small_hist.c src/core/small_hist.h
core_sources += src/core/summary.c src/core/summary.h
core_sources += src/core/units.c src/core/units.h
core_sources += src/core/wide.h
