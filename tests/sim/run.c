// SPDX-License-Identifier: GPL-2.0
/*
 * A run: one cache's life under one seed.
 */
#include <stdio.h>

#include "sim.h"

struct shape shape;

static struct box box;
static struct rng rng;
static u64 run_seed;
static u64 step;
static u64 seen_changes;
static u32 seen_ended;
static bool creating;

/** run_step() - number of the present step */
u64 run_step(void)
{
	return step;
}

/* --- what it is like -------------------------------------------------------------------------- */

static u32 one_of(struct rng *r, u32 nr, const u32 *choices)
{
	return choices[rng_below(r, nr)];
}

#define ONE_OF(r, ...) \
	one_of(r, sizeof((u32[]){ __VA_ARGS__ }) / sizeof(u32), (const u32[]){ __VA_ARGS__ })

static void choose_sizes(struct shape *s, struct rng *r)
{
	u32 blocks;

	s->block = ONE_OF(r, 8, 8, 8, 8, 8, 8, 16, 16, 32, 64);
	s->sets = ONE_OF(r, 1, 1, 1, 2, 3);
	if (s->block > 16)
		s->sets = 1;
	s->cluster = ONE_OF(r, 1, 4, 16, 16, 16, 64);
	blocks = s->sets * ONE_OF(r, 40, 150, 270, 320, 400);
	s->disk_sectors = blocks * s->block;
	/* The last block may be a short one. */
	if (rng_chance(r, 50))
		s->disk_sectors -= rng_below(r, s->block);
	s->meta_sectors = 2048;
	s->flash_sectors = s->meta_sectors + s->sets * 256 * s->block;
	s->hot = s->disk_sectors / ONE_OF(r, 1, 2, 8, 20);
	s->largest = s->block * ONE_OF(r, 2, 4, 16, 24);
	if (s->largest > 256)
		s->largest = 256;
}

/** shape_choose() - what a run is like */
void shape_choose(struct shape *s, struct rng *r)
{
	memset(s, 0, sizeof(*s));
	choose_sizes(s, r);
	s->mode = ONE_OF(r, 1, 1, 1, 1, 2, 2, 3);
	if (options.mode)
		s->mode = options.mode;
	s->policy = rng_below(r, 3);
	s->dirty_pct = ONE_OF(r, 10, 20, 50, 95, 95);
	s->skip_seq_kb = ONE_OF(r, 0, 0, 0, 16, 64);
	s->clean_ios = ONE_OF(r, 1, 2, 4, 16);
	s->fallow = ONE_OF(r, 0, 1, 2, 900);
	s->depth = ONE_OF(r, 1, 2, 4, 8, 16, 32);
	s->ops = 40 + rng_below(r, 260);
	s->prefill = rng_chance(r, 50) ? 0 : rng_below(r, s->sets * 300);
	s->read_pct = ONE_OF(r, 0, 10, 30, 40, 60);
	s->write_pct = ONE_OF(r, 20, 40, 60);
	s->flush_pct = ONE_OF(r, 1, 5, 10, 30);
	s->discard_pct = ONE_OF(r, 0, 0, 2, 5);
	s->fua_pct = ONE_OF(r, 0, 5, 10, 50);
	s->control_pct = ONE_OF(r, 0, 1, 1, 3);
	s->error_pct = ONE_OF(r, 0, 0, 0, 0, 0, 0, 1, 3);
	s->check = ONE_OF(r, 4, 8, 16);
	s->discards = rng_chance(r, 70);
	s->nowait = rng_chance(r, 30);
}

/** shape_print() - in one line */
void shape_print(const struct shape *s)
{
	printf("# mode %u, %u sets, blocks of %u, clusters of %u, disk of %u sectors, hot %u, "
	       "policy %u, dirty %u%%, skip %u, runs %u, fallow %u, depth %u, %u requests, "
	       "prefill %u, read %u write %u flush %u discard %u FUA %u control %u, largest %u, "
	       "errors %u%%, one state in %u changes%s%s\n",
	       s->mode, s->sets, s->block, s->cluster, s->disk_sectors, s->hot, s->policy,
	       s->dirty_pct, s->skip_seq_kb, s->clean_ios, s->fallow, s->depth, s->ops, s->prefill,
	       s->read_pct, s->write_pct, s->flush_pct, s->discard_pct, s->fua_pct, s->control_pct,
	       s->largest, s->error_pct, s->check, s->discards ? ", discards" : "",
	       s->nowait ? ", NOWAIT" : "");
}

