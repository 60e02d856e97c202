/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations as slices on the lanes of their process: what both formats for timeline viewers
 * draw. Times are nanoseconds since `base_ns` of the wall clock.
 */
#ifndef TOOLS_SLICES_H
#define TOOLS_SLICES_H

#include "tools/export.h"
#include "tools/inflight.h"
#include "tools/lanes.h"
#include "tools/stringset.h"

#define SLICES_SLOT_NS UINT64_C(1000000) /* of the counter of operations in flight */

struct slice {
	uint64_t start_ns;
	uint64_t end_ns;
	uint32_t process; /* number from 0 in the order they came; its id is in the op */
	uint32_t lane;    /* of the process, from 1 */
	bool new_process;
	bool new_lane;
};

struct slices {
	struct inflight inflight;
	struct stringset processes; /* their ids */
	struct lanes *lanes;        /* by process */
	size_t room;
	uint64_t base_ns; /* set by the format before the first slice */
};

/* waiting as for inflight_init(). Returns 0 or -ENOMEM. */
int slices_init(struct slices *slices, size_t waiting);
void slices_done(struct slices *slices);

/* Where the operation goes. Returns 0 or -ENOMEM. */
int slices_place(struct slices *slices, struct export *export, const struct trace_event *event,
		 struct slice *ret_slice);

/*
 * The parts of an operation inside its slice, when the options ask for them: service and hold.
 * Returns how many, in the order of time.
 */
struct slice_stage {
	const char *name;
	uint64_t start_ns;
	uint64_t end_ns;
};
size_t slices_stages(const struct slices *slices, const struct export *export,
		     const struct trace_event *event, const struct slice *slice,
		     struct slice_stage ret_stages[DURATIONS]);

/* A moment of the wall clock since the base; what lies before it is noted, and drawn there. */
uint64_t slices_since(const struct slices *slices, struct export *export, uint64_t wall_ns);

#endif
