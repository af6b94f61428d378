// SPDX-License-Identifier: GPL-2.0
/*
 * The desk: writes and discards. Every verdict and what ends it.
 */
#include "fixture.h"

#define WB	FC_MODE_WRITEBACK
#define WT	FC_MODE_WRITETHROUGH
#define WA	FC_MODE_WRITEAROUND

static struct fc_core *core_of(u8 mode)
{
	struct fix fix = { 8, 16, 1, 16, 8 * 1000 + 3, mode, FC_POLICY_LRU };

	return fix_core(&fix);
}

/* Units of two sectors. */
static struct fc_core *ragged_core(u8 mode)
{
	struct fix fix = { 32, 16, 1, 16, 32 * 100 + 5, mode, FC_POLICY_LRU };

	return fix_core(&fix);
}

/* The plan must stay where it is: an owner is listed by its address. */
static void ask(struct fc_core *core, sector_t sector, u32 nr, bool admit, struct fc_plan *plan)
{
	struct fc_ask a = fix_ask(core, sector, nr);

	memset(plan, 0xa5, sizeof(*plan));
	a.admit = admit;
	fc_desk_write(core, fix_set(core, sector), &a, plan);
	CHECK_EQ(plan->sector, sector);
}

static u8 verdict(struct fc_core *core, sector_t sector, u32 nr)
{
	struct fc_plan plan;

	ask(core, sector, nr, true, &plan);
	return plan.verdict;
}

static unsigned int done(struct fc_core *core, struct fc_plan *plan, bool ok)
{
	struct fc_set *set = fix_set(core, plan->sector);
	unsigned int flags = 0;

	switch (plan->verdict) {
	case FC_HIT:
		flags = fc_desk_done_write(core, set, plan, ok);
		break;
	case FC_BOTH:
		flags = fc_desk_done_both(core, set, plan, ok);
		break;
	case FC_AROUND:
		flags = fc_desk_done_around(core, set, plan);
		break;
	case FC_FETCH:
		flags = fc_desk_done_fill(core, set, plan, ok);
		break;
	default:
		test_fail(__FILE__, __LINE__, "verdict %u", plan->verdict);
	}
	fc_check_set(core, set);
	return flags;
}

static struct fc_set *the_set(struct fc_core *core)
{
	return fc_core_set(core, 0);
}

/* Holds all slots. */
static void occupy(struct fc_core *core, bool hold)
{
	u32 i;

	for (i = 0; i < core->geo.assoc; i++) {
		struct fc_slot *s = fc_set_slot(the_set(core), (u16)i);

		if (hold && s->queue == FC_Q_FREE)
			fc_set_slot(the_set(core), fc_replace_take(core, the_set(core),
				    (struct fc_oblock){ 500 + i * 16 }))->valid = 1;
	}
	for (i = 0; i < core->geo.assoc; i++)
		fc_set_slot(the_set(core), (u16)i)->pins = hold;
}

/* ---- write-back ------------------------------------------------------------------------------ */

TEST(desk_write_back_new_block)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;

	ask(core, 19, 3, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	CHECK_EQ(p.nr, 3);
	CHECK_EQ(p.nr_blocks, 1);
	CHECK_EQ(p.flags, FC_PLAN_NEW);
	CHECK_EQ(p.way[0], fix_find(core, 2));
	CHECK_EQ(fix_slot(core, 2)->pins, 1);
	CHECK_EQ(fix_slot(core, 2)->valid, 0);
	CHECK_EQ(done(core, &p, true), FC_DONE_ADD);
	CHECK_EQ(fix_slot(core, 2)->valid, 0x38);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x38);
	CHECK_EQ(the_set(core)->dirty, 1);
	CHECK(fix_pend(core, 2, FC_PEND_ADD));
	CHECK(!fix_pend(core, 2, FC_PEND_DEL));
	fc_check_idle(core, the_set(core));
	fix_free(core);
}

TEST(desk_write_back_over_clean)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;

	fix_fill(core, 2);
	ask(core, 16, 2, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	CHECK_EQ(p.flags, 0);
	done(core, &p, true);
	CHECK_EQ(fix_slot(core, 2)->valid, 0xff);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x03);
	fix_free(core);
}

