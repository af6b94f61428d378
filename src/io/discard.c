// SPDX-License-Identifier: GPL-2.0
/*
 * Discards: drop the blocks that are covered whole, then tell the disk.
 *
 * One discard is worked off at a time. While it is, its blocks are owned (struct fc_core's
 * @discard), so that no fill can bring back what is being dropped. Blocks covered in part keep
 *	their data, in the cache and on the
 * disk, so that what a sector reads changes at most once.
 */
#include "io/request.h"

/**
 * fc_discard_start() - a discard arrives, or may go on after it had to wait for a block
 * @c: cache
 * @bio: discard
 *
 * Context: any.
 */
void fc_discard_start(struct fc_cache *c, struct bio *bio)
{
	unsigned long flags;

	rcu_read_lock();
	spin_lock_irqsave(&c->discard_lock, flags);
	if (bio == c->discarding)
		c->discard_ready = true;
	else
		bio_list_add(&c->discards, bio);
	spin_unlock_irqrestore(&c->discard_lock, flags);
	queue_work(c->wq, &c->discard_work);
	rcu_read_unlock();
}

/* The blocks that the bio covers whole; the last block of the disk may be a short one. */
static void whole_blocks(struct fc_cache *c, struct bio *bio, struct fc_own *range)
{
	const struct fc_geo *geo = &c->core.geo;
	sector_t start = bio->bi_iter.bi_sector;
	sector_t end = start + bio_sectors(bio);

	range->first = fc_geo_block(geo, start + geo->block_sectors - 1);
	if (end == geo->disk_sectors)
		end += geo->block_sectors - 1;
	end >>= geo->block_shift;
	range->nr = end > range->first.n ? end - range->first.n : 0;
}

static void begin(struct fc_cache *c, struct bio *bio)
{
	struct fc_req *req = fc_req_of(bio);
	struct fc_own *range = &req->plan.own;

	fc_count(c, discards);
	whole_blocks(c, bio, range);
	fc_count_by(c, discard_blocks, range->nr);
	req->next_block = range->first;
	c->core.discard.first = range->first;
	/* Whoever sees the number must see the place. */
	smp_store_release(&c->core.discard.nr, range->nr);
}

/* The discard to go on with; NULL when there is none, or it still waits. */
static struct bio *current_discard(struct fc_cache *c)
{
	struct bio *bio = NULL;
	bool fresh = false;
	unsigned long flags;

	spin_lock_irqsave(&c->discard_lock, flags);
	if (!c->discarding) {
		c->discarding = bio_list_pop(&c->discards);
		c->discard_ready = true;
		fresh = c->discarding;
	}
	if (c->discard_ready)
		bio = c->discarding;
	c->discard_ready = false;
	spin_unlock_irqrestore(&c->discard_lock, flags);
	if (fresh)
		begin(c, bio);
	return bio;
}

static struct fc_set *set_of(struct fc_cache *c, struct fc_oblock b)
{
	return fc_core_set(&c->core, fc_geo_set(&c->core.geo, fc_geo_hash(&c->core.geo, b)));
}

/* Drops one block; false when the discard was parked and will be started again. */
static bool drop_block(struct fc_cache *c, struct fc_req *req, struct fc_oblock b)
{
	struct fc_set *set = set_of(c, b);
	unsigned int done = 0;
	unsigned long flags;
	bool ok;

	fc_set_lock(set, &flags);
	ok = fc_desk_discard(&c->core, set, b, &done);
	if (!ok)
		fc_wait_park(set, req);
	fc_wait_unlock(c, set, flags, done);
	return ok;
}

/*
 * Gives the blocks free and wakes whoever waited for them. The lock of each of their sets is taken,
 * so that nobody who still saw them owned can park behind our back.
 */
static void release(struct fc_cache *c, const struct fc_own *range)
{
	const struct fc_geo *geo = &c->core.geo;
	struct fc_oblock end = { range->first.n + range->nr - 1 };
	u64 cluster = fc_geo_cluster(geo, range->first);
	u64 last = fc_geo_cluster(geo, end);

	if (!range->nr)
		return;
	WRITE_ONCE(c->core.discard.nr, 0);
	for (; cluster <= last; cluster++) {
		fc_wait_wake(c, set_of(c, (struct fc_oblock){ cluster << geo->cluster_shift }));
		cond_resched();
	}
}

static void finish(struct fc_cache *c, struct fc_req *req, blk_status_t status)
{
	unsigned long flags;

	release(c, &req->plan.own);
	spin_lock_irqsave(&c->discard_lock, flags);
	c->discarding = NULL;
	spin_unlock_irqrestore(&c->discard_lock, flags);
	fc_request_finish(req, status);
	queue_work(c->wq, &c->discard_work);
}

/* The cache holds nothing of it any more. */
static void pass_down(struct fc_cache *c, struct fc_req *req)
{
	const struct fc_geo *geo = &c->core.geo;
	const struct fc_own *range = &req->plan.own;
	sector_t start = fc_geo_block_sector(geo, range->first);
	sector_t end = min(start + (range->nr << geo->block_shift), geo->disk_sectors);
	struct bio *bio = fc_req_bio(req);

	if (!range->nr || !fc_bdev_discards(c->disk->bdev)) {
		finish(c, req, BLK_STS_OK);
		return;
	}
	req->step = FC_STEP_DISCARD;
	bio->bi_iter.bi_size = (end - start) << SECTOR_SHIFT;
	/* The worker may wait for the disk, so a REQ_NOWAIT discard does not come back undone. */
	fc_submit_renew(bio);
	fc_submit_aim(c, bio, FC_DISK_DEV, start);
	fc_submit_bio(bio);
}

/**
 * fc_discard_end_io() - the disk has taken a discard, or refused it
 * @req: request; its worker ends it
 * @status: result
 *
 * Context: any.
 */
void fc_discard_end_io(struct fc_req *req, blk_status_t status)
{
	/* The disk said no to a hint; what it holds is as good as before. */
	req->status = status == BLK_STS_NOTSUPP ? BLK_STS_OK : status;
	req->step = FC_STEP_DISCARDED;
	fc_discard_start(req->c, fc_req_bio(req));
}

/**
 * fc_discard_work() - work off a discard
 * @work: struct fc_cache's @discard_work
 */
void fc_discard_work(struct work_struct *work)
{
	struct fc_cache *c = container_of(work, struct fc_cache, discard_work);
	struct bio *bio = current_discard(c);
	struct fc_req *req;

	if (!bio)
		return;
	req = fc_req_of(bio);
	if (req->step == FC_STEP_DISCARDED) {
		finish(c, req, req->status);
		return;
	}
	while (req->next_block.n < req->plan.own.first.n + req->plan.own.nr) {
		if (!drop_block(c, req, req->next_block))
			return;
		req->next_block.n++;
		cond_resched();
	}
	pass_down(c, req);
}
