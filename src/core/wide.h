/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 128-bit intermediate results; both compilers of this project have them, ISO C doesn't. */
#ifndef CORE_WIDE_H
#define CORE_WIDE_H

__extension__ typedef unsigned __int128 uint128;

#endif
