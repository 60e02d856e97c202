// SPDX-License-Identifier: GPL-2.0-or-later
/* The sessions of tracegen: everything that is used was made or opened before. */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "tests/lib/tool.h"
#include "tests/lib/tracegen.h"

#define PER_DIR 256
#define ROOT_ID 1

static struct trace_bytes bytes_of(const char *text)
{
	return (struct trace_bytes){(const uint8_t *)text, strlen(text)};
}

static void set(struct trace_op *op, enum trace_number number, uint64_t value)
{
	op->have |= TRACE_HAVE(number);
	op->value[number] = value;
}

static void set_text(struct trace_op *op, enum trace_text text, const char *value)
{
	op->have |= TRACE_HAVE_TEXT(text);
	op->text[text] = bytes_of(value);
}

static uint64_t size_of(uint64_t index)
{
	struct rng rng = {index * 77};

	return UINT64_C(4096) << rng_below(&rng, 14);
}

static void define_directory(struct gen *gen, uint64_t index)
{
	char path[32];

	snprintf(path, sizeof(path), "/d%04" PRIx64, index);
	gen->define(gen->arg, &(struct trace_file){
				      .id = ROOT_ID + 1 + index,
				      .dev = 2049,
				      .ino = 1000 + index,
				      .mode = S_IFDIR | 0755,
				      .nlink = 2,
				      .flags = TRACE_FILE_F_SIZE,
				      .path = bytes_of(path),
			      });
}

static void define_file(struct gen *gen, const struct gen_thread *thread)
{
	gen->define(gen->arg, &(struct trace_file){
				      .id = thread->file,
				      .dev = 2049,
				      .ino = 100000 + thread->file,
				      .size = thread->size,
				      .mode = S_IFREG | 0644,
				      .nlink = 1,
				      .flags = TRACE_FILE_F_SIZE,
				      .path = bytes_of(thread->path),
			      });
}

static void begin(struct gen_thread *thread, enum op_kind kind, uint64_t file)
{
	struct trace_op *op = &thread->op;

	op->op = (struct op){
		.file = file, .pid = thread->tid, .uid = 1000, .gid = 100, .kind = (uint8_t)kind};
	op->process = thread->tid - thread->tid % 4;
	snprintf(op->comm, sizeof(op->comm), "load-%u", op->process);
	op->have = 0;
}

static void answer_attributes(struct gen_thread *thread)
{
	set(&thread->op, TRACE_ATTR_MODE, S_IFREG | 0644);
	set(&thread->op, TRACE_ATTR_SIZE, thread->size);
	set(&thread->op, TRACE_ATTR_NLINK, 1);
}

static void named(struct gen_thread *thread, enum op_kind kind)
{
	begin(thread, kind, thread->file);
	set(&thread->op, TRACE_PARENT, thread->parent);
	set_text(&thread->op, TRACE_NAME, thread->name);
}

static void on_handle(struct gen_thread *thread, enum op_kind kind)
{
	begin(thread, kind, thread->file);
	set(&thread->op, TRACE_HANDLE, thread->handle);
}

static void transfer(struct gen *gen, struct gen_thread *thread)
{
	struct op *op = &thread->op.op;
	uint64_t size = UINT64_C(4096) << rng_below(&gen->rng, 6);

	on_handle(thread, thread->writes ? OP_WRITE : OP_READ);
	if (!thread->sequential)
		thread->offset = rng_below(&gen->rng, thread->size / 4096) * 4096;
	op->offset = thread->offset;
	op->size = size;
	op->result = size;
	if (thread->writes) {
		if (op->offset + size > thread->size)
			thread->size = op->offset + size;
	} else if (op->offset >= thread->size) {
		op->result = 0;
	} else if (op->offset + size > thread->size) {
		op->result = thread->size - op->offset;
	}
	/* Now and then the storage fails. */
	if (!rng_below(&gen->rng, 20000)) {
		op->error = EIO;
		op->result = 0;
	}
	thread->offset += op->result;
	if (!op->result)
		thread->offset = 0;
	thread->left--;
}

/* --- sessions ------------------------------------------------------------------------------- */

static void choose_file(struct gen *gen, struct gen_thread *thread)
{
	/* Once all were visited, a tenth of the files gets most of the use. */
	uint64_t most = rng_below(&gen->rng, 4) ? gen->files / 10 + 1 : gen->files;
	uint64_t index = gen->visited < gen->files ? gen->visited++ : rng_below(&gen->rng, most);

	thread->file = ROOT_ID + 1 + gen->directories + index;
	thread->parent = ROOT_ID + 1 + index / PER_DIR;
	thread->size = size_of(index);
	snprintf(thread->name, sizeof(thread->name), "f%07" PRIx64, index);
	snprintf(thread->path, sizeof(thread->path), "/d%04" PRIx64 "/%s", index / PER_DIR,
		 thread->name);
	define_directory(gen, index / PER_DIR);
	define_file(gen, thread);
}

