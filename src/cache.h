/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: What one cache owns.
 *
 * Each room has its part of the structure and its own header; this file ties them together. Locks
 * are listed in docs/locking.md.
 */
#ifndef FC_CACHE_H
#define FC_CACHE_H

#include <linux/device-mapper.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mempool.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "clean/cleaner.h"
#include "compat/compat.h"
#include "core/desk.h"
#include "core/format.h"
#include "core/seq.h"
#include "flashcache/uapi.h"
#include "io/pages.h"
#include "io/submit.h"
#include "meta/meta.h"
#include "sys/gate.h"
#include "sys/hist.h"
#include "sys/stats.h"

#define FC_BASENAME_LEN	100

/* The ladder of health. It is only ever stepped down, by fc_health_lower(). */
enum fc_health { FC_HEALTH_OK, FC_HEALTH_DEGRADED, FC_HEALTH_FAILED };

/**
 * struct fc_tunables - run-time settings, see FC_TUNABLES; written under @life, read without a lock
 */
struct fc_tunables {
#define FC_TUNABLE_FIELD(name, standard, least, most, kept, help) u32 name;
	FC_TUNABLES(FC_TUNABLE_FIELD)
#undef FC_TUNABLE_FIELD
};

/* Bits of struct fc_config's @tuned. */
#define FC_TUNED_ENUM(name, standard, least, most, kept, help) FC_TUNED_##name,
enum fc_tuned { FC_TUNABLES(FC_TUNED_ENUM) FC_NR_TUNABLES };

#undef FC_TUNED_ENUM

/**
 * struct fc_config - what the table line says; changed by a load only
 * @name: name of the cache
 * @ssd_base: last part of the cache device's path, as typed
 * @disk_base: the same of the disk
 * @persist: enum fc_persist
 * @mode: enum fc_mode
 * @want: sizes as asked for
 * @tune: settings asked for
 * @tuned: bit i: the i-th setting of FC_TUNABLES is not taken from flash: the line has it, or the
 *	cache has been loaded before
 * @uuid: for a new cache; zero: a random one
 * @disk_id: for a new cache, or a disk that changed its name
 * @ssd_wins: dirty blocks are kept although the disk was written without the cache; for one load
 */
struct fc_config {
	char name[FCD_NAME_LEN];
	char ssd_base[FC_BASENAME_LEN];
	char disk_base[FC_BASENAME_LEN];
	u8 persist;
	u8 mode;
	struct fc_geo_want want;
	struct fc_tunables tune;
	unsigned long tuned;
	u8 uuid[FCD_UUID_LEN];
	char disk_id[FCD_ID_LEN];
	u8 ssd_wins;
};

/**
 * struct fc_cache - a cache, from constructor to destructor
 * @core: decisions' state; its sets exist from the first resume on
 * @tune: run-time settings
 * @stats: counters, per CPU
 * @hist: histograms, per CPU
 * @gate: who may bring something into the cache
 * @watched: of each request something is to be noted: no fast lane
 * @busy: requests on the disk that a user waits for
 * @ti: dm target
 * @disk: the slow device
 * @ssd: the cache device
 * @cfg: table line
 * @health: enum fc_health; changed under @health_lock
 * @event_work: tells user space of a change of health
 * @life: held while @loaded changes, and by those who look at the sets from outside of requests
 * @list: place among the caches that are loaded
 * @sync_stopped: somebody stopped the cleaning of everything (stop_sync)
 * @loaded: sets are in memory and the flash says "running"
 * @disk_unflushed: the disk took writes since its last flush that a FLUSH must make durable
 * @ssd_unflushed: so did the flash
 * @seq: sequential streams, under @seq_lock
 * @wq: runs deferred requests and discards
 * @job_wq: runs what these may wait for: jobs and cleaner's runs
 * @again: requests that are to ask the desk again
 * @again_work: runs @again
 * @discards: discards that wait for their turn, under @discard_lock
 * @discarding: the one whose turn it is, under @discard_lock
 * @discard_ready: it can go on, under @discard_lock
 * @discard_work: runs @discarding
 * @io: ways to the devices
 * @jobs: memory of fills and copies
 * @pages: pages of jobs, kept for the next
 * @fetch_pages: pages that a fetch can always get
 * @nr_jobs: jobs in flight; @jobs_done is woken when there are none
 * @jobs_done: who waits for the jobs to end
 * @meta: ledger on flash
 * @clean: cleaner
 */
struct fc_cache {
	struct fc_core core;
	struct fc_tunables tune;
	struct fc_stats __percpu *stats;
	struct fc_hist __percpu *hist;
	struct fc_gate gate;
	bool watched;
	atomic_t busy;

	struct dm_target *ti;
	struct dm_dev *disk;
	struct dm_dev *ssd;
	struct fc_config cfg;

	spinlock_t health_lock;
	u8 health;
	struct work_struct event_work;
	struct mutex life;
	struct list_head list;
	bool sync_stopped;
	bool loaded;
	bool disk_unflushed;
	bool ssd_unflushed;

	spinlock_t seq_lock;
	struct fc_seq seq;

	struct workqueue_struct *wq;
	struct workqueue_struct *job_wq;
	struct llist_head again;
	struct work_struct again_work;
	spinlock_t discard_lock;
	struct bio_list discards;
	struct bio *discarding;
	bool discard_ready;
	struct work_struct discard_work;

	struct fc_submit io;
	mempool_t jobs;
	struct fc_pages pages;
	mempool_t fetch_pages;
	atomic_t nr_jobs;
	wait_queue_head_t jobs_done;

	struct fc_meta meta;
	struct fc_cleaner clean;
};

struct fc_cache *fc_cache_create(struct dm_target *ti, const struct fc_config *cfg);
void fc_cache_destroy(struct fc_cache *c);
int fc_cache_resume(struct fc_cache *c);
void fc_cache_suspend(struct fc_cache *c);
void fc_cache_set_mode(struct fc_cache *c, u8 mode);
void fc_cache_tune(struct fc_cache *c);
u64 fc_cache_dirty(const struct fc_cache *c);
u64 fc_cache_cached(const struct fc_cache *c);

/* health.c */
int fc_health_module_init(void);
void fc_health_module_exit(void);
void fc_health_init(struct fc_cache *c);
void fc_health_exit(struct fc_cache *c);
void fc_health_lower(struct fc_cache *c, enum fc_health to, const char *why);
const char *fc_health_name(enum fc_health health);

static inline void fc_set_lock(struct fc_set *set, unsigned long *flags)
{
	spin_lock_irqsave(&set->lock, *flags);
}

static inline void fc_set_unlock(struct fc_set *set, unsigned long flags)
{
	spin_unlock_irqrestore(&set->lock, flags);
}

/*
 * Buffers of any size. When there is no memory the caller says so in one line; the kernel's own
 * report, a page with the stack and the state of all memory, would hide that line.
 */
static inline void *fc_vmalloc(size_t size)
{
	return __vmalloc(size, GFP_KERNEL | __GFP_NOWARN);
}

static inline void *fc_vzalloc(size_t size)
{
	return __vmalloc(size, GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO);
}

#endif /* FC_CACHE_H */
