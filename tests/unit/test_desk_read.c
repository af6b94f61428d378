// SPDX-License-Identifier: GPL-2.0
/*
 * The desk: reads. Every verdict and what ends it.
 */
#include "fixture.h"

static const struct fix small = { 8, 16, 1, 16, 8 * 1000 + 3, FC_MODE_WRITEBACK, FC_POLICY_LRU };
static const struct fix large = { 32, 16, 1, 16, 32 * 100 + 5, FC_MODE_WRITEBACK, FC_POLICY_LRU };
static const struct fix wide = { 128, 16, 1, 2, 128 * 100, FC_MODE_WRITEBACK, FC_POLICY_LRU };

static struct fc_plan ask(struct fc_core *core, sector_t sector, u32 nr, bool admit)
{
	struct fc_ask a = fix_ask(core, sector, nr);
	struct fc_plan plan;

	memset(&plan, 0xa5, sizeof(plan));
	a.admit = admit;
	fc_desk_read(core, fix_set(core, sector), &a, &plan);
	CHECK_EQ(plan.sector, sector);
	return plan;
}

static unsigned int done(struct fc_core *core, const struct fc_plan *plan, bool ok)
{
	struct fc_set *set = fix_set(core, plan->sector);
	bool elsewhere = false;
	unsigned int flags;

	if (plan->verdict == FC_HIT)
		flags = fc_desk_done_read(core, set, plan, ok, &elsewhere);
	else
		flags = fc_desk_done_fill(core, set, plan, ok);
	fc_check_set(core, set);
	return flags;
}

TEST(desk_read_miss_without_admission)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p = ask(core, 19, 20, false);

	CHECK_EQ(p.verdict, FC_DISK);
	CHECK_EQ(p.nr, 20);
	CHECK_EQ(p.flags, 0);
	CHECK_EQ(fc_core_set(core, 0)->len[FC_Q_FREE], 16);
	fix_free(core);
}

/* A miss fetches whole blocks, however little is asked. */
TEST(desk_read_fill)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p = ask(core, 19, 1, true);

	CHECK_EQ(p.verdict, FC_FILL);
	CHECK_EQ(p.nr, 1);
	CHECK_EQ(p.nr_blocks, 1);
	CHECK_EQ(p.way[0], fix_find(core, 2));
	CHECK_EQ(fix_slot(core, 2)->busy, FC_OWNED);
	CHECK_EQ(fix_slot(core, 2)->valid, 0);
	CHECK_EQ(done(core, &p, true), 0);
	CHECK_EQ(fix_slot(core, 2)->valid, 0xff);
	CHECK_EQ(fix_slot(core, 2)->busy, FC_IDLE);
	CHECK(!fix_slot(core, 2)->dirty);
	fc_check_idle(core, fc_core_set(core, 0));
	fix_free(core);
}

/* While there are free slots a fill goes on to the end of its cluster; the answer does not. */
TEST(desk_read_fill_ahead)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p;
	u32 i;

	core->fill_ahead = true;
	p = ask(core, 8 * 3 + 2, 1, true);
	CHECK_EQ(p.verdict, FC_FILL);
	CHECK_EQ(p.nr, 1);
	CHECK_EQ(p.nr_blocks, 13);
	CHECK_EQ(p.replaced, 0);
	for (i = 0; i < 13; i++)
		CHECK_EQ(p.way[i], fix_find(core, 3 + i));
	CHECK_EQ(fix_slot(core, 15)->busy, FC_OWNED);
	done(core, &p, true);
	CHECK_EQ(fix_slot(core, 15)->valid, 0xff);
	CHECK_EQ(fix_find(core, 16), FC_NIL);
	fc_check_idle(core, fc_core_set(core, 0));
	fix_free(core);
}

