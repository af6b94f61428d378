// SPDX-License-Identifier: GPL-2.0
/*
 * A run: blocks that lie one behind the other on the disk, read from their slots and written in as
 * few pieces as their dirty units allow.
 */
#include <linux/slab.h>

#include "io/request.h"

#define RUN_PAGES (FC_CLEAN_RUN_SECTORS / PAGE_SECTORS)

/**
 * struct fc_clean_run - a run and its memory
 * @c: cache
 * @list: place among the idle runs
 * @work: continues in process context
 * @left: I/O in flight, and one for whoever still submits
 * @failed: something went wrong
 * @nr: blocks
 * @items: the blocks, ascending without gaps
 * @units: dirty units of each
 * @pages: their data, at its place within the run; those of the first block are there from the
 *	beginning, so that there is always a way to clean, others since they were first needed
 */
struct fc_clean_run {
	struct fc_cache *c;
	struct list_head list;
	struct work_struct work;
	atomic_t left;
	bool failed;
	u32 nr;
	struct fc_clean_item items[FC_CLEAN_RUN_BLOCKS];
	u16 units[FC_CLEAN_RUN_BLOCKS];
	struct page *pages[RUN_PAGES];
};

static struct fc_set *set_of(struct fc_cache *c, const struct fc_clean_item *item)
{
	return fc_core_set(&c->core, fc_geo_slot_set(&c->core.geo, item->slot));
}

/* --- idle runs -------------------------------------------------------------------------------- */

static struct fc_clean_run *get_run(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;
	struct fc_clean_run *run;
	unsigned long flags;

	spin_lock_irqsave(&cl->lock, flags);
	run = list_first_entry(&cl->idle, struct fc_clean_run, list);
	list_del(&run->list);
	cl->nr_idle--;
	spin_unlock_irqrestore(&cl->lock, flags);
	return run;
}

static void put_run(struct fc_clean_run *run)
{
	struct fc_cleaner *cl = &run->c->clean;
	unsigned long flags;

	spin_lock_irqsave(&cl->lock, flags);
	list_add(&run->list, &cl->idle);
	cl->nr_idle++;
	wake_up_all(&cl->wait);
	spin_unlock_irqrestore(&cl->lock, flags);
}

/**
 * fc_clean_runs_wait() - wait until at most so many runs are in flight
 * @c: cache
 * @in_flight: number, below FC_CLEAN_RUNS
 *
 * Context: the cleaner's worker.
 */
void fc_clean_runs_wait(struct fc_cache *c, unsigned int in_flight)
{
	struct fc_cleaner *cl = &c->clean;

	wait_event(cl->wait, READ_ONCE(cl->nr_idle) >= FC_CLEAN_RUNS - in_flight);
}

/* --- a run's way ------------------------------------------------------------------------------ */

/* After some failures in a row, requests that wait for cleaning are refused instead. */
static void note_result(struct fc_clean_run *run)
{
	struct fc_cache *c = run->c;

	if (!run->failed) {
		atomic_set(&c->clean.failed, 0);
		WRITE_ONCE(c->core.no_clean, false);
		fc_count_by(c, cleanings, run->nr);
	} else if (atomic_inc_return(&c->clean.failed) >= FC_CLEAN_FAILED_MAX) {
		WRITE_ONCE(c->core.no_clean, true);
	}
}

static void end_run(struct fc_clean_run *run)
{
	struct fc_cache *c = run->c;
	u32 i;

	note_result(run);
	for (i = 0; i < run->nr; i++) {
		struct fc_set *set = set_of(c, &run->items[i]);
		unsigned long flags;
		unsigned int done;

		fc_set_lock(set, &flags);
		done = fc_clean_end(&c->core, set, &run->items[i], run->units[i], !run->failed);
		/* Before the lock is released: a commit that finds nothing here asks it next. */
		if (done & FC_DONE_BARE)
			WRITE_ONCE(c->disk_unflushed, true);
		if (done & FC_DONE_DEL)
			atomic_inc(&c->clean.kept);
		fc_wait_unlock(c, set, flags, done);
	}
	put_run(run);
}

