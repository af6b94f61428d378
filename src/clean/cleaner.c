// SPDX-License-Identifier: GPL-2.0
/*
 * The cleaner: decides when to clean how much, collects, sorts, and paces itself.
 */
#include <linux/sched/signal.h>
#include <linux/sort.h>

#include "cache.h"

#define DM_MSG_PREFIX "flashcache"

#define WANTED_A_SET	16u	/* slots cleaned at once in a set that had no room */
#define PACE		max(1, HZ / 20)	/* rest when clean_rate_kb is used up */

/* Why something is cleaned; sets the pace. */
enum fc_reason { FC_BECAUSE_WANTED, FC_BECAUSE_FULL, FC_BECAUSE_ALL, FC_BECAUSE_IDLE };

/* --- clean_rate_kb ---------------------------------------------------------------------------- */

/*
 * The credit of clean_rate_kb grows with time, up to that of a second, or one block if that is
 * more. Runs take neighbours along, and so may overdraw it.
 */
static bool have_credit(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;
	u32 rate = READ_ONCE(c->tune.clean_rate_kb);
	u64 a_second = (u64)rate * 2, most = max_t(u64, a_second, c->core.geo.block_sectors) * HZ;
	unsigned long now = jiffies;

	if (!rate || READ_ONCE(cl->hurry))
		return true;
	cl->credit += min_t(u64, a_second * (now - cl->credited), most);
	cl->credit = min_t(s64, cl->credit, most);
	cl->credited = now;
	return cl->credit >= (s64)c->core.geo.block_sectors * HZ;
}

/* Who waits for the cleaning itself is not held back, and neither is it charged. */
static void charge(struct fc_cache *c, enum fc_reason why, u64 blocks)
{
	if (why != FC_BECAUSE_WANTED && READ_ONCE(c->tune.clean_rate_kb))
		c->clean.credit -= (s64)(blocks << c->core.geo.block_shift) * HZ;
}

/* --- collecting ------------------------------------------------------------------------------- */

/*
 * Sets in which a request waits for a clean slot, or found no room. Some of their slots may be
 * clean already, and only wait for the record that frees them.
 */
static u32 collect_wanted(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;
	bool wanted = false, kept = false;
	struct fc_set *set;
	u32 nr = 0;

	while (nr + 2 * WANTED_A_SET <= cl->batch && (set = fc_meta_unlist(c, FC_LIST_CLEAN))) {
		unsigned long flags;
		u32 waiting;

		wanted = true;
		kept = kept || READ_ONCE(set->listed) & (1u << FC_LIST_DEL);
		fc_set_lock(set, &flags);
		waiting = fc_clean_pick_waiting(&c->core, set, cl->items + nr, WANTED_A_SET);
		nr += waiting;
		if (!waiting)
			nr += fc_clean_pick(&c->core, set, WANTED_A_SET, cl->items + nr,
					    WANTED_A_SET);
		fc_set_unlock(set, flags);
	}
	if (kept || (wanted && !nr))
		fc_meta_free_slots(c);
	return nr;
}

/*
 * Sets at their dirty limit give up an eighth of it, so that cleaning does not start for each
 * write.
 */
static u32 collect_full(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;
	u32 limit = c->core.dirty_limit, target = limit - limit / 8;
	u32 seen, nr = 0;

	for (seen = 0; seen < c->core.geo.nr_sets && nr + c->core.geo.assoc <= cl->batch; seen++) {
		struct fc_set *set = fc_core_set(&c->core, cl->next_set);
		unsigned long flags;

		if (READ_ONCE(set->dirty) >= limit) {
			fc_set_lock(set, &flags);
			if (set->dirty > target)
				nr += fc_clean_pick(&c->core, set, set->dirty - target,
						    cl->items + nr, cl->batch - nr);
			fc_set_unlock(set, flags);
		}
		if (++cl->next_set == c->core.geo.nr_sets)
			cl->next_set = 0;
		cond_resched();
	}
	return nr;
}

static int by_block(const void *a, const void *b)
{
	const struct fc_clean_item *x = a, *y = b;

	return x->b.n < y->b.n ? -1 : x->b.n > y->b.n;
}

