// SPDX-License-Identifier: GPL-2.0
/*
 * Which slot of a set holds a block: hash chains of slot indices.
 */
#include "state.h"

/**
 * fc_map_insert() - make a slot hold a block
 * @core: core
 * @set: set of the block, locked
 * @way: slot that holds none
 * @b: block that no slot holds
 */
void fc_map_insert(const struct fc_core *core, struct fc_set *set, u16 way, struct fc_oblock b)
{
	u16 *chain = fc_map_chain(core, set, b, fc_geo_hash(&core->geo, b));

	fc_set_slot(set, way)->block = b.n;
	fc_map_link(set, chain, way);
}

/**
 * fc_map_remove() - make a slot hold no block
 * @core: core
 * @set: its set, locked
 * @way: slot that holds a block
 */
void fc_map_remove(const struct fc_core *core, struct fc_set *set, u16 way)
{
	struct fc_slot *slots = fc_set_slots(set);
	struct fc_oblock b = { slots[way].block };
	u16 *chain = fc_map_chain(core, set, b, fc_geo_hash(&core->geo, b));
	u16 next = slots[way].hnext;
	u16 before = *chain;

	if (before == way) {
		*chain = next == way ? FC_NIL : next;
		return;
	}
	while (slots[before].hnext != way)
		before = slots[before].hnext;
	slots[before].hnext = next == way ? before : next;
}
