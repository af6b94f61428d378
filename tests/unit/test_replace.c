// SPDX-License-Identifier: GPL-2.0
/*
 * Who stays and who goes.
 */
#include "fixture.h"

static const struct fix fifo = { 8, 16, 1, 16, 8 * 100000, FC_MODE_WRITEBACK, FC_POLICY_FIFO };
static const struct fix lru = { 8, 16, 1, 16, 8 * 100000, FC_MODE_WRITEBACK, FC_POLICY_LRU };
static const struct fix s3 = { 8, 64, 1, 16, 8 * 100000, FC_MODE_WRITEBACK, FC_POLICY_S3FIFO };

static struct fc_oblock block(u64 n)
{
	return (struct fc_oblock){ n };
}

static bool there(const struct fc_core *core, u64 n)
{
	return fix_find(core, n) != FC_NIL;
}

/* Brings block @n in as a clean one; returns its way. */
static u16 bring(struct fc_core *core, u64 n)
{
	struct fc_set *set = fc_core_set(core, 0);
	u16 way = fc_replace_take(core, set, block(n));

	if (way != FC_NIL)
		fc_set_slot(set, way)->valid = 1;
	fc_check_set(core, set);
	return way;
}

static void hit(struct fc_core *core, u64 n)
{
	fc_replace_hit(core, fc_core_set(core, 0), fix_find(core, n));
}

/* An access as a cache has it. Returns true when it hit. */
static bool touch(struct fc_core *core, u64 n)
{
	if (there(core, n)) {
		hit(core, n);
		return true;
	}
	CHECK(bring(core, n) != FC_NIL);
	return false;
}

/* Blocks far enough apart that neighbours do not matter. */
static u64 far(u64 n)
{
	return n * 17;
}

static void fill_up(struct fc_core *core)
{
	u32 i;

	for (i = 0; i < core->geo.assoc; i++)
		bring(core, far(i));
	CHECK_EQ(fc_core_set(core, 0)->len[FC_Q_FREE], 0);
}

TEST(replace_takes_free_slots_first)
{
	struct fc_core *core = fix_core(&fifo);
	u32 i;

	for (i = 0; i < 16; i++)
		CHECK_EQ(bring(core, far(i)), i);
	for (i = 0; i < 16; i++)
		CHECK(there(core, far(i)));
	fix_free(core);
}

TEST(replace_new_slot_holds_nothing)
{
	struct fc_core *core = fix_core(&fifo);
	struct fc_set *set = fc_core_set(core, 0);
	struct fc_slot *s;

	fill_up(core);
	s = fc_set_slot(set, fc_replace_take(core, set, block(5000)));
	CHECK_EQ(s->block, 5000);
	CHECK(!s->valid && !s->dirty && !s->freq);
	CHECK(set->stale);
	fix_free(core);
}

TEST(replace_fifo)
{
	struct fc_core *core = fix_core(&fifo);
	u32 i;

	fill_up(core);
	hit(core, far(0));
	for (i = 0; i < 40; i++) {
		bring(core, far(16 + i));
		CHECK(!there(core, far(i)));
		CHECK(there(core, far(i + 1)));
	}
	fix_free(core);
}

TEST(replace_lru)
{
	struct fc_core *core = fix_core(&lru);

	fill_up(core);
	hit(core, far(0));
	hit(core, far(2));
	bring(core, far(100));
	CHECK(there(core, far(0)) && !there(core, far(1)) && there(core, far(2)));
	bring(core, far(101));
	CHECK(there(core, far(0)) && there(core, far(2)) && !there(core, far(3)));
	fix_free(core);
}

/* Against lists: the very same blocks are there after each of many accesses. */
static void compare_with_list(const struct fix *fix, bool by_use)
{
	struct fc_core *core = fix_core(fix);
	u64 list[16];
	u32 nr = 0, i, j;

	for (i = 0; i < 20000; i++) {
		u64 n = far(test_below(20) * test_below(3));

		for (j = 0; j < nr && list[j] != n; j++)
			;
		CHECK_EQ(touch(core, n), j < nr);
		if (j == nr && nr == 16)
			j = --nr;
		else if (j < nr && !by_use)
			continue;
		else if (j < nr)
			nr--;
		memmove(list + 1, list, j * sizeof(*list));
		list[0] = n;
		nr++;
		for (j = 0; j < nr; j++)
			CHECK(there(core, list[j]));
	}
	fix_free(core);
}

