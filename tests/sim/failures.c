// SPDX-License-Identifier: GPL-2.0
/*
 * A leg fails at its k-th I/O, for every k of a small life, once, for a while or for good. Nothing
 * may hang, nothing wrong be read, and an error come up only where the data really cannot be had.
 * Then the leg is back: all can be read again, and after a reload all is as good as new.
 */
#include <stdio.h>

#include "sim.h"

/**
 * struct failure - a case
 * @mode: of the cache
 * @leg: which one fails
 * @what: FAIL_* of the I/Os that are counted and may fail, 0 = all
 * @at: the I/O that fails
 * @nr: so many in a row, ~0 = for good
 * @block: size of a block
 */
struct failure {
	u32 mode;
	u32 leg;
	u32 what;
	u64 at;
	u64 nr;
	u32 block;
};

static struct failure failure;
static u64 cases[4][2][FAIL_KINDS];	/* by mode, leg, and kind of the first I/O that failed */

/* --- who may get an error --------------------------------------------------------------------- */

static const struct fc_slot *slot_at(const struct fc_cache *c, u32 sector)
{
	const struct fc_geo *geo = &c->core.geo;
	u64 slot = (sector - geo->data_start) >> geo->block_shift;

	return fc_set_slot(fc_core_set(&c->core, (u32)(slot / geo->assoc)),
			   slot & (geo->assoc - 1));
}

/*
 * An I/O has failed: which sectors of the disk did it concern? Of flash, the blocks in the slots
 * that it touched; they lie side by side on the disk, too. There is no other copy of dirty ones.
 */
void sim_io_failed(const struct leg *leg, struct failed *f)
{
	const struct fc_cache *c = life.box.dm.built ? box_cache(&life.box) : NULL;
	u32 at;

	f->first = f->sector;
	f->end = f->sector + f->nr;
	f->only = true;
	if (leg == &mach->legs[LEG_DISK])
		return;
	f->end = f->first;
	f->only = false;
	if (!c || !c->core.sets || f->sector < c->core.geo.data_start)
		return;
	for (at = f->sector; at < f->sector + f->nr; at++) {
		const struct fc_slot *s = slot_at(c, at);
		u32 block = (u32)s->block << c->core.geo.block_shift;

		if (s->queue == FC_Q_FREE)
			continue;
		if (f->end <= f->first)
			f->first = block;
		f->end = max(f->end, block + shape.block);
		f->only |= s->dirty != 0;
	}
}

/* Did it concern the blocks of these sectors? What was clean may have become dirty meanwhile. */
static bool concerns(const struct failed *f, u32 sector, u32 nr)
{
	const struct fc_cache *c = box_cache(&life.box);
	u32 first = round_down(sector, shape.block);
	u32 end = round_up(sector + nr, shape.block);
	u32 at;

	if (f->end <= f->first || first >= f->end || f->first >= end)
		return false;
	for (at = f->sector; !f->only && c->core.sets && at < f->sector + f->nr; at++)
		if (slot_at(c, at)->dirty)
			return true;
	return f->only;
}

static bool excuse(u32 leg, const struct failed *f, const struct plea *plea)
{
	bool meta = leg == LEG_SSD && f->what == FAIL_WRITE && f->sector < shape.meta_sectors;

	/* To make something durable takes both devices and the ledger. */
	if (plea->durable && (f->what == FAIL_FLUSH || meta))
		return true;
	return plea->nr && concerns(f, plea->sector, plea->nr);
}

/**
 * failures_judge() - a request has ended with an error: had it to?
 * @plea: request
 */
void failures_judge(const struct plea *plea)
{
	const struct fc_cache *c = box_cache(&life.box);
	u32 leg;

	/* Nothing can become durable any more, or nobody can bring to the disk what must go first. */
	if (plea->kind != USER_READ && (c->health == FC_HEALTH_FAILED || c->core.no_clean))
		return;
	for (leg = 0; leg < 2; leg++) {
		const struct leg *l = &mach->legs[leg];
		u64 i = plea->since[leg];

		if (l->failures - i > MAX_FAILED)
			return;
		for (; i < l->failures; i++)
			if (excuse(leg, &l->failed[i % MAX_FAILED], plea))
				return;
	}
	sim_fail("a request of kind %u for sectors %u+%u fails, but no I/O that it needed did",
		 plea->kind, plea->sector, plea->nr);
}

