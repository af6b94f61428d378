// SPDX-License-Identifier: GPL-2.0
/*
 * What lies on the flash: round trips, damage, and numbers that a CRC does not make right.
 */
#include <stdlib.h>

#include "fixture.h"

/* The bytes at @p are these and no others. */
#define CHECK_BYTES(p, ...)							\
	do {									\
		static const u8 want_[] = { __VA_ARGS__ };			\
										\
		CHECK(!memcmp((p), want_, sizeof(want_)));			\
	} while (0)

static struct fc_super sample(void)
{
	struct fc_geo_want want = { .flash_sectors = 1u << 22, .disk_sectors = 8 * 100000 + 3 };
	struct fc_super sb = {
		.seq = 77, .seed = 0x12345678, .state = FCD_STATE_RUNNING,
		.mode = FC_MODE_WRITEBACK, .policy = FC_POLICY_S3FIFO,
		.flags = FCD_SUPER_FINGERPRINT,
		.tail_seq = 123456, .table_gen = 9, .table_sum = 0xfedcba9876543210ull,
		.disk_print = 0xdeadbeef, .dirty_thresh_pct = 20, .skip_seq_thresh_kb = 1024,
		.fallow_delay = 900, .name = "fc0", .disk_id = "ID_WWN=0x5000",
	};
	const char *why;
	u32 i;

	for (i = 0; i < sizeof(sb.uuid); i++)
		sb.uuid[i] = (u8)(i * 7 + 1);
	CHECK(!fc_geo_init(&sb.geo, &want, &why));
	return sb;
}

/* ---- CRC ------------------------------------------------------------------------------------- */

/* RFC 3720, appendix B.4, as Linux computes it: nothing is inverted. */
TEST(format_crc_of_the_rfc)
{
	u8 data[32];
	u32 i;

	memset(data, 0, 32);
	CHECK_EQ((u32)~crc32c(~0u, data, 32), 0x8a9136aa);
	memset(data, 0xff, 32);
	CHECK_EQ((u32)~crc32c(~0u, data, 32), 0x62a8ab43);
	for (i = 0; i < 32; i++)
		data[i] = (u8)i;
	CHECK_EQ((u32)~crc32c(~0u, data, 32), 0x46dd794e);
	CHECK_EQ((u32)~crc32c(~0u, "123456789", 9), 0xe3069283);
	CHECK_EQ(crc32c(crc32c(~0u, data, 10), data + 10, 22), crc32c(~0u, data, 32));
}

/* ---- superblock ------------------------------------------------------------------------------ */

/* Byte by byte, so that the format cannot drift. */
TEST(format_super_is_frozen)
{
	static struct fcd_super raw;
	const u8 *b = (const u8 *)&raw;
	struct fc_super sb = sample();

	fc_super_encode(&sb, &raw);
	CHECK_EQ(sizeof(raw), 4096);
	CHECK_BYTES(b + 4, 0x04, 0, 0, 0, 0x46, 0x4c, 0x41, 0x53, 0x48, 0x43, 0x41, 0x34, 0x4d, 0,
		    0, 0, 0, 0, 0, 0);
	CHECK(!memcmp(b + 24, sb.uuid, 16));
	CHECK_BYTES(b + 40, 0x78, 0x56, 0x34, 0x12, 0x01, 0, 0, 0, 0x01, 0, 0, 0, 0x02, 0, 0, 0,
		    0x01, 0, 0, 0);
	CHECK_BYTES(b + 60, 0x08, 0, 0, 0, 0, 0x02, 0, 0, 0x10, 0, 0, 0);
	CHECK_EQ(le64_to_cpu(raw.nr_sets), sb.geo.nr_sets);
	CHECK_EQ((const u8 *)&raw.nr_sets - b, 72);
	CHECK_EQ((const u8 *)&raw.data_start - b, 96);
	CHECK_EQ((const u8 *)&raw.tail_seq - b, 120);
	CHECK_EQ((const u8 *)&raw.disk_print - b, 144);
	CHECK_EQ(raw.name - b, 160);
	CHECK_EQ(raw.disk_id - b, 288);
	CHECK_EQ((const u8 *)raw.settings - b, 544);
	CHECK_EQ(raw.reserved - b, 800);
	CHECK_EQ(le32_to_cpu(raw.crc), crc32c(~0u, b + 4, 4092));
	CHECK_EQ(le32_to_cpu(raw.crc), 0xbe88fa32);
}

