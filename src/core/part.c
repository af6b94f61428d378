// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of runs: sectors to units, and writes that own blocks beside the cache.
 */
#include "desk.h"

/**
 * fc_part_ragged() - units of several sectors that the part covers only in part
 * @geo: geometry
 * @p: part, all but its @ragged filled in
 *
 * Behind the end of the disk nothing is missing.
 */
u16 fc_part_ragged(const struct fc_geo *geo, const struct fc_part *p)
{
	u32 mask = (1u << geo->unit_shift) - 1;
	u16 ragged = 0;

	if (p->first & mask)
		ragged |= fc_geo_units(geo, p->first, p->first + 1);
	if (p->end & mask && fc_geo_block_sector(geo, p->b) + p->end < geo->disk_sectors)
		ragged |= fc_geo_units(geo, p->end - 1, p->end);
	return ragged;
}

/**
 * fc_own_wait() - wake the set when those who own a block are done
 * @core: core
 * @set: set of the block, locked
 * @b: block
 */
void fc_own_wait(struct fc_core *core, struct fc_set *set, struct fc_oblock b)
{
	struct fc_own *own;

	if (core->discard.nr && fc_own_has(&core->discard, b))
		core->discard.wait = true;
	for (own = set->owns; own; own = own->next)
		if (fc_own_has(own, b))
			own->wait = true;
}

/**
 * fc_desk_take() - make room for a block, and note in the plan what it costs
 * @core: core
 * @set: its set, locked
 * @b: block that no slot holds
 * @plan: plan
 *
 * Return: way of a slot that now holds @b with nothing valid, or %FC_NIL when nothing may go.
 */
u16 fc_desk_take(const struct fc_core *core, struct fc_set *set, struct fc_oblock b,
		 struct fc_plan *plan)
{
	bool full = !set->len[FC_Q_FREE];
	u16 way = fc_replace_take(core, set, b);

	if (way == FC_NIL)
		plan->flags |= FC_PLAN_NO_ROOM;
	else if (full)
		plan->replaced++;
	return way;
}

/**
 * fc_desk_wait() - answer FC_WAIT because of a slot
 * @s: slot, of a locked set
 * @plan: plan
 *
 * When only the cleaner can end the wait it is asked for each time, so that no lost word can strand
 * those who wait.
 */
void fc_desk_wait(struct fc_slot *s, struct fc_plan *plan)
{
	if (s->dirty && s->busy == FC_IDLE && !s->pins)
		plan->flags |= FC_PLAN_CLEAN;
	s->wait = 1;
	plan->verdict = FC_WAIT;
}