/* What is there ends it, and so do the last free slot and the end of the disk. */
TEST(desk_read_fill_ahead_ends)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p;

	fix_dirty(core, 8 * 5, 1);
	core->fill_ahead = true;
	p = ask(core, 8 * 2, 8, true);
	CHECK_EQ(p.nr_blocks, 3);
	done(core, &p, true);
	p = ask(core, 8 * 999, 8, true);
	CHECK_EQ(p.nr_blocks, 2);
	done(core, &p, true);
	CHECK_EQ(fix_slot(core, 1000)->valid, 0x7);
	p = ask(core, 8 * 16, 8, true);
	CHECK_EQ(p.nr_blocks, 10);
	done(core, &p, true);
	CHECK_EQ(fc_core_set(core, 0)->len[FC_Q_FREE], 0);
	p = ask(core, 8 * 32, 8, true);
	CHECK_EQ(p.verdict, FC_FILL);
	CHECK_EQ(p.nr_blocks, 1);
	CHECK_EQ(p.replaced, 1);
	done(core, &p, true);
	fix_free(core);
}

/* A block that somebody writes past the cache is not brought along. */
TEST(desk_read_fill_ahead_ends_at_what_is_owned)
{
	struct fc_core *core = fix_core(&small);
	struct fc_ask a = fix_ask(core, 8 * 4, 8);
	struct fc_plan around, p;

	core->fill_ahead = true;
	a.admit = false;
	fc_desk_write(core, fix_set(core, a.sector), &a, &around);
	CHECK_EQ(around.verdict, FC_AROUND);
	p = ask(core, 8 * 2, 8, true);
	CHECK_EQ(p.nr_blocks, 2);
	done(core, &p, true);
	fc_desk_done_around(core, fix_set(core, a.sector), &around);
	fix_free(core);
}

TEST(desk_read_fill_fails)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p = ask(core, 19, 30, true);

	CHECK_EQ(p.nr_blocks, 5);
	CHECK_EQ(done(core, &p, false), 0);
	CHECK_EQ(fc_core_set(core, 0)->len[FC_Q_FREE], 16);
	fc_check_idle(core, fc_core_set(core, 0));
	fix_free(core);
}

TEST(desk_read_fill_of_many_blocks)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p = ask(core, 5, 123, true);
	u32 i;

	CHECK_EQ(p.verdict, FC_FILL);
	CHECK_EQ(p.nr, 123);
	CHECK_EQ(p.nr_blocks, 16);
	for (i = 0; i < 16; i++)
		CHECK_EQ(p.way[i], fix_find(core, i));
	done(core, &p, true);
	p = ask(core, 5, 123, true);
	CHECK_EQ(p.verdict, FC_HIT);
	CHECK_EQ(p.nr, 123);
	CHECK_EQ(p.nr_blocks, 16);
	fix_free(core);
}

/* What goes through memory is at most 64 KiB. */
TEST(desk_read_fill_is_bounded)
{
	struct fc_core *core = fix_core(&wide);
	struct fc_plan p = ask(core, 100, 100, true);

	CHECK_EQ(p.verdict, FC_FILL);
	CHECK_EQ(p.nr_blocks, 1);
	CHECK_EQ(p.nr, 28);
	fix_free(core);
}

TEST(desk_read_last_block_is_short)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p = ask(core, 8000 + 1, 2, true);

	CHECK_EQ(p.verdict, FC_FILL);
	done(core, &p, true);
	CHECK_EQ(fix_slot(core, 1000)->valid, 0x7);
	p = ask(core, 8000, 3, true);
	CHECK_EQ(p.verdict, FC_HIT);
	CHECK_EQ(p.nr, 3);
	done(core, &p, true);
	fix_free(core);
	core = fix_core(&large);
	fix_fill(core, 100);
	CHECK_EQ(fix_slot(core, 100)->valid, 0x7);
	fix_free(core);
}

