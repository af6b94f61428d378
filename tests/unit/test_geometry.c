// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes, places, and the hash that must never change.
 */
#include "fixture.h"

#define GIB (1ull << 21)	/* in sectors */
#define TIB (1ull << 31)

static const char *refused(struct fc_geo_want want)
{
	struct fc_geo geo;
	const char *why = "not set";
	int rc = fc_geo_init(&geo, &want, &why);

	CHECK(rc == (why ? -EINVAL : 0));
	return why ? why : "accepted";
}

static struct fc_geo made(struct fc_geo_want want)
{
	struct fc_geo geo;
	const char *why;

	if (fc_geo_init(&geo, &want, &why))
		test_fail(__FILE__, __LINE__, "refused: %s", why);
	CHECK(!why);
	return geo;
}

static struct fc_geo_want plain(void)
{
	return (struct fc_geo_want){ .flash_sectors = 4 * GIB, .disk_sectors = 100 * GIB };
}

TEST(geometry_defaults)
{
	struct fc_geo geo = made(plain());

	CHECK_EQ(geo.block_sectors, 8);
	CHECK_EQ(geo.block_shift, 3);
	CHECK_EQ(geo.units, 8);
	CHECK_EQ(geo.unit_shift, 0);
	CHECK_EQ(geo.full, 0xff);
	CHECK_EQ(geo.assoc, 512);
	CHECK_EQ(geo.cluster_shift, 4);
	CHECK_EQ(geo.disk_sectors, 100 * GIB);
	CHECK_EQ(geo.flash_sectors, 4 * GIB);
	CHECK_EQ(geo.nr_slots, (u64)geo.nr_sets * 512);
}

TEST(geometry_block_sizes)
{
	static const struct { u32 sectors, units, unit_shift, full; } expect[] = {
		{ 8, 8, 0, 0xff }, { 16, 16, 0, 0xffff }, { 32, 16, 1, 0xffff },
		{ 64, 16, 2, 0xffff }, { 128, 16, 3, 0xffff },
	};
	u32 i;

	for (i = 0; i < 5; i++) {
		struct fc_geo_want want = plain();
		struct fc_geo geo;

		want.block_sectors = expect[i].sectors;
		geo = made(want);
		CHECK_EQ(geo.units, expect[i].units);
		CHECK_EQ(geo.unit_shift, expect[i].unit_shift);
		CHECK_EQ(geo.full, expect[i].full);
		CHECK_EQ(1u << geo.block_shift, expect[i].sectors);
	}
}

TEST(geometry_refuses_block_size)
{
	static const u64 bad[] = { 1, 4, 7, 9, 24, 100, 256, 1ull << 32, ~0ull };
	u32 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct fc_geo_want want = plain();

		want.block_sectors = bad[i];
		CHECK_HAS(refused(want), "Invalid block size");
	}
}

TEST(geometry_refuses_associativity)
{
	static const u64 bad[] = { 1, 128, 257, 500, 16384, 1ull << 32, (1ull << 32) + 512, ~0ull };
	struct fc_geo_want want = plain();
	u32 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		want.assoc = bad[i];
		CHECK_HAS(refused(want), "Invalid cache associativity");
	}
	for (i = 256; i <= 8192; i *= 2) {
		want.assoc = i;
		CHECK_EQ(made(want).assoc, i);
	}
}

TEST(geometry_refuses_cluster)
{
	/* smaller than a block, no power of two, larger than a set or the limit */
	static const u64 bad[] = { 1, 4, 12, 24, 8 * 3, 8 * 1024, 1ull << 40, ~0ull };
	struct fc_geo_want want = plain();
	u32 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		want.cluster_sectors = bad[i];
		CHECK_HAS(refused(want), "Invalid disk associativity");
	}
	want.cluster_sectors = 8;
	CHECK_EQ(made(want).cluster_shift, 0);
	want.cluster_sectors = 8 * 512;
	CHECK_EQ(made(want).cluster_shift, 9);
	want.assoc = 8192;
	want.cluster_sectors = 8 * 2048;
	CHECK_EQ(made(want).cluster_shift, 11);
	want.cluster_sectors *= 2;
	CHECK_HAS(refused(want), "Invalid disk associativity");
}

TEST(geometry_refuses_sizes)
{
	struct fc_geo_want want = plain();

	want.cache_sectors = want.flash_sectors + 1;
	CHECK_HAS(refused(want), "larger than the cache device");
	want = plain();
	want.disk_sectors = 0;
	CHECK_HAS(refused(want), "disk is empty");
	want = plain();
	want.flash_sectors = 0;
	CHECK_HAS(refused(want), "too small");
	want.flash_sectors = 4096;	/* data area begins at 2048 */
	CHECK_HAS(refused(want), "too small");
	want = plain();
	want.disk_sectors = (1ull << 46) + 1;
	CHECK_HAS(refused(want), "Invalid disk size: too large");
	want.disk_sectors--;
	CHECK_EQ(made(want).disk_sectors, 1ull << 46);
	want.disk_sectors = ~0ull;
	CHECK_HAS(refused(want), "Invalid disk size: too large");
	want.block_sectors = 128;
	want.disk_sectors = (1ull << 50) + 1;
	CHECK_HAS(refused(want), "Invalid disk size: too large");
}

