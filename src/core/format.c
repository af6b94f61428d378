// SPDX-License-Identifier: GPL-2.0
/*
 * Reading and writing what lies on the flash.
 */
#include "desk.h"
#include "format.h"
#include "flashcache/uapi.h"

#define RECORDS_OFFSET	sizeof(struct fcd_log_head)

static u32 block_crc(u32 seed, const void *block)
{
	return crc32c(~seed, (const u8 *)block + sizeof(__le32),
		      FCD_BLOCK_SIZE - sizeof(__le32));
}

static void put_le(u8 *p, u64 v, u32 bytes)
{
	while (bytes--) {
		*p++ = (u8)v;
		v >>= 8;
	}
}

static u64 get_le(const u8 *p, u32 bytes)
{
	u64 v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

/**
 * fc_super_encode() - make a superblock
 * @sb: what to say; the caller has raised @seq
 * @raw: filled and sealed
 */
void fc_super_encode(const struct fc_super *sb, struct fcd_super *raw)
{
	const struct fc_geo *geo = &sb->geo;
	u32 i;

	memset(raw, 0, sizeof(*raw));
	raw->format = cpu_to_le32(FCD_FORMAT);
	memcpy(raw->magic, FCD_MAGIC, FCD_MAGIC_LEN);
	raw->seq = cpu_to_le64(sb->seq);
	memcpy(raw->uuid, sb->uuid, sizeof(raw->uuid));
	raw->seed = cpu_to_le32(sb->seed);
	raw->state = cpu_to_le32(sb->state);
	raw->mode = cpu_to_le32(sb->mode);
	raw->policy = cpu_to_le32(sb->policy);
	raw->flags = cpu_to_le32(sb->flags);
	raw->block_sectors = cpu_to_le32(geo->block_sectors);
	raw->assoc = cpu_to_le32(geo->assoc);
	raw->cluster_blocks = cpu_to_le32(1u << geo->cluster_shift);
	raw->nr_sets = cpu_to_le64(geo->nr_sets);
	raw->log_blocks = cpu_to_le64(geo->log_blocks);
	raw->table_blocks = cpu_to_le64(geo->table_blocks);
	raw->data_start = cpu_to_le64(geo->data_start);
	raw->flash_sectors = cpu_to_le64(geo->flash_sectors);
	raw->disk_sectors = cpu_to_le64(geo->disk_sectors);
	raw->tail_seq = cpu_to_le64(sb->tail_seq);
	raw->table_gen = cpu_to_le64(sb->table_gen);
	raw->table_sum = cpu_to_le64(sb->table_sum);
	raw->disk_print = cpu_to_le32(sb->disk_print);
	raw->dirty_thresh_pct = cpu_to_le32(sb->dirty_thresh_pct);
	raw->skip_seq_thresh_kb = cpu_to_le32(sb->skip_seq_thresh_kb);
	raw->fallow_delay = cpu_to_le32(sb->fallow_delay);
	memcpy(raw->name, sb->name, sizeof(raw->name));
	memcpy(raw->disk_id, sb->disk_id, sizeof(raw->disk_id));
	for (i = 0; i < FCD_SETTINGS; i++)
		raw->settings[i] = cpu_to_le32(sb->settings[i]);
	raw->crc = cpu_to_le32(block_crc(0, raw));
}

/*
 * Computes the geometry anew from what the user once asked for; it must come out as written.
 */
static bool decode_geo(struct fc_geo *geo, const struct fcd_super *raw)
{
	struct fc_geo_want want = {
		.block_sectors = le32_to_cpu(raw->block_sectors),
		.assoc = le32_to_cpu(raw->assoc),
		.cluster_sectors = (u64)le32_to_cpu(raw->cluster_blocks) *
				   le32_to_cpu(raw->block_sectors),
		.flash_sectors = le64_to_cpu(raw->flash_sectors),
		.disk_sectors = le64_to_cpu(raw->disk_sectors),
	};
	const char *why;

	if (!want.block_sectors || !want.assoc || !want.cluster_sectors)
		return false;
	return !fc_geo_init(geo, &want, &why) &&
	       geo->nr_sets == le64_to_cpu(raw->nr_sets) &&
	       geo->log_blocks == le64_to_cpu(raw->log_blocks) &&
	       geo->table_blocks == le64_to_cpu(raw->table_blocks) &&
	       geo->data_start == le64_to_cpu(raw->data_start);
}

static bool terminated(const u8 *s, u32 len)
{
	return s[len - 1] == 0;
}

#define FC_SETTING_LIMITS(name, standard, least, most, kept, help) { kept, least, most },

/* Each setting that is there is one that could have been made. */
static bool decode_settings(struct fc_super *sb, const struct fcd_super *raw)
{
	static const struct { int kept; u32 least, most; } limits[] = {
		FC_TUNABLES(FC_SETTING_LIMITS)
	};
	u32 i;

	for (i = 0; i < FCD_SETTINGS; i++)
		sb->settings[i] = le32_to_cpu(raw->settings[i]);
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		u32 stored = limits[i].kept > 0 ? sb->settings[limits[i].kept - 1] : 0;

		if (stored && (stored - 1 < limits[i].least || stored - 1 > limits[i].most))
			return false;
	}
	return true;
}

