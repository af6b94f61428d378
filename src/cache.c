// SPDX-License-Identifier: GPL-2.0
/*
 * A cache: built, brought to life, put to rest and torn down.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "dm/tunable.h"
#include "io/request.h"
#include "sys/window.h"

#define DM_MSG_PREFIX "flashcache"

/* --- settings --------------------------------------------------------------------------------- */

/**
 * fc_cache_tune() - make changed settings count
 * @c: cache, whose @tune was written
 */
void fc_cache_tune(struct fc_cache *c)
{
	c->core.policy = c->tune.reclaim_policy;
	c->core.fill_ahead = c->tune.fill_ahead;
	c->core.dirty_limit = max(1u, c->core.geo.assoc * c->tune.dirty_thresh_pct / 100);
	WRITE_ONCE(c->watched, c->tune.skip_seq_thresh_kb || c->tune.io_latency_hist);
	fc_gate_tune(c);
}

/**
 * fc_cache_set_mode() - change the mode at run time
 * @c: cache
 * @mode: enum fc_mode
 *
 * What is dirty when write-back ends is cleaned at once; until it is, a write to such a block waits
 * for its cleaning.
 */
void fc_cache_set_mode(struct fc_cache *c, u8 mode)
{
	WRITE_ONCE(c->core.mode, mode);
	if (mode != FC_MODE_WRITEBACK && c->loaded)
		fc_cleaner_all(c, true);
}

/* --- sums ------------------------------------------------------------------------------------- */

/** fc_cache_dirty() - number of slots with dirty units */
u64 fc_cache_dirty(const struct fc_cache *c)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; c->core.sets && i < c->core.geo.nr_sets; i++)
		sum += READ_ONCE(fc_core_set(&c->core, i)->dirty);
	return sum;
}

/** fc_cache_cached() - number of slots that hold a block */
u64 fc_cache_cached(const struct fc_cache *c)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; c->core.sets && i < c->core.geo.nr_sets; i++) {
		const struct fc_set *set = fc_core_set(&c->core, i);

		sum += READ_ONCE(set->len[FC_Q_SMALL]) + READ_ONCE(set->len[FC_Q_MAIN]);
	}
	return sum;
}

/* --- memory of the sets ----------------------------------------------------------------------- */

static void free_sets(struct fc_cache *c)
{
	vfree(c->core.sets);
	c->core.sets = NULL;
	memset(c->meta.lists, 0, sizeof(c->meta.lists));
}

/* Zeroed sets: fc_load() puts them together. */
static int alloc_sets(struct fc_cache *c)
{
	struct fc_core *core = &c->core;
	u32 i;

	free_sets(c);
	core->geo = c->meta.sb.geo;
	core->stride = fc_set_bytes(core->geo.assoc);
	core->sets = fc_vzalloc(core->stride * core->geo.nr_sets);
	if (!core->sets) {
		DMERR("%s: no memory for %llu MiB of metadata", c->cfg.name,
		      fc_geo_memory(&core->geo) >> 20);
		return -ENOMEM;
	}
	for (i = 0; i < core->geo.nr_sets; i++) {
		spin_lock_init(&fc_core_set(core, i)->lock);
		cond_resched();
	}
	return fc_cleaner_size(c);
}

/*
 * --- one at a time
 * --------------------------------------------------------------------------------
 */

static LIST_HEAD(caches);
static DEFINE_MUTEX(caches_lock);

/*
 * device-mapper lets several of its devices share one below. Two caches on one cache device, or two
 * before one disk, would destroy each other.
 */
static int enlist(struct fc_cache *c)
{
	struct fc_cache *other;
	int r = 0;

	mutex_lock(&caches_lock);
	list_for_each_entry(other, &caches, list)
		if (other->ssd->bdev == c->ssd->bdev || other->disk->bdev == c->disk->bdev)
			r = -EBUSY;
	if (!r)
		list_add(&c->list, &caches);
	mutex_unlock(&caches_lock);
	if (r)
		DMERR("%s: the disk or the cache device belongs to another running cache",
		      c->cfg.name);
	return r;
}

static void delist(struct fc_cache *c)
{
	mutex_lock(&caches_lock);
	list_del_init(&c->list);
	mutex_unlock(&caches_lock);
}

/* --- resume ----------------------------------------------------------------------------------- */

static bool wants(u64 asked, u64 is)
{
	return !asked || asked == is;
}

