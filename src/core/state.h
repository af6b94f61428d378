/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: What the cache remembers in memory.
 *
 * Each set is one chunk of memory: a header, its slots, the heads of its hash chains, the ghosts
 * of blocks that were evicted lately, two bit maps of slots that the ledger has to record, and one
 * of those that are being recorded. At 512 slots a set this takes 19.5 bytes a slot.
 *
 * Every function of the core that takes a set wants that set's lock held by its caller; none takes
 * a lock, sleeps or allocates.
 */
#ifndef FC_CORE_STATE_H
#define FC_CORE_STATE_H

#include "env.h"
#include "geometry.h"
#include "flashcache/uapi.h"

#define FC_NIL		0xffffu		/* no slot */
#define FC_PINS_MAX	63u
#define FC_FREQ_MAX	3u

/* The queues of a set. A slot is always in exactly one; in FC_Q_FREE it holds no block. */
enum fc_queue { FC_Q_FREE = 0, FC_Q_SMALL = 1, FC_Q_MAIN = 2, FC_NR_QUEUES = 3 };

/*
 * Who works on a slot. Pins (in-place reads and writes on flash) may be many; a claim is single.
 * FC_OWNED excludes everybody. FC_CLEANING lets reads and writes pass; a write turns it into
 * FC_TOUCHED, and the slot then stays dirty when the cleaner is done.
 */
enum fc_busy { FC_IDLE = 0, FC_CLEANING = 1, FC_TOUCHED = 2, FC_OWNED = 3 };

/* What the ledger still has to record of a slot. */
enum fc_pend {
	FC_PEND_ADD = 0,	/* dirty units that no durable record has */
	FC_PEND_DEL = 1,	/* a durable record has dirty units that are so no more */
	FC_NR_PENDS = 2,
};

/**
 * struct fc_slot - a block of flash
 * @block: disk block it holds, when not in FC_Q_FREE
 * @freq: hits since it came or was last spared, 0 to 3 (S3-FIFO)
 * @queue: enum fc_queue
 * @hnext: next slot of the hash chain; the slot itself at the end
 * @busy: enum fc_busy
 * @wait: a request waits for this slot; later ones must line up behind it
 * @ledger: a durable record may say that this slot is dirty (durability rule R3): it keeps its
 *	block
 * @valid: units that hold the block's data
 * @dirty: units that are newer than the disk; a subset of @valid
 * @prev: neighbour in the queue, towards the newer
 * @next: neighbour in the queue, towards the older
 * @pins: in-place reads and writes in flight
 */
struct fc_slot {
	u64 block : FC_BLOCK_BITS;
	u64 freq : 2;
	u64 queue : 2;
	u64 hnext : 13;
	u64 busy : 2;
	u64 wait : 1;
	u64 ledger : 1;
	u64 valid : 16;
	u64 dirty : 16;
	u64 prev : 13;
	u64 next : 13;
	u64 pins : 6;
};

static_assert(sizeof(struct fc_slot) == 16, "a slot takes 16 bytes");

/**
 * struct fc_own - a write to the disk in flight over blocks that no slot holds
 * @next: of the same set
 * @first: first block
 * @nr: number of blocks
 * @wait: a request waits for it
 *
 * While it is listed nobody may bring one of its blocks into the cache (durability rule R5).
 */
struct fc_own {
	struct fc_own *next;
	struct fc_oblock first;
	u64 nr;
	bool wait;
};

/**
 * struct fc_set - header of a set's chunk
 * @lock: taken by the shell around every call
 * @head: newest slot of each queue; the queues are rings, so its @prev is the oldest
 * @len: slots in each queue
 * @dirty: slots with dirty units
 * @cleaning: slots that the cleaner works on
 * @stale: the table on flash is older than this set
 * @listed: bit i: the set is on the shell's list i
 * @owns: writes in flight beside the cache
 * @waiters: requests that the shell has parked on this set
 * @link: the shell's lists, by enum fc_list
 */
