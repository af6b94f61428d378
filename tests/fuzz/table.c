// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of table blocks and their entries.
 *
 * Input: the rig, a byte for each table block (how its head is), entries (place and 16 bytes each),
 * requests to the loaded core.
 */
#include "fixture.h"
#include "rig.h"

#define MAX_BLOCKS	16
#define MAX_ENTRIES	256

static union fuzz_block blocks[MAX_BLOCKS];

/* Most heads are right; the others have another index, or a wrong CRC. */
static void seal_blocks(const struct rig *rig, struct fuzz_in *in)
{
	u64 i;

	for (i = 0; i < rig->sb.geo.table_blocks; i++) {
		u8 how = fuzz_u8(in);

		blocks[i].table.index = cpu_to_le64(how & 0x80 ? how & 3 : i);
		blocks[i].table.gen = cpu_to_le64(how & 0x40 ? ~0ull - how : rig->sb.table_gen);
		fuzz_seal(rig->sb.seed, &blocks[i]);
		if ((how & 0x30) == 0x30)
			blocks[i].table.crc ^= cpu_to_le32(1u << (how & 15));
	}
}

static void put_entries(const struct rig *rig, struct fuzz_in *in)
{
	u16 nr = fuzz_u16(in) % (MAX_ENTRIES + 1);

	while (in->left && nr--) {
		u64 at = fuzz_u16(in) % (rig->sb.geo.table_blocks * FCD_TABLE_ENTRIES);
		u8 *to = blocks[at / FCD_TABLE_ENTRIES].bytes + sizeof(struct fcd_table_head) +
			 at % FCD_TABLE_ENTRIES * sizeof(struct fcd_table_entry);

		fuzz_bytes(in, to, sizeof(struct fcd_table_entry));
	}
}

/* What was read is written again in the same bytes, as far as they mean anything. */
static void check_again(const union fuzz_block *block, u32 i, const struct fc_entry *entry)
{
	static union fuzz_block again;
	const struct fcd_table_entry *a, *b;

	fc_table_put(&again, i, entry);
	a = (const void *)(block->bytes + sizeof(struct fcd_table_head));
	b = (const void *)(again.bytes + sizeof(struct fcd_table_head));
	CHECK(!memcmp(a[i].block, b[i].block, sizeof(a->block)));
	CHECK(a[i].valid == b[i].valid && a[i].dirty == b[i].dirty && a[i].flags == b[i].flags);
}

/* Return: false when the block has something impossible. */
static bool load_block(struct rig *rig, u64 index)
{
	const union fuzz_block *block = &blocks[index];
	struct fc_entry entry;
	u32 i;

	for (i = 0; i < FCD_TABLE_ENTRIES; i++) {
		if (!fc_table_get(&rig->sb, block, i, &entry))
			return false;
		check_again(block, i, &entry);
		if (entry.valid)
			rig_load(rig, (struct fc_slotno){ index * FCD_TABLE_ENTRIES + i }, &entry);
	}
	return true;
}

static bool good_head(const struct rig *rig, u64 index)
{
	const union fuzz_block *block = &blocks[index];
	enum fc_found found;
	bool right;
	u64 gen;
	u32 crc;

	found = fc_table_open(&rig->sb, block, index, &gen, &crc);
	right = le32_to_cpu(block->table.crc) == fuzz_block_crc(rig->sb.seed, block) &&
		le64_to_cpu(block->table.index) == index;
	CHECK_EQ(found == FC_FOUND_GOOD, right);
	CHECK(!right || (gen == le64_to_cpu(block->table.gen) &&
			 crc == le32_to_cpu(block->table.crc)));
	return right;
}

/* A whole block is refused for what one of its entries is, or loaded as they are. */
static bool load_at_once(const struct rig *rig, struct fc_core *core, u64 index, bool possible)
{
	const char *why = fc_ledger_load_block(core, &blocks[index], index, rig->orderly);

	if (why && possible) {
		CHECK(rig->orderly && !strcmp(why, FC_LEDGER_DOUBLE));
		CHECK(rig_has_double(rig));
	}
	CHECK(why || possible);
	return !why;
}

void fuzz_one(struct fuzz_in *in)
{
	struct rig *rig = rig_new(in);
	struct fc_core *at_once = rig_zeroed(rig);
	struct fuzz_in heads;
	bool settled;
	u64 i;

	CHECK(rig->sb.geo.table_blocks <= MAX_BLOCKS);
	memset(blocks, 0, rig->sb.geo.table_blocks * sizeof(*blocks));
	heads = *in;
	for (i = 0; i < rig->sb.geo.table_blocks; i++)
		fuzz_u8(in);
	put_entries(rig, in);
	seal_blocks(rig, &heads);
	for (i = 0; i < rig->sb.geo.table_blocks; i++)
		if (!good_head(rig, i) || !load_at_once(rig, at_once, i, load_block(rig, i)))
			return;
	settled = rig_settle(rig);
	CHECK_EQ(rig->orderly || rig_put_together(at_once), settled);
	if (!settled)
		return;
	fc_check_same(at_once, &rig->core);
	rig_use(rig, in);
}
