// SPDX-License-Identifier: GPL-2.0
/*
 * A run: one cache's life under one seed.
 */
#include "sim.h"

static bool dead(void)
{
	return mach->dead || sim_failed;
}

/* Many blocks at once, so that the sets are full and a commit has many records. */
static bool write_much(u32 blocks)
{
	u32 check = shape.check, done = 0;

	shape.check = 64 * check;
	while (done < blocks && !dead()) {
		u32 nr = min(16 * shape.block, 256u);
		u32 at = rng_below(&life.rng, shape.disk_sectors);

		if (users_waiting() >= 8) {
			life_step();
			continue;
		}
		users_send(rng_chance(&life.rng, 80) ? USER_WRITE : USER_READ, at,
			   min(nr, shape.disk_sectors - at), 0);
		done += nr / shape.block;
	}
	shape.check = check;
	/* All of it in one commit. */
	if (rng_chance(&life.rng, 70) && !dead())
		users_send(USER_FLUSH, 0, 0, 0);
	return !dead();
}

static bool reload(void)
{
	bool removing = rng_chance(&life.rng, 30);

	if (rng_chance(&life.rng, 30) && !options.mode)
		shape.mode = 1 + rng_below(&life.rng, 3);
	return life_reload(removing, !removing && rng_chance(&life.rng, 30));
}

static bool change_mode(void)
{
	static const char * const modes[] = FC_MODE_NAMES;

	if (!options.mode)
		shape.mode = 1 + rng_below(&life.rng, 3);
	return life_message("cache_mode", modes[shape.mode]);
}

/* Whoever runs the machine does something. */
static bool control(void)
{
	static const char * const dirty[] = { "10", "20", "50", "95" };
	static const char * const policies[] = { "0", "1", "2" };

	switch (rng_below(&life.rng, 9)) {
	case 0:
		return life_power_cut();
	case 1:
		return reload();
	case 2:
		return change_mode();
	case 3:
		return life_message("do_sync", "1");
	case 4:
		return life_message("dirty_thresh_pct", dirty[rng_below(&life.rng, 4)]);
	case 5:
		return life_message("reclaim_policy", policies[rng_below(&life.rng, 3)]);
	case 6:
		return write_much(shape.sets * 280);
	case 7:
		mach_time_passes();
		return true;
	default:
		return life_rest();
	}
}

static void live(void)
{
	u32 sent = 0;

	if (!write_much(shape.prefill))
		return;
	while (sent < shape.ops && !dead()) {
		if (rng_below(&life.rng, 10000) < shape.control_pct * 8) {
			if (!control())
				return;
		} else if (rng_chance(&life.rng, 12) && users_issue()) {
			sent++;
		} else {
			life_step();
		}
		blob_collect(&mach->legs[LEG_SSD]);
	}
}

static void finish(void)
{
	bool orderly;

	shape.error_pct = 0;
	if (!dead() && life_rest() && life_stop(rng_chance(&life.rng, 50), &orderly))
		life_destroy();
}

/**
 * run_one() - a run
 * @index: its number
 */
void run_one(u64 index)
{
	u64 seed = rng_mix(options.seed * 0x100000001b3ull + index);
	struct rng rng;

	rng_seed(&rng, seed);
	shape_choose(&shape, &rng);
	if (options.trace)
		shape_print(&shape);
	life_begin(seed);
	mach->preempt = 1u << rng_below(&rng, 7);
	mach->hold = rng_chance(&rng, 30) ? 0 : 4u << rng_below(&rng, 5);
	if (shape.slow) {
		mach->preempt = 1u << rng_below(&rng, 4);
		mach->hold = 4u << rng_below(&rng, 3);
	}
	mach->no_memory_pct = rng_chance(&rng, 20) ? 20 : 0;
	if (life_load(shape.mode, FC_PERSIST_CREATE)) {
		live();
		finish();
	}
	life_end();
	totals.runs++;
}
