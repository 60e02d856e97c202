// SPDX-License-Identifier: GPL-2.0-or-later
/* weir latency --heat: a trace as a heat map. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "core/clock.h"
#include "tools/heat.h"
#include "tools/latency.h"
#include "tools/stat_json.h"

#define COLUMNS_DEFAULT 64
#define COLUMNS_LEAST 20
#define MARGIN 22 /* columns besides the map: "   128 us |" and "| 123456789" */

static int fill(const struct heat_options *options, struct source *source, struct heat *heat)
{
	struct filter *filter = &source->filter;
	const struct trace_event *event;
	int err;

	filter_begin(filter, source->input);
	while ((err = input_next(source->input, &event)) == 1) {
		const struct op *op;
		uint64_t duration_ns[DURATIONS], value_ns;

		if (event->kind != TRACE_EV_OP || !filter_wants(filter, source->input, event))
			continue;
		op = &event->op->op;
		op_durations(op, duration_ns);
		value_ns = duration_ns[options->duration];
		if (!op_has_duration(op, options->duration, duration_ns))
			continue;
		err = heat_add(heat, op_class((enum op_kind)op->kind),
			       (op->done_ns ? op->done_ns : op->arrive_ns) + event->wall_offset_ns,
			       value_ns);
		if (err)
			return err;
	}
	return err;
}

static void print_json(const struct heat_options *options, const struct source *source,
		       const struct heat *heat)
{
	struct jsonw json;

	jsonw_init(&json, stdout, false);
	jsonw_object(&json, NULL);
	jsonw_uint(&json, "schema", STAT_JSON_SCHEMA);
	jsonw_string(&json, "trace", source->path);
	jsonw_string(&json, "duration", duration_name(options->duration));
	heat_json(heat, &json);
	jsonw_end(&json);
}

static unsigned int columns_for(const struct term *term)
{
	unsigned int columns = COLUMNS_DEFAULT;

	if (term->columns)
		columns = term->columns > COLUMNS_LEAST + MARGIN ? term->columns - MARGIN
								 : COLUMNS_LEAST;
	return (columns < HEAT_COLUMNS_MAX ? columns : HEAT_COLUMNS_MAX) & ~1u;
}

int latency_heat(const struct heat_options *options, struct source *source)
{
	struct heat *heat = calloc(1, sizeof(*heat));
	int err = -ENOMEM;

	if (heat) {
		heat_init(heat, columns_for(&options->show.term));
		err = fill(options, source, heat);
	}
	if (!err && options->json)
		print_json(options, source, heat);
	else if (!err)
		heat_print(heat, &options->show, duration_name(options->duration), options->fine,
			   stdout);
	if (heat)
		heat_done(heat);
	free(heat);
	return err;
}
