// SPDX-License-Identifier: GPL-2.0
/*
 * What to clean, and what cleaning means for a slot.
 */
#include "clean.h"
#include "desk.h"

static bool cleanable(const struct fc_slot *s)
{
	return s->dirty && s->busy == FC_IDLE && !s->pins;
}

static struct fc_clean_item item_of(const struct fc_core *core, const struct fc_set *set, u16 way)
{
	return (struct fc_clean_item){
		.b = { fc_set_slot(set, way)->block },
		.slot = fc_geo_slot(&core->geo, fc_core_set_index(core, set), way),
	};
}

/* From the oldest end of a queue on, which is the order in which slots will be wanted. */
static u32 pick_queue(const struct fc_core *core, const struct fc_set *set, enum fc_queue q,
		      struct fc_clean_item *items, u32 max)
{
	u16 way = fc_queue_oldest(set, q);
	u32 left, nr = 0;

	for (left = set->len[q]; left && nr < max; left--) {
		if (cleanable(fc_set_slot(set, way)))
			items[nr++] = item_of(core, set, way);
		way = fc_set_slot(set, way)->prev;
	}
	return nr;
}

/**
 * fc_clean_pick() - choose slots to clean
 * @core: core
 * @set: set, locked
 * @want: how many the set should lose
 * @items: filled
 * @max: room in @items
 *
 * Return: number of items.
 */
u32 fc_clean_pick(const struct fc_core *core, const struct fc_set *set, u32 want,
		  struct fc_clean_item *items, u32 max)
{
	u32 nr;

	if (want < max)
		max = want;
	nr = pick_queue(core, set, FC_Q_SMALL, items, max);
	return nr + pick_queue(core, set, FC_Q_MAIN, items + nr, max - nr);
}

/**
 * fc_clean_pick_waiting() - choose the slots that a request waits to see clean
 * @core: core
 * @set: set, locked
 * @items: filled
 * @max: room in @items
 *
 * Return: number of items.
 */
u32 fc_clean_pick_waiting(const struct fc_core *core, const struct fc_set *set,
			  struct fc_clean_item *items, u32 max)
{
	u32 way, nr = 0;

	for (way = 0; way < core->geo.assoc && nr < max; way++) {
		const struct fc_slot *s = fc_set_slot(set, (u16)way);

		if (s->wait && cleanable(s))
			items[nr++] = item_of(core, set, (u16)way);
	}
	return nr;
}

/**
 * fc_clean_find() - could this block be cleaned along with its neighbour?
 * @core: core
 * @set: set of the block, locked
 * @b: block
 * @item: filled when so
 */
bool fc_clean_find(const struct fc_core *core, const struct fc_set *set, struct fc_oblock b,
		   struct fc_clean_item *item)
{
	u16 way = fc_map_find(core, set, b, fc_geo_hash(&core->geo, b));

	if (way == FC_NIL || !cleanable(fc_set_slot(set, way)))
		return false;
	*item = item_of(core, set, way);
	return true;
}

/**
 * fc_clean_begin() - claim a slot for cleaning
 * @core: core
 * @set: its set, locked
 * @item: what was picked, possibly a while ago
 *
 * Writes in flight would reach the flash behind the cleaner's back, so a pinned slot is not taken;
 * writes that come later only make the slot stay dirty (FC_TOUCHED).
 *
 * Return: units to write to the disk; 0 when the slot cannot be had, or holds another block by now.
 */
u16 fc_clean_begin(const struct fc_core *core, struct fc_set *set,
		   const struct fc_clean_item *item)
{
	struct fc_slot *s = fc_set_slot(set, (u16)(item->slot.n & (core->geo.assoc - 1)));

	if (s->block != item->b.n || !cleanable(s))
		return 0;
	s->busy = FC_CLEANING;
	set->cleaning++;
	return s->dirty;
}

/**
 * fc_clean_end() - cleaning of a slot has ended
 * @core: core
 * @set: its set, locked
 * @item: the slot
 * @units: what fc_clean_begin() returned
 * @ok: the units are on the disk (not yet flushed)
 *
 * Return: FC_DONE_* flags.
 */
unsigned int fc_clean_end(const struct fc_core *core, struct fc_set *set,
			  const struct fc_clean_item *item, u16 units, bool ok)
{
	u16 way = (u16)(item->slot.n & (core->geo.assoc - 1));
	struct fc_slot *s = fc_set_slot(set, way);
	bool touched = s->busy == FC_TOUCHED;
	unsigned int done = 0;

	s->busy = FC_IDLE;
	set->cleaning--;
	if (ok && !touched) {
		if (fc_slot_clean(core, set, way, units))
			done |= FC_DONE_BARE;
		if (s->ledger)
			done |= FC_DONE_DEL;
	}
	if (fc_slot_release(core, set, way))
		done |= FC_DONE_WAKE;
	return done;
}
