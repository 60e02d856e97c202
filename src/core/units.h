/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers with units, as people type and read them.
 *
 * Times: ns, us, ms, s, m, h, d ("20ms", "1.5s"); a bare number is taken in the unit that the
 * caller names (0: only 0 may be bare). Sizes: B, K/KiB, M/MiB, G/GiB, T/TiB (powers of 1024) and
 * kB, MB, GB, TB (powers of 1000). Fractions are exact to the nanosecond or byte; overflow is an
 * error, never a wrap.
 */
#ifndef CORE_UNITS_H
#define CORE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* Parses a whole string. Return 0, -EINVAL (not a number, unknown unit) or -ERANGE. */
int units_parse_time(const char *text, uint64_t bare_unit_ns, uint64_t *ret_ns);
int units_parse_size(const char *text, uint64_t *ret_bytes);
/* A plain decimal number within [min, max]. */
int units_parse_uint(const char *text, uint64_t min, uint64_t max, uint64_t *ret_value);
/* "30%", "30 %" or "0.3" as parts in a million (0..1000000). */
int units_parse_share(const char *text, uint32_t *ret_ppm);

/* Room that every formatted number fits in. */
#define UNITS_TEXT 24

/* "812 ns", "24.1 us", "3.50 ms", "12.0 s": three digits. Return the buffer. */
char *units_format_time(char text[UNITS_TEXT], uint64_t ns);
/* "512 B", "4.00 KiB", "1.20 GiB". */
char *units_format_size(char text[UNITS_TEXT], uint64_t bytes);
/* "950", "12.4 k", "3.10 M": powers of 1000. */
char *units_format_count(char text[UNITS_TEXT], double count);

#endif