static void check_same(const struct fc_super *a, const struct fc_super *b)
{
	CHECK_EQ(a->seq, b->seq);
	CHECK(!memcmp(a->uuid, b->uuid, sizeof(a->uuid)));
	CHECK_EQ(a->seed, b->seed);
	CHECK_EQ(a->state, b->state);
	CHECK_EQ(a->mode, b->mode);
	CHECK_EQ(a->policy, b->policy);
	CHECK_EQ(a->flags, b->flags);
	CHECK(!memcmp(&a->geo, &b->geo, sizeof(a->geo)));
	CHECK_EQ(a->tail_seq, b->tail_seq);
	CHECK_EQ(a->table_gen, b->table_gen);
	CHECK_EQ(a->table_sum, b->table_sum);
	CHECK_EQ(a->disk_print, b->disk_print);
	CHECK_EQ(a->dirty_thresh_pct, b->dirty_thresh_pct);
	CHECK_EQ(a->skip_seq_thresh_kb, b->skip_seq_thresh_kb);
	CHECK_EQ(a->fallow_delay, b->fallow_delay);
	CHECK_STR(a->name, b->name);
	CHECK_STR(a->disk_id, b->disk_id);
	CHECK(!memcmp(a->settings, b->settings, sizeof(a->settings)));
}

TEST(format_super_round_trip)
{
	static struct fcd_super raw;
	u32 i;

	for (i = 0; i < 500; i++) {
		struct fc_super sb = sample(), back;
		struct fc_geo_want want = {
			.block_sectors = 8u << test_below(5),
			.assoc = 256u << test_below(6),
			.flash_sectors = (1u << 21) + (test_random() >> (22 + test_below(20))),
			.disk_sectors = 1 + (test_random() >> (18 + test_below(20))),
		};
		const char *why;

		want.cluster_sectors = want.block_sectors << test_below(9);
		if (test_chance(30))
			want.cache_sectors = want.flash_sectors - test_below(100000);
		if (fc_geo_init(&sb.geo, &want, &why))
			continue;
		sb.seq = test_random() >> 1;
		sb.state = 1 + test_below(2);
		sb.mode = 1 + test_below(3);
		sb.policy = test_below(3);
		fc_super_encode(&sb, &raw);
		CHECK_EQ(fc_super_decode(&back, &raw), FC_FOUND_GOOD);
		check_same(&sb, &back);
	}
}

/* No single damaged byte is overlooked. */
TEST(format_super_damage)
{
	static struct fcd_super raw;
	struct fc_super sb = sample(), back;
	u32 i;

	fc_super_encode(&sb, &raw);
	for (i = 0; i < sizeof(raw); i++) {
		u8 *b = (u8 *)&raw + i, old = *b;

		*b ^= (u8)(1u << test_below(8));
		CHECK(fc_super_decode(&back, &raw) != FC_FOUND_GOOD);
		*b = (u8)~old;
		CHECK_EQ(fc_super_decode(&back, &raw), i >= 8 && i < 16 ? FC_FOUND_NOTHING :
			 FC_FOUND_DAMAGED);
		*b = old;
	}
	CHECK_EQ(fc_super_decode(&back, &raw), FC_FOUND_GOOD);
}

static void reseal(struct fcd_super *raw)
{
	raw->crc = cpu_to_le32(crc32c(~0u, (const u8 *)raw + 4, 4092));
}

