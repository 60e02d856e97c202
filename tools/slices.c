// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes, their lanes, and what lies inside a slice. */
#include "config.h"

#include "tools/slices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int slices_init(struct slices *slices, size_t waiting)
{
	memset(slices, 0, sizeof(*slices));
	return inflight_init(&slices->inflight, waiting);
}

void slices_done(struct slices *slices)
{
	for (size_t i = 0; i < slices->processes.count; i++)
		lanes_done(&slices->lanes[i]);
	free(slices->lanes);
	stringset_done(&slices->processes);
	inflight_done(&slices->inflight);
}

uint64_t slices_since(const struct slices *slices, struct export *export, uint64_t wall_ns)
{
	if (wall_ns >= slices->base_ns)
		return wall_ns - slices->base_ns;
	export_note(export, "moments before the trace began, drawn at its beginning", 1);
	return 0;
}

/* Room for the lanes of one more process, empty. */
static int reserve(struct slices *slices)
{
	size_t room = slices->room ? slices->room * 2 : 16;
	struct lanes *grown;

	if (slices->processes.count < slices->room)
		return 0;
	grown = realloc(slices->lanes, room * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + slices->room, 0, (room - slices->room) * sizeof(*grown));
	slices->lanes = grown;
	slices->room = room;
	return 0;
}

int slices_place(struct slices *slices, struct export *export, const struct trace_event *event,
		 struct slice *ret_slice)
{
	uint32_t process = event->op->process, number, lanes;
	const struct op *op = &event->op->op;
	int added;

	if (reserve(slices))
		return -ENOMEM;
	added = stringset_put(&slices->processes, &process, sizeof(process), &number);
	if (added < 0)
		return added;
	lanes = slices->lanes[number].count;
	*ret_slice = (struct slice){
		.start_ns = slices_since(slices, export, op->arrive_ns + event->wall_offset_ns),
		.end_ns = slices_since(slices, export, export_op_end(op) + event->wall_offset_ns),
		.process = number,
		.new_process = added > 0,
	};
	ret_slice->lane =
		lanes_take(&slices->lanes[number], ret_slice->start_ns, ret_slice->end_ns);
	if (!ret_slice->lane)
		return -ENOMEM;
	ret_slice->new_lane = slices->lanes[number].count != lanes;
	inflight_add(&slices->inflight, ret_slice->start_ns, ret_slice->end_ns);
	return 0;
}

/* Adds a stage if it lies inside the slice, after those that are there. */
static size_t add_stage(const struct slice *slice, struct slice_stage *stages, size_t count,
			struct slice_stage stage)
{
	uint64_t from_ns = count ? stages[count - 1].end_ns : slice->start_ns;

	if (stage.start_ns < from_ns || stage.end_ns > slice->end_ns ||
	    stage.end_ns <= stage.start_ns)
		return count;
	stages[count] = stage;
	return count + 1;
}

size_t slices_stages(const struct slices *slices, const struct export *export,
		     const struct trace_event *event, const struct slice *slice,
		     struct slice_stage ret_stages[DURATIONS])
{
	const struct op *op = &event->op->op;
	uint64_t shift_ns = event->wall_offset_ns - slices->base_ns;
	size_t count = 0;

	if (!export->options->stages || !op->backed_ns)
		return 0;
	count = add_stage(slice, ret_stages, count,
			  (struct slice_stage){"service", op->issued_ns + shift_ns,
					       op->backed_ns + shift_ns});
	if (op->due_ns > op->backed_ns && op->done_ns)
		count = add_stage(slice, ret_stages, count,
				  (struct slice_stage){"hold", op->backed_ns + shift_ns,
						       op->done_ns + shift_ns});
	return count;
}
