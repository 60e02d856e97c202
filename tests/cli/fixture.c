// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For the tests of the tool: snapshots with known numbers, and a mount's control socket without
 * a mount.
 *
 *   fixture snapshot NAME             writes the snapshot to the standard output
 *   fixture serve SOCKET LOG FILE..   answers on SOCKET; each request goes to LOG as a line; the
 *                                     n-th "snapshot" gets the n-th FILE, then the daemon is gone
 *   fixture hang SOCKET               takes connections and never answers
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/bytes.h"
#include "core/summary.h"
#include "trace/snapshot.h"

static void check(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

/* --- snapshots ----------------------------------------------------------------------------- */

static struct hist *need_hist(struct hist **slot, uint32_t bits)
{
	if (!*slot)
		*slot = hist_new(bits);
	check(*slot != NULL, "hist");
	return *slot;
}

/* n operations that take 1, 2, .. n times step_ns, half of it for the storage. */
static void add_ops(struct summary *summary, enum op_kind kind, unsigned int n, uint64_t step_ns,
		    uint64_t bytes)
{
	struct op_summary *op = &summary->op[kind];

	op->ops += n;
	op->bytes += n * bytes;
	if (bytes)
		op->size[summary_size_bucket(bytes)] += n;
	for (unsigned int i = 1; i <= n; i++) {
		hist_record(need_hist(&op->dur[DUR_TOTAL], HIST_OP_BITS), i * step_ns);
		hist_record(need_hist(&op->dur[DUR_SERVICE], HIST_OP_BITS), i * step_ns / 2);
	}
}

static void add_error(struct summary *summary, enum op_kind kind, uint32_t error, uint64_t count)
{
	struct error_summary *row = summary_add_error(summary);

	check(row != NULL, "error");
	*row = (struct error_summary){kind, error, count};
	summary->op[kind].errors += count;
}

static struct file_summary *add_file(struct summary *summary, uint64_t id, const char *path)
{
	struct file_summary *file = summary_add_file(summary);

	check(file != NULL, "file");
	file->id = id;
	file->dev = 2049;
	file->ino = 1000 + id;
	file->names = 1;
	file->files = 1;
	file->path = strdup(path);
	file->first_ns = UINT64_C(1700000000000000000);
	file->last_ns = UINT64_C(1700000001000000000) + id;
	return file;
}

static void add_class(struct file_summary *file, enum op_class class, unsigned int n,
		      uint64_t each_ns, uint64_t bytes)
{
	struct class_summary *row = &file->class[class];

	row->ops += n;
	row->bytes += n * bytes;
	if (class == OP_CLASS_READ || class == OP_CLASS_WRITE)
		file->size[summary_size_bucket(bytes)] += n;
	for (unsigned int i = 0; i < n; i++)
		hist_record(need_hist(&row->dur[DUR_TOTAL], HIST_FILE_BITS), each_ns);
}

static void add_about(struct summary *summary, uint64_t uptime_ns)
{
	summary_add_property(summary, "mountpoint", "/fixture");
	summary_add_property(summary, "source", "/real \xff\n");
	summary_add_property(summary, "version", "9.9.9");
	summary_add_property(summary, "cache", "auto");
	summary_add_counter(summary, "pid", 4242);
	summary_add_counter(summary, "uptime_ns", uptime_ns);
	summary_add_counter(summary, "since_reset_ns", uptime_ns);
	summary_add_counter(summary, "inflight", 3);
	summary_add_counter(summary, "held", 2);
	summary_add_counter(summary, "held_bytes", 8192);
	summary_add_counter(summary, "large", UINT64_MAX);
}

/* The file names that have broken other tools. */
static void make_awkward(struct summary *summary)
{
	static const char *const paths[] = {
		"/plain.db",    "/two\nlines",           "/not\xff\xfeutf8",    "/say \"hi\"",
		"/back\\slash", "/esc\033[31mred\a\x7f", "/gr\xc3\xbc\xc3\x9f", "/\xe2\x80\xaegpj",
	};
	struct file_summary *other;

	add_about(summary, UINT64_C(93784000000000));
	add_ops(summary, OP_READ, 1000, 1000, 4096);
	add_ops(summary, OP_WRITE, 50, 100000, 65536);
	add_ops(summary, OP_LOOKUP, 5, 2000, 0);
	add_error(summary, OP_LOOKUP, ENOENT, 3);
	add_error(summary, OP_WRITE, ENOSPC, 2);
	add_error(summary, OP_WRITE, 3999, 1);
	for (unsigned int i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct file_summary *file = add_file(summary, i + 1, paths[i]);

		add_class(file, OP_CLASS_READ, 100 - i * 10, 5000, 4096);
		file->sequential = (100 - i * 10) / 2;
		file->flags = i == 1 ? FILE_F_DELETED : 0;
		file->names = i == 2 ? 3 : 1;
	}
	add_class(&summary->files[0], OP_CLASS_WRITE, 4, 1000000, 65536);
	summary->files[0].class[OP_CLASS_WRITE].errors = 3;
	other = add_file(summary, 0, "");
	other->flags = FILE_F_OTHER;
	other->files = 1234;
	add_class(other, OP_CLASS_META, 2000, 7000, 0);
}

/* A second and a third interval after "awkward". */
static void make_later(struct summary *summary, unsigned int intervals)
{
	make_awkward(summary);
	for (size_t i = 0; i < summary->counter_count; i++) {
		if (strstr(summary->counters[i].name, "_ns"))
			summary->counters[i].value += intervals * UINT64_C(2000000000);
	}
	for (unsigned int i = 0; i < intervals; i++) {
		add_ops(summary, OP_READ, 200, 50000, 4096);
		add_class(&summary->files[2], OP_CLASS_READ, 200, 50000, 4096);
	}
}

static void make_held(struct summary *summary)
{
	struct hist **slot = &summary->op[OP_READ].dur[DUR_HOLD];

	make_awkward(summary);
	for (unsigned int i = 0; i < 1000; i++)
		hist_record(need_hist(slot, HIST_OP_BITS), 20000000);
}

static void make_many(struct summary *summary)
{
	char path[32];

	add_about(summary, 1000000000);
	for (unsigned int i = 0; i < 5000; i++) {
		snprintf(path, sizeof(path), "/dir/file-%05u", i);
		add_class(add_file(summary, i + 1, path), OP_CLASS_READ, 1, 1000 + i, 512);
	}
}

static int write_snapshot(const char *name)
{
	struct bytes out = {0};
	struct summary summary;

	summary_init(&summary);
	if (!strcmp(name, "awkward"))
		make_awkward(&summary);
	else if (!strcmp(name, "later"))
		make_later(&summary, 1);
	else if (!strcmp(name, "latest"))
		make_later(&summary, 2);
	else if (!strcmp(name, "held"))
		make_held(&summary);
	else if (!strcmp(name, "many"))
		make_many(&summary);
	else if (strcmp(name, "empty") != 0)
		return 2;
	snapshot_encode(&summary, &out);
	check(!out.failed && fwrite(out.data, 1, out.len, stdout) == out.len, "write");
	bytes_done(&out);
	summary_done(&summary);
	return 0;
}

/* --- a daemon's socket --------------------------------------------------------------------- */

/* Appears under its name only when it listens, so that a test can wait for it. */
static int listen_on(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	check(fd >= 0, "socket");
	check(strlen(path) + 5 < sizeof(address.sun_path), "length of the path");
	snprintf(address.sun_path, sizeof(address.sun_path), "%s.new", path);
	unlink(address.sun_path);
	check(!bind(fd, (struct sockaddr *)&address, sizeof(address)), "bind");
	check(!listen(fd, 8), "listen");
	check(!rename(address.sun_path, path), "rename");
	return fd;
}

static void send_text(int fd, const char *text)
{
	check(send(fd, text, strlen(text), MSG_NOSIGNAL) >= 0, "send");
}

static void send_file(int fd, const char *path)
{
	char data[4096];
	int in = open(path, O_RDONLY);
	ssize_t n;

	check(in >= 0, path);
	send_text(fd, "ok\n");
	while ((n = read(in, data, sizeof(data))) > 0)
		check(send(fd, data, (size_t)n, MSG_NOSIGNAL) == n, "send");
	close(in);
}

static int serve(const char *socket_path, const char *log_path, char **files)
{
	int listener = listen_on(socket_path);
	FILE *log = fopen(log_path, "a");

	check(log != NULL, log_path);
	while (*files) {
		int fd = accept(listener, NULL, NULL);
		char line[4096] = "";
		ssize_t n = fd < 0 ? -1 : recv(fd, line, sizeof(line) - 1, 0);

		check(n >= 0, "recv");
		fprintf(log, "%.*s", (int)n, line);
		fflush(log);
		if (!strncmp(line, "snapshot", 8))
			send_file(fd, *files++);
		else if (!strncmp(line, "delay set bad", 13))
			send_text(fd, "error 22 rule 1: no operation 'bad'\n");
		else if (!strncmp(line, "log", 3))
			send_text(fd, "error 1 \n");
		else
			send_text(fd, "ok\n");
		close(fd);
	}
	unlink(socket_path);
	return 0;
}

static int hang(const char *socket_path)
{
	listen_on(socket_path);
	pause();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "snapshot"))
		return write_snapshot(argv[2]);
	if (argc > 4 && !strcmp(argv[1], "serve"))
		return serve(argv[2], argv[3], argv + 4);
	if (argc == 3 && !strcmp(argv[1], "hang"))
		return hang(argv[2]);
	fputs("usage: fixture snapshot NAME | serve SOCKET LOG FILE.. | hang SOCKET\n", stderr);
	return 2;
}
