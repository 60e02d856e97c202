// SPDX-License-Identifier: GPL-2.0-or-later
/* The pipeline: the one place where the order of things is written. */
#include "config.h"

#include "weirfs/request.h"

#include <stdlib.h>

#include "core/clock.h"
#include "weirfs/delayq.h"
#include "weirfs/probe.h"
#include "weirfs/reply.h"
#include "weirfs/shaper.h"
#include "weirfs/weirfs.h"

void request_run(struct request *request, back_fn back)
{
	struct op *op = &request->op;

	probe_begin(request);
	op->due_ns = shaper_admit(&request->fs->shaper, request);
	op->issued_ns = clock_mono_ns();
	request->reply.error = back(request);
	if (request->reply.error == BACK_PARKED)
		return;
	op->backed_ns = clock_mono_ns();
	if (op->due_ns > op->backed_ns && op->kind != OP_FORGET &&
	    !delayq_put(&request->fs->delayq, request))
		return;
	request_finish(request);
}

static void drop(struct request *request)
{
	struct tree *tree = &request->fs->tree;

	inode_put(tree, request->about);
	inode_put(tree, request->inode);
	inode_put(tree, request->second);
	free(request->reply.data_owned);
	free(request->kept);
}

void request_finish(struct request *request)
{
	request->op.error = (uint16_t)-request->reply.error;
	if (request->op.error)
		request->op.result = 0;
	reply_send(request);
	request->op.done_ns = clock_mono_ns();
	probe_end(request);
	drop(request);
	if (request->parked)
		free(request);
}
