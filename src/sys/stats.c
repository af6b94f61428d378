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
	return sum;
}

/** fc_stats_zero() - set all counters to zero; what is counted meanwhile may be lost */
void fc_stats_zero(struct fc_cache *c)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(c->stats, cpu), 0, sizeof(struct fc_stats));
}
