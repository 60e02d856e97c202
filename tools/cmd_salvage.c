// SPDX-License-Identifier: GPL-2.0-or-later
/* weir salvage: a whole trace out of what is left of a damaged one. */
#include "config.h"

#include "tools/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/args.h"
#include "tools/rewrite.h"

#define AGE_BLOCKS 64

static const char help[] =
	"usage: weir salvage IN OUT\n"
	"\n"
	"Writes what is whole in the damaged trace IN (a file, a directory with parts, or\n"
	"-) as a new, whole trace OUT (a file that doesn't exist yet, or -). A mark at\n"
	"its end says what was lost, and operations that are known to be missing are\n"
	"counted as lost. IN is not changed.\n"
	"\n"
	"      --color WHEN  auto (default), always, never\n"
	"  -h, --help        this text\n";

/* The last stamp of an operation, where the mark about the losses goes. */
static uint64_t time_of(const struct trace_event *event, uint64_t last_ns)
{
	uint64_t ns = event->kind == TRACE_EV_MARK ? event->mono_ns : 0;

	if (event->kind == TRACE_EV_OP)
		ns = event->op->op.done_ns ? event->op->op.done_ns : event->op->op.arrive_ns;
	return ns > last_ns ? ns : last_ns;
}

static int copy(struct rewrite *rewrite, struct stream *stream, uint64_t *ret_last_ns)
{
	struct stream *const streams[] = {stream};
	uint64_t aged = 0, last_ns = 0;
	int err;

	while ((err = input_next(stream->input, &stream->event)) == 1) {
		last_ns = time_of(stream->event, last_ns);
		err = rewrite_event(rewrite, stream);
		if (!err && stream->blocks - aged >= AGE_BLOCKS) {
			aged = stream->blocks;
			err = rewrite_age(rewrite, streams, 1);
		}
		if (err)
			return err;
	}
	*ret_last_ns = last_ns;
	return err;
}

/* Says what became of the trace, in its last mark and to the user. */
static int tell(struct rewrite *rewrite, const struct stream *stream, uint64_t last_ns, FILE *out)
{
	uint64_t lost = rewrite_losses(rewrite, stream);
	char damage[512], text[640];

	input_damage_text(stream->input, damage, sizeof(damage));
	if (lost)
		snprintf(text, sizeof(text), "%s%s%" PRIu64 " operations are missing", damage,
			 *damage ? "; " : "", lost);
	else
		snprintf(text, sizeof(text), "%s", *damage ? damage : "nothing was damaged");
	fprintf(out, "%" PRIu64 " operations salvaged; %s\n", rewrite->ops, text);
	return rewrite_mark(rewrite, last_ns, "salvage", text);
}

static int salvage(struct input *input, const char *out, struct diag *diag)
{
	struct stream stream = {.input = input, .label = ""};
	struct rewrite rewrite;
	struct diag out_diag = {0};
	uint64_t last_ns;
	int err = rewrite_open(&rewrite, out, input_id(input), 1, 0, &out_diag), closed;

	if (err) {
		*diag = out_diag;
		return err;
	}
	err = copy(&rewrite, &stream, &last_ns);
	if (!err)
		err = tell(&rewrite, &stream, last_ns, strcmp(out, "-") ? stdout : stderr);
	closed = rewrite_close(&rewrite, err);
	if (closed && !diag->text[0]) {
		diag->file = out;
		diag_set(diag, closed, "%s", strerror(-closed));
	}
	return closed;
}

int cmd_salvage(int argc, char **argv)
{
	static const struct option longs[] = {ARGS_COMMON};
	struct args args = {"salvage", help, ":h", longs};
	struct diag diag = {0};
	struct input *input;
	int option = args_next(&args, argc, argv), status = EXIT_DONE;

	if (option == ARGS_STOP)
		return args.status;
	if (argc - optind != 2)
		return args_error("salvage", argc - optind < 2 ? "which trace, and where to?"
							       : "one trace at a time");
	if (input_open(argv + optind, 1, &diag, &input))
		return args_failed("salvage", diag.file ? diag.file : argv[optind], &diag);
	if (salvage(input, argv[optind + 1], &diag))
		status = args_failed("salvage", diag.file ? diag.file : argv[optind], &diag);
	input_close(input);
	return status;
}