/* One wrong field under a right CRC. */
#define CRAFT(field, value)							\
	do {									\
		fc_super_encode(&sb, &raw);					\
		raw.field = (value);						\
		reseal(&raw);							\
		if (fc_super_decode(&back, &raw) != FC_FOUND_DAMAGED)		\
			test_fail(__FILE__, __LINE__, #field " " #value " was accepted"); \
	} while (0)

TEST(format_super_crafted)
{
	static struct fcd_super raw;
	struct fc_super sb = sample(), back;

	CRAFT(state, 0);
	CRAFT(state, cpu_to_le32(3));
	CRAFT(mode, 0);
	CRAFT(mode, cpu_to_le32(4));
	CRAFT(policy, cpu_to_le32(3));
	CRAFT(block_sectors, 0);
	CRAFT(block_sectors, cpu_to_le32(4));
	CRAFT(block_sectors, cpu_to_le32(12));
	CRAFT(block_sectors, cpu_to_le32(256));
	CRAFT(block_sectors, cpu_to_le32(16));
	CRAFT(block_sectors, cpu_to_le32(~0u));
	CRAFT(assoc, 0);
	CRAFT(assoc, cpu_to_le32(513));
	CRAFT(assoc, cpu_to_le32(1024));
	CRAFT(assoc, cpu_to_le32(~0u));
	CRAFT(cluster_blocks, 0);
	CRAFT(cluster_blocks, cpu_to_le32(3));
	CRAFT(cluster_blocks, cpu_to_le32(1024));
	CRAFT(cluster_blocks, cpu_to_le32(~0u));
	CRAFT(nr_sets, 0);
	CRAFT(nr_sets, cpu_to_le64(sb.geo.nr_sets + 1ull));
	CRAFT(nr_sets, cpu_to_le64(sb.geo.nr_sets + (1ull << 32)));
	CRAFT(log_blocks, 0);
	CRAFT(log_blocks, cpu_to_le64(~0ull));
	CRAFT(table_blocks, cpu_to_le64(sb.geo.table_blocks - 1));
	CRAFT(data_start, 0);
	CRAFT(data_start, cpu_to_le64(sb.geo.data_start + 8));
	CRAFT(flash_sectors, 0);
	CRAFT(flash_sectors, cpu_to_le64(~0ull));
	CRAFT(flash_sectors, cpu_to_le64(1ull << 40));
	CRAFT(disk_sectors, 0);
	CRAFT(disk_sectors, cpu_to_le64(~0ull));
	CRAFT(disk_sectors, cpu_to_le64((1ull << 46) + 1));
	CRAFT(tail_seq, cpu_to_le64(~0ull));
	CRAFT(table_gen, cpu_to_le64(1ull << 63));
	CRAFT(seq, cpu_to_le64(1ull << 63));
	CRAFT(dirty_thresh_pct, 0);
	CRAFT(dirty_thresh_pct, cpu_to_le32(96));
	CRAFT(skip_seq_thresh_kb, cpu_to_le32((1u << 30) + 1));
	CRAFT(fallow_delay, cpu_to_le32((1u << 20) + 1));
	CRAFT(name[FCD_NAME_LEN - 1], 'x');
	CRAFT(disk_id[FCD_ID_LEN - 1], 'x');
}

struct limits { int kept; u32 standard, least, most; };
#define LIMITS(name, standard, least, most, kept, help) { kept, standard, least, most },
static const struct limits settings[] = { FC_TUNABLES(LIMITS) };

/* A setting stored as @value is good, and comes back. */
static bool setting_fits(int place, u64 value)
{
	static struct fcd_super raw;
	struct fc_super sb = sample(), back;

	sb.settings[place - 1] = (u32)(value + 1);
	fc_super_encode(&sb, &raw);
	CHECK_EQ(le32_to_cpu(raw.settings[place - 1]), value + 1);
	if (fc_super_decode(&back, &raw) != FC_FOUND_GOOD)
		return false;
	check_same(&sb, &back);
	return true;
}

TEST(format_settings_within_their_limits)
{
	bool used[FCD_SETTINGS + 1] = { 0 };
	u32 i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const struct limits *s = &settings[i];

		CHECK(s->least <= s->standard && s->standard <= s->most && s->most < ~0u);
		CHECK(s->kept >= FC_KEPT_BY_NAME && s->kept <= FCD_SETTINGS);
		if (s->kept <= 0)
			continue;
		CHECK(!used[s->kept]);
		used[s->kept] = true;
		CHECK(setting_fits(s->kept, s->least));
		CHECK(setting_fits(s->kept, s->standard));
		CHECK(setting_fits(s->kept, s->most));
		CHECK(!setting_fits(s->kept, s->most + 1ull));
		if (s->least)
			CHECK(!setting_fits(s->kept, s->least - 1));
	}
	/* What a later version keeps is not ours to judge, nor to lose. */
	for (i = 1; i <= FCD_SETTINGS; i++)
		if (!used[i])
			CHECK(setting_fits((int)i, test_random() >> 33));
}

