// SPDX-License-Identifier: GPL-2.0
/*
 * A user's request: from the door to the desk, on to the device, and back.
 */
#include "io/request.h"

/* --- asking the desk -------------------------------------------------------------------------- */

static bool is_sequential(struct fc_cache *c, struct bio *bio)
{
	u32 thresh = READ_ONCE(c->tune.skip_seq_thresh_kb);
	unsigned long flags;
	bool seq;

	if (likely(!thresh))
		return false;
	spin_lock_irqsave(&c->seq_lock, flags);
	seq = fc_seq_note(&c->seq, bio->bi_iter.bi_sector, bio_sectors(bio), (u64)thresh * 2);
	spin_unlock_irqrestore(&c->seq_lock, flags);
	if (!seq)
		return false;
	if (op_is_write(bio_op(bio)))
		fc_count(c, uncached_seq_writes);
	else
		fc_count(c, uncached_seq_reads);
	return true;
}

static bool passes_by(struct fc_cache *c, struct bio *bio)
{
	if (unlikely(READ_ONCE(c->gate.choosy))) {
		enum fc_gate_word word = fc_gate_ask(c, bio);

		if (word != FC_GATE_ASK)
			return word == FC_GATE_PASS;
	}
	return is_sequential(c, bio);
}

/*
 * Parks a request on its locked set. That is no sleep of whoever sent it, so a REQ_NOWAIT bio is
 * parked like any other: of a bio that was cut, one part must not come back with BLK_STS_AGAIN when
 * others are on their way.
 */
static void park(struct fc_req *req, struct bio *bio, u32 nr, bool mapping)
{
	if (mapping && nr < bio_sectors(bio)) {
		dm_accept_partial_bio(bio, nr);
		req->iter.bi_size = bio->bi_iter.bi_size;
	}
	fc_count(req->c, parked);
	fc_wait_park(req->set, req);
}

/*
 * Asks about the front of what is left. When the desk says wait, the request is parked before the
 * set is unlocked, and is no longer ours.
 */
static enum fc_verdict ask_desk(struct fc_req *req, struct bio *bio, bool mapping)
{
	struct fc_cache *c = req->c;
	struct fc_plan *plan = &req->plan;
	enum fc_verdict verdict;
	unsigned long flags;
	struct fc_ask ask;
	struct fc_set *set;
	bool clean;

	fc_req_ask(req, bio, &req->iter, &ask);
	req->set_index = fc_geo_set(&c->core.geo, ask.hash);
	set = fc_core_set(&c->core, req->set_index);
	req->set = set;
	fc_set_lock(set, &flags);
	if (op_is_write(bio_op(bio)))
		fc_desk_write(&c->core, set, &ask, plan);
	else
		fc_desk_read(&c->core, set, &ask, plan);
	verdict = plan->verdict;
	clean = plan->flags & (FC_PLAN_CLEAN | FC_PLAN_NO_ROOM);
	if (unlikely(plan->replaced))
		fc_count_by(c, replacements, plan->replaced);
	if (unlikely(verdict == FC_WAIT))
		park(req, bio, ask.nr, mapping);
	fc_set_unlock(set, flags);
	if (unlikely(clean))
		fc_cleaner_want(c, set);
	return verdict;
}

/*
 * A read that passes by goes to the disk in one piece as far as no slot holds anything of it, over
 * the borders of sets. That is asked set by set: what comes into the cache meanwhile was written
 * while this was being read, or is on the disk as well.
 */
static bool goes_past(struct fc_req *req, const struct bio *bio)
{
	struct fc_cache *c = req->c;
	struct fc_plan *plan = &req->plan;
	struct bvec_iter left = req->iter;
	struct fc_ask ask;
	u32 n;

	if (likely(!(req->flags & FC_REQ_PASS)) || bio_op(bio) != REQ_OP_READ)
		return false;
	do {
		struct fc_set *set;
		unsigned long flags;

		fc_req_ask(req, bio, &left, &ask);
		set = fc_core_set(&c->core, fc_geo_set(&c->core.geo, ask.hash));
		fc_set_lock(set, &flags);
		n = fc_desk_absent(&c->core, set, &ask);
		fc_set_unlock(set, flags);
		left.bi_sector += n;
		left.bi_size -= n << SECTOR_SHIFT;
	} while (left.bi_size && n == ask.nr);
	plan->verdict = FC_DISK;
	plan->flags = 0;
	plan->sector = req->iter.bi_sector;
	plan->nr = (u32)(left.bi_sector - plan->sector);
	return plan->nr;
}

/* --- on to the device ------------------------------------------------------------------------- */

