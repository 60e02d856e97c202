// SPDX-License-Identifier: GPL-2.0-or-later
/* The session with the kernel. */
#include "config.h"

#include "weirfs/session.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "weirfs/log.h"
#include "weirfs/mountpoint.h"
#include "weirfs/notify.h"
#include "weirfs/tracing.h"
#include "weirfs/weirfs.h"

/* After a signal: how long open clients may stay quiet, and how long at the most it takes. */
#define DRAIN_IDLE_NS (300 * NS_PER_MS)
#define DRAIN_BUSY_NS (1500 * NS_PER_MS)
#define DRAIN_LOOK_NS (20 * NS_PER_MS)
#define STUCK_WAIT_NS (5 * NS_PER_S)
#define SYNC_WAIT_S 2
#define READ_AHEAD_KIB 1024

/* --- mounting ------------------------------------------------------------------------------- */

static void add_item(struct bytes *list, const char *item)
{
	if (list->len)
		bytes_put(list, ",", 1);
	bytes_put(list, item, strlen(item));
}

/* A value with commas and backslashes escaped, as libfuse's parser takes them. */
static void add_value(struct bytes *list, const char *name, const char *value)
{
	add_item(list, name);
	for (; *value; value++) {
		if (*value == ',' || *value == '\\')
			bytes_put(list, "\\", 1);
		bytes_put(list, value, 1);
	}
}

/* In place of the real path, what the source's mount allows is allowed. */
static void add_mount_flags(const struct weirfs *fs, struct bytes *list)
{
	struct statvfs vfs;

	if (geteuid() != 0 || fstatvfs(fs->root_fd, &vfs))
		return;
	if (!fs->options.suid_given)
		add_item(list, vfs.f_flag & ST_NOSUID ? "nosuid" : "suid");
	if (!fs->options.dev_given)
		add_item(list, vfs.f_flag & ST_NODEV ? "nodev" : "dev");
	if (!fs->options.exec_given && (vfs.f_flag & ST_NOEXEC))
		add_item(list, "noexec");
}

static char *fuse_option_list(const struct weirfs *fs)
{
	const struct options *options = &fs->options;
	struct bytes list = {0};

	add_value(&list, "fsname=", options->source);
	add_item(&list, "subtype=weirfs");
	add_item(&list, "default_permissions");
	if (options->allow_other)
		add_item(&list, "allow_other");
	if (options->read_only)
		add_item(&list, "ro");
#ifdef HAVE_FUSE_IO_URING
	if (options->io_uring)
		add_item(&list, "io_uring");
#endif
	add_mount_flags(fs, &list);
	if (options->fuse_options)
		add_item(&list, options->fuse_options);
	bytes_put(&list, "", 1);
	return (char *)list.data;
}

static struct fuse_session *new_session(struct weirfs *fs)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	scoped_free char *list = fuse_option_list(fs);
	struct fuse_session *session = NULL;

	if (list && !fuse_opt_add_arg(&args, "weirfs") && !fuse_opt_add_arg(&args, "-o") &&
	    !fuse_opt_add_arg(&args, list) &&
	    (!fs->options.debug || !fuse_opt_add_arg(&args, "-odebug")))
		session = fuse_session_new(&args, &front_ops, sizeof(front_ops), fs);
	fuse_opt_free_args(&args);
	return session;
}

/* Why mounting failed, with what to do. */
static int explain(const struct weirfs *fs, struct diag *diag)
{
	if (access("/dev/fuse", F_OK))
		return diag_set(
			diag, -ENODEV,
			"mount failed: no /dev/fuse here; modprobe fuse, or give the container "
			"--device /dev/fuse");
	if (access("/dev/fuse", R_OK | W_OK))
		return diag_set(diag, -EPERM,
				"mount failed: no access to /dev/fuse; see `weir doctor`");
	if (geteuid() != 0 && fs->options.allow_other)
		return diag_set(diag, -EPERM,
				"mount failed: %s; allow_other needs the line user_allow_other in "
				"/etc/fuse.conf",
				log_fuse_reason("not permitted"));
	return diag_set(diag, -EPERM, "mount on %s failed: %s; see `weir doctor %s`",
			fs->options.mountpoint, log_fuse_reason("not permitted"),
			fs->options.mountpoint);
}

int session_mount(struct weirfs *fs, struct diag *diag)
{
	log_take_fuse();
	fs->session = new_session(fs);
	if (!fs->session)
		return diag_set(diag, -EINVAL, "%s; try 'weirfs --help'",
				log_fuse_reason("libfuse refuses the options"));
	if (fuse_session_mount(fs->session, fs->options.mountpoint)) {
		fuse_session_destroy(fs->session);
		fs->session = NULL;
		return explain(fs, diag);
	}
	return 0;
}

/* --- serving -------------------------------------------------------------------------------- */

/* To the main thread alone: liburcu's threads do not block SIGUSR1. */
static void on_end(void *arg)
{
	const struct weirfs *fs = arg;

	pthread_kill(fs->main_thread, SIGUSR1);
}

