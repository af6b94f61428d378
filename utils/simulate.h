/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The core's own desk, without devices: what would a cache have of this request?
 *
 * Every plan ends at once and well, nothing passes by the cache, and nothing stays dirty.
 */
#ifndef FC_UTILS_SIMULATE_H
#define FC_UTILS_SIMULATE_H

#include "desk.h"

/**
 * struct simulate_want - what cache to simulate; 0 stands for the standard
 * @blocks: blocks that it holds, rounded to whole sets
 * @policy: enum fc_policy
 * @assoc: blocks in a set
 * @cluster: blocks in a cluster
 * @block_sectors: size of a block
 */
struct simulate_want {
	u64 blocks;
	u8 policy;
	u32 assoc;
	u32 cluster;
	u32 block_sectors;
};

/**
 * struct simulate - a simulated cache
 * @core: its state
 * @accesses: blocks that requests touched
 * @hits: of these, reads of which all was there, and writes of which the block was there
 * @reads: of @accesses
 * @read_hits: of @hits
 * @no_room: plans that found no slot
 * @why: what went wrong, NULL when nothing did
 */
struct simulate {
	struct fc_core core;
	u64 accesses;
	u64 hits;
	u64 reads;
	u64 read_hits;
	u64 no_room;
	const char *why;
};

/* Sectors that a simulated disk has. */
#define SIMULATE_DISK	((sector_t)1 << FC_BLOCK_BITS)

int __must_check simulate_begin(struct simulate *s, const struct simulate_want *want);
void simulate_request(struct simulate *s, bool write, sector_t sector, u64 nr);
void simulate_end(struct simulate *s);

#endif /* FC_UTILS_SIMULATE_H */
