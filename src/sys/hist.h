/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Histograms of requests: sizes, always; latencies, while io_latency_hist is on.
 */
#ifndef FC_SYS_HIST_H
#define FC_SYS_HIST_H

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct seq_file;
struct fc_cache;

#define FC_SIZE_MAX		32u	/* sectors; all that is longer is counted together */
#define FC_LATENCY_STEP		250u	/* microseconds */
#define FC_LATENCY_STEPS	40u	/* up to 10 ms; all that is longer is counted together */

/**
 * struct fc_hist - histograms of one CPU
 * @size: requests by their sectors, but for those in the fast lane (struct fc_stats)
 * @latency: reads and writes by the time that they took, in steps of FC_LATENCY_STEP
 */
struct fc_hist {
	u64 size[FC_SIZE_MAX + 2];
	u64 latency[FC_LATENCY_STEPS + 1];
};

#define fc_hist_size(c, sectors) \
	this_cpu_inc((c)->hist->size[min_t(u32, (sectors), FC_SIZE_MAX + 1)])

/* The time in units of 1024 ns, which 32 bits hold for more than an hour. */
static inline u32 fc_hist_clock(void)
{
	return (u32)(ktime_get_ns() >> 10);
}

void fc_hist_latency(struct fc_cache *c, u32 since);
void fc_hist_zero(struct fc_cache *c);
void fc_hist_zero_latency(struct fc_cache *c);
void fc_hist_show_sizes(struct seq_file *m, struct fc_cache *c);
void fc_hist_show_latency(struct seq_file *m, struct fc_cache *c);

#endif /* FC_SYS_HIST_H */
