// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of superblocks.
 *
 * Input: a byte that says how each copy is mended (two bits a copy), then the first 544 bytes of
 * each copy. What is accepted must be in range, must lie where docs/format.md says, and must be
 * written again as it was read; which copy counts must be as in "How a load decides".
 */
#include "desk.h"
#include "format.h"
#include "fuzz.h"
#include "flashcache/uapi.h"

#define USED	offsetof(struct fcd_super, reserved)

enum mend { RAW, SEALED, OURS, FITTED };

typedef unsigned __int128 wide;

/* Computes what follows from the sizes that were asked for, so that the rest is looked at. */
static void fit(struct fcd_super *raw)
{
	struct fc_geo_want want = {
		.block_sectors = le32_to_cpu(raw->block_sectors),
		.assoc = le32_to_cpu(raw->assoc),
		.cluster_sectors = (u64)le32_to_cpu(raw->cluster_blocks) *
				   le32_to_cpu(raw->block_sectors),
		.flash_sectors = le64_to_cpu(raw->flash_sectors),
		.disk_sectors = le64_to_cpu(raw->disk_sectors),
	};
	struct fc_geo geo;
	const char *why;

	if (fc_geo_init(&geo, &want, &why)) {
		CHECK(why && *why);
		return;
	}
	raw->nr_sets = cpu_to_le64(geo.nr_sets);
	raw->log_blocks = cpu_to_le64(geo.log_blocks);
	raw->table_blocks = cpu_to_le64(geo.table_blocks);
	raw->data_start = cpu_to_le64(geo.data_start);
}

static void read_copy(struct fuzz_in *in, union fuzz_block *block, enum mend mend)
{
	memset(block, 0, sizeof(*block));
	fuzz_bytes(in, block, USED);
	if (mend >= OURS) {
		memcpy(block->super.magic, FCD_MAGIC, FCD_MAGIC_LEN);
		block->super.format = cpu_to_le32(FCD_FORMAT);
	}
	if (mend == FITTED)
		fit(&block->super);
	if (mend >= SEALED)
		fuzz_seal(0, block);
}

/* As docs/format.md says it. */
static wide log_for(wide table)
{
	wide least = 4 * table < 1024 ? 4 * table : 1024;
	wide log = table < least ? least : table;

	return log < 64 ? 64 : log > 16384 ? 16384 : log;
}

static wide end_of(const struct fc_geo *geo, u64 sets)
{
	wide slots = (wide)sets * geo->assoc;
	wide table = (slots + 253) / 254;
	wide log = log_for(table);
	wide start = (8 * (2 + log + 2 * table) + 2047) / 2048 * 2048;

	return start + slots * geo->block_sectors;
}

static bool pow2_in(u64 n, u64 least, u64 most)
{
	return n >= least && n <= most && !(n & (n - 1));
}

static void check_sizes(const struct fc_geo *geo)
{
	u64 blocks = (geo->disk_sectors - 1) / geo->block_sectors;

	CHECK(pow2_in(geo->block_sectors, FC_BLOCK_MIN, FC_BLOCK_MAX));
	CHECK(pow2_in(geo->assoc, FC_ASSOC_MIN, FC_ASSOC_MAX));
	CHECK(geo->cluster_shift <= 11 && 1u << geo->cluster_shift <= geo->assoc);
	CHECK(geo->nr_sets && geo->nr_slots == (u64)geo->nr_sets * geo->assoc);
	CHECK(end_of(geo, geo->nr_sets) <= geo->flash_sectors);
	CHECK(end_of(geo, (u64)geo->nr_sets + 1) > geo->flash_sectors);
	CHECK(geo->nr_slots >> FC_SLOT_BITS == 0);
	CHECK(geo->disk_sectors && blocks >> FC_BLOCK_BITS == 0);
	/* Half a per cent of the flash, and what a small cache needs anyhow. */
	CHECK(fc_geo_memory(geo) <= geo->flash_sectors * 512 / 190 + 4096);
}

/* No place may lie outside of its part of the flash. */
static void check_places(const struct fc_geo *geo)
{
	u64 log_end = 8 * (2 + geo->log_blocks), table = 8 * geo->table_blocks;
	struct fc_slotno last = { geo->nr_slots - 1 };
	u64 probe;

	for (probe = 1; probe; probe <<= 7) {
		struct fc_oblock b = { probe & ((1ull << FC_BLOCK_BITS) - 1) };

		CHECK(fc_geo_log_sector(geo, probe) >= 16);
		CHECK(fc_geo_log_sector(geo, ~probe) + 8 <= log_end);
		CHECK(fc_geo_set(geo, fc_geo_hash(geo, b)) < geo->nr_sets);
	}
	CHECK(fc_geo_table_sector(geo, 0, 0) == log_end);
	CHECK(fc_geo_table_sector(geo, 1, 0) == log_end + table);
	CHECK(fc_geo_table_sector(geo, 1, geo->table_blocks - 1) + 8 <= geo->data_start);
	CHECK(fc_geo_slot_sector(geo, last) + geo->block_sectors <= geo->flash_sectors);
}

