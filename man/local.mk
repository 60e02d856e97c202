# SPDX-License-Identifier: GPL-2.0-or-later
# mdoc pages, sorted: one line each, dist_man_MANS += man/NAME.SECTION
dist_man_MANS += man/mount.weirfs.8
dist_man_MANS += man/weir-trace.5
dist_man_MANS += man/weir.1
dist_man_MANS += man/weirfs.8
