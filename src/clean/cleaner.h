/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The cleaner: brings dirty blocks to the disk.
 *
 * One worker collects what should be cleaned over many sets, sorts it by disk address, and writes
 * it in the largest runs it can make, a bounded number at a time.
 */
#ifndef FC_CLEAN_CLEANER_H
#define FC_CLEAN_CLEANER_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/clean.h"

struct fc_cache;

#define FC_CLEAN_BATCH_MIN	4096u
#define FC_CLEAN_BATCH_MAX	(1u << 20)
#define FC_CLEAN_RUNS		16u	/* runs in memory, at most in flight */
#define FC_CLEAN_RUN_SECTORS	512u	/* 256 KiB */
#define FC_CLEAN_FAILED_MAX	8	/* failed runs in a row after which to give up */
#define FC_CLEAN_RUN_BLOCKS	(FC_CLEAN_RUN_SECTORS / FC_BLOCK_MIN)

/**
 * struct fc_cleaner - the cleaner's part of a cache
 * @wq: its queue
 * @work: its worker
 * @tick: looks once a second whether the cache is idle enough to clean
 * @pace: wakes @work when clean_rate_kb made it rest
 * @items: room for @batch slots; worker only
 * @batch: slots sorted at a time
 * @runs: FC_CLEAN_RUNS runs with their memory
 * @lock: guards @idle
 * @idle: runs that are not in flight
 * @nr_idle: their number
 * @wait: woken when a run becomes idle
 * @next_set: where the next search for full sets begins; worker only
 * @sweep: the sweep over the whole cache has come to this block; worker only
 * @all: clean everything (do_sync); cleared when done
 * @restart: the sweep is to begin anew
 * @found: blocks that the present pass of the sweep has found; worker only
 * @taken: blocks that runs were started with; worker only
 * @kept: blocks cleaned since removals were asked for, that a durable record keeps in their slots
 * @credit: what clean_rate_kb allows now, in sectors x HZ; worker only
 * @credited: when that was added to, in jiffies; worker only
 * @hurry: the device is being removed: clean_rate_kb does not count
 * @fallow: blocks that may be cleaned because the cache is idle
 * @stop: give up: the cache is suspended, or its removal was interrupted
 * @failed: runs that failed since the last success
 * @seen: requests counted at the last tick
 * @quiet: seconds since requests were seen
 */
struct fc_cleaner {
	struct workqueue_struct *wq;
	struct work_struct work;
	struct delayed_work tick;
	struct delayed_work pace;
	struct fc_clean_item *items;
	u32 batch;
	struct fc_clean_run *runs;
	spinlock_t lock;
	struct list_head idle;
	unsigned int nr_idle;
	wait_queue_head_t wait;
	u32 next_set;
	u64 sweep;
	bool all;
	bool restart;
	u64 found;
	u64 taken;
	atomic_t kept;
	s64 credit;
	unsigned long credited;
	bool hurry;
	atomic_t fallow;
	bool stop;
	atomic_t failed;
	u64 seen;
	u32 quiet;
};

int fc_cleaner_init(struct fc_cache *c);
int fc_cleaner_size(struct fc_cache *c);
void fc_cleaner_exit(struct fc_cache *c);
void fc_cleaner_start(struct fc_cache *c);
void fc_cleaner_stop(struct fc_cache *c);
void fc_cleaner_kick(struct fc_cache *c);
void fc_cleaner_want(struct fc_cache *c, struct fc_set *set);
void fc_cleaner_all(struct fc_cache *c, bool on);
int fc_cleaner_drain(struct fc_cache *c);

/* run.c */
int fc_clean_runs_init(struct fc_cache *c);
int fc_clean_runs_reserve(struct fc_cache *c);
void fc_clean_runs_exit(struct fc_cache *c);
u32 fc_clean_run_start(struct fc_cache *c, const struct fc_clean_item *items, u32 nr);
void fc_clean_runs_wait(struct fc_cache *c, unsigned int in_flight);

#endif /* FC_CLEAN_CLEANER_H */
