// SPDX-License-Identifier: GPL-2.0
/*
 * The desk: reads.
 */
#include "desk.h"

/* Sectors from @first to the first unit that is not in @have, at most to @end. */
static u32 run_within(const struct fc_geo *geo, u16 have, u32 first, u32 end)
{
	u32 unit = first >> geo->unit_shift;
	u32 missing = ~((u32)have >> unit);
	u32 stop = (unit + __ffs(missing)) << geo->unit_shift;

	return (stop < end ? stop : end) - first;
}

/* Does slot @way hold @b, open for work in place, with its first unit valid? */
static bool continues(const struct fc_core *core, const struct fc_set *set, u32 way,
		      struct fc_oblock b)
{
	const struct fc_slot *s = fc_set_slot(set, (u16)way);

	return way < core->geo.assoc && s->queue != FC_Q_FREE && s->block == b.n &&
	       (s->valid & 1) && !fc_slot_closed(s);
}

static void pin(const struct fc_core *core, struct fc_set *set, u16 way)
{
	fc_set_slot(set, way)->pins++;
	fc_replace_hit(core, set, way);
}

/* The front is valid in slot @way: take all that lies behind it on flash as well as on the disk. */
static void read_hit(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		     struct fc_plan *plan, u16 way)
{
	const struct fc_geo *geo = &core->geo;
	struct fc_oblock b = fc_geo_block(geo, ask->sector);
	u32 first = (u32)ask->sector & (geo->block_sectors - 1);
	u32 left = ask->nr;

	plan->verdict = FC_HIT;
	plan->way[0] = way;
	plan->nr_blocks = 0;
	for (;;) {
		u32 end = first + left < geo->block_sectors ? first + left : geo->block_sectors;
		u32 n = run_within(geo, fc_set_slot(set, way)->valid, first, end);

		pin(core, set, way);
		plan->nr_blocks++;
		left -= n;
		if (!left || first + n < geo->block_sectors)
			break;
		first = 0;
		b.n++;
		if (!continues(core, set, ++way, b))
			break;
	}
	plan->nr = ask->nr - left;
}

/*
 * Sectors from the front on that the cache does not hold. A block that is owned ends the run: it
 * may be about to hold them.
 */
static u32 missing_run(const struct fc_core *core, const struct fc_set *set,
		       const struct fc_ask *ask)
{
	const struct fc_geo *geo = &core->geo;
	u32 done = 0;

	while (done < ask->nr) {
		struct fc_part p = fc_part_at(geo, ask->sector + done, ask->nr - done);
		u16 way = fc_map_find(core, set, p.b, ask->hash);
		u32 n = p.end - p.first;

		if (way != FC_NIL) {
			const struct fc_slot *s = fc_set_slot(set, way);

			if (s->busy == FC_OWNED)
				break;
			if (s->valid >> (p.first >> geo->unit_shift) & 1)
				break;
			n = run_within(geo, (u16)~s->valid, p.first, p.end);
		}
		done += n;
		if (n < p.end - p.first)
			break;
	}
	return done;
}

/* Claims block @b for a fill: @way, its slot, if that is idle; a new one if it has none (FC_NIL). */
static u16 claim(const struct fc_core *core, struct fc_set *set, struct fc_oblock b, u16 way,
		 struct fc_plan *plan)
{
	struct fc_slot *s;

	/* A slot that the ledger keeps may be there, empty, for a block that is being discarded. */
	if (fc_own_covers(core, set, b))
		return FC_NIL;
	if (way == FC_NIL) {
		way = fc_desk_take(core, set, b, plan);
		if (way == FC_NIL)
			return FC_NIL;
	}
	s = fc_set_slot(set, way);
	if (s->busy != FC_IDLE || s->pins)
		return FC_NIL;
	s->busy = FC_OWNED;
	return way;
}

/*
 * Free slots are worth nothing: they take what lies behind the fill, up to the end of its cluster.
 * The disk gives that in the same movement, and no block has to leave for it. A block that is there,
 * even in part, ends it.
 */
static void claim_ahead(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
			struct fc_plan *plan, struct fc_oblock b, u64 limit)
{
	const struct fc_geo *geo = &core->geo;
	u64 end = fc_geo_block(geo, fc_geo_run_end(geo, ask->sector)).n;
	u64 last = fc_geo_block(geo, geo->disk_sectors - 1).n;
	u16 way;

	if (end > limit)
		end = limit;
	if (end > last + 1)
		end = last + 1;
	for (; b.n < end && set->len[FC_Q_FREE]; b.n++) {
		if (fc_map_find(core, set, b, ask->hash) != FC_NIL)
			return;
		way = claim(core, set, b, FC_NIL, plan);
		if (way == FC_NIL)
			return;
		plan->way[plan->nr_blocks++] = way;
	}
}

