/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: What lies on the flash.
 *
 * The only description of the persistent format; docs/format.md says the same in prose. All numbers
 * are little-endian. The device is divided into (sizes from the superblock):
 *
 *	block 0, 1	two superblocks, written alternately; the valid one of higher seq counts
 *	log		a ring of 4 KiB blocks; block with sequence q lies at q modulo log_blocks
 *	table, copy 0	table_blocks x 4 KiB
 *	table, copy 1	table_blocks x 4 KiB
 *	data		nr_slots cache blocks, aligned to 1 MiB
 *
 * Each structure begins with a CRC32C (Castagnoli polynomial, RFC 3720 appendix B.4, without the
 * final inversion) over the rest of its 4 KiB block. In log and table it is seeded with the cache's
 * seed, so that remains of another cache do not count.
 */
#ifndef FLASHCACHE_FORMAT_H
#define FLASHCACHE_FORMAT_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/build_bug.h>
#else
#include <assert.h>
#include <linux/types.h>
#endif

#define FCD_MAGIC		"FLASHCA4"	/* at byte 8 of each superblock */
#define FCD_MAGIC_LEN		8
#define FCD_FORMAT		4		/* versions 1 to 3 and the old 4 had no magic */
#define FCD_BLOCK_SIZE		4096
#define FCD_BLOCK_SECTORS	8
#define FCD_SUPER_COPIES	2
#define FCD_LOG_START		2		/* in 4 KiB blocks */
#define FCD_DATA_ALIGN		2048		/* sectors */

#define FCD_UUID_LEN		16
#define FCD_NAME_LEN		128
#define FCD_ID_LEN		256
#define FCD_SETTINGS		64

/* fcd_super.state */
#define FCD_STATE_RUNNING	1	/* in use, or stopped by a crash: only dirty slots count */
#define FCD_STATE_ORDERLY	2	/* stopped in order: the table is complete, clean slots count */

/* fcd_super.flags */
#define FCD_SUPER_FINGERPRINT	(1u << 0)	/* disk_print holds what the disk looked like */

/**
 * struct fcd_super - a superblock, 4 KiB with its padding
 * @crc: CRC32C of bytes 4 to 4095
 * @format: FCD_FORMAT
 * @magic: FCD_MAGIC
 * @seq: rises by one with each superblock written; superblock lies at block seq modulo 2
 * @uuid: of this cache, random
 * @seed: random, seeds the CRC of log and table blocks
 * @state: FCD_STATE_*
 * @mode: 1 write-back, 2 write-through, 3 write-around
 * @policy: 0 FIFO, 1 LRU, 2 S3-FIFO
 * @flags: FCD_SUPER_*
 * @block_sectors: size of a cache block
 * @assoc: slots in a set
 * @cluster_blocks: consecutive disk blocks that share a set
 * @nr_sets: sets in the cache; slot = set * assoc + way
 * @log_blocks: length of the ring
 * @table_blocks: length of one copy of the table
 * @data_start: first sector of slot 0
 * @flash_sectors: size of the cache device at creation
 * @disk_sectors: size of the disk that the cache covers
 * @tail_seq: first log block that the table does not contain
 * @table_gen: generation of the last complete checkpoint; newer table blocks do not count
 * @table_sum: sum (modulo 2^64) of the CRCs of the table blocks that count
 * @disk_print: CRC32C of the first FCD_PRINT_SECTORS of the disk at the orderly stop
 * @dirty_thresh_pct: this, @skip_seq_thresh_kb and @fallow_delay: settings kept over reloads
 * @name: name of the dm device
 * @disk_id: by which the tools find the disk again ("KEY=value" as blkid or udev name it)
 * @settings: further settings, by their place in FC_TUNABLES less one: value + 1, 0 the default
 */
