/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The measuring points at both ends of the pipeline. */
#ifndef WEIRFS_PROBE_H
#define WEIRFS_PROBE_H

struct request;

/* Stamps the arrival and numbers the operation. */
void probe_begin(struct request *request);
/* Records the finished operation: per operation, per file. */
void probe_end(struct request *request);

#endif
