// SPDX-License-Identifier: GPL-2.0
/*
 * The desk: writes.
 */
#include "desk.h"
#include "flashcache/uapi.h"

/* A unit would hold data that nobody has: its block must come from the disk first. */
static bool needs_fetch(const struct fc_part *p, const struct fc_slot *s)
{
	return unlikely(p->ragged & ~s->valid);
}

/* Claims the front's block for a fetch; slots in use must be waited for. */
static void fetch(struct fc_set *set, struct fc_plan *plan, const struct fc_part *p, u16 way)
{
	struct fc_slot *s = fc_set_slot(set, way);

	if (s->busy != FC_IDLE || s->pins) {
		fc_desk_wait(s, plan);
		return;
	}
	s->busy = FC_OWNED;
	plan->verdict = FC_FETCH;
	plan->way[0] = way;
	plan->nr_blocks = 1;
	plan->nr = p->end - p->first;
}

/* Lists the plan's blocks as owned by a write beside the cache. */
static void own(const struct fc_geo *geo, struct fc_set *set, struct fc_plan *plan)
{
	plan->verdict = FC_AROUND;
	plan->own.first = fc_geo_block(geo, plan->sector);
	plan->own.nr = plan->nr_blocks;
	plan->own.wait = false;
	plan->own.next = set->owns;
	set->owns = &plan->own;
}

/* The write beside the cache: owns its blocks, whether a slot holds them or not. */
static void around(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		   struct fc_plan *plan)
{
	const struct fc_geo *geo = &core->geo;
	struct fc_oblock b = fc_geo_block(geo, ask->sector);
	u64 end = fc_geo_block(geo, ask->sector + ask->nr - 1).n + 1;
	sector_t stop;

	plan->nr_blocks = 0;
	for (; b.n < end; b.n++) {
		u16 way = fc_map_find(core, set, b, ask->hash);
		struct fc_slot *s = way == FC_NIL ? NULL : fc_set_slot(set, way);

		if (s && (fc_slot_closed(s) || s->busy != FC_IDLE || s->pins || s->dirty))
			break;
		if (s)
			s->busy = FC_OWNED;
		plan->way[plan->nr_blocks++] = way;
	}
	stop = fc_geo_block_sector(geo, b);
	plan->nr = ask->sector + ask->nr > stop ? (u32)(stop - ask->sector) : ask->nr;
	own(geo, set, plan);
}

/* Pins a slot for a write in place and notes what the write means for it. */
static void pin(const struct fc_core *core, struct fc_set *set, u16 way, const struct fc_part *p,
		struct fc_plan *plan)
{
	struct fc_slot *s = fc_set_slot(set, way);

	s->pins++;
	if (s->busy == FC_CLEANING)
		s->busy = FC_TOUCHED;
	if (s->valid)
		fc_replace_hit(core, set, way);
	if (p->units & ~s->dirty)
		plan->flags &= ~(FC_PLAN_REDIRTY | FC_PLAN_DURABLE);
	else if (plan->flags & FC_PLAN_DURABLE && !fc_slot_recorded(core, set, way))
		plan->flags &= ~FC_PLAN_DURABLE;
	plan->nr_blocks++;
}

/* Which slot holds block @b? Asked of slot @way first, where the run would like to have it. */
static u16 find_at(const struct fc_core *core, const struct fc_set *set, struct fc_oblock b,
		   u64 hash, u32 way)
{
	const struct fc_slot *s = fc_set_slot(set, (u16)way);

	if (likely(way < core->geo.assoc && s->queue != FC_Q_FREE && s->block == b.n))
		return (u16)way;
	return fc_map_find(core, set, b, hash);
}

/* May the run go on with block @p->b in slot @way? Takes the slot for it where that is free. */
static bool continues(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		      struct fc_plan *plan, const struct fc_part *p, u32 way)
{
	u16 found = find_at(core, set, p->b, ask->hash, way);
	const struct fc_slot *s;
	bool full;

	if (fc_own_covers(core, set, p->b))
		return false;
	if (found == FC_NIL) {
		full = !set->len[FC_Q_FREE];
		if (!ask->admit || p->ragged || way >= core->geo.assoc)
			return false;
		if (!fc_replace_take_way(core, set, p->b, (u16)way))
			return false;
		plan->replaced += full;
		return true;
	}
	s = fc_set_slot(set, found);
	return found == way && !fc_slot_closed(s) && !needs_fetch(p, s);
}

