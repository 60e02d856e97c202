/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing JSON, valid for any bytes.
 *
 * Strings that are no UTF-8 come with U+FFFD for each bad byte under their own key, and in full
 * as hexadecimal under KEY_hex, so that the bytes round trip.
 */
#ifndef TOOLS_JSONW_H
#define TOOLS_JSONW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSONW_DEPTH_MAX 32

struct jsonw {
	FILE *out;
	unsigned int depth;
	unsigned int flat;              /* depth from which all is on one line */
	bool used[JSONW_DEPTH_MAX + 1]; /* has an element already */
	char close[JSONW_DEPTH_MAX + 1];
};

/* flat: everything on one line. */
void jsonw_init(struct jsonw *json, FILE *out, bool flat);

/* In all of them the key is NULL inside an array and at the top. */
void jsonw_object(struct jsonw *json, const char *key);
void jsonw_array(struct jsonw *json, const char *key);
/* An array or object whose inside is on one line. */
void jsonw_flat_object(struct jsonw *json, const char *key);
void jsonw_flat_array(struct jsonw *json, const char *key);
/* Closes the innermost; at the top, ends the line too. */
void jsonw_end(struct jsonw *json);

void jsonw_uint(struct jsonw *json, const char *key, uint64_t value);
/* Two decimals. */
void jsonw_real(struct jsonw *json, const char *key, double value);
/* As many decimals as asked for. */
void jsonw_decimals(struct jsonw *json, const char *key, double value, int decimals);
void jsonw_bool(struct jsonw *json, const char *key, bool value);
void jsonw_null(struct jsonw *json, const char *key);
/* NULL gives null; see above for what is no UTF-8 (in an array it has no second form). */
void jsonw_string(struct jsonw *json, const char *key, const char *value);

#endif