TEST(format_super_of_the_future)
{
	static struct fcd_super raw, good;
	struct fc_super sb = sample(), back;
	bool none;

	fc_super_encode(&sb, &raw);
	fc_super_encode(&sb, &good);
	raw.format = cpu_to_le32(5);
	reseal(&raw);
	CHECK_EQ(fc_super_decode(&back, &raw), FC_FOUND_NEWER);
	CHECK_HAS(fc_super_pick(&back, &raw, &good, &none), "does not know");
	CHECK(!none);
	CHECK_HAS(fc_super_pick(&back, &good, &raw, &none), "does not know");
	CHECK(!none);
}

static const char *pick(struct fc_super *sb, const struct fcd_super *a, const struct fcd_super *b,
			bool expect_none)
{
	bool none = !expect_none;
	const char *why = fc_super_pick(sb, a, b, &none);

	CHECK_EQ(none, expect_none);
	return why;
}

TEST(format_super_pick)
{
	static struct fcd_super old, new, blank, bad;
	struct fc_super sb = sample(), back;

	fc_super_encode(&sb, &old);
	sb.seq++;
	fc_super_encode(&sb, &new);
	bad = new;
	bad.crc ^= 1;
	CHECK(!pick(&back, &old, &new, false));
	CHECK_EQ(back.seq, 78);
	CHECK(!pick(&back, &new, &old, false));
	CHECK_EQ(back.seq, 78);
	CHECK(!pick(&back, &old, &bad, false));
	CHECK_EQ(back.seq, 77);
	CHECK(!pick(&back, &bad, &old, false));
	CHECK_EQ(back.seq, 77);
	CHECK(!pick(&back, &blank, &old, false));
	CHECK(!pick(&back, &old, &blank, false));
	CHECK_HAS(pick(&back, &blank, &blank, true), "no flashcache");
	CHECK_HAS(pick(&back, &bad, &bad, false), "damaged");
	CHECK_HAS(pick(&back, &blank, &bad, false), "damaged");
	CHECK_HAS(pick(&back, &bad, &blank, false), "damaged");
}

/* ---- log ------------------------------------------------------------------------------------- */

/* A record that may be: a slot of the block's set. */
static struct fc_record random_record(const struct fc_geo *geo)
{
	struct fc_oblock b = { test_random() % ((geo->disk_sectors - 1) / geo->block_sectors + 1) };
	u32 set = fc_geo_set(geo, fc_geo_hash(geo, b));

	return (struct fc_record){
		.slot = fc_geo_slot(geo, set, (u16)test_below(geo->assoc)),
		.block = b,
		.dirty = (u16)(test_random() & fc_geo_exists(geo, b)),
	};
}

