// SPDX-License-Identifier: GPL-2.0
/*
 * Plans are asked for, counted, and, when they went to flash in place, told back.
 */
#include "io/request.h"

/**
 * fc_req_ask() - what the desk is to be asked about a request
 * @req: request
 * @bio: its bio
 * @left: what is left of it
 * @ask: filled
 */
void fc_req_ask(const struct fc_req *req, const struct bio *bio, const struct bvec_iter *left,
		struct fc_ask *ask)
{
	const struct fc_geo *geo = &req->c->core.geo;
	sector_t sector = left->bi_sector;

	ask->sector = sector;
	ask->nr = min_t(sector_t, left->bi_size >> SECTOR_SHIFT,
			fc_geo_run_end(geo, sector) - sector);
	ask->hash = fc_geo_hash(geo, fc_geo_block(geo, sector));
	ask->admit = !(req->flags & FC_REQ_PASS);
	ask->fua = bio->bi_opf & REQ_FUA;
}

/** fc_count_read() - count a read for which there is a plan */
void fc_count_read(struct fc_cache *c, const struct fc_plan *plan)
{
	const struct fc_geo *geo = &c->core.geo;
	u32 blocks = plan->nr_blocks;

	fc_count(c, reads);
	if (likely(plan->verdict == FC_HIT)) {
		fc_count(c, read_hits);
		fc_count_by(c, read_hit_blocks, blocks);
	} else {
		blocks = fc_geo_block(geo, plan->sector + plan->nr - 1).n -
			 fc_geo_block(geo, plan->sector).n + 1;
		if (plan->flags & FC_PLAN_PARTIAL)
			fc_count(c, read_partial_hits);
		if (plan->flags & FC_PLAN_NO_ROOM)
			fc_count(c, no_room);
		if (plan->verdict == FC_DISK)
			fc_count(c, uncached_reads);
	}
	fc_count_by(c, read_blocks, blocks);
}

/** fc_count_write() - count a write for which there is a plan */
void fc_count_write(struct fc_cache *c, const struct fc_plan *plan)
{
	fc_count(c, writes);
	fc_count_by(c, write_blocks, plan->nr_blocks);
	if (plan->verdict == FC_AROUND) {
		fc_count(c, uncached_writes);
		if (plan->flags & FC_PLAN_NO_ROOM)
			fc_count(c, no_room);
	} else if (!(plan->flags & FC_PLAN_NEW)) {
		fc_count(c, write_hits);
		fc_count_by(c, write_hit_blocks, plan->nr_blocks);
		if (plan->flags & FC_PLAN_REDIRTY)
			fc_count(c, dirty_write_hits);
	}
}

/**
 * fc_hit_read_done() - a read in place has ended
 * @c: cache
 * @set: its set, not locked
 * @plan: its FC_HIT plan
 * @status: its result
 *
 * Context: any. Return: true when to ask again will help.
 */
bool fc_hit_read_done(struct fc_cache *c, struct fc_set *set, const struct fc_plan *plan,
		      blk_status_t status)
{
	bool would_wait = status == BLK_STS_AGAIN, elsewhere = would_wait;
	unsigned long flags;
	unsigned int done;

	fc_set_lock(set, &flags);
	done = fc_desk_done_read(&c->core, set, plan, !status || would_wait, &elsewhere);
	fc_wait_unlock(c, set, flags, done);
	if (likely(!status))
		return false;
	if (would_wait)
		fc_count(c, nowait_retries);
	else
		fc_count(c, ssd_read_errors);
	return elsewhere;
}

/**
 * fc_hit_write_done() - a write in place has ended
 * @c: cache
 * @set: its set, not locked
 * @plan: its FC_HIT plan
 * @status: its result; when it is not BLK_STS_OK, to ask again will help
 *
 * Context: any.
 */
void fc_hit_write_done(struct fc_cache *c, struct fc_set *set, struct fc_plan *plan,
		       blk_status_t status)
{
	bool would_wait = status == BLK_STS_AGAIN;
	unsigned long flags;
	unsigned int done;

	fc_note_unflushed(&c->ssd_unflushed);
	if (unlikely(would_wait)) {
		/* Nothing was written: only the pins are given back. */
		plan->flags |= FC_PLAN_REDIRTY;
		fc_count(c, nowait_retries);
	} else if (unlikely(status)) {
		fc_count(c, ssd_write_errors);
		fc_health_lower(c, FC_HEALTH_DEGRADED, "a write to the cache device failed");
	}
	fc_set_lock(set, &flags);
	done = fc_desk_done_write(&c->core, set, plan, !status || would_wait);
	fc_wait_unlock(c, set, flags, done);
}