static bool decode_rest(struct fc_super *sb, const struct fcd_super *raw)
{
	sb->seq = le64_to_cpu(raw->seq);
	memcpy(sb->uuid, raw->uuid, sizeof(sb->uuid));
	sb->seed = le32_to_cpu(raw->seed);
	sb->state = le32_to_cpu(raw->state);
	sb->mode = le32_to_cpu(raw->mode);
	sb->policy = le32_to_cpu(raw->policy);
	sb->flags = le32_to_cpu(raw->flags);
	sb->tail_seq = le64_to_cpu(raw->tail_seq);
	sb->table_gen = le64_to_cpu(raw->table_gen);
	sb->table_sum = le64_to_cpu(raw->table_sum);
	sb->disk_print = le32_to_cpu(raw->disk_print);
	sb->dirty_thresh_pct = le32_to_cpu(raw->dirty_thresh_pct);
	sb->skip_seq_thresh_kb = le32_to_cpu(raw->skip_seq_thresh_kb);
	sb->fallow_delay = le32_to_cpu(raw->fallow_delay);
	memcpy(sb->name, raw->name, sizeof(sb->name));
	memcpy(sb->disk_id, raw->disk_id, sizeof(sb->disk_id));
	return (sb->state == FCD_STATE_RUNNING || sb->state == FCD_STATE_ORDERLY) &&
	       sb->mode >= FC_MODE_WRITEBACK && sb->mode <= FC_MODE_WRITEAROUND &&
	       sb->policy <= FC_POLICY_S3FIFO &&
	       sb->dirty_thresh_pct >= FC_DIRTY_THRESH_MIN &&
	       sb->dirty_thresh_pct <= FC_DIRTY_THRESH_MAX &&
	       sb->skip_seq_thresh_kb <= FC_SKIP_SEQ_MAX &&
	       sb->fallow_delay <= FC_FALLOW_DELAY_MAX &&
	       sb->tail_seq <= ~0ull >> 1 && sb->table_gen <= ~0ull >> 1 &&
	       sb->seq <= ~0ull >> 1 &&
	       terminated(raw->name, sizeof(raw->name)) &&
	       terminated(raw->disk_id, sizeof(raw->disk_id));
}

/**
 * fc_super_decode() - read a superblock
 * @sb: filled when good
 * @raw: 4 KiB from flash
 */