TEST(format_log_is_frozen)
{
	static u8 block[4096] __attribute__((aligned(8)));
	struct fc_super sb = sample();
	struct fc_record rec = {
		.slot = { 0x0102030405ull },
		.block = { 0x0a0b0c0d0e0full },
		.dirty = 0x1234,
	};

	memset(block, 0, sizeof(block));
	fc_log_put(block, 1, &rec);
	fc_log_seal(&sb, block, 0x1122, 0x1121, 2, true);
	CHECK_EQ(FCD_LOG_RECS, 203);
	CHECK_BYTES(block + 4, 0x01, 0, 0, 0, 0x22, 0x11, 0, 0, 0, 0, 0, 0, 0x21, 0x11, 0, 0, 0,
		    0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0);
	CHECK_BYTES(block + 52, 0x05, 0x04, 0x03, 0x02, 0x01, 0, 0x0f, 0x0e, 0x0d, 0x0c, 0x0b,
		    0x0a, 0x34, 0x12, 0, 0, 0, 0, 0, 0);
	CHECK_EQ(le32_to_cpu(*(__le32 *)block), crc32c(~0x12345678u, block + 4, 4092));
}

TEST(format_log_round_trip)
{
	static u8 block[4096] __attribute__((aligned(8)));
	struct fc_record recs[FCD_LOG_RECS], back;
	struct fc_super sb = sample();
	u32 i, nr;
	bool last;

	memset(block, 0, sizeof(block));
	for (i = 0; i < FCD_LOG_RECS; i++) {
		recs[i] = random_record(&sb.geo);
		fc_log_put(block, i, &recs[i]);
	}
	fc_log_seal(&sb, block, 1000, 998, FCD_LOG_RECS, false);
	CHECK_EQ(fc_log_open(&sb, block, 1000, 998, &nr, &last), FC_FOUND_GOOD);
	CHECK_EQ(nr, FCD_LOG_RECS);
	CHECK(!last);
	for (i = 0; i < nr; i++) {
		CHECK(fc_log_get(&sb, block, i, &back));
		CHECK_EQ(back.slot.n, recs[i].slot.n);
		CHECK_EQ(back.block.n, recs[i].block.n);
		CHECK_EQ(back.dirty, recs[i].dirty);
	}
	fc_log_seal(&sb, block, 1000, 1000, 0, true);
	CHECK_EQ(fc_log_open(&sb, block, 1000, 1000, &nr, &last), FC_FOUND_GOOD);
	CHECK(last && !nr);
}

/* Another place, another commit, another cache: not ours. */
TEST(format_log_of_others)
{
	static u8 block[4096] __attribute__((aligned(8)));
	struct fc_super sb = sample(), other = sample();
	u32 nr;
	bool last;

	memset(block, 0, sizeof(block));
	fc_log_seal(&sb, block, 1000, 998, 3, false);
	CHECK_EQ(fc_log_open(&sb, block, 1000 + sb.geo.log_blocks, 998, &nr, &last),
		 FC_FOUND_NOTHING);
	CHECK_EQ(fc_log_open(&sb, block, 1000, 1000, &nr, &last), FC_FOUND_NOTHING);
	other.seed++;
	CHECK_EQ(fc_log_open(&other, block, 1000, 998, &nr, &last), FC_FOUND_NOTHING);
	CHECK_EQ(fc_log_open(&sb, block, 1000, 998, &nr, &last), FC_FOUND_GOOD);
}

