/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fsoracle SEED OPS FILE: random operations on a file, each compared with the same one in memory.
 *
 * Reads, writes, maps, truncation, allocation, punching, copying, direct I/O and reopening at
 * random places; with ORACLE_DROP=1 the machine's caches are dropped now and then, with
 * ORACLE_UNMAPPED=1 nothing is mapped. At the first difference the last operations are printed, so
 * that the seed need not be run again.
 */
#include "config.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/tool.h"

#define MAX (768 * 1024)
#define LOG_SIZE 256

/* X(identifier, relative frequency) */
#define ACTION_TABLE(X)    \
	X(READ, 10)        \
	X(WRITE, 10)       \
	X(MAP_READ, 6)     \
	X(MAP_WRITE, 6)    \
	X(TRUNCATE, 3)     \
	X(PUNCH, 3)        \
	X(ZERO, 3)         \
	X(ALLOCATE, 2)     \
	X(COLLAPSE, 1)     \
	X(INSERT, 1)       \
	X(COPY, 4)         \
	X(DIRECT_READ, 4)  \
	X(DIRECT_WRITE, 4) \
	X(APPEND, 2)       \
	X(SYNC, 1)         \
	X(REOPEN, 2)       \
	X(SIZE, 3)         \
	X(DROP, 1)

enum action {
#define X(id, weight) ACTION_##id,
	ACTION_TABLE(X)
#undef X
		ACTIONS
};

static const char *const action_names[] = {
#define X(id, weight) #id,
	ACTION_TABLE(X)
#undef X
};

static unsigned int weights[] = {
#define X(id, weight) weight,
	ACTION_TABLE(X)
#undef X
};

struct entry {
	enum action action;
	uint64_t at, len, other, size;
};

struct oracle {
	struct rng rng;
	const char *path;
	int fd, direct;
	unsigned char *good, *buf; /* what the file should hold; both page-aligned */
	uint64_t size;
	struct entry log[LOG_SIZE];
	uint64_t ops;
};

static _Noreturn void mismatch(const struct oracle *o, const char *what, uint64_t at)
{
	uint64_t first = o->ops > LOG_SIZE ? o->ops - LOG_SIZE : 0;

	for (uint64_t i = first; i < o->ops; i++) {
		const struct entry *e = &o->log[i % LOG_SIZE];

		printf("# %6" PRIu64 " %-12s at %#" PRIx64 " len %#" PRIx64 " other %#" PRIx64
		       " size %#" PRIx64 "\n",
		       i, action_names[e->action], e->at, e->len, e->other, e->size);
	}
	printf("# operation %" PRIu64 ": %s at %#" PRIx64 " (%s)\n", o->ops - 1, what, at,
	       strerror(errno));
	exit(1);
}

static void expect(const struct oracle *o, bool ok, const char *what)
{
	if (!ok)
		mismatch(o, what, o->log[(o->ops - 1) % LOG_SIZE].at);
}

static void compare(const struct oracle *o, const unsigned char *got, uint64_t at, uint64_t len)
{
	if (memcmp(got, o->good + at, len) == 0)
		return;
	for (uint64_t i = 0; i < len; i++)
		if (got[i] != o->good[at + i]) {
			printf("# got %#x, not %#x\n", got[i], o->good[at + i]);
			mismatch(o, "wrong data", at + i);
		}
}

static void randomise(struct oracle *o, uint64_t len)
{
	unsigned char start = (unsigned char)rng_next(&o->rng);

	for (uint64_t i = 0; i < len; i++)
		o->buf[i] = (unsigned char)(start + i * 7 + (i >> 8));
}

static uint64_t end_of(const struct oracle *o, uint64_t at, uint64_t len)
{
	return at >= o->size ? at : at + len > o->size ? o->size : at + len;
}

static void open_files(struct oracle *o)
{
	o->fd = must(open(o->path, O_RDWR), o->path);
	o->direct = open(o->path, O_RDWR | O_DIRECT);
	if (o->direct < 0)
		weights[ACTION_DIRECT_READ] = weights[ACTION_DIRECT_WRITE] = 0;
}

static void close_files(struct oracle *o)
{
	must(close(o->fd), "close");
	if (o->direct >= 0)
		must(close(o->direct), "close");
}

static void do_read(struct oracle *o, int fd, const struct entry *e)
{
	uint64_t want = end_of(o, e->at, e->len) - e->at;

	expect(o, pread(fd, o->buf, e->len, (off_t)e->at) == (ssize_t)want, "short read");
	compare(o, o->buf, e->at, want);
}