/* --- steps ------------------------------------------------------------------------------------ */

static bool dead(void)
{
	return mach->dead || sim_failed;
}

/* After each step of the run: is its state to be judged? */
static void after_step(void)
{
	u64 seed = rng_mix(run_seed ^ step * 0x9e3779b97f4a7c15ull);

	step++;
	if (disk_changes == seen_changes && users_ended() == seen_ended)
		return;
	seen_changes = disk_changes;
	seen_ended = users_ended();
	if (options.step ? step != options.step : seed % shape.check)
		return;
	crash_check(seed, creating);
	if (sim_failed)
		mach->dead = true;
}

static void one_step(void)
{
	if (!mach_step())
		mach_time_passes();
	else if (rng_one_in(&rng, 512))
		mach_time_passes();
	totals.steps++;
	after_step();
}

/* Until no request is in flight; at most so many jumps of time may be needed for that. */
static bool settle(void)
{
	u32 jumps = 0;

	while (users_waiting() && !dead()) {
		if (!mach_step() && (!mach_time_passes() || ++jumps > 200))
			sim_fail("%u requests do not end", users_waiting());
		totals.steps++;
		after_step();
	}
	return !dead();
}

/* --- life ------------------------------------------------------------------------------------- */

static void errors(bool on)
{
	u32 i;

	for (i = 0; i < 2; i++)
		mach->legs[i].error_pct = on ? shape.error_pct : 0;
}

static bool load(u32 mode, u32 persist)
{
	box.mode = mode;
	box.persist = persist;
	errors(false);
	if (!box_do(&box, box_build, after_step) || !box_do(&box, box_load, after_step))
		return false;
	if (box.result)
		sim_fail("the cache cannot be loaded: %s", kernel_last_error());
	errors(true);
	return !dead();
}

static bool power_cycle(void)
{
	trace("power cut: the run goes on from what is left");
	crash_cut(&box, &rng);
	users_forget();
	blob_collect(&mach->legs[LEG_SSD]);
	if (!load(shape.mode, FC_PERSIST_LOAD))
		return false;
	crash_recovered(&box);
	return !dead();
}

static bool message(const char *word, const char *value)
{
	trace("message %s %s", word, value);
	box.word = word;
	box.value = value;
	return box_do(&box, box_message, after_step);
}

static bool rest(void)
{
	bool quiet;

	errors(false);
	quiet = settle() && box_idle(&box, after_step);
	errors(true);
	if (quiet)
		box_check_rest(box_cache(&box));
	return quiet && !dead();
}

/* Stops in order. With errors that may fail; then the next load is as after a crash. */
static bool stop(bool removing, bool *orderly)
{
	trace(removing ? "removal" : "suspension");
	box.removing = removing;
	if (!settle() || !box_do(&box, box_presuspend, after_step) ||
	    !box_do(&box, box_postsuspend, after_step))
		return false;
	*orderly = !box_cache(&box)->loaded;
	totals.stops += *orderly;
	return true;
}

static bool destroy(void)
{
	if (!box_do(&box, box_destroy, after_step))
		return false;
	if (mach->live)
		sim_fail("%llu allocations are left behind", mach->live);
	return !dead();
}

static void check_disk_alone(void)
{
	const struct leg *disk = &mach->legs[LEG_DISK];
	u64 start = judge_now();
	u32 i;

	for (i = 0; i < shape.disk_sectors; i++) {
		if (judge_read(i, disk->now[i], start))
			continue;
		judge_explain(i, disk->now[i], false);
		sim_fail("after a removal the raw disk has version %u in sector %u", disk->now[i], i);
		return;
	}
}

/* What is read does not change by a reload, in order or not. */
static void check_reload(bool orderly, u64 cached, const u32 *before)
{
	static u32 values[MAX_SECTORS];
	u32 i;

	if (!orderly) {
		crash_recovered(&box);
		return;
	}
	box_values(box_cache(&box), values);
	for (i = 0; i < shape.disk_sectors; i++)
		if (values[i] != before[i] && judge_certain(i)) {
			sim_fail("an orderly reload changes sector %u from version %u to %u", i,
				 before[i], values[i]);
			return;
		}
	if (fc_cache_cached(box_cache(&box)) != cached)
		sim_fail("an orderly reload finds %llu blocks cached, there were %llu",
			 fc_cache_cached(box_cache(&box)), cached);
}

