/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench [OPTIONS] LOAD NAME=DIR,BACK[,PID]...: one load on several targets in turn; the first is
 * what the others are compared with.
 *
 *   -r ROUNDS   turns of all targets [10]
 *   -t MS       a slot's time [40]
 *   -c CPU      single-threaded loads: this program and the daemons (PID) stay on this CPU
 *   -f          not so: they run anywhere
 *   -n COUNT    exactly COUNT operations on the only target, between two lines from standard input
 *               ("ready" is printed before the first, "done N" before the second)
 *   -x COMMAND  LOAD is only a label: run this with sh; -b before, -a after it, not timed.
 *               $D is the directory, $B the same natively.
 *
 * A line a target, tab-separated: load, target, operations, p50 ns, p99 ns, operations/s, CPU ns an
 * operation of the client and of the daemon, and relative to the first target, as medians over the
 * rounds: p50, operations/s, CPU.
 */
#include "config.h"

#include "tests/perf/bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define TARGETS_MAX 16
#define THREADS_MAX 16
#define BUFFER_SIZE (4 * MIB)

struct round {
	double p50_ns;
	double rate;
	double cpu_ns; /* of one operation, client and daemon */
};

struct target {
	char *name;
	char *dir;
	char *back;
	pid_t daemon; /* or 0 */
	struct lane lane[THREADS_MAX];
	struct round *round;
	uint64_t *sample; /* of all rounds */
	size_t samples;
	size_t room;
	double busy_ns;
	double client_ns;
	double daemon_ns;
};

struct bench {
	const struct load *load;
	const char *label;
	uint32_t rounds;
	uint64_t slot_ns;
	uint32_t count;
	int cpu;
	struct target target[TARGETS_MAX];
	uint32_t targets;
	pthread_barrier_t barrier;
};

/* --- CPU time and affinity ------------------------------------------------------------------ */

static double client_cpu_ns(void)
{
	struct timespec own;
	struct rusage children;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return (double)own.tv_sec * 1e9 + (double)own.tv_nsec +
	       1e9 * (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
	       1e3 * (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec);
}

/* Calls the function for every thread of the process; gives the sum of what it returns. */
static double each_thread(pid_t pid, double (*call)(const char *tid, const char *dir, int arg),
			  int arg)
{
	char path[64];
	const struct dirent *entry;
	double sum = 0;
	DIR *dir;

	if (!pid)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = must_have(opendir(path));
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			sum += call(entry->d_name, path, arg);
	}
	closedir(dir);
	return sum;
}

static double thread_cpu_ns(const char *tid, const char *dir, int arg)
{
	char path[400], text[64];
	ssize_t len;
	int fd;

	(void)arg;
	snprintf(path, sizeof(path), "%s/%s/schedstat", dir, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return strtod(text, NULL);
}

static double pin_thread(const char *tid, const char *dir, int cpu)
{
	cpu_set_t set;

	(void)dir;
	CPU_ZERO(&set);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (cpu < 0 || i == cpu)
			CPU_SET((size_t)i, &set);
	}
	sched_setaffinity((pid_t)strtol(tid, NULL, 10), sizeof(set), &set);
	return 0;
}

/* cpu < 0: anywhere */
static void pin_all(struct bench *bench, int cpu)
{
	each_thread(getpid(), pin_thread, cpu);
	for (uint32_t i = 0; i < bench->targets; i++)
		each_thread(bench->target[i].daemon, pin_thread, cpu);
}

/* --- one slot ------------------------------------------------------------------------------- */

static void run_lane(struct lane *lane)
{
	const struct load *load = lane->load;
	uint64_t start = now_ns(), last = start, end = start + lane->slot_ns;

	for (lane->done = 0; lane->done < lane->limit;) {
		uint64_t now;

		load->op(lane, lane->done);
		now = now_ns();
		lane->sample[lane->done++] = now - last;
		last = now;
		if (!load->whole && now >= end)
			break;
	}
}

struct thread_arg {
	struct lane *lane;
	pthread_barrier_t *barrier;
};

static void *lane_main(void *arg)
{
	const struct thread_arg *thread = arg;

	pthread_barrier_wait(thread->barrier);
	run_lane(thread->lane);
	return NULL;
}

