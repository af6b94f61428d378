// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the log: blocks, commits, records.
 *
 * Input: the rig, a few table entries that are right, log blocks (head, records of 20 bytes each),
 * requests to the loaded core. The log is read back as docs/format.md says.
 */
#include "rig.h"

#define RING		64u
#define MAX_BLOCKS	40
#define MAX_ENTRIES	32
#define COMMIT_BLOCKS	32u

static union fuzz_block ring[RING];
static bool used[RING];

/* An entry that the table may have: the way is the input's, the set is the block's. */
static void load_entry(struct rig *rig, struct fuzz_in *in)
{
	const struct fc_geo *geo = &rig->sb.geo;
	u64 blocks = (geo->disk_sectors - 1) / geo->block_sectors + 1;
	struct fc_oblock b = { fuzz_u16(in) % blocks };
	u16 way = fuzz_u16(in) % geo->assoc, units = fuzz_u16(in);
	struct fc_slotno slot = fc_geo_slot(geo, fc_geo_set(geo, fc_geo_hash(geo, b)), way);
	struct fc_entry entry = { b, units, fuzz_u16(in) & units, fuzz_u8(in) };
	static union fuzz_block block;

	memset(&block, 0, sizeof(block));
	block.table.index = cpu_to_le64(slot.n / FCD_TABLE_ENTRIES);
	fc_table_put(&block, slot.n % FCD_TABLE_ENTRIES, &entry);
	if (fc_table_get(&rig->sb, &block, slot.n % FCD_TABLE_ENTRIES, &entry) && entry.valid)
		rig_load(rig, slot, &entry);
}

/* A record: raw, or one whose slot fits its block, so that more than the check is reached. */
static void put_record(const struct rig *rig, struct fuzz_in *in, union fuzz_block *block, u32 i)
{
	const struct fc_geo *geo = &rig->sb.geo;
	u8 *to = block->bytes + sizeof(struct fcd_log_head) + i * sizeof(struct fcd_log_rec);
	struct fc_record rec;

	if (!(fuzz_u8(in) & 1)) {
		fuzz_bytes(in, to, sizeof(struct fcd_log_rec));
		return;
	}
	rec.block.n = fuzz_u16(in);
	rec.slot = fc_geo_slot(geo, fc_geo_set(geo, fc_geo_hash(geo, rec.block)),
			       fuzz_u16(in) % geo->assoc);
	rec.dirty = fuzz_u16(in);
	fc_log_put(block, i, &rec);
}

/* Head: place and commit relative to what is due, flags, number of records. */
static void put_block(const struct rig *rig, struct fuzz_in *in, u64 *seq, u64 *first)
{
	u8 how = fuzz_u8(in);
	u64 place = *seq + (how & 0x80 ? (u64)(signed char)fuzz_u8(in) : 0);
	union fuzz_block *block = &ring[place % RING];
	u32 nr = fuzz_u8(in), i;

	used[place % RING] = true;
	memset(block, 0, sizeof(*block));
	for (i = 0; i < nr && i < FCD_LOG_RECS && in->left; i++)
		put_record(rig, in, block, i);
	if (!(how & 0x40))
		nr = i;
	fc_log_seal(&rig->sb, block, place, *first + (how & 0x20 ? fuzz_u8(in) : 0), nr, how & 1);
	if ((how & 0x1e) == 0x1e)
		block->log.crc ^= cpu_to_le32(how);
	*seq = place + 1;
	if (how & 1)
		*first = *seq;
}

/* The blocks of the commit at @first, or 0; @newer: the log is newer than the superblock. */
static u32 find_commit(const struct rig *rig, u64 first, u32 *nr, bool *newer)
{
	bool last = false;
	u32 i;

	*newer = false;
	for (i = 0; i < COMMIT_BLOCKS && !last; i++) {
		const union fuzz_block *block = &ring[(first + i) % RING];
		enum fc_found found = fc_log_open(&rig->sb, block, first + i, first, &nr[i], &last);

		*newer = found == FC_FOUND_NEWER;
		if (found != FC_FOUND_GOOD)
			return 0;
		CHECK(nr[i] <= FCD_LOG_RECS);
	}
	return last ? i : 0;
}

static bool apply(struct rig *rig, u64 first, u32 blocks, const u32 *nr)
{
	struct fc_record rec;
	u32 i, k;

	for (i = 0; i < blocks; i++) {
		for (k = 0; k < nr[i]; k++) {
			if (!fc_log_get(&rig->sb, &ring[(first + i) % RING], k, &rec))
				return false;
			rig_replay(rig, &rec);
		}
	}
	return true;
}

static bool replay(struct rig *rig)
{
	u64 seq = rig->sb.tail_seq, first;
	u32 nr[COMMIT_BLOCKS], blocks, i;
	bool newer;

	while (seq - rig->sb.tail_seq < RING) {
		blocks = find_commit(rig, seq, nr, &newer);
		if (newer)
			return false;
		if (!blocks)
			break;
		if (!apply(rig, seq, blocks, nr))
			return false;
		seq += blocks;
	}
	for (i = 0; i < RING; i++)
		if (used[i] && fc_log_peek(&rig->sb, &ring[i], &first) && first > seq)
			return false;
	return true;
}

/* Only what the input before this one has left. */
static void clear_ring(void)
{
	u32 i;

	for (i = 0; i < RING; i++)
		if (used[i])
			memset(&ring[i], 0, sizeof(ring[i]));
	memset(used, 0, sizeof(used));
}

void fuzz_one(struct fuzz_in *in)
{
	struct rig *rig = rig_new(in);
	u64 seq = rig->sb.tail_seq, first = seq;
	u32 entries = fuzz_u8(in) % MAX_ENTRIES, blocks = fuzz_u8(in) % MAX_BLOCKS;

	clear_ring();
	while (in->left && entries--)
		load_entry(rig, in);
	while (in->left && blocks--)
		put_block(rig, in, &seq, &first);
	if (replay(rig) && rig_settle(rig))
		rig_use(rig, in);
}
