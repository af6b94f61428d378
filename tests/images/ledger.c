// SPDX-License-Identifier: GPL-2.0
/*
 * fcimages: tables and logs.
 */
#include <stdio.h>

#include "images.h"

static struct image image;

static const char bad_entry[] = "the table has an impossible entry";
static const char bad_record[] = "the log has an impossible record";
static const char bad_table[] = "the table is damaged";
static const char other_table[] = "the table is not the one that the superblock names";
static const char twice[] = "two slots claim the same block";
static const char bad_log[] = "the log is damaged";
static const char newer_log[] = "the log is newer than the superblock";

#define LAST_BLOCK	((DISK_SECTORS - 1) / BLOCK_SECTORS)

/* --- what to work on -------------------------------------------------------------------------- */

static u64 block_of(const struct fcd_table_entry *e)
{
	u64 n = 0;
	int i;

	for (i = 5; i >= 0; i--)
		n = n << 8 | e->block[i];
	return n;
}

static void set_block(struct fcd_table_entry *e, u64 n)
{
	int i;

	for (i = 0; i < 6; i++)
		e->block[i] = (u8)(n >> 8 * i);
}

static u32 set_of(u64 block)
{
	return fc_geo_set(&image.sb.geo, fc_geo_hash(&image.sb.geo, (struct fc_oblock){ block }));
}

/* The first slot that holds something dirty, or clean, or nothing; @from: not below. */
static u64 find_slot(bool valid, bool dirty, u64 from)
{
	u64 slot;

	for (slot = from; slot < image.sb.geo.nr_slots; slot++) {
		const struct fcd_table_entry *e = image_entry(&image, slot);

		if (!!e->valid == valid && !!e->dirty == dirty)
			return slot;
	}
	printf("not ok - no slot of that kind: %d %d\n", valid, dirty);
	return 0;
}

/* --- entries ---------------------------------------------------------------------------------- */

/* image_table() finds a block by its CRC, so the block is sealed with the change in it. */
static void change_entry(const char *name, u64 slot, struct fcd_table_entry to,
			 const struct expect *expect)
{
	union block *block = image_table(&image, slot / FCD_TABLE_ENTRIES);

	*image_entry(&image, slot) = to;
	image_seal(&image, block);
	image_mend(&image);
	judge(name, &image, expect);
	image_copy(&image, &orderly);
}

static void impossible_entries(void)
{
	u64 slot, blocks[] = { LAST_BLOCK + 1, 1u << 20, (1ull << 43) - 1, (1ull << 48) - 1 };
	struct fcd_table_entry e;
	char name[96];
	size_t i;

	image_copy(&image, &orderly);
	slot = find_slot(true, true, 0);
	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		e = *image_entry(&image, slot);
		set_block(&e, blocks[i]);
		snprintf(name, sizeof(name), "table: block %llu", (unsigned long long)blocks[i]);
		change_entry(name, slot, e, &REFUSED(bad_entry));
	}
	e = *image_entry(&image, slot);
	set_block(&e, block_of(&e) ^ 1u << 4);
	while (set_of(block_of(&e)) == slot / ASSOC)
		set_block(&e, block_of(&e) + 16);
	change_entry("table: a block of another set", slot, e, &REFUSED(bad_entry));
	e = *image_entry(&image, slot);
	e.valid = cpu_to_le16(1);
	e.dirty = cpu_to_le16(3);
	change_entry("table: dirty where nothing is valid", slot, e, &REFUSED(bad_entry));
	e.valid = 0;
	change_entry("table: dirty in a free slot", slot, e, &REFUSED(bad_entry));
	e = *image_entry(&image, slot);
	e.valid = cpu_to_le16(0xffff);
	change_entry("table: units that blocks do not have", slot, e, &REFUSED(bad_entry));
	slot = image.sb.geo.nr_slots;
	set_block(&e, 0);
	change_entry("table: an entry behind the last slot", slot, e, &REFUSED(bad_entry));
}

/* The last block of the disk has five sectors. */
static void short_block(void)
{
	struct fcd_table_entry e;
	u64 slot = 0;

	image_copy(&image, &orderly);
	while (block_of(image_entry(&image, slot)) != LAST_BLOCK)
		slot++;
	e = *image_entry(&image, slot);
	e.valid = cpu_to_le16(0x3f);
	change_entry("table: a unit behind the end of the disk", slot, e, &REFUSED(bad_entry));
}

/* What means nothing does no harm. */
static void harmless_entries(void)
{
	struct fcd_table_entry e;
	u64 slot;

	image_copy(&image, &orderly);
	slot = find_slot(true, false, 0);
	e = *image_entry(&image, slot);
	e.flags = 0xff;
	e.reserved = 0xff;
	e.csum = cpu_to_le32(~0u);
	change_entry("table: all flags, a checksum", slot, e, &LOADS);
	e.valid = 0;
	change_entry("table: a block in a free slot", slot, e, &LOADS);
	e = *image_entry(&image, slot);
	e.valid = e.valid & cpu_to_le16(0x0f);
	change_entry("table: a clean block, half of it valid", slot, e, &LOADS);
}

