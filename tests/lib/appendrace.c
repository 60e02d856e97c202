/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * appendrace WRITERS RECORDS FILE [FILE2]: do concurrent appenders lose records?
 *
 * WRITERS processes append RECORDS records of 96 bytes each; every second one through FILE2, which
 * is the same file by another way. Afterwards every record is there, once and whole.
 */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/tool.h"

#define RECORD 96

static void append_all(const char *path, unsigned int writer, unsigned int records)
{
	int fd = must(open(path, O_WRONLY | O_APPEND), path);
	char record[RECORD + 1], head[32];

	for (unsigned int i = 0; i < records; i++) {
		memset(record, 'a' + (int)writer % 26, RECORD);
		memcpy(record, head,
		       (size_t)snprintf(head, sizeof(head), "%06u %010u ", writer, i));
		record[RECORD - 1] = '\n';
		if (write(fd, record, RECORD) != RECORD)
			die("write");
	}
	must(close(fd), "close");
}

/* Counts each record that is whole; returns the number of those that are not. */
static uint64_t check(int fd, unsigned int writers, unsigned int records, unsigned char *seen)
{
	uint64_t broken = 0;
	char record[RECORD];
	ssize_t n;

	while ((n = must_long(read(fd, record, RECORD), "read")) > 0) {
		unsigned int writer, i;

		if (n != RECORD || record[RECORD - 1] != '\n' ||
		    sscanf(record, "%u %u", &writer, &i) != 2 || writer >= writers ||
		    i >= records || record[RECORD - 2] != 'a' + (int)writer % 26)
			broken++;
		else if (seen[writer * records + i]++)
			broken++;
	}
	return broken;
}

int main(int argc, char **argv)
{
	unsigned int writers, records;
	uint64_t missing = 0, broken;
	unsigned char *seen;
	int fd, status, failed = 0;

	if (argc < 4)
		return 2;
	writers = (unsigned int)number(argv[1]);
	records = (unsigned int)number(argv[2]);
	must(close(must(open(argv[3], O_CREAT | O_TRUNC | O_WRONLY, 0644), argv[3])), "close");
	for (unsigned int w = 0; w < writers; w++)
		if (must(fork(), "fork") == 0) {
			append_all(argv[argc > 4 && w % 2 ? 4 : 3], w, records);
			_exit(0);
		}
	for (unsigned int w = 0; w < writers; w++) {
		must(wait(&status), "wait");
		failed |= status;
	}
	seen = must_have(calloc(writers, records));
	fd = must(open(argv[3], O_RDONLY), argv[3]);
	broken = check(fd, writers, records, seen);
	for (size_t i = 0; i < (size_t)writers * records; i++)
		missing += !seen[i];
	printf("records %u missing %" PRIu64 " broken %" PRIu64 "\n", writers * records, missing,
	       broken);
	free(seen);
	return failed || missing || broken;
}
