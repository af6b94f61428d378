// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger: what is recorded of the slots. ledger_load.c reads it back.
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
