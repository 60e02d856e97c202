// SPDX-License-Identifier: GPL-2.0-or-later
/* The control socket: a thread that answers `weir`. */
#include "config.h"

#include "weirfs/control.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/bytes.h"
#include "core/cleanup.h"
#include "core/units.h"
#include "trace/snapshot.h"
#include "weirfs/log.h"
#include "weirfs/report.h"
#include "weirfs/tracing.h"
#include "weirfs/weirfs.h"

/* A client that doesn't read or write for that long is hung up on. */
#define CLIENT_TIMEOUT_S 5
#define TRIM_PERIOD_MS 1000
/* Inodes that have to go before memory is given back to the system. */
#define TRIM_INODES 10000

/* --- the answers ---------------------------------------------------------------------------- */

static void say_ok(struct bytes *answer)
{
	bytes_put(answer, "ok\n", 3);
}

static void say_error(struct bytes *answer, int err, const char *message)
{
	char line[320];
	int len = snprintf(line, sizeof(line), "error %d %s\n", -err,
			   *message ? message : strerror(-err));

	bytes_put(answer, line, (size_t)len);
}

static void do_ping(struct weirfs *fs, char *arg, struct bytes *answer)
{
	(void)fs;
	(void)arg;
	say_ok(answer);
}

static void do_snapshot(struct weirfs *fs, char *arg, struct bytes *answer)
{
	uint64_t files = UINT64_MAX;
	struct summary summary;
	int err;

	if (*arg &&
	    (strncmp(arg, "files=", 6) != 0 || units_parse_uint(arg + 6, 0, UINT64_MAX, &files))) {
		say_error(answer, -EINVAL, "snapshot takes files=N");
		return;
	}
	err = report_fill(fs, files, &summary);
	if (err) {
		say_error(answer, err, "");
		return;
	}
	say_ok(answer);
	snapshot_encode(&summary, answer);
	summary_done(&summary);
}

static void do_reset(struct weirfs *fs, char *arg, struct bytes *answer)
{
	(void)arg;
	stats_reset(&fs->stats);
	files_reset(&fs->files);
	tracing_mark(fs, "reset", "");
	log_info("statistics were reset");
	say_ok(answer);
}

static void do_delay(struct weirfs *fs, char *arg, struct bytes *answer)
{
	struct diag diag = {.text = ""};
	bool off = !strcmp(arg, "off");
	int err;

	if (!off && strncmp(arg, "set ", 4) != 0) {
		say_error(answer, -EINVAL, "use: delay set RULES, or delay off");
		return;
	}
	err = shaper_set_delay(&fs->shaper, off ? NULL : arg + 4, &diag);
	if (err) {
		say_error(answer, err, diag.text);
		return;
	}
	/* What the old rules held need not wait for them any longer. */
	delayq_release_all(&fs->delayq);
	tracing_mark(fs, "delay", off ? "" : arg + 4);
	log_info("delay rules: %s", off ? "none" : arg + 4);
	say_ok(answer);
}

static void do_log(struct weirfs *fs, char *arg, struct bytes *answer)
{
	enum log_level level;

	(void)fs;
	if (log_parse_level(arg, &level)) {
		say_error(answer, -EINVAL, "log takes error, warning, info or debug");
		return;
	}
	log_set_level(level);
	say_ok(answer);
}

static bool is_word(const char *arg, const char *word, const char **ret_rest)
{
	size_t len = strlen(word);

	if (strncmp(arg, word, len) != 0 || (arg[len] && arg[len] != ' '))
		return false;
	*ret_rest = arg[len] ? arg + len + 1 : NULL;
	return true;
}

static void do_trace(struct weirfs *fs, char *arg, struct bytes *answer)
{
	struct diag diag = {.text = ""};
	const char *rest;
	int err;

	if (is_word(arg, "start", &rest))
		err = tracing_start_at(fs, rest, &diag);
	else if (is_word(arg, "dump", &rest) && rest)
		err = tracing_dump(fs, rest, &diag);
	else if (!strcmp(arg, "stop"))
		err = tracing_stop(fs, &diag);
	else if (!strcmp(arg, "rotate"))
		err = tracing_rotate(fs, false, &diag);
	else
		err = diag_set(&diag, -EINVAL,
			       "use: trace start [FILE], stop, rotate, or dump FILE");
	if (err)
		say_error(answer, err, diag.text);
	else
		say_ok(answer);
}

static const struct {
	const char *name;
	void (*run)(struct weirfs *fs, char *arg, struct bytes *answer);
} commands[] = {
	{"ping", do_ping},   {"snapshot", do_snapshot}, {"reset", do_reset},
	{"delay", do_delay}, {"log", do_log},           {"trace", do_trace},
};

void control_answer(struct weirfs *fs, char *line, struct bytes *answer)
{
	char *arg = strchr(line, ' ');

	if (arg)
		*arg++ = '\0';
	else
		arg = line + strlen(line);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(commands[i].name, line)) {
			commands[i].run(fs, arg, answer);
			return;
		}
	}
	say_error(answer, -EINVAL, "unknown request: this weirfs is of another release");
}

