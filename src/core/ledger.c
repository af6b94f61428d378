// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger: what is recorded of the slots, and how it is read back.
 */
#include "ledger.h"
#include "desk.h"

static void gather_slot(const struct fc_core *core, struct fc_set *set, u16 way,
			struct fc_gather *to)
{
	struct fc_slot *s = fc_set_slot(set, way);
	struct fc_record *rec = &to->recs[to->nr++];

	rec->slot = fc_geo_slot(&core->geo, fc_core_set_index(core, set), way);
	rec->block.n = s->block;
	rec->dirty = s->dirty;
	rec->removes = test_bit(way, fc_set_pend(core, set, FC_PEND_DEL));
	to->removes |= rec->removes;
	__clear_bit(way, fc_set_pend(core, set, FC_PEND_ADD));
	__clear_bit(way, fc_set_pend(core, set, FC_PEND_DEL));
	__set_bit(way, fc_set_flying(core, set));
	/* From now on the record may become durable at any moment (R3). */
	if (s->dirty)
		s->ledger = 1;
}

/**
 * fc_ledger_gather() - take what a set has to record
 * @core: core
 * @set: set, locked
 * @kind: slots that have this pending; all that is pending of such a slot is taken
 * @to: records are appended
 *
 * A record holds only units whose data has reached the flash, perhaps not durably: the caller
 * flushes the flash before the records become durable (R1).
 *
 * Return: true when there was not enough room for all.
 */
bool fc_ledger_gather(const struct fc_core *core, struct fc_set *set, enum fc_pend kind,
		      struct fc_gather *to)
{
	unsigned long *map = fc_set_pend(core, set, kind);
	u32 i;

	for (i = 0; i < BITS_TO_LONGS(core->geo.assoc); i++) {
		while (map[i]) {
			if (to->nr == to->max)
				return true;
			gather_slot(core, set, (u16)(i * BITS_PER_LONG + __ffs(map[i])), to);
		}
	}
	return false;
}

/**
 * fc_ledger_committed() - a record is durable
 * @core: core
 * @set: its set, locked
 * @rec: record; commits come one after the other
 *
 * Return: true when the requests parked on the set are to try again.
 */
bool fc_ledger_committed(const struct fc_core *core, struct fc_set *set,
			 const struct fc_record *rec)
{
	u16 way = fc_geo_slot_way(&core->geo, rec->slot);
	struct fc_slot *s = fc_set_slot(set, way);

	__clear_bit(way, fc_set_flying(core, set));
	if (rec->dirty)
		return false;
	s->ledger = 0;
	/* Whatever was to be withdrawn is, unless new units came that no record has yet. */
	__clear_bit(way, fc_set_pend(core, set, FC_PEND_DEL));
	if (s->queue == FC_Q_FREE)
		return false;
	return fc_slot_release(core, set, way);
}

/**
 * fc_ledger_undo() - a record could not be written
 * @core: core
 * @set: its set, locked
 * @rec: record
 * @done: FC_DONE_* flags are added
 *
 * The slot keeps its @ledger mark: part of the commit may be durable all the same.
 */
void fc_ledger_undo(const struct fc_core *core, struct fc_set *set, const struct fc_record *rec,
		    unsigned int *done)
{
	u16 way = fc_geo_slot_way(&core->geo, rec->slot);
	struct fc_slot *s = fc_set_slot(set, way);

	__clear_bit(way, fc_set_flying(core, set));
	if (s->dirty) {
		__set_bit(way, fc_set_pend(core, set, FC_PEND_ADD));
		*done |= FC_DONE_ADD;
	}
	if (rec->removes) {
		__set_bit(way, fc_set_pend(core, set, FC_PEND_DEL));
		*done |= FC_DONE_DEL;
	}
}

/**
 * fc_ledger_snapshot() - entry of a slot for a checkpoint
 * @set: set, locked
 * @way: slot
 * @entry: filled
 */
