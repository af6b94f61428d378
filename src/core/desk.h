/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The desk, where it is decided what becomes of a request.
 *
 * The shell asks about the front of a request (fc_desk_read(), fc_desk_write()); the desk changes
 * the state of the set and answers with a plan for as many sectors as can be treated alike. The
 * plan's verdict stands for a fixed list of steps, which the I/O room runs without any lock; the
 * result comes back once, through the fc_desk_done function of that verdict. The rest of the
 * request is asked about anew.
 */
#ifndef FC_CORE_DESK_H
#define FC_CORE_DESK_H

#include "state.h"

#define FC_CLAIM_SECTORS 128u	/* plans that move data through memory cover at most 64 KiB */

/* The verdicts, with their steps and what ends them. */
enum fc_verdict {
	FC_WAIT,	/* park on the set; ask again when woken */
	FC_HIT,		/* read or write the slots in place; fc_desk_done_read/_write() */
	FC_DISK,	/* read the disk; nothing to tell */
	FC_FILL,	/* read whole blocks from the disk, answer, write flash; fc_desk_done_fill() */
	FC_FETCH,	/* read a block from the disk, write flash, fc_desk_done_fill(), ask again */
	FC_BOTH,	/* copy, write disk and flash, answer after the disk; fc_desk_done_both() */
	FC_AROUND,	/* write the disk, answer; fc_desk_done_around() */
	FC_FAIL,	/* the only copy of these sectors can neither be read nor replaced */
};

/* fc_plan.flags */
#define FC_PLAN_REDIRTY	(1u << 0) /* FC_HIT write: all of it was dirty before */
#define FC_PLAN_DURABLE	(1u << 1) /* FC_HIT write: recorded before, so that FUA to flash is enough */
#define FC_PLAN_NO_ROOM	(1u << 2) /* no slot could be had */
#define FC_PLAN_CLEAN	(1u << 3) /* the set wants its waiting dirty slots cleaned now */
#define FC_PLAN_NEW	(1u << 4) /* FC_HIT write, FC_BOTH: the first block was not in the cache */
#define FC_PLAN_PARTIAL	(1u << 5) /* FC_DISK, FC_FILL: the first block was there, these sectors not */

/* What an fc_desk_done function tells the shell to do. */
#define FC_DONE_WAKE	(1u << 0) /* let the requests parked on the set ask again */
#define FC_DONE_ADD	(1u << 1) /* the set has something in FC_PEND_ADD */
#define FC_DONE_DEL	(1u << 2) /* the set has something in FC_PEND_DEL */
#define FC_DONE_CLEAN	(1u << 3) /* the set has reached its dirty limit */
#define FC_DONE_BARE	(1u << 4) /* see fc_slot_clean() */

/**
 * struct fc_ask - the front of a request
 * @sector: first sector
 * @nr: sectors, at least 1, not beyond fc_geo_run_end()
 * @hash: fc_geo_hash() of the first block
 * @admit: may bring blocks into the cache
 * @fua: a write that is to be durable: is %FC_PLAN_DURABLE to be found out?
 */
struct fc_ask {
	sector_t sector;
	u32 nr;
	bool admit;
	bool fua;
	u64 hash;
};

/**
 * struct fc_plan - the desk's answer
 * @verdict: enum fc_verdict
 * @flags: FC_PLAN_*
 * @nr_blocks: blocks that the covered sectors touch; FC_FILL: and those that are brought beside
 *	them; not with FC_DISK
 * @replaced: blocks that had to make room
 * @nr: sectors covered, from the asked sector on
 * @sector: the asked sector
 * @way: slot of each block; FC_HIT: only the first counts, the others follow it; FC_AROUND: FC_NIL
 *	where
 *	none
 * @own: FC_AROUND: keeps these blocks out of the cache; part of the set's list until done
 */
struct fc_plan {
	u8 verdict;
	u8 flags;
	u8 nr_blocks;
	u8 replaced;
	u32 nr;
	sector_t sector;
	u16 way[FC_RUN_BLOCKS];
	struct fc_own own;
};

void fc_desk_read(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		  struct fc_plan *plan);
void fc_desk_write(struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		   struct fc_plan *plan);
bool fc_desk_try_read(const struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		      struct fc_plan *plan);
bool fc_desk_try_write(struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
		       struct fc_plan *plan);