/* The table line may leave sizes out, but may not contradict what is on flash. */
static const char *check_table(struct fc_cache *c, const struct fc_super *sb)
{
	const struct fc_geo_want *want = &c->cfg.want;
	const struct fc_geo *geo = &sb->geo;

	if (memchr_inv(c->cfg.uuid, 0, sizeof(sb->uuid)) &&
	    memcmp(c->cfg.uuid, sb->uuid, sizeof(sb->uuid)))
		return "the cache device holds another cache than the table names by its uuid";
	if (!wants(want->block_sectors, geo->block_sectors))
		return "the block size in the table is not that of the cache";
	if (!wants(want->assoc, geo->assoc))
		return "the associativity in the table is not that of the cache";
	if (!wants(want->cluster_sectors, (u64)geo->block_sectors << geo->cluster_shift))
		return "the disk associativity in the table is not that of the cache";
	if (!wants(want->cache_sectors, geo->flash_sectors))
		return "the cache size in the table is not that of the cache";
	if (geo->flash_sectors > want->flash_sectors)
		return "the cache device is smaller than the cache on it";
	if (geo->disk_sectors < want->disk_sectors &&
	    geo->disk_sectors & ((1u << geo->unit_shift) - 1))
		return "the disk has grown, but its old size was no multiple of a unit: create anew";
	if ((want->disk_sectors - 1) >> geo->block_shift >> FC_BLOCK_BITS)
		return "the disk has grown too large for the block size of the cache: create anew";
	if (geo->disk_sectors > want->disk_sectors)
		return "the table is shorter than the disk that the cache was made for";
	return NULL;
}

/* Far beyond what a cache counts to in its life, and far below what a superblock may say. */
#define NUMBERS_MAX	(1ull << 62)

/* What is loaded goes on counting: it must not come to where it could not be read again. */
static const char *check_numbers(const struct fc_super *sb)
{
	if (sb->seq > NUMBERS_MAX || sb->tail_seq > NUMBERS_MAX || sb->table_gen > NUMBERS_MAX)
		return "the superblock has numbers that no cache reaches";
	return NULL;
}

static int use_existing(struct fc_cache *c, const struct fc_super *sb)
{
	const char *why = check_table(c, sb);

	if (!why)
		why = check_numbers(sb);
	if (!why && c->cfg.persist == FC_PERSIST_CREATE)
		why = "a cache exists already: load it, or destroy it first";
	if (why) {
		DMERR("%s: %s", c->cfg.name, why);
		return -EINVAL;
	}
	c->meta.sb = *sb;
	/* A disk that has grown is covered in full from now on. */
	c->meta.sb.geo.disk_sectors = c->cfg.want.disk_sectors;
	return 0;
}

/* A line that does not say what is wanted must not cost anybody's data. */
static bool may_create(struct fc_cache *c, const char **why)
{
	if (c->cfg.persist == FC_PERSIST_CREATE)
		return true;
	if (c->cfg.persist == FC_PERSIST_AUTO) {
		if (fc_super_blank(c))
			return true;
		*why = "no cache found, and the device is not blank: say 2 (create) as persistence";
	}
	return false;
}

static int create(struct fc_cache *c, u64 old_seq)
{
	int r = fc_super_create(c, old_seq);

	/* From now on the line means this cache, also if the rest of the resume fails. */
	if (!r)
		c->cfg.persist = FC_PERSIST_LOAD;
	return r;
}

static int find_or_create(struct fc_cache *c)
{
	struct fc_super sb;
	const char *why;
	int r;

	r = fc_super_read(c, &sb, &why);
	if (c->cfg.persist == FC_PERSIST_FORCE)
		return create(c, r ? 0 : sb.seq);
	if (!r)
		return use_existing(c, &sb);
	if (r == -ENOENT && may_create(c, &why))
		return create(c, 0);
	DMERR("%s: %s", c->cfg.name, why);
	return r;
}

/* Settings of the table line go before those that the cache remembers. */
static void take_settings(struct fc_cache *c)
{
	struct fc_super *sb = &c->meta.sb;

	fc_tunables_take(&c->tune, sb, c->cfg.tuned);
	sb->mode = c->core.mode;
	strscpy(sb->name, c->cfg.name, sizeof(sb->name));
	if (c->cfg.disk_id[0])
		strscpy(sb->disk_id, c->cfg.disk_id, sizeof(sb->disk_id));
	fc_cache_tune(c);
}

static void keep_settings(struct fc_cache *c)
{
	struct fc_super *sb = &c->meta.sb;

	sb->mode = c->core.mode;
	fc_tunables_keep(&c->tune, sb);
}

/* Health is that of a life: what made it worse shows again, or is gone. */
static void recover(struct fc_cache *c)
{
	c->health = FC_HEALTH_OK;
	c->core.no_writeback = false;
	c->meta.failed = false;
}

static int bring_in(struct fc_cache *c)
{
	int r;

	recover(c);
	r = find_or_create(c);
	if (!r)
		r = alloc_sets(c);
	if (r)
		return r;
	take_settings(c);
	r = fc_load(c);
	if (r)
		free_sets(c);
	return r;
}