TEST(replace_fifo_random)
{
	compare_with_list(&fifo, false);
}

TEST(replace_lru_random)
{
	compare_with_list(&lru, true);
}

TEST(replace_s3fifo_new_blocks_go_to_the_small_queue)
{
	struct fc_core *core = fix_core(&s3);
	struct fc_set *set = fc_core_set(core, 0);

	bring(core, far(1));
	CHECK_EQ(fix_slot(core, far(1))->queue, FC_Q_SMALL);
	CHECK_EQ(set->len[FC_Q_MAIN], 0);
	fix_free(core);
}

/* Used once more: gone, but remembered. Used twice more: lifted. */
TEST(replace_s3fifo_two_hits_lift)
{
	struct fc_core *core = fix_core(&s3);

	fill_up(core);
	hit(core, far(0));
	hit(core, far(1));
	hit(core, far(1));
	bring(core, far(100));
	CHECK(!there(core, far(0)) && there(core, far(1)));
	bring(core, far(101));
	CHECK(there(core, far(1)) && !there(core, far(2)));
	CHECK_EQ(fix_slot(core, far(1))->queue, FC_Q_MAIN);
	CHECK_EQ(fix_slot(core, far(1))->freq, 0);
	fix_free(core);
}

TEST(replace_s3fifo_ghost_returns_to_main)
{
	struct fc_core *core = fix_core(&s3);

	fill_up(core);
	bring(core, far(100));
	CHECK(!there(core, far(0)));
	bring(core, far(0));
	CHECK_EQ(fix_slot(core, far(0))->queue, FC_Q_MAIN);
	bring(core, far(101));
	CHECK_EQ(fix_slot(core, far(101))->queue, FC_Q_SMALL);
	fix_free(core);
}

/* A ghost is taken once; and what left the main queue leaves none. */
TEST(replace_s3fifo_ghosts_are_used_up)
{
	struct fc_core *core = fix_core(&s3);
	struct fc_set *set = fc_core_set(core, 0);

	fill_up(core);
	bring(core, far(100));
	bring(core, far(0));
	CHECK_EQ(fix_slot(core, far(0))->queue, FC_Q_MAIN);
	fc_replace_free(core, set, fix_find(core, far(0)));
	bring(core, far(0));
	CHECK_EQ(fix_slot(core, far(0))->queue, FC_Q_SMALL);
	fix_free(core);
}

/* A scan passes through the small tenth and leaves the proven blocks alone. */
TEST(replace_s3fifo_scan_resistance)
{
	struct fc_core *core = fix_core(&s3);
	u32 i, round;

	for (round = 0; round < 4; round++)
		for (i = 0; i < 50; i++)
			touch(core, far(i));
	for (i = 1000; i < 2000; i++)
		touch(core, far(i));
	for (i = 0; i < 50; i++)
		CHECK(there(core, far(i)));
	CHECK(fc_core_set(core, 0)->len[FC_Q_SMALL] <= 64 / 10 + 64 - 50);
	fix_free(core);
}

/* Main blocks that were hit are spared as often as they were hit; then they go. */
TEST(replace_s3fifo_main_gives_second_chances)
{
	struct fc_core *core = fix_core(&s3);
	struct fc_set *set = fc_core_set(core, 0);
	u32 i;

	core->policy = FC_POLICY_LRU;
	fill_up(core);
	core->policy = FC_POLICY_S3FIFO;
	hit(core, far(0));
	for (i = 0; i < 4; i++)
		hit(core, far(1));
	CHECK_EQ(fix_slot(core, far(1))->freq, 3);
	CHECK_EQ(set->len[FC_Q_MAIN], 64);
	bring(core, far(100));
	CHECK(there(core, far(0)) && there(core, far(1)) && !there(core, far(2)));
	CHECK_EQ(fix_slot(core, far(0))->freq, 0);
	CHECK_EQ(fix_slot(core, far(1))->freq, 2);
	fix_free(core);
}

