// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests as records, and back: every kind of operation, names, hashes, parked ones, callers. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "weirfs/callers.h"
#include "weirfs/kept.h"
#include "weirfs/record.h"
#include "weirfs/request.h"
#include "weirfs/trace_hide.h"

static struct inode parent = {.id = 11}, file = {.id = 22};

static struct request request_of(enum op_kind kind)
{
	struct request request = {
		.op = {.kind = (uint8_t)kind,
		       .seq = 5,
		       .arrive_ns = 100,
		       .done_ns = 900,
		       .pid = 77},
		.inode = &parent,
		.about = &file,
		.handle = 33,
		.asker = {.process = 70, .comm = "a caller"},
		.caller.umask = 027,
	};

	request.reply.stx.stx_mode = 0100640;
	request.reply.stx.stx_size = 4711;
	request.reply.stx.stx_nlink = 2;
	return request;
}

/* Packs and unpacks; what is given is valid until the ring is done. */
static struct trace_op through(struct ring *ring, const struct request *request, bool hash)
{
	const struct ring_record *record;
	struct record_args args;
	struct trace_op op;
	void *room;

	record_gather(request, hash, &args);
	room = ring_reserve(ring, record_op_size(&args));
	assert_non_null(room);
	record_put_op(room, request, &args);
	ring_commit(ring, RECORD_OP);
	record = ring_peek(ring, ring_limit(ring));
	assert_non_null(record);
	assert_int_equal(record_key(record), request->op.done_ns * 2 + 1);
	record_get_op(record, &op);
	ring_pass(ring, record);
	return op;
}

static void assert_text(const struct trace_op *op, enum trace_text text, const char *want)
{
	assert_true(op->have & TRACE_HAVE_TEXT(text));
	assert_int_equal(op->text[text].len, strlen(want));
	assert_memory_equal(op->text[text].data, want, strlen(want));
}

static void assert_number(const struct trace_op *op, enum trace_number number, uint64_t want)
{
	assert_true(op->have & TRACE_HAVE(number));
	assert_int_equal(op->value[number], want);
}

static void names_modes_and_attributes_are_packed(void **state)
{
	struct request request = request_of(OP_CREATE);
	struct trace_op op;
	struct ring ring;

	request.arg.make.name = "na\nme\xff";
	request.arg.make.mode = 0100666;
	request.arg.make.flags = O_RDWR | O_CREAT;
	assert_int_equal(ring_init(&ring, 65536), 0);
	op = through(&ring, &request, false);
	assert_int_equal(op.op.file, 22);
	assert_int_equal(op.op.seq, 5);
	assert_int_equal(op.process, 70);
	assert_string_equal(op.comm, "a caller");
	assert_number(&op, TRACE_HANDLE, 33);
	assert_number(&op, TRACE_PARENT, 11);
	assert_number(&op, TRACE_FLAGS, O_RDWR | O_CREAT);
	assert_number(&op, TRACE_MODE, 0100666);
	assert_number(&op, TRACE_UMASK, 027);
	assert_number(&op, TRACE_ATTR_MODE, 0100640);
	assert_number(&op, TRACE_ATTR_SIZE, 4711);
	assert_number(&op, TRACE_ATTR_NLINK, 2);
	assert_text(&op, TRACE_NAME, "na\nme\xff");
	/* A failure has no attributes. */
	request.reply.error = -EEXIST;
	op = through(&ring, &request, false);
	assert_false(op.have & TRACE_HAVE(TRACE_ATTR_MODE));
	ring_done(&ring);
}

static void renames_have_both_names(void **state)
{
	struct request request = request_of(OP_RENAME);
	struct trace_op op;
	struct ring ring;

	request.arg.rename.name = "from";
	request.arg.rename.new_name = "to";
	request.arg.rename.new_parent_id = 44;
	request.arg.rename.flags = 2;
	assert_int_equal(ring_init(&ring, 65536), 0);
	op = through(&ring, &request, false);
	assert_number(&op, TRACE_PARENT, 11);
	assert_number(&op, TRACE_NEW_PARENT, 44);
	assert_number(&op, TRACE_FLAGS, 2);
	assert_text(&op, TRACE_NAME, "from");
	assert_text(&op, TRACE_NEW_NAME, "to");
	ring_done(&ring);
}

static void attributes_that_are_set_are_packed(void **state)
{
	struct request request = request_of(OP_SETATTR);
	struct trace_op op;
	struct ring ring;

	request.arg.setattr.attr.st_mode = 0600;
	request.arg.setattr.attr.st_uid = 7;
	request.arg.setattr.attr.st_size = INT64_C(1) << 40;
	request.arg.setattr.attr.st_mtim = (struct timespec){.tv_sec = 3, .tv_nsec = 4};
	request.arg.setattr.to_set = FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_SIZE |
				     FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_ATIME |
				     FUSE_SET_ATTR_ATIME_NOW;
	assert_int_equal(ring_init(&ring, 65536), 0);
	op = through(&ring, &request, false);
	assert_number(&op, TRACE_SET, (uint64_t)request.arg.setattr.to_set);
	assert_number(&op, TRACE_MODE, 0600);
	assert_number(&op, TRACE_SET_UID, 7);
	assert_number(&op, TRACE_SET_SIZE, UINT64_C(1) << 40);
	assert_number(&op, TRACE_SET_MTIME, UINT64_C(3000000004));
	assert_false(op.have & (TRACE_HAVE(TRACE_SET_GID) | TRACE_HAVE(TRACE_SET_ATIME)));
	ring_done(&ring);
}

