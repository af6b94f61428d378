// SPDX-License-Identifier: GPL-2.0
/*
 * The desk: results. Each plan that was given out comes back here once.
 */
#include "desk.h"
#include "flashcache/uapi.h"

static unsigned int disown(const struct fc_core *core, struct fc_set *set, u16 way)
{
	fc_set_slot(set, way)->busy = FC_IDLE;
	return fc_slot_release(core, set, way) ? FC_DONE_WAKE : 0;
}

/* Drops the covered units of slot @way, whose ledger entry may change by that. */
static unsigned int drop(const struct fc_core *core, struct fc_set *set, u16 way, u16 units)
{
	fc_slot_drop(core, set, way, units);
	return fc_set_slot(set, way)->ledger ? FC_DONE_DEL : 0;
}

/*
 * A read in place failed: clean sectors are had from the disk as well, and are not tried here
 * again.
 */
static unsigned int read_failed(const struct fc_core *core, struct fc_set *set,
				const struct fc_plan *plan, bool *elsewhere)
{
	unsigned int done = 0;
	u32 at = 0, i;

	*elsewhere = true;
	for (i = 0; i < plan->nr_blocks; i++) {
		struct fc_part p = fc_part_at(&core->geo, plan->sector + at, plan->nr - at);
		u16 way = (u16)(plan->way[0] + i);
		u16 dirty = fc_set_slot(set, way)->dirty & p.units;

		if (dirty)
			*elsewhere = false;
		done |= drop(core, set, way, p.units & ~dirty);
		at += p.end - p.first;
	}
	return done;
}

/**
 * fc_desk_done_read() - a read in place has ended
 * @core: core
 * @set: set, locked
 * @plan: FC_HIT plan of a read
 * @ok: it succeeded
 * @elsewhere: set when it failed and asking again will get the data from the disk
 *
 * Return: FC_DONE_* flags.
 */
unsigned int fc_desk_done_read(const struct fc_core *core, struct fc_set *set,
			       const struct fc_plan *plan, bool ok, bool *elsewhere)
{
	unsigned int done = 0;
	u32 i;

	if (unlikely(!ok))
		done = read_failed(core, set, plan, elsewhere);
	for (i = 0; i < plan->nr_blocks; i++)
		done |= fc_desk_unpin(core, set, (u16)(plan->way[0] + i));
	return done;
}

static unsigned int wrote(const struct fc_core *core, struct fc_set *set,
			  const struct fc_plan *plan)
{
	u32 at = 0, i;

	for (i = 0; i < plan->nr_blocks; i++) {
		struct fc_part p = fc_part_at(&core->geo, plan->sector + at, plan->nr - at);

		fc_slot_add_dirty(core, set, (u16)(plan->way[0] + i), p.units);
		at += p.end - p.first;
	}
	return FC_DONE_ADD | (set->dirty >= core->dirty_limit ? FC_DONE_CLEAN : 0);
}

/*
 * A write in place failed: what these sectors hold now is unknown, but dirty ones have no other
 * copy.
 */
static unsigned int write_failed(const struct fc_core *core, struct fc_set *set,
				 const struct fc_plan *plan)
{
	bool elsewhere;

	return read_failed(core, set, plan, &elsewhere);
}

/**
 * fc_desk_done_write() - a write in place has ended
 * @core: core
 * @set: set, locked
 * @plan: FC_HIT plan of a write
 * @ok: it succeeded
 *
 * After a failure the shell lowers the cache's health, so that asking again leads to the disk.
 *
 * Return: FC_DONE_* flags.
 */
unsigned int fc_desk_done_write(const struct fc_core *core, struct fc_set *set,
				const struct fc_plan *plan, bool ok)
{
	unsigned int done = 0;
	u32 i;

	if (unlikely(!ok))
		done = write_failed(core, set, plan);
	else if (!(plan->flags & FC_PLAN_REDIRTY))
		done = wrote(core, set, plan);
	for (i = 0; i < plan->nr_blocks; i++)
		done |= fc_desk_unpin(core, set, (u16)(plan->way[0] + i));
	return done;
}