/* --- connections ---------------------------------------------------------------------------- */

/* Root and whoever runs the daemon. */
static bool is_trusted(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return false;
	return peer.uid == 0 || peer.uid == geteuid();
}

/* Reads one line without its end. Returns 0 or -errno. */
static int read_line(int fd, char line[CONTROL_REQUEST_MAX])
{
	size_t len = 0;

	while (len < CONTROL_REQUEST_MAX - 1) {
		ssize_t n = recv(fd, line + len, CONTROL_REQUEST_MAX - 1 - len, 0);
		char *end;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EPIPE;
		line[len + (size_t)n] = '\0';
		end = memchr(line + len, '\n', (size_t)n);
		len += (size_t)n;
		if (end) {
			*end = '\0';
			return 0;
		}
	}
	return -E2BIG;
}

static void send_all(int fd, const struct bytes *answer)
{
	size_t sent = 0;

	while (sent < answer->len) {
		ssize_t n = send(fd, answer->data + sent, answer->len - sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		sent += (size_t)n;
	}
}

static void serve_client(struct weirfs *fs, int fd)
{
	const struct timeval timeout = {.tv_sec = CLIENT_TIMEOUT_S};
	char line[CONTROL_REQUEST_MAX];
	struct bytes answer = {0};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (!is_trusted(fd))
		say_error(&answer, -EPERM, "only root and the user who mounted it may ask");
	else if (read_line(fd, line))
		say_error(&answer, -EINVAL, "no request, or a line that is too long");
	else
		control_answer(fs, line, &answer);
	if (answer.failed) {
		answer.failed = false;
		answer.len = 0;
		say_error(&answer, -ENOMEM, "");
	}
	send_all(fd, &answer);
	bytes_done(&answer);
}

/* After the kernel has forgotten many files, their memory goes back to the system. */
static void trim(struct weirfs *fs, uint64_t *peak)
{
	uint64_t inodes = __atomic_load_n(&fs->tree.inodes, __ATOMIC_RELAXED);

	if (inodes > *peak)
		*peak = inodes;
	if (*peak - inodes < TRIM_INODES)
		return;
	*peak = inodes;
	malloc_trim(0);
}

static void *control_main(void *arg)
{
	struct control *control = arg;
	struct pollfd fds[] = {
		{.fd = control->listen_fd, .events = POLLIN},
		{.fd = control->stop_fd, .events = POLLIN},
	};
	uint64_t peak = 0;

	prctl(PR_SET_NAME, "weirfs-control");
	while (!(fds[1].revents & POLLIN)) {
		int n = poll(fds, 2, TRIM_PERIOD_MS);

		trim(control->fs, &peak);
		if (n > 0 && (fds[0].revents & POLLIN)) {
			scoped_fd int fd = accept4(control->listen_fd, NULL, NULL, SOCK_CLOEXEC);

			if (fd >= 0)
				serve_client(control->fs, fd);
		}
	}
	return NULL;
}

/* --- the socket ----------------------------------------------------------------------------- */

/* The directory of this user's sockets; made if needed, and nobody else's. */
static int make_directory(char directory[CONTROL_PATH_MAX])
{
	struct stat st;
	int err = -ENOENT;

	for (unsigned int i = 0; !control_directory(geteuid(), i, directory); i++) {
		if (mkdir(directory, geteuid() ? 0700 : 0755) && errno != EEXIST) {
			err = -errno;
			continue;
		}
		if (lstat(directory, &st))
			err = -errno;
		else if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
			err = -EPERM;
		else
			return 0;
	}
	return err;
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	scoped_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	/* Of a predecessor that was killed: the device number is ours now. */
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return -errno;
	/* Who may ask is checked by credentials; others get an answer that says so. */
	if (chmod(path, 0666) || listen(fd, 16))
		return -errno;
	return take_fd(&fd);
}

int control_start(struct control *control, struct weirfs *fs, unsigned int major,
		  unsigned int minor)
{
	char directory[CONTROL_PATH_MAX];
	int err = make_directory(directory);

	control->fs = fs;
	control->listen_fd = -1;
	control->stop_fd = -1;
	if (!err)
		err = control_socket_path(directory, major, minor, control->path);
	if (!err) {
		control->listen_fd = listen_at(control->path);
		err = control->listen_fd < 0 ? control->listen_fd : 0;
	}
	if (!err) {
		control->stop_fd = eventfd(0, EFD_CLOEXEC);
		err = control->stop_fd < 0 ? -errno : 0;
	}
	if (!err)
		err = -pthread_create(&control->thread, NULL, control_main, control);
	control->started = !err;
	if (err)
		control_stop(control);
	return err;
}

void control_stop(struct control *control)
{
	const uint64_t one = 1;

	if (control->started) {
		while (write(control->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR)
			;
		pthread_join(control->thread, NULL);
	}
	control->started = false;
	if (control->listen_fd > 0) {
		close(control->listen_fd);
		unlink(control->path);
	}
	if (control->stop_fd > 0)
		close(control->stop_fd);
	control->listen_fd = control->stop_fd = -1;
}
