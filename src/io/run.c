// SPDX-License-Identifier: GPL-2.0
/*
 * Plans that move data through memory: fills, fetches and writes to both devices.
 *
 * A job holds a private copy of the data. The user is answered as early as durability allows, and
 * the job goes on without the user's request; what it writes to the flash no process can change any
 * more.
 */
#include <linux/slab.h>

#include "io/request.h"

#define JOB_PAGES	(FC_CLAIM_SECTORS / PAGE_SECTORS)
#define JOBS_RESERVE	16

static struct kmem_cache *job_cache;

/**
 * struct fc_job - a plan being carried out
 * @c: cache
 * @set: set of the plan
 * @req: request to be answered; NULL once it is
 * @plan: the plan
 * @start: first sector of the data in @pages
 * @sectors: length of that data
 * @left: I/O in flight, and one for whoever still submits
 * @failed: some write to the flash failed
 * @nowait: whoever sends must not wait, neither for memory nor for a device
 * @ssd_again: write to both: the flash would have had to be waited for
 * @hints: write to both: REQ_SYNC and REQ_IDLE as the user has them
 * @fetch: a fetch: its pages come from the cache's reserve, and the request asks again at the end
 * @nr_pages: pages held
 * @work: for steps that need process context
 * @pages: the data
 */
struct fc_job {
	struct fc_cache *c;
	struct fc_set *set;
	struct fc_req *req;
	struct fc_plan plan;
	sector_t start;
	u32 sectors;
	atomic_t left;
	bool failed;
	bool nowait;
	bool ssd_again;
	bool fetch;
	u8 nr_pages;
	fc_opf_t hints;
	struct work_struct work;
	struct page *pages[JOB_PAGES];
};

int fc_run_module_init(void)
{
	job_cache = KMEM_CACHE(fc_job, 0);
	return job_cache ? 0 : -ENOMEM;
}

void fc_run_module_exit(void)
{
	kmem_cache_destroy(job_cache);
}

int fc_run_init(struct fc_cache *c)
{
	int r;

	init_waitqueue_head(&c->jobs_done);
	fc_pages_init(&c->pages);
	r = mempool_init_slab_pool(&c->jobs, JOBS_RESERVE, job_cache);

	return r ? r : mempool_init_page_pool(&c->fetch_pages, JOB_PAGES, 0);
}

void fc_run_exit(struct fc_cache *c)
{
	fc_pages_exit(&c->pages);
	mempool_exit(&c->fetch_pages);
	mempool_exit(&c->jobs);
}

/**
 * fc_run_wait() - wait until no job is in flight
 * @c: cache without requests
 *
 * Jobs outlive the requests they were made for: what device-mapper has drained is not all there is.
 *
 * Context: process, sleeps.
 */
