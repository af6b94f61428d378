// SPDX-License-Identifier: GPL-2.0
/*
 * A random driver plays the shell around the core: requests in flight in any order, two devices in
 * memory with volatile caches, errors, a cleaner, commits that succeed or fail, checkpoints, changes
 * of mode and policy, discards, restarts, power cuts. Each sector holds a version number, so that
 * each read can be judged.
 *
 * Judged after every step: all of fc_check_set(), pins and claims against the plans in flight, slots
 * that a durable record names, and that whoever waits has somebody to wake them. After every read:
 * what came must be a version that an atomic register could give. At rest: nothing is held, nobody
 * waits, clean units equal the disk; and after a power cut and a load every sector reads as its last
 * flushed version or a later one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model.h"

struct world *w;

/* ---- the driver ------------------------------------------------------------------------------ */

static sector_t random_sector(void)
{
	u32 hot = 20 * model_block_sectors();

	if (hot < w->nr_disk && test_chance(60))
		return test_below(hot);
	if (test_chance(10))
		return w->nr_disk - 1 - test_below(model_block_sectors());
	return test_below(w->nr_disk);
}

static bool discarding(void)
{
	u32 i;

	for (i = 0; i < MAX_OPS; i++)
		if (w->ops[i].state != OP_NONE && w->ops[i].kind == OP_DISCARD)
			return true;
	return false;
}

static void shape_op(struct op *op)
{
	u32 bs = model_block_sectors(), max = test_chance(70) ? bs : 4 * bs;

	op->sector = random_sector();
	op->nr = 1 + test_below(max);
	if (test_chance(40)) {
		op->sector &= ~(sector_t)(bs - 1);
		op->nr = bs * (1 + test_below(4));
	}
	if (op->kind == OP_DISCARD) {
		op->sector &= ~(sector_t)(bs - 1);
		op->nr = bs * (1 + test_below(6));
	}
	if (op->sector + op->nr > w->nr_disk)
		op->nr = (u32)(w->nr_disk - op->sector);
	if (op->kind == OP_DISCARD && op->nr % bs)
		op->nr -= op->nr % bs;
	if (op->nr > MAX_SECTORS)
		op->nr = MAX_SECTORS;
}

static void new_op(void)
{
	u32 i, roll = test_below(100);
	struct op *op;

	for (i = 0; i < MAX_OPS && w->ops[i].state != OP_NONE; i++)
		;
	if (i == MAX_OPS)
		return;
	op = &w->ops[i];
	memset(op, 0, sizeof(*op));
	op->kind = roll < 45 ? OP_READ : roll < 97 || discarding() ? OP_WRITE : OP_DISCARD;
	shape_op(op);
	if (!op->nr)
		return;
	op->start = w->now;
	op->admit = test_chance(90);
	op->fua = test_chance(15);
	op->state = OP_READY;
	op->fua = op->fua && op->kind == OP_WRITE;
	if (op->kind != OP_READ) {
		op->version = w->next_version++;
		model_note_start(op);
	}
}

static bool ask_one(void)
{
	u32 i, at = test_below(MAX_OPS);

	if (model_jobs_used() + 8 > MAX_JOBS)
		return false;
	for (i = 0; i < MAX_OPS; i++, at = (at + 1) % MAX_OPS) {
		struct op *op = &w->ops[at];

		if (op->state != OP_READY)
			continue;
		if (op->kind == OP_DISCARD)
			model_ask_discard(op);
		else
			model_ask_core(op);
		return true;
	}
	return false;
}

static void clean_some(void)
{
	u32 i;

	for (i = 0; i < w->core->geo.nr_sets; i++) {
		if (w->want_clean[i] && w->nr_items < MAX_ITEMS)
			w->want_clean[i] = !model_pick(i, true);
	}
	if (!w->draining && w->nr_items < MAX_ITEMS)
		model_pick(test_below(w->core->geo.nr_sets), false);
}

static void change_settings(void)
{
	u32 roll = test_below(11);

	if (roll < 4)
		w->core->mode = (u8)(test_chance(60) ? FC_MODE_WRITEBACK : 1 + test_below(3));
	else if (roll < 7)
		w->core->policy = (u8)test_below(3);
	else if (roll < 8)
		w->core->no_writeback = test_chance(20);
	else if (roll < 9)
		w->core->no_clean = w->error_pct && test_chance(30);
	else if (roll < 10)
		w->core->fill_ahead = test_chance(60);
	else
		w->core->dirty_limit = (u16)(1 + test_below(w->core->geo.assoc));
}

