// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger, read back.
 *
 * A checkpoint is taken while the cache works, so after a crash the table may name a block twice
 * until the log is replayed. Therefore slots then only note what they hold, and are in no queue and
 * no chain, until fc_ledger_settle() puts each set together. After an orderly stop there is no log,
 * and each slot of a table block finds its place at once.
 *
 * Slots are many. So they are written whole, not bit field by bit field, what a slot has in common
 * with the one before is looked at once, and each says of its neighbours in the queue that they are
 * the slots beside it, which fc_queue_put() then has to correct only where queues change.
 */
#include "ledger.h"

/**
 * struct nearby - what a slot may have in common with the one before
 * @cluster: cluster of the last block that was looked at
 * @hash: its hash
 * @unsure: units that a block of it must not have in this set without a closer look: those that no
 *	block has, or all
 */
struct nearby {
	u64 cluster;
	u64 hash;
	u16 unsure;
};

#define NEARBY_NOTHING	((struct nearby){ .cluster = ~0ull })

static noinline struct nearby look_at(const struct fc_geo *geo, struct fc_oblock b, u32 set)
{
	struct nearby nearby = {
		.cluster = fc_geo_cluster(geo, b),
		.hash = fc_geo_hash(geo, b),
		.unsure = 0xffff,
	};

	if (fc_geo_set(geo, nearby.hash) == set && fc_geo_whole(geo, nearby.cluster))
		nearby.unsure = (u16)~geo->full;
	return nearby;
}

static noinline bool look_closely(const struct fc_geo *geo, const void *block, u32 index,
				  struct fc_slotno slot)
{
	struct fc_entry entry = fc_table_entry(block, index);

	return fc_entry_possible(geo, &entry, slot);
}

static struct fc_slot *slot_of(const struct fc_core *core, struct fc_slotno slot,
			       struct fc_set **set)
{
	*set = fc_core_set(core, fc_geo_slot_set(&core->geo, slot));
	return fc_set_slot(*set, fc_geo_slot_way(&core->geo, slot));
}

static inline void hold(struct fc_slot *s, u16 way, u16 hnext, const struct fc_entry *entry,
			bool orderly)
{
	*s = (struct fc_slot){
		.block = entry->block.n,
		.freq = entry->flags & FCD_ENTRY_FREQ,
		.queue = entry->flags & FCD_ENTRY_SMALL ? FC_Q_SMALL : FC_Q_MAIN,
		.hnext = hnext,
		.ledger = !!entry->dirty,
		.valid = orderly ? entry->valid : entry->dirty,
		.dirty = entry->dirty,
		.prev = way + 1,
		.next = way - 1,
	};
}

/**
 * fc_ledger_load() - load a table entry, for fc_ledger_settle()
 * @core: core
 * @slot: slot
 * @entry: entry that fc_table_get() found possible
 * @orderly: clean units count
 */
void fc_ledger_load(const struct fc_core *core, struct fc_slotno slot,
		    const struct fc_entry *entry, bool orderly)
{
	u16 way = fc_geo_slot_way(&core->geo, slot);
	struct fc_set *set;
	struct fc_slot *s = slot_of(core, slot, &set);

	hold(s, way, way, entry, orderly);
	if (!orderly)
		set->stale = 1;
}

/**
 * fc_ledger_replay() - apply a log record
 * @core: core
 * @rec: record that fc_log_get() found possible
 */
void fc_ledger_replay(const struct fc_core *core, const struct fc_record *rec)
{
	struct fc_entry entry = { .block = rec->block, .valid = rec->dirty, .dirty = rec->dirty };

	fc_ledger_load(core, rec->slot, &entry, false);
}

/*
 * Puts a slot at the head of its block's chain, but for its @hnext, which is returned: %FC_NIL when
 * another slot holds the block.
 */
static inline u16 join(const struct fc_core *core, struct fc_set *set, u16 way, struct fc_oblock b,
		       u64 hash)
{
	u16 *chain = fc_map_chain(core, set, b, hash);
	u16 head = *chain;

	if (fc_map_find_in(set, chain, b) != FC_NIL)
		return FC_NIL;
	*chain = way;
	return head == FC_NIL ? way : head;
}

/**
 * fc_ledger_settle() - put a loaded set together
 * @core: core
 * @set: set; zeroed before its slots were loaded, or fresh from fc_set_init()
 *
 * Return: false when two slots claim the same block.
 */
