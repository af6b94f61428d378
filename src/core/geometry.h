/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Sizes, places and the frozen hash.
 *
 * A disk block belongs to one set, chosen by a hash of its cluster (a run of consecutive blocks),
 * so that neighbours stay together and hot regions spread. A slot is one block of flash.
 */
#ifndef FC_CORE_GEOMETRY_H
#define FC_CORE_GEOMETRY_H

#include "env.h"

#define FC_UNITS		16u	/* mask bits of a block, at most */
#define FC_RUN_BLOCKS		16u	/* a request is planned in runs of at most this many blocks */
#define FC_BLOCK_BITS		43	/* of a disk block number in memory: 32 PiB of 4 KiB blocks */
#define FC_SLOT_BITS		40	/* of a slot number in the log: 4 PiB of 4 KiB blocks */

/* A disk block and a flash slot are numbers that must never be mixed. */
struct fc_oblock { u64 n; };
struct fc_slotno { u64 n; };

/**
 * struct fc_geo - the sizes of one cache; constant after fc_geo_init()
 * @block_sectors: sectors in a block, a power of two
 * @block_shift: log2 of @block_sectors
 * @unit_shift: log2 of the sectors in a unit, the grain of the valid and dirty masks
 * @units: units in a block
 * @full: mask of all units
 * @assoc: slots in a set, a power of two
 * @assoc_shift: log2 of @assoc
 * @cluster_shift: log2 of the blocks in a cluster
 * @nr_sets: number of sets
 * @nr_slots: @nr_sets * @assoc
 * @disk_sectors: size of the disk
 * @flash_sectors: size of the cache device, or the part of it that is used
 * @log_blocks: 4 KiB blocks in the log
 * @table_blocks: 4 KiB blocks in one copy of the table
 * @data_start: sector of slot 0
 */
struct fc_geo {
	u32 block_sectors;
	u8 block_shift;
	u8 unit_shift;
	u8 units;
	u8 cluster_shift;
	u8 assoc_shift;
	u16 full;
	u32 assoc;
	u32 nr_sets;
	u64 nr_slots;
	sector_t disk_sectors;
	sector_t flash_sectors;
	u64 log_blocks;
	u64 table_blocks;
	sector_t data_start;
};

/**
 * struct fc_geo_want - what the user asks for
 * @block_sectors: sectors, 0 = default
 * @assoc: slots a set, 0 = default
 * @cluster_sectors: sectors, 0 = default (16 blocks)
 * @cache_sectors: part of the cache device to use, 0 = all
 * @flash_sectors: size of the cache device
 * @disk_sectors: size of the disk
 */
struct fc_geo_want {
	u64 block_sectors;
	u64 assoc;
	u64 cluster_sectors;
	u64 cache_sectors;
	sector_t flash_sectors;
	sector_t disk_sectors;
};

int __must_check fc_geo_init(struct fc_geo *geo, const struct fc_geo_want *want,
			     const char **why);
u64 fc_geo_memory(const struct fc_geo *geo);
sector_t fc_geo_log_sector(const struct fc_geo *geo, u64 seq);
sector_t fc_geo_table_sector(const struct fc_geo *geo, unsigned int copy, u64 index);

/**
 * fc_mix64() - the hash that places clusters; part of the format, never to change
 * @x: any number
 *
 * The 64-bit finaliser of MurmurHash3 (A. Appleby, 2011, public domain): a bijection in which each
 * input bit flips each output bit with probability close to one half.
 */
static inline u64 fc_mix64(u64 x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	x ^= x >> 33;
	return x;
}

/**
 * fc_geo_cluster() - cluster of a block
 * @geo: geometry
 * @b: block
 */
static inline u64 fc_geo_cluster(const struct fc_geo *geo, struct fc_oblock b)
{
	return b.n >> geo->cluster_shift;
}

/**
 * fc_geo_hash() - hash of a block's cluster
 * @geo: geometry
 * @b: block
 */
static inline u64 fc_geo_hash(const struct fc_geo *geo, struct fc_oblock b)
{
	return fc_mix64(fc_geo_cluster(geo, b));
}

/**
 * fc_geo_set() - set of a hash
 * @geo: geometry
 * @hash: from fc_geo_hash()
 *
 * Scales the upper 32 bits to the number of sets without a division (D. Lemire, "Fast random
 * integer generation in an interval", ACM TOMACS 29(1), 2019, section 4).
 */
