// SPDX-License-Identifier: GPL-2.0
/*
 * The queues of a set: rings of slot indices, newest at the head.
 */
#include "state.h"

/**
 * fc_queue_push() - put a slot at the newest end of a queue
 * @set: set, locked
 * @q: queue
 * @way: slot that is in no queue
 */
void fc_queue_push(struct fc_set *set, enum fc_queue q, u16 way)
{
	struct fc_slot *slots = fc_set_slots(set);
	u16 head = set->head[q];

	if (!set->len[q]) {
		slots[way].prev = way;
		slots[way].next = way;
	} else {
		u16 tail = slots[head].prev;

		slots[way].next = head;
		slots[way].prev = tail;
		slots[tail].next = way;
		slots[head].prev = way;
	}
	set->head[q] = way;
	set->len[q]++;
	slots[way].queue = q;
}

/**
 * fc_queue_unlink() - take a slot out of its queue
 * @set: set, locked
 * @way: slot; its @queue field keeps the old value until it is pushed again
 */
void fc_queue_unlink(struct fc_set *set, u16 way)
{
	struct fc_slot *slots = fc_set_slots(set);
	u16 q = slots[way].queue, prev = slots[way].prev, next = slots[way].next;

	slots[prev].next = next;
	slots[next].prev = prev;
	if (set->head[q] == way)
		set->head[q] = next;
	if (!--set->len[q])
		set->head[q] = FC_NIL;
}

/* Slots @first to @last are neighbours of one another: they become the newest of a queue. */
static void push_run(struct fc_set *set, enum fc_queue q, u16 first, u16 last)
{
	struct fc_slot *slots = fc_set_slots(set);
	u16 oldest = first, head = set->head[q];

	if (set->len[q]) {
		oldest = slots[head].prev;
		slots[first].next = head;
		slots[head].prev = first;
	}
	slots[last].prev = oldest;
	slots[oldest].next = last;
	set->head[q] = last;
	set->len[q] += last - first + 1;
}

/**
 * fc_queue_put() - put each of some slots into the queue that it names
 * @set: set, locked or not known to anybody yet
 * @from: first slot; each of them is in no queue, but says that its @prev is the next slot and its
 *	@next the one before
 * @to: the slot behind the last
 *
 * As fc_queue_push() would one by one from first to last, so that the oldest free slot, which is
 * taken first, is way 0.
 */
void fc_queue_put(struct fc_set *set, u32 from, u32 to)
{
	const struct fc_slot *slots = fc_set_slots(set);
	u32 end;

	for (; from < to; from = end) {
		for (end = from + 1; end < to && slots[end].queue == slots[from].queue;)
			end++;
		push_run(set, slots[from].queue, (u16)from, (u16)(end - 1));
	}
}

size_t fc_set_bytes(u32 assoc)
{
	size_t bytes = sizeof(struct fc_set) + assoc * sizeof(struct fc_slot) +
		       (assoc / 2 + assoc) * sizeof(u16) +
		       (FC_NR_PENDS + 1) * BITS_TO_LONGS(assoc) * sizeof(long);

	return (bytes + 63) & ~(size_t)63;
}

/**
 * fc_set_unlink_all() - take all slots out of their queues and chains
 * @core: core
 * @set: set
 */
void fc_set_unlink_all(const struct fc_core *core, struct fc_set *set)
{
	u32 i;

	for (i = 0; i < FC_NR_QUEUES; i++) {
		set->head[i] = FC_NIL;
		set->len[i] = 0;
	}
	memset(fc_set_chains(core, set), 0xff, core->geo.assoc / 2 * sizeof(u16));
}

/**
 * fc_set_init() - make a set empty
 * @core: core
 * @set: its chunk, zeroed by the caller; the shell initialises the lock
 */
void fc_set_init(const struct fc_core *core, struct fc_set *set)
{
	u32 way;

	fc_set_unlink_all(core, set);
	for (way = 0; way < core->geo.assoc; way++)
		*fc_set_slot(set, (u16)way) = fc_slot_empty((u16)way);
	fc_queue_put(set, 0, core->geo.assoc);
}