void fc_ledger_snapshot(struct fc_set *set, u16 way, struct fc_entry *entry)
{
	struct fc_slot *s = fc_set_slot(set, way);

	memset(entry, 0, sizeof(*entry));
	if (s->queue == FC_Q_FREE || !s->valid)
		return;
	entry->block.n = s->block;
	entry->valid = s->valid;
	entry->dirty = s->dirty;
	entry->flags = (u8)s->freq | (s->queue == FC_Q_SMALL ? FCD_ENTRY_SMALL : 0);
	/* The checkpoint may become durable with it: only a record frees the slot now (R3). */
	if (s->dirty)
		s->ledger = 1;
}

/*
 * Loading. A checkpoint is taken while the cache works, so the table may name a block twice until
 * the log is replayed. Therefore slots only note what they hold, and are in no queue and no chain,
 * until fc_ledger_settle() puts each set together. Slots are many: they are written whole, not bit
 * field by bit field.
 */

static struct fc_slot *slot_of(const struct fc_core *core, struct fc_slotno slot,
			       struct fc_set **set)
{
	*set = fc_core_set(core, fc_geo_slot_set(&core->geo, slot));
	return fc_set_slot(*set, fc_geo_slot_way(&core->geo, slot));
}

static inline void hold(const struct fc_core *core, struct fc_slotno slot,
			const struct fc_entry *entry, bool orderly)
{
	struct fc_set *set;
	struct fc_slot *s = slot_of(core, slot, &set);

	*s = (struct fc_slot){
		.block = entry->block.n,
		.freq = entry->flags & FCD_ENTRY_FREQ,
		.queue = entry->flags & FCD_ENTRY_SMALL ? FC_Q_SMALL : FC_Q_MAIN,
		.ledger = !!entry->dirty,
		.valid = orderly ? entry->valid : entry->dirty,
		.dirty = entry->dirty,
	};
	if (!orderly)
		set->stale = 1;
}

/**
 * fc_ledger_load() - load a table entry
 * @core: core
 * @slot: slot
 * @entry: entry that fc_table_get() found possible
 * @orderly: clean units count
 */
void fc_ledger_load(const struct fc_core *core, struct fc_slotno slot,
		    const struct fc_entry *entry, bool orderly)
{
	hold(core, slot, entry, orderly);
}

/**
 * fc_ledger_load_block() - load all entries of a table block
 * @core: core
 * @block: block that fc_table_open() found good
 * @index: its number
 * @orderly: clean units count
 *
 * Return: false when an entry is impossible.
 */
bool fc_ledger_load_block(const struct fc_core *core, const void *block, u64 index, bool orderly)
{
	struct fc_slotno slot = { index * FCD_TABLE_ENTRIES };
	u32 i;

	for (i = 0; i < FCD_TABLE_ENTRIES; i++, slot.n++) {
		struct fc_entry entry = fc_table_entry(block, i);

		if (!fc_entry_possible(&core->geo, &entry, slot))
			return false;
		if (entry.valid)
			hold(core, slot, &entry, orderly);
	}
	return true;
}

/**
 * fc_ledger_replay() - apply a log record
 * @core: core
 * @rec: record that fc_log_get() found possible
 */
void fc_ledger_replay(const struct fc_core *core, const struct fc_record *rec)
{
	struct fc_set *set;
	struct fc_slot *s = slot_of(core, rec->slot, &set);

	*s = (struct fc_slot){
		.block = rec->block.n,
		.queue = FC_Q_MAIN,
		.ledger = !!rec->dirty,
		.valid = rec->dirty,
		.dirty = rec->dirty,
	};
	set->stale = 1;
}

static bool settle_slot(const struct fc_core *core, struct fc_set *set, u16 way)
{
	struct fc_slot *s = fc_set_slot(set, way);
	struct fc_oblock b = { s->block };
	u16 *chain;

	if (!s->valid) {
		s->queue = FC_Q_FREE;
		return true;
	}
	chain = fc_map_chain(core, set, b, fc_geo_hash(&core->geo, b));
	if (fc_map_find_in(set, chain, b) != FC_NIL)
		return false;
	fc_map_link(set, chain, way);
	set->dirty += !!s->dirty;
	return true;
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
	u32 way;

	fc_set_unlink_all(core, set);
	for (way = 0; way < core->geo.assoc; way++)
		if (!settle_slot(core, set, (u16)way))
			return false;
	fc_queue_all(core, set);
	return true;
}