static void write_in_place(const struct fc_core *core, struct fc_set *set,
			   const struct fc_ask *ask, struct fc_plan *plan, u16 way)
{
	const struct fc_geo *geo = &core->geo;
	struct fc_part p = fc_part_at(geo, ask->sector, ask->nr);
	u32 done = 0;

	plan->verdict = FC_HIT;
	plan->flags |= FC_PLAN_REDIRTY | (ask->fua ? FC_PLAN_DURABLE : 0);
	plan->way[0] = way;
	plan->nr_blocks = 0;
	for (;;) {
		pin(core, set, way, &p, plan);
		done += p.end - p.first;
		if (done == ask->nr)
			break;
		p = fc_part_at(geo, ask->sector + done, ask->nr - done);
		if (!continues(core, set, ask, plan, &p, (u32)way + 1))
			break;
		way++;
	}
	plan->nr = done;
}

/*
 * The front's slot for a write, a new one if need be; FC_NIL with the verdict set when there is
 * none.
 */
static u16 slot_for_write(struct fc_core *core, struct fc_set *set,
			  const struct fc_ask *ask, struct fc_plan *plan)
{
	struct fc_oblock b = fc_geo_block(&core->geo, ask->sector);
	u16 way = fc_map_find(core, set, b, ask->hash);

	if (way != FC_NIL && fc_slot_closed(fc_set_slot(set, way))) {
		fc_desk_wait(fc_set_slot(set, way), plan);
		return FC_NIL;
	}
	/*
	 * Also where there is a slot: a discard leaves an empty one behind that the ledger keeps.
	 */
	if (fc_own_covers(core, set, b)) {
		fc_own_wait(core, set, b);
		plan->verdict = FC_WAIT;
		return FC_NIL;
	}
	if (way != FC_NIL)
		return way;
	way = ask->admit ? fc_desk_take(core, set, b, plan) : (u16)FC_NIL;
	if (way == FC_NIL) {
		around(core, set, ask, plan);
		return FC_NIL;
	}
	plan->flags |= FC_PLAN_NEW;
	return way;
}

static void write_back(struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		       struct fc_plan *plan)
{
	u16 way = slot_for_write(core, set, ask, plan);
	struct fc_part p;

	if (way == FC_NIL)
		return;
	p = fc_part_at(&core->geo, ask->sector, ask->nr);
	if (needs_fetch(&p, fc_set_slot(set, way)))
		fetch(set, plan, &p, way);
	else
		write_in_place(core, set, ask, plan, way);
}

/*
 * A block that is dirty from write-back days is cleaned before a write that the disk must take: one
 * copy at a time is the newest.
 */
static bool must_clean(const struct fc_core *core, struct fc_slot *s, struct fc_plan *plan)
{
	if (likely(!s->dirty))
		return false;
	/* The cleaner is asked in any case, so that it notices when cleaning works again. */
	plan->flags |= FC_PLAN_CLEAN;
	if (core->no_clean && s->busy == FC_IDLE) {
		plan->verdict = FC_FAIL;
		return true;
	}
	fc_desk_wait(s, plan);
	return true;
}

/* Claims slot @way for a write to both devices. */
static bool claim(struct fc_set *set, u16 way)
{
	struct fc_slot *s = fc_set_slot(set, way);

	if (s->busy != FC_IDLE || s->pins || s->dirty)
		return false;
	s->busy = FC_OWNED;
	return true;
}

