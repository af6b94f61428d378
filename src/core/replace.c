// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: Replacement inside a set.
 *
 * FIFO and LRU keep all blocks in the main queue. S3-FIFO (Yang et al., "FIFO queues are all you
 * need for cache eviction", SOSP 2023, algorithm 1) lets new blocks prove themselves in a small
 * queue of a tenth of the set, and remembers those it turned away as ghosts, whose return leads
 * straight to the main queue. The queues serve all three, so the policy may change at any time.
 *
 * Slots that cannot be evicted (dirty, in use, or named dirty by a durable record) are passed over
 * where they stand, so that they go first once they can.
 */
#include "state.h"
#include "flashcache/uapi.h"

#define GHOST_WAYS	8u	/* a ghost lives in a bucket of eight fingerprints, itself a FIFO */
#define SMALL_SHARE	10u	/* the small queue's share of a set: one tenth */
#define FREQ_PROVEN	2u	/* hits that lift a block from the small to the main queue */

/*
 * Slots looked at for one victim, to bound the time under the lock: each once, since dirty ones may
 * stand before all others, and some more for second chances.
 */
#define STEPS_MAX(assoc)	((assoc) + 1024u)

static u16 *ghost_bucket(const struct fc_core *core, const struct fc_set *set, u64 hash)
{
	u32 bucket = (u32)(hash >> 32) & (core->geo.assoc / GHOST_WAYS - 1);

	return fc_set_ghosts(core, set) + bucket * GHOST_WAYS;
}

static u16 ghost_print(u64 hash)
{
	u16 print = (u16)hash;

	return print ? print : 1;
}

static u64 ghost_hash(struct fc_oblock b)
{
	return fc_mix64(b.n ^ 0x9e3779b97f4a7c15ull);
}

static void ghost_add(const struct fc_core *core, struct fc_set *set, struct fc_oblock b)
{
	u64 hash = ghost_hash(b);
	u16 *bucket = ghost_bucket(core, set, hash);

	memmove(bucket + 1, bucket, (GHOST_WAYS - 1) * sizeof(*bucket));
	bucket[0] = ghost_print(hash);
}

/* Was this block turned away lately? Forgets it, since it comes back now. */
static bool ghost_take(const struct fc_core *core, struct fc_set *set, struct fc_oblock b)
{
	u64 hash = ghost_hash(b);
	u16 *bucket = ghost_bucket(core, set, hash);
	u16 print = ghost_print(hash);
	u32 i;

	for (i = 0; i < GHOST_WAYS; i++)
		if (bucket[i] == print)
			break;
	if (i == GHOST_WAYS)
		return false;
	memmove(bucket + i, bucket + i + 1, (GHOST_WAYS - 1 - i) * sizeof(*bucket));
	bucket[GHOST_WAYS - 1] = 0;
	return true;
}

static void requeue(struct fc_set *set, enum fc_queue q, u16 way)
{
	fc_queue_unlink(set, way);
	fc_queue_push(set, q, way);
}

/**
 * fc_replace_used() - a block was used, and the policy is not S3-FIFO
 * @core: core
 * @set: set, locked
 * @way: its slot
 */
void fc_replace_used(const struct fc_core *core, struct fc_set *set, u16 way)
{
	if (core->policy == FC_POLICY_LRU && set->head[FC_Q_MAIN] != way)
		requeue(set, FC_Q_MAIN, way);
}

/* Oldest slot of a queue that may go; S3-FIFO's second chances are given on the way. */
static u16 victim_of(const struct fc_core *core, struct fc_set *set, enum fc_queue q, u32 *steps)
{
	bool chances = core->policy == FC_POLICY_S3FIFO;
	u16 way = fc_queue_oldest(set, q);
	u32 left = set->len[q];

	while (left && *steps) {
		struct fc_slot *s = fc_set_slot(set, way);
		u16 newer = s->prev;
		bool last = way == set->head[q];

		--*steps;
		if (chances && q == FC_Q_SMALL && s->freq >= FREQ_PROVEN) {
			s->freq = 0;
			requeue(set, FC_Q_MAIN, way);
			left--;
		} else if (chances && q == FC_Q_MAIN && s->freq && fc_slot_evictable(s)) {
			/* Spared: it goes to the newest end and is looked at again there. */
			s->freq--;
			requeue(set, FC_Q_MAIN, way);
			if (last)
				newer = way;
		} else if (fc_slot_evictable(s)) {
			return way;
		} else {
			left--;
		}
		way = newer;
	}
	return FC_NIL;
}

/*
 * The queue that has to give first. Other policies than S3-FIFO fill only the main queue; what a
 * switch left in the small one goes first.
 */
static enum fc_queue first_to_give(const struct fc_core *core, const struct fc_set *set)
{
	if (!set->len[FC_Q_SMALL])
		return FC_Q_MAIN;
	if (core->policy == FC_POLICY_S3FIFO &&
	    set->len[FC_Q_MAIN] > core->geo.assoc - core->geo.assoc / SMALL_SHARE)
		return FC_Q_MAIN;
	return FC_Q_SMALL;
}

static u16 find_victim(const struct fc_core *core, struct fc_set *set)
{
	enum fc_queue first = first_to_give(core, set);
	u32 steps = STEPS_MAX(core->geo.assoc);
	u16 way;

	if (set->dirty >= core->geo.assoc)
		return FC_NIL;
	way = victim_of(core, set, first, &steps);
	if (way == FC_NIL)
		way = victim_of(core, set, first == FC_Q_MAIN ? FC_Q_SMALL : FC_Q_MAIN, &steps);
	return way;
}

static void evict(const struct fc_core *core, struct fc_set *set, u16 way)
{
	struct fc_slot *s = fc_set_slot(set, way);

	if (s->queue == FC_Q_SMALL && core->policy == FC_POLICY_S3FIFO)
		ghost_add(core, set, (struct fc_oblock){ s->block });
	fc_replace_free(core, set, way);
}

/* Gives the free slot @way to block @b. */
static void settle(const struct fc_core *core, struct fc_set *set, struct fc_oblock b, u16 way)
{
	enum fc_queue q = FC_Q_MAIN;

	if (core->policy == FC_POLICY_S3FIFO && !ghost_take(core, set, b))
		q = FC_Q_SMALL;
	fc_set_slot(set, way)->freq = 0;
	requeue(set, q, way);
	fc_map_insert(core, set, way, b);
	set->stale = 1;
}

/* The slot behind the one of the preceding block, so that neighbours can be read in one piece. */
static u16 free_neighbour(const struct fc_core *core, const struct fc_set *set, struct fc_oblock b)
{
	u16 way;

	if (!b.n || ((b.n - 1) ^ b.n) >> core->geo.cluster_shift)
		return FC_NIL;
	b.n--;
	way = fc_map_find(core, set, b, fc_geo_hash(&core->geo, b));
	if (way == FC_NIL || (u32)way + 1 >= core->geo.assoc ||
	    fc_set_slot(set, way + 1)->queue != FC_Q_FREE)
		return FC_NIL;
	return (u16)(way + 1);
}

/**
 * fc_replace_take() - make room for a block
 * @core: core
 * @set: its set, locked
 * @b: block that no slot holds
 *
 * Return: way of a slot that now holds @b with nothing valid, or %FC_NIL when nothing may go.
 */
u16 fc_replace_take(const struct fc_core *core, struct fc_set *set, struct fc_oblock b)
{
	u16 way = FC_NIL;

	if (set->len[FC_Q_FREE]) {
		way = free_neighbour(core, set, b);
		if (way == FC_NIL)
			way = fc_queue_oldest(set, FC_Q_FREE);
	} else {
		way = find_victim(core, set);
		if (way == FC_NIL)
			return FC_NIL;
		evict(core, set, way);
	}
	settle(core, set, b, way);
	return way;
}

/**
 * fc_replace_take_way() - make room for a block in one particular slot
 * @core: core
 * @set: its set, locked
 * @b: block that no slot holds
 * @way: the wanted slot
 *
 * Takes it only where that costs no block that the policy would rather keep.
 *
 * Return: true when @way now holds @b with nothing valid.
 */
bool fc_replace_take_way(const struct fc_core *core, struct fc_set *set, struct fc_oblock b,
			 u16 way)
{
	struct fc_slot *s;

	if (way >= core->geo.assoc)
		return false;
	s = fc_set_slot(set, way);
	if (s->queue != FC_Q_FREE) {
		u16 oldest = fc_queue_oldest(set, first_to_give(core, set));

		if (set->len[FC_Q_FREE] || way != oldest || s->freq || !fc_slot_evictable(s))
			return false;
		evict(core, set, way);
	}
	settle(core, set, b, way);
	return true;
}

/**
 * fc_replace_free() - a slot gives up its block
 * @core: core
 * @set: set, locked
 * @way: slot; nobody uses it and no durable record names it
 */
void fc_replace_free(const struct fc_core *core, struct fc_set *set, u16 way)
{
	struct fc_slot *s = fc_set_slot(set, way);

	fc_map_remove(core, set, way);
	s->valid = 0;
	s->freq = 0;
	requeue(set, FC_Q_FREE, way);
	set->stale = 1;
}
