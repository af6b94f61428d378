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

static struct fc_core *load(const struct fix *of, const struct fc_entry *entries, bool orderly)
{
	struct fc_core *core = fix_core(of);
	u32 i;

	for (i = 0; i < core->geo.nr_slots; i++)
		if (entries[i].valid)
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
	core = load(&fix, entries, true);
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
	core = load(&fix, entries, false);
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

#define BLOCKS	3u

static struct fc_entry many[BLOCKS * FCD_TABLE_ENTRIES];
static u8 table[BLOCKS][FCD_BLOCK_SIZE];

/* A core as fc_ledger_load_block() wants it, and its table blocks loaded, as far as they can be. */
static struct fc_core *load_blocks(const struct fix *of, bool orderly, const char **why)
{
	struct fc_core *core = fix_core(of);
	u32 i;

	memset(table, 0, sizeof(table));
	for (i = 0; i < ARRAY_SIZE(many); i++)
		fc_table_put(table[i / FCD_TABLE_ENTRIES], i % FCD_TABLE_ENTRIES, &many[i]);
	memset(core->sets, 0, core->geo.nr_sets * core->stride);
	*why = NULL;
	for (i = 0; i < BLOCKS && !*why; i++)
		*why = fc_ledger_load_block(core, table[i], i, orderly);
	return core;
}

/* As one by one, and after an orderly stop without fc_ledger_settle(). */
static void load_at_once(const struct fix *of, bool orderly)
{
	struct fc_core *one_by_one = load(of, many, orderly), *core;
	const char *why;

	core = load_blocks(of, orderly, &why);
	CHECK(!why);
	settle(one_by_one);
	if (!orderly)
		settle(core);
	fc_check_same(core, one_by_one);
	fix_free(core);
	fix_free(one_by_one);
}

static void fill_slot(const struct fc_core *core, u32 slot, u64 b)
{
	u16 exists = fc_geo_exists(&core->geo, (struct fc_oblock){ b });
	u16 valid = test_chance(70) ? exists : (u16)test_below(0x10000) & exists;

	if (!valid)
		return;
	many[slot] = (struct fc_entry){
		.block.n = b,
		.valid = valid,
		.dirty = test_chance(60) ? 0 : (u16)test_below(0x10000) & valid,
		.flags = (u8)(test_chance(80) ? 0 : test_below(8)),
	};
}

/* Full of blocks in order, or from anywhere and with holes, up to the short one at the disk's end. */
static void fill_table(const struct fix *of, bool in_order)
{
	struct fc_core *core = fix_core(of);
	u64 nr = (core->geo.disk_sectors - 1) / core->geo.block_sectors + 1, b;
	u32 used[16] = { 0 };

	memset(many, 0, sizeof(many));
	for (b = 0; b < nr; b++) {
		u64 which = in_order ? b : nr - 1 - (b * 7 % nr);
		u32 set = fc_geo_set(&core->geo, fc_geo_hash(&core->geo, (struct fc_oblock){ which }));

		if (!in_order && test_chance(30))
			used[set]++;
		if (used[set] < core->geo.assoc)
			fill_slot(core, set * core->geo.assoc + used[set]++, which);
	}
	fix_free(core);
}

/* Sets smaller and larger than a table block, of which several make a block or are cut by one. */
TEST(ledger_loads_blocks)
{
	static const struct fix of[] = {
		{ 8, 16, 2, 16, 8 * 1000 + 3, FC_MODE_WRITEBACK, FC_POLICY_LRU },
		{ 8, 64, 11, 16, 8 * 1500 + 3, FC_MODE_WRITEBACK, FC_POLICY_S3FIFO },
		{ 16, 256, 2, 1, 16 * 700 + 9, FC_MODE_WRITEBACK, FC_POLICY_S3FIFO },
		{ 128, 512, 1, 8, 128 * 700 + 9, FC_MODE_WRITEBACK, FC_POLICY_FIFO },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		u32 how;

		for (how = 0; how < 4; how++) {
			fill_table(&of[i], how & 1);
			load_at_once(&of[i], how & 2);
		}
	}
}

static bool refused(const struct fix *of, bool orderly, const char *as)
{
	const char *why;

	fix_free(load_blocks(of, orderly, &why));
	return why && !strcmp(why, as);
}

/* What a slot cannot be, whether the slot before it is of the same cluster or not. */
TEST(ledger_refuses_a_block)
{
	static const struct fix of = { 8, 128, 4, 16, 8 * 1500 + 3, FC_MODE_WRITEBACK, FC_POLICY_LRU };
	static const char impossible[] = "the table has an impossible entry";
	static const struct fc_entry nothing = { { 0 }, 0, 0, 0 };
	u32 at, how;

	for (how = 0; how < 2; how++) {
		bool orderly = how;
		struct fc_core *core;
		struct fc_entry was;
		const char *why;

		fill_table(&of, true);
		core = load_blocks(&of, orderly, &why);
		CHECK(!why);
		why = fc_ledger_load_block(core, table[0], 1, orderly);
		CHECK(why && !strcmp(why, impossible));
		fix_free(core);
		for (at = 0; at < 128; at += 127) {
			was = many[at];
			many[at].dirty = 0x80;
			many[at].valid = 0x7f;
			CHECK(refused(&of, orderly, impossible));
			many[at] = nothing;
			many[at].dirty = 1;
			CHECK(refused(&of, orderly, impossible));
			many[at] = was;
			many[at].valid = 0x1ff;
			CHECK(refused(&of, orderly, impossible));
			many[at] = was;
			many[at].block.n = 1ull << 43 | was.block.n;
			CHECK(refused(&of, orderly, impossible));
			many[at] = many[at + 128];
			CHECK(refused(&of, orderly, impossible));
			many[at] = was;
		}
		many[4 * 128] = was;
		CHECK(refused(&of, orderly, impossible));
		many[4 * 128] = nothing;
		many[4 * 128].dirty = 1;
		CHECK(refused(&of, orderly, impossible));
	}
}

/* R9, within a table block and across two. After a crash the log may still resolve it. */
TEST(ledger_refuses_a_block_with_doubles)
{
	static const struct fix of = { 8, 128, 4, 16, 8 * 1500 + 3, FC_MODE_WRITEBACK, FC_POLICY_LRU };
	u32 from;

	for (from = 0; from < 512; from += 128) {
		struct fc_core *core;
		const char *why;

		fill_table(&of, true);
		many[from + 127] = many[from + 5];
		CHECK(refused(&of, true, FC_LEDGER_DOUBLE));
		many[from + 127].dirty = many[from + 127].valid;
		many[from + 5].dirty = many[from + 5].valid;
		core = load_blocks(&of, false, &why);
		CHECK(!why);
		CHECK(!fc_ledger_settle(core, fc_core_set(core, from / 128)));
		fix_free(core);
	}
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
