/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Genuine flash images, made by the module's own code: caches that were created, written to,
 * cleaned, committed, checkpointed, stopped in order or not.
 */
#ifndef FC_FUZZ_SCENE_H
#define FC_FUZZ_SCENE_H

#include "split.h"

#define SCENES		128u
#define SCENE_BLOCKS	128u	/* of metadata, at most, whatever the line makes of it */

#define SCENE_SLOTS	4096u	/* at most, likewise */

/**
 * struct scene - an image and what it means
 * @flash: its metadata
 * @nr_blocks: used of @flash
 * @sb: superblock that counts
 * @flash_sectors: size of the cache device
 * @disk_sectors: size of the disk
 * @orderly: stopped in order: clean content counts
 * @now: what each slot holds
 * @before: what was dirty before the last commit
 * @last_first: log sequence of the last commit, 0: none in this life
 * @last_end: sequence behind it
 */
struct scene {
	union fuzz_block *flash;
	u32 nr_blocks;
	struct fc_super sb;
	sector_t flash_sectors;
	sector_t disk_sectors;
	bool orderly;
	struct fc_entry *now;
	struct fc_entry *before;
	u64 last_first;
	u64 last_end;
};

/* One of SCENES; made when it is first asked for. */
const struct scene *scene_get(u32 which);

/* Writes, reads and cleans @nr blocks, as test_seed() has it. */
void scene_work(struct fc_cache *c, u32 nr);

/* Are the same units of the same blocks dirty? */
bool scene_same_dirty(const struct fc_entry *a, const struct fc_entry *b, u64 nr);

/* What every slot of a loaded cache holds now. */
void scene_snapshot(struct fc_cache *c, struct fc_entry *entries);

#endif /* FC_FUZZ_SCENE_H */