/* Makes the bio exactly the current piece. */
static void trim(struct fc_req *req, struct bio *bio, bool mapping)
{
	u32 nr = req->plan.nr;

	if (!mapping) {
		bio->bi_iter = req->iter;
		bio->bi_iter.bi_size = nr << SECTOR_SHIFT;
		fc_submit_renew(bio);
	} else if (nr < bio_sectors(bio)) {
		dm_accept_partial_bio(bio, nr);
		req->iter.bi_size = bio->bi_iter.bi_size;
	}
}

static void aim_at_slot(struct fc_req *req, struct bio *bio)
{
	const struct fc_geo *geo = &req->c->core.geo;
	struct fc_slotno slot = fc_geo_slot(geo, req->set_index, req->plan.way[0]);

	fc_submit_aim(req->c, bio, FC_SSD_DEV, fc_geo_place(geo, slot, req->plan.sector));
}

static void aim_at_disk(struct fc_req *req, struct bio *bio, enum fc_step step)
{
	atomic_inc(&req->c->busy);
	req->step = step;
	fc_submit_aim(req->c, bio, FC_DISK_DEV, req->plan.sector);
}

/*
 * FUA to the flash alone makes a write durable only where a durable record names its sectors
 * already; otherwise the ledger commits behind it, which flushes the flash, too.
 */
static void prepare_write(struct fc_req *req, struct bio *bio)
{
	req->step = FC_STEP_WRITE;
	if (unlikely(bio->bi_opf & REQ_FUA) && !(req->plan.flags & FC_PLAN_DURABLE)) {
		bio->bi_opf &= ~REQ_FUA;
		req->flags |= FC_REQ_FUA;
	}
}

/* No memory for the copy: the same write without it, which costs the cache these sectors. */
static void both_to_around(struct fc_req *req)
{
	unsigned long flags;

	fc_count(req->c, memory_alloc_errors);
	fc_set_lock(req->set, &flags);
	fc_desk_both_to_around(&req->c->core, req->set, &req->plan);
	fc_set_unlock(req->set, flags);
}

static bool start_write(struct fc_req *req, struct bio *bio)
{
	struct fc_cache *c = req->c;

	/* A fetch is only the beginning: the write asks again, and is counted then. */
	if (req->plan.verdict != FC_FETCH)
		fc_count_write(c, &req->plan);
	switch (req->plan.verdict) {
	case FC_HIT:
		prepare_write(req, bio);
		aim_at_slot(req, bio);
		return true;
	case FC_FETCH:
		req->flags |= FC_REQ_FETCH;
		fc_wait_defer(req);
		return false;
	case FC_BOTH:
		if (fc_run_both(req, bio))
			return false;
		both_to_around(req);
		break;
	default:
		break;
	}
	if (bio->bi_opf & REQ_FUA) {
		bio->bi_opf &= ~REQ_FUA;
		req->flags |= FC_REQ_FUA;
	}
	aim_at_disk(req, bio, FC_STEP_AROUND);
	return true;
}

static void give_up_fill(struct fc_req *req)
{
	unsigned long flags;
	unsigned int done;

	fc_count(req->c, fill_skips);
	fc_set_lock(req->set, &flags);
	done = fc_desk_done_fill(&req->c->core, req->set, &req->plan, false);
	fc_wait_unlock(req->c, req->set, flags, done);
}

static bool start_read(struct fc_req *req, struct bio *bio)
{
	fc_count_read(req->c, &req->plan);
	switch (req->plan.verdict) {
	case FC_HIT:
		req->step = FC_STEP_READ;
		aim_at_slot(req, bio);
		return true;
	case FC_FILL:
		if (fc_run_fill(req, bio))
			return false;
		give_up_fill(req);
		break;
	default:
		break;
	}
	aim_at_disk(req, bio, FC_STEP_DISK);
	return true;
}

/* Returns true when the bio is aimed and has to be sent by the caller. */
static bool start(struct fc_req *req, struct bio *bio, bool mapping)
{
	enum fc_verdict verdict = FC_DISK;

	if (!goes_past(req, bio))
		verdict = ask_desk(req, bio, mapping);
	if (unlikely(verdict == FC_WAIT))
		return false;
	if (unlikely(verdict == FC_FAIL)) {
		fc_request_finish(req, BLK_STS_IOERR);
		return false;
	}
	trim(req, bio, mapping);
	return op_is_write(bio_op(bio)) ? start_write(req, bio) : start_read(req, bio);
}

