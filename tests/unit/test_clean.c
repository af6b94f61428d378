// SPDX-License-Identifier: GPL-2.0
/*
 * What is cleaned and what that means.
 */
#include "fixture.h"

static const struct fix fix = { 8, 16, 1, 16, 8 * 1000 + 3, FC_MODE_WRITEBACK, FC_POLICY_LRU };

static struct fc_set *the_set(struct fc_core *core)
{
	return fc_core_set(core, 0);
}

static struct fc_clean_item item_of(struct fc_core *core, u64 block)
{
	struct fc_clean_item item;

	CHECK(fc_clean_find(core, the_set(core), (struct fc_oblock){ block }, &item));
	CHECK_EQ(item.b.n, block);
	CHECK_EQ(item.slot.n, fix_find(core, block));
	return item;
}

TEST(clean_pick_oldest_first)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_clean_item items[8];
	u32 i;

	for (i = 0; i < 6; i++)
		fix_dirty(core, i * 160, 8);
	fix_fill(core, 500);
	fix_dirty(core, 0, 8);		/* now the youngest */
	CHECK_EQ(fc_clean_pick(core, the_set(core), 3, items, 8), 3);
	CHECK_EQ(items[0].b.n, 20);
	CHECK_EQ(items[1].b.n, 40);
	CHECK_EQ(items[2].b.n, 60);
	CHECK_EQ(fc_clean_pick(core, the_set(core), 100, items, 8), 6);
	CHECK_EQ(items[5].b.n, 0);
	CHECK_EQ(fc_clean_pick(core, the_set(core), 100, items, 2), 2);
	CHECK_EQ(fc_clean_pick(core, the_set(core), 0, items, 8), 0);
	fix_free(core);
}

/* From both queues, the small one first; nothing clean, pinned, claimed or in work. */
TEST(clean_pick_skips)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_clean_item items[8];
	u32 i;

	core->policy = FC_POLICY_LRU;
	fix_dirty(core, 0, 8);
	fix_dirty(core, 8, 8);
	core->policy = FC_POLICY_S3FIFO;
	for (i = 2; i < 6; i++)
		fix_dirty(core, i * 8, 8);
	fix_slot(core, 1)->pins = 1;
	fix_slot(core, 2)->busy = FC_OWNED;
	fix_slot(core, 3)->busy = FC_CLEANING;
	CHECK_EQ(fc_clean_pick(core, the_set(core), 8, items, 8), 3);
	CHECK_EQ(items[0].b.n, 4);
	CHECK_EQ(items[1].b.n, 5);
	CHECK_EQ(items[2].b.n, 0);
	fix_free(core);
}

TEST(clean_pick_waiting)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_clean_item items[8];
	u32 i;

	for (i = 0; i < 5; i++)
		fix_dirty(core, i * 8, 8);
	fix_slot(core, 1)->wait = 1;
	fix_slot(core, 3)->wait = 1;
	fix_slot(core, 4)->wait = 1;
	fix_slot(core, 4)->pins = 1;
	CHECK_EQ(fc_clean_pick_waiting(core, the_set(core), items, 8), 2);
	CHECK_EQ(items[0].b.n, 1);
	CHECK_EQ(items[1].b.n, 3);
	CHECK_EQ(fc_clean_pick_waiting(core, the_set(core), items, 1), 1);
	fix_free(core);
}

TEST(clean_find)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_clean_item item;

	fix_dirty(core, 16, 8);
	fix_fill(core, 3);
	item_of(core, 2);
	CHECK(!fc_clean_find(core, the_set(core), (struct fc_oblock){ 3 }, &item));
	CHECK(!fc_clean_find(core, the_set(core), (struct fc_oblock){ 4 }, &item));
	fix_slot(core, 2)->pins = 1;
	CHECK(!fc_clean_find(core, the_set(core), (struct fc_oblock){ 2 }, &item));
	fix_free(core);
}

TEST(clean_whole_cycle)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_set *set = the_set(core);
	struct fc_clean_item item;

	fix_dirty(core, 18, 3);
	item = item_of(core, 2);
	CHECK_EQ(fc_clean_begin(core, set, &item), 0x1c);
	CHECK_EQ(set->cleaning, 1);
	CHECK_EQ(fc_clean_begin(core, set, &item), 0);
	fc_check_set(core, set);
	CHECK_EQ(fc_clean_end(core, set, &item, 0x1c, true), FC_DONE_BARE);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0);
	CHECK_EQ(fix_slot(core, 2)->valid, 0x1c);
	CHECK_EQ(set->dirty, 0);
	CHECK(!fix_pend(core, 2, FC_PEND_ADD) && !fix_pend(core, 2, FC_PEND_DEL));
	fc_check_idle(core, set);
	fix_free(core);
}