/* Dirty before: nothing to record, and nothing is told. */
TEST(desk_write_back_redirty)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;

	fix_dirty(core, 16, 4);
	ask(core, 17, 2, true, &p);
	CHECK_EQ(p.flags, FC_PLAN_REDIRTY);
	CHECK_EQ(done(core, &p, true), 0);
	ask(core, 17, 4, true, &p);
	CHECK_EQ(p.flags, 0);
	CHECK_EQ(done(core, &p, true), FC_DONE_ADD);
	fix_free(core);
}

/* FUA to the flash is enough only when the record is durable, not when it is on its way. */
TEST(desk_write_durable_only_when_recorded)
{
	struct fc_core *core = core_of(WB);
	struct fc_record rec;
	struct fc_gather to = { .recs = &rec, .max = 1 };
	unsigned int flags = 0;
	struct fc_plan p;

	fix_dirty(core, 16, 4);
	fc_ledger_gather(core, the_set(core), FC_PEND_ADD, &to);
	CHECK_EQ(to.nr, 1);
	ask(core, 16, 4, true, &p);
	CHECK_EQ(p.flags, FC_PLAN_REDIRTY);
	done(core, &p, true);
	fc_ledger_undo(core, the_set(core), &rec, &flags);
	ask(core, 16, 4, true, &p);
	CHECK_EQ(p.flags, FC_PLAN_REDIRTY);
	done(core, &p, true);
	fix_commit(core);
	ask(core, 16, 4, true, &p);
	CHECK_EQ(p.flags, FC_PLAN_REDIRTY | FC_PLAN_DURABLE);
	done(core, &p, true);
	fix_dirty(core, 20, 1);
	ask(core, 16, 4, true, &p);
	CHECK_EQ(p.flags, FC_PLAN_REDIRTY);
	done(core, &p, true);
	fix_free(core);
}

/* All of a run must be so. */
TEST(desk_write_flags_speak_for_the_whole_run)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;

	fix_dirty(core, 0, 8);
	fix_commit(core);
	fix_dirty(core, 8, 8);
	ask(core, 0, 16, true, &p);
	CHECK_EQ(p.nr, 16);
	CHECK_EQ(p.flags, FC_PLAN_REDIRTY);
	done(core, &p, true);
	ask(core, 0, 17, true, &p);
	CHECK_EQ(p.nr, 17);
	CHECK_EQ(p.nr_blocks, 3);
	CHECK_EQ(p.flags, 0);
	done(core, &p, true);
	fix_free(core);
}

TEST(desk_write_back_run)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;

	ask(core, 5, 123, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	CHECK_EQ(p.nr, 123);
	CHECK_EQ(p.nr_blocks, 16);
	done(core, &p, true);
	CHECK_EQ(the_set(core)->dirty, 16);
	CHECK_EQ(fix_slot(core, 0)->dirty, 0xe0);
	CHECK_EQ(fix_slot(core, 15)->dirty, 0xff);
	fix_free(core);
}

/* A run in place ends where the following slot is not to be had. */
TEST(desk_write_back_run_ends)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p, q;

	fix_fill(core, 0);
	fix_fill(core, 200);
	ask(core, 0, 16, true, &p);
	CHECK_EQ(p.nr, 8);
	done(core, &p, true);
	fix_fill(core, 300);
	fix_fill(core, 301);
	fix_slot(core, 301)->wait = 1;
	fix_slot(core, 301)->pins = 1;
	ask(core, 2400, 16, true, &q);
	CHECK_EQ(q.nr, 8);
	done(core, &q, true);
	fix_free(core);
}

TEST(desk_write_back_failure_on_new_block)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;

	ask(core, 19, 3, true, &p);
	CHECK_EQ(done(core, &p, false), 0);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	CHECK_EQ(the_set(core)->dirty, 0);
	fc_check_idle(core, the_set(core));
	fix_free(core);
}

/* Clean sectors are no longer trusted, dirty ones have no other copy. */
TEST(desk_write_back_failure_on_old_block)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;

	fix_fill(core, 2);
	fix_dirty(core, 16, 2);
	ask(core, 16, 4, true, &p);
	done(core, &p, false);
	CHECK_EQ(fix_slot(core, 2)->valid, 0xf3);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x03);
	fc_check_idle(core, the_set(core));
	fix_free(core);
}

TEST(desk_write_back_counts_to_the_limit)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;

	core->dirty_limit = 2;
	ask(core, 0, 8, true, &p);
	CHECK_EQ(done(core, &p, true), FC_DONE_ADD);
	ask(core, 8, 8, true, &p);
	CHECK_EQ(done(core, &p, true), FC_DONE_ADD | FC_DONE_CLEAN);
	fix_free(core);
}