/* Slot numbers have 40 bits in the log. */
TEST(geometry_refuses_more_slots_than_the_log_can_name)
{
	struct fc_geo_want want = plain();

	want.flash_sectors = (1ull << 43) + 8;
	CHECK_HAS(refused(want), "Invalid cache size: too large");
	want.flash_sectors = (1ull << 43) - 1;
	CHECK(made(want).nr_slots < 1ull << 40);
	want.flash_sectors = ~0ull;
	want.block_sectors = 128;
	CHECK_HAS(refused(want), "Invalid cache size: too large");
}

TEST(geometry_smallest_cache)
{
	struct fc_geo_want want = plain();
	struct fc_geo geo;

	want.flash_sectors = 2048 + 512 * 8;
	geo = made(want);
	CHECK_EQ(geo.nr_sets, 1);
	CHECK_EQ(geo.data_start, 2048);
	CHECK_EQ(geo.log_blocks, 64);
	CHECK_EQ(geo.table_blocks, 3);
	want.flash_sectors--;
	CHECK_HAS(refused(want), "too small for one set");
}

TEST(geometry_part_of_the_device)
{
	struct fc_geo_want want = plain();

	want.cache_sectors = GIB;
	CHECK_EQ(made(want).flash_sectors, GIB);
	CHECK(made(want).nr_slots < GIB / 8);
}

/* Where the data would begin with @sets sets, by the words of format.h. */
static u64 end_with(const struct fc_geo *geo, u64 sets)
{
	u64 slots = sets * geo->assoc, table = (slots + 253) / 254;
	u64 log = table < 16 ? 64 : table < 256 ? 4 * table : table < 1024 ? 1024 :
		  table > 16384 ? 16384 : table;
	u64 start = ((2 + log + 2 * table) * 8 + 2047) / 2048 * 2048;

	return start + slots * geo->block_sectors;
}

static void check_layout(const struct fc_geo *geo)
{
	u64 log = fc_geo_log_sector(geo, 0), t0 = fc_geo_table_sector(geo, 0, 0);
	u64 t1 = fc_geo_table_sector(geo, 1, 0);

	CHECK_EQ(log, 16);
	CHECK_EQ(fc_geo_log_sector(geo, geo->log_blocks), log);
	CHECK_EQ(fc_geo_log_sector(geo, geo->log_blocks * 7 + 3), log + 24);
	CHECK_EQ(fc_geo_log_sector(geo, geo->log_blocks - 1) + 8, t0);
	CHECK_EQ(fc_geo_table_sector(geo, 0, geo->table_blocks - 1) + 8, t1);
	CHECK(fc_geo_table_sector(geo, 1, geo->table_blocks - 1) + 8 <= geo->data_start);
	CHECK_EQ(geo->data_start % 2048, 0);
	CHECK(geo->table_blocks * 254 >= geo->nr_slots);
	CHECK_EQ(fc_geo_slot_sector(geo, (struct fc_slotno){ geo->nr_slots }),
		 end_with(geo, geo->nr_sets));
	CHECK(end_with(geo, geo->nr_sets) <= geo->flash_sectors);
	CHECK(end_with(geo, geo->nr_sets + 1ull) > geo->flash_sectors);
}

TEST(geometry_layout_never_overlaps)
{
	u32 i;

	for (i = 0; i < 20000; i++) {
		struct fc_geo_want want = {
			.block_sectors = 8u << test_below(5),
			.assoc = 256u << test_below(6),
			.flash_sectors = test_random() >> (21 + test_below(30)),
			.disk_sectors = 1 + (test_random() >> (18 + test_below(20))),
		};
		struct fc_geo geo;
		const char *why;

		if (!fc_geo_init(&geo, &want, &why))
			check_layout(&geo);
		else
			CHECK_HAS(why, "Invalid cache size: too ");
	}
}

TEST(geometry_beyond_32_bits)
{
	struct fc_geo_want want = { .flash_sectors = 20 * TIB, .disk_sectors = 1000 * TIB };
	struct fc_geo geo = made(want);
	struct fc_oblock b = fc_geo_block(&geo, 999 * TIB + 5);
	u16 way = 511;

	check_layout(&geo);
	CHECK(geo.nr_slots > 0xffffffffull / 2);
	CHECK_EQ(b.n, 999 * TIB / 8);
	CHECK_EQ(fc_geo_block_sector(&geo, b), 999 * TIB);
	CHECK_EQ(fc_geo_slot(&geo, geo.nr_sets - 1, way).n, geo.nr_slots - 1);
	CHECK_EQ(fc_geo_slot_sector(&geo, fc_geo_slot(&geo, geo.nr_sets - 1, way)),
		 geo.data_start + (geo.nr_slots - 1) * 8);
	CHECK(fc_geo_slot_sector(&geo, (struct fc_slotno){ geo.nr_slots }) > 1ull << 32);
}

