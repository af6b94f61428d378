/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Counters: one array a CPU, so that counting costs one instruction and no shared cache line.
 */
#ifndef FC_SYS_STATS_H
#define FC_SYS_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "flashcache/uapi.h"

#define FC_STAT_ENUM(name) FC_STAT_##name,
enum fc_stat {
	FC_COUNTERS(FC_STAT_ENUM)
	FC_NR_STATS
};

#undef FC_STAT_ENUM

/* The first two are steps of a request, too (enum fc_step). */
enum fc_lane { FC_LANE_READ = 0, FC_LANE_WRITE = 1, FC_LANE_PAST = 2, FC_NR_LANES = 4 };

/**
 * struct fc_stats - counters of one CPU
 * @n: by enum fc_stat
 * @lane: in the fast lane, by sectors: reads, writes and reads past the cache, each of which stands
 *	for several in @n; the last of four stays 0: so a shift finds the place
 */
struct fc_stats {
	u64 n[FC_NR_STATS];
	u64 lane[FC_BLOCK_MAX + 1][FC_NR_LANES];
};

struct fc_cache;

#define fc_count(c, name)	this_cpu_inc((c)->stats->n[FC_STAT_##name])
#define fc_count_by(c, name, by) this_cpu_add((c)->stats->n[FC_STAT_##name], (by))

u64 fc_stats_lane(const struct fc_cache *c, u32 first, u32 last);
u64 fc_stats_sum(const struct fc_cache *c, enum fc_stat which);
void fc_stats_zero(struct fc_cache *c);
const char *fc_stats_name(enum fc_stat which);

#endif /* FC_SYS_STATS_H */