static void write_both(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		       struct fc_plan *plan, u16 way)
{
	const struct fc_geo *geo = &core->geo;
	u64 hash = ask->hash;
	u32 done = 0;

	plan->verdict = FC_BOTH;
	plan->nr_blocks = 0;
	while (way != FC_NIL && claim(set, way)) {
		struct fc_part p = fc_part_at(geo, ask->sector + done, ask->nr - done);

		if (fc_set_slot(set, way)->valid)
			fc_replace_hit(core, set, way);
		plan->way[plan->nr_blocks++] = way;
		done += p.end - p.first;
		if (done == ask->nr)
			break;
		p.b.n++;
		if (fc_own_covers(core, set, p.b))
			break;
		way = fc_map_find(core, set, p.b, hash);
		if (way == FC_NIL && ask->admit)
			way = fc_desk_take(core, set, p.b, plan);
		else if (way != FC_NIL && fc_slot_closed(fc_set_slot(set, way)))
			way = FC_NIL;
	}
	plan->nr = done;
}

/* Write-through, of at most what fits into the shell's copy. */
static void write_through(struct fc_core *core, struct fc_set *set,
			  const struct fc_ask *ask, struct fc_plan *plan)
{
	struct fc_ask part = *ask;
	struct fc_slot *s;
	u16 way;

	if (part.nr > FC_CLAIM_SECTORS)
		part.nr = FC_CLAIM_SECTORS;
	way = slot_for_write(core, set, ask, plan);
	if (way == FC_NIL)
		return;
	s = fc_set_slot(set, way);
	if (must_clean(core, s, plan))
		return;
	if (s->busy != FC_IDLE || s->pins)
		fc_desk_wait(s, plan);
	else
		write_both(core, set, &part, plan, way);
}

static void write_around(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
			 struct fc_plan *plan)
{
	u16 way = fc_map_find(core, set, fc_geo_block(&core->geo, ask->sector), ask->hash);
	struct fc_slot *s;

	if (way != FC_NIL) {
		s = fc_set_slot(set, way);
		if (must_clean(core, s, plan))
			return;
		if (fc_slot_closed(s) || s->busy != FC_IDLE || s->pins) {
			fc_desk_wait(s, plan);
			return;
		}
	}
	around(core, set, ask, plan);
}

/**
 * fc_desk_write() - decide on a write
 * @core: core
 * @set: set of the asked sectors, locked
 * @ask: front of the request
 * @plan: filled; with FC_AROUND its @own is listed in the set until fc_desk_done_around()
 */
void fc_desk_write(struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		   struct fc_plan *plan)
{
	plan->sector = ask->sector;
	plan->flags = 0;
	plan->replaced = 0;
	if (core->mode == FC_MODE_WRITEBACK && likely(!core->no_writeback))
		write_back(core, set, ask, plan);
	else if (core->mode == FC_MODE_WRITEAROUND)
		write_around(core, set, ask, plan);
	else
		write_through(core, set, ask, plan);
}

/**
 * fc_desk_try_write() - decide on a write if it can go to flash in place at once
 * @core: core
 * @set: set of the asked sectors, locked
 * @ask: front of the request
 * @plan: filled on success
 *
 * Return: true with an FC_HIT plan; false when nothing was changed.
 */
bool fc_desk_try_write(struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		       struct fc_plan *plan)
{
	struct fc_part p = fc_part_at(&core->geo, ask->sector, ask->nr);
	u16 way = fc_map_find(core, set, p.b, ask->hash);

	if (core->mode != FC_MODE_WRITEBACK || core->no_writeback ||
	    fc_own_covers(core, set, p.b))
		return false;
	if (way != FC_NIL && (fc_slot_closed(fc_set_slot(set, way)) ||
			      needs_fetch(&p, fc_set_slot(set, way))))
		return false;
	plan->sector = ask->sector;
	plan->flags = 0;
	plan->replaced = 0;
	if (way == FC_NIL) {
		way = ask->admit && !p.ragged ? fc_desk_take(core, set, p.b, plan) : (u16)FC_NIL;
		if (way == FC_NIL)
			return false;
		plan->flags |= FC_PLAN_NEW;
	}
	write_in_place(core, set, ask, plan, way);
	return true;
}

/**
 * fc_desk_both_to_around() - write the disk alone after all
 * @core: core
 * @set: set, locked
 * @plan: FC_BOTH plan of which no step was begun; becomes FC_AROUND
 */
void fc_desk_both_to_around(const struct fc_core *core, struct fc_set *set, struct fc_plan *plan)
{
	own(&core->geo, set, plan);
}