TEST(desk_write_back_waits_for_a_claim)
{
	struct fc_core *core = core_of(WB);
	struct fc_ask a = fix_ask(core, 16, 8);
	struct fc_plan fill, p;

	fc_desk_read(core, the_set(core), &a, &fill);
	CHECK_EQ(fill.verdict, FC_FILL);
	ask(core, 16, 8, true, &p);
	CHECK_EQ(p.verdict, FC_WAIT);
	CHECK_EQ(fc_desk_done_fill(core, the_set(core), &fill, true), FC_DONE_WAKE);
	CHECK_EQ(verdict(core, 16, 8), FC_HIT);
	fix_free(core);
}

TEST(desk_write_back_pins_are_bounded)
{
	struct fc_core *core = core_of(WB);
	u32 i;

	for (i = 0; i < FC_PINS_MAX; i++)
		CHECK_EQ(verdict(core, 16, 8), FC_HIT);
	CHECK_EQ(verdict(core, 16, 8), FC_WAIT);
	CHECK_EQ(fix_slot(core, 2)->pins, FC_PINS_MAX);
	fix_free(core);
}

/* Neither admitted nor there: beside the cache, which keeps the block out. */
TEST(desk_write_back_not_admitted)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p, q;
	struct fc_ask a = fix_ask(core, 16, 8);

	ask(core, 12, 10, false, &p);
	CHECK_EQ(p.verdict, FC_AROUND);
	CHECK_EQ(p.nr, 10);
	CHECK_EQ(p.nr_blocks, 2);
	CHECK_EQ(p.flags, 0);
	CHECK_EQ(p.way[0], FC_NIL);
	CHECK(the_set(core)->owns == &p.own);
	fc_desk_read(core, the_set(core), &a, &q);
	CHECK_EQ(q.verdict, FC_DISK);
	ask(core, 16, 8, true, &q);
	CHECK_EQ(q.verdict, FC_WAIT);
	CHECK(p.own.wait);
	CHECK_EQ(done(core, &p, true), FC_DONE_WAKE);
	CHECK(!the_set(core)->owns);
	CHECK_EQ(verdict(core, 16, 8), FC_HIT);
	fix_free(core);
}

/* A piece of a request that fans out: refused, unless the desk would answer FC_HIT at once. */
TEST(desk_try_write)
{
	struct fc_core *core = core_of(WB);
	struct fc_ask a = fix_ask(core, 16, 8);
	struct fc_plan p, q;

	ask(core, 16, 8, false, &p);
	CHECK_EQ(p.verdict, FC_AROUND);
	CHECK(!fc_desk_try_write(core, the_set(core), &a, &q));
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	done(core, &p, true);
	CHECK(fc_desk_try_write(core, the_set(core), &a, &q));
	CHECK_EQ(q.verdict, FC_HIT);
	CHECK_EQ(done(core, &q, true), FC_DONE_ADD);
	fix_free(core);

	core = ragged_core(WB);
	a = fix_ask(core, 33, 8);
	CHECK(!fc_desk_try_write(core, the_set(core), &a, &q));
	fix_fill(core, 1);
	CHECK(fc_desk_try_write(core, the_set(core), &a, &q));
	CHECK_EQ(q.verdict, FC_HIT);
	done(core, &q, true);
	fix_free(core);
}

TEST(desk_write_back_no_room)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;

	occupy(core, true);
	ask(core, 16, 8, true, &p);
	CHECK_EQ(p.verdict, FC_AROUND);
	CHECK_EQ(p.flags, FC_PLAN_NO_ROOM);
	CHECK_EQ(fc_desk_done_around(core, the_set(core), &p), 0);
	occupy(core, false);
	CHECK_EQ(verdict(core, 16, 8), FC_HIT);
	fix_free(core);
}

/* A new slot must not be taken from a block that the same plan pins. */
TEST(desk_write_back_does_not_evict_its_own)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;
	u32 i;

	for (i = 0; i < 15; i++)
		fix_fill(core, 500 + i * 16);
	ask(core, 0, 128, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	done(core, &p, true);
	CHECK_EQ(the_set(core)->dirty, p.nr_blocks);
	fix_free(core);
}

/* ---- units of several sectors ---------------------------------------------------------------- */

