// SPDX-License-Identifier: GPL-2.0-or-later
/* Taking samples, the intervals between them, and waiting in between. */
#include "config.h"

#include "tools/top.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/clock.h"
#include "tools/delta.h"

int sample_take(const struct source *source, struct sample *ret_sample, struct diag *diag)
{
	/* A file first used while the answer is made must count as new in the next interval. */
	uint64_t wall_ns = clock_wall_ns(), mono_ns = clock_mono_ns();
	int err = source_read(source, TOP_ROWS, &ret_sample->summary, NULL, diag);

	if (err)
		return err;
	ret_sample->wall_ns = wall_ns;
	ret_sample->mono_ns = mono_ns;
	return 0;
}

void sample_done(struct sample *sample)
{
	summary_done(&sample->summary);
}

/* The daemon's own clock tells best how long it counted. */
static uint64_t length_of(const struct sample *before, const struct sample *after)
{
	uint64_t end_ns = summary_counter(&after->summary, "uptime_ns");
	uint64_t begin_ns;

	if (!before || delta_restarted(&before->summary, &after->summary)) {
		uint64_t since_ns = summary_counter(&after->summary, "since_reset_ns");

		return since_ns ? since_ns : end_ns;
	}
	begin_ns = summary_counter(&before->summary, "uptime_ns");
	return end_ns > begin_ns ? end_ns - begin_ns : after->mono_ns - before->mono_ns;
}

int interval_make(const struct sample *before, const struct sample *after, enum report_kind kind,
		  struct interval *ret_interval)
{
	struct summary summary;
	int err;

	if (before)
		err = delta_make(&before->summary, &after->summary, before->wall_ns, &summary);
	else
		err = delta_copy(&after->summary, &summary);
	if (err)
		return err;
	ret_interval->kind = kind;
	ret_interval->summary = summary;
	ret_interval->wall_ns = after->wall_ns;
	ret_interval->length_ns = length_of(before, after);
	return 0;
}

void interval_done(struct interval *interval)
{
	summary_done(&interval->summary);
}

int stopper_init(struct stopper *stopper)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &signals, NULL))
		return -errno;
	stopper->input = -1;
	stopper->fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return stopper->fd < 0 ? -errno : 0;
}

void stopper_done(struct stopper *stopper)
{
	if (stopper->fd >= 0)
		close(stopper->fd);
}

int stopper_wait(const struct stopper *stopper, uint64_t until_mono_ns)
{
	/* A descriptor of -1 is passed over. */
	struct pollfd wait[] = {{.fd = stopper->fd, .events = POLLIN},
				{.fd = stopper->input, .events = POLLIN}};
	uint64_t now_ns = clock_mono_ns();
	struct timespec left = clock_timespec(until_mono_ns > now_ns ? until_mono_ns - now_ns : 0);
	struct signalfd_siginfo info;
	int n = ppoll(wait, 2, &left, NULL);

	if (n == 0)
		return WAKE_TIME;
	if (n > 0 && wait[0].revents && read(stopper->fd, &info, sizeof(info)) == sizeof(info))
		return (int)info.ssi_signo;
	/* A terminal that hangs up is ready for ever. */
	if (n > 0 && (wait[1].revents & (POLLHUP | POLLERR | POLLNVAL)))
		return SIGTERM;
	return WAKE_INPUT;
}