static bool commit_step(void)
{
	if (w->committing)
		model_commit_end();
	else
		model_commit_begin(w->draining || test_chance(50), test_chance(50));
	return true;
}

/* One thing happens; which one is a matter of chance. */
static void step(void)
{
	u32 roll = test_below(1000);

	w->now++;
	w->steps++;
	if (roll < 200)
		new_op();
	else if (roll < 480)
		ask_one();
	else if (roll < 880)
		model_io_step();
	else if (roll < 930)
		clean_some();
	else if (roll < 970 && w->nr_items)
		model_begin_one();
	else if (roll < 990)
		commit_step();
	else if (roll < 993 && !w->committing)
		model_checkpoint_step(1 + test_below((u32)w->core->geo.nr_slots));
	else if (roll < 1000)
		change_settings();
}

static bool ops_left(void)
{
	u32 i;

	for (i = 0; i < MAX_OPS; i++)
		if (w->ops[i].state != OP_NONE)
			return true;
	return false;
}

static bool fua_waits(void)
{
	u32 i;

	for (i = 0; i < MAX_OPS; i++)
		if (w->ops[i].state == OP_BUSY && w->ops[i].done == w->ops[i].nr)
			return true;
	return false;
}

/* No new requests: all that is left must come to its end, or somebody was forgotten. */
static void drain(void)
{
	w->draining = true;
	for (;;) {
		w->now++;
		clean_some();
		if (w->nr_items)
			model_begin_one();
		else if (!model_io_step() && !ask_one()) {
			if (w->committing || fua_waits())
				commit_step();
			else
				break;
		}
	}
	if (ops_left())
		test_fail(__FILE__, __LINE__, "a request waits that nobody will wake");
	CHECK_EQ(model_jobs_used(), 0);
	w->draining = false;
}

static void check_clean_unit(const struct fc_set *set, u16 way, u32 within)
{
	const struct fc_slot *slot = fc_set_slot(set, way);
	u32 sector = (u32)slot->block * model_block_sectors() + within;
	u32 flash = w->flash[model_flash_addr(set, way, within)];

	if (!((slot->valid & ~slot->dirty) >> (within >> w->core->geo.unit_shift) & 1) ||
	    sector >= w->nr_disk)
		return;
	if (flash != w->disk[sector])
		test_fail(__FILE__, __LINE__, "sector %u is clean with %u on flash, %u on disk",
			  sector, flash, w->disk[sector]);
}

/* At rest clean units equal the disk, and all of it reads as it should. */
static void check_rest(void)
{
	u32 set, way, i;

	for (set = 0; set < w->core->geo.nr_sets; set++) {
		struct fc_set *s = fc_core_set(w->core, set);

		fc_check_idle(w->core, s);
		for (way = 0; way < w->core->geo.assoc; way++)
			for (i = 0; i < model_block_sectors(); i++)
				check_clean_unit(s, (u16)way, i);
	}
	w->now++;
	for (i = 0; i < w->nr_disk; i++)
		model_judge(i, model_value_of(i), w->now, false, "at rest, a read");
}

/* Everything is cleaned and recorded: the disk holds all, no slot is kept by the ledger. */
static void check_empty_ledger(void)
{
	u32 set, way;

	w->draining = true;
	for (set = 0; set < w->core->geo.nr_sets; set++) {
		while (fc_core_set(w->core, set)->dirty) {
			model_pick(set, false);
			if (w->nr_items)
				model_begin_one();
			while (model_io_step())
				;
		}
	}
	model_commit_begin(true, true);
	model_commit_end();
	for (set = 0; set < w->core->geo.nr_sets; set++) {
		struct fc_set *s = fc_core_set(w->core, set);

		fc_check_idle(w->core, s);
		for (way = 0; way < w->core->geo.assoc; way++) {
			CHECK(!fc_set_slot(s, (u16)way)->ledger);
			CHECK(!test_bit(way, fc_set_flying(w->core, s)));
			CHECK(!w->durable[model_slot_index(s, (u16)way)].dirty);
		}
	}
	w->draining = false;
}

static void free_world(void)
{
	fix_free(w->core);
	free(w->disk);
	free(w->disk_stable);
	free(w->flash);
	free(w->flash_stable);
	free(w->sectors);
	free(w->durable);
	free(w->table);
	free(w->next_table);
	free(w->log);
	free(w);
	w = NULL;
}