TEST(desk_write_ragged_fetches)
{
	struct fc_core *core = ragged_core(WB);
	struct fc_plan p, q;

	ask(core, 64 + 3, 6, true, &p);
	CHECK_EQ(p.verdict, FC_FETCH);
	CHECK_EQ(p.nr_blocks, 1);
	CHECK_EQ(p.nr, 6);
	CHECK_EQ(fix_slot(core, 2)->busy, FC_OWNED);
	ask(core, 64, 32, true, &q);
	CHECK_EQ(q.verdict, FC_WAIT);
	CHECK_EQ(done(core, &p, true), FC_DONE_WAKE);
	CHECK_EQ(fix_slot(core, 2)->valid, 0xffff);
	ask(core, 64 + 3, 6, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	done(core, &p, true);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x1e);
	fix_free(core);
}

TEST(desk_write_ragged_fetch_fails)
{
	struct fc_core *core = ragged_core(WB);
	struct fc_plan p;

	ask(core, 64 + 3, 6, true, &p);
	CHECK_EQ(done(core, &p, false), 0);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	fc_check_idle(core, the_set(core));
	fix_free(core);
}

TEST(desk_write_ragged_where_the_units_are_valid)
{
	struct fc_core *core = ragged_core(WB);
	struct fc_plan p;

	fix_dirty(core, 64, 32);
	ask(core, 64 + 3, 6, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	done(core, &p, true);
	fix_free(core);
}

/* The fetch has to wait while others write in place. */
TEST(desk_write_ragged_fetch_waits)
{
	struct fc_core *core = ragged_core(WB);
	struct fc_plan p, q;

	ask(core, 64, 2, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	ask(core, 64 + 5, 1, true, &q);
	CHECK_EQ(q.verdict, FC_WAIT);
	CHECK_EQ(done(core, &p, true), FC_DONE_ADD | FC_DONE_WAKE);
	ask(core, 64 + 5, 1, true, &q);
	CHECK_EQ(q.verdict, FC_FETCH);
	CHECK_EQ(done(core, &q, true), 0);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x1);
	CHECK_EQ(fix_slot(core, 2)->valid, 0xffff);
	fix_free(core);
}

/* A ragged tail ends the run in place; it is asked about anew. */
TEST(desk_write_ragged_tail)
{
	struct fc_core *core = ragged_core(WB);
	struct fc_plan p;

	ask(core, 64, 32 + 3, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	CHECK_EQ(p.nr, 32);
	done(core, &p, true);
	CHECK_EQ(verdict(core, 96, 3), FC_FETCH);
	fix_free(core);
}

/* The last unit of the disk is whole where the disk ends. */
TEST(desk_write_ragged_end_of_disk)
{
	struct fc_core *core = ragged_core(WB);
	struct fc_plan p;

	ask(core, 3200 + 4, 1, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	done(core, &p, true);
	CHECK_EQ(fix_slot(core, 100)->dirty, 0x4);
	fix_free(core);
}

TEST(desk_write_through_ragged)
{
	struct fc_core *core = ragged_core(WT);
	struct fc_plan p;

	ask(core, 64 + 3, 6, true, &p);
	CHECK_EQ(p.verdict, FC_BOTH);
	done(core, &p, true);
	CHECK_EQ(fix_slot(core, 2)->valid, 0xc);	/* two whole units; the ragged ones are not valid */
	fix_fill(core, 3);
	ask(core, 96 + 3, 6, true, &p);
	done(core, &p, true);
	CHECK_EQ(fix_slot(core, 3)->valid, 0xffff);
	ask(core, 96 + 3, 6, true, &p);
	done(core, &p, false);
	CHECK_EQ(fix_slot(core, 3)->valid, 0xffe1);	/* what was there before is spoilt */
	ask(core, 128 + 1, 1, true, &p);
	done(core, &p, true);
	CHECK_EQ(fix_find(core, 4), FC_NIL);		/* nothing whole: not kept */
	fc_check_idle(core, the_set(core));
	fix_free(core);
}

/* ---- write-through --------------------------------------------------------------------------- */

TEST(desk_write_through)
{
	struct fc_core *core = core_of(WT);
	struct fc_plan p;

	ask(core, 19, 10, true, &p);
	CHECK_EQ(p.verdict, FC_BOTH);
	CHECK_EQ(p.nr, 10);
	CHECK_EQ(p.nr_blocks, 2);
	CHECK_EQ(p.flags, FC_PLAN_NEW);
	CHECK_EQ(fix_slot(core, 2)->busy, FC_OWNED);
	CHECK_EQ(fix_slot(core, 3)->busy, FC_OWNED);
	CHECK_EQ(done(core, &p, true), 0);
	CHECK_EQ(fix_slot(core, 2)->valid, 0xf8);
	CHECK_EQ(fix_slot(core, 3)->valid, 0x1f);
	CHECK_EQ(the_set(core)->dirty, 0);
	ask(core, 19, 1, true, &p);
	CHECK_EQ(p.flags, 0);
	done(core, &p, true);
	fc_check_idle(core, the_set(core));
	fix_free(core);
}

/* Either device failing makes the flash not count. */
TEST(desk_write_through_failure)
{
	struct fc_core *core = core_of(WT);
	struct fc_plan p;

	fix_fill(core, 2);
	ask(core, 16, 12, true, &p);
	CHECK_EQ(p.nr_blocks, 2);
	CHECK_EQ(done(core, &p, false), 0);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	CHECK_EQ(fix_find(core, 3), FC_NIL);
	fix_fill(core, 2);
	ask(core, 16, 4, true, &p);
	done(core, &p, false);
	CHECK_EQ(fix_slot(core, 2)->valid, 0xf0);
	fc_check_idle(core, the_set(core));
	fix_free(core);
}

TEST(desk_write_through_is_bounded)
{
	struct fix fix = { 32, 64, 1, 16, 32 * 100, WT, FC_POLICY_LRU };
	struct fc_core *core = fix_core(&fix);
	struct fc_plan p;

	ask(core, 5, 500, true, &p);
	CHECK_EQ(p.verdict, FC_BOTH);
	CHECK_EQ(p.nr, FC_CLAIM_SECTORS);
	CHECK_EQ(p.nr_blocks, 5);
	fix_free(core);
}

TEST(desk_write_through_waits)
{
	struct fc_core *core = core_of(WT);
	struct fc_ask a = fix_ask(core, 16, 8);
	struct fc_plan p, q;
	bool elsewhere;

	ask(core, 16, 8, true, &p);
	CHECK_EQ(verdict(core, 16, 8), FC_WAIT);
	CHECK_EQ(done(core, &p, true), FC_DONE_WAKE);
	fc_desk_read(core, the_set(core), &a, &q);
	CHECK_EQ(q.verdict, FC_HIT);
	CHECK_EQ(verdict(core, 16, 8), FC_WAIT);
	CHECK_EQ(fc_desk_done_read(core, the_set(core), &q, true, &elsewhere), FC_DONE_WAKE);
	CHECK_EQ(verdict(core, 16, 8), FC_BOTH);
	fix_free(core);
}

/* The run ends before a block that is in use or dirty; what was claimed before goes. */
TEST(desk_write_through_run_ends)
{
	struct fc_core *core = core_of(WT);
	struct fc_plan p, q;

	ask(core, 24, 8, true, &q);
	ask(core, 0, 64, true, &p);
	CHECK_EQ(p.verdict, FC_BOTH);
	CHECK_EQ(p.nr, 24);
	CHECK_EQ(p.nr_blocks, 3);
	done(core, &p, true);
	done(core, &q, true);
	core->mode = WB;
	fix_dirty(core, 8, 1);
	core->mode = WT;
	ask(core, 0, 64, true, &p);
	CHECK_EQ(p.nr, 8);
	done(core, &p, true);
	fc_check_idle(core, the_set(core));
	fix_free(core);
}

TEST(desk_write_through_not_admitted)
{
	struct fc_core *core = core_of(WT);
	struct fc_plan p;

	ask(core, 16, 8, false, &p);
	CHECK_EQ(p.verdict, FC_AROUND);
	done(core, &p, true);
	fix_fill(core, 2);
	ask(core, 16, 16, false, &p);
	CHECK_EQ(p.verdict, FC_BOTH);
	CHECK_EQ(p.nr, 8);
	done(core, &p, true);
	fix_free(core);
}

/* A record still says that the flash is newer: that has to be withdrawn before a FLUSH is true. */
TEST(desk_write_through_over_what_is_recorded)
{
	struct fc_core *core = core_of(WB);
	struct fc_set *set = the_set(core);
	struct fc_clean_item item;
	struct fc_plan p;
	u16 units;

	fix_dirty(core, 16, 8);
	fix_commit(core);
	fc_clean_pick(core, set, 1, &item, 1);
	units = fc_clean_begin(core, set, &item);
	fc_clean_end(core, set, &item, units, true);
	core->mode = WT;
	ask(core, 16, 8, true, &p);
	CHECK_EQ(p.verdict, FC_BOTH);
	CHECK_EQ(done(core, &p, true), FC_DONE_DEL);
	CHECK(fix_pend(core, 2, FC_PEND_DEL));
	fix_free(core);
}

TEST(desk_write_both_to_around)
{
	struct fc_core *core = core_of(WT);
	struct fc_plan p;

	fix_fill(core, 2);
	ask(core, 18, 10, true, &p);
	CHECK_EQ(p.verdict, FC_BOTH);
	fc_desk_both_to_around(core, the_set(core), &p);
	CHECK_EQ(p.verdict, FC_AROUND);
	CHECK_EQ(p.nr, 10);
	CHECK(fc_own_covers(core, the_set(core), (struct fc_oblock){ 3 }));
	CHECK_EQ(done(core, &p, true), 0);
	CHECK_EQ(fix_slot(core, 2)->valid, 0x03);
	CHECK_EQ(fix_find(core, 3), FC_NIL);
	fc_check_idle(core, the_set(core));
	fix_free(core);
}

/* Write-back without trust in the flash is write-through. */
TEST(desk_write_no_writeback)
{
	struct fc_core *core = core_of(WB);

	core->no_writeback = true;
	CHECK_EQ(verdict(core, 16, 8), FC_BOTH);
	fix_free(core);
}

/* ---- write-around ---------------------------------------------------------------------------- */

TEST(desk_write_around)
{
	struct fc_core *core = core_of(WA);
	struct fc_plan p, q;

	fix_fill(core, 2);
	ask(core, 12, 10, true, &p);
	CHECK_EQ(p.verdict, FC_AROUND);
	CHECK_EQ(p.nr, 10);
	CHECK_EQ(p.nr_blocks, 2);
	CHECK_EQ(p.flags, 0);
	CHECK_EQ(p.way[0], FC_NIL);
	CHECK_EQ(p.way[1], fix_find(core, 2));
	CHECK_EQ(fix_slot(core, 2)->busy, FC_OWNED);
	CHECK_EQ(verdict(core, 16, 1), FC_WAIT);
	ask(core, 8, 8, true, &q);
	CHECK_EQ(q.verdict, FC_AROUND);
	done(core, &q, true);
	CHECK_EQ(done(core, &p, true), FC_DONE_WAKE);
	CHECK_EQ(fix_slot(core, 2)->valid, 0xc0);
	CHECK(!the_set(core)->owns);
	fc_check_idle(core, the_set(core));
	fix_free(core);
}

/* Well or not, the flash has not what the disk may have. */
TEST(desk_write_around_whole_block)
{
	struct fc_core *core = core_of(WA);
	struct fc_plan p;

	fix_fill(core, 2);
	ask(core, 16, 8, true, &p);
	done(core, &p, false);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	fix_free(core);
}

TEST(desk_write_around_run_ends)
{
	struct fc_core *core = core_of(WA);
	struct fc_plan p;

	fix_fill(core, 3);
	fix_slot(core, 3)->pins = 1;
	ask(core, 16, 40, true, &p);
	CHECK_EQ(p.verdict, FC_AROUND);
	CHECK_EQ(p.nr, 8);
	CHECK_EQ(p.own.nr, 1);
	done(core, &p, true);
	CHECK_EQ(verdict(core, 24, 1), FC_WAIT);
	fix_slot(core, 3)->pins = 0;
	fix_free(core);
}

/* Nothing dirty is dropped for a write that may fail. */
TEST(desk_write_around_run_ends_before_dirty)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;

	fix_dirty(core, 24, 8);
	core->mode = WA;
	ask(core, 16, 40, true, &p);
	CHECK_EQ(p.verdict, FC_AROUND);
	CHECK_EQ(p.nr, 8);
	done(core, &p, false);
	CHECK_EQ(fix_slot(core, 3)->dirty, 0xff);
	fix_free(core);
}

TEST(desk_write_around_frees_the_ledger)
{
	struct fc_core *core = core_of(WB);
	struct fc_set *set = the_set(core);
	struct fc_clean_item item;
	struct fc_plan p;
	u16 units;

	fix_dirty(core, 16, 8);
	fix_commit(core);
	fc_clean_pick(core, set, 1, &item, 1);
	units = fc_clean_begin(core, set, &item);
	CHECK_EQ(fc_clean_end(core, set, &item, units, true), FC_DONE_DEL);
	core->mode = WA;
	ask(core, 16, 8, true, &p);
	CHECK_EQ(p.verdict, FC_AROUND);
	CHECK_EQ(done(core, &p, true), FC_DONE_DEL);
	CHECK(fix_slot(core, 2)->ledger);		/* R3: the slot stays its block's */
	fix_commit(core);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	fc_check_idle(core, set);
	fix_free(core);
}

/* ---- dirty from write-back days -------------------------------------------------------------- */

static void needs_clean(u8 mode)
{
	struct fc_core *core = core_of(WB);
	struct fc_set *set = the_set(core);
	struct fc_clean_item item;
	struct fc_plan p;
	u16 units;

	fix_dirty(core, 18, 2);
	core->mode = mode;
	ask(core, 16, 8, true, &p);
	CHECK_EQ(p.verdict, FC_WAIT);
	CHECK_EQ(p.flags, FC_PLAN_CLEAN);
	CHECK_EQ(fc_clean_pick_waiting(core, set, &item, 1), 1);
	units = fc_clean_begin(core, set, &item);
	CHECK_EQ(units, 0x0c);
	CHECK_EQ(verdict(core, 16, 8), FC_WAIT);
	CHECK(fc_clean_end(core, set, &item, units, true) & FC_DONE_WAKE);
	ask(core, 16, 8, true, &p);
	CHECK_EQ(p.verdict, mode == WT ? FC_BOTH : FC_AROUND);
	done(core, &p, true);
	fc_check_idle(core, set);
	fix_free(core);
}

TEST(desk_write_through_cleans_first)
{
	needs_clean(WT);
}

TEST(desk_write_around_cleans_first)
{
	needs_clean(WA);
}

/* Not only the first: the word of one may be lost. */
TEST(desk_write_every_waiter_asks_for_the_cleaner)
{
	struct fc_core *core = core_of(WB);
	struct fc_ask a = fix_ask(core, 18, 2);
	struct fc_plan p;
	u32 i;

	fix_dirty(core, 18, 2);
	core->mode = WT;
	for (i = 0; i < 3; i++) {
		ask(core, 16, 8, true, &p);
		CHECK_EQ(p.verdict, FC_WAIT);
		CHECK_EQ(p.flags, FC_PLAN_CLEAN);
	}
	core->mode = WB;
	ask(core, 16, 8, true, &p);
	CHECK_EQ(p.verdict, FC_WAIT);
	CHECK_EQ(p.flags, FC_PLAN_CLEAN);
	fc_desk_read(core, the_set(core), &a, &p);
	CHECK_EQ(p.verdict, FC_WAIT);
	CHECK_EQ(p.flags, FC_PLAN_CLEAN);
	fix_free(core);
}

/* A clean that fails wakes as well: whoever waits asks again and decides anew. */
TEST(desk_write_woken_when_cleaning_failed)
{
	struct fc_core *core = core_of(WB);
	struct fc_set *set = the_set(core);
	struct fc_clean_item item;
	u16 units;

	fix_dirty(core, 18, 2);
	core->mode = WT;
	CHECK_EQ(verdict(core, 16, 8), FC_WAIT);
	fc_clean_pick_waiting(core, set, &item, 1);
	units = fc_clean_begin(core, set, &item);
	CHECK_EQ(fc_clean_end(core, set, &item, units, false), FC_DONE_WAKE);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x0c);
	fc_check_idle(core, set);
	fix_free(core);
}

/* Where the cleaner gets nowhere, nobody is made to wait for it. */
TEST(desk_write_fails_when_cleaning_cannot_help)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;

	fix_dirty(core, 18, 2);
	core->no_clean = true;
	ask(core, 16, 8, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	core->mode = WT;
	ask(core, 16, 8, true, &p);
	CHECK_EQ(p.verdict, FC_FAIL);
	CHECK(!fix_slot(core, 2)->wait);
	core->mode = WA;
	ask(core, 16, 8, true, &p);
	CHECK_EQ(p.verdict, FC_FAIL);
	ask(core, 24, 8, true, &p);
	CHECK_EQ(p.verdict, FC_AROUND);
	fix_slot(core, 2)->busy = FC_CLEANING;
	ask(core, 16, 8, true, &p);
	CHECK_EQ(p.verdict, FC_WAIT);
	fix_free(core);
}

TEST(desk_write_counts_what_made_room)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;
	u32 i;

	for (i = 0; i < 15; i++)
		fix_fill(core, 500 + i * 16);
	ask(core, 0, 16, true, &p);
	CHECK_EQ(p.replaced, 0);
	done(core, &p, true);
	ask(core, 800, 24, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	CHECK_EQ(p.replaced, p.nr_blocks);
	done(core, &p, true);
	core->mode = WT;
	ask(core, 1600, 24, true, &p);
	CHECK_EQ(p.verdict, FC_BOTH);
	CHECK_EQ(p.nr_blocks, 3);
	CHECK_EQ(p.replaced, 3);
	done(core, &p, true);
	fix_free(core);
}

/* ---- discards -------------------------------------------------------------------------------- */

static bool discard(struct fc_core *core, u64 block, unsigned int *flags)
{
	*flags = 0;
	core->discard.first.n = block;
	core->discard.nr = 1;
	return fc_desk_discard(core, the_set(core), (struct fc_oblock){ block }, flags);
}

TEST(desk_discard_drops)
{
	struct fc_core *core = core_of(WB);
	unsigned int flags;

	CHECK(discard(core, 7, &flags));
	CHECK_EQ(flags, 0);
	core->discard.nr = 0;
	fix_fill(core, 2);
	CHECK(discard(core, 2, &flags));
	CHECK_EQ(flags, 0);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	core->discard.nr = 0;
	fix_dirty(core, 16, 8);
	CHECK(discard(core, 2, &flags));
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	CHECK_EQ(the_set(core)->dirty, 0);
	fc_check_idle(core, the_set(core));
	fix_free(core);
}

/* What a durable record names stays until that record is withdrawn. */
TEST(desk_discard_of_what_is_recorded)
{
	struct fc_core *core = core_of(WB);
	unsigned int flags;

	fix_dirty(core, 16, 8);
	fix_commit(core);
	CHECK(discard(core, 2, &flags));
	CHECK_EQ(flags, FC_DONE_DEL);
	CHECK_EQ(fix_slot(core, 2)->valid, 0);
	CHECK(fix_slot(core, 2)->ledger);
	fc_check_idle(core, the_set(core));
	fix_commit(core);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	fix_free(core);
}

TEST(desk_discard_waits)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;
	unsigned int flags;

	ask(core, 16, 8, true, &p);
	CHECK(!discard(core, 2, &flags));
	CHECK_EQ(done(core, &p, true), FC_DONE_ADD | FC_DONE_WAKE);
	CHECK(discard(core, 2, &flags));
	core->discard.nr = 0;
	ask(core, 16, 16, false, &p);
	CHECK_EQ(p.verdict, FC_AROUND);
	CHECK(!discard(core, 3, &flags));
	CHECK_EQ(done(core, &p, true), FC_DONE_WAKE);
	CHECK(discard(core, 3, &flags));
	fix_free(core);
}