/* A later round of the ring: the superblock that led here cannot be the latest. */
TEST(format_log_of_the_future)
{
	static u8 block[4096] __attribute__((aligned(8)));
	struct fc_super sb = sample();
	u64 first;
	u32 nr;
	bool last;

	memset(block, 0, sizeof(block));
	fc_log_seal(&sb, block, 100000, 99998, 3, false);
	CHECK_EQ(fc_log_open(&sb, block, 99999, 99998, &nr, &last), FC_FOUND_NEWER);
	CHECK_EQ(fc_log_open(&sb, block, 100000 - sb.geo.log_blocks, 7, &nr, &last),
		 FC_FOUND_NEWER);
	CHECK(fc_log_peek(&sb, block, &first));
	CHECK_EQ(first, 99998);
	block[100] ^= 1;
	CHECK(!fc_log_peek(&sb, block, &first));
	CHECK_EQ(fc_log_open(&sb, block, 99999, 99998, &nr, &last), FC_FOUND_NOTHING);
}

TEST(format_log_damage)
{
	static u8 block[4096] __attribute__((aligned(8)));
	struct fc_super sb = sample();
	u32 i, nr;
	bool last;

	memset(block, 0, sizeof(block));
	for (i = 0; i < 100; i++) {
		struct fc_record rec = random_record(&sb.geo);

		fc_log_put(block, i, &rec);
	}
	fc_log_seal(&sb, block, 5, 5, 100, true);
	for (i = 0; i < sizeof(block); i++) {
		u8 old = block[i];

		block[i] ^= (u8)(1u << test_below(8));
		CHECK(fc_log_open(&sb, block, 5, 5, &nr, &last) != FC_FOUND_GOOD);
		block[i] = (u8)~old;
		CHECK(fc_log_open(&sb, block, 5, 5, &nr, &last) != FC_FOUND_GOOD);
		block[i] = old;
	}
	/* torn at a sector: the rest from an earlier round of the ring */
	for (i = 512; i < sizeof(block); i += 512) {
		u8 torn[4096] __attribute__((aligned(8)));

		memcpy(torn, block, sizeof(torn));
		memset(torn + i, 0, sizeof(torn) - i);
		if (memcmp(torn, block, sizeof(torn)))
			CHECK(fc_log_open(&sb, torn, 5, 5, &nr, &last) != FC_FOUND_GOOD);
	}
}

TEST(format_zero_block_is_not_good)
{
	static u8 block[4096] __attribute__((aligned(8)));
	struct fc_super sb = sample();
	u32 nr, crc;
	u64 gen;
	bool last;

	memset(block, 0, sizeof(block));
	CHECK(fc_log_open(&sb, block, 0, 0, &nr, &last) != FC_FOUND_GOOD);
	CHECK(fc_table_open(&sb, block, 0, &gen, &crc) != FC_FOUND_GOOD);
	CHECK_EQ(fc_super_decode(&sb, (struct fcd_super *)block), FC_FOUND_NOTHING);
}

TEST(format_log_too_many_records)
{
	static u8 block[4096] __attribute__((aligned(8)));
	struct fc_super sb = sample();
	u32 nr;
	bool last;

	memset(block, 0, sizeof(block));
	fc_log_seal(&sb, block, 5, 5, FCD_LOG_RECS + 1, true);
	CHECK_EQ(fc_log_open(&sb, block, 5, 5, &nr, &last), FC_FOUND_DAMAGED);
	fc_log_seal(&sb, block, 5, 5, ~0u, true);
	CHECK_EQ(fc_log_open(&sb, block, 5, 5, &nr, &last), FC_FOUND_DAMAGED);
}

static bool log_accepts(const struct fc_super *sb, struct fc_record rec)
{
	static u8 block[4096] __attribute__((aligned(8)));
	u32 nr;
	bool last;

	memset(block, 0, sizeof(block));
	fc_log_put(block, 0, &rec);
	fc_log_seal(sb, block, 5, 5, 1, true);
	CHECK_EQ(fc_log_open(sb, block, 5, 5, &nr, &last), FC_FOUND_GOOD);
	return fc_log_get(sb, block, 0, &rec);
}

