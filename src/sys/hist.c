// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/seq_file.h>

#include "cache.h"

/**
 * fc_hist_latency() - a request has ended
 * @c: cache
 * @since: fc_hist_clock() at its beginning
 *
 * Context: any.
 */
void fc_hist_latency(struct fc_cache *c, u32 since)
{
	u64 us = (u64)(fc_hist_clock() - since) * 1024 / 1000;
	u32 step = min_t(u32, (u32)us / FC_LATENCY_STEP, FC_LATENCY_STEPS);

	this_cpu_inc(c->hist->latency[step]);
}

/** fc_hist_zero_latency() - forget the latencies */
void fc_hist_zero_latency(struct fc_cache *c)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct fc_hist *h = per_cpu_ptr(c->hist, cpu);

		memset(h->latency, 0, sizeof(h->latency));
	}
}

/** fc_hist_zero() - forget all; what is counted meanwhile may be lost */
void fc_hist_zero(struct fc_cache *c)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(c->hist, cpu), 0, sizeof(struct fc_hist));
}

static u64 sum(u64 __percpu *cell)
{
	u64 all = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		all += READ_ONCE(*per_cpu_ptr(cell, cpu));
	return all;
}

/** fc_hist_show_sizes() - print "bytes:number" for each size */
void fc_hist_show_sizes(struct seq_file *m, struct fc_cache *c)
{
	u32 i;

	for (i = 1; i <= FC_SIZE_MAX; i++)
		seq_printf(m, "%u:%llu ", i << SECTOR_SHIFT,
			   sum(&c->hist->size[i]) + fc_stats_lane(c, i, i));
	seq_printf(m, "larger:%llu\n",
		   sum(&c->hist->size[i]) + fc_stats_lane(c, i, FC_BLOCK_MAX));
}

/** fc_hist_show_latency() - print "microseconds:number" of those that took just less than that */
void fc_hist_show_latency(struct seq_file *m, struct fc_cache *c)
{
	u32 i;

	for (i = 0; i < FC_LATENCY_STEPS; i++)
		seq_printf(m, "%u:%llu ", (i + 1) * FC_LATENCY_STEP, sum(&c->hist->latency[i]));
	seq_printf(m, "larger:%llu\n", sum(&c->hist->latency[i]));
}
