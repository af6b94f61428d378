/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The fast lane: most of a cache's life.
 *
 * A read whose units are all valid, and a write whose units are all dirty already, within one
 * block, that nobody stands in the way of. The desk would answer FC_HIT, as it does for all others;
 * these functions say the same in as few instructions as can be, inlined into the I/O room. When
 * they say no, nothing was changed, and the desk is asked; but of a read they also say when no slot
 * holds its block, so that one that is to bring nothing in can go straight to the disk.
 */
#ifndef FC_CORE_LANE_H
#define FC_CORE_LANE_H

#include "desk.h"

/* No way of a slot, and neither %FC_NIL, which says that no slot holds the block: ask the desk. */
#define FC_LANE_SHUT	0xfffeu

/**
 * fc_lane_units() - the units of a request, if it may take the lane
 * @geo: geometry
 * @sector: first sector
 * @nr: sectors
 * @units: mask of them
 *
 * Return: false when the request is empty or does not lie within one block.
 */
static inline bool fc_lane_units(const struct fc_geo *geo, sector_t sector, u32 nr, u32 *units)
{
	u32 first = (u32)sector & (geo->block_sectors - 1);
	u32 end = first + nr;

	if (likely(!first && nr == geo->block_sectors)) {
		*units = geo->full;
		return true;
	}
	if (unlikely(end > geo->block_sectors || !nr))
		return false;
	*units = fc_geo_units(geo, first, end);
	return true;
}

/**
 * fc_lane_read() - pin a slot for a read in place
 * @core: core
 * @set: set of the block, locked
 * @chain: the block's fc_map_chain()
 * @b: block
 * @units: units to be read
 *
 * Return: way of the slot, as of an FC_HIT plan of one block, or %FC_NIL, or %FC_LANE_SHUT.
 */
static inline u16 fc_lane_read(const struct fc_core *core, struct fc_set *set, const u16 *chain,
			       struct fc_oblock b, u32 units)
{
	u16 way = fc_map_find_in(set, chain, b);
	struct fc_slot *s;

	if (unlikely(way == FC_NIL))
		return FC_NIL;
	s = fc_set_slot(set, way);
	if (unlikely(units & ~s->valid || fc_slot_closed(s)))
		return FC_LANE_SHUT;
	s->pins++;
	fc_replace_hit(core, set, way);
	return way;
}

/**
 * fc_lane_write() - pin a slot for a write in place over units that are dirty already
 * @core: core
 * @set: set of the block, locked
 * @chain: the block's fc_map_chain()
 * @b: block
 * @units: units to be written
 *
 * Return: way of the slot, as of an FC_HIT plan of one block with FC_PLAN_REDIRTY, or
 * %FC_LANE_SHUT.
 */
static inline u16 fc_lane_write(const struct fc_core *core, struct fc_set *set, const u16 *chain,
				struct fc_oblock b, u32 units)
{
	u16 way = fc_map_find_in(set, chain, b);
	struct fc_slot *s;

	if (unlikely(way == FC_NIL || core->mode != FC_MODE_WRITEBACK || core->no_writeback))
		return FC_LANE_SHUT;
	/* A block that is being discarded is written to when it is gone: see fc_own_covers(). */
	if (unlikely(smp_load_acquire(&core->discard.nr)))
		return FC_LANE_SHUT;
	s = fc_set_slot(set, way);
	if (unlikely(units & ~s->dirty || fc_slot_closed(s)))
		return FC_LANE_SHUT;
	s->pins++;
	if (unlikely(s->busy == FC_CLEANING))
		s->busy = FC_TOUCHED;
	fc_replace_hit(core, set, way);
	return way;
}

#endif /* FC_CORE_LANE_H */