static void make_world(const struct fix *fix, u32 error_pct)
{
	u32 i;

	if (w)
		free_world();
	w = calloc(1, sizeof(*w));
	CHECK(w);
	w->fix = *fix;
	w->core = fix_core(fix);
	w->error_pct = error_pct;
	w->nr_disk = (u32)fix->disk_sectors;
	w->nr_flash = (u32)w->core->geo.nr_slots * fix->block_sectors;
	w->disk = calloc(w->nr_disk, sizeof(u32));
	w->disk_stable = calloc(w->nr_disk, sizeof(u32));
	w->flash = malloc(w->nr_flash * sizeof(u32));
	w->flash_stable = malloc(w->nr_flash * sizeof(u32));
	w->sectors = calloc(w->nr_disk, sizeof(*w->sectors));
	w->durable = calloc(w->core->geo.nr_slots, sizeof(*w->durable));
	w->table = calloc(w->core->geo.nr_slots, sizeof(*w->table));
	w->next_table = calloc(w->core->geo.nr_slots, sizeof(*w->next_table));
	w->log = calloc(MAX_LOG, sizeof(*w->log));
	w->ckpt_slot = NO_SLOT;
	CHECK(w->disk && w->disk_stable && w->flash && w->flash_stable && w->sectors &&
	      w->durable && w->table && w->next_table && w->log);
	memset(w->flash, 0xff, w->nr_flash * sizeof(u32));
	memset(w->flash_stable, 0xff, w->nr_flash * sizeof(u32));
	for (i = 0; i < w->nr_disk; i++)
		w->sectors[i].nr = 1;
	w->now = 1;
	w->next_version = 1;
}

/* FC_UNIT_VERBOSE in the environment: how much of everything there was. */
static void tell(void)
{
	const struct { const char *what; u64 n; } all[] = {
		{ "steps", w->steps }, { "hits", w->hits }, { "fills", w->fills },
		{ "fetches", w->fetches }, { "both", w->bothes }, { "around", w->arounds },
		{ "waits", w->waits }, { "cleaned", w->cleans }, { "commits", w->commits },
		{ "cuts", w->cuts },
	};
	u32 i;

	if (!getenv("FC_UNIT_VERBOSE"))
		return;
	printf("#");
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		printf(" %llu %s", (unsigned long long)all[i].n, all[i].what);
	printf("\n");
}

/* Rounds of chaos; some end in a power cut, the others come to rest. */
static void play(const struct fix *fix, u32 error_pct, u32 rounds, u32 steps, bool cuts)
{
	u32 i, j;

	make_world(fix, error_pct);
	for (i = 0; i < rounds; i++) {
		u32 some = steps / 2 + test_below(steps);

		for (j = 0; j < some; j++)
			step();
		if (cuts && test_chance(50)) {
			model_cut();
			continue;
		}
		drain();
		check_rest();
		if (test_chance(20))
			check_empty_ledger();
		if (test_chance(30)) {
			model_restart();
			check_rest();
		}
	}
	drain();
	check_rest();
	check_empty_ledger();
	tell();
	CHECK(w->hits && w->lanes && w->pasts && w->fills && w->bothes);
	CHECK(w->arounds && w->waits && w->cleans && w->commits);
	free_world();
}

static const struct fix small8 = { 8, 16, 1, 16, 8 * 60 + 3, FC_MODE_WRITEBACK, FC_POLICY_S3FIFO };
static const struct fix small32 = { 32, 16, 2, 4, 32 * 70 + 5, FC_MODE_WRITEBACK,
				    FC_POLICY_S3FIFO };
static const struct fix small128 = { 128, 32, 1, 2, 128 * 50 + 77, FC_MODE_WRITEBACK,
				     FC_POLICY_LRU };
static const struct fix real8 = { 8, 256, 2, 16, 8 * 1500 + 1, FC_MODE_WRITEBACK,
				  FC_POLICY_S3FIFO };

TEST(model_8_sectors)
{
	play(&small8, 0, 40, 2000, false);
}

TEST(model_8_sectors_with_errors)
{
	play(&small8, 4, 40, 2000, false);
}

TEST(model_32_sectors)
{
	play(&small32, 0, 40, 2000, false);
}

TEST(model_32_sectors_with_errors)
{
	play(&small32, 4, 40, 2000, false);
}

TEST(model_128_sectors)
{
	play(&small128, 0, 20, 2000, false);
}

TEST(model_128_sectors_with_errors)
{
	play(&small128, 4, 20, 2000, false);
}

TEST(model_256_ways)
{
	play(&real8, 1, 6, 5000, false);
}

TEST(model_power_cuts_8_sectors)
{
	play(&small8, 0, 60, 1500, true);
}

TEST(model_power_cuts_32_sectors)
{
	play(&small32, 0, 60, 1500, true);
}

TEST(model_power_cuts_with_errors)
{
	play(&small32, 3, 60, 1500, true);
}