void fc_desk_both_to_around(const struct fc_core *core, struct fc_set *set,
			    struct fc_plan *plan);
u32 fc_desk_absent(const struct fc_core *core, const struct fc_set *set, const struct fc_ask *ask);

unsigned int fc_desk_done_read(const struct fc_core *core, struct fc_set *set,
			       const struct fc_plan *plan, bool ok, bool *elsewhere);
unsigned int fc_desk_done_write(const struct fc_core *core, struct fc_set *set,
				const struct fc_plan *plan, bool ok);
unsigned int fc_desk_done_fill(const struct fc_core *core, struct fc_set *set,
			       const struct fc_plan *plan, bool ok);
unsigned int fc_desk_done_both(const struct fc_core *core, struct fc_set *set,
			       const struct fc_plan *plan, bool ok);
unsigned int fc_desk_done_around(const struct fc_core *core, struct fc_set *set,
				 struct fc_plan *plan);

bool fc_desk_discard(struct fc_core *core, struct fc_set *set, struct fc_oblock b,
		     unsigned int *done);

/* Shared by the desk's files: one block's part of a run. */

/**
 * struct fc_part - the part of a run that lies in one block
 * @b: block
 * @first: first sector within the block
 * @end: sector within the block behind the last
 * @units: units touched
 * @ragged: units touched but not covered
 */
struct fc_part {
	struct fc_oblock b;
	u32 first;
	u32 end;
	u16 units;
	u16 ragged;
};

u16 fc_part_ragged(const struct fc_geo *geo, const struct fc_part *p);
void fc_own_wait(struct fc_core *core, struct fc_set *set, struct fc_oblock b);
void fc_desk_wait(struct fc_slot *s, struct fc_plan *plan);
u16 fc_desk_take(const struct fc_core *core, struct fc_set *set, struct fc_oblock b,
		 struct fc_plan *plan);

/**
 * fc_part_at() - first part of a run
 * @geo: geometry
 * @sector: first sector of the run
 * @nr: sectors, at least 1
 */
static inline struct fc_part fc_part_at(const struct fc_geo *geo, sector_t sector, u32 nr)
{
	struct fc_part p;

	p.b = fc_geo_block(geo, sector);
	p.first = (u32)sector & (geo->block_sectors - 1);
	p.end = p.first + nr < geo->block_sectors ? p.first + nr : geo->block_sectors;
	p.units = geo->full;
	p.ragged = 0;
	if (p.end - p.first == geo->block_sectors)
		return p;
	p.units = fc_geo_units(geo, p.first, p.end);
	if (geo->unit_shift)
		p.ragged = fc_part_ragged(geo, &p);
	return p;
}

static inline bool fc_own_has(const struct fc_own *own, struct fc_oblock b)
{
	return b.n - own->first.n < own->nr;
}

/**
 * fc_own_covers() - does a write beside the cache, or a discard, own this block?
 * @core: core
 * @set: set of the block, locked
 * @b: block
 */
static inline bool fc_own_covers(const struct fc_core *core, const struct fc_set *set,
				 struct fc_oblock b)
{
	const struct fc_own *own;

	/* Paired with the release in begin() of io/discard.c: the place is as new as the number. */
	if (unlikely(smp_load_acquire(&core->discard.nr)) && fc_own_has(&core->discard, b))
		return true;
	for (own = set->owns; unlikely(own); own = own->next)
		if (fc_own_has(own, b))
			return true;
	return false;
}

/**
 * fc_slot_closed() - must a request that wants to work on this slot in place wait?
 * @s: slot that holds its block
 */
static inline bool fc_slot_closed(const struct fc_slot *s)
{
	return s->wait || s->busy == FC_OWNED || s->pins == FC_PINS_MAX;
}

/**
 * fc_desk_unpin() - work in place on a slot has ended
 * @core: core
 * @set: set, locked
 * @way: slot
 *
 * Return: FC_DONE_* flags.
 */
static inline unsigned int fc_desk_unpin(const struct fc_core *core, struct fc_set *set, u16 way)
{
	struct fc_slot *s = fc_set_slot(set, way);

	s->pins--;
	if (likely(s->valid && !s->wait))
		return 0;
	return fc_slot_release(core, set, way) ? FC_DONE_WAKE : 0;
}

#endif /* FC_CORE_DESK_H */