static void begin_session(struct gen *gen, struct gen_thread *thread)
{
	uint64_t dice = rng_below(&gen->rng, 100);
	uint64_t directory = rng_below(&gen->rng, gen->directories);

	thread->step = 0;
	thread->offset = 0;
	thread->handle = ++gen->handles;
	thread->left = 1 + rng_below(&gen->rng, 2 * gen->per_file);
	thread->session = dice < 94 ? GEN_DATA : dice < 97 ? GEN_TEMP : GEN_LIST;
	thread->writes = thread->session == GEN_TEMP || rng_below(&gen->rng, 5) < 2;
	thread->sequential = thread->session == GEN_TEMP || rng_below(&gen->rng, 2);
	if (thread->session == GEN_DATA) {
		choose_file(gen, thread);
		return;
	}
	thread->parent = ROOT_ID + 1 + directory;
	define_directory(gen, directory);
	if (thread->session == GEN_LIST)
		return;
	thread->file = ++gen->last_id;
	thread->size = 0;
	snprintf(thread->name, sizeof(thread->name), "tmp%" PRIu64, thread->file);
	snprintf(thread->new_name, sizeof(thread->new_name), "new%" PRIu64, thread->file);
	snprintf(thread->path, sizeof(thread->path), "/d%04" PRIx64 "/%s", directory, thread->name);
	define_file(gen, thread);
}

static bool data_step(struct gen *gen, struct gen_thread *thread)
{
	switch (thread->step) {
	case 0:
		named(thread, OP_LOOKUP);
		if (!rng_below(&gen->rng, 30)) {
			/* First a name that there isn't. */
			thread->op.op.error = ENOENT;
			thread->op.op.file = 0;
			set_text(&thread->op, TRACE_NAME, "nothing");
			thread->step--;
			break;
		}
		answer_attributes(thread);
		break;
	case 1:
		begin(thread, OP_GETATTR, thread->file);
		answer_attributes(thread);
		break;
	case 2:
		begin(thread, OP_OPEN, thread->file);
		set(&thread->op, TRACE_FLAGS, thread->writes ? O_RDWR : O_RDONLY);
		set(&thread->op, TRACE_HANDLE, thread->handle);
		break;
	case 3:
		transfer(gen, thread);
		if (thread->left)
			thread->step--;
		break;
	case 4:
		on_handle(thread, thread->writes ? OP_FSYNC : OP_GETATTR);
		break;
	case 5:
		on_handle(thread, OP_FLUSH);
		break;
	case 6:
		on_handle(thread, OP_RELEASE);
		break;
	default:
		return false;
	}
	return true;
}

static bool temp_step(struct gen *gen, struct gen_thread *thread)
{
	switch (thread->step) {
	case 0:
		named(thread, OP_CREATE);
		set(&thread->op, TRACE_FLAGS, O_RDWR | O_CREAT | O_EXCL);
		set(&thread->op, TRACE_MODE, S_IFREG | 0644);
		set(&thread->op, TRACE_UMASK, 022);
		set(&thread->op, TRACE_HANDLE, thread->handle);
		answer_attributes(thread);
		break;
	case 1:
		transfer(gen, thread);
		if (thread->left)
			thread->step--;
		break;
	case 2:
		on_handle(thread, OP_FLUSH);
		break;
	case 3:
		on_handle(thread, OP_RELEASE);
		break;
	case 4:
		named(thread, OP_RENAME);
		set(&thread->op, TRACE_NEW_PARENT, thread->parent);
		set_text(&thread->op, TRACE_NEW_NAME, thread->new_name);
		break;
	case 5:
		named(thread, OP_UNLINK);
		set_text(&thread->op, TRACE_NAME, thread->new_name);
		break;
	default:
		return false;
	}
	return true;
}

static bool list_step(struct gen *gen, struct gen_thread *thread)
{
	thread->file = thread->parent;
	switch (thread->step) {
	case 0:
		on_handle(thread, OP_OPENDIR);
		break;
	case 1:
		on_handle(thread, OP_READDIRPLUS);
		thread->op.op.size = 4096;
		thread->op.op.result = 1000 + rng_below(&gen->rng, 3000);
		set(&thread->op, TRACE_COUNT, thread->op.op.result / 100);
		break;
	case 2:
		on_handle(thread, OP_RELEASEDIR);
		break;
	default:
		return false;
	}
	return true;
}

static bool step(struct gen *gen, struct gen_thread *thread)
{
	switch (thread->session) {
	case GEN_DATA:
		return data_step(gen, thread);
	case GEN_TEMP:
		return temp_step(gen, thread);
	case GEN_LIST:
		return list_step(gen, thread);
	case GEN_NOTHING:
		break;
	}
	return false;
}

void gen_next(struct gen *gen, struct gen_thread *thread)
{
	while (!step(gen, thread))
		begin_session(gen, thread);
	thread->step++;
}

void gen_init(struct gen *gen, void (*define)(void *arg, const struct trace_file *file), void *arg)
{
	gen->define = define;
	gen->arg = arg;
	gen->directories = gen->files / PER_DIR + 1;
	gen->last_id = ROOT_ID + gen->directories + gen->files;
	/* A session has about six operations besides; all files should come in half of the time. */
	gen->per_file = gen->ops / gen->files / 2;
	gen->per_file = gen->per_file > 8 ? gen->per_file - 7 : 1;
	if (gen->per_file > 32)
		gen->per_file = 32;
	gen->thread = must_have(calloc(gen->threads, sizeof(*gen->thread)));
	for (uint64_t i = 0; i < gen->threads; i++) {
		gen->thread[i].tid = (uint32_t)(4000 + i);
		gen->thread[i].now_ns = GEN_START_NS;
	}
	gen->define(gen->arg, &(struct trace_file){
				      .id = ROOT_ID,
				      .dev = 2049,
				      .ino = 2,
				      .mode = S_IFDIR | 0755,
				      .nlink = 2,
				      .flags = TRACE_FILE_F_SIZE,
				      .path = bytes_of("/"),
			      });
}

void gen_done(struct gen *gen)
{
	free(gen->thread);
}