static void locks_say_what_was_asked_and_what_was_there(void **state)
{
	struct request request = request_of(OP_GETLK);
	struct trace_op op;
	struct ring ring;

	request.arg.lock.operation = F_WRLCK;
	request.arg.lock.lock = (struct flock){.l_type = F_RDLCK, .l_start = 10, .l_len = 5};
	request.arg.lock.owner = UINT64_C(0xfedcba9876543210);
	assert_int_equal(ring_init(&ring, 65536), 0);
	op = through(&ring, &request, false);
	assert_number(&op, TRACE_FLAGS, F_WRLCK);
	assert_number(&op, TRACE_LOCK_TYPE, F_RDLCK);
	assert_number(&op, TRACE_LOCK_START, 10);
	assert_number(&op, TRACE_LOCK_END, 14);
	assert_number(&op, TRACE_LOCK_OWNER, UINT64_C(0xfedcba9876543210));
	request.arg.lock.lock.l_len = 0;
	op = through(&ring, &request, false);
	assert_number(&op, TRACE_LOCK_END, INT64_MAX);
	ring_done(&ring);
}

/* No kind of operation reads what it has not: the sanitizers see to that. */
static void every_kind_of_operation_is_packed(void **state)
{
	struct ring ring;

	assert_int_equal(ring_init(&ring, 65536), 0);
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		struct request request = request_of((enum op_kind)kind);
		struct trace_op op = through(&ring, &request, true);

		assert_int_equal(op.op.kind, kind);
		assert_int_equal(op.op.file, 22);
		request.reply.error = -EIO;
		request.handle = 0;
		request.about = NULL;
		op = through(&ring, &request, true);
		assert_int_equal(op.op.file, 11);
		assert_false(op.have & TRACE_HAVE(TRACE_HANDLE));
	}
	ring_done(&ring);
}

static void assert_hashes(const struct trace_op *op, const uint8_t *data, size_t len)
{
	const uint8_t *hash = op->text[TRACE_HASH].data;

	assert_true(op->have & TRACE_HAVE_TEXT(TRACE_HASH));
	assert_int_equal(op->text[TRACE_HASH].len, (len + 4095) / 4096 * 8);
	for (size_t at = 0; at < len; at += 4096) {
		uint64_t want = hash_xxh64(data + at, len - at < 4096 ? len - at : 4096, 0);

		for (unsigned int i = 0; i < 8; i++)
			assert_int_equal(*hash++, (want >> (8 * i)) & 0xff);
	}
}

static void data_is_hashed_in_blocks_as_far_as_it_was_moved(void **state)
{
	struct request request = request_of(OP_WRITE);
	uint8_t *data = malloc(20000);
	struct trace_op op;
	struct ring ring;

	assert_non_null(data);
	for (size_t i = 0; i < 20000; i++)
		data[i] = (uint8_t)(i * i >> 3);
	request.arg.write.data = (const char *)data;
	request.op.size = 20000;
	request.op.result = 10000;
	assert_int_equal(ring_init(&ring, 65536), 0);
	op = through(&ring, &request, true);
	assert_hashes(&op, data, 10000);
	op = through(&ring, &request, false);
	assert_false(op.have & TRACE_HAVE_TEXT(TRACE_HASH));
	request = request_of(OP_READ);
	request.reply.data = data;
	request.op.result = 8192;
	op = through(&ring, &request, true);
	assert_hashes(&op, data, 8192);
	request.op.result = 0;
	op = through(&ring, &request, true);
	assert_false(op.have & TRACE_HAVE_TEXT(TRACE_HASH));
	ring_done(&ring);
	free(data);
}

static void parked_requests_have_names_of_their_own(void **state)
{
	char name[] = "first", target[] = "second";
	struct request request = request_of(OP_SYMLINK);
	struct trace_op op;
	struct ring ring;

	request.arg.make.name = name;
	request.arg.make.target = target;
	assert_int_equal(request_keep(&request), 0);
	memset(name, 'x', sizeof(name) - 1);
	memset(target, 'x', sizeof(target) - 1);
	assert_int_equal(ring_init(&ring, 65536), 0);
	op = through(&ring, &request, false);
	assert_text(&op, TRACE_NAME, "first");
	assert_text(&op, TRACE_TARGET, "second");
	free(request.kept);
	request = request_of(OP_LINK);
	request.arg.rename.new_name = target;
	assert_int_equal(request_keep(&request), 0);
	assert_ptr_not_equal(request.arg.rename.new_name, target);
	assert_null(request.arg.rename.name);
	free(request.kept);
	request = request_of(OP_WRITE);
	request.arg.write.data = name;
	request.op.result = 3;
	assert_int_equal(request_keep(&request), 0);
	op = through(&ring, &request, true);
	assert_false(op.have & TRACE_HAVE_TEXT(TRACE_HASH));
	free(request.kept);
	ring_done(&ring);
}