TEST(format_log_refuses_the_impossible)
{
	struct fc_super sb = sample();
	struct fc_record rec = random_record(&sb.geo), bad;

	rec.block.n = 100000;		/* the short last block: three sectors */
	rec.slot = fc_geo_slot(&sb.geo, fc_geo_set(&sb.geo, fc_geo_hash(&sb.geo, rec.block)), 7);
	rec.dirty = 0x7;
	CHECK(log_accepts(&sb, rec));
	bad = rec;
	bad.dirty = 0xf;		/* behind the end of the disk */
	CHECK(!log_accepts(&sb, bad));
	bad = rec;
	bad.dirty = 0x100;
	CHECK(!log_accepts(&sb, bad));
	bad = rec;
	bad.block.n = 100001;
	CHECK(!log_accepts(&sb, bad));
	bad.block.n = (1ull << 48) - 1;
	CHECK(!log_accepts(&sb, bad));
	bad = rec;
	bad.slot.n ^= sb.geo.assoc;	/* another set */
	CHECK(!log_accepts(&sb, bad));
	bad.slot.n = sb.geo.nr_slots;
	CHECK(!log_accepts(&sb, bad));
	bad.slot.n = (1ull << 40) - 1;
	CHECK(!log_accepts(&sb, bad));
}

/* ---- table ----------------------------------------------------------------------------------- */

static struct fc_entry random_entry(const struct fc_geo *geo, u64 slot)
{
	struct fc_entry e = { 0 };
	u32 set = (u32)(slot / geo->assoc);

	if (test_chance(20))
		return e;
	do {
		e.block.n = test_below((u32)((geo->disk_sectors - 1) / geo->block_sectors + 1));
	} while (fc_geo_set(geo, fc_geo_hash(geo, e.block)) != set);
	e.valid = (u16)(test_random() & fc_geo_exists(geo, e.block));
	if (!e.valid)
		e.valid = 1;
	e.dirty = (u16)(test_random() & e.valid);
	e.flags = (u8)test_below(8);
	return e;
}

TEST(format_table_is_frozen)
{
	static u8 block[4096] __attribute__((aligned(8)));
	struct fc_super sb = sample();
	struct fc_entry e = { { 0x0a0b0c0d0e0full }, 0x1234, 0x1230, 0x05 };

	memset(block, 0, sizeof(block));
	fc_table_put(block, 1, &e);
	CHECK_EQ(FCD_TABLE_ENTRIES, 254);
	CHECK_EQ(fc_table_seal(&sb, block, 0x55, 0x66), le32_to_cpu(*(__le32 *)block));
	CHECK_BYTES(block + 8, 0x55, 0, 0, 0, 0, 0, 0, 0, 0x66, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 0);
	CHECK_BYTES(block + 48, 0x0f, 0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0x05, 0, 0x34, 0x12, 0x30,
		    0x12, 0, 0, 0, 0);
	CHECK_EQ(le32_to_cpu(*(__le32 *)block), crc32c(~0x12345678u, block + 4, 4092));
}

TEST(format_table_round_trip)
{
	static u8 block[4096] __attribute__((aligned(8)));
	struct fc_super sb = sample();
	struct fc_entry entries[FCD_TABLE_ENTRIES], back;
	u32 i, crc, found;
	u64 gen;

	memset(block, 0, sizeof(block));
	for (i = 0; i < FCD_TABLE_ENTRIES; i++) {
		entries[i] = random_entry(&sb.geo, 3 * FCD_TABLE_ENTRIES + i);
		fc_table_put(block, i, &entries[i]);
	}
	crc = fc_table_seal(&sb, block, 3, 41);
	CHECK_EQ(fc_table_open(&sb, block, 3, &gen, &found), FC_FOUND_GOOD);
	CHECK_EQ(gen, 41);
	CHECK_EQ(found, crc);
	for (i = 0; i < FCD_TABLE_ENTRIES; i++) {
		CHECK(fc_table_get(&sb, block, i, &back));
		CHECK_EQ(back.block.n, entries[i].block.n);
		CHECK_EQ(back.valid, entries[i].valid);
		CHECK_EQ(back.dirty, entries[i].dirty);
		CHECK_EQ(back.flags, entries[i].flags);
	}
	CHECK_EQ(fc_table_open(&sb, block, 4, &gen, &found), FC_FOUND_NOTHING);
	sb.seed++;
	CHECK_EQ(fc_table_open(&sb, block, 3, &gen, &found), FC_FOUND_NOTHING);
}