TEST(desk_read_hit_pins)
{
	struct fc_core *core = fix_core(&small);
	u16 way = fix_fill(core, 2);
	struct fc_plan a = ask(core, 16, 8, true), b = ask(core, 19, 2, true);

	CHECK_EQ(a.verdict, FC_HIT);
	CHECK_EQ(a.way[0], way);
	CHECK_EQ(a.nr_blocks, 1);
	CHECK_EQ(b.verdict, FC_HIT);
	CHECK_EQ(b.nr, 2);
	CHECK_EQ(fix_slot(core, 2)->pins, 2);
	CHECK_EQ(done(core, &a, true), 0);
	CHECK_EQ(fix_slot(core, 2)->pins, 1);
	CHECK_EQ(done(core, &b, true), 0);
	fc_check_idle(core, fc_core_set(core, 0));
	fix_free(core);
}

/* A hit goes on over following blocks only where these lie in following slots. */
TEST(desk_read_hit_of_a_run)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p;

	fix_fill(core, 0);
	fix_fill(core, 1);
	fix_fill(core, 200);	/* takes the slot behind */
	fix_fill(core, 2);
	p = ask(core, 3, 21, true);
	CHECK_EQ(p.verdict, FC_HIT);
	CHECK_EQ(p.nr, 13);
	CHECK_EQ(p.nr_blocks, 2);
	CHECK_EQ(fix_slot(core, 0)->pins, 1);
	CHECK_EQ(fix_slot(core, 1)->pins, 1);
	CHECK_EQ(fix_slot(core, 2)->pins, 0);
	done(core, &p, true);
	fc_check_idle(core, fc_core_set(core, 0));
	fix_free(core);
}

/* It ends before a sector that the cache does not hold, and at the last slot of the set. */
TEST(desk_read_hit_ends_at_what_is_missing)
{
	struct fc_core *core = fix_core(&small);
	struct fc_set *set = fc_core_set(core, 0);
	struct fc_plan p;

	fix_fill(core, 0);
	fix_fill(core, 1);
	fix_slot(core, 1)->valid = 0x0f;
	p = ask(core, 0, 16, true);
	CHECK_EQ(p.nr, 12);
	CHECK_EQ(p.nr_blocks, 2);
	done(core, &p, true);
	fix_slot(core, 1)->valid = 0xfe;
	p = ask(core, 0, 16, true);
	CHECK_EQ(p.nr, 8);
	CHECK_EQ(p.nr_blocks, 1);
	done(core, &p, true);
	fix_slot(core, 0)->valid = 0xf3;
	p = ask(core, 1, 15, true);
	CHECK_EQ(p.nr, 1);
	done(core, &p, true);
	fc_check_idle(core, set);
	CHECK(fc_replace_take_way(core, set, (struct fc_oblock){ 300 }, 15));
	fc_set_slot(set, 15)->valid = 0xff;
	p = ask(core, 2400, 16, true);
	CHECK_EQ(p.nr, 8);
	done(core, &p, true);
	fix_free(core);
}

/* Part of a block is there: the front that is not is read, and the block completed. */
TEST(desk_read_partial)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p;

	fix_dirty(core, 20, 2);
	p = ask(core, 16, 8, true);
	CHECK_EQ(p.verdict, FC_FILL);
	CHECK_EQ(p.nr, 4);
	CHECK(p.flags & FC_PLAN_PARTIAL);
	CHECK_EQ(fix_slot(core, 2)->valid, 0x30);
	CHECK_EQ(done(core, &p, true), 0);
	CHECK_EQ(fix_slot(core, 2)->valid, 0xff);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x30);
	fix_free(core);
}

TEST(desk_read_partial_without_admission)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p;

	fix_dirty(core, 20, 2);
	p = ask(core, 16, 8, false);
	CHECK_EQ(p.verdict, FC_DISK);
	CHECK_EQ(p.nr, 4);
	CHECK(p.flags & FC_PLAN_PARTIAL);
	p = ask(core, 22, 30, false);
	CHECK_EQ(p.verdict, FC_DISK);
	CHECK_EQ(p.nr, 30);
	p = ask(core, 10, 30, false);
	CHECK_EQ(p.nr, 10);
	CHECK(!(p.flags & FC_PLAN_PARTIAL));
	fix_free(core);
}