static void sort_items(struct fc_cleaner *cl, u32 nr)
{
	sort(cl->items, nr, sizeof(*cl->items), by_block, NULL);
}

/* Keeps the items of a set that lie in the sweep's way and not behind @bound. */
static u32 filter(struct fc_cleaner *cl, u32 from, u32 to, u64 bound)
{
	u32 i, nr = from;

	for (i = from; i < to; i++)
		if (cl->items[i].b.n >= cl->sweep && cl->items[i].b.n <= bound)
			cl->items[nr++] = cl->items[i];
	return nr;
}

/*
 * The sweep: the dirty blocks with the lowest addresses from where it stands on. Whenever the room
 * is used up, the upper half of what was found is forgotten; the next pass will find it again.
 */
static u32 collect_sweep(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;
	u32 assoc = c->core.geo.assoc, nr = 0, i;
	u64 bound = ~0ull;

	for (i = 0; i < c->core.geo.nr_sets; i++) {
		struct fc_set *set = fc_core_set(&c->core, i);
		unsigned long flags;
		u32 found;

		if (!READ_ONCE(set->dirty))
			continue;
		if (nr + assoc > cl->batch) {
			sort_items(cl, nr);
			nr /= 2;
			bound = cl->items[nr - 1].b.n;
		}
		fc_set_lock(set, &flags);
		found = fc_clean_pick(&c->core, set, assoc, cl->items + nr, assoc);
		fc_set_unlock(set, flags);
		nr = filter(cl, nr, nr + found, bound);
		cond_resched();
	}
	return nr;
}

/* One pass of the sweep from the beginning of the disk to its end; 0 when it has come there. */
static u32 collect_next(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;
	u32 nr = collect_sweep(c);

	cl->found += nr;
	if (!nr)
		cl->sweep = 0;
	return nr;
}

/*
 * do_sync: passes from the beginning of the disk until one finds nothing. While write-back makes
 * new dirty blocks all the time, one whole pass has to do.
 */
static u32 collect_all(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;
	u32 nr;

	if (READ_ONCE(cl->restart)) {
		WRITE_ONCE(cl->restart, false);
		cl->sweep = 0;
		cl->found = 0;
	}
	nr = collect_next(c);
	if (!nr && cl->found && c->core.mode != FC_MODE_WRITEBACK) {
		cl->found = 0;
		nr = collect_next(c);
	}
	if (!nr && !READ_ONCE(cl->restart))
		WRITE_ONCE(cl->all, false);
	return nr;
}

static u32 collect_idle(struct fc_cache *c)
{
	u32 allowed = READ_ONCE(c->tune.fallow_delay) ? atomic_read(&c->clean.fallow) : 0;

	return allowed ? min(collect_next(c), allowed) : 0;
}

static u32 collect(struct fc_cache *c, enum fc_reason *why)
{
	u32 nr;

	*why = FC_BECAUSE_WANTED;
	nr = collect_wanted(c);
	if (nr)
		return nr;
	if (!have_credit(c)) {
		queue_delayed_work(c->clean.wq, &c->clean.pace, PACE);
		return 0;
	}
	*why = FC_BECAUSE_FULL;
	nr = collect_full(c);
	if (nr)
		return nr;
	if (READ_ONCE(c->clean.all)) {
		*why = FC_BECAUSE_ALL;
		return collect_all(c);
	}
	*why = FC_BECAUSE_IDLE;
	return collect_idle(c);
}

/* --- pace ------------------------------------------------------------------------------------- */

/*
 * Runs that may be in flight beside the one to be started. While users wait for the disk there is
 * one at a time, unless somebody waits for the cleaning itself.
 */
static unsigned int beside(struct fc_cache *c, enum fc_reason why)
{
	u32 most = min(READ_ONCE(c->tune.max_clean_ios_total), FC_CLEAN_RUNS);

	if (why != FC_BECAUSE_WANTED && atomic_read(&c->busy))
		return 0;
	return most - 1;
}

/* The disk refuses writes, or must not get any. */
static bool gave_up(struct fc_cache *c)
{
	return READ_ONCE(c->meta.sealed) || atomic_read(&c->clean.failed) >= FC_CLEAN_FAILED_MAX;
}

