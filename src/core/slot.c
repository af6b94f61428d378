// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of a slot that the ledger must know of.
 */
#include "state.h"

static void set_pend(const struct fc_core *core, struct fc_set *set, enum fc_pend kind, u16 way)
{
	__set_bit(way, fc_set_pend(core, set, kind));
}

static void clear_pend(const struct fc_core *core, struct fc_set *set, enum fc_pend kind, u16 way)
{
	__clear_bit(way, fc_set_pend(core, set, kind));
}

/**
 * fc_slot_add_dirty() - a write of these units has reached the flash
 * @core: core
 * @set: set, locked
 * @way: slot, pinned or owned by the writer
 * @units: units written
 */
void fc_slot_add_dirty(const struct fc_core *core, struct fc_set *set, u16 way, u16 units)
{
	struct fc_slot *s = fc_set_slot(set, way);

	if (!(units & ~s->dirty))
		return;
	if (!s->dirty)
		set->dirty++;
	s->valid |= units;
	s->dirty |= units;
	set->stale = 1;
	set_pend(core, set, FC_PEND_ADD, way);
}

/*
 * These units are no longer newer than the disk. What a durable record says of them must be
 * withdrawn; what no record says yet need never be recorded.
 */
static void drop_dirty(const struct fc_core *core, struct fc_set *set, u16 way, u16 units)
{
	struct fc_slot *s = fc_set_slot(set, way);

	if (!(s->dirty & units))
		return;
	s->dirty &= ~units;
	set->stale = 1;
	if (!s->dirty) {
		set->dirty--;
		clear_pend(core, set, FC_PEND_ADD, way);
	}
	if (s->ledger)
		set_pend(core, set, FC_PEND_DEL, way);
}

/**
 * fc_slot_recorded() - does a durable record cover all dirty units?
 * @core: core
 * @set: set, locked
 * @way: slot
 *
 * A record that was gathered does not count before its commit has ended.
 */
bool fc_slot_recorded(const struct fc_core *core, const struct fc_set *set, u16 way)
{
	return fc_set_slot(set, way)->ledger && !test_bit(way, fc_set_pend(core, set, FC_PEND_ADD)) &&
	       !test_bit(way, fc_set_flying(core, set));
}

/**
 * fc_slot_clean() - these units are on the disk now
 * @core: core
 * @set: set, locked
 * @way: slot
 * @units: units
 *
 * Return: true when no durable record covers them, so that only the disk's own cache may hold what
 * the user wrote: the next FLUSH has to flush the disk.
 */
bool fc_slot_clean(const struct fc_core *core, struct fc_set *set, u16 way, u16 units)
{
	bool bare = !fc_slot_recorded(core, set, way);

	drop_dirty(core, set, way, units);
	return bare;
}

/**
 * fc_slot_drop() - these units no longer hold the block's data
 * @core: core
 * @set: set, locked
 * @way: slot
 * @units: units
 */
void fc_slot_drop(const struct fc_core *core, struct fc_set *set, u16 way, u16 units)
{
	struct fc_slot *s = fc_set_slot(set, way);

	drop_dirty(core, set, way, units);
	if (s->valid & units) {
		s->valid &= ~units;
		set->stale = 1;
	}
}

/**
 * fc_slot_release() - somebody has ended work on a slot
 * @core: core
 * @set: set, locked
 * @way: slot; its pins and claim are already lowered
 *
 * Frees a slot that holds nothing, unless a durable record still names it.
 *
 * Return: true when the requests parked on this set are to try again.
 */
bool fc_slot_release(const struct fc_core *core, struct fc_set *set, u16 way)
{
	struct fc_slot *s = fc_set_slot(set, way);
	bool wake;

	if (s->pins || s->busy != FC_IDLE)
		return false;
	wake = s->wait;
	s->wait = 0;
	if (!s->valid && !s->ledger)
		fc_replace_free(core, set, way);
	return wake;
}
