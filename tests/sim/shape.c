// SPDX-License-Identifier: GPL-2.0
/*
 * What a run is like: sizes, mode, users, all by its seed.
 */
#include <stdio.h>

#include "sim.h"

struct shape shape;

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

/* A long life with many commits, so that the log goes round and checkpoints come often. */
static void much_ledger(struct shape *s, struct rng *r)
{
	s->mode = options.mode ? options.mode : FC_MODE_WRITEBACK;
	s->ops = 500 + rng_below(r, 1000);
	s->depth = ONE_OF(r, 4, 8, 16);
	s->flush_pct = ONE_OF(r, 30, 60);
	s->fua_pct = ONE_OF(r, 10, 50);
	s->hot = min(s->disk_sectors, s->block * ONE_OF(r, 16, 40, 100, 1000));
	s->largest = 2 * s->block;
	s->dirty_pct = ONE_OF(r, 10, 10, 20, 95);
	s->control_pct = rng_chance(r, 20);
	s->error_pct = 0;
	s->slow = true;
	s->check = 128;
}

/*
 * A full set that is cleaned all the time, so that many a block is clean again before any record
 * names it, and its slot goes to another one.
 */
static void much_cleaning(struct shape *s, struct rng *r)
{
	s->mode = options.mode ? options.mode : FC_MODE_WRITEBACK;
	s->block = 8;
	s->sets = 1;
	s->disk_sectors = 8 * ONE_OF(r, 290, 400);
	s->flash_sectors = s->meta_sectors + 256 * s->block;
	s->hot = s->disk_sectors / ONE_OF(r, 1, 4);
	s->largest = ONE_OF(r, 16, 32);
	s->prefill = rng_chance(r, 70) ? 700 : 0;
	s->dirty_pct = 10;
	s->ops = 400 + rng_below(r, 800);
	s->depth = ONE_OF(r, 4, 8, 16);
	s->read_pct = ONE_OF(r, 0, 10);
	s->write_pct = 60;
	s->flush_pct = ONE_OF(r, 2, 5, 10, 20);
	s->fua_pct = ONE_OF(r, 0, 0, 10);
	s->error_pct = 0;
	s->slow = true;
	s->check = 96;
}

static enum shape_kind choose_kind(struct rng *r)
{
	if (rng_chance(r, 25))
		return SHAPE_LEDGER;
	return rng_chance(r, 35) ? SHAPE_CLEANING : SHAPE_PLAIN;
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
	s->check = ONE_OF(r, 4, 8, 16, 32, 64);
	s->discards = rng_chance(r, 70);
	s->nowait = rng_chance(r, 30);
	s->fickle_pct = ONE_OF(r, 0, 0, 10, 40);
	switch (options.shape ? options.shape : choose_kind(r)) {
	case SHAPE_LEDGER:
		much_ledger(s, r);
		break;
	case SHAPE_CLEANING:
		much_cleaning(s, r);
		break;
	default:
		break;
	}
}

/** shape_print() - in one line */
void shape_print(const struct shape *s)
{
	printf("# mode %u, %u sets, blocks of %u, clusters of %u, disk of %u sectors, hot %u, "
	       "policy %u, dirty %u%%, skip %u, runs %u, fallow %u, depth %u, %u requests, "
	       "prefill %u, read %u write %u flush %u discard %u FUA %u control %u, largest %u, "
	       "fickle %u%%, errors %u%%, one state in %u changes%s%s\n",
	       s->mode, s->sets, s->block, s->cluster, s->disk_sectors, s->hot, s->policy,
	       s->dirty_pct, s->skip_seq_kb, s->clean_ios, s->fallow, s->depth, s->ops, s->prefill,
	       s->read_pct, s->write_pct, s->flush_pct, s->discard_pct, s->fua_pct, s->control_pct,
	       s->largest, s->fickle_pct, s->error_pct, s->check, s->discards ? ", discards" : "",
	       s->nowait ? ", NOWAIT" : "");
}