int session_start(struct weirfs *fs, struct diag *diag)
{
	unsigned int major, minor;
	int err = delayq_start(&fs->delayq);

	fs->main_thread = pthread_self();
	if (!err)
		err = delayq_start(&fs->waitq);
	if (!err)
		err = workers_start(&fs->workers, fs, fs->session, (uint32_t)fs->options.workers,
				    on_end, fs);
	if (err)
		return diag_set(diag, err, "can't start threads: %s", strerror(-err));
	if (!mountpoint_device(fs, &major, &minor)) {
		err = control_start(&fs->control, fs, major, minor);
		mountpoint_read_ahead(major, minor, READ_AHEAD_KIB);
	} else {
		err = -ENOENT;
	}
	if (err)
		log_warning("no control socket (%s): `weir` can't ask this mount", strerror(-err));
	return 0;
}

/* What programs changed through shared mappings is written back while there is a mount. */
static void *sync_mount(void *arg)
{
	const struct weirfs *fs = arg;
	scoped_fd int fd = open(fs->options.mountpoint, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		syncfs(fd);
	return NULL;
}

static void sync_bounded(struct weirfs *fs)
{
	struct timespec until = clock_timespec(clock_wall_ns() + SYNC_WAIT_S * NS_PER_S);
	pthread_t thread;

	if (mountpoint_is_fd(fs->options.mountpoint) ||
	    pthread_create(&thread, NULL, sync_mount, fs))
		return;
	if (pthread_timedjoin_np(thread, NULL, &until)) {
		log_warning("write-back of mappings takes longer than %d s; leaving it",
			    SYNC_WAIT_S);
		pthread_detach(thread);
	}
}

static bool is_mounted(const struct weirfs *fs)
{
	unsigned int major, minor;

	return mountpoint_is_fd(fs->options.mountpoint) || !mountpoint_device(fs, &major, &minor);
}

static bool has_ended(struct weirfs *fs)
{
	return fuse_session_exited(fs->session);
}

/* Detached, but clients still have files open: they get a while to finish what they are doing. */
static void drain(struct weirfs *fs)
{
	uint64_t start_ns = clock_mono_ns(), quiet_since_ns = start_ns;
	uint64_t last_seq = __atomic_load_n(&fs->last_seq, __ATOMIC_RELAXED);

	while (!has_ended(fs)) {
		struct timespec nap = clock_timespec(DRAIN_LOOK_NS);
		uint64_t now_ns = clock_mono_ns();
		uint64_t seq = __atomic_load_n(&fs->last_seq, __ATOMIC_RELAXED);

		if (seq != last_seq || stats_in_flight(&fs->stats))
			quiet_since_ns = now_ns;
		last_seq = seq;
		if (now_ns - quiet_since_ns > DRAIN_IDLE_NS)
			return;
		if (now_ns - start_ns > DRAIN_BUSY_NS) {
			log_warning("clients are still busy: they are cut off");
			return;
		}
		nanosleep(&nap, NULL);
	}
}

static void leave(struct weirfs *fs, int signal)
{
	int err;

	log_info("%s: unmounting %s", strsignal(signal), fs->options.mountpoint);
	notify_manager("STOPPING=1");
	tracing_hurry(fs);
	delayq_release_all(&fs->delayq);
	sync_bounded(fs);
	err = is_mounted(fs) ? mountpoint_detach(fs) : 0;
	if (err)
		log_warning("can't unmount %s: %s", fs->options.mountpoint, strerror(-err));
	delayq_stop(&fs->delayq);
	delayq_stop(&fs->waitq);
	drain(fs);
}

/* logrotate(8) and its like have moved the trace's file away. */
static void reopen(struct weirfs *fs)
{
	struct diag diag = {.text = ""};

	if (tracing_rotate(fs, true, &diag))
		log_info("SIGHUP: nothing reopened: %s", diag.text);
}

void session_wait(struct weirfs *fs)
{
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	while (!has_ended(fs)) {
		if (sigwait(&set, &signal))
			continue;
		if (signal == SIGTERM || signal == SIGINT) {
			leave(fs, signal);
			return;
		}
		if (signal == SIGHUP)
			reopen(fs);
	}
	log_info("%s was unmounted", fs->options.mountpoint);
}

static void end_trace(struct weirfs *fs)
{
	struct diag diag = {.text = ""};

	tracing_stop(fs, &diag);
}

void session_end(struct weirfs *fs)
{
	control_stop(&fs->control);
	tracing_hurry(fs);
	delayq_stop(&fs->delayq);
	delayq_stop(&fs->waitq);
	if (workers_stop(&fs->workers, STUCK_WAIT_NS)) {
		log_error(
			"a call to the backing file system does not come back: leaving without it");
		end_trace(fs);
		_exit(EXIT_FAILURE);
	}
	if (fs->session) {
		/*
		 * Once it is gone (from this namespace) libfuse would only complain that it can't
		 * find it.
		 */
		if (is_mounted(fs))
			fuse_session_unmount(fs->session);
		fuse_session_destroy(fs->session);
		fs->session = NULL;
	}
	/* Everybody who answers requests has ended. */
	end_trace(fs);
}
