// SPDX-License-Identifier: GPL-2.0-or-later
/* weirfs: from the command line to a mount that measures, and back. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "weirfs/file.h"
#include "weirfs/log.h"
#include "weirfs/mountpoint.h"
#include "weirfs/notify.h"
#include "weirfs/session.h"
#include "weirfs/tracing.h"
#include "weirfs/weirfs.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define EXIT_MOUNT_HELPER 32 /* what mount(8) expects of a helper that could not mount */

/* Descriptors for open files come first; the cache gets a quarter, and not absurdly many. */
#define CACHE_FDS_SHARE 4
#define CACHE_FDS_MAX 8192

/* The write end of the pipe to the waiting parent, -1 in the foreground. */
static int ready_fd = -1;

static void print_version(void)
{
	printf("weirfs %s, libfuse %s (built for API %d)\nfeatures:", PACKAGE_VERSION,
	       fuse_pkgversion(), FUSE_USE_VERSION);
#ifdef HAVE_FUSE_KILLPRIV_V2
	printf(" killpriv_v2");
#endif
#ifdef HAVE_FUSE_PASSTHROUGH
	printf(" passthrough");
#endif
#ifdef HAVE_FUSE_IO_URING
	printf(" io_uring");
#endif
#ifdef HAVE_FUSE_STATX
	printf(" statx");
#endif
#ifdef HAVE_FUSE_TMPFILE
	printf(" tmpfile");
#endif
	printf("\n");
}

/* --- becoming a daemon ---------------------------------------------------------------------- */

/* The parent stays until the mount answers (or the child is gone), so that scripts can rely on it.
 */
static int wait_for_child(int fd, pid_t pid)
{
	char byte;
	int status;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		return EXIT_SUCCESS;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* Returns in the child only. */
static int daemonize(void)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid) {
		close(fds[1]);
		_exit(wait_for_child(fds[0], pid));
	}
	close(fds[0]);
	ready_fd = fds[1];
	setsid();
	if (chdir("/"))
		return -errno;
	return 0;
}