struct fc_set {
	fc_env_lock_t lock;
	u16 head[FC_NR_QUEUES];
	u16 len[FC_NR_QUEUES];
	u16 dirty;
	u16 cleaning;
	u8 stale;
	u8 listed;
	struct fc_own *owns;
	void *waiters;
	struct fc_set *link[3];
};

/* The shell's lists of sets that want something done. */
enum fc_list { FC_LIST_ADD = FC_PEND_ADD, FC_LIST_DEL = FC_PEND_DEL, FC_LIST_CLEAN = 2 };

/**
 * struct fc_core - the state that decisions are made on
 * @geo: geometry
 * @sets: nr_sets chunks of @stride bytes
 * @stride: bytes of a chunk
 * @mode: enum fc_mode; may change at any time, each decision reads it once
 * @policy: enum fc_policy; likewise
 * @no_writeback: the flash is not trusted with new dirty data
 * @no_clean: cleaning keeps failing; nobody can wait for it
 * @fill_ahead: a fill brings the blocks behind it as well, while there are free slots
 * @dirty_limit: dirty slots a set at which it wants cleaning
 * @discard: blocks that a discard is working on, as if each set listed them; @nr is 0 when there is
 *	none
 */
struct fc_core {
	struct fc_geo geo;
	char *sets;
	size_t stride;
	u8 mode;
	u8 policy;
	bool no_writeback;
	bool no_clean;
	bool fill_ahead;
	u16 dirty_limit;
	struct fc_own discard;
};

size_t fc_set_bytes(u32 assoc);
void fc_set_init(const struct fc_core *core, struct fc_set *set);
void fc_set_unlink_all(const struct fc_core *core, struct fc_set *set);

static inline struct fc_set *fc_core_set(const struct fc_core *core, u32 index)
{
	return (struct fc_set *)(core->sets + (size_t)index * core->stride);
}

static inline u32 fc_core_set_index(const struct fc_core *core, const struct fc_set *set)
{
	return (u32)(((const char *)set - core->sets) / core->stride);
}

static inline struct fc_slot *fc_set_slots(const struct fc_set *set)
{
	return (struct fc_slot *)(set + 1);
}

static inline struct fc_slot *fc_set_slot(const struct fc_set *set, u16 way)
{
	return fc_set_slots(set) + way;
}

/* A slot that holds nothing, for fc_queue_put(). */
static inline struct fc_slot fc_slot_empty(u16 way)
{
	return (struct fc_slot){ .queue = FC_Q_FREE, .prev = way + 1, .next = way - 1 };
}

/* Two slots to a chain on average: a byte a slot, one comparison more. */
static inline u16 *fc_set_chains(const struct fc_core *core, const struct fc_set *set)
{
	return (u16 *)(fc_set_slots(set) + core->geo.assoc);
}

static inline u16 *fc_set_ghosts(const struct fc_core *core, const struct fc_set *set)
{
	return fc_set_chains(core, set) + core->geo.assoc / 2;
}

static inline unsigned long *fc_set_pend(const struct fc_core *core, const struct fc_set *set,
					 enum fc_pend kind)
{
	return (unsigned long *)(fc_set_ghosts(core, set) + core->geo.assoc) +
	       kind * BITS_TO_LONGS(core->geo.assoc);
}

/* Slots whose record is on its way: gathered, but perhaps not durable yet. */
static inline unsigned long *fc_set_flying(const struct fc_core *core, const struct fc_set *set)
{
	return fc_set_pend(core, set, FC_PEND_ADD) + FC_NR_PENDS * BITS_TO_LONGS(core->geo.assoc);
}

/* Chains of slots that hold blocks. */

/*
 * Blocks of one cluster share a hash; adding the block number gives them neighbouring chains.
 */
static inline u16 *fc_map_chain(const struct fc_core *core, const struct fc_set *set,
				struct fc_oblock b, u64 hash)
{
	u32 chain = ((u32)hash + (u32)b.n) & (core->geo.assoc / 2 - 1);