/* A FLUSH that takes no more than that goes to the flash as it is. */
static int map_flush(struct fc_cache *c, struct fc_req *req, struct bio *bio)
{
	fc_count(c, flushes);
	switch (fc_meta_flush_begin(c)) {
	case FC_FLUSH_NOTHING:
		fc_request_finish(req, BLK_STS_OK);
		return DM_MAPIO_SUBMITTED;
	case FC_FLUSH_FLASH:
		req->step = FC_STEP_FLUSH;
		fc_count(c, ssd_flushes);
		bio_set_dev(bio, c->ssd->bdev);
		return DM_MAPIO_REMAPPED;
	default:
		fc_meta_flush(c, bio);
		return DM_MAPIO_SUBMITTED;
	}
}

/**
 * fc_request_map_other() - a bio arrives that the fast lane is not for
 * @c: cache
 * @req: its request, with nothing in it
 * @bio: bio with its sector in terms of the target
 *
 * Context: that of fc_request_map(). Return: DM_MAPIO_REMAPPED or DM_MAPIO_SUBMITTED.
 */
int fc_request_map_other(struct fc_cache *c, struct fc_req *req, struct bio *bio)
{
	req->c = c;
	req->iter = bio->bi_iter;
	req->flags = 0;
	req->step = FC_STEP_NONE;
	req->status = BLK_STS_OK;
	if (unlikely(c->health == FC_HEALTH_FAILED && op_is_write(bio->bi_opf & REQ_OP_MASK))) {
		bio_io_error(bio);
		return DM_MAPIO_SUBMITTED;
	}
	if (unlikely(bio->bi_opf & REQ_PREFLUSH))
		return map_flush(c, req, bio);
	if (unlikely(bio_op(bio) == REQ_OP_DISCARD)) {
		fc_discard_start(c, bio);
		return DM_MAPIO_SUBMITTED;
	}
	if (unlikely(bio->bi_opf & REQ_FUA))
		fc_count(c, fuas);
	fc_hist_size(c, bio_sectors(bio));
	if (unlikely(READ_ONCE(c->tune.io_latency_hist))) {
		req->flags |= FC_REQ_TIMED;
		req->began = fc_hist_clock();
	}
	if (passes_by(c, bio))
		req->flags |= FC_REQ_PASS;
	if (!(bio->bi_opf & REQ_FUA) && fc_fan_out(req, bio))
		return DM_MAPIO_SUBMITTED;
	return start(req, bio, true) ? DM_MAPIO_REMAPPED : DM_MAPIO_SUBMITTED;
}

/* --- and back --------------------------------------------------------------------------------- */

/**
 * fc_request_finish() - end a request whose bio is not in its end_io
 * @req: request; gone afterwards
 * @status: result
 */
void fc_request_finish(struct fc_req *req, blk_status_t status)
{
	struct bio *bio = fc_req_bio(req);

	req->step = FC_STEP_NONE;
	bio->bi_status = status;
	bio_endio(bio);
}

/* Returns true when nothing is left to do for the request. */
static bool piece_done(struct fc_req *req, blk_status_t status)
{
	struct bio *bio = fc_req_bio(req);

	req->step = FC_STEP_NONE;
	if (unlikely(status))
		return true;
	if (unlikely(req->iter.bi_size > req->plan.nr << SECTOR_SHIFT)) {
		bio_advance_iter(bio, &req->iter, req->plan.nr << SECTOR_SHIFT);
		fc_wait_defer(req);
		return false;
	}
	if (unlikely(req->flags & FC_REQ_FUA)) {
		fc_meta_flush(req->c, bio);
		return false;
	}
	return true;
}

/**
 * fc_request_piece_done() - the current piece has ended, outside of the bio's end_io
 * @req: request; may be gone afterwards
 * @status: result
 */
void fc_request_piece_done(struct fc_req *req, blk_status_t status)
{
	if (piece_done(req, status))
		fc_request_finish(req, status);
}

/*
 * Lets the piece ask again; its iterator still stands at its start. So it goes on, too, when a
 * device would have had to make a REQ_NOWAIT bio wait (BLK_STS_AGAIN): the worker may wait.
 */
static int try_again(struct fc_req *req)
{
	req->step = FC_STEP_NONE;
	fc_wait_defer(req);
	return DM_ENDIO_INCOMPLETE;
}

static int end_piece(struct fc_req *req, blk_status_t status)
{
	return piece_done(req, status) ? DM_ENDIO_DONE : DM_ENDIO_INCOMPLETE;
}

static int end_hit_read(struct fc_req *req, blk_status_t status)
{
	bool again = fc_hit_read_done(req->c, req->set, &req->plan, status);

	return unlikely(again) ? try_again(req) : end_piece(req, status);
}

