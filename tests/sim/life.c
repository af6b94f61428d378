// SPDX-License-Identifier: GPL-2.0
/*
 * What can happen to a run's cache: it is made, loaded, told something, stopped, cut off from power.
 * Each step on the way may be looked at as the last one before a power cut.
 */
#include <stdio.h>

#include "sim.h"

#define PATIENCE	200000u	/* steps without the end of a request */

struct life life;

static bool dead(void)
{
	return mach->dead || sim_failed;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* After each step of the run: is its state to be judged? */
static void after_step(void)
{
	u64 seed = rng_mix(life.seed ^ life.step * 0x9e3779b97f4a7c15ull);

	life.step++;
	users_fidget();
	if (life.step - life.last_end > PATIENCE && users_waiting())
		sim_fail("no request ends any more, %u wait", users_waiting());
	if (disk_changes == life.seen_changes && users_ended() == life.seen_ended)
		return;
	if (life.seen_ended != users_ended())
		life.last_end = life.step;
	life.seen_changes = disk_changes;
	life.seen_ended = users_ended();
	if (options.step ? life.step != options.step : !shape.check || seed % shape.check)
		return;
	crash_check(seed, life.creating);
	if (sim_failed)
		mach->dead = true;
}

/** life_step() - one thing happens */
void life_step(void)
{
	if (!mach_step() || rng_one_in(&life.rng, 512))
		mach_time_passes();
	totals.steps++;
	after_step();
}

/** life_settle() - until no request is in flight; a bounded number of jumps of time may do that */
bool life_settle(void)
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

/** life_errors() - random errors of the devices */
void life_errors(bool on)
{
	u32 i;

	for (i = 0; i < 2; i++)
		mach->legs[i].error_pct = on ? shape.error_pct : 0;
}

/** life_rest() - until there is nothing to do; then nobody uses a slot, and clean is clean */
bool life_rest(void)
{
	bool quiet;

	life_errors(false);
	quiet = life_settle() && box_idle(&life.box, after_step);
	life_errors(true);
	if (quiet)
		box_check_rest(box_cache(&life.box));
	return quiet && !dead();
}

/* --- from beginning to end -------------------------------------------------------------------- */

/**
 * life_begin() - a machine with two empty devices
 * @seed: of all that happens in it
 */
void life_begin(u64 seed)
{
	u32 i;

	life = (struct life){ .seed = seed, .mark = blob_mark() };
	rng_seed(&life.rng, seed);
	mach_enter(rng_next(&life.rng));
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
	life.seen_changes = disk_changes;
	users_begin(&life.box, &life.rng);
	life.creating = true;
}

/* What the cache has done so far, before its counters go. */
static void count(void)
{
	const struct fc_cache *c = life.box.dm.built ? box_cache(&life.box) : NULL;

	if (!c)
		return;
	totals.commits += fc_stats_sum(c, FC_STAT_log_commits);
	totals.checkpoints += fc_stats_sum(c, FC_STAT_checkpoints);
	totals.evictions += fc_stats_sum(c, FC_STAT_replacements);
}

void life_end(void)
{
	count();
	box_forget(&life.box);
	mach_leave();
	blob_release(life.mark);
}

static bool try_load(u32 mode, u32 persist)
{
	life.box.mode = mode;
	life.box.persist = persist;
	return box_do(&life.box, box_build, after_step) &&
	       box_do(&life.box, box_load, after_step) && !dead();
}

/* A device that failed may have come back: the same table is resumed again. */
static bool load_again(void)
{
	life.retried = true;
	life_heal();
	return box_do(&life.box, box_load, after_step) && !dead();
}

/**
 * life_load() - build a table and resume it
 * @persist: enum fc_persist
 */
bool life_load(u32 mode, u32 persist)
{
	u64 failures = mach->legs[LEG_DISK].failures + mach->legs[LEG_SSD].failures;

	life_errors(false);
	if (!try_load(mode, persist))
		return false;
	if (life.box.result &&
	    mach->legs[LEG_DISK].failures + mach->legs[LEG_SSD].failures > failures) {
		trace("the load fails, since a device does");
		if (!load_again())
			return false;
	}
	if (life.box.result)
		sim_fail("the cache cannot be loaded: %s", kernel_last_error());
	life.creating = false;
	life_errors(true);
	return !dead();
}

/** life_message() - tell the cache something */
bool life_message(const char *word, const char *value)
{
	trace("message %s %s", word, value);
	life.box.word = word;
	life.box.value = value;
	return box_do(&life.box, box_message, after_step);
}

/**
 * life_stop() - suspend the cache, or remove it
 * @orderly: set when it was stopped in order; with errors that may fail, and then the next load is
 *	as after a crash
 */
bool life_stop(bool removing, bool *orderly)
{
	trace(removing ? "removal" : "suspension");
	life.box.removing = removing;
	if (!life_settle() || !box_do(&life.box, box_presuspend, after_step) ||
	    !box_do(&life.box, box_postsuspend, after_step))
		return false;
	*orderly = !box_cache(&life.box)->loaded;
	totals.stops += *orderly;
	return true;
}

/** life_destroy() - the table goes, and nothing of it is left */
bool life_destroy(void)
{
	count();
	if (!box_do(&life.box, box_destroy, after_step))
		return false;
	if (mach->live)
		sim_fail("%llu allocations are left behind", mach->live);
	return !dead();
}

/** life_power_cut() - cut the power and go on from what is left */
bool life_power_cut(void)
{
	trace("power cut: the run goes on from what is left");
	count();
	crash_cut(&life.box, &life.rng);
	users_forget();
	blob_collect(&mach->legs[LEG_SSD]);
	if (!life_load(shape.mode, FC_PERSIST_LOAD))
		return false;
	crash_recovered(&life.box);
	return !dead();
}

/* After a removal that cleaned everything the disk alone has it all. */
static void check_disk_alone(void)
{
	const struct leg *disk = &mach->legs[LEG_DISK];
	u64 start = judge_now();
	u32 i;

	for (i = 0; i < shape.disk_sectors; i++) {
		if (judge_read(i, disk->now[i], start))
			continue;
		judge_explain(i, disk->now[i], false);
		sim_fail("after a removal the raw disk has version %u in sector %u", disk->now[i],
			 i);
		return;
	}
}

/* What is read does not change by a reload, in order or not. */
static void check_reload(bool orderly, u64 cached, const u32 *before)
{
	static u32 values[MAX_SECTORS];
	const struct fc_cache *c = box_cache(&life.box);
	u32 i;

	if (!orderly) {
		crash_recovered(&life.box);
		return;
	}
	box_values(c, values);
	for (i = 0; i < shape.disk_sectors; i++)
		if (values[i] != before[i] && judge_certain(i)) {
			sim_fail("an orderly reload changes sector %u from version %u to %u", i,
				 before[i], values[i]);
			return;
		}
	if (fc_cache_cached(c) != cached)
		sim_fail("an orderly reload finds %llu blocks cached, there were %llu",
			 fc_cache_cached(c), cached);
}

static bool resume_same(void)
{
	life_errors(false);
	if (!box_do(&life.box, box_load, after_step))
		return false;
	if (life.box.result && !load_again())
		return false;
	if (life.box.result)
		sim_fail("a suspended cache cannot be resumed: %s", kernel_last_error());
	life_errors(true);
	return !dead();
}

/**
 * life_reload() - stop the cache and load it again
 * @removing: the device is removed in between
 * @same: the same table goes on; not with @removing
 */
bool life_reload(bool removing, bool same)
{
	static u32 values[MAX_SECTORS];
	bool orderly;
	u64 cached;

	life.retried = false;
	if (!life_stop(removing, &orderly))
		return false;
	cached = fc_cache_cached(box_cache(&life.box));
	box_values(box_cache(&life.box), values);
	if (removing && orderly && !fc_cache_dirty(box_cache(&life.box)))
		check_disk_alone();
	if (same ? !resume_same() : !life_destroy() || !life_load(shape.mode, FC_PERSIST_LOAD))
		return false;
	/* A load that failed half-way may have erased the mark "orderly" already. */
	if (!dead())
		check_reload((orderly && !life.retried) || (same && !orderly), cached, values);
	return !dead();
}
