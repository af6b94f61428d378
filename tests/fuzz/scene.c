// SPDX-License-Identifier: GPL-2.0
/*
 * Genuine flash images.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"
#include "io/request.h"
#include "scene.h"
#include "use.h"

static u8 disk[FCD_PRINT_SECTORS << SECTOR_SHIFT];

void scene_snapshot(struct fc_cache *c, struct fc_entry *entries)
{
	u64 i;

	for (i = 0; i < c->core.geo.nr_slots; i++)
		fc_ledger_snapshot(fc_core_set(&c->core, (u32)(i / c->core.geo.assoc)),
				   (u16)(i % c->core.geo.assoc), &entries[i]);
}

bool scene_same_dirty(const struct fc_entry *a, const struct fc_entry *b, u64 nr)
{
	u64 i;

	for (i = 0; i < nr; i++)
		if (a[i].dirty != b[i].dirty || (a[i].dirty && a[i].block.n != b[i].block.n))
			return false;
	return true;
}

static void post(struct fc_cache *c, u64 block, unsigned int done)
{
	sector_t sector = fc_geo_block_sector(&c->core.geo, (struct fc_oblock){ block });
	struct fc_set *set = fix_set(&c->core, sector);
	unsigned long flags;

	if (done & FC_DONE_BARE)
		c->disk_unflushed = true;
	fc_set_lock(set, &flags);
	fc_wait_unlock(c, set, flags, done);
}

void scene_work(struct fc_cache *c, u32 nr)
{
	u64 blocks = ((c->core.geo.disk_sectors - 1) >> c->core.geo.block_shift) + 1;
	u32 i;

	for (i = 0; i < nr; i++) {
		u64 block = test_below((u32)blocks);
		sector_t sector = block << c->core.geo.block_shift;

		if (test_chance(30))
			post(c, block, fuzz_clean(&c->core, block));
		else
			post(c, block, fuzz_use(&c->core, sector, 1 + test_below(8),
						test_chance(60), true));
	}
}

static void commit(struct scene *s, struct fc_cache *c)
{
	u64 seq = c->meta.next_seq;

	memcpy(s->before, s->now, c->core.geo.nr_slots * sizeof(*s->now));
	CHECK(!fc_commit(c, true, true));
	scene_snapshot(c, s->now);
	if (c->meta.next_seq == seq)
		return;
	s->last_first = seq;
	s->last_end = c->meta.next_seq;
}

static void restart(struct scene *s, struct dm_target *ti)
{
	struct fc_cache *c = ti->private;

	fuzz_target->postsuspend(ti);
	CHECK(!c->loaded);
	CHECK(!fuzz_target->preresume(ti));
	scene_snapshot(c, s->now);
	s->last_first = 0;
	s->last_end = 0;
}

/* @plain: no checkpoint but where the log needs one. */
static void step(struct scene *s, struct dm_target *ti, bool plain)
{
	struct fc_cache *c = ti->private;

	scene_work(c, 1 + test_below(40));
	commit(s, c);
	if (plain)
		return;
	if (test_chance(12)) {
		if (c->meta.ckpt.next == FC_META_IDLE)
			fc_ckpt_begin(c);
		CHECK(!fc_ckpt_step(c));
	} else if (test_chance(8)) {
		if (c->meta.ckpt.next == FC_META_IDLE)
			fc_ckpt_begin(c);
		CHECK(!fc_ckpt_finish(c));
	} else if (test_chance(4)) {
		restart(s, ti);
	}
}

static void choose_sizes(struct scene *s, u32 which, u32 block)
{
	u32 sets = 1 + which % 4;

	s->flash_sectors = FCD_DATA_ALIGN + sets * 256 * block;
	s->disk_sectors = block * (200 + test_below(900)) - test_below(block);
	s->nr_blocks = 2 + 64 + 2 * ((sets * 256 + 253) / 254);
	CHECK(s->nr_blocks <= SCENE_BLOCKS);
	s->flash = calloc(s->nr_blocks, sizeof(*s->flash));
	s->now = calloc(sets * 256, sizeof(*s->now));
	s->before = calloc(sets * 256, sizeof(*s->before));
	CHECK(s->flash && s->now && s->before);
	fuzz_devs[0] = (struct fuzz_dev){ s->disk_sectors, disk, sizeof(disk), 0 };
	fuzz_devs[1] = (struct fuzz_dev){ s->flash_sectors, s->flash->bytes,
					       s->nr_blocks * sizeof(*s->flash), 0 };
}

/* The end of the cache's life must not change the image any more. */
static void leave(struct scene *s, struct dm_target *ti)
{
	struct fc_cache *c = ti->private;
	const char *why;
	bool none;

	if (s->orderly) {
		fuzz_target->postsuspend(ti);
		CHECK(!c->loaded);
	}
	fuzz_devs[1].len = 0;
	split_free(ti);
	why = fc_super_pick(&s->sb, &s->flash[0], &s->flash[1], &none);
	CHECK(!why && s->sb.state == (s->orderly ? FCD_STATE_ORDERLY : FCD_STATE_RUNNING));
}

static void make(struct scene *s, u32 which)
{
	u32 block = which & 4 ? 32 : 8, steps = which & 8 ? 3 : 120, i;
	char words[64], *argv[SPLIT_WORDS + 1];
	struct dm_target *ti;
	const char *why;

	test_seed(which);
	choose_sizes(s, which, block);
	snprintf(words, sizeof(words), "a b name 1 2 %u 0 256", block);
	i = (u32)split_words(words, argv, SPLIT_WORDS);
	ti = split_make((int)i, argv, s->disk_sectors, &why);
	CHECK(ti);
	CHECK(!fuzz_target->preresume(ti));
	s->orderly = which & 16;
	for (i = test_below(steps) + 1; i; i--)
		step(s, ti, which & 32);
	leave(s, ti);
}

const struct scene *scene_get(u32 which)
{
	static struct scene scenes[SCENES];
	struct scene *s = &scenes[which % SCENES];

	if (!s->flash)
		make(s, which % SCENES);
	return s;
}