enum fc_found fc_super_decode(struct fc_super *sb, const struct fcd_super *raw)
{
	memset(sb, 0, sizeof(*sb));
	if (memcmp(raw->magic, FCD_MAGIC, FCD_MAGIC_LEN))
		return FC_FOUND_NOTHING;
	if (le32_to_cpu(raw->crc) != block_crc(0, raw))
		return FC_FOUND_DAMAGED;
	if (le32_to_cpu(raw->format) != FCD_FORMAT)
		return FC_FOUND_NEWER;
	if (!decode_geo(&sb->geo, raw) || !decode_rest(sb, raw) || !decode_settings(sb, raw))
		return FC_FOUND_DAMAGED;
	return FC_FOUND_GOOD;
}

/**
 * fc_super_pick() - the superblock that counts
 * @sb: filled on success
 * @copy0: 4 KiB of flash from its start
 * @copy1: the following 4 KiB
 * @none: set when there never was one, as opposed to one that is of no use
 *
 * Return: NULL, or why there is none.
 */
const char *fc_super_pick(struct fc_super *sb, const void *copy0, const void *copy1, bool *none)
{
	struct fc_super other;
	enum fc_found a = fc_super_decode(sb, copy0);
	enum fc_found b = fc_super_decode(&other, copy1);

	*none = a == FC_FOUND_NOTHING && b == FC_FOUND_NOTHING;
	if (a == FC_FOUND_NEWER || b == FC_FOUND_NEWER)
		return "cache has a format that this version does not know, use a newer flashcache";
	if (b == FC_FOUND_GOOD && (a != FC_FOUND_GOOD || other.seq > sb->seq)) {
		*sb = other;
		a = b;
	}
	if (a == FC_FOUND_GOOD)
		return NULL;
	if (a == FC_FOUND_DAMAGED || b == FC_FOUND_DAMAGED)
		return "both superblocks are damaged";
	return "no flashcache found on the cache device";
}

/**
 * fc_log_put() - put a record into a log block
 * @block: 4 KiB, zeroed before the first record
 * @index: place, below FCD_LOG_RECS
 * @rec: record
 */
void fc_log_put(void *block, u32 index, const struct fc_record *rec)
{
	struct fcd_log_rec *raw = (void *)((u8 *)block + RECORDS_OFFSET);

	raw += index;
	put_le(raw->slot, rec->slot.n, sizeof(raw->slot));
	put_le(raw->block, rec->block.n, sizeof(raw->block));
	raw->dirty = cpu_to_le16(rec->dirty);
}

/**
 * fc_log_seal() - finish a log block
 * @sb: superblock, for the seed
 * @block: 4 KiB with its records
 * @seq: its place in the log
 * @first: place of the first block of its commit
 * @nr: records
 * @last: it ends the commit
 */
void fc_log_seal(const struct fc_super *sb, void *block, u64 seq, u64 first, u32 nr, bool last)
{
	struct fcd_log_head *head = block;

	head->flags = cpu_to_le32(last ? FCD_LOG_LAST : 0);
	head->seq = cpu_to_le64(seq);
	head->first = cpu_to_le64(first);
	head->nr = cpu_to_le32(nr);
	head->crc = cpu_to_le32(block_crc(sb->seed, block));
}

/**
 * fc_log_open() - is this the log block that should come here?
 * @sb: superblock
 * @block: 4 KiB from flash
 * @seq: the place that is due
 * @first: the first place of the commit that is being read
 * @nr: number of its records
 * @last: it ends the commit
 *
 * A block of a later round of the ring is %FC_FOUND_NEWER: the superblock cannot be the latest.
 */
enum fc_found fc_log_open(const struct fc_super *sb, const void *block, u64 seq, u64 first,
			  u32 *nr, bool *last)
{
	const struct fcd_log_head *head = block;

	if (le32_to_cpu(head->crc) != block_crc(sb->seed, block))
		return FC_FOUND_NOTHING;
	if (le64_to_cpu(head->seq) > seq)
		return FC_FOUND_NEWER;
	if (le64_to_cpu(head->seq) != seq || le64_to_cpu(head->first) != first)
		return FC_FOUND_NOTHING;
	*nr = le32_to_cpu(head->nr);
	*last = le32_to_cpu(head->flags) & FCD_LOG_LAST;
	return *nr <= FCD_LOG_RECS ? FC_FOUND_GOOD : FC_FOUND_DAMAGED;
}

