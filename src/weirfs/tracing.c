// SPDX-License-Identifier: GPL-2.0-or-later
/* The trace of a mount: on, off, another part. */
#include "config.h"

#include "weirfs/tracing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "weirfs/log.h"
#include "weirfs/tracer.h"
#include "weirfs/weirfs.h"

/* How long a disk may take to turn to another part. */
#define ROTATE_NS (10 * NS_PER_S)

static void set_place(struct recorder *recorder, const char *text)
{
	char *copy = strdup(text);

	pthread_mutex_lock(&recorder->state_lock);
	free(recorder->place);
	recorder->place = copy;
	pthread_mutex_unlock(&recorder->state_lock);
}

static int none(struct diag *diag)
{
	return diag_set(diag, -EALREADY, "no trace is on; begin one with: trace start FILE");
}

/* The caller holds the lock. */
static int start(struct weirfs *fs, struct trace_place *place, struct diag *diag)
{
	struct recorder *recorder = &fs->recorder;
	struct trace_filter filter;
	int err;

	if (recorder->tracer)
		return diag_set(diag, -EALREADY, "a trace is on already, in %s", recorder->place);
	if (place->stream_fd >= 0 && fs->options.trace_full == TRACE_FULL_OVERWRITE)
		return diag_set(diag, -EINVAL,
				"trace_full=overwrite keeps the trace in memory until its end: "
				"name a file or a directory");
	err = trace_filter_init(&filter, &fs->options, ++recorder->sessions, diag);
	if (err)
		return err;
	set_place(recorder, place->text);
	err = tracer_start(recorder, place, &filter, &recorder->tracer);
	if (err)
		return diag_set(diag, err, "trace %s: %s", recorder->place, strerror(-err));
	log_info("trace: %s", recorder->place);
	return 0;
}

int tracing_start(struct weirfs *fs, struct trace_place *place, struct diag *diag)
{
	struct recorder *recorder = &fs->recorder;
	int err;

	pthread_mutex_lock(&recorder->change_lock);
	err = start(fs, place, diag);
	pthread_mutex_unlock(&recorder->change_lock);
	return err;
}

int tracing_start_at(struct weirfs *fs, const char *destination, struct diag *diag)
{
	struct recorder *recorder = &fs->recorder;
	struct trace_place place;
	int err;

	if (!destination)
		destination = fs->options.trace;
	if (!destination)
		return diag_set(diag, -EINVAL, "where to? use: trace start FILE");
	pthread_mutex_lock(&recorder->change_lock);
	err = recorder->tracer
		      ? diag_set(diag, -EALREADY, "a trace is on already, in %s", recorder->place)
		      : trace_place_open(fs, destination, diag, &place);
	if (!err) {
		err = start(fs, &place, diag);
		trace_place_done(&place);
	}
	pthread_mutex_unlock(&recorder->change_lock);
	return err;
}

int tracing_stop(struct weirfs *fs, struct diag *diag)
{
	struct recorder *recorder = &fs->recorder;
	int err = 0;

	pthread_mutex_lock(&recorder->change_lock);
	if (recorder->tracer) {
		tracer_stop(recorder->tracer);
		recorder->tracer = NULL;
		log_info("trace %s: ended", recorder->place);
	} else {
		err = none(diag);
	}
	pthread_mutex_unlock(&recorder->change_lock);
	return err;
}

void tracing_hurry(struct weirfs *fs)
{
	struct recorder *recorder = &fs->recorder;

	/* Whoever has it changes the trace, and will be done. */
	if (pthread_mutex_trylock(&recorder->change_lock))
		return;
	if (recorder->tracer)
		tracer_hurry(recorder->tracer);
	pthread_mutex_unlock(&recorder->change_lock);
}

int tracing_rotate(struct weirfs *fs, bool reopen, struct diag *diag)
{
	struct recorder *recorder = &fs->recorder;
	struct tracer *tracer;
	int err = 0;

	pthread_mutex_lock(&recorder->change_lock);
	tracer = recorder->tracer;
	if (!tracer)
		err = none(diag);
	else if (tracer->overwrite)
		err = diag_set(diag, -EINVAL, "a flight recorder has no parts; use: trace dump");
	else if (tracer->out.place.stream_fd >= 0)
		err = diag_set(diag, -EINVAL, "a pipe has no parts");
	else if (tracer_ask(tracer, reopen ? TRACER_REOPEN : TRACER_ROTATE) ||
		 traceq_await_settled(&tracer->queue, ROTATE_NS))
		err = diag_set(diag, -ETIMEDOUT,
			       "the trace's disk is slow: the next part begins when it comes "
			       "round to it");
	pthread_mutex_unlock(&recorder->change_lock);
	return err;
}

static int dump_to(struct weirfs *fs, const char *destination, struct diag *diag)
{
	struct trace_place place;
	int err = trace_place_open(fs, destination, diag, &place);

	if (err)
		return err;
	if (place.stream_fd >= 0)
		err = diag_set(diag, -EINVAL, "%s: a dump goes to a file or a directory",
			       destination);
	else if ((err = tracer_dump(fs->recorder.tracer, &place)))
		diag_set(diag, err, "trace %s: %s", destination, strerror(-err));
	trace_place_done(&place);
	return err;
}

int tracing_dump(struct weirfs *fs, const char *destination, struct diag *diag)
{
	struct recorder *recorder = &fs->recorder;
	int err;

	pthread_mutex_lock(&recorder->change_lock);
	if (!recorder->tracer)
		err = none(diag);
	else if (!recorder->tracer->overwrite)
		err = diag_set(diag, -EINVAL,
			       "nothing to dump: the trace is being written to %s; only "
			       "trace_full=overwrite keeps it in memory",
			       recorder->place);
	else
		err = dump_to(fs, destination, diag);
	pthread_mutex_unlock(&recorder->change_lock);
	return err;
}

void tracing_mark(struct weirfs *fs, const char *name, const char *text)
{
	struct recorder *recorder = &fs->recorder;

	pthread_mutex_lock(&recorder->change_lock);
	if (recorder->tracer)
		tracer_mark(recorder->tracer, name, text);
	pthread_mutex_unlock(&recorder->change_lock);
}
