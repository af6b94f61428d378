/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: A cache that does not run, read from its device without the kernel.
 *
 * Decides as the module does when it loads (docs/format.md, "How a load decides"), by the same
 * code, but goes on after it has found something wrong, so that all of it can be told.
 */
#ifndef FC_UTILS_IMAGE_H
#define FC_UTILS_IMAGE_H

#include "device.h"
#include "ledger.h"

#define IMAGE_PROBLEMS	16	/* told at most; all are counted */

/**
 * struct image_super - one copy of the superblock
 * @found: what it turned out to be
 * @super: when good
 */
struct image_super {
	enum fc_found found;
	struct fc_super super;
};

/**
 * struct image_table - what the table is like
 * @unreadable: blocks of either copy that the device did not give
 * @lost: blocks of which no copy counts
 * @remains: blocks of which one copy is of a checkpoint that was never completed
 * @impossible: entries that cannot be
 * @sum_differs: it is not the table that the superblock names
 */
struct image_table {
	u64 unreadable;
	u64 lost;
	u64 remains;
	u64 impossible;
	bool sum_differs;
};

/**
 * struct image_log - what the log is like; after an orderly stop it is not looked at
 * @commits: that were replayed
 * @blocks: of these
 * @records: of these
 * @torn: blocks of a commit behind them that is not whole
 * @impossible: records that cannot be
 * @next_seq: place behind the last whole commit
 */
struct image_log {
	u64 commits;
	u64 blocks;
	u64 records;
	u64 torn;
	u64 impossible;
	u64 next_seq;
};

/**
 * struct image - a cache that does not run
 * @ssd: its device
 * @copies: both superblocks
 * @super: the one that counts
 * @orderly: it was stopped in order
 * @core: its sets
 * @newest: bit i: copy of table block i that counts
 * @table: what the table is like
 * @log: what the log is like
 * @cached: slots that hold a block
 * @dirty: slots that hold dirty units
 * @dirty_sectors: dirty units in sectors
 * @problems: what is wrong, in words
 * @nr_problems: how many things are wrong; 0: it is sound
 */
struct image {
	const struct device *ssd;
	struct image_super copies[FCD_SUPER_COPIES];
	struct fc_super super;
	bool orderly;
	struct fc_core core;
	unsigned long *newest;
	struct image_table table;
	struct image_log log;
	u64 cached;
	u64 dirty;
	u64 dirty_sectors;
	char problems[IMAGE_PROBLEMS][128];
	unsigned int nr_problems;
};

int __must_check image_open(struct image *image, const struct device *ssd);
int __must_check image_load(struct image *image);
void image_empty(struct image *image);
void image_free(struct image *image);
void image_problem(struct image *image, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int __must_check image_table_load(struct image *image);
int __must_check image_log_load(struct image *image);

/**
 * image_slot() - a slot of a loaded image
 * @image: image
 * @slot: its number
 */
static inline const struct fc_slot *image_slot(const struct image *image, u64 slot)
{
	u32 assoc = image->core.geo.assoc;

	return fc_set_slot(fc_core_set(&image->core, (u32)(slot / assoc)), (u16)(slot % assoc));
}

#endif /* FC_UTILS_IMAGE_H */
