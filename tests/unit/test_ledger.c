// SPDX-License-Identifier: GPL-2.0
/*
 * What is recorded of the slots, and how it is read back.
 */
#include <stdlib.h>

#include "fixture.h"

static const struct fix fix = { 8, 16, 2, 16, 8 * 1000 + 3, FC_MODE_WRITEBACK, FC_POLICY_LRU };

static struct fc_set *set_of(struct fc_core *core, u64 block)
{
	return fix_set(core, block * 8);
}

static struct fc_gather gather(struct fc_core *core, u64 block, enum fc_pend kind,
			       struct fc_record *recs, u32 max)
{
	struct fc_gather to = { .recs = recs, .max = max };

	CHECK(!fc_ledger_gather(core, set_of(core, block), kind, &to));
	fc_check_set(core, set_of(core, block));
	return to;
}

static unsigned int clean(struct fc_core *core, u64 block)
{
	struct fc_set *set = set_of(core, block);
	struct fc_clean_item item;
	u16 units;

	CHECK(fc_clean_find(core, set, (struct fc_oblock){ block }, &item));
	units = fc_clean_begin(core, set, &item);
	return fc_clean_end(core, set, &item, units, true);
}

TEST(ledger_gather_new_dirty)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record recs[4];
	struct fc_gather to;

	fix_dirty(core, 18, 3);
	to = gather(core, 2, FC_PEND_ADD, recs, 4);
	CHECK_EQ(to.nr, 1);
	CHECK(!to.removes);
	CHECK_EQ(recs[0].block.n, 2);
	CHECK_EQ(recs[0].dirty, 0x1c);
	CHECK_EQ(recs[0].slot.n, fc_core_set_index(core, set_of(core, 2)) * 16 + fix_find(core, 2));
	CHECK(fix_slot(core, 2)->ledger);
	CHECK(!fix_pend(core, 2, FC_PEND_ADD));
	CHECK(!fc_slot_recorded(core, set_of(core, 2), fix_find(core, 2)));
	CHECK(!fc_ledger_committed(core, set_of(core, 2), &recs[0]));
	CHECK(fc_slot_recorded(core, set_of(core, 2), fix_find(core, 2)));
	CHECK_EQ(gather(core, 2, FC_PEND_ADD, recs, 4).nr, 0);
	fix_free(core);
}

/* What was cleaned before any record named it needs none. */
TEST(ledger_never_recorded_is_never_withdrawn)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record recs[4];

	fix_dirty(core, 18, 3);
	CHECK_EQ(clean(core, 2), FC_DONE_BARE);
	CHECK_EQ(gather(core, 2, FC_PEND_ADD, recs, 4).nr, 0);
	CHECK_EQ(gather(core, 2, FC_PEND_DEL, recs, 4).nr, 0);
	CHECK(fc_slot_evictable(fix_slot(core, 2)));
	fix_free(core);
}

/* R3: only the durable record that frees it frees the slot. */
TEST(ledger_withdraw)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record recs[4];
	struct fc_gather to;

	fix_dirty(core, 18, 3);
	fix_commit(core);
	clean(core, 2);
	CHECK(!fc_slot_evictable(fix_slot(core, 2)));
	to = gather(core, 2, FC_PEND_DEL, recs, 4);
	CHECK_EQ(to.nr, 1);
	CHECK(to.removes);
	CHECK_EQ(recs[0].dirty, 0);
	CHECK_EQ(recs[0].block.n, 2);
	CHECK(!fc_slot_evictable(fix_slot(core, 2)));
	CHECK(!fc_ledger_committed(core, set_of(core, 2), &recs[0]));
	CHECK(fc_slot_evictable(fix_slot(core, 2)));
	fix_free(core);
}

