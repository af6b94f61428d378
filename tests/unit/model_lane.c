// SPDX-License-Identifier: GPL-2.0
/*
 * The fast lane must say what the desk says: it is asked first, what it did is undone, and the desk's
 * answer and the state that the desk leaves are compared with it.
 */
#include "lane.h"
#include "model.h"

/**
 * struct lane - what the lane said, and the set as it left it
 * @asked: the request lies within one block
 * @way: its answer
 * @past: it says that this request, which brings nothing in, can go straight to the disk
 * @after: copy of the set's chunk
 */
static struct {
	bool asked;
	u16 way;
	bool past;
	char after[1 << 18];
} lane;

void model_lane_ask(struct fc_set *set, const struct fc_ask *ask, bool write)
{
	static char before[sizeof(lane.after)];
	struct fc_oblock b = fc_geo_block(&w->core->geo, ask->sector);
	const u16 *chain = fc_map_chain(w->core, set, b, ask->hash);
	u32 units = 0;

	CHECK(w->core->stride <= sizeof(before));
	lane.asked = fc_lane_units(&w->core->geo, ask->sector, ask->nr, &units);
	lane.past = false;
	if (!lane.asked)
		return;
	memcpy(before, set, w->core->stride);
	lane.way = write ? fc_lane_write(w->core, set, chain, b, units) :
		   fc_lane_read(w->core, set, chain, b, units);
	memcpy(lane.after, set, w->core->stride);
	if (lane.way >= FC_LANE_SHUT)
		CHECK(!memcmp(lane.after, before, w->core->stride));
	if (lane.way == FC_NIL)
		CHECK_EQ(fc_desk_absent(w->core, set, ask), ask->nr);
	lane.past = lane.way == FC_NIL && !ask->admit;
	memcpy(set, before, w->core->stride);
}

/* For what the desk calls a hit over valid, or over dirty units, the lane must be open. */
void model_lane_compare(const struct fc_set *set, const struct fc_plan *plan, u32 nr, bool write)
{
	bool hit = plan->verdict == FC_HIT && plan->nr == nr;

	if (write)
		hit = hit && plan->flags & FC_PLAN_REDIRTY && !w->core->discard.nr;
	if (!lane.asked)
		return;
	if (lane.past) {
		w->pasts++;
		CHECK(plan->verdict == FC_DISK && plan->nr == nr && !plan->flags);
	}
	if (lane.way >= FC_LANE_SHUT) {
		CHECK(!hit);
		return;
	}
	w->lanes++;
	CHECK(hit);
	CHECK_EQ(plan->nr_blocks, 1);
	CHECK_EQ(plan->way[0], lane.way);
	CHECK(!memcmp(set, lane.after, w->core->stride));
}
