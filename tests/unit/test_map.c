// SPDX-License-Identifier: GPL-2.0
/*
 * Chains and queues against naive models.
 */
#include <stdlib.h>

#include "fixture.h"

static const struct fix fix = { 8, 256, 2, 16, 8 * 4000, FC_MODE_WRITEBACK, FC_POLICY_FIFO };
static const struct fix crowded = { 8, 16, 1, 16, 8 * 400, FC_MODE_WRITEBACK, FC_POLICY_FIFO };

TEST(map_new_set_is_empty)
{
	struct fc_core *core = fix_core(&fix);
	u32 i;

	fc_check_core(core);
	for (i = 0; i < 4000; i++)
		CHECK_EQ(fix_find(core, i), FC_NIL);
	CHECK_EQ(fc_core_set(core, 1)->len[FC_Q_FREE], 256);
	CHECK_EQ(fc_queue_oldest(fc_core_set(core, 1), FC_Q_FREE), 0);
	CHECK_EQ(fc_queue_oldest(fc_core_set(core, 1), FC_Q_MAIN), FC_NIL);
	CHECK_EQ(fc_core_set_index(core, fc_core_set(core, 1)), 1);
	fix_free(core);
}

/* The pieces of a set's chunk lie one behind the other and within it. */
TEST(map_chunk_has_room_for_all)
{
	u32 assoc;

	for (assoc = 16; assoc <= 8192; assoc *= 2) {
		struct fix f = crowded;
		struct fc_core *core;
		struct fc_set *set;
		char *end;

		f.assoc = assoc;
		core = fix_core(&f);
		set = fc_core_set(core, 0);
		end = (char *)set + fc_set_bytes(assoc);
		CHECK((char *)(fc_set_slots(set) + assoc) <= (char *)fc_set_chains(core, set));
		CHECK((char *)(fc_set_chains(core, set) + assoc / 2) <=
		      (char *)fc_set_ghosts(core, set));
		CHECK((char *)(fc_set_ghosts(core, set) + assoc) <=
		      (char *)fc_set_pend(core, set, FC_PEND_ADD));
		CHECK(fc_set_pend(core, set, FC_PEND_ADD) + BITS_TO_LONGS(assoc) <=
		      fc_set_pend(core, set, FC_PEND_DEL));
		CHECK(fc_set_pend(core, set, FC_PEND_DEL) + BITS_TO_LONGS(assoc) <=
		      fc_set_flying(core, set));
		CHECK((char *)(fc_set_flying(core, set) + BITS_TO_LONGS(assoc)) <= end);
		CHECK_EQ((uintptr_t)fc_set_pend(core, set, FC_PEND_ADD) % sizeof(long), 0);
		fix_free(core);
	}
}

static void put(struct fc_core *core, struct fc_set *set, u16 way, u64 block)
{
	fc_queue_unlink(set, way);
	fc_queue_push(set, FC_Q_MAIN, way);
	fc_map_insert(core, set, way, (struct fc_oblock){ block });
	fc_set_slot(set, way)->valid = 1;
}

static void take(struct fc_core *core, struct fc_set *set, u16 way)
{
	fc_map_remove(core, set, way);
	fc_set_slot(set, way)->valid = 0;
	fc_queue_unlink(set, way);
	fc_queue_push(set, FC_Q_FREE, way);
}

/* 16 ways have 8 chains: blocks meet. */
static void random_map(const struct fix *f, u32 steps)
{
	struct fc_core *core = fix_core(f);
	u32 nr_blocks = (u32)f->disk_sectors / 8, i, j;
	u16 *where = malloc(nr_blocks * sizeof(*where));

	CHECK(where);
	memset(where, 0xff, nr_blocks * sizeof(*where));
	for (i = 0; i < steps; i++) {
		u64 block = test_below(nr_blocks);
		struct fc_set *set = fix_set(core, block * 8);

		CHECK_EQ(fix_find(core, block), where[block]);
		if (where[block] != FC_NIL) {
			take(core, set, where[block]);
			where[block] = FC_NIL;
		} else if (set->len[FC_Q_FREE]) {
			where[block] = fc_queue_oldest(set, FC_Q_FREE);
			put(core, set, where[block], block);
		}
		if (i % 64 == 0)
			fc_check_core(core);
	}
	for (j = 0; j < nr_blocks; j++)
		CHECK_EQ(fix_find(core, j), where[j]);
	free(where);
	fix_free(core);
}

TEST(map_random)
{
	random_map(&fix, 20000);
}

TEST(map_random_crowded)
{
	random_map(&crowded, 20000);
}

/* A naive queue: an array, newest first. */
struct list {
	u16 ways[256];
	u32 nr;
};

static void list_remove(struct list *list, u16 way)
{
	u32 i;

	for (i = 0; list->ways[i] != way; i++)
		CHECK(i < list->nr);
	memmove(list->ways + i, list->ways + i + 1, (list->nr - i - 1) * sizeof(u16));
	list->nr--;
}

static void list_push(struct list *list, u16 way)
{
	memmove(list->ways + 1, list->ways, list->nr * sizeof(u16));
	list->ways[0] = way;
	list->nr++;
}

static void compare(const struct fc_set *set, enum fc_queue q, const struct list *list)
{
	u16 way = set->head[q];
	u32 i;

	CHECK_EQ(set->len[q], list->nr);
	CHECK_EQ(fc_queue_oldest(set, q), list->nr ? list->ways[list->nr - 1] : FC_NIL);
	for (i = 0; i < list->nr; i++) {
		CHECK_EQ(way, list->ways[i]);
		way = (u16)fc_set_slot(set, way)->next;
	}
}

TEST(map_queues_random)
{
	static struct list lists[FC_NR_QUEUES];
	struct fc_core *core = fix_core(&fix);
	struct fc_set *set = fc_core_set(core, 1);
	u32 i, q;

	memset(lists, 0, sizeof(lists));
	for (i = 0; i < 256; i++)
		list_push(&lists[FC_Q_FREE], (u16)i);
	for (i = 0; i < 20000; i++) {
		u16 way = (u16)test_below(256);
		enum fc_queue from = (enum fc_queue)fc_set_slot(set, way)->queue;
		enum fc_queue to = (enum fc_queue)test_below(FC_NR_QUEUES);

		fc_queue_unlink(set, way);
		fc_queue_push(set, to, way);
		list_remove(&lists[from], way);
		list_push(&lists[to], way);
		if (i % 16 == 0)
			for (q = 0; q < FC_NR_QUEUES; q++)
				compare(set, q, &lists[q]);
	}
	fix_free(core);
}
