// SPDX-License-Identifier: GPL-2.0
/*
 * Which slot of a set holds a block: hash chains of slot indices.
 */
#include "state.h"

/*
 * Blocks of one cluster share a hash; adding the block number gives them neighbouring chains.
 */
static u16 *chain_of(const struct fc_core *core, const struct fc_set *set, struct fc_oblock b,
		     u64 hash)
{
	u32 chain = ((u32)hash + (u32)b.n) & (core->geo.assoc / 2 - 1);

	return fc_set_chains(core, set) + chain;
}

/**
 * fc_map_find() - find a block
 * @core: core
 * @set: set of the block, locked
 * @b: block
 * @hash: its fc_geo_hash()
 *
 * Return: way of the slot, or %FC_NIL.
 */
u16 fc_map_find(const struct fc_core *core, const struct fc_set *set, struct fc_oblock b,
		u64 hash)
{
	const struct fc_slot *slots = fc_set_slots(set);
	u16 way = *chain_of(core, set, b, hash);

	if (way == FC_NIL)
		return FC_NIL;
	for (;;) {
		u16 next = slots[way].hnext;

		if (slots[way].block == b.n)
			return way;
		if (next == way)
			return FC_NIL;
		way = next;
	}
}

/**
 * fc_map_insert() - make a slot hold a block
 * @core: core
 * @set: set of the block, locked
 * @way: slot that holds none
 * @b: block that no slot holds
 */
void fc_map_insert(const struct fc_core *core, struct fc_set *set, u16 way, struct fc_oblock b)
{
	u16 *chain = chain_of(core, set, b, fc_geo_hash(&core->geo, b));
	struct fc_slot *s = fc_set_slot(set, way);

	s->block = b.n;
	s->hnext = *chain == FC_NIL ? way : *chain;
	*chain = way;
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
	u16 *chain = chain_of(core, set, b, fc_geo_hash(&core->geo, b));
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