/* Zero stands for the default, or it is one more than a value in range. */
static void check_setting(const struct fc_super *sb, int kept, u32 least, u32 most)
{
	u32 stored = kept > 0 ? sb->settings[kept - 1] : 0;

	CHECK(!stored || (stored > least && stored <= most + 1));
}

static void check_good(const struct fc_super *sb, const union fuzz_block *block)
{
	union fuzz_block again, expected = *block;
	struct fc_super twice;

	check_sizes(&sb->geo);
	check_places(&sb->geo);
	CHECK(sb->state == FCD_STATE_RUNNING || sb->state == FCD_STATE_ORDERLY);
	CHECK(sb->mode >= FC_MODE_WRITEBACK && sb->mode <= FC_MODE_WRITEAROUND);
	CHECK(sb->policy <= FC_POLICY_S3FIFO);
	CHECK(sb->dirty_thresh_pct >= FC_DIRTY_THRESH_MIN &&
	      sb->dirty_thresh_pct <= FC_DIRTY_THRESH_MAX);
	CHECK(sb->skip_seq_thresh_kb <= FC_SKIP_SEQ_MAX && sb->fallow_delay <= FC_FALLOW_DELAY_MAX);
#define CHECK_SETTING(name, standard, least, most, kept, help)				\
	check_setting(sb, kept, least, most);
	FC_TUNABLES(CHECK_SETTING)
#undef CHECK_SETTING
	CHECK(!(sb->seq >> 63) && !(sb->tail_seq >> 63) && !(sb->table_gen >> 63));
	CHECK(strnlen(sb->name, sizeof(sb->name)) < sizeof(sb->name));
	CHECK(strnlen(sb->disk_id, sizeof(sb->disk_id)) < sizeof(sb->disk_id));
	fc_super_encode(sb, &again.super);
	memset(expected.super.reserved, 0, sizeof(expected.super.reserved));
	fuzz_seal(0, &expected);
	CHECK(!memcmp(&again, &expected, sizeof(again)));
	CHECK_EQ(fc_super_decode(&twice, &again.super), FC_FOUND_GOOD);
	CHECK(!memcmp(&twice.geo, &sb->geo, sizeof(twice.geo)));
}

static enum fc_found decode(struct fc_super *sb, const union fuzz_block *block)
{
	enum fc_found found = fc_super_decode(sb, &block->super);

	if (memcmp(block->super.magic, FCD_MAGIC, FCD_MAGIC_LEN))
		CHECK_EQ(found, FC_FOUND_NOTHING);
	else if (le32_to_cpu(block->super.crc) != fuzz_block_crc(0, block))
		CHECK_EQ(found, FC_FOUND_DAMAGED);
	else if (le32_to_cpu(block->super.format) != FCD_FORMAT)
		CHECK_EQ(found, FC_FOUND_NEWER);
	else
		CHECK(found == FC_FOUND_GOOD || found == FC_FOUND_DAMAGED);
	if (found == FC_FOUND_GOOD)
		check_good(sb, block);
	return found;
}

void fuzz_one(struct fuzz_in *in)
{
	static union fuzz_block blocks[2];
	struct fc_super sb[2], best;
	enum fc_found found[2];
	u8 mends = fuzz_u8(in);
	const char *why;
	bool none;
	u32 i, good;

	for (i = 0; i < 2; i++) {
		read_copy(in, &blocks[i], mends >> 2 * i & 3);
		found[i] = decode(&sb[i], &blocks[i]);
	}
	why = fc_super_pick(&best, &blocks[0], &blocks[1], &none);
	good = (found[0] == FC_FOUND_GOOD) + (found[1] == FC_FOUND_GOOD);
	CHECK_EQ(none, found[0] == FC_FOUND_NOTHING && found[1] == FC_FOUND_NOTHING);
	CHECK_EQ(!why, good && found[0] != FC_FOUND_NEWER && found[1] != FC_FOUND_NEWER);
	if (why) {
		CHECK(*why);
		return;
	}
	i = found[1] == FC_FOUND_GOOD && (good == 1 || sb[1].seq > sb[0].seq);
	CHECK(!memcmp(&best, &sb[i], sizeof(best)));
}