static void leave_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	log_to_syslog();
	if (null < 0)
		return;
	for (int fd = 0; fd <= 2; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

static void on_ready(struct weirfs *fs)
{
	char state[160];

	snprintf(state, sizeof(state), "READY=1\nMAINPID=%d\nSTATUS=serving %.100s", (int)getpid(),
		 fs->options.mountpoint);
	notify_manager(state);
	if (ready_fd >= 0)
		leave_terminal();
	log_info("%s on %s (%s, cache=%s, data=%s, locks=%s, identity=%s)", fs->options.source,
		 fs->options.mountpoint, fs->backing_name, cache_name(fs->options.cache),
		 data_name(fs->options.data), locks_name(fs->options.locks),
		 identity_name(fs->options.identity));
	if (ready_fd < 0)
		return;
	if (write(ready_fd, "", 1) != 1)
		log_warning("the starting process is gone");
	close(ready_fd);
	ready_fd = -1;
}

/* --- putting it together -------------------------------------------------------------------- */

static uint32_t raise_limits(const struct weirfs *fs)
{
	struct rlimit limit = {.rlim_cur = 1024};
	uint64_t fds;

	/* As far as it goes: not being allowed more is no reason to stop. */
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	fds = fs->options.max_fds ? fs->options.max_fds : limit.rlim_cur / CACHE_FDS_SHARE;
	if (!fs->options.max_fds && fds > CACHE_FDS_MAX)
		fds = CACHE_FDS_MAX;
	return fds < 8 ? 8 : (uint32_t)fds;
}

static void on_forgotten(struct inode *inode, void *arg)
{
	struct weirfs *fs = arg;

	fdcache_drop(&fs->fdcache, inode);
}

static void on_free(struct inode *inode, void *arg)
{
	struct weirfs *fs = arg;

	locks_forget(inode);
	file_close_all(inode);
	fdcache_drop(&fs->fdcache, inode);
}

/* What "auto" means here. */
static void decide(struct weirfs *fs)
{
	struct options *options = &fs->options;

	if (options->identity == IDENTITY_AUTO)
		options->identity = !ident_possible() ? IDENTITY_NONE
				    : fs->remote      ? IDENTITY_FULL
						      : IDENTITY_LOCAL;
	if (options->locks == LOCKS_AUTO)
		options->locks = fs->in_place && !fs->remote ? LOCKS_LOCAL : LOCKS_BACKING;
	/* A close gives POSIX locks back: where they are ours, it must be told. */
	fs->flush = fs->remote || options->locks == LOCKS_BACKING;
}

static int set_up(struct weirfs *fs, struct diag *diag)
{
	uint32_t fds = raise_limits(fs);
	struct statx stx;
	int err;

	if (statx(fs->root_fd, "", AT_EMPTY_PATH, TREE_STATX_MASK, &stx))
		return diag_set(diag, -errno, "source %s: %s", fs->options.source, strerror(errno));
	decide(fs);
	handle_mounts_init(&fs->mounts, fs->root_fd);
	pthread_mutex_init(&fs->kernel_lock, NULL);
	stats_init(&fs->stats);
	locks_init(&fs->locks, fs);
	err = tree_init(&fs->tree, &stx);
	if (!err)
		err = fdcache_init(&fs->fdcache, &fs->tree, &fs->mounts, fs->root_fd, fds);
	if (!err)
		err = files_init(&fs->files, &fs->tree, (uint32_t)fs->options.max_files);
	if (!err)
		err = delayq_init(&fs->delayq, fs->options.hold_max);
	if (!err)
		err = delayq_init(&fs->waitq, 0);
	if (err)
		return diag_set(diag, err, "no memory");
	fs->tree.on_forgotten = on_forgotten;
	fs->tree.on_free = on_free;
	fs->tree.arg = fs;
	fs->start_ns = clock_mono_ns();
	fs->wall_offset_ns = clock_wall_ns() - fs->start_ns;
	fs->on_ready = on_ready;
	shaper_init(&fs->shaper, &fs->tree);
	err = recorder_init(&fs->recorder, fs);
	if (err)
		return diag_set(diag, err, "no memory");
	return fs->options.delay ? shaper_set_delay(&fs->shaper, fs->options.delay, diag) : 0;
}

static void tear_down(struct weirfs *fs)
{
	uint64_t alive;

	recorder_done(&fs->recorder);
	files_done(&fs->files);
	alive = tree_done(&fs->tree);
	log_debug("%llu inodes were known at the end", (unsigned long long)alive);
	fdcache_done(&fs->fdcache);
	delayq_done(&fs->delayq);
	delayq_done(&fs->waitq);
	shaper_done(&fs->shaper);
	stats_done(&fs->stats);
	locks_done(&fs->locks);
	pthread_mutex_destroy(&fs->kernel_lock);
	handle_mounts_done(&fs->mounts);
	close(fs->root_fd);
	free(fs->hidden_name);
}

static void on_wake(int signal)
{
	(void)signal;
}

/* Signals are waited for by the main thread alone; SIGUSR2 only interrupts. */
static void prepare_signals(void)
{
	static const int waited_for[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
	struct sigaction wake = {.sa_handler = on_wake};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(waited_for) / sizeof(waited_for[0]); i++) {
		/* Shells start background jobs with SIGINT ignored, and ignored ones never arrive.
		 */
		signal(waited_for[i], SIG_DFL);
		sigaddset(&set, waited_for[i]);
	}
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGUSR2, &wake, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* One heap for all threads: others grow by a page and a system call at a time. */
static void prepare_memory(void)
{
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TOP_PAD, 1024 * 1024);
	mallopt(M_TRIM_THRESHOLD, 64 * 1024 * 1024);
	mallopt(M_MMAP_THRESHOLD, 4 * 1024 * 1024);
}

static int serve(struct weirfs *fs, struct trace_place *trace, struct diag *diag)
{
	int err = session_mount(fs, diag);

	if (err)
		return err;
	if (!fs->options.foreground)
		err = daemonize();
	if (err)
		diag_set(diag, err, "can't go into the background: %s", strerror(-err));
	/* After the fork: liburcu's hash tables have threads of their own. */
	if (!err)
		err = set_up(fs, diag);
	if (!err && fs->options.trace)
		err = tracing_start(fs, trace, diag);
	if (!err)
		err = session_start(fs, diag);
	if (!err)
		session_wait(fs);
	session_end(fs);
	tear_down(fs);
	return err;
}

static int run(struct weirfs *fs, struct diag *diag)
{
	struct trace_place trace = {.stream_fd = -1, .dir_fd = -1, .first_fd = -1};
	struct trace_filter filter;
	int err;

	options_finish(&fs->options);
	log_set_level(fs->options.log);
	err = mountpoint_prepare(fs, diag);
	if (!err)
		err = mountpoint_open_source(fs, diag);
	/* Seen before there is a mount: what is wrong with it is said in time. */
	if (!err)
		err = trace_filter_init(&filter, &fs->options, 0, diag);
	if (!err && fs->options.trace)
		err = trace_place_open(fs, fs->options.trace, diag, &trace);
	if (err)
		return err;
	if (fs->in_place)
		mountpoint_list_bypass(fs);
	prepare_memory();
	prepare_signals();
	err = serve(fs, &trace, diag);
	trace_place_done(&trace);
	return err;
}

static bool is_mount_helper(const char *program)
{
	const char *slash = strrchr(program, '/');

	return !strncmp(slash ? slash + 1 : program, "mount.", 6);
}

int main(int argc, char *argv[])
{
	static struct weirfs fs;
	struct diag diag = {.text = ""};
	bool helper = is_mount_helper(argv[0]);
	int status = EXIT_SUCCESS, err;

	options_init(&fs.options);
	err = options_parse(&fs.options, argc, argv, &diag);
	if (err) {
		log_error("%s", *diag.text ? diag.text : strerror(-err));
		status = helper ? 1 : EXIT_USAGE;
	} else if (fs.options.show_help) {
		options_help();
	} else if (fs.options.show_version) {
		print_version();
	} else if ((err = run(&fs, &diag))) {
		log_error("%s", *diag.text ? diag.text : strerror(-err));
		status = helper ? EXIT_MOUNT_HELPER : EXIT_FAILED;
	}
	options_done(&fs.options);
	return status;
}
