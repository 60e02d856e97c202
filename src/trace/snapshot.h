/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A summary as bytes: what a live mount answers on its control socket. Its records are those that
 * a trace closes with, so that one decoder serves both.
 *
 * The stream is a magic and version, then records of varint kind, varint length and payload, the
 * last one of kind END. Kinds that a reader doesn't know are skipped by their length.
 */
#ifndef TRACE_SNAPSHOT_H
#define TRACE_SNAPSHOT_H

#include "core/bytes.h"
#include "core/diag.h"
#include "core/summary.h"

/* Appends the summary; memory errors show in out->failed. */
void snapshot_encode(const struct summary *summary, struct bytes *out);

/*
 * Decodes a whole snapshot into an empty summary; unbounded or torn input is refused, and what
 * was allocated for it is freed. Returns 0, -EPROTO (diag says what and at which byte),
 * -EPROTONOSUPPORT (a newer major version) or -ENOMEM.
 */
int snapshot_decode(const void *data, size_t len, struct summary *ret_summary, struct diag *diag);

#endif
