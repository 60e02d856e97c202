# SPDX-License-Identifier: GPL-2.0-or-later
# One line a module, sorted.

model_sources =
model_sources += src/model/delay.c src/model/delay.h
