// SPDX-License-Identifier: GPL-2.0
/*
 * A cache in a machine: built, loaded, looked at, stopped.
 */
#include <stdio.h>

#include "sim.h"

#define PATIENCE	3000u	/* jumps of time after which something is taken to hang */

/* --- what can be asked of it; each in a task --------------------------------------------------- */

void box_build(void *arg)
{
	static const char * const policies[] = { "fifo", "lru", "s3fifo" };
	struct box *box = arg;
	char line[256], *word, *words[24];
	u32 nr = 0;

	snprintf(line, sizeof(line),
		 "disk ssd sim %u %u %u 0 256 %u 0 8 10 policy %s dirty_thresh_pct %u "
		 "skip_seq_thresh_kb %u max_clean_ios_total %u fallow_delay %u",
		 box->mode, box->persist, shape.block, shape.cluster * shape.block,
		 policies[shape.policy], shape.dirty_pct, shape.skip_seq_kb, shape.clean_ios,
		 shape.fallow);
	for (word = strtok(line, " "); word; word = strtok(NULL, " "))
		words[nr++] = word;
	box->result = dm_build(&box->dm, shape.disk_sectors, words, nr);
	if (box->result)
		sim_fail("the constructor fails: %s", box->dm.ti.error);
	box->done = true;
}

void box_load(void *arg)
{
	struct box *box = arg;

	box->result = dm_resume(&box->dm);
	box->done = true;
}

void box_presuspend(void *arg)
{
	struct box *box = arg;

	dm_presuspend(&box->dm, box->removing);
	box->done = true;
}

void box_postsuspend(void *arg)
{
	struct box *box = arg;

	dm_postsuspend(&box->dm);
	box->done = true;
}

void box_destroy(void *arg)
{
	struct box *box = arg;

	dm_destroy(&box->dm);
	box->done = true;
}

void box_message(void *arg)
{
	struct box *box = arg;

	box->result = dm_message(&box->dm, box->word, box->value);
	if (box->result)
		sim_fail("message %s %s is refused", box->word, box->value);
	box->done = true;
}

/**
 * box_do() - let a task do something, and all else go on meanwhile
 * @box: cache
 * @what: one of the above
 * @between: called after each step, or NULL
 *
 * Return: false when the machine is dead.
 */
bool box_do(struct box *box, void (*what)(void *box), void (*between)(void))
{
	u32 jumps = 0;

	box->done = false;
	task_start(what, box);
	while (!box->done && !mach->dead) {
		if (!mach_step() && (!mach_time_passes() || ++jumps > PATIENCE))
			sim_fail("a call into the module does not come back");
		totals.steps++;
		if (between && !mach->dead)
			between();
	}
	return !mach->dead;
}

/*
 * What only passing time brings about: the sweep over everything, and the ledger's commits. A stop
 * that could not be taken back (see fc_meta's sealed) has put an end to the sweep.
 */
static bool work_left(const struct fc_cache *c)
{
	return (c->clean.all && !c->meta.sealed) || (!c->meta.failed && (c->meta.lists[FC_LIST_ADD] ||
						    c->meta.lists[FC_LIST_DEL]));
}

/**
 * box_idle() - let all go on until there is nothing left to do
 * @box: cache
 * @between: called after each step, or NULL
 *
 * Time passes as long as the cleaner was told to clean everything.
 */
bool box_idle(struct box *box, void (*between)(void))
{
	const struct fc_cache *c = box_cache(box);
	u32 jumps = 0;

	while (!mach->dead) {
		if (!mach_step()) {
			if (!work_left(c))
				break;
			if (!mach_time_passes() || ++jumps > PATIENCE)
				sim_fail("the cleaner or the ledger does not come to an end");
		}
		totals.steps++;
		if (between && !mach->dead)
			between();
	}
	return !mach->dead;
}

/**
 * box_forget() - the machine loses its power: take it off the module's list of running caches
 *
 * The list outlives machines, since it is the module's own.
 */