static bool stopped(struct fc_cache *c)
{
	return READ_ONCE(c->clean.stop) || gave_up(c);
}

/* A batch was given up: those who wait for the rest of it must not be forgotten. */
static void relist(struct fc_cache *c, u32 from, u32 to)
{
	for (; from < to; from++) {
		u32 set = fc_geo_slot_set(&c->core.geo, c->clean.items[from].slot);

		fc_meta_list(c, fc_core_set(&c->core, set), FC_LIST_CLEAN);
	}
}

/*
 * What was cleaned can be given away only after a commit. Who waits for slots, or for all to be
 * clean, waits for that. Others wait for the next one, which comes within seconds, unless much is
 * kept from being used: so a commit either has something else to do, or many records.
 */
static void free_slots(struct fc_cache *c, enum fc_reason why)
{
	struct fc_cleaner *cl = &c->clean;
	u64 kept = atomic_read(&cl->kept);

	if (why != FC_BECAUSE_WANTED && why != FC_BECAUSE_ALL && kept < c->core.geo.nr_slots / 32)
		return;
	atomic_set(&cl->kept, 0);
	fc_meta_wait_freed(c);
}

static void clean_batch(struct fc_cache *c, u32 nr, enum fc_reason why)
{
	struct fc_cleaner *cl = &c->clean;
	u32 i = 0;

	sort_items(cl, nr);
	while (i < nr && !stopped(c) && (why == FC_BECAUSE_WANTED || have_credit(c))) {
		u64 taken = cl->taken;

		fc_clean_runs_wait(c, beside(c, why));
		i += fc_clean_run_start(c, cl->items + i, nr - i);
		charge(c, why, cl->taken - taken);
		if (why >= FC_BECAUSE_ALL)
			cl->sweep = cl->items[i - 1].b.n + 1;
		cond_resched();
	}
	if (why == FC_BECAUSE_WANTED)
		relist(c, i, nr);
	if (why == FC_BECAUSE_IDLE)
		atomic_sub(min_t(int, i, atomic_read(&cl->fallow)), &cl->fallow);
	fc_clean_runs_wait(c, 0);
	free_slots(c, why);
}

static void clean_work(struct work_struct *work)
{
	struct fc_cache *c = container_of(work, struct fc_cache, clean.work);
	enum fc_reason why;
	u32 nr;

	while (!stopped(c)) {
		nr = collect(c, &why);
		if (!nr)
			break;
		clean_batch(c, nr, why);
	}
}

static void pace_work(struct work_struct *work)
{
	fc_cleaner_kick(container_of(work, struct fc_cache, clean.pace.work));
}

/* Back-off: after failures cleaning is tried again once a second. */
static void tick_work(struct work_struct *work)
{
	struct fc_cache *c = container_of(work, struct fc_cache, clean.tick.work);
	struct fc_cleaner *cl = &c->clean;
	u32 delay = READ_ONCE(c->tune.fallow_delay);
	u64 seen = fc_stats_sum(c, FC_STAT_reads) + fc_stats_sum(c, FC_STAT_writes);

	fc_gate_expire(c);
	cl->quiet = seen == cl->seen ? cl->quiet + 1 : 0;
	cl->seen = seen;
	if (delay && cl->quiet >= delay)
		atomic_set(&cl->fallow, c->tune.fallow_clean_speed * c->core.geo.nr_sets);
	else
		atomic_set(&cl->fallow, 0);
	if (atomic_xchg(&cl->failed, 0) || cl->all || atomic_read(&cl->fallow))
		queue_work(cl->wq, &cl->work);
	queue_delayed_work(cl->wq, &cl->tick, HZ);
}

/* --- the outside ------------------------------------------------------------------------------ */

/**
 * fc_cleaner_kick() - there may be something to clean
 * @c: cache
 *
 * Context: any.
 */
void fc_cleaner_kick(struct fc_cache *c)
{
	if (!READ_ONCE(c->clean.stop))
		queue_work(c->clean.wq, &c->clean.work);
}

/**
 * fc_cleaner_want() - a set needs clean slots now
 * @c: cache
 * @set: set, not locked
 *
 * Context: any.
 */