/* Dirty again while the withdrawal is on its way: the old record goes, the new one is due. */
TEST(ledger_dirty_again_meanwhile)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record recs[4];

	fix_dirty(core, 18, 3);
	fix_commit(core);
	clean(core, 2);
	CHECK_EQ(gather(core, 2, FC_PEND_DEL, recs, 4).nr, 1);
	fix_dirty(core, 18, 1);
	CHECK(!fc_ledger_committed(core, set_of(core, 2), &recs[0]));
	CHECK(!fix_slot(core, 2)->ledger);
	CHECK(fix_pend(core, 2, FC_PEND_ADD));
	CHECK(!fc_slot_evictable(fix_slot(core, 2)));
	fc_check_core(core);
	CHECK_EQ(gather(core, 2, FC_PEND_ADD, recs, 4).nr, 1);
	CHECK_EQ(recs[0].dirty, 0x04);
	fix_free(core);
}

/* Partly clean: the record shrinks, and that is a withdrawal. */
TEST(ledger_partly_withdrawn)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record recs[4];
	struct fc_gather to;

	fix_dirty(core, 16, 4);
	fix_commit(core);
	fc_slot_drop(core, set_of(core, 2), fix_find(core, 2), 0x03);
	to = gather(core, 2, FC_PEND_DEL, recs, 4);
	CHECK_EQ(to.nr, 1);
	CHECK(to.removes);
	CHECK_EQ(recs[0].dirty, 0x0c);
	CHECK(!fc_ledger_committed(core, set_of(core, 2), &recs[0]));
	CHECK(fix_slot(core, 2)->ledger);
	fix_free(core);
}

/* One record takes all that is pending of a slot. */
TEST(ledger_add_and_delete_in_one)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record recs[4];
	struct fc_gather to;

	fix_dirty(core, 16, 2);
	fix_commit(core);
	clean(core, 2);
	fix_dirty(core, 20, 2);
	CHECK(fix_pend(core, 2, FC_PEND_ADD) && fix_pend(core, 2, FC_PEND_DEL));
	to = gather(core, 2, FC_PEND_ADD, recs, 4);
	CHECK_EQ(to.nr, 1);
	CHECK(to.removes);
	CHECK_EQ(recs[0].dirty, 0x30);
	CHECK_EQ(gather(core, 2, FC_PEND_DEL, recs, 4).nr, 0);
	fix_free(core);
}

TEST(ledger_gather_in_pieces)
{
	struct fix big = fix;
	struct fc_core *core;
	struct fc_record recs[256];
	struct fc_gather to = { .recs = recs, .max = 100 };
	bool seen[256] = { 0 };
	u32 i;

	big.assoc = 256;
	big.nr_sets = 1;
	core = fix_core(&big);
	for (i = 0; i < 250; i++)
		fix_dirty(core, i * 8, 8);
	CHECK(fc_ledger_gather(core, fc_core_set(core, 0), FC_PEND_ADD, &to));
	CHECK_EQ(to.nr, 100);
	to.max = 200;
	CHECK(fc_ledger_gather(core, fc_core_set(core, 0), FC_PEND_ADD, &to));
	CHECK_EQ(to.nr, 200);
	to.max = 250;
	CHECK(!fc_ledger_gather(core, fc_core_set(core, 0), FC_PEND_ADD, &to));
	CHECK_EQ(to.nr, 250);
	for (i = 0; i < 250; i++) {
		CHECK(!seen[recs[i].slot.n]);
		seen[recs[i].slot.n] = true;
		CHECK_EQ(fix_find(core, recs[i].block.n), recs[i].slot.n);
	}
	fix_free(core);
}

TEST(ledger_undo)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record recs[4];
	unsigned int flags = 0;

	fix_dirty(core, 16, 2);
	CHECK_EQ(gather(core, 2, FC_PEND_ADD, recs, 4).nr, 1);
	fc_ledger_undo(core, set_of(core, 2), &recs[0], &flags);
	CHECK_EQ(flags, FC_DONE_ADD);
	CHECK(fix_pend(core, 2, FC_PEND_ADD));
	CHECK(fix_slot(core, 2)->ledger);	/* it may be durable all the same */
	clean(core, 2);
	CHECK(!fc_slot_evictable(fix_slot(core, 2)));
	CHECK_EQ(gather(core, 2, FC_PEND_DEL, recs, 4).nr, 1);
	CHECK_EQ(recs[0].dirty, 0);
	flags = 0;
	fc_ledger_undo(core, set_of(core, 2), &recs[0], &flags);
	CHECK_EQ(flags, FC_DONE_DEL);
	CHECK(!fc_slot_evictable(fix_slot(core, 2)));
	fix_commit(core);
	CHECK(fc_slot_evictable(fix_slot(core, 2)));
	fc_check_core(core);
	fix_free(core);
}

