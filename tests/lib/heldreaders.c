/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heldreaders readers THREADS SECONDS DIR          how many reads a second, and how long each takes
 * heldreaders writers THREADS SECONDS DIR OTHER    the same for writes, while new names are looked
 *                                                  up in OTHER: how long these take
 *
 * Direct I/O of 4 KiB, a file a thread. Prints JSON.
 */
#include "config.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/tool.h"

#define SIZE 4096
#define SAMPLES 20000

struct worker {
	pthread_t thread;
	int fd;
	int writes;
	size_t n;
	uint64_t samples[SAMPLES];
};

static atomic_bool stop;
static uint64_t machine_late[SAMPLES]; /* how late this machine wakes a thread that sleeps */
static size_t machine_samples;
static atomic_uint started;

static void *work(void *arg)
{
	struct worker *worker = arg;
	void *buf = NULL;

	if (posix_memalign(&buf, SIZE, SIZE) != 0)
		die("memory");
	memset(buf, 'h', SIZE);
	atomic_fetch_add(&started, 1);
	while (!atomic_load(&stop)) {
		uint64_t start = now_ns();
		ssize_t done = worker->writes ? pwrite(worker->fd, buf, SIZE, 0)
					      : pread(worker->fd, buf, SIZE, 0);

		if (done != SIZE)
			die(worker->writes ? "pwrite" : "pread");
		if (worker->n < SAMPLES)
			worker->samples[worker->n++] = now_ns() - start;
	}
	free(buf);
	return NULL;
}

static void *sleep_and_see(void *arg)
{
	uint64_t due = now_ns();

	(void)arg;
	while (!atomic_load(&stop) && machine_samples < SAMPLES) {
		struct timespec ts;

		due += 5000000;
		ts = (struct timespec){(time_t)(due / 1000000000), (long)(due % 1000000000)};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		machine_late[machine_samples++] = now_ns() - due;
		due = now_ns();
	}
	return NULL;
}

static int open_file(const char *dir, size_t i)
{
	static char page[SIZE];
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/held-%zu", dir, i);
	fd = must(open(path, O_RDWR | O_CREAT, 0644), path);
	if (pwrite(fd, page, SIZE, 0) != SIZE)
		die("pwrite");
	must(fsync(fd), "fsync");
	must(close(fd), "close");
	fd = open(path, O_RDWR | O_DIRECT);
	return fd >= 0 ? fd : must(open(path, O_RDWR), path);
}

/* Looks new names up until the time is over; gives the sorted times it took. */
static size_t look_up(const char *dir, uint64_t until, uint64_t *samples)
{
	size_t n = 0;

	while (now_ns() < until) {
		uint64_t start = now_ns();
		char path[4096];
		struct stat st;

		snprintf(path, sizeof(path), "%s/none-%zu", dir, n);
		if (stat(path, &st) == 0 || errno != ENOENT)
			die(path);
		if (n < SAMPLES)
			samples[n++] = now_ns() - start;
	}
	qsort(samples, n, sizeof(*samples), compare_u64);
	return n;
}

static void sleep_until(uint64_t until)
{
	while (now_ns() < until) {
		const struct timespec pause = {0, 5000000};

		nanosleep(&pause, NULL);
	}
}

static uint64_t *all_samples(const struct worker *workers, size_t threads, size_t *ret_n)
{
	uint64_t *all = must_have(malloc(threads * SAMPLES * sizeof(*all)));
	size_t n = 0;

	for (size_t i = 0; i < threads; i++) {
		memcpy(all + n, workers[i].samples, workers[i].n * sizeof(*all));
		n += workers[i].n;
	}
	qsort(all, n, sizeof(*all), compare_u64);
	*ret_n = n;
	return all;
}

int main(int argc, char **argv)
{
	struct worker *workers;
	size_t threads, n, stats = 0;
	uint64_t start, end, *all, *stat_samples = must_have(calloc(SAMPLES, sizeof(uint64_t)));
	pthread_t sleeper;
	int writes;

	if (argc < 5)
		return 2;
	writes = strcmp(argv[1], "writers") == 0;
	threads = number(argv[2]);
	workers = must_have(calloc(threads, sizeof(*workers)));
	for (size_t i = 0; i < threads; i++) {
		workers[i].fd = open_file(argv[4], i);
		workers[i].writes = writes;
	}
	start = now_ns();
	end = start + number(argv[3]) * UINT64_C(1000000000);
	for (size_t i = 0; i < threads; i++)
		start_thread(&workers[i].thread, work, &workers[i]);
	start_thread(&sleeper, sleep_and_see, NULL);
	if (argc > 5)
		stats = look_up(argv[5], end, stat_samples);
	sleep_until(end);
	atomic_store(&stop, true);
	for (size_t i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_join(sleeper, NULL);
	qsort(machine_late, machine_samples, sizeof(uint64_t), compare_u64);
	end = now_ns();
	all = all_samples(workers, threads, &n);
	printf("{\"ops\": %zu, \"per_second\": %.0f, \"p50_us\": %" PRIu64 ", \"p99_us\": %" PRIu64
	       ", \"min_us\": %" PRIu64 ", \"stat_samples\": %zu, \"stat_p50_us\": %" PRIu64
	       ", \"stat_p99_us\": %" PRIu64 ", \"stat_max_us\": %" PRIu64
	       ", \"machine_late_p99_us\": %" PRIu64 "}\n",
	       n, (double)n * 1e9 / (double)(end - start), percentile(all, n, 50) / 1000,
	       percentile(all, n, 99) / 1000, n ? all[0] / 1000 : 0, stats,
	       percentile(stat_samples, stats, 50) / 1000,
	       percentile(stat_samples, stats, 99) / 1000,
	       percentile(stat_samples, stats, 100) / 1000,
	       percentile(machine_late, machine_samples, 99) / 1000);
	return 0;
}