static inline u32 fc_geo_set(const struct fc_geo *geo, u64 hash)
{
	return (u32)(((hash >> 32) * geo->nr_sets) >> 32);
}

static inline struct fc_oblock fc_geo_block(const struct fc_geo *geo, sector_t sector)
{
	return (struct fc_oblock){ sector >> geo->block_shift };
}

static inline sector_t fc_geo_block_sector(const struct fc_geo *geo, struct fc_oblock b)
{
	return b.n << geo->block_shift;
}

static inline sector_t fc_geo_slot_sector(const struct fc_geo *geo, struct fc_slotno s)
{
	return geo->data_start + (s.n << geo->block_shift);
}

static inline struct fc_slotno fc_geo_slot(const struct fc_geo *geo, u32 set, u16 way)
{
	return (struct fc_slotno){ (u64)set * geo->assoc + way };
}

static inline u32 fc_geo_slot_set(const struct fc_geo *geo, struct fc_slotno s)
{
	return (u32)(s.n >> geo->assoc_shift);
}

static inline u16 fc_geo_slot_way(const struct fc_geo *geo, struct fc_slotno s)
{
	return (u16)(s.n & (geo->assoc - 1));
}

/**
 * fc_geo_place() - where a sector lies on flash
 * @geo: geometry
 * @s: slot that holds the sector's block
 * @sector: sector of the disk
 */
static inline sector_t fc_geo_place(const struct fc_geo *geo, struct fc_slotno s, sector_t sector)
{
	return fc_geo_slot_sector(geo, s) + (sector & (geo->block_sectors - 1));
}

/**
 * fc_geo_run_end() - where a run that starts at @sector must stop at the latest
 * @geo: geometry
 * @sector: first sector of the run
 *
 * Return: the first sector after it that may belong to another set, or that lies %FC_RUN_BLOCKS
 * blocks behind the start of @sector's block.
 */
static inline sector_t fc_geo_run_end(const struct fc_geo *geo, sector_t sector)
{
	struct fc_oblock b = fc_geo_block(geo, sector);
	u64 end = (fc_geo_cluster(geo, b) + 1) << geo->cluster_shift;

	if (end > b.n + FC_RUN_BLOCKS)
		end = b.n + FC_RUN_BLOCKS;
	return end << geo->block_shift;
}

/**
 * fc_geo_units() - units from @first to before @end, both sectors within one block
 * @geo: geometry
 * @first: sector within the block, rounded down to its unit
 * @end: sector within the block, rounded up to its unit
 */
static inline u16 fc_geo_units(const struct fc_geo *geo, u32 first, u32 end)
{
	u32 a = first >> geo->unit_shift;
	u32 b = (end + (1u << geo->unit_shift) - 1) >> geo->unit_shift;

	return (u16)((1u << b) - (1u << a));
}

/**
 * fc_geo_exists() - units of a block that lie on the disk
 * @geo: geometry
 * @b: block; the last one of a disk may be short
 */
static inline u16 fc_geo_exists(const struct fc_geo *geo, struct fc_oblock b)
{
	sector_t left = geo->disk_sectors - fc_geo_block_sector(geo, b);

	if (likely(left >= geo->block_sectors))
		return geo->full;
	return fc_geo_units(geo, 0, (u32)left);
}

/**
 * fc_geo_belongs() - may block @b be in slot @s at all?
 * @geo: geometry
 * @b: any number from flash
 * @s: likewise
 */
static inline bool fc_geo_belongs(const struct fc_geo *geo, struct fc_oblock b,
				  struct fc_slotno s)
{
	return b.n <= (geo->disk_sectors - 1) >> geo->block_shift && s.n < geo->nr_slots &&
	       fc_geo_set(geo, fc_geo_hash(geo, b)) == fc_geo_slot_set(geo, s);
}

/**
 * fc_geo_whole() - do all blocks of a cluster lie on the disk, with all their units?
 * @geo: geometry
 * @cluster: its number
 */
static inline bool fc_geo_whole(const struct fc_geo *geo, u64 cluster)
{
	return cluster < geo->disk_sectors >> geo->block_shift >> geo->cluster_shift;
}

#endif /* FC_CORE_GEOMETRY_H */