/* The commit that frees an emptied slot wakes those who wait for it only when there are some. */
TEST(ledger_committed_frees_an_empty_slot)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record recs[4];

	fix_dirty(core, 16, 2);
	fix_commit(core);
	fc_slot_drop(core, set_of(core, 2), fix_find(core, 2), 0xff);
	CHECK_EQ(gather(core, 2, FC_PEND_DEL, recs, 4).nr, 1);
	CHECK(!fc_ledger_committed(core, set_of(core, 2), &recs[0]));
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	fc_check_idle(core, set_of(core, 2));
	fix_free(core);
}

/* Empty, but in use: whoever uses it frees it. */
TEST(ledger_committed_while_in_use)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_set *set;
	struct fc_ask ask = fix_ask(core, 16, 8);
	struct fc_record recs[4];
	struct fc_plan plan;

	fix_dirty(core, 16, 2);
	set = set_of(core, 2);
	fix_commit(core);
	fc_slot_drop(core, set, fix_find(core, 2), 0xff);
	fc_desk_read(core, set, &ask, &plan);
	CHECK_EQ(plan.verdict, FC_FILL);
	gather(core, 2, FC_PEND_DEL, recs, 4);
	CHECK(!fc_ledger_committed(core, set, &recs[0]));
	CHECK(fix_find(core, 2) != FC_NIL);
	fc_desk_done_fill(core, set, &plan, false);
	CHECK_EQ(fix_find(core, 2), FC_NIL);
	fix_free(core);
}

TEST(ledger_snapshot)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_entry e;
	u16 way;

	fix_fill(core, 2);
	fix_dirty(core, 16, 2);
	way = fix_find(core, 2);
	core->policy = FC_POLICY_S3FIFO;
	fc_replace_hit(core, set_of(core, 2), way);
	fc_ledger_snapshot(set_of(core, 2), way, &e);
	CHECK_EQ(e.block.n, 2);
	CHECK_EQ(e.valid, 0xff);
	CHECK_EQ(e.dirty, 0x03);
	CHECK_EQ(e.flags, 1);
	CHECK(fix_slot(core, 2)->ledger);	/* R3: the table names it now */
	CHECK(fix_pend(core, 2, FC_PEND_ADD));	/* but durably only when it is complete */
	fix_fill(core, 3);
	way = fix_find(core, 3);
	fc_ledger_snapshot(set_of(core, 3), way, &e);
	CHECK_EQ(e.flags, FCD_ENTRY_SMALL);
	CHECK_EQ(e.dirty, 0);
	CHECK(!fix_slot(core, 3)->ledger);
	fc_ledger_snapshot(set_of(core, 3), 15, &e);
	CHECK(!e.valid && !e.dirty && !e.block.n && !e.flags);
	fix_free(core);
}

/* ---- what a checkpoint must copy ------------------------------------------------------------- */

static void fresh(struct fc_core *core)
{
	fc_core_set(core, 0)->stale = 0;
	fc_core_set(core, 1)->stale = 0;
}

static bool stale(struct fc_core *core, u64 block)
{
	return set_of(core, block)->stale;
}