static int end_hit_write(struct fc_req *req, blk_status_t status)
{
	fc_hit_write_done(req->c, req->set, &req->plan, status);
	return unlikely(status) ? try_again(req) : end_piece(req, status);
}

static int end_disk(struct fc_req *req, blk_status_t status)
{
	if (likely(status != BLK_STS_AGAIN))
		return end_piece(req, status);
	fc_count(req->c, nowait_retries);
	return try_again(req);
}

static int end_around(struct fc_req *req, blk_status_t status)
{
	struct fc_cache *c = req->c;
	struct fc_set *set = req->set;
	unsigned long flags;
	unsigned int done;

	atomic_dec(&c->busy);
	if (status && status != BLK_STS_AGAIN)
		fc_count(c, disk_write_errors);
	fc_note_unflushed(&c->disk_unflushed);
	fc_set_lock(set, &flags);
	done = fc_desk_done_around(&c->core, set, &req->plan);
	fc_wait_unlock(c, set, flags, done);
	return end_disk(req, status);
}

static int end_disk_read(struct fc_req *req, blk_status_t status)
{
	atomic_dec(&req->c->busy);
	if (status && status != BLK_STS_AGAIN)
		fc_count(req->c, disk_read_errors);
	return end_disk(req, status);
}

static int end_flush(struct fc_req *req, blk_status_t status)
{
	struct fc_cache *c = req->c;

	req->step = FC_STEP_NONE;
	fc_meta_flush_end(c, !status);
	if (unlikely(status == BLK_STS_AGAIN)) {
		fc_count(c, nowait_retries);
		fc_meta_flush(c, fc_req_bio(req));
		return DM_ENDIO_INCOMPLETE;
	}
	if (unlikely(status))
		fc_count(c, ssd_write_errors);
	return DM_ENDIO_DONE;
}

/* From here on it is the end of an FC_HIT plan like any other. */
static void leave_lane(struct fc_req *req)
{
	struct fc_plan *plan = &req->plan;

	req->flags = 0;
	plan->verdict = FC_HIT;
	plan->flags = FC_PLAN_REDIRTY;
	plan->nr_blocks = 1;
	plan->sector = req->iter.bi_sector;
	plan->nr = req->iter.bi_size >> SECTOR_SHIFT;
}

static int end_step(struct fc_req *req, blk_status_t error)
{
	switch (req->step) {
	case FC_STEP_LANE_READ:
		leave_lane(req);
		return end_hit_read(req, error);
	case FC_STEP_LANE_WRITE:
		leave_lane(req);
		return end_hit_write(req, error);
	case FC_STEP_READ:
		return end_hit_read(req, error);
	case FC_STEP_WRITE:
		return end_hit_write(req, error);
	case FC_STEP_DISK:
		return end_disk_read(req, error);
	case FC_STEP_AROUND:
		return end_around(req, error);
	case FC_STEP_FLUSH:
		return end_flush(req, error);
	case FC_STEP_DISCARD:
		fc_discard_end_io(req, error);
		return DM_ENDIO_INCOMPLETE;
	default:
		return DM_ENDIO_DONE;
	}
}

/**
 * fc_request_end_other() - a bio comes back that was not in the fast lane, or failed in it
 * @req: its request
 * @error: its result
 *
 * Context: any, interrupts included. Return: DM_ENDIO_DONE or DM_ENDIO_INCOMPLETE.
 */
int fc_request_end_other(struct fc_req *req, blk_status_t error)
{
	int r = end_step(req, fc_submit_result(fc_req_bio(req), error));

	/* Unless it is done, the request may be gone. */
	if (r == DM_ENDIO_DONE && unlikely(req->flags & FC_REQ_TIMED))
		fc_hist_latency(req->c, req->began);
	return r;
}

static void again(struct fc_req *req)
{
	struct bio *bio = fc_req_bio(req);

	if (bio_op(bio) == REQ_OP_DISCARD)
		fc_discard_start(req->c, bio);
	else if (req->flags & FC_REQ_FETCH)
		fc_run_fetch(req);
	else if (start(req, bio, false))
		fc_submit_bio(bio);
}

/**
 * fc_request_again_work() - ask about all deferred requests again
 * @work: struct fc_cache's @again_work
 */
void fc_request_again_work(struct work_struct *work)
{
	struct fc_cache *c = container_of(work, struct fc_cache, again_work);
	struct llist_node *list = llist_reverse_order(llist_del_all(&c->again));
	struct fc_req *req, *next;
	struct blk_plug plug;

	blk_start_plug(&plug);
	llist_for_each_entry_safe(req, next, list, again)
		again(req);
	blk_finish_plug(&plug);
}
