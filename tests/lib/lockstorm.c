/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lockstorm flock|record PROCESSES ROUNDS DIR: do blocking locks exclude, and leave others alone?
 *
 * PROCESSES wait for one lock, count up a number in the file under it (which only comes out right
 * when they exclude each other) and hold it a little; meanwhile names elsewhere are looked up.
 * Prints JSON: the count, and how long the look-ups took.
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/tool.h"

#define SAMPLES_MAX 100000

static void lock(int fd, int record, int type)
{
	struct flock fl = {.l_type = (short)type, .l_whence = SEEK_SET};

	if (record)
		must(fcntl(fd, F_SETLKW, &fl), "F_SETLKW");
	else
		must(flock(fd, type == F_UNLCK ? LOCK_UN : LOCK_EX), "flock");
}

static void count_up(int record, uint64_t rounds)
{
	const struct timespec hold = {0, 1000000};
	int fd = must(open("counter", O_RDWR), "counter");
	uint64_t value;

	for (uint64_t i = 0; i < rounds; i++) {
		lock(fd, record, F_WRLCK);
		if (pread(fd, &value, sizeof(value), 0) != sizeof(value))
			die("pread");
		nanosleep(&hold, NULL);
		value++;
		if (pwrite(fd, &value, sizeof(value), 0) != sizeof(value))
			die("pwrite");
		lock(fd, record, F_UNLCK);
	}
	_exit(0);
}

/* Looks up names that nobody knows yet, so that each one reaches the file system. */
static size_t probe(uint64_t *samples)
{
	size_t n = 0;
	int status;
	struct stat st;
	char name[48];

	for (;;) {
		uint64_t start = now_ns();
		pid_t ended;

		snprintf(name, sizeof(name), "elsewhere/none-%zu", n);
		if (stat(name, &st) == 0 || errno != ENOENT)
			die("stat elsewhere");
		if (n < SAMPLES_MAX)
			samples[n++] = now_ns() - start;
		ended = waitpid(-1, &status, WNOHANG);
		if (ended < 0)
			return n;
		if (ended > 0 && status != 0) {
			printf("# a process failed\n");
			kill(0, SIGTERM);
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t processes, rounds, value = 0, *samples;
	int fd, record;
	size_t n;

	if (argc != 5)
		return 2;
	record = strcmp(argv[1], "record") == 0;
	processes = number(argv[2]);
	rounds = number(argv[3]);
	must(chdir(argv[4]), argv[4]);
	if (mkdir("elsewhere", 0755) != 0 && errno != EEXIST)
		die("elsewhere");
	fd = must(open("counter", O_RDWR | O_CREAT, 0644), "counter");
	must_long(pwrite(fd, &value, sizeof(value), 0), "pwrite");
	for (uint64_t i = 0; i < processes; i++)
		if (must(fork(), "fork") == 0)
			count_up(record, rounds);
	samples = must_have(calloc(SAMPLES_MAX, sizeof(*samples)));
	n = probe(samples);
	must_long(pread(fd, &value, sizeof(value), 0), "pread");
	qsort(samples, n, sizeof(*samples), compare_u64);
	printf("{\"count\": %" PRIu64 ", \"expected\": %" PRIu64 ", \"stat_samples\": %zu, "
	       "\"stat_p99_us\": %" PRIu64 ", \"stat_max_us\": %" PRIu64 "}\n",
	       value, processes * rounds, n, percentile(samples, n, 99) / 1000,
	       percentile(samples, n, 100) / 1000);
	free(samples);
	return value != processes * rounds;
}