void box_forget(struct box *box)
{
	struct fc_cache *c = box->dm.built ? box_cache(box) : NULL;

	if (c && !list_empty(&c->list))
		list_del_init(&c->list);
	box->dm.built = false;
}

/* --- what it holds ---------------------------------------------------------------------------- */

static void block_values(const struct fc_cache *c, const struct fc_set *set, u64 hash,
			 struct fc_oblock b, u32 *values)
{
	const struct fc_geo *geo = &c->core.geo;
	const u32 *disk = mach->legs[LEG_DISK].now, *ssd = mach->legs[LEG_SSD].now;
	u32 first = (u32)fc_geo_block_sector(geo, b);
	u32 nr = min(geo->block_sectors, shape.disk_sectors - first), i;
	u16 way = fc_map_find(&c->core, set, b, hash);
	const struct fc_slot *s;

	if (way == FC_NIL || !fc_set_slot(set, way)->valid) {
		memcpy(values + first, disk + first, nr * sizeof(*values));
		return;
	}
	s = fc_set_slot(set, way);
	ssd += fc_geo_slot_sector(geo, fc_geo_slot(geo, fc_core_set_index(&c->core, set), way));
	for (i = 0; i < nr; i++)
		values[first + i] = s->valid >> (i >> geo->unit_shift) & 1 ? ssd[i] :
				    disk[first + i];
}

/**
 * box_values() - what each sector reads, looked up in the core
 * @c: cache at rest
 * @values: filled
 */
void box_values(const struct fc_cache *c, u32 *values)
{
	const struct fc_geo *geo = &c->core.geo;
	const struct fc_set *set = NULL;
	struct fc_oblock b;
	u64 hash = 0;

	for (b.n = 0; fc_geo_block_sector(geo, b) < shape.disk_sectors; b.n++) {
		if (!(b.n & ((1u << geo->cluster_shift) - 1))) {
			hash = fc_geo_hash(geo, b);
			set = fc_core_set(&c->core, fc_geo_set(geo, hash));
		}
		block_values(c, set, hash, b, values);
	}
}

static void check_clean_sector(u32 sector, u32 on_ssd, u32 on_disk)
{
	if (on_ssd == on_disk || (!mach->depth && !judge_certain(sector)))
		return;
	sim_fail("at rest a clean sector differs: sector %u is version %u on flash, %u on the disk",
		 sector, on_ssd, on_disk);
}

static void check_slot(const struct fc_cache *c, const struct fc_set *set, u16 way)
{
	const struct fc_geo *geo = &c->core.geo;
	const struct fc_slot *s = fc_set_slot(set, way);
	u32 index = fc_core_set_index(&c->core, set), i;
	const u32 *ssd = mach->legs[LEG_SSD].now + fc_geo_slot_sector(geo, fc_geo_slot(geo, index,
											way));
	u32 first = (u32)s->block << geo->block_shift;

	if (s->pins || s->busy != FC_IDLE || s->wait)
		sim_fail("at rest slot %u of set %u is in use: pins %u busy %u wait %u", way, index,
			 (u32)s->pins, (u32)s->busy, (u32)s->wait);
	if (s->queue == FC_Q_FREE)
		return;
	for (i = 0; i < geo->block_sectors && first + i < shape.disk_sectors; i++)
		if ((s->valid & ~s->dirty) >> (i >> geo->unit_shift) & 1)
			check_clean_sector(first + i, ssd[i], mach->legs[LEG_DISK].now[first + i]);
}

/**
 * box_check_rest() - with nothing in flight, nobody uses a slot, and what is clean is on the disk
 * @c: cache
 */
void box_check_rest(const struct fc_cache *c)
{
	u32 i, way;

	for (i = 0; c->core.sets && i < c->core.geo.nr_sets; i++) {
		const struct fc_set *set = fc_core_set(&c->core, i);

		if (set->owns || set->waiters)
			sim_fail("at rest set %u has owners or waiters", i);
		for (way = 0; way < c->core.geo.assoc; way++)
			check_slot(c, set, (u16)way);
	}
}