static bool reload(void)
{
	static u32 values[MAX_SECTORS];
	bool removing = rng_chance(&rng, 30), orderly, same = !removing && rng_chance(&rng, 30);
	u64 cached;

	if (rng_chance(&rng, 30))
		shape.mode = options.mode ? options.mode : 1 + rng_below(&rng, 3);
	if (!stop(removing, &orderly))
		return false;
	cached = fc_cache_cached(box_cache(&box));
	box_values(box_cache(&box), values);
	if (removing && orderly && !fc_cache_dirty(box_cache(&box)))
		check_disk_alone();
	if (same) {
		/* The same table goes on. */
		errors(false);
		if (!box_do(&box, box_load, after_step) || box.result)
			sim_fail("a suspended cache cannot be resumed: %s", kernel_last_error());
		errors(true);
	} else if (!destroy() || !load(shape.mode, FC_PERSIST_LOAD)) {
		return false;
	}
	if (!dead())
		check_reload(orderly || same, cached, values);
	return !dead();
}

static bool change_mode(void)
{
	static const char * const modes[] = FC_MODE_NAMES;

	if (!options.mode)
		shape.mode = 1 + rng_below(&rng, 3);
	return message("cache_mode", modes[shape.mode]);
}

static bool control(void)
{
	static const char * const dirty[] = { "10", "20", "50", "95" };
	static const char * const policies[] = { "0", "1", "2" };

	switch (rng_below(&rng, 8)) {
	case 0:
		return power_cycle();
	case 1:
		return reload();
	case 2:
		return change_mode();
	case 3:
		return message("do_sync", "1");
	case 4:
		return message("dirty_thresh_pct", dirty[rng_below(&rng, 4)]);
	case 5:
		return message("reclaim_policy", policies[rng_below(&rng, 3)]);
	case 6:
		return mach_time_passes() || true;
	default:
		return rest();
	}
}

/* Many blocks at once, so that the sets are full and a commit has many records. */
static bool prefill(void)
{
	u32 check = shape.check, done = 0;

	shape.check = 64 * check;
	while (done < shape.prefill && !dead()) {
		u32 nr = min(16 * shape.block, 256u);
		u32 at = rng_below(&rng, shape.disk_sectors);

		if (users_waiting() >= 8) {
			one_step();
			continue;
		}
		users_send(rng_chance(&rng, 80), at, min(nr, shape.disk_sectors - at), 0);
		done += nr / shape.block;
	}
	shape.check = check;
	return !dead();
}

static void live(void)
{
	u32 sent = 0;

	if (!prefill())
		return;
	while (sent < shape.ops && !dead()) {
		if (rng_below(&rng, 10000) < shape.control_pct * 8) {
			if (!control())
				return;
		} else if (rng_chance(&rng, 12) && users_issue()) {
			sent++;
		} else {
			one_step();
		}
		blob_collect(&mach->legs[LEG_SSD]);
	}
}

static void finish(void)
{
	bool orderly;

	errors(false);
	if (!dead() && rest() && stop(rng_chance(&rng, 50), &orderly))
		destroy();
}

/**
 * run_one() - a run
 * @index: its number
 */
void run_one(u64 index)
{
	u32 i;

	run_seed = rng_mix(options.seed * 0x100000001b3ull + index);
	rng_seed(&rng, run_seed);
	shape_choose(&shape, &rng);
	if (options.trace)
		shape_print(&shape);
	mach_enter(rng_next(&rng));
	mach->preempt = 1u << rng_below(&rng, 7);
	mach->no_memory_pct = rng_chance(&rng, 20) ? 20 : 0;
	for (i = 0; i < 2; i++) {
		struct leg *leg = &mach->legs[i];

		disk_attach(leg, 0, i, i ? shape.flash_sectors : shape.disk_sectors,
			    i ? shape.meta_sectors : 0);
		memset(leg->now, 0, leg->nr * sizeof(*leg->now));
		disk_settle(leg);
		leg->lies = options.lies >> (i ? 0 : 8) & 0xff;
		leg->again_pct = shape.nowait ? 20 : 0;
		leg->discards = shape.discards && !i;
	}
	judge_reset(shape.disk_sectors);
	step = 0;
	seen_changes = disk_changes;
	seen_ended = 0;
	users_begin(&box, &rng);
	creating = true;
	if (load(shape.mode, FC_PERSIST_CREATE)) {
		creating = false;
		live();
		finish();
	}
	box_forget(&box);
	mach_leave();
	totals.runs++;
}