static void names_of_callers_are_read(void **state)
{
	struct caller_name name;

	callers_parse("Name:\tdd\nUmask:\t0022\nState:\tR\nTgid:\t4242\nNgid:\t0\n", &name);
	assert_int_equal(name.process, 4242);
	assert_string_equal(name.comm, "dd");
	callers_parse("Name:\ta\\nb\\\\c Tgid:\nTgid:\t7\n", &name);
	assert_int_equal(name.process, 7);
	assert_string_equal(name.comm, "a\nb\\c Tgid:");
	callers_parse("Name:\tsixteen bytes long", &name);
	assert_memory_equal(name.comm, "sixteen bytes lo", 16);
	assert_int_equal(name.process, 0);
	callers_parse("", &name);
	assert_int_equal(name.comm[0], 0);
}

static void callers_are_looked_up_once_in_a_while(void **state)
{
	struct callers *callers = calloc(1, sizeof(*callers));
	struct caller_name name;

	assert_non_null(callers);
	for (uint64_t now_ns = 1; now_ns < 1000; now_ns++)
		callers_find(callers, getpid(), now_ns, &name);
	assert_int_equal(callers->looked, 1);
	assert_int_equal(name.process, getpid());
	callers_find(callers, getpid(), UINT64_C(2000000000), &name);
	assert_int_equal(callers->looked, 2);
	/* The kernel itself, and nobody. */
	callers_find(callers, 0, 5, &name);
	assert_int_equal(name.process, 0);
	assert_int_equal(callers->looked, 2);
	callers_find(callers, INT32_MAX, 5, &name);
	assert_int_equal(name.process, 0);
	assert_int_equal(name.comm[0], 0);
	free(callers);
}

static void hide(struct trace_hide *hide, const char *path, char *ret_text)
{
	struct trace_file named = {.path = {(const uint8_t *)path, strlen(path)}};

	trace_hide_file(hide, &named);
	assert_true(named.flags & TRACE_FILE_F_HASHED);
	memcpy(ret_text, named.path.data, named.path.len);
	ret_text[named.path.len] = '\0';
}

static void hidden_names_are_the_same_for_the_same_name(void **state)
{
	struct trace_hide mine, other;
	char a[256], b[256], c[256];
	struct trace_op op = {
		.have = TRACE_HAVE_TEXT(TRACE_NAME) | TRACE_HAVE_TEXT(TRACE_XATTR),
		.text = {[TRACE_NAME] = {(const uint8_t *)"two", 3},
			 [TRACE_XATTR] = {(const uint8_t *)"user.x", 6}},
	};

	trace_hide_init(&mine);
	trace_hide_init(&other);
	hide(&mine, "/one/two/one", a);
	hide(&mine, "/one", b);
	assert_int_equal(strlen(a), 3 * 17);
	assert_memory_equal(a, b, 17);
	assert_memory_equal(a + 34, b, 17);
	assert_memory_not_equal(a + 17, b, 17);
	hide(&other, "/one", c);
	assert_string_not_equal(b, c);
	hide(&mine, "/", b);
	assert_string_equal(b, "/");
	hide(&mine, "?", b);
	assert_string_equal(b, "?");
	hide(&mine, "../././x/", b);
	assert_memory_equal(b, "../././", 7);
	assert_int_equal(b[strlen(b) - 1], '/');
	trace_hide_op(&mine, &op);
	assert_int_equal(op.text[TRACE_NAME].len, 16);
	assert_memory_equal(op.text[TRACE_NAME].data, a + 18, 16);
	assert_memory_equal(op.text[TRACE_XATTR].data, "user.x", 6);
	trace_hide_done(&mine);
	trace_hide_done(&other);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("names, modes and attributes are packed",
		     names_modes_and_attributes_are_packed),
		TEST("renames have both names", renames_have_both_names),
		TEST("attributes that are set are packed", attributes_that_are_set_are_packed),
		TEST("locks say what was asked and what was there",
		     locks_say_what_was_asked_and_what_was_there),
		TEST("every kind of operation is packed", every_kind_of_operation_is_packed),
		TEST("data is hashed in blocks as far as it was moved",
		     data_is_hashed_in_blocks_as_far_as_it_was_moved),
		TEST("parked requests have names of their own",
		     parked_requests_have_names_of_their_own),
		TEST("names of callers are read", names_of_callers_are_read),
		TEST("callers are looked up once in a while",
		     callers_are_looked_up_once_in_a_while),
		TEST("hidden names are the same for the same name",
		     hidden_names_are_the_same_for_the_same_name),
	};

	return RUN(tests);
}