/* From an implementation in another language. A change here is a change of the format. */
TEST(geometry_hash_is_frozen)
{
	static const struct { u64 in, out; } mix[] = {
		{ 0, 0 },
		{ 1, 0xb456bcfc34c2cb2cull },
		{ 2, 0x3abf2a20650683e7ull },
		{ 0xdeadbeefull, 0xd24bd59f862a1dacull },
		{ 1ull << 32, 0xba3a9e160a5f1419ull },
		{ (1ull << 43) - 1, 0xb9428d7b027e3942ull },
		{ ~0ull, 0x64b5720b4b825f21ull },
	};
	static const struct { u64 block; u8 shift; u32 sets, set; } place[] = {
		{ 0, 4, 1, 0 }, { 15, 4, 1000, 0 }, { 16, 4, 1000, 704 }, { 16, 0, 1000, 372 },
		{ 123456789, 4, 18, 8 }, { 1ull << 42, 4, 4294967295u, 3865627980u },
		{ (1ull << 43) - 1, 11, 8388608, 6699254 },
	};
	u32 i;

	for (i = 0; i < sizeof(mix) / sizeof(mix[0]); i++)
		CHECK_EQ(fc_mix64(mix[i].in), mix[i].out);
	for (i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
		struct fc_geo geo = { .cluster_shift = place[i].shift, .nr_sets = place[i].sets };
		u64 hash = fc_geo_hash(&geo, (struct fc_oblock){ place[i].block });

		CHECK_EQ(fc_geo_set(&geo, hash), place[i].set);
	}
}

TEST(geometry_sets_are_used_evenly)
{
	struct fc_geo geo = { .cluster_shift = 4, .nr_sets = 100 };
	u32 count[100] = { 0 }, i;

	for (i = 0; i < 100000; i++)
		count[fc_geo_set(&geo, fc_geo_hash(&geo, (struct fc_oblock){ i * 16ull }))]++;
	for (i = 0; i < 100; i++)
		CHECK(count[i] > 850 && count[i] < 1150);
}

/* A run never leaves its cluster, so never its set, and is never longer than 16 blocks. */
TEST(geometry_runs_stay_in_their_set)
{
	static const u32 clusters[] = { 1, 4, 16, 64, 512 };
	u32 i, j;

	for (i = 0; i < 5; i++) {
		struct fc_geo_want want = plain();
		struct fc_geo geo;

		want.cluster_sectors = clusters[i] * 8;
		geo = made(want);
		for (j = 0; j < 2000; j++) {
			sector_t s = test_random() % geo.disk_sectors, end = fc_geo_run_end(&geo, s);
			struct fc_oblock b = fc_geo_block(&geo, s), last = fc_geo_block(&geo, end - 1);
			u32 most = clusters[i] < 16 ? clusters[i] : 16;

			CHECK(end > s);
			CHECK_EQ(end % 8, 0);
			CHECK(last.n - b.n < most);
			CHECK_EQ(fc_geo_hash(&geo, b), fc_geo_hash(&geo, last));
			CHECK(last.n - b.n == most - 1 || (last.n + 1) % clusters[i] == 0);
		}
	}
}

TEST(geometry_units)
{
	struct fc_geo geo = { .unit_shift = 0 };

	CHECK_EQ(fc_geo_units(&geo, 0, 8), 0xff);
	CHECK_EQ(fc_geo_units(&geo, 0, 16), 0xffff);
	CHECK_EQ(fc_geo_units(&geo, 3, 4), 0x8);
	CHECK_EQ(fc_geo_units(&geo, 15, 16), 0x8000);
	geo.unit_shift = 3;
	CHECK_EQ(fc_geo_units(&geo, 0, 128), 0xffff);
	CHECK_EQ(fc_geo_units(&geo, 7, 9), 0x3);
	CHECK_EQ(fc_geo_units(&geo, 8, 16), 0x2);
	CHECK_EQ(fc_geo_units(&geo, 127, 128), 0x8000);
	CHECK_EQ(fc_geo_units(&geo, 9, 10), 0x2);
}

/* The bar is 20 bytes a slot, all in, at the default associativity. */
TEST(geometry_memory)
{
	struct fc_geo geo = made(plain());
	u32 assoc;

	CHECK_EQ(sizeof(struct fc_slot), 16);
	CHECK(fc_set_bytes(512) <= 512 * 20);
	CHECK(fc_geo_memory(&geo) <= geo.nr_slots * 20);
	CHECK(fc_geo_memory(&geo) >= geo.nr_slots * 16);
	for (assoc = 256; assoc <= 8192; assoc *= 2) {
		CHECK_EQ(fc_set_bytes(assoc) % 64, 0);
		CHECK(fc_set_bytes(assoc) <= assoc * 20u);
	}
}