void fc_run_wait(struct fc_cache *c)
{
	wait_event(c->jobs_done, !atomic_read(&c->nr_jobs));
	/* Whoever ended the last job may still hold the lock. */
	spin_lock_irq(&c->jobs_done.lock);
	spin_unlock_irq(&c->jobs_done.lock);
	flush_workqueue(c->job_wq);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void free_job(struct fc_job *job)
{
	struct fc_cache *c = job->c;
	unsigned long flags;
	u32 i;

	if (job->fetch)
		for (i = 0; i < job->nr_pages; i++)
			mempool_free(job->pages[i], &c->fetch_pages);
	else
		fc_pages_put(&c->pages, job->pages, job->nr_pages);
	mempool_free(job, &c->jobs);
	/* Under the lock, since fc_run_wait() lets the cache go when this was the last job. */
	spin_lock_irqsave(&c->jobs_done.lock, flags);
	if (atomic_dec_and_test(&c->nr_jobs))
		wake_up_all_locked(&c->jobs_done);
	spin_unlock_irqrestore(&c->jobs_done.lock, flags);
}

static void init_job(struct fc_job *job, struct fc_req *req, sector_t start, u32 sectors)
{
	job->c = req->c;
	job->set = req->set;
	job->req = req;
	job->plan = req->plan;
	job->start = start;
	job->sectors = sectors;
	job->failed = false;
	job->nowait = false;
	job->fetch = false;
	job->nr_pages = 0;
	job->ssd_again = false;
	job->hints = 0;
	atomic_inc(&req->c->nr_jobs);
}

/*
 * A job with its pages, or none when memory is short: then nothing is lost but a chance to cache.
 */
static struct fc_job *new_job(struct fc_req *req, sector_t start, u32 sectors)
{
	struct fc_cache *c = req->c;
	struct fc_job *job;

	if ((u32)atomic_read(&c->nr_jobs) >= READ_ONCE(c->tune.max_fill_ios))
		return NULL;
	job = mempool_alloc(&c->jobs, GFP_NOWAIT | __GFP_NOWARN);
	if (!job)
		return NULL;
	init_job(job, req, start, sectors);
	if (!fc_pages_get(&c->pages, job->pages, DIV_ROUND_UP(sectors, PAGE_SECTORS))) {
		free_job(job);
		return NULL;
	}
	job->nr_pages = DIV_ROUND_UP(sectors, PAGE_SECTORS);
	return job;
}

/*
 * The job of a fetch waits for its memory. Only the worker makes such jobs, one at a time, and
 * those that it made before end without it; so the reserve comes back.
 */
static struct fc_job *new_fetch_job(struct fc_req *req, sector_t start, u32 sectors)
{
	struct fc_cache *c = req->c;
	struct fc_job *job = mempool_alloc(&c->jobs, GFP_NOIO);

	init_job(job, req, start, sectors);
	job->fetch = true;
	while (job->nr_pages * PAGE_SECTORS < sectors)
		job->pages[job->nr_pages++] = mempool_alloc(&c->fetch_pages, GFP_NOIO);
	return job;
}

/* Copies between a bio and the job's data from sector @first of it on. */
static void copy(struct fc_job *job, struct bio *bio, u32 first, bool to_bio)
{
	u32 at = first << SECTOR_SHIFT, n;
	struct bvec_iter iter;
	struct bio_vec bv;

	bio_for_each_segment(bv, bio, iter) {
		u32 done;

		for (done = 0; done < bv.bv_len; at += n, done += n) {
			char *data = page_address(job->pages[at >> PAGE_SHIFT]) + offset_in_page(at);
			struct bio_vec part = bv;

			n = min_t(u32, bv.bv_len - done, PAGE_SIZE - offset_in_page(at));
			part.bv_offset += done;
			part.bv_len = n;
			if (to_bio)
				fc_copy_to_page(part, data);
			else
				fc_copy_from_page(part, data);
		}
	}
}

/* --- writing slots ---------------------------------------------------------------------------- */

static void ssd_written(void *context, blk_status_t status);
static void write_ssd_again(struct work_struct *work);

/* Whoever sends a job's first I/O may be one that must not wait. */
static fc_opf_t first_flags(const struct fc_job *job, fc_opf_t op)
{
	return op | job->hints | (job->nowait ? REQ_NOWAIT : 0);
}

static gfp_t first_gfp(const struct fc_job *job)
{
	return job->nowait ? GFP_NOWAIT | __GFP_NOWARN : GFP_NOIO;
}

/* Writes sectors from @from to before @to, both of the disk, into slot @way, which holds them. */
static void write_slot(struct fc_job *job, u16 way, sector_t from, sector_t to)
{
	const struct fc_geo *geo = &job->c->core.geo;
	u32 set = fc_core_set_index(&job->c->core, job->set);
	sector_t sector = fc_geo_slot_sector(geo, fc_geo_slot(geo, set, way)) +
			  (from & (geo->block_sectors - 1));

	atomic_inc(&job->left);
	if (!fc_submit_pages(job->c, FC_SSD_DEV, first_flags(job, REQ_OP_WRITE), sector, job->pages,
			     (u32)(from - job->start), (u32)(to - from), first_gfp(job),
			     ssd_written, job))
		ssd_written(job, BLK_STS_AGAIN);
}

/* First sector behind block @i of the plan, or the end of the data if that comes first. */
static sector_t block_end(const struct fc_job *job, u32 i)
{
	const struct fc_geo *geo = &job->c->core.geo;
	sector_t end = fc_geo_block_sector(geo, fc_geo_block(geo, job->start)) +
		       ((sector_t)(i + 1) << geo->block_shift);

	return min(end, job->start + job->sectors);
}

/* Writes all data of blocks @i to before the one returned, which lie side by side, in one piece. */
static u32 write_neighbours(struct fc_job *job, u32 i, const u16 *whole)
{
	sector_t from = i ? block_end(job, i - 1) : job->start;
	u32 end = i + 1;

	while (end < job->plan.nr_blocks && job->plan.way[end] == job->plan.way[end - 1] + 1 &&
	       (!whole || whole[end]))
		end++;
	write_slot(job, job->plan.way[i], from, block_end(job, end - 1));
	return end;
}

/* --- fills ------------------------------------------------------------------------------------ */

static void end_fill(struct fc_job *job)
{
	struct fc_cache *c = job->c;
	unsigned long flags;
	unsigned int done;

	if (!job->failed)
		fc_count_by(c, fills, job->plan.nr_blocks);
	fc_set_lock(job->set, &flags);
	done = fc_desk_done_fill(&c->core, job->set, &job->plan, !job->failed);
	fc_wait_unlock(c, job->set, flags, done);
}

static void end_both(struct fc_job *job)
{
	struct fc_cache *c = job->c;
	unsigned long flags;
	unsigned int done;

	fc_set_lock(job->set, &flags);
	done = fc_desk_done_both(&c->core, job->set, &job->plan, !job->failed);
	fc_wait_unlock(c, job->set, flags, done);
}

/* Of a bio without REQ_NOWAIT it is an error like any other. */
static bool would_wait(const struct fc_job *job, blk_status_t status)
{
	return unlikely(status == BLK_STS_AGAIN) && job->nowait;
}

/* A worker may wait, and does once more what could not be done at once. */
static void do_again(struct fc_job *job, work_func_t step)
{
	fc_count(job->c, nowait_retries);
	INIT_WORK(&job->work, step);
	queue_work(job->c->job_wq, &job->work);
}

/* One step of the job is over; the last one ends it. */
static void put_job(struct fc_job *job)
{
	struct fc_req *req;
	bool failed, fetch;

	if (!atomic_dec_and_test(&job->left))
		return;
	if (unlikely(job->ssd_again)) {
		do_again(job, write_ssd_again);
		return;
	}
	/* Kept, since the job is freed before its request asks again. */
	req = job->req;
	failed = job->failed;
	fetch = job->fetch;
	if (job->plan.verdict == FC_BOTH)
		end_both(job);
	else
		end_fill(job);
	free_job(job);
	if (!fetch)
		return;
	req->flags &= ~FC_REQ_FETCH;
	if (failed)
		/* The disk could be read, but the flash not written: past it. */
		req->flags |= FC_REQ_PASS;
	fc_wait_defer(req);
}

static void ssd_written(void *context, blk_status_t status)
{
	struct fc_job *job = context;

	if (would_wait(job, status)) {
		WRITE_ONCE(job->ssd_again, true);
	} else if (unlikely(status)) {
		job->failed = true;
		fc_health_lower(job->c, FC_HEALTH_DEGRADED, "a write to the cache device failed");
	}
	put_job(job);
}

/* Units of each block that the flash lacks; the claim keeps them so. */
static void missing_units(struct fc_job *job, u16 *missing)
{
	const struct fc_geo *geo = &job->c->core.geo;
	struct fc_oblock b = fc_geo_block(geo, job->start);
	unsigned long flags;
	u32 i;

	fc_set_lock(job->set, &flags);
	for (i = 0; i < job->plan.nr_blocks; i++, b.n++)
		missing[i] = fc_geo_exists(geo, b) &
			     ~fc_set_slot(job->set, job->plan.way[i])->valid;
	fc_set_unlock(job->set, flags);
}

/* Writes the missing units of a block that the flash has a part of. */
static void write_units(struct fc_job *job, u32 i, u16 missing)
{
	const struct fc_geo *geo = &job->c->core.geo;
	sector_t start = i ? block_end(job, i - 1) : job->start;
	u32 unit = 0;

	while (missing >> unit) {
		u32 first = unit + __ffs(missing >> unit);
		u32 end = first + __ffs(~((u32)missing >> first));

		write_slot(job, job->plan.way[i], start + (first << geo->unit_shift),
			   min(start + (end << geo->unit_shift), block_end(job, i)));
		unit = end;
	}
}

static void fill_flash(struct work_struct *work)
{
	struct fc_job *job = container_of(work, struct fc_job, work);
	const struct fc_geo *geo = &job->c->core.geo;
	struct fc_oblock b = fc_geo_block(geo, job->start);
	u16 missing[FC_RUN_BLOCKS], whole[FC_RUN_BLOCKS];
	u32 i;

	missing_units(job, missing);
	for (i = 0; i < job->plan.nr_blocks; i++)
		whole[i] = missing[i] == fc_geo_exists(geo, (struct fc_oblock){ b.n + i });
	i = 0;
	while (i < job->plan.nr_blocks) {
		if (whole[i]) {
			i = write_neighbours(job, i, whole);
		} else {
			write_units(job, i, missing[i]);
			i++;
		}
	}
	put_job(job);
}

/* Gives the user what the fill has read. */
static void answer(struct fc_job *job)
{
	struct fc_req *req = job->req;

	copy(job, fc_req_bio(req), (u32)(req->plan.sector - job->start), true);
	job->req = NULL;
	fc_request_piece_done(req, BLK_STS_OK);
}

/* The disk would not give all of the blocks; it may still give what the user asked for. */
static void fill_failed(struct fc_job *job, blk_status_t status)
{
	struct fc_req *req = job->req;
	bool fetch = job->fetch;

	job->failed = true;
	end_fill(job);
	free_job(job);
	if (fetch) {
		fc_request_finish(req, status);
		return;
	}
	req->flags |= FC_REQ_PASS;
	fc_wait_defer(req);
}

static void read_disk(struct work_struct *work);

static void fill_read(void *context, blk_status_t status)
{
	struct fc_job *job = context;

	if (would_wait(job, status)) {
		job->nowait = false;
		do_again(job, read_disk);
		return;
	}
	atomic_dec(&job->c->busy);
	if (unlikely(status)) {
		fill_failed(job, status);
		return;
	}
	job->nowait = false;
	if (!job->fetch)
		answer(job);
	INIT_WORK(&job->work, fill_flash);
	queue_work(job->c->job_wq, &job->work);
}

static void read_disk(struct work_struct *work)
{
	struct fc_job *job = container_of(work, struct fc_job, work);

	atomic_set(&job->left, 1);
	if (!fc_submit_pages(job->c, FC_DISK_DEV, first_flags(job, REQ_OP_READ), job->start,
			     job->pages, 0, job->sectors, first_gfp(job), fill_read, job))
		fill_read(job, BLK_STS_AGAIN);
}

/*
 * The first step of a job. On behalf of a caller that must not wait it is tried without waiting
 * first; if that does not do, a worker takes it once more.
 */
static void begin(struct fc_job *job, work_func_t step, bool nowait)
{
	INIT_WORK(&job->work, step);
	atomic_inc(&job->c->busy);
	job->nowait = nowait;
	step(&job->work);
}

/* The whole blocks that the plan touches, as far as the disk goes. */
static sector_t cover(const struct fc_req *req, u32 *sectors)
{
	const struct fc_geo *geo = &req->c->core.geo;
	struct fc_oblock b = fc_geo_block(geo, req->plan.sector);
	sector_t start = fc_geo_block_sector(geo, b);
	sector_t end = start + ((sector_t)req->plan.nr_blocks << geo->block_shift);

	*sectors = (u32)(min(end, geo->disk_sectors) - start);
	return start;
}

/**
 * fc_run_fill() - read whole blocks, answer, and bring them into the cache
 * @req: request with an FC_FILL plan
 * @bio: its bio, cut to the plan
 *
 * Context: process. Return: false when memory is short; nothing was begun.
 */
bool fc_run_fill(struct fc_req *req, struct bio *bio)
{
	struct fc_job *job;
	sector_t start;
	u32 sectors;

	start = cover(req, &sectors);
	job = new_job(req, start, sectors);
	if (!job)
		return false;
	begin(job, read_disk, bio->bi_opf & REQ_NOWAIT);
	return true;
}

/**
 * fc_run_fetch() - bring a block into the cache that a write is to change in part
 * @req: request with an FC_FETCH plan; asks again afterwards
 *
 * Context: the cache's worker.
 */
void fc_run_fetch(struct fc_req *req)
{
	sector_t start;
	u32 sectors;

	start = cover(req, &sectors);
	begin(new_fetch_job(req, start, sectors), read_disk, false);
}

/* --- writes to both --------------------------------------------------------------------------- */

/* The disk has the data, or has refused it: the user need not wait for the flash. */
static void disk_written(void *context, blk_status_t status)
{
	struct fc_job *job = context;
	struct fc_req *req = job->req;

	atomic_dec(&job->c->busy);
	WRITE_ONCE(job->c->disk_unflushed, true);
	if (unlikely(status))
		job->failed = true;
	job->req = NULL;
	fc_request_piece_done(req, status);
	put_job(job);
}

/* Nor is the flash waited for here: the user waits for this. */
static void write_disk_again(struct work_struct *work)
{
	struct fc_job *job = container_of(work, struct fc_job, work);

	fc_submit_pages(job->c, FC_DISK_DEV, REQ_OP_WRITE | job->hints, job->start, job->pages, 0,
			job->sectors, GFP_NOIO, disk_written, job);
}

static void disk_written_first(void *context, blk_status_t status)
{
	struct fc_job *job = context;

	if (would_wait(job, status))
		do_again(job, write_disk_again);
	else
		disk_written(job, status);
}

static void write_ssd(struct fc_job *job)
{
	u32 i = 0;

	while (i < job->plan.nr_blocks)
		i = write_neighbours(job, i, NULL);
}

/* The disk has ended, and so has what went to flash: all blocks are written once more. */
static void write_ssd_again(struct work_struct *work)
{
	struct fc_job *job = container_of(work, struct fc_job, work);

	job->nowait = false;
	job->ssd_again = false;
	atomic_set(&job->left, 1);
	write_ssd(job);
	put_job(job);
}

static void write_both(struct work_struct *work)
{
	struct fc_job *job = container_of(work, struct fc_job, work);

	atomic_set(&job->left, 2);
	if (!fc_submit_pages(job->c, FC_DISK_DEV, first_flags(job, REQ_OP_WRITE), job->start,
			     job->pages, 0, job->sectors, first_gfp(job), disk_written_first, job))
		disk_written_first(job, BLK_STS_AGAIN);
	write_ssd(job);
	put_job(job);
}

/**
 * fc_run_both() - write disk and flash from one copy
 * @req: request with an FC_BOTH plan
 * @bio: its bio, cut to the plan
 *
 * Both get the same bytes even when the user changes the data in flight. The user's hints go along:
 * a write without them is throttled as background writing is, and that puts the sender to sleep.
 *
 * Context: process. Return: false when memory is short; nothing was begun.
 */
bool fc_run_both(struct fc_req *req, struct bio *bio)
{
	struct fc_job *job = new_job(req, req->plan.sector, req->plan.nr);

	if (!job)
		return false;
	if (bio->bi_opf & REQ_FUA)
		req->flags |= FC_REQ_FUA;
	copy(job, bio, 0, false);
	job->hints = bio->bi_opf & (REQ_SYNC | REQ_IDLE);
	begin(job, write_both, bio->bi_opf & REQ_NOWAIT);
	return true;
}