/* Each change by itself; looking and hitting are none. */
TEST(ledger_changes_make_the_set_stale)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_set *set = set_of(core, 2);
	u16 way;

	fresh(core);
	way = fc_replace_take(core, set, (struct fc_oblock){ 2 });
	CHECK(stale(core, 2));
	fresh(core);
	fc_slot_add_dirty(core, set, way, 0x0f);
	CHECK(stale(core, 2));
	fresh(core);
	fc_slot_add_dirty(core, set, way, 0x03);
	fc_replace_hit(core, set, way);
	CHECK(!stale(core, 2));
	fc_slot_clean(core, set, way, 0x0f);
	CHECK(stale(core, 2));
	fresh(core);
	fc_slot_drop(core, set, way, 0xf0);
	CHECK(!stale(core, 2));
	fc_slot_drop(core, set, way, 0x0f);
	CHECK(stale(core, 2));
	fresh(core);
	fc_replace_free(core, set, way);
	CHECK(stale(core, 2));
	fix_free(core);
}

TEST(ledger_fills_and_writes_make_the_set_stale)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_set *set = set_of(core, 2);
	struct fc_ask ask = fix_ask(core, 16, 8);
	struct fc_plan plan;

	fc_desk_read(core, set, &ask, &plan);
	fresh(core);
	fc_desk_done_fill(core, set, &plan, true);
	CHECK(stale(core, 2));
	core->mode = FC_MODE_WRITETHROUGH;
	fc_desk_write(core, set, &ask, &plan);
	fresh(core);
	fc_desk_done_both(core, set, &plan, true);
	CHECK(stale(core, 2));
	fix_free(core);
}

/* After a crash the table names clean units that are no longer believed. */
TEST(ledger_loading_makes_the_set_stale)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_slotno slot = fc_geo_slot(&core->geo, fc_core_set_index(core, set_of(core, 2)), 5);
	struct fc_entry e = { { 2 }, 0xff, 0x01, 0 };

	fc_ledger_load(core, slot, &e, true);
	CHECK(!stale(core, 2));
	fc_ledger_load(core, slot, &e, false);
	CHECK(stale(core, 2));
	fresh(core);
	fc_ledger_replay(core, &(struct fc_record){ .slot = slot, .block = { 2 }, .dirty = 1 });
	CHECK(stale(core, 2));
	fix_free(core);
}

/* ---- loading --------------------------------------------------------------------------------- */

static void snapshot_all(struct fc_core *core, struct fc_entry *entries)
{
	u32 i;

	for (i = 0; i < core->geo.nr_slots; i++)
		fc_ledger_snapshot(fc_core_set(core, i / core->geo.assoc),
				   (u16)(i % core->geo.assoc), &entries[i]);
}

static struct fc_core *load(const struct fc_core *old, const struct fc_entry *entries,
			    bool orderly)
{
	struct fc_core *core = fix_core(&fix);
	u32 i;

	for (i = 0; i < old->geo.nr_slots; i++)
		fc_ledger_load(core, (struct fc_slotno){ i }, &entries[i], orderly);
	return core;
}

static void settle(struct fc_core *core)
{
	u32 i;

	for (i = 0; i < core->geo.nr_sets; i++) {
		CHECK(fc_ledger_settle(core, fc_core_set(core, i)));
		fc_check_idle(core, fc_core_set(core, i));
	}
}

static void busy_life(struct fc_core *core)
{
	u32 i;

	for (i = 0; i < 300; i++) {
		u64 block = test_below(60);

		core->policy = (u8)test_below(3);
		if (fc_core_set(core, 0)->dirty > 10 || fc_core_set(core, 1)->dirty > 10)
			break;
		if (fix_find(core, block) == FC_NIL && test_chance(60))
			fix_fill(core, block);
		else if (fix_find(core, block) == FC_NIL || test_chance(30))
			fix_dirty(core, block * 8 + test_below(8), 1);
		else
			fc_replace_hit(core, set_of(core, block), fix_find(core, block));
	}
}

