/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats that can be imported, and what some of them share. */
#ifndef TOOLS_IMPORT_FORMATS_H
#define TOOLS_IMPORT_FORMATS_H

#include "tools/import.h"

/* X(identifier) in the order of the help. */
#define IMPORT_FORMAT_TABLE(X) \
	X(iolog)               \
	X(blkparse)            \
	X(blktrace)            \
	X(strace)              \
	X(nfsdump)             \
	X(ds2txt)              \
	X(dxt)                 \
	X(ext4slower)          \
	X(msr)                 \
	X(systor)              \
	X(alibaba)             \
	X(tencent)             \
	X(spc)                 \
	X(fiu)                 \
	X(nbw)                 \
	X(cloudphysics)        \
	X(vscsi)               \
	X(disksim)             \
	X(mqsim)               \
	X(heatmap)

#define X(id) extern const struct import_format import_##id;
IMPORT_FORMAT_TABLE(X)
#undef X

/* A device by its number (major << 20 | minor), or by the name of the present input. */
int import_block_device(struct import *import, uint32_t device, struct import_file **ret_file);
int import_input_device(struct import *import, struct import_file **ret_file);
/* What a SCSI command is. Returns 0 or -ENOENT. */
int import_scsi_kind(uint64_t code, enum op_kind *ret_kind);
/* A trim is a hole punched into the device's file: sets the flags of such an operation. */
void import_block_kind(struct trace_op *op);

#endif