/* Those who wait for the cleaner are let go when a discard leaves nothing to clean. */
TEST(desk_discard_wakes)
{
	struct fc_core *core = core_of(WB);
	unsigned int flags;

	fix_dirty(core, 16, 8);
	core->mode = WT;
	CHECK_EQ(verdict(core, 16, 8), FC_WAIT);
	CHECK(discard(core, 2, &flags));
	CHECK_EQ(flags, FC_DONE_WAKE);
	fix_free(core);
}

/* While the disk is at it nobody brings the block in, even where the ledger keeps a slot for it. */
TEST(desk_write_discarded_slot_waits)
{
	struct fc_core *core = core_of(WB);
	struct fc_plan p;
	unsigned int flags;

	fix_dirty(core, 8, 8);
	fix_dirty(core, 16, 8);
	fix_commit(core);
	CHECK(discard(core, 2, &flags));
	CHECK_EQ(verdict(core, 16, 8), FC_WAIT);
	CHECK(core->discard.wait);
	ask(core, 8, 16, true, &p);
	CHECK_EQ(p.verdict, FC_HIT);
	CHECK_EQ(p.nr, 8);
	done(core, &p, true);
	core->mode = WT;
	CHECK_EQ(verdict(core, 16, 8), FC_WAIT);
	ask(core, 0, 24, true, &p);
	CHECK_EQ(p.verdict, FC_BOTH);
	CHECK_EQ(p.nr, 8);
	done(core, &p, true);
	core->discard.nr = 0;
	CHECK_EQ(verdict(core, 16, 8), FC_BOTH);
	fix_free(core);
}