/* The main queue gives while it has more than nine tenths. */
TEST(replace_s3fifo_share_of_the_small_queue)
{
	struct fc_core *core = fix_core(&s3);
	struct fc_set *set = fc_core_set(core, 0);
	u32 i;

	core->policy = FC_POLICY_LRU;
	fill_up(core);
	core->policy = FC_POLICY_S3FIFO;
	for (i = 0; i < 64; i++) {
		bring(core, far(1000 + i));
		CHECK_EQ(set->len[FC_Q_SMALL], i < 6 ? i + 1 : 6);
	}
	CHECK(!there(core, far(1000)) && there(core, far(1063)));
	fix_free(core);
}

/* What one policy left behind the next one handles. */
TEST(replace_switch_at_run_time)
{
	struct fc_core *core = fix_core(&s3);
	struct fc_set *set = fc_core_set(core, 0);
	u32 i;

	for (i = 0; i < 30000; i++) {
		if (i % 500 == 0)
			core->policy = (u8)test_below(3);
		touch(core, far(test_below(40) * test_below(4)));
		if (i % 50 == 0)
			fc_check_set(core, set);
		CHECK(i < 1000 || set->len[FC_Q_FREE] == 0);
	}
	core->policy = FC_POLICY_S3FIFO;
	for (i = 0; i < 200; i++)
		touch(core, far(1000 + i));
	CHECK(set->len[FC_Q_SMALL]);
	core->policy = FC_POLICY_FIFO;
	for (i = 0; i < 64; i++)
		bring(core, far(5000 + i));
	CHECK_EQ(set->len[FC_Q_SMALL], 0);
	for (i = 0; i < 64; i++)
		CHECK(there(core, far(5000 + i)));
	fix_free(core);
}

static void hold(struct fc_slot *s, u32 how)
{
	switch (how) {
	case 0:
		s->pins = 1;
		break;
	case 1:
		s->busy = FC_OWNED;
		break;
	case 2:
		s->ledger = 1;
		break;
	case 3:
		s->wait = 1;
		break;
	case 4:
		s->dirty = 1;
		break;
	}
}

static void release(struct fc_slot *s)
{
	s->pins = 0;
	s->busy = FC_IDLE;
	s->ledger = 0;
	s->wait = 0;
	s->dirty = 0;
}

/* Each reason by itself keeps a slot, under each policy; the oldest that may go goes. */
TEST(replace_never_evicts_what_is_held)
{
	u32 policy, how, i;

	for (policy = 0; policy < 3; policy++) {
		for (how = 0; how < 5; how++) {
			struct fc_core *core = fix_core(&s3);
			struct fc_set *set = fc_core_set(core, 0);

			core->policy = (u8)policy;
			fill_up(core);
			for (i = 0; i < 63; i++)
				hold(fc_set_slot(set, (u16)i), how);
			CHECK_EQ(fc_replace_take(core, set, block(9999)), 63);
			hold(fc_set_slot(set, 63), how);
			CHECK_EQ(fc_replace_take(core, set, block(9998)), FC_NIL);
			CHECK(!there(core, 9998));
			for (i = 0; i < 64; i++)
				CHECK(!fc_replace_take_way(core, set, block(9998), (u16)i));
			release(fc_set_slot(set, 40));
			CHECK_EQ(fc_replace_take(core, set, block(9998)), 40);
			fix_free(core);
		}
	}
}

/* Dirty slots keep their place: once clean, the oldest goes first. */
TEST(replace_dirty_slots_keep_their_place)
{
	struct fc_core *core = fix_core(&fifo);
	struct fc_set *set = fc_core_set(core, 0);

	fill_up(core);
	hold(fc_set_slot(set, 0), 4);
	CHECK_EQ(fc_replace_take(core, set, block(9999)), 1);
	fc_set_slot(set, 1)->valid = 1;
	release(fc_set_slot(set, 0));
	CHECK_EQ(fc_replace_take(core, set, block(9998)), 0);
	fix_free(core);
}

