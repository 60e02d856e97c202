// SPDX-License-Identifier: GPL-2.0-or-later
/* Client side of the control socket. */
#include "config.h"

#include "tools/ctl.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/control.h"

/* A snapshot of 100,000 files is about 50 MB: what is larger than this is no answer of ours. */
#define ANSWER_MAX (UINT64_C(4) << 30)
#define CHUNK 65536

/* In /tmp anybody may wait under that name: only the mount's owner and root are believed. */
static int check_peer(int fd, uid_t owner)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return -errno;
	return peer.uid == owner || peer.uid == 0 ? 0 : -EPERM;
}

static int connect_to(const char *path, uid_t owner, uint64_t timeout_ns)
{
	scoped_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval timeout = {.tv_sec = (time_t)(timeout_ns / NS_PER_S),
				  .tv_usec = (suseconds_t)(timeout_ns % NS_PER_S / NS_PER_US)};
	int err;

	if (fd < 0)
		return -errno;
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	/* Without it a full backlog of a daemon that hangs would block us for ever. */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)))
		return -errno;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	err = check_peer(fd, owner);
	return err ? err : take_fd(&fd);
}

/* Tries the places where the owner's sockets may be; the first error but "not there" counts. */
static int connect_mount(const struct mount *mount, uint64_t timeout_ns)
{
	char directory[CONTROL_PATH_MAX], path[CONTROL_PATH_MAX];
	int fd = -ENOENT;

	for (unsigned int i = 0; fd == -ENOENT; i++) {
		if (control_directory(mount->owner, i, directory))
			break;
		if (control_socket_path(directory, mount->major, mount->minor, path))
			break;
		fd = connect_to(path, mount->owner, timeout_ns);
	}
	return fd;
}

static int send_request(int fd, const char *request)
{
	size_t len = strlen(request);
	char line[CONTROL_REQUEST_MAX];
	ssize_t sent;

	if (len + 1 > sizeof(line) || strpbrk(request, "\r\n"))
		return -EMSGSIZE;
	memcpy(line, request, len);
	line[len++] = '\n';
	sent = send(fd, line, len, MSG_NOSIGNAL);
	if (sent < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	return (size_t)sent == len ? 0 : -EIO;
}

static int wait_readable(int fd, uint64_t timeout_ns)
{
	uint64_t end_ns = clock_mono_ns() + timeout_ns;
	struct pollfd wait = {.fd = fd, .events = POLLIN};

	for (;;) {
		uint64_t now_ns = clock_mono_ns();
		struct timespec left = clock_timespec(end_ns > now_ns ? end_ns - now_ns : 0);
		int n = ppoll(&wait, 1, &left, NULL);

		if (n > 0)
			return 0;
		if (n == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static int receive_all(int fd, uint64_t timeout_ns, struct bytes *answer)
{
	for (;;) {
		int err = wait_readable(fd, timeout_ns);
		ssize_t n;

		if (err)
			return err;
		if (answer->len > ANSWER_MAX)
			return -EFBIG;
		if (!bytes_reserve(answer, CHUNK))
			return -ENOMEM;
		n = recv(fd, answer->data + answer->len, CHUNK, 0);
		if (n == 0)
			return 0;
		if (n > 0)
			answer->len += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
}

/* "error ERRNO MESSAGE": the message, or what the number means. */
static int refusal(char *line, struct diag *diag)
{
	char *text = line + strlen("error ");
	long number = strtol(text, &text, 10);

	text += *text == ' ';
	if (!*text && number > 0 && number < 4096)
		return diag_set(diag, -EBADMSG, "%s", strerror((int)number));
	return diag_set(diag, -EBADMSG, "%s", *text ? text : "refused without a reason");
}

/* Takes the status line off the answer. */
static int parse_answer(struct bytes *answer, struct diag *diag)
{
	char *line = (char *)answer->data, *end = NULL;
	size_t used;

	if (answer->len)
		end = memchr(line, '\n', answer->len);
	if (!end)
		return diag_set(diag, -EPROTO,
				"the daemon closed the connection without an answer");
	*end = '\0';
	if (!strncmp(line, "error ", strlen("error ")))
		return refusal(line, diag);
	if (strcmp(line, "ok") != 0 && strncmp(line, "ok ", 3) != 0)
		return diag_set(diag, -EPROTO, "the daemon answers in another protocol");
	used = (size_t)(end - line) + 1;
	memmove(answer->data, answer->data + used, answer->len - used);
	answer->len -= used;
	return 0;
}

static int explain(int err, struct diag *diag)
{
	switch (err) {
	case -ENOENT:
	case -ECONNREFUSED:
		return diag_set(diag, err,
				"no daemon serves this mount any more "
				"(fusermount3 -uz or umount -l takes it away)");
	case -ETIMEDOUT:
		return diag_set(diag, err, "the daemon doesn't answer (is it stopped or hung?)");
	case -EACCES:
		return diag_set(diag, err, "only the user who mounted it and root may ask");
	case -EPERM:
		return diag_set(diag, err, "its control socket belongs to somebody else");
	case -EMSGSIZE:
		return diag_set(diag, err, "the request is longer than %d bytes or has a newline",
				CONTROL_REQUEST_MAX - 1);
	default:
		return diag_set(diag, err, "control socket: %s", strerror(-err));
	}
}

int ctl_request(const struct mount *mount, const char *request, uint64_t timeout_ns,
		struct bytes *ret_payload, struct diag *diag)
{
	scoped_fd int fd = connect_mount(mount, timeout_ns);
	struct bytes answer = {0};
	int err = fd < 0 ? fd : send_request(fd, request);

	if (!err)
		err = receive_all(fd, timeout_ns, &answer);
	if (err) {
		bytes_done(&answer);
		return explain(err, diag);
	}
	err = parse_answer(&answer, diag);
	if (err || !ret_payload)
		bytes_done(&answer);
	else
		*ret_payload = answer;
	return err;
}