static void run_lanes(struct bench *bench, struct target *target, uint32_t threads)
{
	pthread_t thread[THREADS_MAX];
	struct thread_arg arg[THREADS_MAX];

	if (threads == 1) {
		run_lane(&target->lane[0]);
		return;
	}
	must(pthread_barrier_init(&bench->barrier, NULL, threads + 1), "barrier");
	for (uint32_t i = 0; i < threads; i++) {
		arg[i] = (struct thread_arg){&target->lane[i], &bench->barrier};
		start_thread(&thread[i], lane_main, &arg[i]);
	}
	pthread_barrier_wait(&bench->barrier);
	for (uint32_t i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&bench->barrier);
}

static uint32_t threads_of(const struct bench *bench)
{
	return bench->load->threads ? bench->load->threads : 1;
}

static size_t keep_samples(struct target *target, uint32_t threads)
{
	size_t n = 0, from = target->samples;

	for (uint32_t i = 0; i < threads; i++)
		n += target->lane[i].done;
	if (target->samples + n > target->room) {
		target->room = 2 * (target->samples + n);
		target->sample =
			must_have(reallocarray(target->sample, target->room, sizeof(uint64_t)));
	}
	for (uint32_t i = 0; i < threads; i++) {
		memcpy(target->sample + target->samples, target->lane[i].sample,
		       target->lane[i].done * sizeof(uint64_t));
		target->samples += target->lane[i].done;
	}
	qsort(target->sample + from, n, sizeof(uint64_t), compare_u64);
	return n;
}

static void run_slot(struct bench *bench, struct target *target, struct round *ret_round)
{
	const struct load *load = bench->load;
	uint32_t threads = threads_of(bench);
	double client_ns, daemon_ns, busy_ns;
	size_t from = target->samples, n;

	if (load->before)
		load->before(&target->lane[0]);
	client_ns = client_cpu_ns();
	daemon_ns = each_thread(target->daemon, thread_cpu_ns, 0);
	busy_ns = (double)now_ns();
	run_lanes(bench, target, threads);
	busy_ns = (double)now_ns() - busy_ns;
	daemon_ns = each_thread(target->daemon, thread_cpu_ns, 0) - daemon_ns;
	client_ns = client_cpu_ns() - client_ns;
	if (load->after)
		load->after(&target->lane[0]);
	n = keep_samples(target, threads);
	ret_round->p50_ns = (double)percentile(target->sample + from, n, 50);
	ret_round->rate = (double)n * 1e9 / busy_ns;
	ret_round->cpu_ns = (client_ns + daemon_ns) / (double)n;
	target->busy_ns += busy_ns;
	target->client_ns += client_ns;
	target->daemon_ns += daemon_ns;
}

/* --- everything ----------------------------------------------------------------------------- */

static void *populated(size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (map == MAP_FAILED)
		die("memory");
	memset(map, 'w', size);
	return map;
}

static void open_lanes(struct bench *bench, struct target *target)
{
	for (uint32_t i = 0; i < threads_of(bench); i++) {
		struct lane *lane = &target->lane[i];

		*lane = (struct lane){.load = bench->load,
				      .dir = target->dir,
				      .back = target->back};
		lane->native = !strcmp(lane->dir, lane->back);
		lane->dir_fd = must(open(lane->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), lane->dir);
		lane->buffer = populated(BUFFER_SIZE);
		lane->rng.state = i + 1;
		lane->limit = bench->count ? bench->count : bench->load->limit;
		lane->slot_ns = bench->count ? UINT64_MAX / 2 : bench->slot_ns;
		lane->sample = populated(lane->limit * sizeof(uint64_t));
		bench->load->start(lane);
	}
	target->round = must_have(calloc(bench->rounds, sizeof(*target->round)));
}