/**
 * fc_desk_done_fill() - a fill or fetch has ended
 * @core: core
 * @set: set, locked
 * @plan: FC_FILL or FC_FETCH plan
 * @ok: all units that were missing are on flash now
 *
 * Return: FC_DONE_* flags.
 */
unsigned int fc_desk_done_fill(const struct fc_core *core, struct fc_set *set,
			       const struct fc_plan *plan, bool ok)
{
	struct fc_oblock b = fc_geo_block(&core->geo, plan->sector);
	unsigned int done = 0;
	u32 i;

	for (i = 0; i < plan->nr_blocks; i++, b.n++) {
		if (likely(ok)) {
			fc_set_slot(set, plan->way[i])->valid |= fc_geo_exists(&core->geo, b);
			set->stale = 1;
		}
		done |= disown(core, set, plan->way[i]);
	}
	return done;
}

/**
 * fc_desk_done_both() - a write to disk and flash has ended on both
 * @core: core
 * @set: set, locked
 * @plan: FC_BOTH plan
 * @ok: both succeeded; otherwise the flash does not count
 *
 * Return: FC_DONE_* flags.
 */
unsigned int fc_desk_done_both(const struct fc_core *core, struct fc_set *set,
			       const struct fc_plan *plan, bool ok)
{
	unsigned int done = 0;
	u32 at = 0, i;

	for (i = 0; i < plan->nr_blocks; i++) {
		struct fc_part p = fc_part_at(&core->geo, plan->sector + at, plan->nr - at);
		struct fc_slot *s = fc_set_slot(set, plan->way[i]);

		if (likely(ok)) {
			s->valid |= p.units & ~(p.ragged & ~s->valid);
			set->stale = 1;
			/* The disk has newer data now than a record that still names the slot. */
			done |= s->ledger ? FC_DONE_DEL : 0;
		} else {
			done |= drop(core, set, plan->way[i], p.units);
		}
		done |= disown(core, set, plan->way[i]);
		at += p.end - p.first;
	}
	return done;
}

static void unlist(struct fc_set *set, struct fc_own *own)
{
	struct fc_own **link = &set->owns;

	while (*link != own)
		link = &(*link)->next;
	*link = own->next;
}

/**
 * fc_desk_done_around() - a write to the disk alone has ended, well or not
 * @core: core
 * @set: set, locked
 * @plan: FC_AROUND plan
 *
 * Return: FC_DONE_* flags.
 */
unsigned int fc_desk_done_around(const struct fc_core *core, struct fc_set *set,
				 struct fc_plan *plan)
{
	unsigned int done = plan->own.wait ? FC_DONE_WAKE : 0;
	u32 at = 0, i;

	unlist(set, &plan->own);
	for (i = 0; i < plan->nr_blocks; i++) {
		struct fc_part p = fc_part_at(&core->geo, plan->sector + at, plan->nr - at);

		if (plan->way[i] != FC_NIL) {
			done |= drop(core, set, plan->way[i], p.units);
			done |= disown(core, set, plan->way[i]);
		}
		at += p.end - p.first;
	}
	return done;
}

/**
 * fc_desk_discard() - a discard drops a block
 * @core: core; its @discard covers the block
 * @set: set of the block, locked
 * @b: block
 * @done: FC_DONE_* flags are added
 *
 * Return: false when the block is in use: park on the set and ask again.
 */
bool fc_desk_discard(struct fc_core *core, struct fc_set *set, struct fc_oblock b,
		     unsigned int *done)
{
	u16 way = fc_map_find(core, set, b, fc_geo_hash(&core->geo, b));
	struct fc_slot *s;
	struct fc_own *own;

	for (own = set->owns; own; own = own->next) {
		if (fc_own_has(own, b)) {
			own->wait = true;
			return false;
		}
	}
	if (way == FC_NIL)
		return true;
	s = fc_set_slot(set, way);
	if (s->busy != FC_IDLE || s->pins) {
		s->wait = 1;
		return false;
	}
	*done |= drop(core, set, way, core->geo.full);
	if (fc_slot_release(core, set, way))
		*done |= FC_DONE_WAKE;
	return true;
}