/* A block once more, in a free slot of its set. */
static void double_case(const char *name, bool first_dirty, u16 second_dirty)
{
	struct fcd_table_entry e;
	u64 slot, other;

	image_copy(&image, &orderly);
	slot = find_slot(true, first_dirty, 0);
	other = find_slot(false, false, slot / ASSOC * ASSOC);
	if (other / ASSOC != slot / ASSOC)
		printf("not ok - %s: the set is full\n", name);
	e = *image_entry(&image, slot);
	e.dirty = cpu_to_le16(second_dirty) & e.valid;
	change_entry(name, other, e, &REFUSED(twice));
}

static void doubles(void)
{
	double_case("table: a block in two slots, both clean", false, 0);
	double_case("table: a block in two slots, one dirty", true, 0);
	double_case("table: a block in two slots, both dirty", true, 0xff);
}

/* --- table blocks ----------------------------------------------------------------------------- */

static union block *other_copy(union block *block)
{
	u64 n = image.sb.geo.table_blocks, first = 2 + image.sb.geo.log_blocks;
	u64 at = (u64)(block - image_block(&image, 0));

	return at < first + n ? block + n : block - n;
}

static void table_block(const char *name, const struct image *genuine, int what,
			const struct expect *expect)
{
	union block *block, *other;

	image_copy(&image, genuine);
	block = image_table(&image, 0);
	other = other_copy(block);
	switch (what) {
	case 0:	/* damage */
		block->bytes[200] ^= 1;
		break;
	case 1:	/* in both copies */
		block->bytes[200] ^= 1;
		other->bytes[200] ^= 1;
		break;
	case 2:	/* another place's number */
		block->table.index = cpu_to_le64(1);
		image_seal(&image, block);
		break;
	case 3:	/* a checkpoint that never ended, in the copy that does not count */
		*other = *block;
		other->table.gen = cpu_to_le64(image.sb.table_gen + 1);
		memset(other->bytes + 64, 0, 1000);
		image_seal(&image, other);
		break;
	case 4:	/* and in the one that does */
		block->table.gen = cpu_to_le64(image.sb.table_gen + 1);
		image_seal(&image, block);
		memset(other, 0, sizeof(*other));
		break;
	case 5:	/* both of the same generation, not alike */
		*other = *block;
		memset(other->bytes + 64, 0, 1000);
		image_seal(&image, other);
		break;
	case 6:	/* all of it from another cache */
		memset(block, 0, sizeof(*block));
		memset(other, 0, sizeof(*other));
		break;
	default:	/* an older one where the newest was */
		block->table.gen = 0;
		memset(block->bytes + 64, 0, 1000);
		image_seal(&image, block);
		break;
	}
	judge(name, &image, expect);
}

static void table_blocks(const char *kind, const struct image *genuine)
{
	static const struct { const char *name, *refused; } cases[] = {
		{ "damage to the copy that counts", "the table is" },
		{ "damage to both copies", bad_table },
		{ "another block's number", "the table is" },
		{ "remains of a checkpoint", NULL },
		{ "remains of a checkpoint, the copy that counts lost", bad_table },
		{ "two copies of the same generation", "" },
		{ "a blank table", bad_table },
		{ "an older block where the newest was", other_table },
	};
	char name[128];
	int i;

	for (i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "table, %s: %s", kind, cases[i].name);
		table_block(name, genuine, i, &REFUSED(cases[i].refused));
	}
}

void table_cases(void)
{
	impossible_entries();
	short_block();
	harmless_entries();
	doubles();
	table_blocks("after a crash", &crashed);
	table_blocks("after a stop", &orderly);
}

/* --- the log ---------------------------------------------------------------------------------- */

static void one_record(const char *name, u64 slot, u64 block, u16 dirty,
		       const struct expect *expect)
{
	struct fc_record rec = { { slot }, { block }, dirty, false };

	image_copy(&image, &crashed);
	image_commit(&image, &rec, 1, true);
	judge(name, &image, expect);
}

static void records(void)
{
	u64 mine, free_slot;

	image_copy(&image, &crashed);
	mine = (u64)set_of(0) * ASSOC + 3;
	one_record("log: slot 512 of 512", NR_SETS * ASSOC, 0, 1, &REFUSED(bad_record));
	one_record("log: slot 2^40 - 1", (1ull << 40) - 1, 0, 1, &REFUSED(bad_record));
	one_record("log: a slot of another set", mine ^ ASSOC, 0, 1, &REFUSED(bad_record));
	one_record("log: a block behind the disk", mine, LAST_BLOCK + 1, 1, &REFUSED(bad_record));
	one_record("log: block 2^48 - 1", mine, (1ull << 48) - 1, 1, &REFUSED(bad_record));
	one_record("log: units that blocks do not have", mine, 0, 0x100, &REFUSED(bad_record));
	one_record("log: a unit behind the end of the disk",
		   (u64)set_of(LAST_BLOCK) * ASSOC, LAST_BLOCK, 0x20, &REFUSED(bad_record));
	/* Freed although it was never used; the block may be anything that could be there. */
	image_copy(&image, &crashed);
	free_slot = (u64)set_of(500) * ASSOC + 255;
	one_record("log: a slot freed that is free", free_slot, 500, 0, &LOADS);
	one_record("log: a dirty block in a second slot", free_slot ^ (set_of(500) != set_of(100) ?
		   ASSOC : 0), 100, 1, &REFUSED(twice));
}