/* A failed fill leaves what was there before. */
TEST(desk_read_partial_fill_fails)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p;

	fix_dirty(core, 20, 2);
	p = ask(core, 16, 2, true);
	CHECK_EQ(done(core, &p, false), 0);
	CHECK_EQ(fix_slot(core, 2)->valid, 0x30);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x30);
	fc_check_idle(core, fc_core_set(core, 0));
	fix_free(core);
}

TEST(desk_read_waits_for_a_claim)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan fill = ask(core, 19, 1, true), p = ask(core, 16, 1, true);

	CHECK_EQ(p.verdict, FC_WAIT);
	CHECK(fix_slot(core, 2)->wait);
	CHECK_EQ(done(core, &fill, true), FC_DONE_WAKE);
	CHECK(!fix_slot(core, 2)->wait);
	CHECK_EQ(ask(core, 16, 1, true).verdict, FC_HIT);
	fix_free(core);
}

/* ... also when what it waited for is gone then. */
TEST(desk_read_woken_when_the_fill_failed)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan fill = ask(core, 19, 1, true);

	CHECK_EQ(ask(core, 16, 1, true).verdict, FC_WAIT);
	CHECK_EQ(done(core, &fill, false), FC_DONE_WAKE);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	fix_free(core);
}

/* A claimed block ends the run of what is missing; those before it are read. */
TEST(desk_read_run_ends_at_a_claim)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan fill = ask(core, 24, 1, true), p = ask(core, 0, 40, true);

	CHECK_EQ(p.verdict, FC_FILL);
	CHECK_EQ(p.nr, 24);
	CHECK_EQ(p.nr_blocks, 3);
	done(core, &p, true);
	done(core, &fill, true);
	fix_free(core);
}

/* With all slots in use the disk answers, and it is said why. */
TEST(desk_read_no_room)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan fill = ask(core, 0, 128, true), p = ask(core, 800, 8, true);

	CHECK_EQ(fill.nr_blocks, 16);
	CHECK_EQ(p.verdict, FC_DISK);
	CHECK_EQ(p.nr, 8);
	CHECK(p.flags & FC_PLAN_NO_ROOM);
	done(core, &fill, true);
	CHECK_EQ(ask(core, 800, 8, true).verdict, FC_FILL);
	fix_free(core);
}

/* Room for some of the blocks: the plan shrinks to them. */
TEST(desk_read_some_room)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan fill = ask(core, 0, 14 * 8, true), p = ask(core, 1284, 40, true);

	CHECK_EQ(p.verdict, FC_FILL);
	CHECK_EQ(p.nr_blocks, 2);
	CHECK_EQ(p.nr, 12);
	CHECK(p.flags & FC_PLAN_NO_ROOM);
	done(core, &p, true);
	done(core, &fill, true);
	fc_check_idle(core, fc_core_set(core, 0));
	fix_free(core);
}

/*
 * A block that somebody works on in place is not claimed for a fill. The read waits for it: mostly
 * it is the front of the same request, and then the block would never be filled. A read that fills
 * nothing does not wait.
 */
TEST(desk_read_does_not_claim_what_is_pinned)
{
	struct fc_core *core = fix_core(&small);
	struct fc_ask a = fix_ask(core, 20, 2);
	struct fc_plan write, p;

	fc_desk_write(core, fc_core_set(core, 0), &a, &write);
	CHECK_EQ(write.verdict, FC_HIT);
	p = ask(core, 16, 8, false);
	CHECK_EQ(p.verdict, FC_DISK);
	CHECK_EQ(p.nr, 8);
	p = ask(core, 16, 8, true);
	CHECK_EQ(p.verdict, FC_WAIT);
	CHECK_EQ(fix_slot(core, 2)->busy, FC_IDLE);
	CHECK(done(core, &write, true) & FC_DONE_WAKE);
	p = ask(core, 16, 4, true);
	CHECK_EQ(p.verdict, FC_FILL);
	done(core, &p, true);
	fix_free(core);
}