TEST(ledger_orderly_load)
{
	struct fc_entry entries[32], again[32];
	struct fc_core *old = fix_core(&fix), *core;
	u32 i;

	busy_life(old);
	snapshot_all(old, entries);
	core = load(old, entries, true);
	settle(core);
	snapshot_all(core, again);
	for (i = 0; i < 32; i++) {
		const struct fc_slot *s = fc_set_slot(fc_core_set(core, i / 16), (u16)(i % 16));

		CHECK_EQ(again[i].block.n, entries[i].block.n);
		CHECK_EQ(again[i].valid, entries[i].valid);
		CHECK_EQ(again[i].dirty, entries[i].dirty);
		CHECK_EQ(again[i].flags, entries[i].flags);
		if (s->dirty)
			CHECK(s->ledger);
	}
	for (i = 0; i < 60; i++)
		CHECK_EQ(fix_find(core, i), fix_find(old, i));
	for (i = 0; i < 2; i++) {
		CHECK_EQ(fc_core_set(core, i)->dirty, fc_core_set(old, i)->dirty);
		CHECK_EQ(fc_core_set(core, i)->len[FC_Q_SMALL], fc_core_set(old, i)->len[FC_Q_SMALL]);
		CHECK(!fc_core_set(core, i)->stale);
	}
	fix_free(core);
	fix_free(old);
}

/* R4: after a crash only what is dirty counts. */
TEST(ledger_load_after_a_crash)
{
	struct fc_entry entries[32];
	struct fc_core *old = fix_core(&fix), *core;
	u32 i;

	busy_life(old);
	snapshot_all(old, entries);
	core = load(old, entries, false);
	settle(core);
	for (i = 0; i < 60; i++) {
		u16 was = fix_find(old, i), is = fix_find(core, i);

		if (was == FC_NIL || !fix_slot(old, i)->dirty) {
			CHECK_EQ(is, FC_NIL);
			continue;
		}
		CHECK_EQ(is, was);
		CHECK_EQ(fix_slot(core, i)->valid, fix_slot(old, i)->dirty);
		CHECK_EQ(fix_slot(core, i)->dirty, fix_slot(old, i)->dirty);
	}
	fix_free(core);
	fix_free(old);
}

static void load_at_once(const struct fc_core *old, const struct fc_entry *entries,
			 const u8 *block, bool orderly)
{
	struct fc_core *one_by_one = load(old, entries, orderly), *core = fix_core(&fix);
	u32 i;

	CHECK(fc_ledger_load_block(core, block, 0, orderly));
	settle(one_by_one);
	settle(core);
	for (i = 0; i < 32; i++)
		CHECK(!memcmp(fc_set_slot(fc_core_set(core, i / 16), (u16)(i % 16)),
			      fc_set_slot(fc_core_set(one_by_one, i / 16), (u16)(i % 16)),
			      sizeof(struct fc_slot)));
	for (i = 0; i < 2; i++)
		CHECK_EQ(fc_core_set(core, i)->stale, fc_core_set(one_by_one, i)->stale);
	fix_free(core);
	fix_free(one_by_one);
}

/* A table block's entries, all at once: as one by one, or refused. */
TEST(ledger_loads_a_block)
{
	struct fc_core *old = fix_core(&fix), *core = fix_core(&fix);
	static u8 block[FCD_BLOCK_SIZE];
	struct fc_entry entries[32], again[32];
	u32 i;

	busy_life(old);
	snapshot_all(old, entries);
	memset(block, 0, sizeof(block));
	for (i = 0; i < 32; i++)
		fc_table_put(block, i, &entries[i]);
	load_at_once(old, entries, block, true);
	load_at_once(old, entries, block, false);
	CHECK(fc_ledger_load_block(core, block, 0, true));
	settle(core);
	snapshot_all(core, again);
	for (i = 0; i < 32; i++) {
		CHECK_EQ(again[i].block.n, entries[i].block.n);
		CHECK_EQ(again[i].valid, entries[i].valid);
		CHECK_EQ(again[i].dirty, entries[i].dirty);
		CHECK_EQ(again[i].flags, entries[i].flags);
	}
	for (i = 0; !entries[i].valid; i++)
		;
	/* Of another block; of another set; dirty without data; behind the last slot. */
	CHECK(!fc_ledger_load_block(core, block, 1, true));
	fc_table_put(block, i ^ 16, &entries[i]);
	CHECK(!fc_ledger_load_block(core, block, 0, true));
	fc_table_put(block, i ^ 16, &entries[i ^ 16]);
	entries[i].dirty = 1;
	entries[i].valid = 2;
	fc_table_put(block, i, &entries[i]);
	CHECK(!fc_ledger_load_block(core, block, 0, true));
	memset(block, 0, sizeof(block));
	entries[i].dirty = 0;
	fc_table_put(block, 32, &entries[i]);
	CHECK(!fc_ledger_load_block(core, block, 0, true));
	fix_free(core);
	fix_free(old);
}