TEST(format_table_damage)
{
	static u8 block[4096] __attribute__((aligned(8)));
	struct fc_super sb = sample();
	u32 i, crc;
	u64 gen;

	memset(block, 0, sizeof(block));
	for (i = 0; i < FCD_TABLE_ENTRIES; i++) {
		struct fc_entry e = random_entry(&sb.geo, i);

		fc_table_put(block, i, &e);
	}
	fc_table_seal(&sb, block, 0, 41);
	for (i = 0; i < sizeof(block); i++) {
		u8 old = block[i];

		block[i] ^= (u8)(1u << test_below(8));
		CHECK(fc_table_open(&sb, block, 0, &gen, &crc) != FC_FOUND_GOOD);
		block[i] = (u8)~old;
		CHECK(fc_table_open(&sb, block, 0, &gen, &crc) != FC_FOUND_GOOD);
		block[i] = old;
	}
	CHECK_EQ(fc_table_open(&sb, block, 0, &gen, &crc), FC_FOUND_GOOD);
}

static bool table_accepts(const struct fc_super *sb, u64 index, u32 at, struct fc_entry e)
{
	static u8 block[4096] __attribute__((aligned(8)));
	u64 gen;
	u32 crc;

	memset(block, 0, sizeof(block));
	fc_table_put(block, at, &e);
	fc_table_seal(sb, block, index, 1);
	CHECK_EQ(fc_table_open(sb, block, index, &gen, &crc), FC_FOUND_GOOD);
	return fc_table_get(sb, block, at, &e);
}

TEST(format_table_refuses_the_impossible)
{
	struct fc_super sb = sample();
	struct fc_oblock last = { 100000 };
	u64 slot = fc_geo_slot(&sb.geo, fc_geo_set(&sb.geo, fc_geo_hash(&sb.geo, last)), 7).n;
	u64 index = slot / FCD_TABLE_ENTRIES;
	u32 at = (u32)(slot % FCD_TABLE_ENTRIES);
	struct fc_entry e = { last, 0x7, 0x5, 0 }, bad;

	CHECK(table_accepts(&sb, index, at, e));
	bad = e;
	bad.valid = 0xf;		/* behind the end of the disk */
	CHECK(!table_accepts(&sb, index, at, bad));
	bad = e;
	bad.valid = 0x107;
	CHECK(!table_accepts(&sb, index, at, bad));
	bad = e;
	bad.valid = 0x6;		/* dirty, but not valid */
	CHECK(!table_accepts(&sb, index, at, bad));
	bad = e;
	bad.valid = 0;
	CHECK(!table_accepts(&sb, index, at, bad));
	bad.dirty = 0;
	CHECK(table_accepts(&sb, index, at, bad));
	bad = e;
	bad.block.n++;
	CHECK(!table_accepts(&sb, index, at, bad));
	bad.block.n = (1ull << 48) - 1;
	CHECK(!table_accepts(&sb, index, at, bad));
	CHECK(!table_accepts(&sb, index ^ 8, at, e));
	/* an entry behind the last slot */
	CHECK(!table_accepts(&sb, sb.geo.table_blocks, at, e));
	bad = (struct fc_entry){ { 0 }, 1, 0, 0 };
	CHECK(!table_accepts(&sb, sb.geo.nr_slots / FCD_TABLE_ENTRIES,
			     (u32)(sb.geo.nr_slots % FCD_TABLE_ENTRIES), bad));
}