/* --- the small life --------------------------------------------------------------------------- */

static void shape_small(void)
{
	shape = (struct shape){
		.block = failure.block, .sets = 1, .cluster = 4, .mode = failure.mode,
		.policy = FC_POLICY_S3FIFO, .dirty_pct = 10, .clean_ios = 4, .fallow = 2,
		.meta_sectors = 2048, .discards = true,
	};
	shape.disk_sectors = 60 * shape.block - 3;
	shape.flash_sectors = shape.meta_sectors + 256 * shape.block;
}

static bool go(u32 kind, u32 sector, u32 nr, blk_opf_t flags)
{
	users_send(kind, sector, nr, flags);
	/* Some come one after the other, some at once. */
	return users_waiting() < 3 || life_settle();
}

static bool requests(void)
{
	u32 b = shape.block;

	return go(USER_WRITE, 0, 8 * b, 0) && go(USER_WRITE, 10 * b, b, REQ_FUA) &&
	       go(USER_FLUSH, 0, 0, 0) && life_settle() &&
	       go(USER_WRITE, 10 * b, b, 0) && life_settle() && go(USER_FLUSH, 0, 0, 0) &&
	       life_settle() &&
	       go(USER_WRITE, b + 3, 3, 0) && go(USER_WRITE, 20 * b + 1, 2, 0) &&
	       go(USER_READ, 0, 12 * b, 0) && go(USER_READ, 30 * b, 6 * b, 0) && life_settle() &&
	       go(USER_READ, 30 * b, 6 * b, 0) && go(USER_WRITE, 30 * b + 2, b, REQ_FUA) &&
	       go(USER_READ, 20 * b, b, 0) && life_settle() &&
	       go(USER_WRITE, 0, 2 * b, REQ_PREFLUSH) && go(USER_DISCARD, 4 * b - 1, 3 * b, 0) &&
	       go(USER_FLUSH, 0, 0, 0) && go(USER_WRITE, 5 * b, b, 0) && life_settle() &&
	       go(USER_WRITE, 58 * b, 2 * b - 3, 0) && go(USER_FLUSH, 0, 0, 0) && life_settle() &&
	       go(USER_WRITE, 58 * b, b, 0) && life_settle() && go(USER_FLUSH, 0, 0, 0) &&
	       life_settle();
}

static bool read_all(void)
{
	u32 at, nr;

	for (at = 0; at < shape.disk_sectors; at += nr) {
		nr = min(shape.disk_sectors - at, 3 * shape.block + 1);
		if (!go(USER_READ, at, nr, 0))
			return false;
	}
	return life_settle();
}

static bool small_life(void)
{
	static const char * const modes[] = FC_MODE_NAMES;

	return requests() && life_message("do_sync", "1") && life_settle() &&
	       go(USER_WRITE, 2 * shape.block, 4 * shape.block, 0) &&
	       go(USER_FLUSH, 0, 0, 0) && life_settle() &&
	       life_message("cache_mode", modes[shape.mode % 3 + 1]) && requests() &&
	       life_message("cache_mode", modes[(shape.mode + 1) % 3 + 1]) && requests() &&
	       life_message("cache_mode", modes[shape.mode]) && requests() &&
	       life_reload(false, true) && requests() && life_reload(false, false) && requests() &&
	       read_all();
}

/** life_heal() - a leg that failed works again */
void life_heal(void)
{
	mach->legs[LEG_DISK].fail_at = 0;
	mach->legs[LEG_SSD].fail_at = 0;
}

static bool as_new(void)
{
	if (box_cache(&life.box)->health != FC_HEALTH_OK)
		sim_fail("after the reload with a sound leg the health is not ok");
	return requests() && read_all() && life_rest() && life_reload(true, false);
}

