// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes and places: from what the user asks for to the layout of the flash.
 */
#include "geometry.h"
#include "state.h"
#include "flashcache/format.h"
#include "flashcache/uapi.h"

static bool is_pow2(u64 n)
{
	return n && !(n & (n - 1));
}

static u8 log2_of(u64 n)
{
	u8 shift = 0;

	while (n >>= 1)
		shift++;
	return shift;
}

static const char *check_block(struct fc_geo *geo, u64 sectors)
{
	if (!sectors)
		sectors = FC_BLOCK_DEFAULT;
	if (!is_pow2(sectors) || sectors < FC_BLOCK_MIN || sectors > FC_BLOCK_MAX)
		return "Invalid block size: must be a power of two from 8 to 128 sectors";
	geo->block_sectors = (u32)sectors;
	geo->block_shift = log2_of(sectors);
	geo->units = sectors < FC_UNITS ? (u8)sectors : FC_UNITS;
	geo->unit_shift = (u8)(geo->block_shift - log2_of(geo->units));
	geo->full = (u16)((1u << geo->units) - 1);
	return NULL;
}

static const char *check_assoc(struct fc_geo *geo, u64 assoc)
{
	if (!assoc)
		assoc = FC_ASSOC_DEFAULT;
	if (!is_pow2(assoc) || assoc < FC_ASSOC_MIN || assoc > FC_ASSOC_MAX)
		return "Invalid cache associativity: must be a power of two from 256 to 8192";
	geo->assoc = (u32)assoc;
	geo->assoc_shift = log2_of(assoc);
	return NULL;
}

static const char *check_cluster(struct fc_geo *geo, u64 sectors)
{
	u64 blocks = sectors >> geo->block_shift;

	if (!sectors)
		blocks = FC_CLUSTER_DEFAULT;
	if (!is_pow2(blocks) || (sectors && !is_pow2(sectors)) || blocks > FC_CLUSTER_MAX ||
	    blocks > geo->assoc)
		return "Invalid disk associativity: must be a power of two, at least a block, at most a set";
	geo->cluster_shift = log2_of(blocks);
	return NULL;
}

static u64 blocks_for(u64 items, u64 each)
{
	return (items + each - 1) / each;
}

/*
 * A log as long as the table, so that a checkpoint, which may write the whole table, comes at most
 * once in half as many commits. A small table has a log of four times its length, up to 4 MiB.
 */
static u64 log_for(u64 table_blocks)
{
	u64 blocks = 4 * table_blocks < 1024 ? 4 * table_blocks : 1024;

	if (blocks < table_blocks)
		blocks = table_blocks;
	if (blocks < 64)
		return 64;
	return blocks < 16384 ? blocks : 16384;
}

/* Places log, table and data for @sets sets; returns the sectors that all of it takes. */
static sector_t lay_out(struct fc_geo *geo, u64 sets)
{
	u64 meta;

	geo->nr_sets = (u32)sets;
	geo->nr_slots = sets * geo->assoc;
	geo->table_blocks = blocks_for(geo->nr_slots, FCD_TABLE_ENTRIES);
	geo->log_blocks = log_for(geo->table_blocks);
	meta = (FCD_LOG_START + geo->log_blocks + 2 * geo->table_blocks) * FCD_BLOCK_SECTORS;
	geo->data_start = blocks_for(meta, FCD_DATA_ALIGN) * FCD_DATA_ALIGN;
	return geo->data_start + (geo->nr_slots << geo->block_shift);
}

/* Finds the largest number of sets that fits into @sectors. */
static const char *fit_sets(struct fc_geo *geo, sector_t sectors)
{
	u64 low = 0, high = (sectors >> geo->block_shift) / geo->assoc;

	if (sectors >> geo->block_shift >> FC_SLOT_BITS)
		return "Invalid cache size: too large for this block size, choose a larger one";
	while (low < high) {
		u64 mid = low + (high - low + 1) / 2;

		if (lay_out(geo, mid) <= sectors)
			low = mid;
		else
			high = mid - 1;
	}
	lay_out(geo, low);
	return low ? NULL : "Invalid cache size: too small for one set of blocks and its metadata";
}

static const char *check_sizes(struct fc_geo *geo, const struct fc_geo_want *want)
{
	sector_t use = want->cache_sectors ? want->cache_sectors : want->flash_sectors;

	if (use > want->flash_sectors)
		return "Invalid cache size: larger than the cache device";
	if (!want->disk_sectors)
		return "Invalid disk size: the disk is empty";
	if ((want->disk_sectors - 1) >> geo->block_shift >> FC_BLOCK_BITS)
		return "Invalid disk size: too large for this block size, choose a larger one";
	geo->flash_sectors = use;
	geo->disk_sectors = want->disk_sectors;
	return fit_sets(geo, use);
}

/**
 * fc_geo_init() - compute a geometry
 * @geo: filled on success
 * @want: what the user asks for
 * @why: on failure a sentence that says what is wrong
 *
 * Context: any. Return: 0 or -EINVAL.
 */
int fc_geo_init(struct fc_geo *geo, const struct fc_geo_want *want, const char **why)
{
	memset(geo, 0, sizeof(*geo));
	*why = check_block(geo, want->block_sectors);
	if (!*why)
		*why = check_assoc(geo, want->assoc);
	if (!*why)
		*why = check_cluster(geo, want->cluster_sectors);
	if (!*why)
		*why = check_sizes(geo, want);
	return *why ? -EINVAL : 0;
}

/**
 * fc_geo_memory() - bytes of memory that a cache of this geometry takes while it is loaded
 * @geo: geometry
 *
 * All sets with their slots, and five bytes for each table block. What does not grow with the cache
 * (a few MiB of buffers) is not counted.
 */
u64 fc_geo_memory(const struct fc_geo *geo)
{
	return geo->nr_sets * (u64)fc_set_bytes(geo->assoc) + geo->table_blocks * 5;
}

/** fc_geo_log_sector() - sector of the log block with sequence @seq */
sector_t fc_geo_log_sector(const struct fc_geo *geo, u64 seq)
{
	return (FCD_LOG_START + seq % geo->log_blocks) * FCD_BLOCK_SECTORS;
}

/** fc_geo_table_sector() - sector of table block @index in copy @copy (0 or 1) */
sector_t fc_geo_table_sector(const struct fc_geo *geo, unsigned int copy, u64 index)
{
	return (FCD_LOG_START + geo->log_blocks + copy * geo->table_blocks + index) *
	       FCD_BLOCK_SECTORS;
}
