// SPDX-License-Identifier: GPL-2.0
/*
 * The fast lane, where every request enters and ends: hits of one block that nobody stands in the
 * way of cost one hash, one set lock, a pin, and later the lock again. Reads of one block that is
 * not there, and is not to be brought in, go past in the same way. All others go on to request.c.
 */
#include "core/lane.h"
#include "io/request.h"

/* Only plain reads and writes, of which nothing else is to be noted. */
static inline bool fits(const struct fc_cache *c, const struct bio *bio)
{
	return !(bio->bi_opf & (REQ_PREFLUSH | REQ_FUA)) &&
	       (bio_op(bio) == REQ_OP_READ || bio_op(bio) == REQ_OP_WRITE) &&
	       !READ_ONCE(c->watched);
}

/* Finds the slot's way; little is to be remembered over the lock. */
static inline u16 pin(struct fc_cache *c, struct fc_req *req, const struct bio *bio, u32 units)
{
	const struct fc_core *core = &c->core;
	struct fc_oblock b = fc_geo_block(&core->geo, bio->bi_iter.bi_sector);
	u64 hash = fc_geo_hash(&core->geo, b);
	const u16 *chain;
	u16 way;

	req->set_index = fc_geo_set(&core->geo, hash);
	req->set = fc_core_set(core, req->set_index);
	chain = fc_map_chain(core, req->set, b, hash);
	/* Whoever sends a request may sleep, so interrupts are on. */
	spin_lock_irq(&req->set->lock);
	if (op_is_write(bio_op(bio))) {
		way = fc_lane_write(core, req->set, chain, b, units);
		req->step = FC_STEP_LANE_WRITE;
	} else {
		way = fc_lane_read(core, req->set, chain, b, units);
		req->step = FC_STEP_LANE_READ;
	}
	spin_unlock_irq(&req->set->lock);
	return way;
}

/*
 * Tries the lane, and says what the core says. What the rest of the request's life needs of the
 * plan is written down only if it goes wrong.
 */
static inline u16 take(struct fc_cache *c, struct fc_req *req, struct bio *bio)
{
	const struct fc_geo *geo = &c->core.geo;
	sector_t sector = bio->bi_iter.bi_sector;
	u32 nr = bio_sectors(bio), units;
	u16 way;

	if (unlikely(!fc_lane_units(geo, sector, nr, &units)))
		return FC_LANE_SHUT;
	way = pin(c, req, bio, units);
	if (unlikely(way >= FC_LANE_SHUT))
		return way;
	req->c = c;
	req->iter = bio->bi_iter;
	req->plan.way[0] = way;
	this_cpu_inc(c->stats->lane[nr][req->step]);
	/* As fc_submit_aim() would, but for the counter. */
	bio_set_dev(bio, c->ssd->bdev);
	bio->bi_iter.bi_sector = fc_geo_place(geo, fc_geo_slot(geo, req->set_index, way), sector);
	return way;
}

/* Is a request that would bring its block in kept from it? */
static inline bool shut_out(struct fc_cache *c, const struct bio *bio)
{
	return READ_ONCE(c->gate.choosy) && fc_gate_ask(c, bio) == FC_GATE_PASS;
}

/* The disk is read, and that is all; the plan only has what the end wants to know. */
static inline void go_past(struct fc_cache *c, struct fc_req *req, struct bio *bio)
{
	req->c = c;
	req->iter = bio->bi_iter;
	req->flags = FC_REQ_PASS;
	req->step = FC_STEP_DISK;
	req->plan.nr = bio_sectors(bio);
	this_cpu_inc(c->stats->lane[bio_sectors(bio)][FC_LANE_PAST]);
	atomic_inc(&c->busy);
	bio_set_dev(bio, c->disk->bdev);
}

/**
 * fc_request_map() - a bio arrives
 * @c: cache
 * @bio: bio with its sector in terms of the target
 *
 * Context: that of dm's map; does not sleep for REQ_NOWAIT bios, and never ends one with
 * BLK_STS_AGAIN.
 * Return: DM_MAPIO_REMAPPED or DM_MAPIO_SUBMITTED.
 */
int fc_request_map(struct fc_cache *c, struct bio *bio)
{
	struct fc_req *req = fc_req_of(bio);
	u16 way = FC_LANE_SHUT;

	if (likely(fits(c, bio)))
		way = take(c, req, bio);
	if (likely(way < FC_LANE_SHUT))
		return DM_MAPIO_REMAPPED;
	if (way == FC_NIL && shut_out(c, bio)) {
		go_past(c, req, bio);
		return DM_MAPIO_REMAPPED;
	}
	return fc_request_map_other(c, req, bio);
}

/**
 * fc_request_end_io() - a bio comes back
 * @c: cache
 * @bio: bio
 * @error: its result
 *
 * Context: any, interrupts included. Return: DM_ENDIO_DONE or DM_ENDIO_INCOMPLETE.
 */
int fc_request_end_io(struct fc_cache *c, struct bio *bio, blk_status_t *error)
{
	struct fc_req *req = fc_req_of(bio);
	struct fc_set *set = req->set;
	u8 step = req->step;
	unsigned long flags;
	unsigned int done;

	if (unlikely(step > FC_STEP_LANE_WRITE || *error))
		return fc_request_end_other(req, *error);
	if (step == FC_STEP_LANE_WRITE)
		fc_note_unflushed(&c->ssd_unflushed);
	fc_set_lock(set, &flags);
	done = fc_desk_unpin(&c->core, set, req->plan.way[0]);
	fc_set_unlock(set, flags);
	if (unlikely(done))
		fc_wait_wake(c, set);
	return DM_ENDIO_DONE;
}
