// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of runs, short last blocks, and who owns blocks beside the cache.
 */
#include "fixture.h"

static struct fc_geo geo_of(u32 block_sectors, sector_t disk)
{
	struct fc_geo_want want = { .block_sectors = block_sectors, .flash_sectors = 1u << 22,
				    .disk_sectors = disk };
	struct fc_geo geo;
	const char *why;

	CHECK(!fc_geo_init(&geo, &want, &why));
	return geo;
}

TEST(part_within_a_block)
{
	struct fc_geo geo = geo_of(8, 1000);
	struct fc_part p = fc_part_at(&geo, 19, 3);

	CHECK_EQ(p.b.n, 2);
	CHECK_EQ(p.first, 3);
	CHECK_EQ(p.end, 6);
	CHECK_EQ(p.units, 0x38);
	CHECK_EQ(p.ragged, 0);
}

TEST(part_ends_with_its_block)
{
	struct fc_geo geo = geo_of(8, 1000);
	struct fc_part p = fc_part_at(&geo, 19, 100);

	CHECK_EQ(p.end, 8);
	CHECK_EQ(p.units, 0xf8);
	p = fc_part_at(&geo, 16, 8);
	CHECK_EQ(p.units, 0xff);
}

/* Blocks of 32 sectors have units of two: one that is covered by half is ragged. */
TEST(part_ragged_units)
{
	struct fc_geo geo = geo_of(32, 1000);
	struct fc_part p = fc_part_at(&geo, 64 + 3, 6);

	CHECK_EQ(p.units, 0x1e);
	CHECK_EQ(p.ragged, 0x2 | 0x10);
	p = fc_part_at(&geo, 64 + 4, 6);
	CHECK_EQ(p.ragged, 0);
	p = fc_part_at(&geo, 64 + 4, 1);
	CHECK_EQ(p.units, 0x4);
	CHECK_EQ(p.ragged, 0x4);
	p = fc_part_at(&geo, 64 + 5, 1);
	CHECK_EQ(p.ragged, 0x4);
	p = fc_part_at(&geo, 64 + 5, 100);
	CHECK_EQ(p.ragged, 0x4);
	p = fc_part_at(&geo, 64, 32);
	CHECK_EQ(p.ragged, 0);
}

/* A unit that the disk's end cuts off is whole: there is no more of it. */
TEST(part_at_the_end_of_the_disk)
{
	struct fc_geo geo = geo_of(32, 64 + 5);
	struct fc_part p = fc_part_at(&geo, 64 + 4, 1);

	CHECK_EQ(fc_geo_exists(&geo, (struct fc_oblock){ 2 }), 0x7);
	CHECK_EQ(fc_geo_exists(&geo, (struct fc_oblock){ 1 }), 0xffff);
	CHECK_EQ(p.units, 0x4);
	CHECK_EQ(p.ragged, 0);
	p = fc_part_at(&geo, 64 + 3, 1);
	CHECK_EQ(p.ragged, 0x2);
	geo = geo_of(8, 64 + 8);
	CHECK_EQ(fc_geo_exists(&geo, (struct fc_oblock){ 8 }), 0xff);
	geo = geo_of(8, 64 + 1);
	CHECK_EQ(fc_geo_exists(&geo, (struct fc_oblock){ 8 }), 0x1);
}

/* Against the definition, sector by sector. */
TEST(part_random)
{
	u32 i, u;

	for (i = 0; i < 5000; i++) {
		u32 bs = 8u << test_below(5);
		struct fc_geo geo = geo_of(bs, 1 + test_below(5 * bs));
		sector_t sector = test_below((u32)geo.disk_sectors);
		u32 nr = 1 + test_below((u32)(geo.disk_sectors - sector));
		struct fc_part p = fc_part_at(&geo, sector, nr);
		u32 us = 1u << geo.unit_shift;

		CHECK_EQ(p.b.n, sector / bs);
		CHECK_EQ(p.first, sector % bs);
		CHECK_EQ(p.end, sector % bs + nr < bs ? sector % bs + nr : bs);
		for (u = 0; u < geo.units; u++) {
			u32 s, touched = 0, exist = 0;

			for (s = u * us; s < (u + 1) * us; s++) {
				touched += s >= p.first && s < p.end;
				exist += p.b.n * bs + s < geo.disk_sectors;
			}
			CHECK_EQ(p.units >> u & 1, touched > 0);
			CHECK_EQ(p.ragged >> u & 1, touched > 0 && touched < exist);
			CHECK_EQ(fc_geo_exists(&geo, p.b) >> u & 1, exist > 0);
		}
	}
}

static const struct fix small = { 8, 16, 1, 16, 8000, FC_MODE_WRITEBACK, FC_POLICY_LRU };

TEST(part_owners)
{
	struct fc_core *core = fix_core(&small);
	struct fc_set *set = fc_core_set(core, 0);
	struct fc_own a = { .first = { 10 }, .nr = 3 }, b = { .next = &a, .first = { 12 }, .nr = 1 };
	struct fc_oblock n;

	CHECK(!fc_own_covers(core, set, (struct fc_oblock){ 0 }));
	set->owns = &b;
	for (n.n = 0; n.n < 20; n.n++)
		CHECK_EQ(fc_own_covers(core, set, n), n.n >= 10 && n.n <= 12);
	fc_own_wait(core, set, (struct fc_oblock){ 9 });
	CHECK(!a.wait && !b.wait);
	fc_own_wait(core, set, (struct fc_oblock){ 10 });
	CHECK(a.wait && !b.wait);
	fc_own_wait(core, set, (struct fc_oblock){ 12 });
	CHECK(a.wait && b.wait && !core->discard.wait);
	set->owns = NULL;
	core->discard = (struct fc_own){ .first = { 100 }, .nr = 2 };
	CHECK(fc_own_covers(core, set, (struct fc_oblock){ 101 }));
	CHECK(!fc_own_covers(core, set, (struct fc_oblock){ 102 }));
	fc_own_wait(core, set, (struct fc_oblock){ 101 });
	CHECK(core->discard.wait);
	fix_free(core);
}

/* Each wait for a slot that only the cleaner can free asks for the cleaner. */
TEST(part_wait_asks_for_the_cleaner)
{
	struct fc_slot s = { .dirty = 1, .valid = 1 };
	struct fc_plan plan = { 0 };

	fc_desk_wait(&s, &plan);
	CHECK_EQ(plan.verdict, FC_WAIT);
	CHECK(s.wait);
	CHECK_EQ(plan.flags, FC_PLAN_CLEAN);
	s.pins = 1;
	plan.flags = 0;
	fc_desk_wait(&s, &plan);
	CHECK_EQ(plan.flags, 0);
}
