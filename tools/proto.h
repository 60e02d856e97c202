/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protocol Buffers' wire format: fields appended to a buffer. */
#ifndef TOOLS_PROTO_H
#define TOOLS_PROTO_H

#include "core/bytes.h"

void proto_uint(struct bytes *out, unsigned int field, uint64_t value);
void proto_bytes(struct bytes *out, unsigned int field, const void *data, size_t len);
void proto_string(struct bytes *out, unsigned int field, const char *text);

/*
 * A message inside: what is put between the two calls is its content. The length is put where it
 * belongs at the end; the mark is the first call's.
 */
size_t proto_begin(struct bytes *out, unsigned int field);
void proto_end(struct bytes *out, size_t mark);

#endif