/* Durability rule R6: while a write beside the cache owns a block it is not brought in. */
TEST(desk_read_does_not_fill_what_is_owned)
{
	struct fc_core *core = fix_core(&small);
	struct fc_own own = { .first = { 2 }, .nr = 1 };
	struct fc_plan p;

	fc_core_set(core, 0)->owns = &own;
	p = ask(core, 8, 24, true);
	CHECK_EQ(p.verdict, FC_FILL);
	CHECK_EQ(p.nr, 8);
	done(core, &p, true);
	p = ask(core, 16, 16, true);
	CHECK_EQ(p.verdict, FC_DISK);
	CHECK_EQ(p.nr, 16);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	CHECK(!(p.flags & FC_PLAN_NO_ROOM));
	fix_free(core);
}

/* A slot that a discard emptied and the ledger keeps is not filled before the discard ends. */
TEST(desk_read_discarded_slot_is_not_filled)
{
	struct fc_core *core = fix_core(&small);
	unsigned int flags = 0;

	fix_dirty(core, 16, 8);
	fix_commit(core);
	core->discard = (struct fc_own){ .first = { 2 }, .nr = 1 };
	CHECK(fc_desk_discard(core, fc_core_set(core, 0), (struct fc_oblock){ 2 }, &flags));
	CHECK(fix_find(core, 2) != FC_NIL);
	CHECK_EQ(ask(core, 16, 8, true).verdict, FC_DISK);
	core->discard.nr = 0;
	CHECK_EQ(ask(core, 16, 8, true).verdict, FC_FILL);
	fix_free(core);
}

/* Waiters line up: a slot that somebody waits for lets nobody in. */
TEST(desk_read_lines_up)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan a, b;

	fix_fill(core, 2);
	a = ask(core, 16, 8, true);
	fix_slot(core, 2)->wait = 1;
	b = ask(core, 16, 8, true);
	CHECK_EQ(b.verdict, FC_WAIT);
	CHECK_EQ(done(core, &a, true), FC_DONE_WAKE);
	CHECK_EQ(ask(core, 16, 8, true).verdict, FC_HIT);
	fix_free(core);
}

TEST(desk_read_pins_are_bounded)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan plans[FC_PINS_MAX];
	u32 i;

	fix_fill(core, 2);
	for (i = 0; i < FC_PINS_MAX; i++) {
		plans[i] = ask(core, 16, 8, true);
		CHECK_EQ(plans[i].verdict, FC_HIT);
	}
	CHECK_EQ(ask(core, 16, 8, true).verdict, FC_WAIT);
	CHECK_EQ(fix_slot(core, 2)->pins, FC_PINS_MAX);
	for (i = 0; i < FC_PINS_MAX; i++)
		CHECK_EQ(done(core, &plans[i], true), i == FC_PINS_MAX - 1 ? FC_DONE_WAKE : 0);
	fc_check_idle(core, fc_core_set(core, 0));
	fix_free(core);
}

TEST(desk_read_hit_passes_the_cleaner)
{
	struct fc_core *core = fix_core(&small);
	struct fc_set *set = fc_core_set(core, 0);
	struct fc_clean_item item;
	struct fc_plan p;
	u16 units;

	fix_dirty(core, 16, 8);
	CHECK_EQ(fc_clean_pick(core, set, 1, &item, 1), 1);
	units = fc_clean_begin(core, set, &item);
	CHECK_EQ(units, 0xff);
	p = ask(core, 16, 8, true);
	CHECK_EQ(p.verdict, FC_HIT);
	CHECK_EQ(fc_clean_end(core, set, &item, units, true), FC_DONE_BARE);
	CHECK_EQ(done(core, &p, true), 0);
	CHECK_EQ(set->dirty, 0);
	fix_free(core);
}

