# SPDX-License-Identifier: GPL-2.0-or-later
# One line a module, sorted.

model_sources =