/* Loads with the device blocked: memory must not be had by writing to it. */
static int load(struct fc_cache *c)
{
	unsigned int noio = memalloc_noio_save();
	int r = enlist(c);

	if (!r) {
		r = bring_in(c);
		if (r)
			delist(c);
	}
	memalloc_noio_restore(noio);
	if (r)
		return r;
	c->cfg.persist = FC_PERSIST_LOAD;
	c->cfg.tuned = ~0ul;
	c->cfg.ssd_wins = 0;
	c->loaded = true;
	DMINFO("%s: Cache metadata loaded from disk with %llu valid %llu DIRTY blocks",
	       c->cfg.name, fc_cache_cached(c), fc_cache_dirty(c));
	return 0;
}

static void start(struct fc_cache *c)
{
	fc_cleaner_start(c);
	if (c->core.mode != FC_MODE_WRITEBACK)
		fc_cleaner_all(c, true);
}

/**
 * fc_cache_resume() - bring the cache to life from what is on flash
 * @c: cache
 *
 * May be tried again after it failed. A cache that could not be stopped in order is still in memory
 * and simply goes on.
 *
 * Context: process, sleeps. Return: 0 or a negative error, told in the log.
 */
int fc_cache_resume(struct fc_cache *c)
{
	int r = 0;

	mutex_lock(&c->life);
	if (!c->loaded)
		r = load(c);
	if (!r)
		start(c);
	mutex_unlock(&c->life);
	if (!r)
		fc_window_open(c);
	return r;
}

/* --- suspend ---------------------------------------------------------------------------------- */

static void unload(struct fc_cache *c)
{
	/* Whoever gave a request to a worker has called the worker, too, by now. */
	synchronize_rcu();
	fc_cleaner_stop(c);
	flush_workqueue(c->wq);
	fc_run_wait(c);
	fc_meta_quiesce(c);
	keep_settings(c);
	if (fc_meta_stop(c)) {
		/* At least what needs no device but the flash. */
		fc_commit(c, false, false);
		DMERR("%s: could not be stopped in order; the next load will be as after a crash",
		      c->cfg.name);
	} else {
		c->loaded = false;
		delist(c);
	}
	/* A failure may have armed the timer again. */
	fc_meta_quiesce(c);
}

/**
 * fc_cache_suspend() - put everything on flash, so that the next resume finds it
 * @c: cache with no request in flight
 *
 * When that fails the flash keeps saying "running", and what is dirty will be found as after a
 * crash.
 *
 * Context: process, sleeps.
 */
void fc_cache_suspend(struct fc_cache *c)
{
	mutex_lock(&c->life);
	if (c->loaded)
		unload(c);
	mutex_unlock(&c->life);
}

/* --- beginning and end ------------------------------------------------------------------------ */

static int init_queues(struct fc_cache *c)
{
	INIT_WORK(&c->again_work, fc_request_again_work);
	INIT_WORK(&c->discard_work, fc_discard_work);
	spin_lock_init(&c->discard_lock);
	spin_lock_init(&c->seq_lock);
	bio_list_init(&c->discards);
	init_llist_head(&c->again);
	c->wq = alloc_workqueue("flashcache_rq", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	c->job_wq = alloc_workqueue("flashcache_io", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return c->wq && c->job_wq ? 0 : -ENOMEM;
}

static int init_rooms(struct fc_cache *c)
{
	int r;

	r = init_queues(c);
	if (!r)
		r = fc_submit_init(c);
	if (!r)
		r = fc_run_init(c);
	if (!r)
		r = fc_meta_init(c);
	if (!r)
		r = fc_cleaner_init(c);
	return r;
}

/**
 * fc_cache_create() - a cache without contents
 * @ti: its target
 * @cfg: table line
 *
 * Context: process, sleeps; no I/O. Return: cache or ERR_PTR(-ENOMEM).
 */
struct fc_cache *fc_cache_create(struct dm_target *ti, const struct fc_config *cfg)
{
	struct fc_cache *c = kvzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return ERR_PTR(-ENOMEM);
	c->ti = ti;
	c->cfg = *cfg;
	c->tune = cfg->tune;
	c->core.mode = cfg->mode;
	mutex_init(&c->life);
	INIT_LIST_HEAD(&c->list);
	fc_health_init(c);
	fc_gate_init(c);
	c->stats = alloc_percpu(struct fc_stats);
	c->hist = alloc_percpu(struct fc_hist);
	if (!c->stats || !c->hist || init_rooms(c)) {
		fc_cache_destroy(c);
		return ERR_PTR(-ENOMEM);
	}
	return c;
}

/**
 * fc_cache_destroy() - free a cache; no I/O
 * @c: cache, suspended or never resumed, perhaps created only in part
 */
void fc_cache_destroy(struct fc_cache *c)
{
	fc_window_close(c);
	delist(c);
	fc_health_exit(c);
	if (c->wq)
		destroy_workqueue(c->wq);
	if (c->job_wq)
		destroy_workqueue(c->job_wq);
	fc_cleaner_exit(c);
	fc_meta_exit(c);
	fc_run_exit(c);
	fc_submit_exit(c);
	free_sets(c);
	fc_gate_exit(c);
	free_percpu(c->hist);
	free_percpu(c->stats);
	kvfree(c);
}
