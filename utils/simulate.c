// SPDX-License-Identifier: GPL-2.0
/*
 * The core's own desk, without devices.
 */
#include <stdlib.h>
#include "simulate.h"
#include "flashcache/uapi.h"

static int make_sets(struct simulate *s)
{
	struct fc_core *core = &s->core;
	u32 i;

	core->stride = fc_set_bytes(core->geo.assoc);
	core->sets = calloc(core->geo.nr_sets, core->stride);
	if (!core->sets) {
		s->why = "not enough memory";
		return -1;
	}
	for (i = 0; i < core->geo.nr_sets; i++)
		fc_set_init(core, fc_core_set(core, i));
	return 0;
}

/**
 * simulate_begin() - make a cache of the wanted number of blocks, or the nearest of whole sets
 * @s: filled; simulate_end() on it is always allowed afterwards
 * @want: what to make
 *
 * Return: 0, or -1 with @why set.
 */
int simulate_begin(struct simulate *s, const struct simulate_want *want)
{
	struct fc_geo_want geo = {
		.block_sectors = want->block_sectors,
		.assoc = want->assoc,
		.cluster_sectors = (u64)want->cluster *
				   (want->block_sectors ? want->block_sectors : FC_BLOCK_DEFAULT),
		.flash_sectors = (sector_t)1 << 40,
		.disk_sectors = SIMULATE_DISK,
	};
	struct fc_core *core = &s->core;

	memset(s, 0, sizeof(*s));
	if (fc_geo_init(&core->geo, &geo, &s->why))
		return -1;
	s->why = NULL;
	core->geo.nr_sets = (u32)((want->blocks + core->geo.assoc / 2) / core->geo.assoc);
	if (!core->geo.nr_sets)
		core->geo.nr_sets = 1;
	core->geo.nr_slots = (u64)core->geo.nr_sets * core->geo.assoc;
	core->mode = FC_MODE_WRITETHROUGH;
	core->policy = want->policy;
	core->dirty_limit = (u16)core->geo.assoc;
	return make_sets(s);
}

static void count_no_room(struct simulate *s, const struct fc_plan *plan)
{
	s->no_room += !!(plan->flags & FC_PLAN_NO_ROOM);
}

/* Reads within one block; whatever is missing is fetched. Return: true when nothing was. */
static bool read_block(struct simulate *s, struct fc_set *set, struct fc_ask ask)
{
	struct fc_core *core = &s->core;
	struct fc_plan plan;
	bool hit = true, elsewhere;

	while (ask.nr) {
		fc_desk_read(core, set, &ask, &plan);
		count_no_room(s, &plan);
		if (plan.verdict == FC_HIT)
			fc_desk_done_read(core, set, &plan, true, &elsewhere);
		else if (plan.verdict == FC_FILL)
			fc_desk_done_fill(core, set, &plan, true);
		else if (plan.verdict != FC_DISK)
			s->why = "unexpected verdict of a read";
		hit = hit && plan.verdict == FC_HIT;
		ask.sector += plan.nr;
		ask.nr -= plan.nr;
	}
	return hit;
}

/* Writes within one block. Return: true when the block was there. */
static bool write_block(struct simulate *s, struct fc_set *set, const struct fc_ask *ask)
{
	struct fc_core *core = &s->core;
	struct fc_plan plan;

	fc_desk_write(core, set, ask, &plan);
	count_no_room(s, &plan);
	if (plan.verdict == FC_BOTH)
		fc_desk_done_both(core, set, &plan, true);
	else if (plan.verdict == FC_AROUND)
		fc_desk_done_around(core, set, &plan);
	else
		s->why = "unexpected verdict of a write";
	if (plan.nr != ask->nr)
		s->why = "a write within a block was cut";
	return plan.verdict == FC_BOTH && !(plan.flags & FC_PLAN_NEW);
}

static void count(struct simulate *s, bool write, bool hit)
{
	s->accesses++;
	s->hits += hit;
	s->reads += !write;
	s->read_hits += !write && hit;
}

/**
 * simulate_request() - what a request does with the cache
 * @s: simulation
 * @write: it is a write
 * @sector: first sector
 * @nr: sectors; the end must not lie behind SIMULATE_DISK
 */
void simulate_request(struct simulate *s, bool write, sector_t sector, u64 nr)
{
	const struct fc_geo *geo = &s->core.geo;
	sector_t end = sector + nr;

	while (sector < end && !s->why) {
		struct fc_oblock b = fc_geo_block(geo, sector);
		sector_t next = fc_geo_block_sector(geo, b) + geo->block_sectors;
		struct fc_ask ask = {
			.sector = sector,
			.nr = (u32)((next < end ? next : end) - sector),
			.hash = fc_geo_hash(geo, b),
			.admit = true,
		};
		struct fc_set *set = fc_core_set(&s->core, fc_geo_set(geo, ask.hash));

		count(s, write, write ? write_block(s, set, &ask) : read_block(s, set, ask));
		sector += ask.nr;
	}
}

void simulate_end(struct simulate *s)
{
	free(s->core.sets);
	s->core.sets = NULL;
}
