/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Reading and writing what lies on the flash (include/flashcache/format.h).
 *
 * Decoding trusts nothing: magic, CRC, then each number against its range. A CRC is no defence
 * against a crafted image.
 */
#ifndef FC_CORE_FORMAT_H
#define FC_CORE_FORMAT_H

#include "geometry.h"
#include "flashcache/format.h"

/**
 * struct fc_super - a superblock in memory
 *
 * See struct fcd_super for the fields; @geo holds all sizes. @settings that this version does not
 * know are kept as they are.
 */
struct fc_super {
	u64 seq;
	u8 uuid[FCD_UUID_LEN];
	u32 seed;
	u32 state;
	u32 mode;
	u32 policy;
	u32 flags;
	struct fc_geo geo;
	u64 tail_seq;
	u64 table_gen;
	u64 table_sum;
	u32 disk_print;
	u32 dirty_thresh_pct;
	u32 skip_seq_thresh_kb;
	u32 fallow_delay;
	char name[FCD_NAME_LEN];
	char disk_id[FCD_ID_LEN];
	u32 settings[FCD_SETTINGS];
};

/**
 * struct fc_record - a log record in memory
 * @slot: slot
 * @block: block it holds
 * @dirty: dirty units; 0 frees the slot
 * @removes: it takes units back; not on flash
 */
struct fc_record {
	struct fc_slotno slot;
	struct fc_oblock block;
	u16 dirty;
	bool removes;
};

/**
 * struct fc_entry - a table entry in memory
 * @block: block it holds
 * @valid: valid units, 0 = free
 * @dirty: dirty units
 * @flags: FCD_ENTRY_*
 */
struct fc_entry {
	struct fc_oblock block;
	u16 valid;
	u16 dirty;
	u8 flags;
};

/* What a block of flash turned out to be. */
enum fc_found {
	FC_FOUND_GOOD,
	FC_FOUND_NOTHING,	/* no magic, or another place or cache in it */
	FC_FOUND_DAMAGED,	/* meant for us, but the CRC or a number is wrong */
	FC_FOUND_NEWER,		/* a format that we do not know; a log block of the future */
};

/* Six bytes. */
static inline u64 fc_get_block(const u8 *p)
{
	__le32 low;
	__le16 high;

	memcpy(&low, p, sizeof(low));
	memcpy(&high, p + sizeof(low), sizeof(high));
	return (u64)le16_to_cpu(high) << 32 | le32_to_cpu(low);
}

/**
 * fc_table_entry() - an entry as it stands in a table block
 * @block: 4 KiB
 * @index: place, below FCD_TABLE_ENTRIES
 */
static inline struct fc_entry fc_table_entry(const void *block, u32 index)
{
	const struct fcd_table_entry *raw =
		(const void *)((const u8 *)block + sizeof(struct fcd_table_head));
	__le64 front;

	raw += index;
	/* A load has many: block and flags are fetched as one. */
	memcpy(&front, raw, sizeof(front));
	return (struct fc_entry){
		.block.n = le64_to_cpu(front) << 16 >> 16,
		.valid = le16_to_cpu(raw->valid),
		.dirty = le16_to_cpu(raw->dirty),
		.flags = (u8)(le64_to_cpu(front) >> 48),
	};
}

/**
 * fc_entry_possible() - may slot @slot be so?
 * @geo: geometry
 * @entry: entry
 * @slot: slot
 */
static inline bool fc_entry_possible(const struct fc_geo *geo, const struct fc_entry *entry,
				     struct fc_slotno slot)
{
	if (!entry->valid)
		return !entry->dirty;
	return fc_geo_belongs(geo, entry->block, slot) &&
	       !(entry->valid & ~fc_geo_exists(geo, entry->block)) &&
	       !(entry->dirty & ~entry->valid);
}

void fc_super_encode(const struct fc_super *sb, struct fcd_super *raw);
enum fc_found fc_super_decode(struct fc_super *sb, const struct fcd_super *raw);
const char *fc_super_pick(struct fc_super *sb, const void *copy0, const void *copy1, bool *none);

void fc_log_seal(const struct fc_super *sb, void *block, u64 seq, u64 first, u32 nr, bool last);
void fc_log_put(void *block, u32 index, const struct fc_record *rec);
enum fc_found fc_log_open(const struct fc_super *sb, const void *block, u64 seq, u64 first,
			  u32 *nr, bool *last);
bool fc_log_peek(const struct fc_super *sb, const void *block, u64 *first);
bool fc_log_get(const struct fc_super *sb, const void *block, u32 index, struct fc_record *rec);

u32 fc_table_seal(const struct fc_super *sb, void *block, u64 index, u64 gen);
void fc_table_put(void *block, u32 index, const struct fc_entry *entry);
enum fc_found fc_table_open(const struct fc_super *sb, const void *block, u64 index, u64 *gen,
			    u32 *crc);
bool fc_table_get(const struct fc_super *sb, const void *block, u32 index, struct fc_entry *entry);

#endif /* FC_CORE_FORMAT_H */
