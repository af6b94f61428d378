// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>

#include "cache.h"

#define FC_STAT_NAME(name) #name,
static const char * const names[] = { FC_COUNTERS(FC_STAT_NAME) };

/** fc_stats_name() - the word for a counter in the status line */
const char *fc_stats_name(enum fc_stat which)
{
	return names[which];
}

static u64 sum_lane(const struct fc_cache *c, enum fc_lane lane, u32 first, u32 last)
{
	u64 sum = 0;
	int cpu;
	u32 i;

	for_each_possible_cpu(cpu)
		for (i = first; i <= last; i++)
			sum += READ_ONCE(per_cpu_ptr(c->stats, cpu)->lane[i][lane]);
	return sum;
}

/**
 * fc_stats_lane() - requests in the fast lane, by size
 * @c: cache
 * @first: sectors, of the smallest
 * @last: sectors, of the largest; at most %FC_BLOCK_MAX
 */
u64 fc_stats_lane(const struct fc_cache *c, u32 first, u32 last)
{
	return sum_lane(c, FC_LANE_READ, first, last) + sum_lane(c, FC_LANE_WRITE, first, last) +
	       sum_lane(c, FC_LANE_PAST, first, last);
}

/**
 * fc_stats_sum() - a counter over all CPUs
 * @c: cache
 * @which: counter
 *
 * Context: any. A sum taken while others count may miss the latest.
 */
u64 fc_stats_sum(const struct fc_cache *c, enum fc_stat which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(c->stats, cpu)->n[which]);
	switch (which) {
	case FC_STAT_reads:
	case FC_STAT_read_blocks:
		return sum + sum_lane(c, FC_LANE_READ, 1, FC_BLOCK_MAX) +
		       sum_lane(c, FC_LANE_PAST, 1, FC_BLOCK_MAX);
	case FC_STAT_uncached_reads:
	case FC_STAT_disk_reads:
		return sum + sum_lane(c, FC_LANE_PAST, 1, FC_BLOCK_MAX);
	case FC_STAT_read_hits:
	case FC_STAT_read_hit_blocks:
	case FC_STAT_ssd_reads:
		return sum + sum_lane(c, FC_LANE_READ, 1, FC_BLOCK_MAX);
	case FC_STAT_writes:
	case FC_STAT_write_hits:
	case FC_STAT_dirty_write_hits:
	case FC_STAT_write_blocks:
	case FC_STAT_write_hit_blocks:
	case FC_STAT_ssd_writes:
		return sum + sum_lane(c, FC_LANE_WRITE, 1, FC_BLOCK_MAX);
	default:
		return sum;
	}
}

/** fc_stats_zero() - set all counters to zero; what is counted meanwhile may be lost */
void fc_stats_zero(struct fc_cache *c)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(c->stats, cpu), 0, sizeof(struct fc_stats));
}