static void stored(struct oracle *o, uint64_t at, uint64_t len)
{
	memcpy(o->good + at, o->buf, len);
	if (at + len > o->size)
		o->size = at + len;
}

static void do_write(struct oracle *o, int fd, const struct entry *e)
{
	randomise(o, e->len);
	expect(o, pwrite(fd, o->buf, e->len, (off_t)e->at) == (ssize_t)e->len, "short write");
	stored(o, e->at, e->len);
}

static void do_map(struct oracle *o, const struct entry *e, bool writes)
{
	uint64_t len = end_of(o, e->at, e->len) - e->at;
	unsigned char *p;

	if (len == 0)
		return;
	p = mmap(NULL, e->at + len, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED, o->fd, 0);
	expect(o, p != MAP_FAILED, "mmap");
	if (writes) {
		randomise(o, len);
		memcpy(p + e->at, o->buf, len);
		stored(o, e->at, len);
	} else {
		compare(o, p + e->at, e->at, len);
	}
	expect(o, munmap(p, e->at + len) == 0, "munmap");
}

static void do_truncate(struct oracle *o, const struct entry *e)
{
	expect(o, ftruncate(o->fd, (off_t)e->at) == 0, "ftruncate");
	if (e->at < o->size)
		memset(o->good + e->at, 0, o->size - e->at);
	o->size = e->at;
}

/* false when the file system does not have this mode: it is never tried again. */
static bool allocate(struct oracle *o, const struct entry *e, int mode)
{
	if (fallocate(o->fd, mode, (off_t)e->at, (off_t)e->len) == 0)
		return true;
	expect(o, errno == EOPNOTSUPP, "fallocate");
	weights[e->action] = 0;
	return false;
}

static void do_fallocate(struct oracle *o, const struct entry *e)
{
	uint64_t end = e->at + e->len, inside = end < o->size ? end : o->size;

	if (e->action == ACTION_ALLOCATE) {
		if (allocate(o, e, 0) && end > o->size)
			o->size = end;
	} else if (e->action == ACTION_PUNCH) {
		if (allocate(o, e, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE) && inside > e->at)
			memset(o->good + e->at, 0, inside - e->at);
	} else if (allocate(o, e, FALLOC_FL_ZERO_RANGE)) {
		memset(o->good + e->at, 0, e->len);
		if (end > o->size)
			o->size = end;
	}
}

static void do_shift(struct oracle *o, struct entry *e)
{
	const uint64_t block = 65536; /* more than any block size here, as both demand */

	e->at -= e->at % block;
	e->len = block;
	if (e->action == ACTION_COLLAPSE) {
		if (e->at + block >= o->size || !allocate(o, e, FALLOC_FL_COLLAPSE_RANGE))
			return;
		memmove(o->good + e->at, o->good + e->at + block, o->size - e->at - block);
		o->size -= block;
		memset(o->good + o->size, 0, block);
		return;
	}
	if (e->at >= o->size || o->size + block > MAX || !allocate(o, e, FALLOC_FL_INSERT_RANGE))
		return;
	memmove(o->good + e->at + block, o->good + e->at, o->size - e->at);
	memset(o->good + e->at, 0, block);
	o->size += block;
}

static void do_copy(struct oracle *o, const struct entry *e)
{
	uint64_t len = end_of(o, e->at, e->len) - e->at;
	off_t from = (off_t)e->at, to = (off_t)e->other;

	if (len == 0 || (e->other < e->at + len && e->at < e->other + len) || e->other + len > MAX)
		return;
	while (len > 0) {
		uint64_t source = (uint64_t)from, target = (uint64_t)to;
		ssize_t n = copy_file_range(o->fd, &from, o->fd, &to, len, 0);

		expect(o, n > 0, "copy_file_range");
		memmove(o->good + target, o->good + source, (size_t)n);
		if (target + (uint64_t)n > o->size)
			o->size = target + (uint64_t)n;
		len -= (uint64_t)n;
	}
}

static void do_append(struct oracle *o, struct entry *e)
{
	int fd = must(open(o->path, O_WRONLY | O_APPEND), o->path);

	e->at = o->size;
	e->len = e->len % 5000 + 1;
	if (o->size + e->len <= MAX)
		do_write(o, fd, e);
	must(close(fd), "close");
}

