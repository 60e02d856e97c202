/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * knownload DIR: a load whose every request is known, and an independent count of it.
 *
 * Only calls that the kernel hands on one to one (with cache=none) are made. Each is counted here
 * as it returns, and the count printed, fields apart by tabs: "op NAME OPS ERRORS BYTES", "error
 * NAME ERRNO COUNT" and "file NAME CLASS OPS ERRORS BYTES", for what a mount has counted to be held
 * against.
 */
#include "config.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/lib/tool.h"

#define OPS_MAX 32
#define ROWS_MAX 64

struct row {
	char name[64];
	uint64_t ops, errors, bytes;
};

static struct row ops[OPS_MAX], errors[ROWS_MAX], files[ROWS_MAX];

static struct row *row_of(struct row *rows, size_t max, const char *name)
{
	for (size_t i = 0; i < max; i++) {
		if (!rows[i].name[0])
			snprintf(rows[i].name, sizeof(rows[i].name), "%s", name);
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	printf("# too many rows\n");
	exit(1);
}

static void add(struct row *row, long ret, uint64_t bytes)
{
	row->ops++;
	if (ret == -1)
		row->errors++;
	else
		row->bytes += bytes;
}

/* Counts a call that returned `ret`, for the operation and, when `file` is named, for its class. */
static long count(const char *op, const char *file, const char *class, long ret, bool moves)
{
	uint64_t bytes = moves && ret > 0 ? (uint64_t)ret : 0;
	char key[64];

	if (ret == -1) {
		snprintf(key, sizeof(key), "%s\t%d", op, errno);
		row_of(errors, ROWS_MAX, key)->ops++;
	}
	add(row_of(ops, OPS_MAX, op), ret, bytes);
	if (file) {
		snprintf(key, sizeof(key), "%s\t%s", file, class);
		add(row_of(files, ROWS_MAX, key), ret, bytes);
	}
	return ret;
}

#define READ(file, call) count("read", file, "read", (call), true)
#define WRITE(file, call) count("write", file, "write", (call), true)
#define META(op, call) count(op, NULL, NULL, (call), false)

/* Every size from 1 byte to 1 MiB by powers of two, a few times each. */
static void data_file(const char *name, int rounds)
{
	const size_t max = (size_t)1 << 20;
	void *memory = NULL;
	char *buf;
	int fd = (int)META("create", open(name, O_RDWR | O_CREAT | O_EXCL, 0644));

	if (posix_memalign(&memory, 4096, max)) /* a request is at most 1 MiB of whole pages */
		die("memory");
	buf = memory;
	memset(buf, 'k', max);
	for (int round = 0; round < rounds; round++)
		for (size_t size = 1; size <= max; size *= 2) {
			WRITE(name, pwrite(fd, buf, size, (off_t)size));
			READ(name, pread(fd, buf, size, (off_t)size));
			READ(name,
			     pread(fd, buf, 100, 4 * (off_t)max)); /* behind the end: 0 bytes */
		}
	META("fsync", fsync(fd));
	META("fsync", fdatasync(fd));
	count("fallocate", name, "write", fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 65536), false);
	close(fd);
	free(buf);
}

static void names(void)
{
	char name[32], other[32];

	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		META("mkdir", mkdir(name, 0755));
		snprintf(other, sizeof(other), "d%d/s", i);
		META("symlink", symlink("target", other));
		META("rmdir", rmdir(name)); /* ENOTEMPTY */
		META("unlink", unlink(other));
		snprintf(other, sizeof(other), "e%d", i);
		META("rename", rename(name, other));
		META("rmdir", rmdir(other));
		META("mknod", mkfifo(name, 0600));
		META("link", link(name, other));
		META("unlink", unlink(name));
		META("unlink", unlink(other));
	}
}

static void attributes(const char *name)
{
	char buf[64];

	for (int i = 0; i < 30; i++) {
		META("setxattr", setxattr(name, "user.known", "value", 5, 0));
		META("setxattr", setxattr(name, "user.known", "v", 1, XATTR_CREATE)); /* EEXIST */
		/* no getxattr: the kernel asks for ACLs and capabilities by itself */
		META("listxattr", listxattr(name, buf, sizeof(buf)));
		META("removexattr", removexattr(name, "user.known"));
		META("removexattr", removexattr(name, "user.known")); /* ENODATA */
	}
}

static void copies(void)
{
	off_t from = 0, to = 0;
	int in = open("source", O_RDONLY),
	    out = (int)META("create", open("copy", O_RDWR | O_CREAT, 0644));

	for (int i = 0; i < 10; i++) {
		count("copy_file_range", NULL, NULL, copy_file_range(in, &from, out, &to, 4096, 0),
		      true);
		META("lseek", lseek(out, 0, SEEK_DATA));
	}
	META("lseek", lseek(out, (off_t)1 << 30, SEEK_DATA)); /* ENXIO */
	close(in);
	close(out);
}

static void print(const char *kind, const struct row *rows, size_t max)
{
	for (size_t i = 0; i < max && rows[i].name[0]; i++) {
		if (strcmp(kind, "error") == 0)
			printf("error\t%s\t%" PRIu64 "\n", rows[i].name, rows[i].ops);
		else
			printf("%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", kind,
			       rows[i].name, rows[i].ops, rows[i].errors, rows[i].bytes);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	must(chdir(argv[1]), argv[1]);
	data_file("a", 1);
	data_file("b", 3);
	data_file("source", 1);
	data_file("name with \"quotes\"", 2);
	names();
	attributes("a");
	copies();
	print("op", ops, OPS_MAX);
	print("error", errors, ROWS_MAX);
	print("file", files, ROWS_MAX);
	return 0;
}
