# SPDX-License-Identifier: GPL-2.0-or-later
# Design notes, sorted: one line each.

dist_doc_DATA =
dist_doc_DATA += docs/architecture.md
dist_doc_DATA += docs/cases.md
