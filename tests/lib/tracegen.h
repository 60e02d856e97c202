/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the threads of a synthetic trace do: sessions on files, one operation after the other. */
#ifndef TESTS_TRACEGEN_H
#define TESTS_TRACEGEN_H

#include "core/rng.h"
#include "trace/writer.h"

#define GEN_START_NS UINT64_C(1000000000000) /* the monotonic clock when it begins */

/* What a thread is in the middle of. */
enum gen_session {
	GEN_NOTHING,
	GEN_DATA, /* lookup open (read|write)* [fsync] flush release */
	GEN_TEMP, /* create write* flush release rename unlink */
	GEN_LIST, /* opendir readdirplus releasedir */
};

struct gen_thread {
	uint32_t tid;
	enum gen_session session;
	unsigned int step;
	uint64_t left; /* reads and writes to come */
	uint64_t file; /* id */
	uint64_t parent;
	uint64_t handle;
	uint64_t offset;
	uint64_t size;
	bool sequential;
	bool writes;
	uint64_t now_ns;
	char path[64];
	char name[32];
	char new_name[32];
	struct trace_op op; /* the next one */
};

struct gen {
	struct rng rng;
	uint64_t ops;
	uint64_t files;
	uint64_t threads;
	uint64_t directories;
	uint64_t seq;
	uint64_t visited; /* files whose first session has begun */
	uint64_t last_id; /* of files */
	uint64_t handles;
	uint64_t per_file; /* reads and writes a session, so that all files have their turn */
	struct gen_thread *thread;
	void (*define)(void *arg, const struct trace_file *file);
	void *arg;
};

/* ops, files, threads and rng are set. */
void gen_init(struct gen *gen, void (*define)(void *arg, const struct trace_file *file), void *arg);
void gen_done(struct gen *gen);
/* The thread's next operation into thread->op, without stamps and number. */
void gen_next(struct gen *gen, struct gen_thread *thread);

#endif
