/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_WORKSET_H
#define FC_UTILS_WORKSET_H

#include "trace.h"

/**
 * struct workset - what a trace touches, in blocks
 * @accesses: blocks that requests touch, counted each time
 * @reads: of these, by reads
 * @distinct: different ones
 */
struct workset {
	u64 accesses;
	u64 reads;
	u64 distinct;
};

int __must_check workset_count(struct workset *set, const struct trace *t, u32 block_sectors);

#endif /* FC_UTILS_WORKSET_H */