/* Flash fails: clean sectors are forgotten and had from the disk. */
TEST(desk_read_error_on_clean)
{
	struct fc_core *core = fix_core(&small);
	struct fc_set *set = fc_core_set(core, 0);
	bool elsewhere = false;
	struct fc_plan p;

	fix_fill(core, 2);
	p = ask(core, 16, 4, true);
	CHECK_EQ(fc_desk_done_read(core, set, &p, false, &elsewhere), 0);
	CHECK(elsewhere);
	CHECK_EQ(fix_slot(core, 2)->valid, 0xf0);
	CHECK_EQ(ask(core, 16, 4, false).verdict, FC_DISK);
	p = ask(core, 20, 4, true);
	CHECK_EQ(fc_desk_done_read(core, set, &p, false, &elsewhere), 0);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	fc_check_idle(core, set);
	fix_free(core);
}

/* Dirty sectors have no other copy: they stay, and the reader learns. */
TEST(desk_read_error_on_dirty)
{
	struct fc_core *core = fix_core(&small);
	struct fc_set *set = fc_core_set(core, 0);
	bool elsewhere = true;
	struct fc_plan p;

	fix_fill(core, 2);
	fix_dirty(core, 18, 2);
	p = ask(core, 16, 8, true);
	fc_desk_done_read(core, set, &p, false, &elsewhere);
	CHECK(!elsewhere);
	CHECK_EQ(fix_slot(core, 2)->valid, 0x0c);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x0c);
	p = ask(core, 18, 2, true);
	elsewhere = true;
	fc_desk_done_read(core, set, &p, false, &elsewhere);
	CHECK(!elsewhere);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x0c);
	fc_check_idle(core, set);
	fix_free(core);
}

/* One of two readers fails and empties the slot: it is freed when the other is done. */
TEST(desk_read_error_with_others_at_work)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan a, b;

	fix_fill(core, 2);
	a = ask(core, 16, 8, true);
	b = ask(core, 16, 8, true);
	done(core, &a, false);
	CHECK(fix_find(core, 2) != FC_NIL);
	done(core, &b, true);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	fc_check_idle(core, fc_core_set(core, 0));
	fix_free(core);
}

TEST(desk_read_absent)
{
	struct fc_core *core = fix_core(&small);
	struct fc_ask a = fix_ask(core, 4, 100);
	struct fc_plan fill;

	CHECK_EQ(fc_desk_absent(core, fc_core_set(core, 0), &a), 100);
	fix_dirty(core, 20, 2);
	CHECK_EQ(fc_desk_absent(core, fc_core_set(core, 0), &a), 12);
	a = fix_ask(core, 20, 1);
	CHECK_EQ(fc_desk_absent(core, fc_core_set(core, 0), &a), 0);
	a = fix_ask(core, 22, 50);	/* a slot has another part of the block */
	CHECK_EQ(fc_desk_absent(core, fc_core_set(core, 0), &a), 0);
	a = fix_ask(core, 24, 50);
	CHECK_EQ(fc_desk_absent(core, fc_core_set(core, 0), &a), 50);
	fill = ask(core, 40, 1, true);
	CHECK_EQ(fill.verdict, FC_FILL);
	CHECK_EQ(fc_desk_absent(core, fc_core_set(core, 0), &a), 16);
	a = fix_ask(core, 40, 8);
	CHECK_EQ(fc_desk_absent(core, fc_core_set(core, 0), &a), 0);
	fix_free(core);
}

/* A hit makes a block younger, a fill does not count as one. */
TEST(desk_read_tells_the_policy)
{
	struct fc_core *core = fix_core(&small);
	struct fc_plan p;

	core->policy = FC_POLICY_S3FIFO;
	fix_fill(core, 2);
	CHECK_EQ(fix_slot(core, 2)->freq, 0);
	p = ask(core, 16, 1, true);
	CHECK_EQ(fix_slot(core, 2)->freq, 1);
	done(core, &p, true);
	fix_free(core);
}