bool fc_ledger_settle(const struct fc_core *core, struct fc_set *set)
{
	struct fc_slot *slots = fc_set_slots(set);
	struct nearby nearby = NEARBY_NOTHING;
	u32 way;

	fc_set_unlink_all(core, set);
	for (way = 0; way < core->geo.assoc; way++) {
		struct fc_oblock b = { slots[way].block };
		u16 hnext;

		if (!slots[way].valid) {
			slots[way] = fc_slot_empty((u16)way);
			continue;
		}
		if (fc_geo_cluster(&core->geo, b) != nearby.cluster)
			nearby = look_at(&core->geo, b, 0);
		hnext = join(core, set, (u16)way, b, nearby.hash);
		if (hnext == FC_NIL)
			return false;
		slots[way].hnext = hnext;
		set->dirty += !!slots[way].dirty;
	}
	fc_queue_put(set, 0, core->geo.assoc);
	return true;
}

static const char impossible[] = "the table has an impossible entry";

/* A run of table entries that are slots of one set. */
struct run {
	const void *block;
	u32 first;
	u32 nr;
	struct fc_slotno slot;
};

/* Compiled twice: what differs after a crash must not cost an orderly load anything. */
static __always_inline const char *load_run(const struct fc_core *given, const struct run *run,
					    bool orderly)
{
	/* A copy, so that the compiler sees that what is written into slots does not change it. */
	const struct fc_core own = *given, *core = &own;
	struct fc_slotno slot = run->slot;
	u16 way = fc_geo_slot_way(&core->geo, slot), hnext = way;
	struct nearby nearby = NEARBY_NOTHING;
	struct fc_set *set;
	struct fc_slot *s = slot_of(core, slot, &set);
	u32 i, end = run->first + run->nr, dirty = 0;

	for (i = run->first; i < end; i++, slot.n++, way++, s++) {
		struct fc_entry entry = fc_table_entry(run->block, i);

		if (entry.dirty & ~entry.valid)
			return impossible;
		if (!entry.valid) {
			if (orderly)
				*s = fc_slot_empty(way);
			continue;
		}
		if (fc_geo_cluster(&core->geo, entry.block) != nearby.cluster)
			nearby = look_at(&given->geo, entry.block,
					 fc_geo_slot_set(&core->geo, slot));
		if (unlikely(entry.valid & nearby.unsure) &&
		    !look_closely(&given->geo, run->block, i, slot))
			return impossible;
		if (orderly) {
			hnext = join(core, set, way, entry.block, nearby.hash);
			if (hnext == FC_NIL)
				return FC_LEDGER_DOUBLE;
			dirty += !!entry.dirty;
		} else {
			set->stale = 1;
		}
		hold(s, way, hnext, &entry, orderly);
	}
	set->dirty += dirty;
	return NULL;
}

static const char *place_run(const struct fc_core *core, const struct run *run)
{
	u16 way = fc_geo_slot_way(&core->geo, run->slot);
	struct fc_set *set = fc_core_set(core, fc_geo_slot_set(&core->geo, run->slot));
	const char *why;

	if (!way)
		fc_set_unlink_all(core, set);
	why = load_run(core, run, true);
	if (!why)
		fc_queue_put(set, way, way + run->nr);
	return why;
}

/* Behind the last slot nothing can be. */
static const char *load_nothing(const void *block, u32 from)
{
	for (; from < FCD_TABLE_ENTRIES; from++) {
		struct fc_entry entry = fc_table_entry(block, from);

		if (entry.valid || entry.dirty)
			return impossible;
	}
	return NULL;
}

/**
 * fc_ledger_load_block() - load all entries of a table block
 * @core: core; its sets are zeroed before the first block
 * @block: block that fc_table_open() found good
 * @index: its number; blocks come from first to last
 * @orderly: clean units count, and sets need no fc_ledger_settle() after the last block
 *
 * Return: NULL, or why the cache cannot be loaded.
 */
const char *fc_ledger_load_block(const struct fc_core *core, const void *block, u64 index,
				 bool orderly)
{
	const struct fc_geo *geo = &core->geo;
	struct run run = { .block = block, .slot = { index * FCD_TABLE_ENTRIES } };
	const char *why = NULL;

	while (!why && run.first < FCD_TABLE_ENTRIES && run.slot.n < geo->nr_slots) {
		run.nr = geo->assoc - fc_geo_slot_way(geo, run.slot);
		if (run.nr > FCD_TABLE_ENTRIES - run.first)
			run.nr = FCD_TABLE_ENTRIES - run.first;
		why = orderly ? place_run(core, &run) : load_run(core, &run, false);
		run.first += run.nr;
		run.slot.n += run.nr;
	}
	return why ? why : load_nothing(block, run.first);
}