static struct fc_record record(struct fc_core *core, u64 block, u16 way, u16 dirty)
{
	return (struct fc_record){
		.slot = fc_geo_slot(&core->geo, fc_core_set_index(core, set_of(core, block)), way),
		.block = { block },
		.dirty = dirty,
	};
}

/* Later records replace earlier ones, and the table. */
TEST(ledger_replay)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record rec = record(core, 2, 5, 0x0f);

	fc_ledger_load(core, rec.slot, &(struct fc_entry){ { 2 }, 0xff, 0x80, 3 }, true);
	fc_ledger_replay(core, &rec);
	rec = record(core, 3, 6, 0xff);
	fc_ledger_replay(core, &rec);
	rec = record(core, 3, 6, 0);
	fc_ledger_replay(core, &rec);
	rec = record(core, 4, 6, 0x11);
	fc_ledger_replay(core, &rec);
	settle(core);
	CHECK_EQ(fix_find(core, 2), 5);
	CHECK_EQ(fix_slot(core, 2)->valid, 0x0f);
	CHECK_EQ(fix_slot(core, 2)->dirty, 0x0f);
	CHECK_EQ(fix_find(core, 3), FC_NIL);
	CHECK_EQ(fix_find(core, 4), 6);
	CHECK_EQ(set_of(core, 2)->dirty + (set_of(core, 4) != set_of(core, 2)) *
		 set_of(core, 4)->dirty, 2);
	CHECK(set_of(core, 2)->stale);
	fix_free(core);
}

/* A block may move while the table is written; the log tells where it is. */
TEST(ledger_replay_moves_a_block)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record rec = record(core, 2, 5, 0x0f);

	fc_ledger_load(core, rec.slot, &(struct fc_entry){ { 2 }, 0xff, 0xff, 0 }, false);
	rec = record(core, 2, 9, 0x0f);
	fc_ledger_load(core, rec.slot, &(struct fc_entry){ { 2 }, 0x0f, 0x0f, 0 }, false);
	rec = record(core, 2, 5, 0);
	fc_ledger_replay(core, &rec);
	settle(core);
	CHECK_EQ(fix_find(core, 2), 9);
	fix_free(core);
}

/* R9: two slots that hold the same block are refused. */
TEST(ledger_duplicates_are_refused)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record a = record(core, 2, 5, 0x0f), b = record(core, 2, 9, 0xf0);

	fc_ledger_replay(core, &a);
	fc_ledger_replay(core, &b);
	CHECK(!fc_ledger_settle(core, set_of(core, 2)));
	fix_free(core);
}

/* A loaded cache works on: recorded slots are cleaned, withdrawn, and given to others. */
TEST(ledger_life_after_load)
{
	struct fc_core *core = fix_core(&fix);
	struct fc_record rec = record(core, 2, 5, 0x0f);

	fc_ledger_replay(core, &rec);
	settle(core);
	CHECK(fc_slot_recorded(core, set_of(core, 2), 5));
	CHECK_EQ(clean(core, 2), FC_DONE_DEL);
	CHECK(!fc_slot_evictable(fix_slot(core, 2)));
	fix_commit(core);
	CHECK(fc_slot_evictable(fix_slot(core, 2)));
	fc_check_core(core);
	fix_free(core);
}