static void head_case(const char *name, int what, const struct expect *expect)
{
	struct fc_record rec = { { (u64)set_of(500) * ASSOC + 255 }, { 500 }, 0, false };
	union block *block;
	u64 end;

	image_copy(&image, &crashed);
	end = image_log_end(&image);
	block = image_log(&image, end);
	image_commit(&image, &rec, 1, true);
	switch (what) {
	case 0:
		block->log.nr = cpu_to_le32(FCD_LOG_RECS + 1);
		break;
	case 1:
		block->log.nr = cpu_to_le32(~0u);
		break;
	case 2:	/* the superblock of that time is lost */
		block->log.seq = cpu_to_le64(end + image.sb.geo.log_blocks);
		block->log.first = block->log.seq;
		break;
	case 3:
		block->log.seq = cpu_to_le64(~0ull);
		break;
	case 4:
		block->log.first = cpu_to_le64(end - 1);
		break;
	case 5:
		block->log.seq = cpu_to_le64(end - image.sb.geo.log_blocks);
		block->log.first = block->log.seq;
		break;
	case 6:
		block->log.flags = cpu_to_le32(~0u & ~FCD_LOG_LAST);
		break;
	default:
		block->log.flags = cpu_to_le32(~0u);
		break;
	}
	image_seal(&image, block);
	judge(name, &image, expect);
}

static void heads(void)
{
	head_case("log: 204 records in the last block", 0, &LOADS);
	head_case("log: 2^32 - 1 records in the last block", 1, &LOADS);
	head_case("log: a block of the next round", 2, &REFUSED(newer_log));
	head_case("log: a block of the end of time", 3, &REFUSED(newer_log));
	head_case("log: a block of a commit that began before", 4, &LOADS);
	head_case("log: a block of the round before", 5, &LOADS);
	head_case("log: a commit without its end", 6, &LOADS);
	head_case("log: all flags", 7, &LOADS);
}

/* Damage to a log block that others follow; the last commit is another matter. */
static void gaps(void)
{
	char name[96];
	u64 seq;

	for (seq = crashed.sb.tail_seq; seq < last_commit[1]; seq++) {
		bool last = seq >= last_commit[0];
		struct expect expect = last ? LOADS : REFUSED(bad_log);

		expect.serve = last ? SERVE_LAST : SERVE_NEWEST;
		image_copy(&image, &crashed);
		image_log(&image, seq)->bytes[100] ^= 4;
		snprintf(name, sizeof(name), "log: damage to block %llu of %llu",
			 (unsigned long long)(seq - crashed.sb.tail_seq),
			 (unsigned long long)(last_commit[1] - crashed.sb.tail_seq));
		judge(name, &image, &expect);
		image_copy(&image, &crashed);
		memset(image_log(&image, seq), 0, sizeof(union block));
		snprintf(name, sizeof(name), "log: block %llu is blank",
			 (unsigned long long)(seq - crashed.sb.tail_seq));
		judge(name, &image, &expect);
	}
}

/* All of the ring is full, and more. */
static void full_ring(u64 blocks, const struct expect *expect)
{
	struct fc_record rec = { { (u64)set_of(500) * ASSOC + 255 }, { 500 }, 0, false };
	char name[96];

	image_copy(&image, &crashed);
	while (image_log_end(&image) < image.sb.tail_seq + blocks)
		image_commit(&image, &rec, 1, true);
	snprintf(name, sizeof(name), "log: %llu blocks in a ring of 64",
		 (unsigned long long)blocks);
	judge(name, &image, expect);
}

/* A commit of @nr blocks, the last one with its mark or without. */
static void long_commit(const char *name, u32 nr, u32 without, const struct expect *expect)
{
	struct fc_record rec = { { (u64)set_of(0) * ASSOC + 255 }, { 0 }, 0, false };
	u64 end;
	u32 i;

	image_copy(&image, &crashed);
	end = image_log_end(&image);
	for (i = 0; i < nr; i++) {
		union block *block = image_log(&image, end + i);

		memset(block, 0, sizeof(*block));
		rec.dirty = 0;
		fc_log_put(block, 0, &rec);
		fc_log_seal(&image.sb, block, end + i, end, 1, i == nr - 1);
		if (i == without)
			memset(block, 0, sizeof(*block));
	}
	judge(name, &image, expect);
}

void log_cases(void)
{
	records();
	heads();
	gaps();
	full_ring(63, &LOADS);
	full_ring(64, &LOADS);
	long_commit("log: a commit of 32 blocks", 32, ~0u, &LOADS);
	long_commit("log: a commit of 33 blocks", 33, ~0u, &LOADS);
	long_commit("log: a commit without its first block", 3, 0, &LOADS);
	long_commit("log: a commit without its middle", 3, 1, &LOADS);
	long_commit("log: a commit without its last block", 3, 2, &LOADS);
}
