/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Hit ratios of a trace in caches of several sizes and policies, by the core itself.
 */
#ifndef FC_UTILS_FORECAST_H
#define FC_UTILS_FORECAST_H

#include "trace.h"
#include "workset.h"

#define FORECAST_SIZES		16u
#define FORECAST_POLICIES	3u

/**
 * struct forecast_cell - one cache
 * @blocks: that it holds
 * @hits: blocks touched that hit
 * @read_hits: of these, by reads
 */
struct forecast_cell {
	u64 blocks;
	u64 hits;
	u64 read_hits;
};

/**
 * struct forecast - all of them
 * @trace: the trace
 * @set: its working set
 * @block_sectors: size of a block
 * @sizes: wanted sizes in blocks, rising
 * @nr_sizes: number of them
 * @cells: by size and policy
 */
struct forecast {
	const struct trace *trace;
	struct workset set;
	u32 block_sectors;
	u64 sizes[FORECAST_SIZES];
	unsigned int nr_sizes;
	struct forecast_cell cells[FORECAST_SIZES][FORECAST_POLICIES];
};

/**
 * struct forecast_choice - what can be recommended
 * @useful: a cache would help at all
 * @size: index of the size
 * @policy: the best there
 */
struct forecast_choice {
	bool useful;
	unsigned int size;
	unsigned int policy;
};

void forecast_sizes(struct forecast *f);
int __must_check forecast_run(struct forecast *f);
void forecast_choose(const struct forecast *f, struct forecast_choice *choice);
const char *forecast_policy(unsigned int policy);
u64 forecast_bytes(const struct forecast *f, unsigned int size);
int __must_check plot_write(const struct forecast *f, const char *path);

#endif /* FC_UTILS_FORECAST_H */