/* Return: false when the life was over before its I/O of that number, so that there is no more. */
static bool run_case(u64 seed)
{
	u64 seen = 0;
	bool happened;

	shape_small();
	life_begin(seed);
	mach->preempt = seed & 1 ? 16 : 0;
	if (life_load(shape.mode, FC_PERSIST_CREATE)) {
		struct leg *leg = &mach->legs[failure.leg];

		leg->count = 0;
		leg->fail_what = failure.what;
		leg->fail_at = failure.at;
		leg->fail_to = failure.nr == ~0ull ? failure.nr : failure.at + failure.nr;
		if (small_life()) {
			seen = leg->count;
			life_heal();
			if (read_all() && life_reload(false, false))
				as_new();
			if (!leg->failures && seen >= failure.at)
				sim_fail("I/O %llu did not fail", failure.at);
		}
	}
	happened = mach->legs[failure.leg].failures;
	if (happened) {
		totals.failures++;
		cases[failure.mode][failure.leg][__ffs(mach->legs[failure.leg].first_failed)]++;
	}
	life_end();
	return happened;
}

static bool one(u64 seed)
{
	bool more;

	sim_failed = false;
	trace("mode %u, blocks of %u, %s fails at its I/O %llu of kind %u, %lld in a row",
	      failure.mode, failure.block, failure.leg ? "flash" : "disk", failure.at,
	      failure.what, (long long)failure.nr);
	more = run_case(seed);
	if (sim_failed)
		printf("# again: out/sim/sim --seed %llu --failure %u,%u,%u,%u,%llu,%lld --trace\n",
		       options.seed, failure.mode, failure.leg, failure.what, failure.block,
		       failure.at, (long long)failure.nr);
	return more;
}

/**
 * failures_one() - one case again
 * @words: mode, leg, kind, block, first I/O that fails, how many, with commas between
 *
 * Return: false when @words are no case.
 */
bool failures_one(const char *words)
{
	long long nr;

	if (sscanf(words, "%u,%u,%u,%u,%llu,%lld", &failure.mode, &failure.leg, &failure.what,
		   &failure.block, &failure.at, &nr) != 6 || failure.leg > 1 || failure.mode > 3)
		return false;
	failure.nr = (u64)nr;
	one(rng_mix(options.seed) + failure.at);
	return true;
}

/* Every I/O of a life, one after the other. */
static void every_k(void)
{
	failure.at = 0;
	do {
		failure.at++;
	} while (one(rng_mix(options.seed) + failure.at) &&
		 totals.violations < options.violations);
}

/* No kind of I/O was left out. */
static void check_counts(u32 mode)
{
	static const char * const modes[] = FC_MODE_NAMES, * const legs[] = { "disk", "flash" };
	u32 leg, kind;

	for (leg = 0; leg < 2; leg++) {
		const u64 *nr = cases[mode][leg];

		printf("# %s, %s: %llu cases begin with a read, %llu with a write, %llu with a "
		       "flush\n", modes[mode], legs[leg], nr[0], nr[1], nr[2]);
		for (kind = 0; kind < FAIL_KINDS; kind++)
			if (!nr[kind]) {
				printf("violation: a kind was left out\n");
				totals.violations++;
			}
	}
}

/**
 * failures_all() - every k, in every mode, on each leg: of all I/Os once, for a while and for good,
 * of reads, writes and flushes alone for good
 */
void failures_all(void)
{
	static const struct { u32 what; u64 nr; } rows[] = {
		{ 0, 1 }, { 0, 9 }, { 0, ~0ull },
		{ FAIL_READ, ~0ull }, { FAIL_WRITE, ~0ull }, { FAIL_FLUSH, ~0ull },
	};
	static const u32 blocks[] = { 8, 32 };
	u32 mode, kind;

	for (mode = 1; mode <= 3; mode++) {
		if (options.mode && options.mode != mode)
			continue;
		for (kind = 0; kind < 4 * ARRAY_SIZE(rows); kind++) {
			if (totals.violations >= options.violations)
				return;
			failure.mode = mode;
			failure.leg = kind % 2;
			failure.block = blocks[kind / 2 % 2];
			failure.what = rows[kind / 4].what;
			failure.nr = rows[kind / 4].nr;
			every_k();
		}
		check_counts(mode);
	}
}