void fc_cleaner_want(struct fc_cache *c, struct fc_set *set)
{
	fc_meta_list(c, set, FC_LIST_CLEAN);
	fc_cleaner_kick(c);
}

/**
 * fc_cleaner_all() - begin, or stop, cleaning everything
 * @c: cache
 * @on: begin
 */
void fc_cleaner_all(struct fc_cache *c, bool on)
{
	WRITE_ONCE(c->clean.restart, on);
	WRITE_ONCE(c->clean.all, on);
	if (on)
		fc_cleaner_kick(c);
}

/**
 * fc_cleaner_drain() - clean everything and wait for it, as device removal wants it
 * @c: cache without users
 *
 * Gives up when the caller is killed or the disk refuses writes; what is dirty then is safe on
 * flash.
 *
 * Context: process, sleeps. Return: 0, -EINTR or -EIO.
 */
int fc_cleaner_drain(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;
	u64 first = fc_cache_dirty(c), left = first;
	unsigned long told = jiffies;

	if (!first)
		return 0;
	DMINFO("%s: Cleaning %llu blocks please WAIT", c->cfg.name, first);
	WRITE_ONCE(cl->hurry, true);
	cancel_delayed_work_sync(&cl->tick);
	atomic_set(&cl->failed, 0);
	while (left) {
		if (fatal_signal_pending(current)) {
			WRITE_ONCE(cl->stop, true);
			return -EINTR;
		}
		if (gave_up(c))
			return -EIO;
		if (!work_busy(&cl->work))
			fc_cleaner_all(c, true);
		schedule_timeout_killable(HZ / 50);
		left = fc_cache_dirty(c);
		if (left && time_after(jiffies, told + 5 * HZ)) {
			told = jiffies;
			DMINFO("%s: %llu of %llu blocks cleaned", c->cfg.name, first - left, first);
		}
	}
	return 0;
}

/** fc_cleaner_start() - let the cleaner work */
void fc_cleaner_start(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;

	WRITE_ONCE(cl->stop, false);
	WRITE_ONCE(cl->hurry, false);
	WRITE_ONCE(c->core.no_clean, false);
	atomic_set(&cl->failed, 0);
	cl->quiet = 0;
	cl->sweep = 0;
	cl->next_set = 0;
	queue_delayed_work(cl->wq, &cl->tick, HZ);
	fc_cleaner_kick(c);
}

/**
 * fc_cleaner_stop() - end the cleaner's work
 * @c: cache
 *
 * Context: process, sleeps until the runs in flight are done.
 */
void fc_cleaner_stop(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;

	WRITE_ONCE(cl->stop, true);
	cancel_delayed_work_sync(&cl->tick);
	cancel_work_sync(&cl->work);
	cancel_delayed_work_sync(&cl->pace);
	/* Whoever gave the last run back may still hold the lock. */
	spin_lock_irq(&cl->lock);
	spin_unlock_irq(&cl->lock);
}

/**
 * fc_cleaner_size() - give the cleaner room for a cache whose geometry is known now
 * @c: cache
 *
 * Context: process, sleeps. Return: 0 or -ENOMEM.
 */
int fc_cleaner_size(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;

	vfree(cl->items);
	cl->batch = clamp_t(u64, c->core.geo.nr_slots / 128,
			    max(FC_CLEAN_BATCH_MIN, 4 * c->core.geo.assoc), FC_CLEAN_BATCH_MAX);
	cl->items = fc_vmalloc(cl->batch * sizeof(*cl->items));
	return cl->items ? fc_clean_runs_reserve(c) : -ENOMEM;
}

int fc_cleaner_init(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;

	spin_lock_init(&cl->lock);
	init_waitqueue_head(&cl->wait);
	INIT_WORK(&cl->work, clean_work);
	INIT_DELAYED_WORK(&cl->tick, tick_work);
	INIT_DELAYED_WORK(&cl->pace, pace_work);
	cl->stop = true;
	cl->wq = alloc_workqueue("flashcache_cl", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return cl->wq ? fc_clean_runs_init(c) : -ENOMEM;
}

void fc_cleaner_exit(struct fc_cache *c)
{
	if (c->clean.wq)
		destroy_workqueue(c->clean.wq);
	fc_clean_runs_exit(c);
	vfree(c->clean.items);
}