static int compare_double(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

enum figure { P50, RATE, CPU };

static double figure_of(const struct round *round, enum figure figure)
{
	return figure == P50 ? round->p50_ns : figure == RATE ? round->rate : round->cpu_ns;
}

/* The median over the rounds of this target's figure by the first target's. */
static double ratio(const struct bench *bench, const struct target *target, enum figure figure)
{
	double *each = must_have(calloc(bench->rounds, sizeof(*each)));
	double median;

	for (uint32_t i = 0; i < bench->rounds; i++)
		each[i] = figure_of(&target->round[i], figure) /
			  figure_of(&bench->target[0].round[i], figure);
	qsort(each, bench->rounds, sizeof(*each), compare_double);
	median = (each[(bench->rounds - 1) / 2] + each[bench->rounds / 2]) / 2;
	free(each);
	return median;
}

static void report(const struct bench *bench, struct target *target)
{
	double n = (double)target->samples;

	qsort(target->sample, target->samples, sizeof(uint64_t), compare_u64);
	printf("%s\t%s\t%zu\t%llu\t%llu\t%.0f\t%.0f\t%.0f\t%.4f\t%.4f\t%.4f\n", bench->label,
	       target->name, target->samples,
	       (unsigned long long)percentile(target->sample, target->samples, 50),
	       (unsigned long long)percentile(target->sample, target->samples, 99),
	       n * 1e9 / target->busy_ns, target->client_ns / n, target->daemon_ns / n,
	       ratio(bench, target, P50), ratio(bench, target, RATE), ratio(bench, target, CPU));
}

static void compare_targets(struct bench *bench)
{
	bool pin = bench->cpu >= 0 && bench->load->threads == 1;

	if (pin)
		pin_all(bench, bench->cpu);
	for (uint32_t round = 0; round < bench->rounds; round++) {
		/* Every other round the other way round, so that nobody always follows the same
		 * one. */
		for (uint32_t i = 0; i < bench->targets; i++) {
			struct target *target =
				&bench->target[round % 2 ? bench->targets - 1 - i : i];

			run_slot(bench, target, &target->round[round]);
		}
	}
	if (pin)
		pin_all(bench, -1);
	for (uint32_t i = 0; i < bench->targets; i++)
		report(bench, &bench->target[i]);
}

static void wait_for_line(void)
{
	fflush(stdout);
	while (getchar() != '\n' && !feof(stdin))
		;
}

static void count_one(struct bench *bench)
{
	struct target *target = &bench->target[0];
	const struct load *load = bench->load;

	if (load->before)
		load->before(&target->lane[0]);
	printf("ready\n");
	wait_for_line();
	run_lanes(bench, target, threads_of(bench));
	printf("done %u\n", bench->count * threads_of(bench));
	wait_for_line();
	if (load->after)
		load->after(&target->lane[0]);
}

/* --- command line --------------------------------------------------------------------------- */

static void add_target(struct bench *bench, char *text)
{
	struct target *target = &bench->target[bench->targets];
	char *rest = strchr(text, '=');

	if (!rest || bench->targets == TARGETS_MAX)
		exit(2);
	*rest++ = '\0';
	target->name = text;
	target->dir = strsep(&rest, ",");
	target->back = strsep(&rest, ",");
	if (!target->back)
		exit(2);
	if (rest)
		target->daemon = (pid_t)number(rest);
	bench->targets++;
}

static const struct load *find_load(const char *name)
{
	if (commands.run)
		return &command_load;
	for (const struct load *load = loads; load->name; load++) {
		if (!strcmp(load->name, name))
			return load;
	}
	printf("# no load %s; there are:", name);
	for (const struct load *load = loads; load->name; load++)
		printf(" %s", load->name);
	printf("\n");
	exit(2);
}

static void parse(struct bench *bench, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "r:t:c:fn:x:b:a:")) != -1) {
		if (option == 'r')
			bench->rounds = (uint32_t)number(optarg);
		else if (option == 't')
			bench->slot_ns = number(optarg) * 1000000;
		else if (option == 'c')
			bench->cpu = (int)number(optarg);
		else if (option == 'f')
			bench->cpu = -1;
		else if (option == 'n')
			bench->count = (uint32_t)number(optarg);
		else if (option == 'x')
			commands.run = optarg;
		else if (option == 'b')
			commands.before = optarg;
		else if (option == 'a')
			commands.after = optarg;
		else
			exit(2);
	}
	if (argc - optind < 2 || !bench->rounds)
		exit(2);
	bench->label = argv[optind];
	bench->load = find_load(bench->label);
	for (int i = optind + 1; i < argc; i++)
		add_target(bench, argv[i]);
}

int main(int argc, char **argv)
{
	static struct bench bench = {.rounds = 10, .slot_ns = 40 * 1000000, .cpu = -1};

	parse(&bench, argc, argv);
	for (uint32_t i = 0; i < bench.targets; i++)
		open_lanes(&bench, &bench.target[i]);
	if (bench.count)
		count_one(&bench);
	else
		compare_targets(&bench);
	return 0;
}