/* Claims as many blocks from the front on as can be had; the plan shrinks to them. */
static void claim_run(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		      struct fc_plan *plan)
{
	const struct fc_geo *geo = &core->geo;
	struct fc_oblock b = fc_geo_block(geo, ask->sector);
	u64 end = fc_geo_block(geo, ask->sector + plan->nr - 1).n + 1;
	u64 limit = b.n + (FC_CLAIM_SECTORS >> geo->block_shift);
	sector_t stop;

	if (end > limit)
		end = limit;
	plan->nr_blocks = 0;
	for (; b.n < end; b.n++) {
		u16 way = claim(core, set, b, fc_map_find(core, set, b, ask->hash), plan);

		if (way == FC_NIL)
			break;
		plan->way[plan->nr_blocks++] = way;
	}
	if (!plan->nr_blocks)
		return;
	plan->verdict = FC_FILL;
	stop = fc_geo_block_sector(geo, b);
	if (ask->sector + plan->nr > stop)
		plan->nr = (u32)(stop - ask->sector);
	if (core->fill_ahead && b.n == end)
		claim_ahead(core, set, ask, plan, b, limit);
}

static void read_miss(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		      struct fc_plan *plan, u16 way)
{
	if (way != FC_NIL) {
		struct fc_slot *s = fc_set_slot(set, way);

		if (s->busy == FC_OWNED) {
			fc_desk_wait(s, plan);
			return;
		}
		/*
		 * Often it is the first half of the very same request that pins it. To wait for
		 * the flash is better than never to fill what is missing.
		 */
		if (ask->admit && s->pins && s->busy == FC_IDLE) {
			fc_desk_wait(s, plan);
			return;
		}
		if (s->valid)
			plan->flags |= FC_PLAN_PARTIAL;
	}
	plan->verdict = FC_DISK;
	plan->nr = missing_run(core, set, ask);
	if (ask->admit)
		claim_run(core, set, ask, plan);
}

static void begin_plan(const struct fc_ask *ask, struct fc_plan *plan)
{
	plan->sector = ask->sector;
	plan->flags = 0;
	plan->replaced = 0;
}

/**
 * fc_desk_read() - decide on a read
 * @core: core
 * @set: set of the asked sectors, locked
 * @ask: front of the request
 * @plan: filled; its @own is not touched
 */
void fc_desk_read(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		  struct fc_plan *plan)
{
	const struct fc_geo *geo = &core->geo;
	u16 way = fc_map_find(core, set, fc_geo_block(geo, ask->sector), ask->hash);
	u32 unit = ((u32)ask->sector & (geo->block_sectors - 1)) >> geo->unit_shift;
	struct fc_slot *s;

	begin_plan(ask, plan);
	if (way == FC_NIL) {
		read_miss(core, set, ask, plan, way);
		return;
	}
	s = fc_set_slot(set, way);
	if (!(s->valid >> unit & 1))
		read_miss(core, set, ask, plan, way);
	else if (unlikely(fc_slot_closed(s)))
		fc_desk_wait(s, plan);
	else
		read_hit(core, set, ask, plan, way);
}

/**
 * fc_desk_try_read() - decide on a read if it is a hit, and nobody stands in its way
 * @core: core
 * @set: set of the asked sectors, locked
 * @ask: front of the request
 * @plan: filled on success
 *
 * Return: true with an FC_HIT plan; false when nothing was changed.
 */
bool fc_desk_try_read(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		      struct fc_plan *plan)
{
	const struct fc_geo *geo = &core->geo;
	u16 way = fc_map_find(core, set, fc_geo_block(geo, ask->sector), ask->hash);
	u32 unit = ((u32)ask->sector & (geo->block_sectors - 1)) >> geo->unit_shift;
	const struct fc_slot *s;

	if (way == FC_NIL)
		return false;
	s = fc_set_slot(set, way);
	if (!(s->valid >> unit & 1) || fc_slot_closed(s))
		return false;
	begin_plan(ask, plan);
	read_hit(core, set, ask, plan, way);
	return true;
}

/**
 * fc_desk_absent() - how far does the cache hold nothing of a request?
 * @core: core
 * @set: set of the asked sectors, locked
 * @ask: front of the request
 *
 * For reads that pass by the cache: they may go to the disk in one piece as far as no slot has a
 * part of their blocks, or is about to have one.
 *
 * Return: sectors from the front on.
 */
u32 fc_desk_absent(const struct fc_core *core, const struct fc_set *set, const struct fc_ask *ask)
{
	const struct fc_geo *geo = &core->geo;
	struct fc_oblock b = fc_geo_block(geo, ask->sector);
	u64 end = fc_geo_block(geo, ask->sector + ask->nr - 1).n;
	sector_t stop;

	for (; fc_map_find(core, set, b, ask->hash) == FC_NIL; b.n++)
		if (b.n == end)
			return ask->nr;
	stop = fc_geo_block_sector(geo, b);
	return stop > ask->sector ? (u32)(stop - ask->sector) : 0;
}