static void drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	if (fd >= 0) {
		must_long(write(fd, "3", 1), "drop_caches");
		close(fd);
	}
}

static void do_direct(struct oracle *o, struct entry *e)
{
	uint64_t end;

	e->at -= e->at % 4096;
	e->len = (e->len + 4095) & ~UINT64_C(4095);
	if (e->at + e->len > MAX)
		e->len = MAX - e->at;
	if (e->action == ACTION_DIRECT_WRITE) {
		do_write(o, o->direct, e);
		return;
	}
	/* XFS gives EIO where it has allocated room behind the end */
	end = end_of(o, e->at, e->len);
	e->len = end > e->at ? ((end + 4095) & ~UINT64_C(4095)) - e->at : 4096;
	do_read(o, o->direct, e);
}

static void act(struct oracle *o, struct entry *e)
{
	struct stat st;

	switch (e->action) {
	case ACTION_READ:
		do_read(o, o->fd, e);
		break;
	case ACTION_WRITE:
		do_write(o, o->fd, e);
		break;
	case ACTION_MAP_READ:
	case ACTION_MAP_WRITE:
		do_map(o, e, e->action == ACTION_MAP_WRITE);
		break;
	case ACTION_TRUNCATE:
		do_truncate(o, e);
		break;
	case ACTION_PUNCH:
	case ACTION_ZERO:
	case ACTION_ALLOCATE:
		do_fallocate(o, e);
		break;
	case ACTION_COLLAPSE:
	case ACTION_INSERT:
		do_shift(o, e);
		break;
	case ACTION_COPY:
		do_copy(o, e);
		break;
	case ACTION_DIRECT_READ:
	case ACTION_DIRECT_WRITE:
		do_direct(o, e);
		break;
	case ACTION_APPEND:
		do_append(o, e);
		break;
	case ACTION_SYNC:
		expect(o, fsync(o->fd) == 0, "fsync");
		break;
	case ACTION_REOPEN:
		close_files(o);
		open_files(o);
		break;
	case ACTION_SIZE:
		expect(o, fstat(o->fd, &st) == 0 && st.st_size == (off_t)o->size, "wrong size");
		break;
	default:
		drop_caches();
	}
}

static enum action choose(struct oracle *o)
{
	uint64_t total = 0, at;
	unsigned int action = 0;

	for (unsigned int i = 0; i < ACTIONS; i++)
		total += weights[i];
	for (at = rng_below(&o->rng, total); at >= weights[action]; action++)
		at -= weights[action];
	return (enum action)action;
}

static void step(struct oracle *o)
{
	struct entry *e = &o->log[o->ops++ % LOG_SIZE];

	e->action = choose(o);
	e->at = rng_below(&o->rng, MAX - 1);
	if (rng_below(&o->rng, 3) == 0)
		e->at = o->size > 5000 ? o->size - rng_below(&o->rng, 5000) : o->size;
	e->len = 1 + rng_below(&o->rng, rng_below(&o->rng, 4) ? 20000 : 140000);
	if (e->at + e->len > MAX)
		e->len = MAX - e->at;
	e->other = rng_below(&o->rng, MAX - 1);
	e->size = o->size;
	if (e->len > 0)
		act(o, e);
}

int main(int argc, char **argv)
{
	static struct oracle o;
	uint64_t ops;
	void *memory[2];

	if (argc != 4)
		return 2;
	o.rng.state = number(argv[1]);
	ops = number(argv[2]);
	o.path = argv[3];
	if (!getenv("ORACLE_DROP"))
		weights[ACTION_DROP] = 0;
	if (getenv("ORACLE_UNMAPPED"))
		weights[ACTION_MAP_READ] = weights[ACTION_MAP_WRITE] = 0;
	if (posix_memalign(&memory[0], 4096, MAX) || posix_memalign(&memory[1], 4096, MAX))
		die("memory");
	o.good = memory[0];
	o.buf = memory[1];
	memset(o.good, 0, MAX);
	must(close(must(open(o.path, O_CREAT | O_TRUNC | O_WRONLY, 0644), o.path)), "close");
	open_files(&o);
	while (o.ops < ops)
		step(&o);
	close_files(&o);
	open_files(&o);
	expect(&o, pread(o.fd, o.buf, MAX, 0) == (ssize_t)o.size, "size at the end");
	compare(&o, o.buf, 0, o.size);
	printf("operations %" PRIu64 " size %" PRIu64 "\n", o.ops, o.size);
	return 0;
}
