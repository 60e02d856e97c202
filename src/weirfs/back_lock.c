// SPDX-License-Identifier: GPL-2.0-or-later
/* Locks as operations: at once, or parked until they are free. */
#include "config.h"

#include "weirfs/back.h"

#include <errno.h>
#include <sys/file.h>

int back_getlk(struct request *request)
{
	int err;

	request->reply.kind = REPLY_LOCK;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	err = locks_test(&request->fs->locks, request);
	request->reply.lock = request->arg.lock.lock;
	return err;
}

int back_setlk(struct request *request)
{
	int err;

	request->reply.kind = REPLY_STATUS;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	err = locks_set(request);
	/* The kernel doesn't wait for the answer to a close, which may have freed it. */
	if (err == -EAGAIN && back_await_releases(request->inode))
		err = locks_set(request);
	if (err == -EAGAIN && request->arg.lock.sleep)
		err = locks_wait(&request->fs->locks, request, locks_set);
	return err;
}

int back_flock(struct request *request)
{
	int err;

	request->reply.kind = REPLY_STATUS;
	back_as_caller(request, IDENT_NONE);
	back_may_block(request);
	err = locks_flock(request);
	if (err == -EAGAIN && back_await_releases(request->inode))
		err = locks_flock(request);
	if (err == -EAGAIN && !(request->arg.lock.operation & LOCK_NB))
		err = locks_wait(&request->fs->locks, request, locks_flock);
	return err;
}