TEST(clean_fails)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_set *set = the_set(core);
	struct fc_clean_item item;

	fix_dirty(core, 16, 8);
	item = item_of(core, 2);
	fc_clean_begin(core, set, &item);
	CHECK_EQ(fc_clean_end(core, set, &item, 0xff, false), 0);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0xff);
	CHECK(fix_pend(core, 2, FC_PEND_ADD));
	fc_check_idle(core, set);
	fix_free(core);
}

/* What was picked may be another block's by now, or clean, or in use. */
TEST(clean_begin_of_what_has_changed)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_set *set = the_set(core);
	struct fc_clean_item item, other;

	fix_dirty(core, 16, 8);
	item = item_of(core, 2);
	other = item;
	other.b.n = 99;
	CHECK_EQ(fc_clean_begin(core, set, &other), 0);
	fix_slot(core, 2)->pins = 1;
	CHECK_EQ(fc_clean_begin(core, set, &item), 0);
	fix_slot(core, 2)->pins = 0;
	CHECK_EQ(fc_clean_begin(core, set, &item), 0xff);
	fc_clean_end(core, set, &item, 0xff, true);
	CHECK_EQ(fc_clean_begin(core, set, &item), 0);
	fc_replace_free(core, set, (u16)item.slot.n);
	CHECK_EQ(fc_clean_begin(core, set, &item), 0);
	CHECK_EQ(set->cleaning, 0);
	fix_free(core);
}

/* A write that comes meanwhile makes the cleaning void. */
TEST(clean_touched)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_set *set = the_set(core);
	struct fc_ask a = fix_ask(core, 23, 1);
	struct fc_clean_item item;
	struct fc_plan write;

	fix_dirty(core, 16, 4);
	item = item_of(core, 2);
	CHECK_EQ(fc_clean_begin(core, set, &item), 0x0f);
	fc_desk_write(core, set, &a, &write);
	CHECK_EQ(write.verdict, FC_HIT);
	CHECK_EQ(fix_slot(core, 2)->busy, FC_TOUCHED);
	CHECK_EQ(fc_clean_end(core, set, &item, 0x0f, true), 0);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x0f);
	CHECK_EQ(fix_slot(core, 2)->pins, 1);
	fc_desk_done_write(core, set, &write, true);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x8f);
	fc_check_idle(core, set);
	fix_free(core);
}

/* The write may also end first. */
TEST(clean_touched_and_left)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_set *set = the_set(core);
	struct fc_clean_item item;

	fix_dirty(core, 16, 4);
	item = item_of(core, 2);
	fc_clean_begin(core, set, &item);
	fix_dirty(core, 16, 4);
	CHECK_EQ(fix_slot(core, 2)->busy, FC_TOUCHED);
	CHECK_EQ(fc_clean_end(core, set, &item, 0x0f, true), 0);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x0f);
	fc_check_idle(core, set);
	fix_free(core);
}

/* What a durable record names is withdrawn; what no record covers hangs on the disk's flush. */
TEST(clean_and_the_ledger)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_set *set = the_set(core);
	struct fc_clean_item item;

	fix_dirty(core, 16, 4);
	fix_commit(core);
	item = item_of(core, 2);
	fc_clean_begin(core, set, &item);
	CHECK_EQ(fc_clean_end(core, set, &item, 0x0f, true), FC_DONE_DEL);
	CHECK(fix_pend(core, 2, FC_PEND_DEL));
	CHECK(!fc_slot_evictable(fix_slot(core, 2)));
	fix_dirty(core, 16, 5);
	fc_clean_begin(core, set, &item);
	CHECK_EQ(fc_clean_end(core, set, &item, 0x1f, true), FC_DONE_DEL | FC_DONE_BARE);
	fix_commit(core);
	CHECK(fc_slot_evictable(fix_slot(core, 2)));
	fc_check_idle(core, set);
	fix_free(core);
}

/* Bare also while the record is only on its way. */
TEST(clean_while_the_record_is_on_its_way)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_set *set = the_set(core);
	struct fc_record rec;
	struct fc_gather to = { .recs = &rec, .max = 1 };
	struct fc_clean_item item;

	fix_dirty(core, 16, 4);
	fc_ledger_gather(core, set, FC_PEND_ADD, &to);
	item = item_of(core, 2);
	fc_clean_begin(core, set, &item);
	CHECK_EQ(fc_clean_end(core, set, &item, 0x0f, true), FC_DONE_DEL | FC_DONE_BARE);
	CHECK(!fc_ledger_committed(core, set, &rec));
	CHECK(fix_pend(core, 2, FC_PEND_DEL));
	CHECK(fix_slot(core, 2)->ledger);
	fix_commit(core);
	CHECK(!fix_slot(core, 2)->ledger);
	fix_free(core);
}