/* With thousands of dirty slots before the first clean one there is still room. */
TEST(replace_many_dirty_before_the_clean)
{
	struct fix big = fifo;
	u32 i, policy;

	big.assoc = 8192;
	for (policy = 0; policy < 3; policy++) {
		struct fc_core *core;
		struct fc_set *set;

		big.policy = (u8)policy;
		core = fix_core(&big);
		set = fc_core_set(core, 0);
		for (i = 0; i < 8192; i++)
			fc_set_slot(set, fc_replace_take(core, set, block(i)))->valid = 1;
		for (i = 0; i < 8000; i++)
			hold(fc_set_slot(set, (u16)i), 4);
		CHECK_EQ(fc_replace_take(core, set, block(9999)), 8000);
		fix_free(core);
	}
}

/* Even when each slot of a set was hit as often as counts, a bounded search ends. */
TEST(replace_all_proven)
{
	struct fix big = s3;
	struct fc_core *core;
	struct fc_set *set;
	u32 i, tries;
	u16 way = FC_NIL;

	big.assoc = 8192;
	core = fix_core(&big);
	set = fc_core_set(core, 0);
	for (i = 0; i < 8192; i++) {
		u16 at = fc_replace_take(core, set, block(i));

		fc_set_slot(set, at)->valid = 1;
		fc_set_slot(set, at)->freq = 3;
	}
	for (tries = 0; tries < 5 && way == FC_NIL; tries++)
		way = fc_replace_take(core, set, block(9999));
	CHECK(way != FC_NIL);
	fc_set_slot(set, way)->valid = 1;
	fc_check_set(core, set);
	fix_free(core);
}

TEST(replace_neighbours_get_neighbouring_slots)
{
	struct fc_core *core = fix_core(&s3);
	u16 way;

	bring(core, 500);
	bring(core, 1600);
	way = bring(core, 1601);
	CHECK_EQ(way, fix_find(core, 1600) + 1);
	/* the slot behind is taken: any other will do */
	way = bring(core, 501);
	CHECK(way != FC_NIL && way != fix_find(core, 500) + 1);
	/* the first block of a cluster has no neighbour in the set */
	bring(core, 1615);
	way = bring(core, 1616);
	CHECK(way != FC_NIL);
	fix_free(core);
}

TEST(replace_no_neighbour_behind_the_last_slot)
{
	struct fc_core *core = fix_core(&s3);
	struct fc_set *set = fc_core_set(core, 0);

	CHECK(fc_replace_take_way(core, set, block(1600), 63));
	fc_set_slot(set, 63)->valid = 1;
	CHECK(bring(core, 1601) < 63);
	CHECK(!fc_replace_take_way(core, set, block(1602), 64));
	fix_free(core);
}

/* A wanted slot is taken when it is free, or when it is the one that would go anyway. */
TEST(replace_take_way)
{
	struct fc_core *core = fix_core(&s3);
	struct fc_set *set = fc_core_set(core, 0);

	CHECK(fc_replace_take_way(core, set, block(7), 20));
	CHECK_EQ(fix_find(core, 7), 20);
	fc_set_slot(set, 20)->valid = 1;
	CHECK(!fc_replace_take_way(core, set, block(8), 20));
	fc_replace_free(core, set, 20);
	fill_up(core);
	CHECK(!fc_replace_take_way(core, set, block(9999), 5));
	hit(core, far(0));
	CHECK(!fc_replace_take_way(core, set, block(9999), fix_find(core, far(0))));
	fix_slot(core, far(0))->freq = 0;
	CHECK(fc_replace_take_way(core, set, block(9999), fix_find(core, far(0))));
	CHECK(!there(core, far(0)) && there(core, 9999));
	/* it left a ghost, as any other that goes from the small queue */
	fix_slot(core, 9999)->valid = 1;
	bring(core, far(0));
	CHECK_EQ(fix_slot(core, far(0))->queue, FC_Q_MAIN);
	fc_check_set(core, set);
	fix_free(core);
}