struct fcd_super {
	__le32	crc;
	__le32	format;
	__u8	magic[FCD_MAGIC_LEN];
	__le64	seq;
	__u8	uuid[FCD_UUID_LEN];
	__le32	seed;
	__le32	state;
	__le32	mode;
	__le32	policy;
	__le32	flags;
	__le32	block_sectors;
	__le32	assoc;
	__le32	cluster_blocks;
	__le64	nr_sets;
	__le64	log_blocks;
	__le64	table_blocks;
	__le64	data_start;
	__le64	flash_sectors;
	__le64	disk_sectors;
	__le64	tail_seq;
	__le64	table_gen;
	__le64	table_sum;
	__le32	disk_print;
	__le32	dirty_thresh_pct;
	__le32	skip_seq_thresh_kb;
	__le32	fallow_delay;
	__u8	name[FCD_NAME_LEN];
	__u8	disk_id[FCD_ID_LEN];
	__le32	settings[FCD_SETTINGS];
	__u8	reserved[3296];
};

#define FCD_PRINT_SECTORS	256	/* the first 128 KiB: superblocks of every common file system */

/* fcd_log_head.flags */
#define FCD_LOG_LAST		(1u << 0)	/* last block of a commit */

/**
 * struct fcd_log_head - head of a log block
 * @crc: CRC32C, seeded, of bytes 4 to 4095
 * @flags: FCD_LOG_*
 * @seq: place in the log
 * @first: seq of the first block of this commit; a commit counts only when all of it is there
 * @nr: records in this block
 */
struct fcd_log_head {
	__le32	crc;
	__le32	flags;
	__le64	seq;
	__le64	first;
	__le32	nr;
	__le32	reserved;
};

/**
 * struct fcd_log_rec - "this slot now is so"
 * @slot: slot number, 40 bits
 * @flags: 0
 * @block: disk block number in units of the cache block, 48 bits
 * @dirty: units (sixteenths of a block) that are newer than the disk; 0 frees the slot
 * @reserved: 0; a valid mask later
 * @csum: 0; room for a checksum of the dirty data
 */
struct fcd_log_rec {
	__u8	slot[5];
	__u8	flags;
	__u8	block[6];
	__le16	dirty;
	__le16	reserved;
	__le32	csum;
} __attribute__((packed));

#define FCD_LOG_RECS ((FCD_BLOCK_SIZE - sizeof(struct fcd_log_head)) / sizeof(struct fcd_log_rec))

/**
 * struct fcd_table_head - head of a table block
 * @crc: CRC32C, seeded, of bytes 4 to 4095
 * @reserved: 0
 * @index: number of this block in the table
 * @gen: checkpoint that wrote it
 */
struct fcd_table_head {
	__le32	crc;
	__le32	reserved;
	__le64	index;
	__le64	gen;
	__le64	reserved2;
};

/* fcd_table_entry.flags */
#define FCD_ENTRY_FREQ		0x03	/* how often it was hit, 0 to 3 */
#define FCD_ENTRY_SMALL		0x04	/* was in S3-FIFO's small queue */

/**
 * struct fcd_table_entry - a slot
 * @block: disk block number in units of the cache block, 48 bits
 * @flags: FCD_ENTRY_*
 * @reserved: 0
 * @valid: units that hold data; 0 when the slot is free
 * @dirty: units that are newer than the disk, a subset of @valid
 * @csum: 0; room for a checksum
 */
struct fcd_table_entry {
	__u8	block[6];
	__u8	flags;
	__u8	reserved;
	__le16	valid;
	__le16	dirty;
	__le32	csum;
};

#define FCD_TABLE_ENTRIES \
	((FCD_BLOCK_SIZE - sizeof(struct fcd_table_head)) / sizeof(struct fcd_table_entry))

static_assert(sizeof(struct fcd_super) == FCD_BLOCK_SIZE, "superblock fills its block");
static_assert(sizeof(struct fcd_log_head) == 32, "log head");
static_assert(sizeof(struct fcd_log_rec) == 20, "log record");
static_assert(sizeof(struct fcd_table_head) == 32, "table head");
static_assert(sizeof(struct fcd_table_entry) == 16, "table entry");

#endif /* FLASHCACHE_FORMAT_H */