static void disk_written(void *context, blk_status_t status)
{
	struct fc_clean_run *run = context;

	if (status)
		run->failed = true;
	if (atomic_dec_and_test(&run->left))
		end_run(run);
}

/* The dirty unit @u of the run, counted over all its blocks; false behind its end. */
static bool unit_dirty(const struct fc_clean_run *run, u32 u)
{
	const struct fc_geo *geo = &run->c->core.geo;

	return u < run->nr * geo->units && run->units[u / geo->units] >> (u % geo->units) & 1;
}

/* Writes each stretch of dirty units, over the borders of blocks, in one piece. */
static void write_disk(struct work_struct *work)
{
	struct fc_clean_run *run = container_of(work, struct fc_clean_run, work);
	struct fc_cache *c = run->c;
	const struct fc_geo *geo = &c->core.geo;
	sector_t start = fc_geo_block_sector(geo, run->items[0].b);
	u32 u = 0, end;

	atomic_set(&run->left, 1);
	for (; u < run->nr * geo->units; u = end) {
		u32 first, sectors;

		end = u + 1;
		if (!unit_dirty(run, u))
			continue;
		while (unit_dirty(run, end))
			end++;
		first = u << geo->unit_shift;
		sectors = min_t(sector_t, (end - u) << geo->unit_shift,
				geo->disk_sectors - start - first);
		atomic_inc(&run->left);
		fc_count(c, clean_writes);
		fc_submit_pages(c, FC_DISK_DEV, REQ_OP_WRITE, start + first, run->pages, first,
				sectors, GFP_NOIO, disk_written, run);
	}
	if (atomic_dec_and_test(&run->left))
		end_run(run);
}

static void ssd_read(void *context, blk_status_t status)
{
	struct fc_clean_run *run = context;

	if (status)
		run->failed = true;
	if (!atomic_dec_and_test(&run->left))
		return;
	if (run->failed)
		end_run(run);
	else
		queue_work(run->c->job_wq, &run->work);
}

/* Reads the span of dirty units of each block. */
static void read_slots(struct fc_clean_run *run)
{
	struct fc_cache *c = run->c;
	const struct fc_geo *geo = &c->core.geo;
	u32 i;

	atomic_set(&run->left, 1);
	for (i = 0; i < run->nr; i++) {
		u32 from = __ffs(run->units[i]) << geo->unit_shift;
		u32 to = (__fls(run->units[i]) + 1) << geo->unit_shift;

		atomic_inc(&run->left);
		fc_submit_pages(c, FC_SSD_DEV, REQ_OP_READ,
				fc_geo_slot_sector(geo, run->items[i].slot) + from, run->pages,
				(i << geo->block_shift) + from, to - from, GFP_NOIO, ssd_read,
				run);
	}
	ssd_read(run, BLK_STS_OK);
}

static u16 claim(struct fc_cache *c, const struct fc_clean_item *item)
{
	struct fc_set *set = set_of(c, item);
	unsigned long flags;
	u16 units;

	fc_set_lock(set, &flags);
	units = fc_clean_begin(&c->core, set, item);
	fc_set_unlock(set, flags);
	return units;
}

/* The block behind the run, if it is dirty as well although nobody chose it. */
static bool find_next(struct fc_cache *c, struct fc_oblock b, struct fc_clean_item *item)
{
	struct fc_set *set;
	unsigned long flags;
	bool found;

	if (fc_geo_block_sector(&c->core.geo, b) >= c->core.geo.disk_sectors)
		return false;
	set = fc_core_set(&c->core, fc_geo_set(&c->core.geo, fc_geo_hash(&c->core.geo, b)));
	fc_set_lock(set, &flags);
	found = fc_clean_find(&c->core, set, b, item);
	fc_set_unlock(set, flags);
	return found;
}