	return fc_set_chains(core, set) + chain;
}

/**
 * fc_map_find_in() - find a block, when its chain is known
 * @set: set of the block, locked
 * @chain: its fc_map_chain()
 * @b: block
 *
 * Return: way of the slot, or %FC_NIL.
 */
static inline u16 fc_map_find_in(const struct fc_set *set, const u16 *chain, struct fc_oblock b)
{
	const struct fc_slot *slots = fc_set_slots(set);
	u16 way = *chain;

	if (way == FC_NIL)
		return FC_NIL;
	for (;;) {
		u16 next;

		if (likely(slots[way].block == b.n))
			return way;
		next = slots[way].hnext;
		if (next == way)
			return FC_NIL;
		way = next;
	}
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
static inline u16 fc_map_find(const struct fc_core *core, const struct fc_set *set,
			      struct fc_oblock b, u64 hash)
{
	return fc_map_find_in(set, fc_map_chain(core, set, b, hash), b);
}

/**
 * fc_map_link() - put a slot at the head of a chain
 * @set: set, locked
 * @chain: fc_map_chain() of the slot's block
 * @way: slot that is in no chain
 */
static inline void fc_map_link(struct fc_set *set, u16 *chain, u16 way)
{
	fc_set_slot(set, way)->hnext = *chain == FC_NIL ? way : *chain;
	*chain = way;
}

/* map.c: changes of the chains */
void fc_map_insert(const struct fc_core *core, struct fc_set *set, u16 way, struct fc_oblock b);
void fc_map_remove(const struct fc_core *core, struct fc_set *set, u16 way);

/* queue.c: rings of slots */
void fc_queue_push(struct fc_set *set, enum fc_queue q, u16 way);
void fc_queue_unlink(struct fc_set *set, u16 way);
void fc_queue_put(struct fc_set *set, u32 from, u32 to);

static inline u16 fc_queue_oldest(const struct fc_set *set, enum fc_queue q)
{
	return set->len[q] ? (u16)fc_set_slot(set, set->head[q])->prev : (u16)FC_NIL;
}

/* replace.c: who stays */
void fc_replace_used(const struct fc_core *core, struct fc_set *set, u16 way);
u16 fc_replace_take(const struct fc_core *core, struct fc_set *set, struct fc_oblock b);
bool fc_replace_take_way(const struct fc_core *core, struct fc_set *set, struct fc_oblock b,
			 u16 way);
void fc_replace_free(const struct fc_core *core, struct fc_set *set, u16 way);

/**
 * fc_replace_hit() - a block was used
 * @core: core
 * @set: set, locked
 * @way: its slot
 */
static inline void fc_replace_hit(const struct fc_core *core, struct fc_set *set, u16 way)
{
	struct fc_slot *s = fc_set_slot(set, way);

	if (unlikely(core->policy != FC_POLICY_S3FIFO))
		fc_replace_used(core, set, way);
	else if (s->freq < FC_FREQ_MAX)
		s->freq++;
}

/* slot.c: changes of a slot that the ledger must know */
void fc_slot_add_dirty(const struct fc_core *core, struct fc_set *set, u16 way, u16 units);
void fc_slot_drop(const struct fc_core *core, struct fc_set *set, u16 way, u16 units);
bool fc_slot_recorded(const struct fc_core *core, const struct fc_set *set, u16 way);
bool fc_slot_clean(const struct fc_core *core, struct fc_set *set, u16 way, u16 units);
bool fc_slot_release(const struct fc_core *core, struct fc_set *set, u16 way);

/**
 * fc_slot_evictable() - may the slot be given to another block?
 * @s: a slot that holds a block
 */
static inline bool fc_slot_evictable(const struct fc_slot *s)
{
	return !s->dirty && !s->ledger && !s->pins && s->busy == FC_IDLE && !s->wait;
}

#endif /* FC_CORE_STATE_H */