/**
 * fc_log_peek() - is this any log block of ours, and of which commit?
 * @sb: superblock
 * @block: 4 KiB from flash
 * @first: place of the first block of its commit
 */
bool fc_log_peek(const struct fc_super *sb, const void *block, u64 *first)
{
	const struct fcd_log_head *head = block;

	*first = le64_to_cpu(head->first);
	return le32_to_cpu(head->crc) == block_crc(sb->seed, block);
}

/**
 * fc_log_get() - get a record out of a log block
 * @sb: superblock
 * @block: block that fc_log_open() found good
 * @index: place, below its number of records
 * @rec: filled
 *
 * Return: false when the record is impossible.
 */
bool fc_log_get(const struct fc_super *sb, const void *block, u32 index, struct fc_record *rec)
{
	const struct fcd_log_rec *raw = (const void *)((const u8 *)block + RECORDS_OFFSET);

	raw += index;
	rec->slot.n = get_le(raw->slot, sizeof(raw->slot));
	rec->block.n = fc_get_block(raw->block);
	rec->dirty = le16_to_cpu(raw->dirty);
	return fc_geo_belongs(&sb->geo, rec->block, rec->slot) &&
	       !(rec->dirty & ~fc_geo_exists(&sb->geo, rec->block));
}

/**
 * fc_table_put() - put an entry into a table block
 * @block: 4 KiB, zeroed before the first entry
 * @index: place, below FCD_TABLE_ENTRIES
 * @entry: entry
 */
void fc_table_put(void *block, u32 index, const struct fc_entry *entry)
{
	struct fcd_table_entry *raw = (void *)((u8 *)block + sizeof(struct fcd_table_head));

	raw += index;
	put_le(raw->block, entry->block.n, sizeof(raw->block));
	raw->flags = entry->flags;
	raw->valid = cpu_to_le16(entry->valid);
	raw->dirty = cpu_to_le16(entry->dirty);
}

/**
 * fc_table_seal() - finish a table block
 * @sb: superblock, for the seed
 * @block: 4 KiB with its entries
 * @index: its number in the table
 * @gen: checkpoint that writes it
 *
 * Return: its CRC, for struct fc_super's @table_sum.
 */
u32 fc_table_seal(const struct fc_super *sb, void *block, u64 index, u64 gen)
{
	struct fcd_table_head *head = block;
	u32 crc;

	head->index = cpu_to_le64(index);
	head->gen = cpu_to_le64(gen);
	crc = block_crc(sb->seed, block);
	head->crc = cpu_to_le32(crc);
	return crc;
}

/**
 * fc_table_open() - is this a copy of table block @index?
 * @sb: superblock
 * @block: 4 KiB from flash
 * @index: the number it should have
 * @gen: checkpoint that wrote it
 * @crc: its CRC
 */
enum fc_found fc_table_open(const struct fc_super *sb, const void *block, u64 index, u64 *gen,
			    u32 *crc)
{
	const struct fcd_table_head *head = block;

	*crc = le32_to_cpu(head->crc);
	*gen = le64_to_cpu(head->gen);
	if (*crc != block_crc(sb->seed, block) || le64_to_cpu(head->index) != index)
		return FC_FOUND_NOTHING;
	return FC_FOUND_GOOD;
}

/**
 * fc_table_get() - get an entry out of a table block
 * @sb: superblock
 * @block: block that fc_table_open() found good
 * @index: place, below FCD_TABLE_ENTRIES
 * @entry: filled
 *
 * Return: false when the entry is impossible.
 */
bool fc_table_get(const struct fc_super *sb, const void *block, u32 index, struct fc_entry *entry)
{
	const struct fcd_table_head *head = block;
	struct fc_slotno slot = { le64_to_cpu(head->index) * FCD_TABLE_ENTRIES + index };

	*entry = fc_table_entry(block, index);
	return fc_entry_possible(&sb->geo, entry, slot);
}