/* Is there memory for the block behind the last one? */
static bool get_pages(struct fc_clean_run *run, gfp_t gfp)
{
	const struct fc_geo *geo = &run->c->core.geo;
	u32 from = run->nr << geo->block_shift, i;

	for (i = from / PAGE_SECTORS; i * PAGE_SECTORS < from + geo->block_sectors; i++) {
		if (!run->pages[i])
			run->pages[i] = alloc_page(gfp);
		if (!run->pages[i])
			return false;
	}
	return true;
}

static bool add(struct fc_clean_run *run, const struct fc_clean_item *item)
{
	u16 units;

	if (run->nr << run->c->core.geo.block_shift == FC_CLEAN_RUN_SECTORS)
		return false;
	if (!get_pages(run, GFP_NOWAIT | __GFP_NOWARN))
		return false;
	units = claim(run->c, item);
	if (!units)
		return false;
	run->items[run->nr] = *item;
	run->units[run->nr++] = units;
	return true;
}

/**
 * fc_clean_run_start() - clean the first of some blocks, and what follows it on the disk
 * @c: cache
 * @items: blocks in ascending order
 * @nr: their number, at least 1
 *
 * Context: the cleaner's worker; a run must be idle (fc_clean_runs_wait()).
 * Return: how many of @items are dealt with.
 */
u32 fc_clean_run_start(struct fc_cache *c, const struct fc_clean_item *items, u32 nr)
{
	struct fc_clean_run *run = get_run(c);
	struct fc_clean_item item = items[0];
	u32 used = 1;

	run->nr = 0;
	run->failed = false;
	while (add(run, &item)) {
		struct fc_oblock next = { item.b.n + 1 };

		if (used < nr && items[used].b.n == next.n)
			item = items[used++];
		else if (!find_next(c, next, &item))
			break;
	}
	/* An item that was looked at but did not fit any more gets its turn again. */
	if (used > 1 && run->nr && items[used - 1].b.n > run->items[run->nr - 1].b.n)
		used--;
	c->clean.taken += run->nr;
	if (run->nr)
		read_slots(run);
	else
		put_run(run);
	return used;
}

/* --- memory ----------------------------------------------------------------------------------- */

void fc_clean_runs_exit(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;
	u32 i, j;

	for (i = 0; cl->runs && i < FC_CLEAN_RUNS; i++)
		for (j = 0; j < RUN_PAGES; j++)
			if (cl->runs[i].pages[j])
				__free_page(cl->runs[i].pages[j]);
	kvfree(cl->runs);
	cl->runs = NULL;
}

int fc_clean_runs_init(struct fc_cache *c)
{
	struct fc_cleaner *cl = &c->clean;
	u32 i;

	INIT_LIST_HEAD(&cl->idle);
	cl->runs = kvcalloc(FC_CLEAN_RUNS, sizeof(*cl->runs), GFP_KERNEL);
	if (!cl->runs)
		return -ENOMEM;
	for (i = 0; i < FC_CLEAN_RUNS; i++) {
		struct fc_clean_run *run = &cl->runs[i];

		run->c = c;
		INIT_WORK(&run->work, write_disk);
		list_add(&run->list, &cl->idle);
	}
	cl->nr_idle = FC_CLEAN_RUNS;
	return 0;
}

/**
 * fc_clean_runs_reserve() - make sure of the memory that each run must have
 * @c: cache, with its geometry
 *
 * Context: process, sleeps, no run in flight. Return: 0 or -ENOMEM.
 */
int fc_clean_runs_reserve(struct fc_cache *c)
{
	u32 i;

	for (i = 0; i < FC_CLEAN_RUNS; i++) {
		c->clean.runs[i].nr = 0;
		if (!get_pages(&c->clean.runs[i], GFP_KERNEL))
			return -ENOMEM;
	}
	return 0;
}
